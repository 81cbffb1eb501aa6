"""What programs and their options mean: which only read, which are harmless, which run or write something else.

The tables are lists of what is known. A program, a subcommand or an option that is on none of them is never taken for
one that only reads, and never covered by a yes for another command.
"""
