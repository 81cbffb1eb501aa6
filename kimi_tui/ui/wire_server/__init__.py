"""`--wire`: the Wire for other programs, as JSON-RPC 2.0 on stdin and stdout."""
