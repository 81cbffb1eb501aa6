"""What holds each case of the fault list, and how it is taken out. `mutants.py` does so and sees a test fail."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Defence:
    """`text`, which is in `file` once, becomes `instead`. `test` is the one of the case's tests that has to fail.

    `too` are further changes of that kind (file, text, instead): where two defences hold a case, both have to go.
    """

    case: str
    what: str
    file: str
    text: str
    instead: str
    test: str = ""
    too: tuple[tuple[str, str, str], ...] = ()


DEFENCES: tuple[Defence, ...] = (
    Defence(
        "1 torn_tail", "cutting the torn tail before the next line", "kimi_tui/jsonl.py",
        "        cut_torn_tail(fd)\n", "        pass\n",
    ),
    Defence(
        "2 nul_tail", "cutting NULs off before the next line", "kimi_tui/jsonl.py",
        "        cut_torn_tail(fd)\n", "        pass\n",
    ),
    Defence(
        "3 corrupt_middle", "passing over a line that is no JSON", "kimi_tui/jsonl.py",
        "            result.bad.append((number, raw))\n", "            break\n",
        "test_corrupt_middle_is_told_with_its_line_and_the_rest_is_read",
    ),
    Defence(
        "3 corrupt_middle", "keeping a copy of bad lines", "kimi_tui/jsonl.py",
        "        fresh = [line for line in lines if line not in known]\n", "        fresh = []\n",
        "test_corrupt_middle_lines_are_put_aside_and_told_of_once",
    ),
    Defence(
        "4 kill9_mid_tool", "a result for a call that has none", "kimi_tui/context/context.py",
        "    mended.extend(interrupted_result(call_id) for call_id in open_calls)\n    return", "    return",
    ),
    Defence(
        "4 kill9_mid_tool", "a result for a call that has none, in a session", "kimi_tui/context/context.py",
        "    mended.extend(interrupted_result(call_id) for call_id in open_calls)\n    return", "    return",
        "test_kill9_mid_tool_the_session_goes_on_with_a_result_that_says_so_and_the_tool_is_not_run_again",
    ),
    Defence(
        "5 orphan_tool_result", "dropping a result without a call", "kimi_tui/context/context.py",
        "                dropped += 1\n", "                mended.append(message)\n",
    ),
    Defence(
        "6 kill9_mid_stream", "writing each message at once", "kimi_tui/jsonl.py",
        "            self._kept.extend(dump(value) for value in values)\n            self._write(sync)\n",
        "            self._kept.extend(dump(value) for value in values)\n"
        "            if sync or len(self._kept) > 30:\n                self._write(sync)\n",
    ),
    Defence(
        "7 kill9_in_flow", "journalling before it is told", "kimi_tui/flow/run/journal.py",
        "        self._writer.append(dump_record(record), sync=True)\n"
        '        crash_point("journal.after_append")\n'
        '        crash_point(f"journal.after_{record.r}")\n',
        '        crash_point("journal.after_append")\n'
        '        crash_point(f"journal.after_{record.r}")\n'
        "        self._writer.append(dump_record(record), sync=True)\n",
    ),
    Defence(
        "8 kill9_between_files", "replacing state.json whole", "kimi_tui/session/state.py",
        '    fresh = file.with_suffix(".new")\n', "    fresh = file\n", "test_kill9_between_files",
    ),
    Defence(
        "8 kill9_between_files", "doing without a state that is broken", "kimi_tui/session/state.py",
        "    except (OSError, ValueError, ValidationError):\n", "    except OSError:\n", "test_kill9_between_files",
    ),
    Defence(
        "9 enospc", "keeping what could not be written", "kimi_tui/jsonl.py",
        "            self._troubled = True\n", "            self._troubled = True\n            self._kept.clear()\n",
        "test_enospc_what_could_not_be_written_is_kept_and_written_when_there_is_room",
    ),
    Defence(
        "9 enospc", "telling of it once", "kimi_tui/soul/disk_monitor.py",
        "        if first:\n", "        if True:\n",
        "test_enospc_is_told_once_the_turn_goes_on_and_what_was_said_is_written_when_there_is_room",
    ),
    Defence(
        "9 enospc", "writing a file beside the old one", "kimi_tui/tools/file_support/safe_open.py",
        "        _replace(folder, real, content, before)\n", "        _write_in_place(folder, real, content)\n",
        "test_enospc_leaves_the_old_file_whole",
    ),
    Defence(
        "10 ro_home", "a session that is not kept", "kimi_tui/session/session.py",
        "            folder = _scratch_folder(session_id)\n", "            raise\n",
    ),
    Defence(
        "11 emfile", "giving back what was opened when the rest cannot be",
        "kimi_tui/tools/shell_support/process_runner.py",
        "    fds.callback(os.close, read)\n    fds.callback(os.close, write)\n", "",
    ),
    Defence(
        "12 two_writers, stale_lock", "the lock", "kimi_tui/session/session.py",
        "            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n", "            pass\n",
        "test_two_writers_the_second_process_is_refused_and_told_who_holds_it",
    ),
    Defence(
        "12 two_writers, stale_lock", "a lock that dies with its owner", "kimi_tui/session/session.py",
        "            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "            os.kill(int(os.pread(fd, 64, 0) or 0), 0)\n            raise OSError\n",
        "test_stale_lock_of_an_unrelated_living_process_holds_nobody_up",
    ),
    Defence(
        "13 surrogate_u2028", "escaping what readers split lines at", "kimi_tui/jsonl.py",
        '        for char in ("\\u2028", "\\u2029", "\\x85"):\n', "        for char in ():\n",
        "test_characters_that_readers_split_lines_at_stay_within_their_line",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters", "kimi_tui/jsonl.py",
        '        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")\n', "",
        "test_half_a_surrogate_pair_becomes_a_replacement_and_a_whole_one_its_character",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters of what is tr", "kimi_tui/soul/engine.py",
        "        user_input = encodable(user_input)\n", "",
        "test_half_surrogates_of_any_face_are_replaced_before_they_go_anywhere",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters of a history that is sent",
        "kimi_tui/llm/history_converter.py",
        "[_sendable(self._convert(message)) for message in new]", "[self._convert(message) for message in new]",
        "test_a_history_with_half_characters_is_sent_with_them_replaced",
    ),
    Defence(
        "13 surrogate_u2028", "joining characters that a service cut", "kimi_tui/llm/reply.py",
        "                    for part in characters.feed(piece):\n", "                    for part in (piece,):\n",
        "test_characters_cut_over_events_are_joined_wherever_they_are_cut",
    ),
    Defence(
        "47 client_gone", "taking an answer for the request that it names", "kimi_tui/ui/wire_server/responses.py",
        "    return named is None or named == asked.id\n", "    return True\n",
        "test_an_approval_that_names_another_request_is_a_no",
    ),
    Defence(
        "41 mcp_bad", "keeping the marks around a server's instructions", "kimi_tui/mcp/server_instructions.py",
        "    while (shorter := _MARK.sub(\"\", text)) != text:\n", "    while (shorter := text) != text:\n",
        "test_instructions_never_end_the_mark_around_them",
    ),
    Defence(
        "41 mcp_bad", "going on without lists that do not come", "kimi_tui/mcp/connection.py",
        "                with anyio.move_on_after(min(_OFFERS_SECONDS, self.seconds_to_connect / 3)):\n",
        "                with anyio.CancelScope():\n",
        "test_a_server_that_does_not_list_its_prompts_or_lists_nonsense_still_has_its_tools",
    ),
    Defence(
        "39 bad_model", "forgetting a message that the service refused", "kimi_tui/soul/rejected_requests.py",
        "    context.revert_to(checkpoint)\n", "",
        "test_a_message_that_the_service_refuses_is_taken_back_and_the_next_one_is_answered",
    ),
    Defence(
        "13 surrogate_u2028", "passing over a byte order mark", "kimi_tui/json_text.py",
        '"utf-8-sig"', '"utf-8"',
        "test_a_byte_order_mark_is_no_part_of_the_first_record",
    ),
    Defence(
        "13 surrogate_u2028", "decoding across pieces", "kimi_tui/tools/shell_support/process_runner.py",
        "(text := self._decoder.decode(piece)) and", '(text := piece.decode("utf-8", "replace")) and',
        "test_characters_are_never_cut",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "looking whether the folder is there", "kimi_tui/cli/work_dir.py",
        "    except OSError:\n        raise UsageError(\"the current",
        "    except KeyError:\n        raise UsageError(\"the current",
        "test_deleted_cwd_is_a_readable_error",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "giving back pipes where it cannot start",
        "kimi_tui/tools/shell_support/process_runner.py",
        "    fds.callback(os.close, read)\n    fds.callback(os.close, write)\n", "",
        "test_a_work_dir_that_is_gone_is_an_error_and_leaks_nothing",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "the order of the file", "kimi_tui/wire/recorder.py",
        "    for row in jsonl.each(path, start):\n",
        '    for row in sorted(jsonl.each(path, start), key=lambda row: row.get("timestamp", 0)):\n',
        "test_clock_back",
    ),
    Defence(
        "15 tree_kill", "ending all that came of a command", "kimi_tui/tools/shell_support/supervisor.py",
        "    supervisor.end_all(grace)\n", "    os.kill(first, signal.SIGTERM)\n", "test_tree_kill",
    ),
    Defence(
        "15 tree_kill", "ending them at a timeout", "kimi_tui/tools/shell_support/supervisor.py",
        "    supervisor.end_all(grace)\n", "    os.kill(first, signal.SIGTERM)\n", "test_tree_kill_at_timeout",
    ),
    Defence(
        "15 tree_kill", "ending a tool whose turn is cancelled", "kimi_tui/tools/shell_support/supervisor.py",
        "    supervisor.end_all(grace)\n", "    _say(status, \"exit 0\")\n",
        "test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process",
    ),
    Defence(
        "15 tree_kill", "a result for each call of a cancelled turn", "kimi_tui/soul/soul.py",
        "                    result_message(results[call.id]) if call.id in results else interrupted_result(call.id)\n"
        "                    for call in calls\n",
        "                    result_message(results[call.id]) for call in calls if call.id in results\n",
        "test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process",
    ),
    Defence(
        "16 setsid_child", "adopting what left its session", "kimi_tui/tools/shell_support/supervisor.py",
        "    _adopt_orphans()\n    _hear", "    _hear", "test_setsid_child",
    ),
    Defence(
        "16 setsid_child", "a process space of its own", "kimi_tui/tools/shell_support/bwrap_args.py",
        '"--unshare-pid", ', "",
        "test_processes_outside_are_not_seen_and_those_inside_end_with_the_command",
    ),
    Defence(
        "17 zombies", "waiting for each child", "kimi_tui/tools/shell_support/process_runner.py",
        "        self._child.wait()\n        for line", "        for line",
    ),
    Defence(
        "18 yes_flood", "dropping what was handed on", "kimi_tui/tools/shell_support/process_runner.py",
        "            piece = os.read(self._output, _CHUNK)\n",
        "            piece = os.read(self._output, _CHUNK)\n"
        '            self.__dict__.setdefault("all", []).append(piece)\n',
        "test_yes_flood",
    ),
    Defence(
        "18 yes_flood", "bounding what is kept, in a terminal", "kimi_tui/tools/core/result_builder.py",
        "        if len(text) > self._room + self._tail_room:\n",
        "        self._room += len(text)\n        if False:\n",
        "test_a_flood_of_output_takes_no_memory_and_keys_are_seen",
    ),
    Defence(
        "18 yes_flood", "leaving out what goes beyond", "kimi_tui/tools/core/result_builder.py",
        "        if len(text) > self._room + self._tail_room:\n",
        "        self._room += len(text)\n        if False:\n",
        "test_a_flood_is_not_kept",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "our own handlers", "kimi_tui/ui/tui/terminal/shutdown.py",
        "signal.signal(number, self._on_signal) for", "signal.signal(number, signal.SIG_DFL) for",
        "test_a_signal_ends_it_and_the_terminal_is_as_it_was",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "ending all that came of a command",
        "kimi_tui/tools/shell_support/supervisor.py",
        "    supervisor.end_all(grace)\n", "    _say(status, \"exit 0\")\n",
        "test_sigint_ends_the_command_that_runs_and_the_session_can_be_resumed",
    ),
    Defence(
        "20 pty_gone", "looking whether the terminal is there", "kimi_tui/ui/tui/terminal/escape_sequences.py",
        "    except (OSError, ValueError):\n        return True\n",
        "    except (OSError, ValueError):\n        return False\n",
    ),
    Defence(
        "21 epipe_print", "ending quietly when nobody reads", "kimi_tui/cli/exit_status.py",
        "    except BrokenPipeError:\n        return 128 + signal.SIGPIPE\n",
        "    except ZeroDivisionError:\n        return 1\n",
    ),
    Defence(
        "22 resize_storm", "making layout_size anew", "kimi_tui/ui/tui/main_screen/screen.py",
        "    def on_resize(self, event: events.Resize) -> None:\n        self.update_layout()\n",
        "    def on_resize(self, event: events.Resize) -> None:\n        raise ZeroDivisionError\n",
        "test_resize_storm",
    ),
    Defence(
        "23 focus_storm", "drawing a line once", "kimi_tui/ui/tui/app.py",
        "    async def on_descendant_focus(self,",
        "    def on_app_focus(self) -> None:\n"
        "        import time\n\n"
        "        time.sleep(0.25)  # what restyling many widgets handle_slash\n\n"
        "    async def on_descendant_focus(self,",
        "test_focus_storm",
    ),
    Defence(
        "24 split_input", "folding a large paste", "kimi_tui/ui/tui/composer/paste_chips.py",
        "        if len(text) < CHARACTERS and lines < LINES:\n", "        if True:\n",
        "test_a_paste_of_a_mebibyte_is_no_keys",
    ),
    Defence(
        "25 tmux_env", "saying what a dumb terminal cannot", "kimi_tui/cli/modes/tui.py",
        '    if os.environ.get("TERM") == "dumb":\n', "    if False:\n", "test_tmux_env",
    ),
    Defence(
        "25 tmux_env", "saying what is needed without a terminal", "kimi_tui/cli/modes/tui.py",
        "    return sys.stdin.isatty() and sys.stdout.isatty()\n", "    return True\n",
        "test_without_a_terminal_the_screen_says_what_to_use_instead",
    ),
    Defence(
        "26 esc_matrix", "the sanitiser, on screen", "kimi_tui/ui/tui/text/sanitize.py",
        '    return _SUSPECT.sub(_spell, _PICTURE_JOIN.sub("", text))\n', "    return text\n", "test_esc_matrix",
    ),
    Defence(
        "26 esc_matrix", "spelling out C1 and tags", "kimi_tui/ui/tui/text/sanitize.py",
        '    "\\x00-\\x1f\\x7f-\\x9f"  # C0, DEL, C1\n', '    "\\x00-\\x1f\\x7f"  # C0, DEL\n',
        "test_nothing_that_acts_on_a_terminal_is_left",
    ),
    Defence(
        "26 esc_matrix", "the sanitiser, where rows are made", "kimi_tui/ui/tui/text/sanitize.py",
        '    return _SUSPECT.sub(_spell, _PICTURE_JOIN.sub("", text))\n', "    return text\n",
        "test_no_item_breaks_the_grid_or_reaches_the_terminal",
    ),
    Defence(
        "27 bidi_zw", "seeing marks that nobody sees", "kimi_tui/tools/shell_support/command_parser.py",
        "        if hidden := hidden_in(text):\n", "        if hidden := None:\n", "test_bidi_zw",
    ),
    Defence(
        "27 bidi_zw", "spelling them out in the dialog", "kimi_tui/ui/tui/text/sanitize.py",
        '    return _SUSPECT.sub(_spell, _PICTURE_JOIN.sub("", text))\n', "    return text\n",
        "test_hidden_characters_of_a_command_are_spelled_out",
    ),
    Defence(
        "28 hidden_tail", "seeing much blank space", "kimi_tui/tools/shell_support/hidden_text.py",
        "    return Doubt(DoubtKind.BLANK_SPACE) if _PADDING.search(text) else None\n", "    return None\n",
        "test_hidden_tail",
    ),
    Defence(
        "28 hidden_tail", "pointing hidden text out", "kimi_tui/tools/shell.py",
        "        if hidden := hidden_text(params.command):\n", "        if hidden := None:\n",
        "test_hidden_text_is_pointed_out",
    ),
    Defence(
        "28 hidden_tail", "withholding the broad answer", "kimi_tui/ui/tui/dialogs/approval.py",
        '            case "session" if request.scope is not None and seen:\n',
        '            case "session" if request.scope is not None:\n',
        "test_the_broad_answer_is_withheld_until_the_whole_text_was_seen",
    ),
    Defence(
        "29 approval_keys", "the guard, in a terminal", "kimi_tui/ui/tui/dialogs/key_guard.py",
        "        if self.remaining > 0:\n", "        if False:\n",
        "test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve[taken-back]",
    ),
    Defence(
        "29 approval_keys", "leaving the focus to who writes, and the guard", "kimi_tui/ui/tui/dialogs/key_guard.py",
        "        if self.remaining > 0:\n", "        if False:\n",
        "test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve[typed]",
        too=(("kimi_tui/ui/tui/session/presenter.py", "(new and not self._user_is_busy)", "new"),),
    ),
    Defence(
        "29 approval_keys", "the guard", "kimi_tui/ui/tui/dialogs/key_guard.py",
        "        if self.remaining > 0:\n", "        if False:\n",
        "test_no_key_approves_before_the_dialog_has_stood_still",
    ),
    Defence(
        "29 approval_keys", "nothing chosen at first", "kimi_tui/ui/tui/dialogs/approval.py",
        "            if self.guard.accepts() and chosen is not None:\n                self._take(chosen.id)\n",
        '            if self.guard.accepts():\n                self._take(chosen.id if chosen else "once")\n',
        "test_enter_on_nothing_does_not_approve",
    ),
    Defence(
        "29 approval_keys", "holding a key until no other letter follows", "kimi_tui/ui/tui/dialogs/type_ahead.py",
        "            self._timer = self._dialog.set_timer(self.hold_s, self.settle)\n", "            self.settle()\n",
        "test_an_answers_key_that_a_sentence_begins_with_answers_nothing",
    ),
    Defence(
        "29 approval_keys", "guarding the next one anew", "kimi_tui/ui/tui/dialogs/approval.py",
        "            self.ahead.leave()\n            self.guard.restart()\n", "            self.ahead.leave()\n",
        "test_the_next_of_several_approvals_is_shown_and_guarded_anew",
    ),
    Defence(
        "30 secret_leak", "filtering the environment by names", "kimi_tui/tools/shell_support/child_env.py",
        "        return not any(fnmatchcase(upper, pattern) for pattern in SECRET_NAMES)\n", "        return True\n",
        "test_secret_leak",
    ),
    Defence(
        "30 secret_leak", "keeping the key out of errors", "kimi_tui/llm/sdk_errors.py",
        '            text = text.replace(secret, "***")\n', "            pass\n", "test_no_secret_is_told",
    ),
    Defence(
        "30 secret_leak", "quiet loggers of libraries", "kimi_tui/config/schema.py",
        "    api_key: SecretStr = SecretStr(\"\")\n    env: dict", "    api_key: SecretStr = SecretStr(\"\")\n"
        "    def __init__(self, **data: Any) -> None:\n"
        "        import logging\n"
        "        logging.getLogger(__name__).warning('%s', data)\n"
        "        super().__init__(**data)\n"
        "    env: dict",
        "test_secret_leak_a_key_is_in_no_file_and_in_no_output",
    ),
    Defence(
        "30 secret_leak", "hiding our keys in the sandbox", "kimi_tui/tools/shell_support/bwrap_args.py",
        '            yield from ("--ro-bind", "/dev/null", str(path))\n',
        "            pass\n",
        "test_our_keys_cannot_be_read",
    ),
    Defence(
        "30 secret_leak", "taking secrets out of exports", "kimi_tui/session/redact.py",
        "            text = text.replace(secret, GONE)\n", "            pass\n",
        "test_markdown_and_json_tell_the_conversation_without_secrets",
    ),
    Defence(
        "31 cmd_split", "taking wrappers apart", "kimi_tui/tools/shell_support/command_parser.py",
        "        found = unwrap(words)\n", "        found = unwrap(())\n",
        "test_commands_within_others_are_listed_too",
    ),
    Defence(
        "31 cmd_split", "a bound on what is parsed", "kimi_tui/tools/shell_support/command_parser.py",
        "MAX_BYTES = 100_000\n", "MAX_BYTES = 10_000_000\n", "test_no_text_takes_long",
    ),
    Defence(
        "31 cmd_split", "doubting what has an expansion", "kimi_tui/tools/shell_support/command_parser.py",
        "                self.doubt(DoubtKind.EXPANSION)\n", "                pass\n",
        "test_bash_runs_nothing_but_what_was_covered",
        too=((
            "kimi_tui/tools/shell_support/approval_scope.py",
            "        if len(known) != len(command.words) or not known or", "        if not known or",
        ), (
            "kimi_tui/tools/shell_support/command_parser.py",
            "        if plain is None or plain.commands != source.commands or", "        if plain is not None and",
        )),
    ),
    Defence(
        "31 cmd_split", "allowing only what has no doubt", "kimi_tui/permission/rule.py",
        "            whole = bool(fits) and not subject.doubts and not subject.elsewhere\n",
        "            whole = bool(fits)\n",
        "test_a_rule_that_allows_covers_what_it_surely_means",
    ),
    Defence(
        "31 cmd_split", "holding a rule to the dangerous words that it names", "kimi_tui/permission/rule.py",
        " is Match.YES and unnamed_danger(pattern, words) is None)\n", " is Match.YES)\n",
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "knowing an option by its whole name only", "kimi_tui/permission/programs/options.py",
        "        parsed.reach(Level.EXACT, name)\n        parsed.unknown", "        parsed.unknown",
        "test_an_option_that_is_not_in_a_table_is_never_covered",
    ),
    Defence(
        "31 cmd_split", "covering no program that is not known", "kimi_tui/permission/programs/judge.py",
        "        return Found(Level.EXACT, why=why, ", "        return Found(Level.READS, words[:1], why=why, ",
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "covering a line that changes the folder as a whole",
        "kimi_tui/tools/shell_support/approval_scope.py",
        "    if any(command.program in _CHANGE_FOLDER for command in line.commands):\n", "    if False:\n",
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "looking at a repository's settings", "kimi_tui/tools/shell_support/read_only.py",
        "    if found.configured and not all(", "    if False and not all(",
        "test_a_repository_whose_settings_may_run_something_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "looking where a program lies", "kimi_tui/tools/shell_support/read_only.py",
        "    if _is_ours(words[0], workspace):\n", "    if False:\n",
        "test_a_program_that_the_agent_may_have_written_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "looking where the words of what reads lead", "kimi_tui/tools/shell_support/read_only.py",
        "            if not _may_be_read(part, folder, workspace):\n", "            if False:\n",
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "letting plan mode only read", "kimi_tui/tools/core/toolset.py",
        "        if planning and not tool.reads(params):\n", "        if False:\n",
        "test_plan_mode_runs_commands_that_only_read",
    ),
    Defence(
        "31 cmd_split", "denying other ways to say it", "kimi_tui/permission/rule.py",
        "        fit = max((_may_fit(pattern, form) for form in _forms(words)), key=list(Match).index)\n",
        "        fit = _may_fit(pattern, words)\n",
        "test_a_rule_that_denies_covers_what_it_may_mean",
    ),
    Defence(
        "31 cmd_split", "asking where a denied program may hide", "kimi_tui/permission/rule.py",
        "        if subject.unread:\n", "        if False:\n",
        "test_a_rule_that_denies_is_asked_about_where_programs_may_run_that_are_not_listed",
    ),
    Defence(
        "31 cmd_split", "trusting no descriptor but a digit", "kimi_tui/tools/shell_support/command_parser.py",
        "+ (not closes) or _odd(node, source):\n", "+ (not closes):\n",
        "test_a_redirection_with_an_odd_descriptor_or_target_is_asked_about",
        too=((
            "kimi_tui/tools/shell_support/command_parser.py",
            "        if plain is None or plain.commands != source.commands or", "        if plain is not None and",
        ),),
    ),
    Defence(
        "31 cmd_split", "telling a pattern from the same in quotes", "kimi_tui/tools/shell_support/approval_scope.py",
        "word.spelled if isinstance(word, Spelled) else shlex.quote(word)", "shlex.quote(word)",
        "test_a_yes_for_a_word_in_quotes_covers_none_that_bash_expands",
    ),
    Defence(
        "31 cmd_split", "knowing what builtins evaluate", "kimi_tui/tools/shell_support/wrapper_programs.py",
        "    found.doubts.extend(doubts_of(name, words))\n", "",
        "test_a_builtin_that_evaluates_its_operands_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "asking about patterns after a dash", "kimi_tui/tools/shell_support/command_parser.py",
        '        if spelled[0] in "*?[" or text[0] == "-":\n', "        if False:\n",
        "test_a_pattern_that_may_become_an_option_is_asked_about",
    ),
    Defence(
        "32 path_escape", "expanding the words of a command", "kimi_tui/tools/shell_support/protected_paths.py",
        "            for path in expanded.paths:\n", "            for path in (word,):\n",
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "32 path_escape", "asking where a limit is met", "kimi_tui/tools/shell_support/protected_paths.py",
        "        if doubt.weight is Weight.LIMIT:\n", "        if False:\n",
        "test_where_a_limit_is_met_it_is_asked_for",
    ),
    Defence(
        "32 path_escape", "going by the real path", "kimi_tui/tools/file_support/workspace.py",
        "        return Path(os.path.realpath(path))\n",
        "        return Path(os.path.abspath(path))\n",
        "test_path_escape",
    ),
    Defence(
        "32 path_escape", "replacing a file, not its content", "kimi_tui/tools/file_support/safe_open.py",
        "        _replace(folder, real, content, before)\n",
        "        os.write(os.open(real, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), content)\n",
        "test_a_hard_link_is_cut_loose",
    ),
    Defence(
        "32 path_escape", "holding the open_checked file to its path", "kimi_tui/tools/file_support/safe_open.py",
        "    raise FileRefusedError(f\"`{real}` was swapped",
        "    return\n    raise FileRefusedError(f\"`{real}` was swapped",
        "test_a_swap_after_the_check_is_noticed",
    ),
    Defence(
        "32 path_escape", "following /proc/self/cwd", "kimi_tui/tools/file_support/workspace.py",
        "        return Path(os.path.realpath(path))\n", "        return Path(os.path.abspath(path))\n",
        "test_the_ways_of_proc_lead_where_they_lead",
    ),
    Defence(
        "32 path_escape", "judging by where a file leads", "kimi_tui/tools/file_support/workspace.py",
        "        return Path(os.path.realpath(path))\n", "        return Path(os.path.abspath(path))\n",
        "test_files_are_judged_by_where_they_lead",
    ),
    Defence(
        "33 sensitive_alias", "asking whatever the mode", "kimi_tui/tools/file_support/workspace.py",
        "            sensitive=is_sensitive(real) or self._is_ours(real) or self._is_other_name(real),\n",
        "            sensitive=is_sensitive(given or real),\n",
        "test_sensitive_alias",
    ),
    Defence(
        "33 sensitive_alias", "looking for other names of a file", "kimi_tui/tools/file_support/workspace.py",
        " or self._is_other_name(real),\n", ",\n", "test_a_hard_link_to_a_file_with_secrets_is_one_too",
    ),
    Defence(
        "33 sensitive_alias", "upper and lower case as one", "kimi_tui/tools/file_support/sensitive_names.py",
        '    text = str(path).replace("\\\\", "/").lower()\n', '    text = str(path).replace("\\\\", "/")\n',
        "test_a_name_of_the_list_is_sensitive",
    ),
    Defence(
        "34 protected_paths", "protecting Git's and our folders", "kimi_tui/tools/file_support/workspace.py",
        "            or any(real.is_relative_to(path) for path in self.protected)\n", "",
        "test_protected_paths",
    ),
    Defence(
        "34 protected_paths", "asking for them in commands", "kimi_tui/tools/shell.py",
        "            must_ask=guarded is not None,\n", "",
        "test_protected_paths_are_asked_for_even_under_yolo",
    ),
    Defence(
        "34 protected_paths", "asking before an allowing rule counts", "kimi_tui/interaction/approvals.py",
        "        if force_ask or decision.effect is Effect.ASK:\n", "        if decision.effect is Effect.ASK:\n",
        "test_what_is_protected_asks_whatever_is_allowed",
    ),
    Defence(
        "34 protected_paths", "a mount at each folder above", "kimi_tui/tools/shell_support/bwrap_args.py",
        '        yield from ("--bind", str(step), str(step))\n', "        pass\n",
        "test_protected_files_stay_though_their_folders_are_moved",
    ),
    Defence(
        "34 protected_paths", "Git's settings read-only", "kimi_tui/tools/shell_support/bwrap_args.py",
        "        guards += git.guarded\n", "        pass\n", "test_git_works_and_what_it_runs_cannot_be_changed",
    ),
    Defence(
        "35 sse_cut", "seeing that the last word is missing", "kimi_tui/llm/providers/sdk_provider.py",
        "            raise stream_ended_early()\n", "            pass\n",
        "test_a_stream_cut_at_any_event_is_a_connection_error",
    ),
    Defence(
        "35 sse_cut", "joining the pieces of a line", "kimi_tui/llm/sse.py",
        "        lines = [self.rest, *more[:-1]]\n", "        lines = [first, *more[:-1]]\n",
        "test_where_chunks_are_cut_does_not_matter",
    ),
    Defence(
        "35 sse_cut", "calling malformed_stream data a broken connection", "kimi_tui/llm/providers/sdk_provider.py",
        "    except (ValueError, RecursionError) as error:\n        raise malformed_stream() from error\n",
        "    except (ValueError, RecursionError):\n        raise\n",
        "test_half_json_is_a_connection_error",
    ),
    Defence(
        "35 sse_cut", "taking back what a failed attempt said", "kimi_tui/llm/retry.py",
        "        before_sleep=tell,\n", "",
        "test_a_429_a_500_and_a_cut_stream_are_got_over_without_text_twice",
    ),
    Defence(
        "36 http_matrix", "telling keys from lengths from limits", "kimi_tui/llm/error_mapping.py",
        "    if status in (401, 403):\n", "    if status in (401,):\n", "test_each_status_has_its_error",
    ),
    Defence(
        "36 http_matrix", "reading Retry-After as a date", "kimi_tui/llm/error_mapping.py",
        "        when = parsedate_to_datetime(value).timestamp()\n", "        return None\n",
        "test_retry_after_is_read",
    ),
    Defence(
        "36 http_matrix", "a wait that can be cancelled", "kimi_tui/llm/retry.py",
        "    policy = policy or RetryPolicy()\n",
        "    policy, given = policy or RetryPolicy(), sleep\n\n"
        "    async def sleep(seconds):\n"
        "        try:\n            await given(seconds)\n"
        "        except asyncio.CancelledError:\n            pass\n\n",
        "test_a_wait_can_be_cancelled",
    ),
    Defence(
        "37 stall", "an idle timeout", "kimi_tui/llm/providers/openai_client.py",
        "timeout=Timeout(settings.idle_timeout_s, connect=settings.connect_timeout_s)", "timeout=Timeout(None)",
        "test_a_silent_stream_times_out",
    ),
    Defence(
        "38 ctx_overflow", "shrinking and asking again", "kimi_tui/soul/soul.py",
        "        except ContextOverflowError as error:\n            if not turn.compact",
        "        except ContextOverflowError as error:\n            raise\n            if not turn.compact",
        "test_ctx_overflow_reported_by_the_service_compacts_once_and_asks_again",
    ),
    Defence(
        "38 ctx_overflow", "keeping the conversation where that fails", "kimi_tui/soul/compact.py",
        "    except ProviderError as error:\n", "    except ZeroDivisionError as error:\n",
        "test_an_empty_summary_keeps_the_conversation_and_says_so",
    ),
    Defence(
        "39 bad_model", "ending the turn at the twelfth same call", "kimi_tui/tools/core/repeat_guard.py",
        '    extras = {**(result.extras or {}), "stop": "tool_call_repeat"} if streak >= STOP_AT else result.extras\n',
        "    extras = result.extras\n", "test_the_same_call_again_and_again_ends_the_turn",
    ),
    Defence(
        "40 bad_config", "saying which key is wrong", "kimi_tui/config/loader.py",
        '        raise ConfigError(first["msg"], file=_place(file, *first["loc"]), key=key) from None\n',
        '        raise ConfigError(first["msg"]) from None\n', "test_bad_config_is_an_error_with_file_key_and_cause",
    ),
    Defence(
        "40 bad_config", "reading regular files only", "kimi_tui/config/loader.py",
        "        text = read_text(file, most=MAX_BYTES)\n", '        text = file.read_text("utf-8-sig")\n',
        "test_a_device_is_no_configuration",
    ),
    Defence(
        "40 bad_config", "passing over a byte order mark", "kimi_tui/regular_file.py",
        '.decode("utf-8-sig", errors)', '.decode("utf-8", errors)',
        "test_an_empty_file_and_one_with_a_byte_order_mark_are_read",
    ),
    Defence(
        "40 bad_config", "trying a rule's examples", "kimi_tui/permission/settings.py",
        "            if fits is not wanted:\n", "            if False:\n",
        "test_a_rule_whose_example_fails_is_an_error_with_its_place",
    ),
    Defence(
        "41 mcp_bad", "a bound on a message", "kimi_tui/mcp/stdio_transport.py",
        "            if size > MAX_MESSAGE:\n", "            if False:\n",
        "test_a_flood_in_a_call_ends_the_server_and_not_the_session",
    ),
    Defence(
        "41 mcp_bad", "an end to cycles", "kimi_tui/mcp/schema_normalizer.py",
        "            target = None if reference in inside else self._find(reference)\n",
        "            target = self._find(reference)\n", "test_references_are_put_in_place_and_cycles_end",
    ),
    Defence(
        "42 skills_bad", "passing over a skill that cannot be read", "kimi_tui/skill/library.py",
        "            except SkillError as error:\n                outcome = error\n",
        "            except ZeroDivisionError as error:\n                outcome = error\n",
        "test_bad_skills_are_passed_over_with_a_reason_and_the_good_ones_stay",
    ),
    Defence(
        "42 skills_bad", "never opening a pipe", "kimi_tui/skill/skill_file.py",
        "        return read_start(path, MAX_BYTES + 1)\n",
        "        return path.read_bytes()\n", "test_a_pipe_does_not_hang",
    ),
    Defence(
        "43 flow_bad", "refusing a chart without one BEGIN", "kimi_tui/flow/model/validation.py",
        "    if len(begins) != 1:\n", "    if not begins:\n", "test_what_is_no_flow_is_refused_with_its_line",
    ),
    Defence(
        "44 flow_choice", "a near miss", "kimi_tui/flow/run/branch_choice.py",
        "    return near[0] if len(near) == 1 else None\n", "    return None\n",
        "test_a_choice_that_differs_in_case_or_outer_punctuation_alone_is_taken",
    ),
    Defence(
        "44 flow_choice", "a bound on asking again", "kimi_tui/flow/run/pause_rules.py",
        '            case "finished" if state.retries > max_choice_retries:\n',
        '            case "finished" if state.retries > 10**9:\n',
        "test_a_model_that_never_chooses_brings_the_person_in",
    ),
    Defence(
        "44 flow_choice", "taking the last choice", "kimi_tui/flow/run/branch_choice.py",
        "        elif opened is not None:\n", "        elif opened is not None and choice is None:\n",
        "test_the_last_choice_of_the_reply_counts",
    ),
    Defence(
        "45 flow_runaway", "stopping at the last move", "kimi_tui/flow/run/runner.py",
        "                    if not state.entered and state.moves >= state.max_moves:\n",
        "                    if not state.entered and state.moves > state.max_moves:\n",
        "test_reaching_the_moves_ends_the_run_exactly_there",
    ),
    Defence(
        "46 flow_races", "not hitting a breakpoint twice", "kimi_tui/flow/run/runner.py",
        "            pause = None if state.passed else pause_reason(",
        "            pause = pause_reason(",
        "test_a_breakpoint_holds_before_each_visit_and_going_on_does_not_hit_it_again",
    ),
    Defence(
        "46 flow_races", "pausing before the model is asked again", "kimi_tui/flow/run/pause_rules.py",
        '                return Pause("user") if pause_next == "user" else None\n', "                return None\n",
        "test_a_pause_during_a_choice_holds_before_the_model_is_asked_again",
    ),
    Defence(
        "46 flow_races", "a person's branch before the model's", "kimi_tui/flow/run/runner.py",
        "        if (chosen := state.chosen.get(node.id)) is not None:\n", "        if (chosen := None) is not None:\n",
        "test_a_branch_taken_in_the_tick_of_the_answer_wins_once",
    ),
    Defence(
        "46 flow_races", "a person's order before the model's answer", "kimi_tui/flow/run/runner.py",
        "        match self._order:\n            case JumpTo(node_id, passed):\n                self._take_order()\n"
        "                return _Way(node_id, passed=passed)\n",
        "        match self._order:\n",
        "test_a_jump_in_the_tick_of_the_answer_leaves_it_nothing_to_decide",
    ),
    Defence(
        "46 flow_races", "pausing at a rejected tool", "kimi_tui/flow/run/pause_rules.py",
        '                return Pause("rejected", tr("a tool was rejected"))\n', "                return None\n",
        "test_a_rejected_tool_pauses_the_flow_and_the_person_may_choose_the_branch",
    ),
    Defence(
        "47 client_gone", "answering what is no JSON", "kimi_tui/ui/acp/transport.py",
        "            except (ValueError, RecursionError):\n                value = None\n",
        "            except ZeroDivisionError:\n                value = None\n",
        "test_garbage_is_answered_and_passed_over",
    ),
    Defence(
        "47 client_gone", "bounding a line", "kimi_tui/ui/stdio.py",
        "                lines.append(TooLong() if too_long else bytes(line + piece))\n",
        "                lines.append(bytes(line + piece))\n",
        "test_a_line_that_is_too_long_is_passed_over_and_told",
    ),
    Defence(
        "47 client_gone", "ending what waits for an answer", "kimi_tui/ui/acp/session.py",
        "        await self._asking.aclose()\n", "",
        "test_closing_a_session_in_the_middle_of_an_approval_asks_no_more",
        too=((
            "kimi_tui/ui/acp/session.py",
            "                self._asking.settled(message.request_id)\n", "                pass\n",
        ),),
    ),
    Defence(
        "48 watch_bad", "following a folder that was made anew", "kimi_tui/skill/watcher.py",
        "            if any(plan.is_watched(path) for path in changed):\n                return\n",
        "            continue\n",
        "test_a_watched_folder_that_is_deleted_and_made_again_is_followed",
    ),
    Defence(
        "48 watch_bad", "watching no tree beside a skill", "kimi_tui/skill/watch_plan.py",
        "                self.add(entry.path, [SKILL_FILE])\n",
        "                self.add(entry.path, [SKILL_FILE])\n"
        "                for at, _dirs, _files in os.walk(entry.path):\n"
        "                    self.add(at, None)\n",
        "test_a_large_tree_beside_a_skill_is_not_watched",
    ),
    Defence(
        "sensitive names", "the list", "kimi_tui/tools/file_support/sensitive_names.py",
        '    "*.env",\n', "", "test_a_name_of_the_list_is_sensitive",
    ),
    Defence(
        "sensitive names", "the exceptions", "kimi_tui/tools/file_support/sensitive_names.py",
        '_EXEMPT = ("*.example", "*.sample", "*.template", "*.pub")\n', "_EXEMPT = ()\n",
        "test_a_name_of_the_exceptions_is_not",
    ),
    Defence(
        "a symlinked parent of a file", "going by the real path", "kimi_tui/tools/file_support/workspace.py",
        "        return Path(os.path.realpath(path))\n", "        return Path(os.path.abspath(path))\n",
    ),
    Defence(
        "flags behind a backslash", "taking backslashes out of words", "kimi_tui/tools/shell_support/bash_words.py",
        "else found[1], text, flags=re.DOTALL)", "else found[0], text, flags=re.DOTALL)",
    ),
    Defence(
        "a hook that writes to the terminal", "a session of its own, for each command and for what stands before it",
        "kimi_tui/tools/shell_support/supervisor.py", "        os.setsid()\n", "",
        too=(("kimi_tui/tools/shell_support/process_runner.py", "                start_new_session=True,\n", ""),),
    ),
    Defence(
        "a flow saved through a link", "making a new file", "kimi_tui/ui/tui/flow_pane/export_files.py",
        '            with path.open("x", encoding="utf-8") as file:\n',
        '            with path.open("w", encoding="utf-8") as file:\n',
    ),
    Defence(
        "29 approval_keys", "guarding clicks", "kimi_tui/ui/tui/dialogs/approval.py",
        "        event.stop()\n        if self.guard.accepts():\n            self._take(event.option_id)\n",
        "        event.stop()\n        self._take(event.option_id)\n",
        "test_a_click_that_gives_the_window_its_focus_answers_nothing",
    ),
    Defence(
        "29 approval_keys", "letting who writes write", "kimi_tui/ui/tui/dialogs/approval.py",
        '        return self.has_class("-why") or (', "        return (",
        "test_digits_in_a_reason_answer_nothing",
    ),
    Defence(
        "a module in the folder", "starting Python without the folder on its path", "kimi_tui/cli/modes/web.py",
        '[sys.executable, "-P", "-m", "kimi_tui"]',
        '[sys.executable, "-m", "kimi_tui"]',
    ),
    Defence(
        "30 secret_leak", "closing our environment to other processes", "kimi_tui/cli/main.py",
        "    forbid_dumps()\n",
        "",
        "test_no_command_can_read_the_keys_in_the_environment_of_the_program",
    ),
    Defence(
        "a pipe in the folder", "marking regular files only", "kimi_tui/permission/trust.py",
        "read_bytes(file, most=_MAX_BYTES)",
        "file.read_bytes()",
        "test_a_pipe_or_a_device_in_the_place_of_a_file_holds_no_face_up",
    ),
    Defence(
        "a pipe in the folder", "reading regular files only", "kimi_tui/regular_file.py",
        "    if not stat.S_ISREG(mode):\n",
        "    if False:\n",
        "test_a_pipe_a_folder_a_socket_and_a_device_are_refused_at_once",
    ),
    Defence(
        "a page of another host", "a yes for one host only", "kimi_tui/tools/fetch_url.py",
        'Scope((f"fetch: {host}",), ',
        'Scope(("fetch",), ',
        "test_each_host_is_asked_for_and_a_yes_for_the_session_covers_its_pages_alone",
    ),
    Defence(
        "a page of another host", "staying with the host that was asked for", "kimi_tui/tools/fetch_url.py",
        ", follows=self._as_for(url))",
        ")",
        "test_a_redirect_to_another_host_is_asked_for",
    ),
    Defence(
        "a library that cannot be loaded", "a line for it", "kimi_tui/cli/exit_status.py",
        "    except ImportError as error:", "    except ZeroDivisionError as error:",
        "test_a_library_that_cannot_be_loaded_is_one_line_and_the_terminal_is_as_it_was",
    ),
    Defence(
        "a library that cannot be loaded", "switching off what a driver that fails has on",
        "kimi_tui/ui/tui/terminal/driver.py",
        "            super().stop_application_mode()\n            raise\n", "            raise\n",
        "test_a_driver_that_fails_while_it_starts_switches_off_what_is_on",
    ),
    Defence(
        "a page of another host", "asking anew where a rule says something else", "kimi_tui/tools/fetch_url.py",
        " and decide(self.name, PageSubject(other, host)).effect is effect", "",
        "test_a_redirect_within_a_host_is_asked_about_where_the_rules_differ",
    ),
    Defence(
        "a page of another host", "the other spellings of an address", "kimi_tui/permission/page_pattern.py",
        "any(fnmatchcase(form, pattern) for form in _forms(url, host))", "fnmatchcase(url, pattern)",
        "test_a_rule_that_denies_a_path_denies_its_other_spellings",
    ),
    Defence(
        "a project that loosens", "the stricter of two modes", "kimi_tui/permission/settings.py",
        "max((mode, wanted), key=_MODE_STRICTNESS.index)", "wanted",
        "test_a_project_that_asks_for_nothing_loosens_nothing_of_the_users",
    ),
    Defence(
        "31 cmd_split", "settings that Git takes from elsewhere", "kimi_tui/tools/file_support/git_settings.py",
        '    if os.path.lexists(git_dir / "commondir"):', "    if False:",
        "test_a_git_folder_that_takes_its_settings_from_another_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "a Git folder that is one for sure", "kimi_tui/tools/file_support/git_settings.py",
        "_is_git_dir(entry) and ", "", "test_a_git_folder_that_git_passes_over_says_nothing_of_the_one_above",
    ),
    Defence(
        "31 cmd_split", "an unknown option that takes the next word", "kimi_tui/permission/programs/judge.py",
        "    if shifting:\n", "    if False:\n",
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a rule that denies, for what another program runs", "kimi_tui/permission/rule.py",
        "            return Match.MAYBE if hidden else fit\n", "            return fit\n",
        "test_a_rule_that_denies_is_asked_about_where_another_program_may_run_what_it_names",
    ),
    Defence(
        "31 cmd_split", "the folders of Bash's stack", "kimi_tui/tools/shell_support/read_only.py",
        "    if _STACK.match(word):\n        return None\n", "",
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "32 path_escape", "Bash's other quotes", "kimi_tui/tools/shell_support/bash_words.py",
        "            return quoted(_ANSI_C.sub(_ansi_c, text[2:-1]))\n", "            return UNKNOWN\n",
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "what starts something later", "the folders and files of agents",
        "kimi_tui/tools/file_support/guarded_names.py",
        ' ".agents", ".codex", ".mcp.json"',
        "",
        "test_what_starts_something_later_is_asked_for_whatever_holds",
    ),
    Defence(
        "what starts something later", "asking for instructions in any mode", "kimi_tui/permission/policy.py",
        "            and not subject.instructs\n",
        "",
        "test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do",
    ),
    Defence(
        "what starts something later", "the hidden files of the user's home",
        "kimi_tui/tools/file_support/workspace.py",
        "            or acts_for_the_user(real, folder, self._user_home)\n",
        "",
        "test_in_the_users_home_what_their_shell_starts_is_asked_for",
    ),
    Defence(
        "what starts something later", "knowing a Git folder by what is in it",
        "kimi_tui/tools/file_support/workspace.py",
        "            or is_in_git_dir(real)\n",
        "",
        "test_a_git_folder_is_protected_by_whatever_name",
    ),
    Defence(
        "our own secrets", "our home as a secret", "kimi_tui/tools/file_support/workspace.py",
        "is_sensitive(real) or self._is_ours(real) or",
        "is_sensitive(real) or",
        "test_our_own_keys_and_sessions_are_secrets_for_every_tool",
    ),
    Defence(
        "our own secrets", "looking for hard links in all of the workspace", "kimi_tui/tools/file_support/workspace.py",
        "(*names, *self._names_by_inode().get(status.st_ino, ()))",
        "names",
        "test_a_hard_link_to_a_secret_anywhere_in_the_workspace_is_one_too",
    ),
    Defence(
        "a server that outlives us", "ending servers when the control pipe closes",
        "kimi_tui/tools/shell_support/supervisor.py",
        "            if self._control in ready:\n",
        "            if False:\n",
    ),
    Defence(
        "16 setsid_child", "finding what escaped by its mark", "kimi_tui/tools/shell_support/process_runner.py",
        "            end_strays(self._mark)\n",
        "            pass\n",
        "test_a_child_in_a_session_of_its_own_is_found_though_the_supervisor_was_killed",
    ),
    Defence(
        "16 setsid_child", "waking a supervisor that was stopped", "kimi_tui/tools/shell_support/process_runner.py",
        "        self._child.send_signal(signal.SIGCONT)\n",
        "        pass\n",
        "test_a_command_that_stops_its_supervisor_holds_nobody_up",
    ),
    Defence(
        "instructions by a link", "staying in the project", "kimi_tui/soul/system_prompt.py",
        "not real.is_relative_to(root.resolve()) or ",
        "",
    ),
    Defence(
        "instructions by a link", "passing over secrets", "kimi_tui/soul/system_prompt.py",
        " or is_sensitive(real):",
        ":",
    ),
    Defence(
        "a home that others can read", "closing what was left open", "kimi_tui/paths.py",
        "            path.chmod(",
        "            (",
        "test_our_home_is_closed_to_others_also_where_an_older_version_left_it_open",
    ),
    Defence(
        "a device file as settings", "reading regular files only", "kimi_tui/config/loader.py",
        "        text = read_text(file, most=MAX_BYTES)\n", '        text = file.read_text("utf-8-sig")\n',
    ),
    Defence(
        "a brace expansion without end", "a bound on what is parsed", "kimi_tui/tools/shell_support/command_parser.py",
        "MAX_BYTES = 100_000\n", "MAX_BYTES = 10_000_000\n",
    ),
    Defence(
        "a DNS or portal that hangs", "asking off the screen's own loop", "kimi_tui/soul/model_switcher.py",
        "        provider = await asyncio.to_thread(create_provider, settings)\n",
        "        import time\n\n        time.sleep(30)\n        provider = create_provider(settings)\n",
    ),
    Defence(
        "37 stall", "asking off the screen's own loop", "kimi_tui/soul/model_switcher.py",
        "        provider = await asyncio.to_thread(create_provider, settings)\n",
        "        import time\n\n        time.sleep(30)\n        provider = create_provider(settings)\n",
        "test_stall_of_the_service_holds_up_neither_the_start_nor_escape",
    ),
    Defence(
        "random kills", "writing each message at once", "kimi_tui/jsonl.py",
        "            self._kept.extend(dump(value) for value in values)\n            self._write(sync)\n",
        "            self._kept.extend(dump(value) for value in values)\n"
        "            if sync or len(self._kept) > 30:\n                self._write(sync)\n",
    ),
    Defence(
        "a word without end in a chart", "looking at a few characters for each cell",
        "kimi_tui/flow/layout/cell_text.py",
        "chunk[begin : begin + width * _ZERO_WIDTH_ROOM]", "chunk[begin:]",
        "test_a_long_word_is_folded_in_time_that_grows_with_its_length_alone",
        too=((
            "kimi_tui/flow/layout/cell_text.py",
            "width if text[: width + 1].isascii() else width * _ZERO_WIDTH_ROOM", "len(text)",
        ),),
    ),
    Defence(
        "a word without end in a chart", "cutting a label", "kimi_tui/flow/layout/cell_text.py",
        "    if len(text) > MAX_CHARACTERS:\n", "    if False:\n", "test_a_label_is_cut_where_nobody_reads_on",
    ),
    Defence(
        "a message that cannot be drawn", "one kind of line end in what streams",
        "kimi_tui/ui/tui/transcript/streaming_markdown.py",
        "self.source += one_kind_of_line_end(rest)", "self.source += rest",
        "test_any_text_streams_to_what_it_is_at_once",
    ),
    Defence(
        "a message that cannot be drawn", "showing an item as plain text", "kimi_tui/ui/tui/transcript/item_store.py",
        "        return plain_item(item, width, look.palette.base)\n", "        raise\n",
        "test_a_message_that_cannot_be_drawn_is_shown_as_plain_text",
    ),
    Defence(
        "a message that cannot be drawn", "a notice in a pane", "kimi_tui/ui/tui/text/undrawable.py",
        '        return plain_lines(_("this', '        raise\n        return plain_lines(_("this',
        "test_a_pane_that_cannot_be_drawn_says_so_and_stays",
    ),
    Defence(
        "an answer without end", "cutting the body of an error", "kimi_tui/bounded_http.py",
        "                if len(body) >= MAX_ERROR_BYTES:\n                    break\n", "",
        "test_the_body_of_an_error_without_end_is_cut",
    ),
    Defence(
        "an answer without end", "a deadline for the body of an error", "kimi_tui/bounded_http.py",
        "        async with asyncio.timeout(seconds):\n", "        async with asyncio.timeout(None):\n",
        "test_an_error_whose_body_never_ends_is_told_by_its_status",
    ),
    Defence(
        "an answer without end", "a deadline for an event", "kimi_tui/llm/sdk_errors.py",
        "        async with asyncio.timeout(seconds):\n", "        async with asyncio.timeout(None):\n",
        "test_a_stream_of_comments_alone_comes_to_an_end",
    ),
    Defence(
        "text that acts on a terminal", "spelling out what the model says to one", "kimi_tui/ui/print/text_output.py",
        "for_terminal(text) if self._out.is_terminal() else text", "text",
        "test_what_the_model_says_to_a_terminal_does_nothing_there",
    ),
    Defence(
        "text that acts on a terminal", "a list of what may stay", "kimi_tui/text_safety.py",
        '_STAYS = frozenset("LMNPS")\n', '_STAYS = frozenset("LMNPSC")\n',
        "test_nothing_that_a_terminal_would_obey_is_left",
    ),
    Defence(
        "text that acts on a terminal", "spelling out all that is printed", "kimi_tui/cli/output.py",
        "for_terminal(text).encode", "text.encode", "test_nothing_that_is_printed_acts_on_a_terminal",
    ),
    Defence(
        "output that cannot be written", "saying so at the end of an answer", "kimi_tui/ui/print/runner.py",
        "    printing.stdout.check()\n", "", "test_an_answer_that_cannot_be_written_is_a_failure",
    ),
    Defence(
        "output that cannot be written", "holding the place of a closed stream", "kimi_tui/cli/exit_status.py",
        "        fill_closed_streams()\n", "", "test_a_closed_stream_leads_to_no_traceback",
    ),
    Defence(
        "a damaged session", "looking at the files before they are opened", "kimi_tui/session/session.py",
        "            _check_files(folder)\n", "            pass\n",
        "test_the_screen_stays_and_says_what_it_cannot_open",
    ),
    Defence(
        "a damaged session", "times that a calendar has", "kimi_tui/wire/recorder.py",
        "Recorded(valid_timestamp(timestamp), message)", "Recorded(float(timestamp), message)",
        "test_times_that_no_calendar_has_are_shown_as_times",
    ),
    Defence(
        "a disk that is full at the start", "trying with what takes room", "kimi_tui/session/session.py",
        "        with contextlib.suppress(OSError):  # on a full disk it is not told who holds the lock\n",
        "        if True:\n",
    ),
    Defence(
        "little memory", "a line for it", "kimi_tui/cli/exit_status.py",
        '    except MemoryError:\n        print_error("there is not enough memory")\n        return EXIT_FAILURE\n', "",
        too=(("kimi_tui/cli/exit_status.py", '        if "new thread" not in str(error):\n', "        if True:\n"),),
    ),
    Defence(
        "Ctrl+C again and again", "expecting it until the end", "kimi_tui/cli/exit_status.py",
        "            _expect_interrupts()\n", "            pass\n",
    ),
    Defence(
        "garbage for the web server", "a log for the library", "kimi_tui/cli/modes/web.py",
        "    start_logging(options.debug)  #", "    #",
    ),
    Defence(
        "a session to import without end", "reading a state up to its bound", "kimi_tui/session/importer.py",
        "file.read(MAX_STATE_BYTES)", "file.read()",
        "test_a_state_that_unfolds_to_a_gigabyte_is_left_out_in_little_memory",
    ),
    Defence(
        "JSON nested too deeply", "a bound on the depth", "kimi_tui/json_text.py",
        "        if _depth(text) > MAX_DEPTH:\n", "        if False:\n",
        "test_a_call_with_arguments_nested_too_deeply_does_not_spoil_later_requests",
    ),
    Defence(
        "an error in broken JSON", "reading it with care", "kimi_tui/llm/error_mapping.py",
        'stream_error(_json(data.decode("utf-8", "replace")))', "stream_error(json_text.loads(data))",
    ),
    Defence(
        "a date that no clock reaches", "passing over it", "kimi_tui/llm/error_mapping.py",
        "    except (ValueError, OverflowError):\n        return None\n    return max(",
        "    except ValueError:\n        return None\n    return max(",
    ),
    Defence(
        "a tool's name that is made up", "a name that services take", "kimi_tui/llm/tool_arguments.py",
        '    name = _NOT_IN_NAMES.sub("_", call.function.name)\n', "    return call.function.name\n",
    ),
    Defence(
        "a reply without end", "a bound on it", "kimi_tui/llm/reply.py",
        "if pieces_told > MAX_PIECES or chars_told > MAX_CHARS:", "if False:",
    ),
    Defence(
        "usage that cannot be", "passing over it", "kimi_tui/llm/reply.py",
        "usage = piece.usage if _is_told(piece.usage) else usage", "usage = piece.usage",
        "test_a_usage_that_cannot_be_is_not_told",
    ),
    Defence(
        "a schema that is no JSON", "numbers that are", "kimi_tui/mcp/schema_normalizer.py",
        "if not abs(value) <= MAX_NUMBER:", "if False:",
    ),
    Defence(
        "a picture that is none", "looking at its bytes", "kimi_tui/mcp/result_content.py",
        'return f"data:{kind};base64,{base64.b64encode(picture).decode()}" if kind in _PICTURES else None',
        'return f"data:image/png;base64,{data}"',
    ),
    Defence(
        "arguments in many pieces", "reading them only where they may be whole", "kimi_tui/llm/tool_call_assembly.py",
        'self._last.endswith("}") and _is_object(', "_is_object(",
    ),
)  # fmt: skip
