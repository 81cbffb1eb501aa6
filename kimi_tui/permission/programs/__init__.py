"""The effects of programs and their options: read-only, harmless, running other programs or writing.

The tables are allow-lists. An unlisted program, subcommand or option never counts as read-only, and approval of another
command never covers it.
"""
