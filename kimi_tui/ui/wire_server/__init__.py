"""`--wire`: serves the Wire to other programs, as JSON-RPC 2.0 on stdin and stdout."""
