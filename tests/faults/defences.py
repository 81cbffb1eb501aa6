"""What holds each case of the fault list, and how it is taken out. `mutants.py` does so and sees a test fail.

The source marks the code of each defence with the comment `# defence: NAME`, at the end of its line or on the line
above. Renaming what is there needs no change here, and code that moves takes its comment with it. `mutations.py` says
what a marker names and what each change does.
"""

from dataclasses import dataclass

from tests.faults.mutations import (
    ALWAYS,
    LAST,
    NEVER,
    REMOVED,
    UNCALLED,
    UNCAUGHT,
    UNWRAPPED,
    After,
    Before,
    Instead,
    Lacks,
    Mutation,
    OnlyIf,
    Swapped,
    Value,
    Without,
    WithoutArgument,
)


@dataclass(frozen=True, slots=True)
class Defence:
    """`change` is made to the code that `marker` names. `test` is the one of the case's tests that has to fail.

    `too` are further changes (marker, change): where two defences hold a case, both have to go.
    """

    case: str
    what: str
    marker: str
    change: Mutation
    test: str = ""
    too: tuple[tuple[str, Mutation], ...] = ()

    @property
    def changes(self) -> tuple[tuple[str, Mutation], ...]:
        return (self.marker, self.change), *self.too


DEFENCES: tuple[Defence, ...] = (
    Defence("1 torn_tail", "cutting the torn tail before the next line", "cut-torn-tail", REMOVED),
    Defence("2 nul_tail", "cutting NULs off before the next line", "cut-torn-tail", REMOVED),
    Defence(
        "2 nul_tail", "reading each piece once", "one-pass-from-the-end",
        Instead("yield start, os.pread(fd, os.fstat(fd).st_size - start, start)"),
        "test_a_tail_of_many_nuls_is_cut_off_in_one_pass",
    ),
    Defence(
        "3 corrupt_middle", "passing over a line that is no JSON", "skip-bad-line", Instead("break"),
        "test_corrupt_middle_is_told_with_its_line_and_the_rest_is_read",
    ),
    Defence(
        "3 corrupt_middle", "keeping a copy of bad lines", "copy-bad-line-once", Value("[]"),
        "test_corrupt_middle_lines_are_put_aside_and_told_of_once",
    ),
    Defence("4 kill9_mid_tool", "a result for a call that has none", "result-for-open-call", REMOVED),
    Defence(
        "3 corrupt_middle", "restoring only what was kept", "only-what-was-kept", NEVER,
        "test_content_that_is_not_what_was_kept_is_not_restored",
    ),
    Defence(
        "a rewind over what others wrote", "copies of what others wrote between two edits",
        "edits-of-others-between", NEVER,
        "test_what_somebody_else_wrote_between_two_edits_is_kept_as_a_copy_and_said",
    ),
    Defence(
        "4 kill9_mid_tool", "a result for a call that has none, in a session", "result-for-open-call", REMOVED,
        "test_kill9_mid_tool_the_session_goes_on_with_a_result_that_says_so_and_the_tool_is_not_run_again",
    ),
    Defence(
        "5 orphan_tool_result", "dropping a result without a call", "drop-orphan-result",
        Instead("mended.append(message)"),
    ),
    Defence(
        "6 kill9_mid_stream", "writing each message at once", "write-at-once", OnlyIf("sync or len(self._kept) > 30"),
    ),
    Defence("7 kill9_in_flow", "journalling before it is told", "journal-first", LAST),
    Defence(
        "8 kill9_between_files", "replacing state.json whole", "replace-whole-file",
        Instead("target.write_bytes(data)"), "test_kill9_between_files",
    ),
    Defence(
        "8 kill9_between_files", "doing without a state that is broken", "broken-state-is-none", Value("OSError"),
        "test_kill9_between_files",
    ),
    Defence(
        "8 kill9_between_files", "keeping a state that is broken", "keep-broken-state", REMOVED,
        "test_a_state_that_cannot_be_read_is_kept_beside_the_next_one",
    ),
    Defence(
        "8 kill9_between_files", "telling of a state that is broken", "say-that-a-state-is-broken", Value('""'),
        "test_a_state_that_cannot_be_read_is_told_once_and_kept",
    ),
    Defence(
        "8 kill9_between_files", "opening a link before it is used", "links-in-a-session", Instead("pass"),
        "test_a_link_that_leads_to_itself_in_place_of_a_file_is_told_by_its_name",
    ),
    Defence(
        "9 enospc", "writing the record to its end", "record-with-its-end", REMOVED,
        "test_what_a_full_disk_did_not_take_is_written_at_the_end_when_there_is_room",
    ),
    Defence(
        "9 enospc", "keeping what could not be written", "keep-unwritten-lines", After("self._kept.clear()"),
        "test_enospc_what_could_not_be_written_is_kept_and_written_when_there_is_room",
    ),
    Defence(
        "9 enospc", "telling of it once", "tell-disk-trouble-once", ALWAYS,
        "test_enospc_is_told_once_the_turn_goes_on_and_what_was_said_is_written_when_there_is_room",
    ),
    Defence(
        "9 enospc", "writing a file beside the old one", "replace-file",
        Instead("real.write_bytes(content)"), "test_enospc_leaves_the_old_file_whole",
    ),
    Defence(
        "9 enospc", "room for the longer content first", "take-room-first", Before("file.truncate(0)"),
        "test_enospc_leaves_the_old_file_whole_in_a_folder_that_takes_no_new_one",
    ),
    Defence(
        "9 enospc", "opening again what could not be cut", "cut-half-written-line", Instead("return"),
        "test_a_half_written_line_that_cannot_be_cut_off_is_cut_later_and_no_line_comes_twice",
    ),
    Defence(
        "9 enospc", "the conversation until then", "conversation-that-is-not-kept", REMOVED,
        "test_a_session_that_goes_on_when_the_disk_is_full_has_its_conversation",
    ),
    Defence(
        "9 enospc", "telling of output that is lost", "lost-output", Instead("pass"),
        "test_output_that_a_full_disk_did_not_take_is_reported_as_lost",
    ),
    Defence(
        "9 enospc", "lines of a file that is replaced", "no-lines-of-the-old-file", Instead("self._writer.close()"),
        "test_what_a_full_disk_did_not_take_does_not_come_back_after_the_conversation_was_rewritten",
    ),
    Defence(
        "9 enospc", "showing what is not on disk", "show-unwritten-messages", REMOVED,
        "test_what_a_full_disk_did_not_take_is_shown_with_the_warning_to_a_screen_that_comes_later",
    ),
    Defence(
        "9 enospc", "offering only a session that is on disk", "resume-only-what-is-kept", ALWAYS,
        "test_a_session_whose_last_messages_are_not_on_disk_is_not_offered_to_be_resumed",
    ),
    Defence(
        "3 corrupt_middle", "keeping the file that another version wrote", "keep-what-another-version-wrote",
        Instead("context._rewrite()"), "test_what_another_version_wrote_stays_in_the_old_file",
    ),
    Defence("10 ro_home", "a session that is not kept", "session-that-is-not-kept", Instead("raise")),
    Defence(
        "10 ro_home", "telling a client what came before it", "start-notices-of-a-client", Value("()"),
        "test_a_client_hears_what_was_said_before_it_came",
    ),
    Defence(
        "10 ro_home", "telling where a session is that is not kept", "place-of-what-is-not-kept", REMOVED,
        "test_a_read_only_home_runs_without_a_record_and_says_so",
    ),
    Defence(
        "15 tree_kill", "files of tests in a session's own folder", "probe-in-the-sessions-folder",
        Value("Path(tempfile.gettempdir()).resolve()"),
        "test_a_test_of_the_sandbox_that_is_killed_leaves_nothing_outside_of_the_folder_of_its_session",
    ),
    Defence(
        "10 ro_home", "telling an editor what came before it", "start-notices-of-an-editor", Value("()"),
        "test_an_editor_is_told_once_what_was_said_while_its_session_was_opened",
    ),
    Defence(
        "1 torn_tail", "keeping the torn end of a record", "keep-torn-records", Value("[]"),
        "test_the_user_is_told_once_that_the_end_of_a_file_of_the_session_was_torn",
    ),
    Defence(
        "1 torn_tail", "keeping the torn end of a context", "keep-torn-context", Value("False"),
        "test_the_user_is_told_once_that_the_end_of_a_file_of_the_session_was_torn",
    ),
    Defence(
        "10 ro_home", "telling of the start in print mode", "start-notices-of-print", Value("()"),
        "test_a_session_whose_state_is_broken_says_so_on_stderr",
    ),
    Defence(
        "a hook that hangs at the end", "ending the session all the same", "end-despite-a-hook",
        Instead('await self.hooks.ask("SessionEnd"); await self._end_session()'),
        "test_an_end_that_gives_up_on_a_hook_still_writes_the_session_and_releases_it",
    ),
    Defence(
        "a hook that hangs at the end", "saying that the end waits", "word-of-a-long-end",
        Value("asyncio.get_running_loop().call_later(0, list)"),
        "test_an_end_that_waits_for_a_hook_says_so_and_ctrl_c_ends_it",
    ),
    Defence(
        "40 bad_config", "refusing what is no mapping", "config-is-a-mapping", Value("value or {}"),
        "test_bad_config_is_an_error_with_file_key_and_cause",
    ),
    Defence(
        "40 bad_config", "an error for a project's file that is none", "project-file-of-any-kind",
        Value("file.is_file()"),
        "test_a_projects_file_that_cannot_be_read_is_an_error_with_its_name_and_an_empty_one_is_a_warning",
    ),
    Defence(
        "41 mcp_bad", "testing a server with the sandbox that is configured", "sandbox-of-a-tested-server",
        Value("Sandbox(type(permissions.sandbox)(), Workspace(work_dir))"),
        "test_a_server_is_tested_with_the_sandbox_and_the_secrets_of_the_configuration",
    ),
    Defence(
        "41 mcp_bad", "telling an error of a server from a closed connection",
        "errors-with-the-code-of-a-closed-connection", Value("error.code == -32000"),
        "test_an_error_with_the_code_of_a_closed_connection_is_shown_and_the_server_stays",
    ),
    Defence(
        "41 mcp_bad", "connecting again to a server that rejects its old sessions",
        "sessions-unknown-to-a-restarted-server", REMOVED,
        "test_a_server_that_was_restarted_and_rejects_its_old_sessions_is_connected_to_again",
    ),
    Defence(
        "41 mcp_bad", "testing a server without the keys of the configuration", "secrets-of-a-tested-server",
        Value("ChildEnv()"), "test_a_server_is_tested_with_the_sandbox_and_the_secrets_of_the_configuration",
    ),
    Defence("a disk that fills after the probe", "making the lock before it ends", "lock-with-the-probe", REMOVED),
    Defence("11 emfile", "giving back what was opened when the rest cannot be", "give-back-pipe", REMOVED),
    Defence(
        "12 two_writers, stale_lock", "the lock", "session-lock", REMOVED,
        "test_two_writers_the_second_process_is_refused_and_told_who_holds_it",
    ),
    Defence(
        "12 two_writers, stale_lock", "a lock that dies with its owner", "session-lock",
        Instead("os.kill(int(os.pread(fd, 64, 0) or 0), 0)\nraise BlockingIOError"),
        "test_stale_lock_of_an_unrelated_living_process_holds_nobody_up",
    ),
    Defence("endless standard input", "a bound", "bound-standard-input", NEVER),
    Defence("a home without locks", "opening its sessions all the same", "file-systems-without-locks", UNCAUGHT),
    Defence("a home without locks", "saying so", "word-of-missing-locks", NEVER),
    Defence(
        "13 surrogate_u2028", "escaping what readers split lines at", "escape-line-ends", Value("()"),
        "test_characters_that_readers_split_lines_at_stay_within_their_line",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters", "replace-half-characters", REMOVED,
        "test_half_a_surrogate_pair_becomes_a_replacement_and_a_whole_one_its_character",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters of what is tr", "encodable-user-input", REMOVED,
        "test_half_surrogates_of_any_face_are_replaced_before_they_go_anywhere",
    ),
    Defence(
        "13 surrogate_u2028", "replacing half characters of a history that is sent", "sendable-history",
        Value("[self._convert(message) for message in new]"),
        "test_a_history_with_half_characters_is_sent_with_them_replaced",
    ),
    Defence(
        "13 surrogate_u2028", "joining characters that a service cut", "join-cut-characters", Value("(delta,)"),
        "test_characters_cut_over_events_are_joined_wherever_they_are_cut",
    ),
    Defence(
        "47 client_gone", "taking an answer for the request that it names", "answer-names-its-request", ALWAYS,
        "test_an_approval_that_names_another_request_is_a_no",
    ),
    Defence(
        "47 client_gone", "the same for a tool of the client", "answer-names-its-request", ALWAYS,
        "test_a_result_of_the_client_that_names_another_call_is_not_taken",
    ),
    Defence(
        "47 client_gone", "the same for a hook of the client", "answer-names-its-request", ALWAYS,
        "test_a_hooks_answer_that_names_another_request_blocks",
    ),
    Defence(
        "47 client_gone", "opening a session once", "session-opened-once", UNWRAPPED,
        "test_a_session_that_is_loaded_twice_at_once_is_opened_once",
    ),
    Defence(
        "47 client_gone", "blocking at a hook's answer that is none", "answer-of-a-hook-is-one", UNCAUGHT,
        "test_a_hooks_answer_that_is_none_blocks",
    ),
    Defence(
        "47 client_gone", "no result of an answer that is an error too", "error-is-no-result",
        Instead('return Answer(rpc_id, fields.get("result"), _error_message(error))'),
        "test_an_approval_that_is_an_error_too_is_a_no",
    ),
    Defence(
        "47 client_gone", "an error of the client in a form that the SDK reads", "one-outcome-of-an-answer",
        Instead("return fields"),
        "test_an_answer_with_an_error_of_any_form_is_an_error_and_no_result",
    ),
    Defence(
        "47 client_gone", "a bound of the choices of one question", "bound-choices", Value("range(200)"),
        "test_a_client_that_answers_by_itself_comes_to_an_end_of_several_answers",
    ),
    Defence(
        "47 client_gone", "asking nothing more of a withdrawn question", "withdrawn-question", NEVER,
        "test_a_late_answer_to_a_question_of_an_interrupted_turn_brings_no_further_question",
    ),
    Defence(
        "a damaged session", "naming what an export lacks", "export-that-lacks-files", Value("[]"),
        "test_an_export_names_a_file_that_cannot_be_read",
    ),
    Defence(
        "a file that is replaced", "replacing it whole", "replace-whole-file", Instead("target.write_bytes(data)"),
        "test_writers_at_the_same_time_leave_a_content_of_one_of_them_whole",
    ),
    Defence(
        "a file that is replaced", "a lock of its writers", "one-writer-for-a-temporary-file", REMOVED,
        "test_a_writer_that_is_slow_keeps_no_other_waiting_and_gets_its_own_content_in",
    ),
    Defence(
        "a file that is replaced", "seeing that the temporary file is its own", "temporary-file-of-our-own", ALWAYS,
        "test_what_is_in_the_place_of_the_temporary_file_is_not_written[hard link]",
    ),
    Defence(
        "a file that is replaced", "deleting the temporary file", "no-temporary-file-left", REMOVED,
        "test_a_disk_that_is_full_leaves_the_old_content_and_no_temporary_file_and_the_error_names_the_file",
    ),
    Defence(
        "a log that cannot be written", "dropping the record", "log-that-cannot-be-written", REMOVED,
        "test_a_full_disk_prints_nothing_and_what_comes_when_there_is_room_is_logged",
    ),
    Defence(
        "a log that cannot be written", "a log that is a regular file", "regular-log-file",
        Value("os.open(self.baseFilename, flags)"),
        "test_something_else_in_the_place_of_the_log_ends_and_prints_nothing[pipe]",
    ),
    Defence(
        "a disk that is full at the start", "naming the file", "file-of-a-full-disk", REMOVED,
        "test_a_full_disk_is_reported_with_the_file",
    ),
    Defence(
        "41 mcp_bad", "keeping the marks around a server's instructions", "instructions-keep-their-mark", NEVER,
        "test_instructions_never_end_the_mark_around_them",
    ),
    Defence(
        "41 mcp_bad", "going on without lists that do not come", "deadline-for-server-lists", UNWRAPPED,
        "test_a_server_that_does_not_list_its_prompts_or_lists_nonsense_still_has_its_tools",
    ),
    Defence(
        "41 mcp_bad", "leaving an invalid tool out", "invalid-tool-left-out", ALWAYS,
        "test_an_invalid_tool_is_left_out_with_a_note_and_the_others_work",
    ),
    Defence(
        "41 mcp_bad", "bounding what only calls itself a stream", "only-requested-streams", Without(2),
        "test_no_body_of_an_authorization_is_without_bound_whatever_it_calls_itself",
    ),
    Defence(
        "41 mcp_bad", "calls with a token side by side", "calls-side-by-side", ALWAYS,
        "test_a_call_that_is_not_answered_holds_back_no_other_one",
    ),
    Defence(
        "41 mcp_bad", "asking for authorization over https only", "oauth-request-over-https", REMOVED,
        "test_an_authorization_on_the_local_network_is_not_asked_for",
    ),
    Defence(
        "41 mcp_bad", "masking tokens", "tokens-masked", Value("self.secrets"),
        "test_tokens_are_masked_in_what_a_server_says",
    ),
    Defence(
        "41 mcp_bad", "masking keys wherever an entry has them", "secrets-of-an-entry",
        Value("(*config.env.values(), *config.headers.values())"),
        "test_keys_in_an_entry_are_in_no_message_and_in_no_log",
    ),
    Defence(
        "41 mcp_bad", "the issuer beside its tokens", "issuer-beside-tokens", NEVER,
        "test_a_token_is_renewed_only_where_it_came_from_although_the_sign_in_failed_behind_it",
    ),
    Defence(
        "41 mcp_bad", "no renewal without the issuer", "renew-at-the-issuer", NEVER,
        "test_tokens_of_an_issuer_that_is_not_known_are_not_renewed",
    ),
    Defence(
        "41 mcp_bad", "taking a token that another process renewed", "tokens-of-another-process", REMOVED,
        "test_sessions_that_have_read_the_same_expired_token_renew_it_once",
    ),
    Defence(
        "41 mcp_bad", "one renewal of a token at a time", "one-renewal-at-a-time", REMOVED,
        "test_sessions_that_have_read_the_same_expired_token_renew_it_once",
    ),
    Defence(
        "41 mcp_bad", "renewing a rejected token", "renew-rejected-token", REMOVED,
        "test_a_token_that_is_rejected_before_it_expires_is_renewed",
    ),
    Defence(
        "41 mcp_bad", "a log for the library of a server that is tested", "log-of-mcp-test", REMOVED,
        "test_what_a_library_says_of_a_failure_is_in_the_log_and_not_on_the_terminal",
    ),
    Defence(
        "41 mcp_bad", "only the warnings of libraries in the log", "only-warnings-of-libraries", REMOVED,
        "test_of_libraries_only_warnings_are_logged_and_nothing_with_secrets",
    ),
    Defence(
        "41 mcp_bad", "no secrets in the log", "secrets-in-log", Value("super().format(record)"),
        "test_of_libraries_only_warnings_are_logged_and_nothing_with_secrets",
    ),
    Defence(
        "41 mcp_bad", "an answer to what is no address", "callback-that-is-no-address", UNCAUGHT,
        "test_a_request_that_is_no_address_does_not_disturb_a_sign_in",
    ),
    Defence(
        "41 mcp_bad", "a bound on the names in questions", "bound-field-name",
        Value('f"{field_shown.question} ({field_shown.name})"'),
        "test_fields_with_the_same_title_are_told_apart_by_names_of_bounded_length",
    ),
    Defence(
        "41 mcp_bad", "questions that end with their calls", "questions-end-with-calls",
        Value("await asking"),
        "test_a_question_of_a_server_ends_with_its_call",
    ),
    Defence(
        "41 mcp_bad", "requests to the model that end with their calls", "sampling-ends-with-calls",
        Value("await ask(system_prompt, messages)"),
        "test_a_request_to_the_model_ends_with_the_call",
    ),
    Defence(
        "41 mcp_bad", "a bound on the pictures of a result", "bound-pictures", NEVER,
        "test_a_result_holds_no_more_pictures_than_services_take",
    ),
    Defence(
        "41 mcp_bad", "names that are about one server", "one-server-in-a-name", ALWAYS,
        "test_a_rule_for_the_tools_of_a_server_is_about_no_other_server",
    ),
    Defence(
        "41 mcp_bad", "resources under the rules for all tools of their server", "rules-for-a-whole-server", NEVER,
        "test_a_rule_that_denies_all_tools_of_a_server_denies_its_resources",
    ),
    Defence(
        "41 mcp_bad", "taking the callback of the sign-in only", "callback-of-the-service", NEVER,
        "test_another_page_neither_ends_nor_makes_a_sign_in",
    ),
    Defence(
        "41 mcp_bad", "closing idle connections at the end of a sign-in", "no-connection-outlives-sign-in", REMOVED,
        "test_a_connection_that_a_browser_opened_in_advance_ends_with_the_sign_in",
    ),
    Defence(
        "39 bad_model", "discarding the D-Mail of an interrupted step", "dmail-of-its-turn", REMOVED,
        "test_a_dmail_of_an_interrupted_step_is_not_delivered_later",
    ),
    Defence(
        "39 bad_model", "a checkpoint after a compaction within a step", "checkpoint-after-compaction", REMOVED,
        "test_a_dmail_of_a_step_whose_request_was_compacted_goes_to_a_checkpoint_that_is_there",
    ),
    Defence(
        "39 bad_model", "keeping what the user said to a call that a D-Mail takes back", "words-outlive-dmail", REMOVED,
        "test_what_the_user_said_to_a_call_outlives_the_dmail_that_takes_the_call_back",
    ),
    Defence(
        "39 bad_model", "the same for what the user asked earlier", "user-messages-outlive-dmail", NEVER,
        "test_what_the_user_asked_in_earlier_turns_outlives_a_dmail",
    ),
    Defence(
        "39 bad_model", "a D-Mail to what the model sees marked", "dmail-to-a-marked-checkpoint", ALWAYS,
        "test_a_dmail_does_not_take_away_the_notes_of_a_compaction",
    ),
    Defence(
        "39 bad_model", "putting notes for the model in again that a D-Mail takes back", "user-messages-outlive-dmail",
        NEVER,
        "test_that_a_background_task_has_ended_is_known_after_a_dmail_that_takes_the_notice_back",
    ),
    Defence(
        "39 bad_model", "ending the turn at a rejection before a D-Mail", "rejection-before-dmail",
        OnlyIf("self.agent.denwa_renji is None"),
        "test_a_rejected_call_ends_the_turn_though_a_dmail_was_sent_beside_it",
    ),
    Defence(
        "39 bad_model", "forgetting a message that the service refused", "forget-rejected-message", REMOVED,
        "test_a_message_that_the_service_refuses_is_taken_back_and_the_next_one_is_answered",
    ),
    Defence(
        "13 surrogate_u2028", "passing over a byte order mark", "byte-order-mark-in-json",
        Swapped("utf-8-sig", "utf-8"),
        "test_a_byte_order_mark_is_no_part_of_the_first_record",
    ),
    Defence(
        "13 surrogate_u2028", "decoding across pieces", "decode-across-pieces",
        Value('(text := piece.decode("utf-8", "replace")) and self._on_text(text)'),
        "test_characters_are_never_cut",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "looking whether the folder is there", "work-dir-is-gone", UNCAUGHT,
        "test_deleted_cwd_is_a_readable_error",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "giving back pipes where it cannot start", "give-back-pipe", REMOVED,
        "test_a_work_dir_that_is_gone_is_an_error_and_leaks_nothing",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "a clock that only goes forward", "durations-of-a-clock-that-jumps",
        Value("time.time()"), "test_a_clock_that_jumps_changes_no_duration",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "a deadline that passes while no timer runs", "deadline-over-a-suspend",
        Value("left"),
        "test_a_deadline_that_passes_while_the_machine_is_suspended_is_taken_soon_after",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "no wait beyond its timeout", "deadlines-of-a-clock-set-back",
        Value("state.entered_at + settings.timeout - timestamp"),
        "test_a_clock_that_was_set_back_makes_no_wait_longer_than_its_timeout",
    ),
    Defence(
        "14 deleted_cwd, clock_back", "the order of the file", "recorded-order",
        Value('sorted(jsonl.each(path, start), key=lambda row: row.get("timestamp", 0))'),
        "test_clock_back",
    ),
    Defence(
        "15 tree_kill", "ending all that came of a command", "end-all-of-command",
        Instead("os.kill(first, signal.SIGTERM)"),
        "test_tree_kill",
    ),
    Defence(
        "15 tree_kill", "ending them at a timeout", "end-all-of-command", Instead("os.kill(first, signal.SIGTERM)"),
        "test_tree_kill_at_timeout",
    ),
    Defence(
        "15 tree_kill", "the end that came in time", "ended-in-time", Value("True"),
        "test_a_command_that_ended_while_this_process_was_held_up_is_not_too_late",
    ),
    Defence(
        "15 tree_kill", "the end in an editor's terminal that came in time", "ended-in-time-in-terminal", Value("None"),
        "test_a_command_that_ended_in_the_terminal_before_its_time_was_over_is_not_too_late",
    ),
    Defence(
        "15 tree_kill", "ending a tool whose turn is cancelled", "end-all-of-command",
        Instead('_report(status, "exit 0")'),
        "test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process",
    ),
    Defence(
        "15 tree_kill", "a result for each call of a cancelled turn", "result-for-each-call",
        Instead("self.context.append(*(result_message(results[call.id]) for call in calls if call.id in results))"),
        "test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process",
    ),
    Defence("16 setsid_child", "adopting what left its session", "adopt-orphans", REMOVED, "test_setsid_child"),
    Defence(
        "16 setsid_child", "ending commands first where memory runs out", "commands-die-first", REMOVED,
        "test_a_command_is_ended_before_kimi_tui_where_memory_runs_out",
    ),
    Defence(
        "16 setsid_child", "a process space of its own", "pid-namespace", Lacks("--unshare-pid"),
        "test_processes_outside_are_not_seen_and_those_inside_end_with_the_command",
    ),
    Defence("17 zombies", "waiting for each child", "wait-for-child", REMOVED),
    Defence(
        "18 yes_flood", "dropping what was handed on", "drop-passed-output",
        After('self.__dict__.setdefault("all", []).append(piece)'),
        "test_yes_flood",
    ),
    Defence(
        "18 yes_flood", "bounding what is kept, in a terminal", "bound-kept-output", NEVER,
        "test_a_flood_of_output_takes_no_memory_and_keys_are_seen",
        too=(("bound-kept-output", Before("self._room += len(text)")),),
    ),
    Defence(
        "18 yes_flood", "leaving out what goes beyond", "bound-kept-output", NEVER,
        "test_a_flood_is_not_kept", too=(("bound-kept-output", Before("self._room += len(text)")),),
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "our own handlers", "own-signal-handlers",
        Value("{number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}"),
        "test_a_signal_ends_it_and_the_terminal_is_as_it_was",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "ending all that came of a command", "end-all-of-command",
        Instead('_report(status, "exit 0")'),
        "test_a_signal_ends_the_command_that_runs_and_the_session_can_be_resumed",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "ending a write without a reader", "interrupt-blocked-write", REMOVED,
        "test_a_signal_ends_an_answer_whose_reader_does_not_read[json]",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "hearing a hangup without a screen", "print-hangup",
        Value("(signal.SIGINT, signal.SIGTERM)"),
        "test_a_signal_ends_the_command_that_runs_and_the_session_can_be_resumed[1]",
    ),
    Defence(
        "20 pty_gone", "looking whether the terminal is there", "terminal-is-gone", NEVER,
        too=(("exit-on-lost-terminal", REMOVED),),
    ),
    Defence("21 epipe_print", "ending quietly when nobody reads", "reader-is-gone", UNCAUGHT),
    Defence(
        "22 resize_storm", "making layout_size anew", "layout-at-resize", Instead("raise ZeroDivisionError"),
        "test_resize_storm",
    ),
    Defence(
        "23 focus_storm", "drawing a line once", "cheap-focus",
        Before("def on_app_focus(self) -> None:\n    import time\n    time.sleep(0.25)"),
        "test_focus_storm",
    ),
    Defence(
        "24 split_input", "letting an Enter in a burst of keys wait", "enter-in-a-burst", NEVER,
        "test_an_enter_that_ends_a_burst_of_one_line_sends_and_those_of_a_paste_break_the_line",
    ),
    Defence(
        "24 split_input", "an Esc that comes together with a text", "esc-before-a-text",
        Instead("yield from feed(part)"), "test_an_esc_that_comes_together_with_a_text_is_esc",
    ),
    Defence(
        "24 split_input", "dropping the answers to what an earlier program asked", "reports-are-no-keys", REMOVED,
        "test_a_late_report_of_the_terminal_types_nothing_and_is_no_esc",
    ),
    Defence(
        "24 split_input", "Alt and an arrow that come as Esc and an arrow", "alt-and-an-arrow", REMOVED,
        "test_esc_and_an_arrow_that_come_together_are_alt_and_the_arrow",
    ),
    Defence(
        "24 split_input", "folding a large paste", "fold-large-paste", ALWAYS,
        "test_a_paste_of_a_mebibyte_is_no_keys",
    ),
    Defence(
        "24 split_input", "ending a paste that its terminal does not end", "cancel-unfinished-paste", NEVER,
        "test_ctrl_c_by_itself_ends_a_paste_without_its_end",
    ),
    Defence(
        "24 split_input", "returning an unfinished paste after a silence", "silence-in-a-paste", ALWAYS,
        "test_a_paste_without_its_end_is_returned_after_a_silence_and_goes_on",
    ),
    Defence(
        "24 split_input", "keeping the start of a paste in pieces from the key parser", "start-of-paste-in-pieces",
        REMOVED, "test_textuals_parser_gets_no_paste_that_it_could_not_end",
    ),
    Defence(
        "18 yes_flood", "bounding what a program writes", "bounded-program-output", NEVER,
        "test_a_program_that_writes_without_end_is_ended",
    ),
    Defence("25 tmux_env", "saying what a dumb terminal cannot", "dumb-terminal", NEVER, "test_tmux_env"),
    Defence(
        "25 tmux_env", "saying what is needed without a terminal", "terminal-is-needed", ALWAYS,
        "test_without_a_terminal_the_screen_says_what_to_use_instead",
    ),
    Defence("26 esc_matrix", "the sanitiser, on screen", "spell-out-controls", Value("text"), "test_esc_matrix"),
    Defence(
        "26 esc_matrix", "the sanitiser, where rows are made", "spell-out-controls", Value("text"),
        "test_no_item_breaks_the_grid_or_reaches_the_terminal", too=(("number-what-is-not-shown", Value("text")),),
    ),
    Defence(
        "26 esc_matrix", "keeping control characters in fields of one line from the terminal",
        "controls-in-a-text-field", Instead("return super().render_line(y)"),
        "test_no_control_character_of_the_value_reaches_the_terminal",
    ),
    Defence(
        "26 esc_matrix", "keeping control characters in fields of many lines from the terminal",
        "controls-in-a-text-area", Instead("return super().render_line(y)"),
        "test_no_control_character_of_the_value_reaches_the_terminal",
    ),
    Defence(
        "26 esc_matrix", "dropping the control characters of a paste", "controls-in-a-paste", Instead("return text"),
        "test_a_text_without_controls_keeps_its_lines_tabs_and_letters",
    ),
    Defence("27 bidi_zw", "seeing marks that nobody sees", "hidden-characters-in-command", NEVER, "test_bidi_zw"),
    Defence(
        "27 bidi_zw", "spelling them out in the dialog", "spell-out-controls", Value("text"),
        "test_hidden_characters_of_a_command_are_spelled_out",
    ),
    Defence("28 hidden_tail", "seeing much blank space", "much-blank-space", NEVER, "test_hidden_tail"),
    Defence(
        "28 hidden_tail", "pointing hidden text out", "point-out-hidden-text", NEVER,
        "test_hidden_text_is_pointed_out",
    ),
    Defence(
        "28 hidden_tail", "withholding the broad answer", "broad-answer-after-whole-text", Without(2),
        "test_the_broad_answer_is_withheld_until_the_whole_text_was_seen",
    ),
    Defence(
        "29 approval_keys", "the guard, in a terminal", "dialog-stands-still", NEVER,
        "test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve[taken-back]",
        too=(("hold-answer-key", Instead("self.settle()")),),
    ),
    Defence(
        "29 approval_keys", "leaving the focus to who writes, and the guard", "dialog-stands-still", NEVER,
        "test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve[typed]",
        too=(("focus-stays-with-writer", Without(2, 2)), ("hold-answer-key", Instead("self.settle()"))),
    ),
    Defence(
        "29 approval_keys", "the guard", "dialog-stands-still", NEVER,
        "test_no_key_approves_before_the_dialog_has_stood_still",
    ),
    Defence(
        "29 approval_keys", "the guard after another window", "guard-after-focus", REMOVED,
        "test_an_approval_that_comes_back_into_view_is_guarded_anew[focus-key]",
    ),
    Defence(
        "29 approval_keys", "the guard on a slow connection", "guard-until-drawn", REMOVED,
        "test_a_key_before_the_terminal_has_drawn_the_dialog_answers_nothing",
    ),
    Defence(
        "29 approval_keys", "an answer to each request", "one-request-at-a-time", NEVER,
        "test_one_request_at_a_time_is_without_an_answer",
    ),
    Defence(
        "29 approval_keys", "the reports after a lost one", "ask-after-a-lost-answer", REMOVED,
        "test_after_a_lost_answer_the_terminal_is_asked_again_and_each_answer_is_that_to_the_last_request",
    ),
    Defence(
        "29 approval_keys", "the reports after another program", "reports-after-another-program", REMOVED,
        "test_after_another_program_had_the_terminal_its_answers_are_not_waited_for",
    ),
    Defence(
        "19 sigterm, sighup, sigint, sigtstp", "the report on its way at the end", "last-report", REMOVED,
        "test_the_terminal_is_given_back_after_the_report_that_it_was_asked_for",
    ),
    Defence(
        "29 approval_keys", "the guard after a suspension", "guard-after-resume", REMOVED,
        "test_an_approval_that_comes_back_into_view_is_guarded_anew[resume-key]",
    ),
    Defence(
        "29 approval_keys", "the guard against keys that are handled late", "keys-of-an-earlier-moment", REMOVED,
        "test_a_key_pressed_before_the_dialog_stood_still_answers_nothing_however_late_it_is_handled",
    ),
    Defence(
        "29 approval_keys", "nothing chosen at first", "nothing-chosen-at-first",
        Instead('if self.guard.accepts():\n    self.take_answer(chosen.id if chosen else "once")'),
        "test_enter_on_nothing_does_not_approve",
    ),
    Defence(
        "29 approval_keys", "holding a key until no other letter follows", "hold-answer-key", Instead("self.settle()"),
        "test_an_answers_key_that_a_sentence_begins_with_answers_nothing",
    ),
    Defence(
        "29 approval_keys", "holding a pane's key until no other letter follows", "hold-pane-key",
        Instead("self._settle()"), "test_a_sentence_in_a_pane_opens_nothing_and_that_is_said",
    ),
    Defence(
        "29 approval_keys", "the letters of a sentence in a pane", "sentence-in-a-pane", NEVER,
        "test_keys_that_move_act_at_once_and_again_after_a_sentence_and_a_pause",
    ),
    Defence(
        "29 approval_keys", "guarding the next one anew", "guard-next-dialog", REMOVED,
        "test_the_next_of_several_approvals_is_shown_and_guarded_anew",
    ),
    Defence("30 secret_leak", "filtering the environment by names", "secret-environment", ALWAYS, "test_secret_leak"),
    Defence("30 secret_leak", "keeping the key out of errors", "secret-in-error", REMOVED, "test_no_secret_is_told"),
    Defence(
        "30 secret_leak", "the same for errors in a stream", "secret-in-event", REMOVED,
        "test_no_secret_is_told_that_a_service_repeats_in_a_stream_or_a_200",
    ),
    Defence(
        "30 secret_leak", "taking the secrets of our environment out of exports", "secret-variables", Value("()"),
        "test_a_secret_of_our_environment_is_in_no_export",
    ),
    Defence(
        "30 secret_leak", "the same for those in headers", "secret-headers", Value("()"),
        "test_a_header_or_a_variable_named_like_a_secret_is_one",
    ),
    Defence(
        "30 secret_leak", "the same in the flow pane", "secret-in-run", Value("Redactor()"),
        "test_an_exported_run_has_no_key_of_the_configuration",
    ),
    Defence(
        "30 secret_leak", "keeping the settings out of the output", "secret-in-settings",
        After(
            "def __init__(self, **data):\n    import sys\n"
            "    print(data, file=sys.stderr)\n    super().__init__(**data)"
        ),
        "test_secret_leak_a_key_is_in_no_file_and_in_no_output",
    ),
    Defence(
        "30 secret_leak", "hiding the home in the sandbox", "hide-the-home", REMOVED,
        "test_keys_and_tokens_of_the_home_are_hidden_and_can_be_given_back",
    ),
    Defence(
        "30 secret_leak", "showing nothing that a link names in the sandbox", "links-open-nothing",
        Value("[one.path for one in git_dirs]"),
        "test_a_link_named_git_makes_nothing_visible",
    ),
    Defence(
        "30 secret_leak", "no terminals of the user", "no-terminals-of-the-user", Value('("null", "ptmx", "pts")'),
        "test_a_terminal_of_the_user_is_neither_read_nor_written",
    ),
    Defence(
        "30 secret_leak", "refusing the keys of the user", "keys-of-the-user",
        Value("[]"), "test_a_key_in_a_keyring_of_the_user_is_not_read_by_its_number",
    ),
    Defence(
        "30 secret_leak", "comparing the mounts before the command starts", "compare-mounts", Value("command[7:]"),
        "test_a_folder_replaced_by_a_link_while_the_sandbox_starts_opens_nothing",
    ),
    Defence(
        "changes to folders without end", "reading the events of now", "events-of-now", Value("1 << 40"),
        "test_events_that_come_while_others_are_read_do_not_hold_up_a_look",
    ),
    Defence(
        "changes to folders without end", "an end to waiting for mounts", "complete-mounts-that-differ", NEVER,
        "test_mounts_that_differ_when_all_are_made_are_not_waited_for",
    ),
    Defence(
        "30 secret_leak", "starting no command whose mounts are not compared", "started-by-a-byte",
        Value("os.dup(read_end)"), "test_a_command_whose_mounts_nobody_compares_any_more_is_not_started",
    ),
    Defence(
        "15 tree_kill", "deleting the folders of killed sessions", "folders-of-killed-sessions", REMOVED,
        "test_folders_of_killed_sessions_are_deleted_by_the_next_one_and_those_of_running_ones_stay",
    ),
    Defence(
        "15 tree_kill", "not deleting the folders of running sessions", "folders-of-running-sessions", REMOVED,
        "test_folders_of_killed_sessions_are_deleted_by_the_next_one_and_those_of_running_ones_stay",
    ),
    Defence(
        "15 tree_kill", "deleting nothing that a link leads to", "links-lead-to-no-deletion",
        Value("os.O_RDONLY | os.O_DIRECTORY"),
        "test_a_folder_that_a_command_replaces_by_a_link_meanwhile_leads_to_no_deletion",
    ),
    Defence(
        "15 tree_kill", "deleting the folders of a session", "folders-of-any-depth-are-deleted", REMOVED,
        "test_folders_of_any_depth_in_the_sessions_tmp_are_deleted_with_it",
    ),
    Defence(
        "34 protected_paths", "putting the folder of many new files aside", "many-files-at-once", NEVER,
        "test_of_many_new_files_their_folder_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "states that a program changes in its memory", "states-that-are-mapped", Value("False"),
        "test_an_index_that_a_background_command_changes_in_its_memory_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "the number of repositories that commands leave", "repositories-of-a-session", NEVER,
        "test_of_thousands_of_repositories_that_a_command_makes_most_are_put_aside",
    ),
    Defence(
        "34 protected_paths", "repositories whose paths are too long", "repositories-of-long-paths", Value("False"),
        "test_a_repository_whose_path_is_too_long_to_check_is_put_aside_and_commands_run",
    ),
    Defence(
        "34 protected_paths", "asking after a check that failed", "commands-ask-after-a-failed-check", REMOVED,
        "test_after_a_check_that_failed_commands_ask_until_what_was_left_is_undone",
    ),
    Defence(
        "34 protected_paths", "taking no state as right that was not checked", "unchecked-changes-are-no-baseline",
        Value("self._running"), "test_after_a_check_that_failed_commands_ask_until_what_was_left_is_undone",
    ),
    Defence(
        "34 protected_paths", "putting aside what Git does not make", "names-that-git-makes", Value("frozenset()"),
        "test_a_file_that_another_program_reads_in_a_git_directory_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "guarding what other programs keep in a Git directory", "files-of-other-programs",
        REMOVED, "test_what_other_programs_keep_in_a_git_directory_cannot_be_changed",
    ),
    Defence(
        "34 protected_paths", "checking what Git trusts in its state", "states-that-git-trusts", NEVER,
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "conflicts behind links", "conflicts-behind-links", Value("True"),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "conflicts behind new links", "conflicts-behind-new-links", Value("0"),
        "test_the_file_of_a_conflict_that_is_behind_a_new_link_is_not_read",
    ),
    Defence(
        "34 protected_paths", "numbers of resolutions", "numbers-of-resolutions",
        Value('re.compile(rb"[0-9a-f]{40,64}(?:\\.[0-9]+)?\\t(.+)", re.DOTALL)'),
        "test_the_state_of_what_is_in_progress_is_what_git_writes",
    ),
    Defence(
        "34 protected_paths", "options of strategies", "options-of-strategies", Value("True"),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "worktrees without a head", "worktrees-without-a-head", Value("is_git_dir"),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "heads that an editor gives to Git", "heads-for-editors", Value('re.compile(rb"(?s).*")'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "refs of operations", "refs-of-operations", Value('re.compile(rb"(?s).*")'),
        "test_the_state_of_what_is_in_progress_is_what_git_writes",
    ),
    Defence(
        "34 protected_paths", "authors that a shell reads", "authors-for-a-shell", Value('re.compile(rb"(?s).*")'),
        "test_the_state_of_what_is_in_progress_is_what_git_writes",
    ),
    Defence(
        "34 protected_paths", "numbers that a prompt expands", "numbers-for-a-prompt",
        Value('re.compile(rb"(?s).*")'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "names of settings that end at a NUL", "names-end-at-nul",
        Value('re.compile(r\'\\[([A-Za-z0-9.-]+)(?:[ \\t]+"([^"\\\\\\n]*)")?\\]\')'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "sections in lines that are not known", "headers-in-unknown-lines", NEVER,
        "test_settings_of_the_user_are_known_as_a_whole",
    ),
    Defence(
        "34 protected_paths", "names of extensions", "names-of-extensions", NEVER,
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "one size of hashes", "one-size-of-hashes", NEVER,
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "an index whose hashes have another size now", "indexes-by-their-hashes", Value("0"),
        "test_an_index_is_checked_again_when_its_hashes_have_another_size",
    ),
    Defence(
        "34 protected_paths", "reading Git's state in time", "time-to-read-states",
        Instead('conflicts, rest = [], b""'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "files of Git as Git reads them", "git-files-as-git-reads-them",
        Value('"gitdir: " + read_content(entry).decode("utf-8", "replace").removeprefix("gitdir:").strip()'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
        too=(
            (
                "repositories-among-objects",
                Instead('if "/.git/objects/" not in below:\n    folders.append(below + name)'),
            ),
        ),
    ),
    Defence(
        "34 protected_paths", "common folders as Git reads them", "common-folders-as-git-reads-them",
        Value('common.strip() == b"../.."'),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "folders below those that cannot be listed", "folders-in-closed-folders",
        REMOVED,
        "test_a_repository_below_many_folders_that_cannot_be_listed_is_checked",
    ),
    Defence(
        "34 protected_paths", "worktrees of submodules in Git directories", "worktrees-in-git-directories",
        Value("below"),
        "test_no_submodule_has_its_worktree_in_a_git_directory",
    ),
    Defence(
        "34 protected_paths", "values of several lines", "continued-lines-of-settings",
        Value('text.split("\\n")'),
        "test_settings_of_the_user_are_known_as_a_whole",
    ),
    Defence(
        "34 protected_paths", "settings of a subsection", "settings-of-a-subsection",
        Value('f"{section}.{bare}"'),
        "test_settings_of_the_user_are_known_as_a_whole",
    ),
    Defence(
        "34 protected_paths", "hooks in linked worktrees and submodules", "hooks-in-linked-worktrees",
        Value("()"),
        "test_hooks_in_a_linked_worktree_are_guarded",
    ),
    Defence(
        "34 protected_paths", "settings of included files", "settings-of-included-files",
        REMOVED,
        "test_what_included_settings_name_is_guarded",
    ),
    Defence(
        "34 protected_paths", "new hooks in linked worktrees", "new-hooks-in-linked-worktrees",
        Value("frozenset()"),
        "test_new_hooks_in_a_linked_worktree_are_put_aside",
    ),
    Defence(
        "34 protected_paths", "the hooks of a new worktree", "hooks-of-a-new-worktree",
        Value("True"),
        "test_a_new_worktree_keeps_the_hooks_that_the_main_one_has",
    ),
    Defence(
        "34 protected_paths", "the hooks of a new worktree while other commands run", "hooks-while-others-run",
        Value("before is None"),
        "test_a_new_worktree_keeps_the_hooks_that_the_main_one_has",
    ),
    Defence(
        "34 protected_paths", "symbolic refs that lead to no ref", "refs-that-lead-to-no-ref", REMOVED,
        "test_git_writes_no_file_elsewhere_by_a_symbolic_ref",
    ),
    Defence(
        "34 protected_paths", "refs that are too many to look at", "refs-that-are-looked-at",
        Value("frozenset(found)"), "test_refs_that_are_too_many_to_look_at_are_put_aside",
    ),
    Defence(
        "34 protected_paths", "scripts to which hooks are links", "hooks-that-are-links", NEVER,
        "test_a_script_to_which_a_hook_is_a_link_is_guarded",
    ),
    Defence(
        "34 protected_paths", "remotes of submodules alone follow .gitmodules", "only-submodules-follow-their-list",
        Value("True"), "test_the_list_of_submodules_moves_their_remotes_alone",
    ),
    Defence(
        "34 protected_paths", "hooks behind a link that was replaced", "hooks-behind-new-links",
        Value("frozenset((path, path) for path in targets if os.path.lexists(path))"),
        "test_hooks_behind_a_link_that_a_command_replaced_are_put_aside",
    ),
    Defence(
        "34 protected_paths", "files of Git behind a link that was replaced", "git-files-behind-new-links",
        Value("before is not None and before.link != now.link"),
        "test_a_git_file_that_leads_elsewhere_by_another_link_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "worktrees behind a new link", "worktrees-behind-new-links",
        Value("now.gitdir != was.gitdir"),
        "test_a_worktree_that_is_elsewhere_by_a_new_link_is_not_repaired_there",
    ),
    Defence(
        "34 protected_paths", "time to read indexes", "time-to-read-indexes", NEVER,
        "test_indexes_that_take_long_to_check_are_put_aside",
    ),
    Defence(
        "34 protected_paths", "time to read contents", "time-to-read-contents", Value("_digest(git_dir / name)"),
        "test_contents_that_take_long_to_read_count_as_changed",
    ),
    Defence(
        "34 protected_paths", "hooks by files of Git that prove nothing", "hooks-of-git-files-that-prove-nothing",
        Value("tuple(closed_places)"),
        "test_hooks_are_guarded_where_a_git_file_or_a_link_names_a_folder_that_does_not_name_it",
    ),
    Defence(
        "34 protected_paths", "worktrees elsewhere", "worktrees-elsewhere", ALWAYS,
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "worktrees that became links", "worktrees-that-became-links", REMOVED,
        "test_a_worktree_of_a_setting_that_became_a_link_is_written_no_more",
    ),
    Defence(
        "34 protected_paths", "links with long names", "long-names-are-put-aside", REMOVED,
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "saying what could not be undone", "what-could-not-be-undone", REMOVED,
        "test_what_could_not_be_undone_is_said",
    ),
    Defence(
        "34 protected_paths", "names of other file systems", "names-of-other-file-systems", ALWAYS,
        "test_settings_that_take_git_to_other_names_of_files_are_undone",
    ),
    Defence(
        "34 protected_paths", "folders that cannot be written", "folders-that-cannot-be-written", REMOVED,
        "test_an_ordinary_users_sandbox_passes_the_same_tests",
    ),
    Defence(
        "34 protected_paths", "folders that cannot be entered", "folders-that-cannot-be-entered", REMOVED,
        "test_an_ordinary_users_sandbox_passes_the_same_tests",
    ),
    Defence(
        "34 protected_paths", "repositories in folders that a setting makes writable",
        "repositories-in-writable-folders", Value("tuple"),
        "test_repositories_in_folders_that_a_setting_makes_writable_run_nothing_for_the_user",
    ),
    Defence(
        "34 protected_paths", "repositories in stores of packages", "repositories-in-stores",
        Value("(private, *writable)"),
        "test_a_link_to_a_repository_in_the_store_of_pnpm_runs_nothing_for_the_user",
    ),
    Defence(
        "34 protected_paths", "repositories behind links of the project", "repositories-behind-links", REMOVED,
        "test_a_repository_in_a_cache_runs_nothing_for_the_user_behind_a_link_of_the_project",
    ),
    Defence(
        "34 protected_paths", "the number of links that are followed", "links-that-are-followed", REMOVED,
        "test_caches_are_searched_where_more_links_lead_out_of_the_project_than_are_followed",
    ),
    Defence(
        "34 protected_paths", "the test of the sandbox outside of the workspace", "probe-outside-of-the-workspace",
        REMOVED, "test_the_full_sandbox_works_where_temporary_files_are_in_the_workspace",
    ),
    Defence(
        "34 protected_paths", "comparing the mounts of Git directories", "mounts-of-git-directories-compared",
        Value("_checked(box, mounts, ours, unstarted)"),
        "test_the_mounts_of_a_git_directory_around_the_workspace_are_compared_too",
    ),
    Defence(
        "34 protected_paths", "starting the sandbox again", "start-again-unless-started", ALWAYS,
        "test_a_command_is_started_again_after_a_folder_vanished_while_the_sandbox_started",
    ),
    Defence(
        "34 protected_paths", "running no command twice", "nothing-runs-twice", REMOVED,
        "test_a_command_that_prints_the_reason_of_a_failed_start_is_not_run_again",
    ),
    Defence(
        "16 setsid_child", "telling a start that failed from a command", "starts-that-failed", REMOVED,
        "test_a_program_that_is_not_there_is_127_and_not_started",
    ),
    Defence(
        "16 setsid_child", "telling the end of the sandbox from that of its command", "sandboxes-that-ended", REMOVED,
        "test_a_command_whose_sandbox_did_not_start_has_no_status",
    ),
    Defence(
        "16 setsid_child", "no status of a command that did not run", "no-status-of-what-did-not-run", NEVER,
        "test_a_command_whose_sandbox_did_not_start_has_no_status",
    ),
    Defence(
        "30 secret_leak", "redacting each word once", "words-redacted-once",
        Value(r're.compile(r"\b([A-Za-z0-9_-]+)[:=]")'),
        "test_no_text_of_a_session_is_redacted_in_quadratic_time",
    ),
    Defence(
        "30 secret_leak", "taking secrets out of exports", "secret-in-export", REMOVED,
        "test_markdown_and_json_tell_the_conversation_without_secrets",
    ),
    Defence(
        "30 secret_leak", "the names of commands' secrets in exports", "secret-names-in-export", Value("False"),
        "test_what_commands_do_not_get_in_their_environment_is_in_no_export",
    ),
    Defence(
        "30 secret_leak", "taking secrets out of exported runs", "secret-in-run-export", REMOVED,
        "test_an_exported_run_has_no_keys_of_its_arguments",
    ),
    Defence(
        "31 cmd_split", "taking wrappers apart", "unwrap-commands", Value("unwrap(())"),
        "test_commands_within_others_are_listed_too",
    ),
    Defence(
        "31 cmd_split", "a bound on what is parsed", "bound-parsed-bytes", Value("10_000_000"),
        "test_no_text_takes_long",
    ),
    Defence(
        "31 cmd_split", "doubting what has an expansion", "doubt-expansion", REMOVED,
        "test_bash_runs_nothing_but_what_was_covered",
        too=(("known-words-only", Without(1)), ("compare-with-plain-text", NEVER),),
    ),
    Defence(
        "31 cmd_split", "allowing only what has no doubt", "allow-without-doubt", Value("bool(matches)"),
        "test_a_rule_that_allows_covers_what_it_surely_means",
    ),
    Defence(
        "31 cmd_split", "holding a rule to the dangerous words that it names", "rule-names-danger", Without(2),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "knowing an option by its whole name only", "unknown-option", REMOVED,
        "test_an_option_that_is_not_in_a_table_is_never_covered",
    ),
    Defence(
        "31 cmd_split", "covering no program that is not known", "unknown-program",
        Value("Classification(Level.READS, words[:1], why=why, paths=_paths(words[1:]), loose=True)"),
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "covering a line that changes the folder as a whole", "line-changes-folder", NEVER,
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "a value in the word of an option of an own parser", "value-in-the-option", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "looking into folders that Git compares", "git-compares-folders", Value("NOT_RECURSIVE"),
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "the ignore file within `.git`", "git-excludes", Value("[]"),
        "test_a_search_that_passes_over_hidden_secrets_is_free_until_a_file_shows_them",
    ),
    Defence(
        "31 cmd_split", "rules for reading, of what a command reads", "rules-for-reading", REMOVED,
        "test_a_rule_about_reading_a_file_holds_for_a_command_that_reads_it",
    ),
    Defence(
        "31 cmd_split", "names of secrets in Git's index", "tracked-secrets", NEVER,
        "test_git_prints_tracked_secrets_only_after_a_yes",
    ),
    Defence(
        "31 cmd_split", "names of secrets in Git's history", "secrets-of-the-history", NEVER,
        "test_git_prints_a_secret_that_was_once_committed_only_after_a_yes",
    ),
    Defence(
        "31 cmd_split", "a log that goes beyond its paths", "log-beyond-its-paths", NEVER,
        "test_git_prints_a_secret_that_was_once_committed_only_after_a_yes",
    ),
    Defence(
        "31 cmd_split", "commands of Git that print any file", "commands-that-print", WithoutArgument("tracked"),
        "test_a_rule_covers_what_may_print_a_secret_by_an_unknown_option_only_word_for_word",
    ),
    Defence(
        "31 cmd_split", "an unknown option of a search", "unknown-option-reads-more", Value("program.deep(parsed)"),
        "test_a_rule_covers_what_may_print_a_secret_by_an_unknown_option_only_word_for_word",
    ),
    Defence(
        "31 cmd_split", "an unknown option of Git", "unknown-option-prints-more", Value("program.tracked(parsed)"),
        "test_a_rule_covers_what_may_print_a_secret_by_an_unknown_option_only_word_for_word",
    ),
    Defence(
        "31 cmd_split", "a history that cannot be searched", "unknown-history", NEVER,
        "test_a_history_that_cannot_be_searched_is_asked_about_unless_a_rule_covers_it",
    ),
    Defence(
        "31 cmd_split", "a rule that names a search over secrets", "secrets-word-for-word", NEVER,
        "test_a_rule_or_a_yes_covers_a_search_over_secrets_only_word_for_word",
    ),
    Defence(
        "31 cmd_split", "a yes for exactly a search over secrets", "search-over-secrets-exactly", Without(2),
        "test_a_rule_or_a_yes_covers_a_search_over_secrets_only_word_for_word",
    ),
    Defence(
        "31 cmd_split", "settings that a program stores", "stored-settings", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a program behind assignments", "assignment-or-program", Value("(known_words,)"),
        "test_a_word_behind_assignments_that_is_known_only_at_run_time_may_be_the_program",
    ),
    Defence(
        "31 cmd_split", "a pattern in brackets that names a program", "pattern-as-program", NEVER,
        "test_a_pattern_that_names_a_program_is_no_test",
    ),
    Defence(
        "29 approval_keys", "an answer while the turn is interrupted", "answer-while-interrupted", REMOVED,
        "test_a_yes_for_the_session_in_the_moment_of_an_interruption_runs_and_grants_nothing",
    ),
    Defence(
        "29 approval_keys", "an answer to a wait that is cancelled", "answer-after-interruption",
        Without(2), "test_an_answer_after_an_interruption_grants_nothing",
    ),
    Defence(
        "31 cmd_split", "the words of a filter of jq", "jq-words", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "the words of an awk program", "awk-words", Value("True"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a file that an awk program writes", "awk-writes", NEVER,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "the script behind the suffix of `sed -i`", "sed-suffix-or-script", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "options that a table lacks", "unlisted-options", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "formatters that change files", "formatter-writes", Value("outside(parsed)"),
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "a compiler told to write after all", "compiler-emits", Value("outside(parsed)"),
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "files of arguments", "files-of-arguments", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "words for the formatter of cargo", "arguments-of-the-formatter", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule"
    ),
    Defence(
        "31 cmd_split", "targets of cargo that are files", "files-of-targets", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule"
    ),
    Defence(
        "31 cmd_split", "files of strangers for a container or a cluster", "files-of-strangers", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule"
    ),
    Defence(
        "31 cmd_split", "plugins and reports of pytest", "values-of-pytest", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule"
    ),
    Defence(
        "31 cmd_split", "the first word of a `sed` that ends its options there", "sed-first-word", REMOVED,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "`cargo fmt` that changes files", "formatter-of-cargo", Value("''"),
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "patterns behind options that are not known", "texts-for-sure", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "an option that begins like a risky one", "listed-options", Value("True"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "hooks of the worktree, by settings of the user", "hooks-in-each-worktree", NEVER,
        "test_a_hook_of_the_worktree_that_the_user_s_settings_name_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "looking at a repository's settings", "repository-settings", NEVER,
        "test_a_repository_whose_settings_may_run_something_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "looking where a program lies", "program-of-the-work-dir", NEVER,
        "test_a_program_that_the_agent_may_have_written_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "looking where the words of what reads lead", "words-lead-elsewhere", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "letting plan mode only read", "plan-mode-reads", NEVER,
        "test_plan_mode_runs_commands_that_only_read",
    ),
    Defence(
        "31 cmd_split", "denying other ways to say it", "deny-other-forms", Value("_match_expanded(pattern, words)"),
        "test_a_rule_that_denies_covers_what_it_may_mean",
    ),
    Defence(
        "31 cmd_split", "denied options in another order or spelling", "options-in-any-order", NEVER,
        "test_a_denied_option_is_asked_about_wherever_it_is_and_however_it_is_spelled",
    ),
    Defence(
        "31 cmd_split", "wildcards that stay in their folder", "wildcard-within-its-folder", NEVER,
        "test_a_wildcard_of_a_rule_that_allows_leads_out_of_no_folder_and_to_no_other_branch",
    ),
    Defence(
        "31 cmd_split", "denied words before those for the script", "words-for-the-script", NEVER,
        "test_a_denied_command_is_asked_about_with_words_of_options_and_with_others",
    ),
    Defence(
        "31 cmd_split", "denied words among others that are run", "each-word-is-run", NEVER,
        "test_a_denied_command_is_asked_about_with_words_of_options_and_with_others",
    ),
    Defence(
        "31 cmd_split", "denied words with values of options between", "values-of-options-between",
        Value("frozenset()"),
        "test_a_denied_command_is_asked_about_with_words_of_options_and_with_others",
    ),
    Defence(
        "31 cmd_split", "wildcards that are no options", "wildcard-is-no-option", NEVER,
        "test_a_wildcard_of_a_rule_that_allows_is_no_option_no_other_host_and_no_other_source",
    ),
    Defence(
        "31 cmd_split", "wildcards that stay in their host", "wildcard-within-its-host", NEVER,
        "test_a_wildcard_of_a_rule_that_allows_is_no_option_no_other_host_and_no_other_source",
    ),
    Defence(
        "31 cmd_split", "addresses that are no pages'", "addresses-of-pages", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "options that take an earlier one back", "options-given-again", Value("[]"),
        "test_a_users_rule_is_their_word_for_all_but_what_it_does_not_name",
    ),
    Defence(
        "31 cmd_split", "modules that a filter of jq loads", "modules-of-jq", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "asking about what stands behind many options", "many-options", REMOVED,
        "test_a_rule_that_denies_covers_what_it_may_mean",
    ),
    Defence(
        "31 cmd_split", "asking about an alias of a denied program", "alias-of-the-program", REMOVED,
        "test_a_rule_that_denies_covers_what_it_may_mean",
    ),
    Defence(
        "31 cmd_split", "operands that Git writes to", "git-writes-operands", Value("_addresses(parsed)"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "what Git writes elsewhere", "git-writes-elsewhere", Value("dangerous(parsed)"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a value that may be an option", "value-or-option", REMOVED,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "modules that Go fetches", "modules-that-go-fetches", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "files that curl writes a format to", "curl-writes-out", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "copies that sed keeps elsewhere", "sed-copies-elsewhere", REMOVED,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "what another process finds below /proc", "folders-of-processes", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "calls of ps that are known", "known-calls-of-ps", ALWAYS,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "settings of submodules with a password", "settings-of-submodules", Value("False"),
        "test_a_search_is_asked_about_where_settings_of_a_submodule_or_a_worktree_hold_a_password",
    ),
    Defence(
        "31 cmd_split", "options behind the dashes", "options-behind-the-dashes", NEVER,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a second operand that is written", "second-operand-is-written", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "formats of commits", "formats-of-commits", Value("''"),
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "programs that files of the folder choose", "shims-of-version-managers", NEVER,
        "test_a_program_that_files_of_the_folder_choose_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "options from a file that ripgrep reads", "options-of-a-file", REMOVED,
        "test_a_program_that_takes_options_from_a_variable_may_read_more",
    ),
    Defence(
        "31 cmd_split", "tags of files", "tags-of-files", Value("None"),
        "test_git_prints_tracked_secrets_only_after_a_yes",
    ),
    Defence(
        "31 cmd_split", "arguments that cargo hands to the tests", "arguments-of-tests", Value("''"),
        "test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
    ),
    Defence(
        "31 cmd_split", "links of what a program writes", "links-of-what-writes", Value("False"),
        "test_a_yes_for_a_program_that_writes_covers_no_path_with_a_link_out_of_the_workspace",
    ),
    Defence(
        "31 cmd_split", "formats of refs", "formats-of-refs", Value("''"),
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "passwords in the user's settings of Git", "credential-of-the-user",
        Value("any(map(holds_credential, own))"),
        "test_addresses_are_asked_about_where_the_settings_of_the_user_put_a_password_into_them",
    ),
    Defence(
        "31 cmd_split", "an archive elsewhere", "archive-elsewhere", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "asking where a denied program may hide", "denied-program-may-hide", NEVER,
        "test_a_rule_that_denies_is_asked_about_where_programs_may_run_that_are_not_listed",
    ),
    Defence(
        "31 cmd_split", "trusting no descriptor but a digit", "odd-descriptor", Without(2),
        "test_a_redirection_with_an_odd_descriptor_or_target_is_asked_about",
        too=(("compare-with-plain-text", Without(2)),),
    ),
    Defence(
        "31 cmd_split", "a comment begins a word", "comment-within-a-word", NEVER,
        "test_a_number_sign_that_ends_a_word_hides_nothing_behind_it",
    ),
    Defence(
        "31 cmd_split", "telling a pattern from the same in quotes", "quoted-pattern", NEVER,
        "test_a_yes_for_a_word_in_quotes_covers_none_that_bash_expands",
    ),
    Defence(
        "31 cmd_split", "knowing what builtins evaluate", "evaluating-builtin", REMOVED,
        "test_a_builtin_that_evaluates_its_operands_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "asking about patterns after a dash", "pattern-as-option", NEVER,
        "test_a_pattern_that_may_become_an_option_is_asked_about",
    ),
    Defence(
        "32 path_escape", "expanding the words of a command", "expand-words", Value("(word,)"),
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "32 path_escape", "a bracket that is first in a class", "bracket-first-in-a-class",
        Value(r're.compile(r"\\(.)|(\[[!^]?\]?[^]\\[]*\])|(\[.*\])|(.)", re.DOTALL)'),
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "32 path_escape", "asking where a limit is met", "ask-at-limit", NEVER,
        "test_where_a_limit_is_met_it_is_asked_for",
    ),
    Defence(
        "32 path_escape", "going by the real path", "real-path", Value("Path(os.path.abspath(path))"),
        "test_path_escape",
    ),
    Defence(
        "32 path_escape", "replacing a file, not its content", "replace-file",
        Instead("os.write(os.open(real, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), content)"),
        "test_a_hard_link_is_cut_loose",
    ),
    Defence(
        "32 path_escape", "holding the open_checked file to its path", "swapped-file", Instead("return"),
        "test_a_swap_after_the_check_is_noticed",
    ),
    Defence(
        "32 path_escape", "folders of the files tier that are not resolved again", "written-folders-as-they-are",
        Instead("written = existing_paths((*folders, *configured_paths(config.writable, config, workspace)))"),
        "test_a_folder_of_the_workspace_that_becomes_a_link_at_the_last_moment_opens_nothing",
    ),
    Defence(
        "32 path_escape", "nothing of the home that a link in a writable folder names",
        "links-show-nothing-of-the-home",
        Instead("read += map(real_path, shown)"), "test_a_link_in_a_writable_folder_shows_nothing_of_the_home",
    ),
    Defence(
        "32 path_escape", "links of the home into the workspace that stay links",
        "links-to-written-folders-stay-links", Instead('return ("--ro-bind", str(path), str(path))'),
        "test_links_of_the_home_into_the_workspace_lead_no_further_than_commands_can_see",
    ),
    Defence(
        "32 path_escape", "removing a file only where it was written", "removed-where-it-was-written", REMOVED,
        "test_a_rewind_removes_no_file_where_a_link_leads_that_a_command_made_meanwhile",
    ),
    Defence(
        "32 path_escape", "making folders through no link", "folders-through-no-link",
        Instead("below = os.open(name, step & ~os.O_NOFOLLOW, dir_fd=folder)"),
        "test_a_rewind_makes_no_folder_where_a_link_leads_that_a_command_made",
    ),
    Defence(
        "42 skills_bad", "searching without an ignore file that is a pipe", "ignore-file-is-a-pipe", NEVER,
        "test_an_ignore_file_that_cannot_be_read_to_its_end_holds_no_search_up",
    ),
    Defence(
        "42 skills_bad", "a search that goes on past what cannot be read", "unreadable-parts", Value("False"),
        "test_a_path_that_is_too_long_to_be_read_ends_no_search",
    ),
    Defence(
        "42 skills_bad", "searching only files and folders", "only-files-are-searched", NEVER,
        "test_a_pipe_is_not_searched",
    ),
    Defence(
        "42 skills_bad", "not starting Git at a pipe", "git-waits-for-no-pipe", NEVER,
        "test_no_program_is_started_where_git_would_wait_at_a_pipe",
    ),
    Defence(
        "32 path_escape", "confining a search program", "searches-are-confined", NEVER,
        "test_a_search_reads_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile",
    ),
    Defence(
        "32 path_escape", "names of the folder that was opened", "names-of-the-opened-folder",
        Value("((entry, _real(folder / entry.name, entry)) for entry in entries)"),
        "test_a_glob_lists_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile",
    ),
    Defence(
        "32 path_escape", "similar names of the folder itself", "similar-names-of-the-place", NEVER,
        "test_a_file_that_is_not_there_is_not_looked_for_behind_a_link_that_a_command_makes_meanwhile",
    ),
    Defence(
        "32 path_escape", "links that cannot be read", "links-that-cannot-be-read", REMOVED,
        "test_a_link_that_cannot_be_read_stays_and_the_others_are_resolved",
    ),
    Defence(
        "32 path_escape", "questions whether a path exists that never raise", "paths-of-any-kind",
        Value("Path(path).exists()"),
        "test_what_a_link_with_too_long_a_target_leads_to_is_neither_a_file_nor_a_folder",
    ),
    Defence(
        "32 path_escape", "questions whether a path is a file that never raise", "files-of-any-kind",
        Value("Path(path).is_file()"),
        "test_what_a_link_with_too_long_a_target_leads_to_is_neither_a_file_nor_a_folder",
    ),
    Defence(
        "32 path_escape", "questions whether a path is a folder that never raise", "folders-of-any-kind",
        Value("Path(path).is_dir()"),
        "test_what_a_link_with_too_long_a_target_leads_to_is_neither_a_file_nor_a_folder",
    ),
    Defence(
        "32 path_escape", "links that are replaced while they are resolved", "links-that-are-replaced", ALWAYS,
        "test_a_folder_that_takes_the_place_of_a_link_meanwhile_is_resolved",
    ),
    Defence(
        "32 path_escape", "no path that commands can lead elsewhere", "links-in-written-folders",
        Instead("return real_path(path)"),
        "test_a_link_of_a_command_among_the_files_that_tell_what_is_ignored_opens_nothing",
    ),
    Defence(
        "32 path_escape", "following /proc/self/cwd", "real-path", Value("Path(os.path.abspath(path))"),
        "test_the_ways_of_proc_lead_where_they_lead",
    ),
    Defence(
        "32 path_escape", "judging by where a file leads", "real-path", Value("Path(os.path.abspath(path))"),
        "test_files_are_judged_by_where_they_lead",
    ),
    Defence(
        "33 sensitive_alias", "asking whatever the mode", "sensitive-names", Value("is_sensitive(given or real)"),
        "test_sensitive_alias",
    ),
    Defence(
        "33 sensitive_alias", "edits that tell nothing of a secret", "edits-tell-no-secrets", Value("value"),
        "test_an_edit_tells_nothing_of_a_secret_unless_it_may_be_read",
    ),
    Defence(
        "33 sensitive_alias", "refused changes that tell nothing of a secret", "refused-changes-tell-no-secrets", NEVER,
        "test_what_was_refused_in_a_file_that_may_not_be_read_is_not_told",
    ),
    Defence(
        "33 sensitive_alias", "asking in the sandbox, too", "confined-commands-and-secrets", Value("False"),
        "test_a_command_that_may_read_secrets_which_it_does_not_name_needs_an_approval",
    ),
    Defence(
        "33 sensitive_alias", "explaining that", "explained-secrets", NEVER,
        "test_a_command_in_the_sandbox_that_may_read_secrets_needs_an_approval",
    ),
    Defence(
        "33 sensitive_alias", "looking for other names of a file", "sensitive-names", Without(3),
        "test_a_hard_link_to_a_file_with_secrets_is_one_too",
    ),
    Defence(
        "33 sensitive_alias", "upper and lower case as one", "names-in-any-case", UNCALLED,
        "test_a_name_of_the_list_is_sensitive",
    ),
    Defence(
        "34 protected_paths", "short names of Windows", "short-names",
        Value("any(plain(part) in _ACTS for part in parts)"),
        "test_a_short_name_of_windows_may_be_that_of_a_protected_file",
    ),
    Defence(
        "34 protected_paths", "undoing Git settings that start programs", "undo-acting-git-settings", REMOVED,
        "test_no_command_makes_the_users_next_git_command_run_a_program",
    ),
    Defence(
        "34 protected_paths", "counting a command as running until it is checked",
        "a-command-runs-until-it-is-checked", REMOVED,
        "test_a_command_that_starts_as_another_ends_does_not_take_its_changes_as_right",
        too=(("undo-acting-git-settings", Before("self._running -= 1")),),
    ),
    Defence(
        "34 protected_paths", "taking as right only the state that was checked", "baseline-as-checked",
        Value("{entry: read_repository_state(entry, {}, others_run=False) for entry in self._finder.find()}"),
        "test_settings_that_change_during_a_check_are_undone_by_it_or_by_the_next",
    ),
    Defence(
        "34 protected_paths", "watching the repository around the workspace", "watch-the-repository-around", REMOVED,
        "test_the_repository_around_the_workspace_is_watched_too",
    ),
    Defence(
        "34 protected_paths", "watching repositories of worktrees inside", "repositories-of-worktrees-inside", REMOVED,
        "test_the_repository_elsewhere_of_a_worktree_in_a_subfolder_is_watched_too",
    ),
    Defence(
        "34 protected_paths", "watching repositories that it is no longer tied to", "repositories-once-around",
        REMOVED, "test_a_command_that_cuts_the_tie_to_the_repository_around_cannot_keep_its_settings",
    ),
    Defence(
        "34 protected_paths", "the repository that the workspace had", "repository-as-it-was", Value("entry"),
        "test_the_repository_above_stays_as_it_is_though_a_command_removes_the_workspaces_own",
    ),
    Defence(
        "34 protected_paths", "the `.git` file of a worktree beside its repository", "every-git-file-of-a-repository",
        Value("one"), "test_no_command_removes_the_git_file_of_a_workspace_that_is_a_worktree",
    ),
    Defence(
        "34 protected_paths", "the `.git` file of the workspace", "git-file-of-the-workspace",
        Value("git.files"),
        "test_no_command_removes_the_git_file_of_a_workspace_that_is_a_worktree",
    ),
    Defence(
        "34 protected_paths", "new repositories over tracked files", "repositories-over-tracked-files",
        Value("False"), "test_a_new_repository_over_tracked_files_pushes_nowhere",
    ),
    Defence(
        "34 protected_paths", "repositories that Git finds no more", "repositories-that-git-finds-no-more", REMOVED,
        "test_git_finds_the_repository_after_a_command_broke_its_head",
    ),
    Defence(
        "34 protected_paths", "settings that a command took out", "settings-that-were-taken-out", REMOVED,
        "test_a_setting_of_the_user_that_a_command_takes_out_comes_back",
    ),
    Defence(
        "34 protected_paths", "putting back no settings of another session", "settings-of-another-session",
        Value("set(had)"), "test_settings_that_another_session_undid_meanwhile_are_not_put_back",
    ),
    Defence(
        "34 protected_paths", "asking before a remote of Git moves", "remotes-as-they-are",
        Value("self._sandbox.confines_commands"),
        "test_a_remote_of_git_is_moved_only_with_an_approval",
    ),
    Defence(
        "34 protected_paths", "folders that cannot be listed", "folders-that-cannot-be-listed", REMOVED,
        "test_an_ordinary_users_sandbox_passes_the_same_tests",
    ),
    Defence(
        "34 protected_paths", "hooks in the worktree", "hooks-in-the-worktree", Value("[]"),
        "test_hooks_in_the_worktree_stay_as_they_are",
    ),
    Defence(
        "34 protected_paths", "Git's settings of the user", "git-settings-of-the-user", REMOVED,
        "test_the_users_settings_of_git_stay_though_they_are_in_the_workspace",
    ),
    Defence(
        "34 protected_paths", "projects beside folders of programs", "projects-beside-programs",
        Value("above.iterdir()"),
        "test_a_folder_of_programs_shows_no_project_beside_it",
    ),
    Defence(
        "34 protected_paths", "files that settings of Git name which a command could write",
        "settings-that-name-are-the-users", NEVER,
        "test_settings_of_git_that_a_command_could_write_show_nothing",
    ),
    Defence(
        "34 protected_paths", "the user's own skills before those of a stranger", "own-skills-before-untrusted-ones",
        NEVER, "test_folders_of_a_project_that_nobody_trusts_come_last",
    ),
    Defence(
        "34 protected_paths", "hiding sections of Git's settings that may hold secrets", "sections-without-secrets",
        Value("header is not None and not holds_a_secret(line)"),
        "test_what_holds_no_secret_stays_as_it_was",
    ),
    Defence(
        "34 protected_paths", "hiding helpers with words that may be secret", "words-for-helpers", Without(2),
        "test_what_holds_no_secret_stays_as_it_was",
    ),
    Defence(
        "34 protected_paths", "a folder for hooks that holds none", "a-folder-of-hooks-holds-hooks", ALWAYS,
        "test_only_a_folder_that_holds_hooks_is_shown_as_one",
    ),
    Defence(
        "34 protected_paths", "where a push goes", "pushes-go-where-they-went", REMOVED,
        "test_a_program_that_git_starts_changes_nothing_about_where_a_push_goes",
    ),
    Defence(
        "34 protected_paths", "what a push does where it goes", "what-a-push-does-there",
        Value('("url", "pushurl", "pushdefault")'),
        "test_a_program_that_git_starts_changes_nothing_about_where_a_push_goes",
    ),
    Defence(
        "34 protected_paths", "moving only the remotes that the line shows", "only-what-the-line-shows-moves",
        Value("[] if shown.moved else moved"),
        "test_an_approved_change_of_a_remote_covers_no_other_one",
    ),
    Defence(
        "34 protected_paths", "remotes of branches that the line does not show", "remotes-of-branches",
        Value('one[0] == "branch" and value not in remotes'),
        "test_a_program_that_git_starts_changes_nothing_about_where_a_push_goes",
    ),
    Defence(
        "34 protected_paths", "settings of Git that are too long to check", "long-files-of-git", REMOVED,
        "test_no_command_makes_the_users_next_git_command_run_a_program",
    ),
    Defence(
        "34 protected_paths", "links among Git's objects", "repositories-among-objects",
        Instead('if "/.git/objects/" not in below:\n    folders.append(below + name)'),
        "test_a_link_among_the_objects_overwrites_no_file",
    ),
    Defence(
        "34 protected_paths", "links in Git directories of any name", "links-of-any-git-directory",
        Value('"/.git/" in f"{folder}/".lower()'),
        "test_a_link_deep_in_a_git_directory_of_another_name_is_removed",
    ),
    Defence(
        "34 protected_paths", "links out of Git directories", "links-out-of-git-directories", REMOVED,
        "test_a_link_in_a_git_directory_that_leads_out_of_it_is_removed",
    ),
    Defence(
        "34 protected_paths", "settings of Git that the environment names", "git-settings-by-the-environment",
        Value("[]"),
        "test_the_users_settings_of_git_stay_though_they_are_in_the_workspace",
    ),
    Defence(
        "34 protected_paths", "the user's templates of Git directories", "templates-of-the-user",
        Value('("hookspath",)'),
        "test_the_users_settings_of_git_stay_though_they_are_in_the_workspace",
    ),
    Defence(
        "34 protected_paths", "links in Git directories under any name", "links-are-removed",
        Instead("os.rename(name, name + ASIDE, src_dir_fd=opened, dst_dir_fd=opened)"),
        "test_what_git_trusts_in_its_state_does_not_act_elsewhere",
    ),
    Defence(
        "34 protected_paths", "a folder for hooks in the user's own settings", "hooks-of-user-settings", Value("[]"),
        "test_no_command_makes_the_users_next_git_command_run_a_program",
    ),
    Defence(
        "34 protected_paths", "a bash that commands could have put on PATH", "bash-of-the-system",
        Instead('import shutil\nprogram = shutil.which("bash")'),
        "test_a_bash_of_the_workspace_does_not_run_commands",
    ),
    Defence(
        "34 protected_paths", "programs that commands could have put on PATH", "planted-programs", ALWAYS,
        "test_a_program_that_commands_could_have_put_on_path_is_not_found",
    ),
    Defence(
        "34 protected_paths", "a keyring that looks for libraries by programs on PATH", "keyring-of-another-system",
        REMOVED, "test_no_program_of_the_project_starts_where_the_keyring_is_looked_for",
    ),
    Defence(
        "30 secret_leak", "warnings that Bash prints before the sandbox's test", "warnings-in-a-probe",
        Instead("return ended.exit_code == 0 and text.strip() == _HELD"),
        "test_a_locale_that_is_not_installed_costs_no_sandbox",
    ),
    Defence(
        "34 protected_paths", "a bash that judges the sandbox", "judge-of-the-sandbox",
        Instead('import shutil\nbash = shutil.which("bash")'),
        "test_a_program_of_the_project_is_not_started",
    ),
    Defence(
        "34 protected_paths", "an editor that commands could have put on PATH", "editor-of-the-user",
        Instead("import shutil\nprogram = shutil.which(program)"),
        "test_an_editor_that_commands_could_have_put_on_path_is_not_started",
    ),
    Defence("a browser in the foreground", "not waiting for it", "browser-in-the-foreground", Instead("run()")),
    Defence(
        "34 protected_paths", "a browser that commands could have put on PATH", "browser-of-the-user",
        Instead("env = dict(os.environ)"),
        "test_a_browser_that_commands_could_have_put_on_path_is_not_started",
    ),
    Defence(
        "34 protected_paths", "Git directories read-only for background commands", "git-read-only-in-background",
        Value("sandbox.wrapped(command, git_alone=True)"),
        "test_a_background_command_cannot_change_the_settings_of_git",
    ),
    Defence(
        "34 protected_paths", "configured paths that became links", "configured-links-open-nothing",
        Value("real_path(path)"), "test_a_configured_path_that_a_command_made_a_link_opens_nothing",
    ),
    Defence(
        "34 protected_paths", "a store that no command makes a link", "stores-beside-the-caches",
        Value('self._caches / "store"'),
        "test_a_command_cannot_make_the_store_of_pnpm_a_link_to_what_is_hidden",
    ),
    Defence(
        "34 protected_paths", "links that lead nowhere", "links-that-lead-nowhere", Before("entry.is_dir()"),
        "test_a_link_that_cannot_be_followed_keeps_no_setting_of_git_from_being_undone",
    ),
    Defence(
        "34 protected_paths", "closing folders in the end", "closed-when-all-is-mounted", Value("list(mounts)"),
        "test_the_configuration_stays_hidden_where_commands_may_write_to_the_folder_for_temporary_files",
    ),
    Defence(
        "34 protected_paths", "folders of the workspace that became links", "folders-that-became-links",
        Value("self.folders"), "test_an_added_folder_that_became_a_link_opens_nothing",
    ),
    Defence(
        "34 protected_paths", "a writable folder within another", "writable-within-writable",
        Value("set[Path]()"), "test_a_command_cannot_replace_a_workspace_within_another_writable_folder",
    ),
    Defence(
        "34 protected_paths", "links of commands in their /tmp", "links-of-commands-in-tmp", NEVER,
        "test_no_link_of_a_command_in_its_tmp_leads_file_tools_out_of_it",
    ),
    Defence(
        "34 protected_paths", "folders of PATH in a home that is the workspace", "programs-in-the-home",
        Value("set[str]()"),
        "test_programs_in_the_home_stay_as_they_are_where_the_home_is_the_workspace",
    ),
    Defence(
        "34 protected_paths", "sockets of this machine's network", "sockets-of-other-networks",
        Value("path in box.foreign"),
        "test_a_socket_that_a_program_of_the_user_opens_later_in_the_workspace_is_closed_to_commands",
    ),
    Defence(
        "34 protected_paths", "naming a program of the project", "programs-of-the-project", NEVER,
        "test_the_question_for_a_command_outside_names_a_program_that_commands_can_change",
    ),
    Defence(
        "34 protected_paths", "where Git LFS uploads files", "where-a-push-uploads-large-files", REMOVED,
        "test_settings_by_which_other_version_control_runs_programs_are_kept_and_put_aside",
    ),
    Defence(
        "34 protected_paths", "programs of the project's servers", "trust-of-server-programs", Value("[]"),
        "test_a_program_that_a_server_of_the_project_runs_is_asked_about_when_it_changed",
    ),
    Defence(
        "34 protected_paths", "those that the environment of the server names", "trust-of-files-in-the-environment",
        Value("[]"),
        "test_a_program_that_a_server_of_the_project_runs_is_asked_about_when_it_changed",
    ),
    Defence(
        "34 protected_paths", "those in folders that the command names", "programs-in-named-folders",
        Value("(str(folder),)"),
        "test_a_program_that_a_server_of_the_project_runs_is_asked_about_when_it_changed",
    ),
    Defence(
        "34 protected_paths", "those named without the end", "programs-without-an-end", REMOVED,
        "test_a_file_is_named_in_each_of_these_ways",
    ),
    Defence(
        "34 protected_paths", "those by which a folder is run", "folders-that-are-run", REMOVED,
        "test_a_file_is_named_in_each_of_these_ways",
    ),
    Defence(
        "34 protected_paths", "those in one word with an option", "value-of-the-option", Value("(text,)"),
        "test_a_file_is_named_in_each_of_these_ways",
    ),
    Defence(
        "34 protected_paths", "a bound of the words that may name programs", "bounded-words-of-servers",
        Value("list(_parts(words))"),
        "test_of_a_command_with_very_many_words_only_the_first_ones_are_looked_for",
    ),
    Defence(
        "34 protected_paths", "the large programs among them", "trust-of-large-programs", Value('"unreadable"'),
        "test_a_program_of_a_server_that_is_too_large_to_hash_is_asked_about_when_it_changed",
    ),
    Defence(
        "34 protected_paths", "a yes to what was shown, and no more", "trust-of-what-was-shown", Value("()"),
        "test_a_yes_is_asked_for_again_where_a_file_is_not_the_one_that_was_shown",
    ),
    Defence(
        "34 protected_paths", "the same at each start of a server", "servers-as-they-were-trusted", NEVER,
        "test_a_server_of_a_project_is_started_as_it_was_trusted_only",
    ),
    Defence(
        "34 protected_paths", "the work dir as it was", "work-dir-as-approved", NEVER,
        "test_no_command_runs_in_what_took_the_place_of_the_work_dir",
    ),
    Defence(
        "34 protected_paths", "folders that are not searched", "unsearched-folders-are-not-trusted", REMOVED,
        "test_commands_ask_where_folders_are_left_out_of_the_search_for_repositories",
    ),
    Defence(
        "34 protected_paths", "links in place of a .lfsconfig", "links-for-git-lfs", Value("True"),
        "test_a_link_that_git_lfs_follows_elsewhere_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "what Git LFS reads", "what-git-lfs-reads", REMOVED,
        "test_no_command_changes_where_git_lfs_uploads",
    ),
    Defence(
        "34 protected_paths", "a .lfsconfig in the index or the last commit", "nothing-for-git-lfs-to-read", REMOVED,
        "test_no_command_changes_where_git_lfs_uploads",
    ),
    Defence(
        "34 protected_paths", "fetches while Git reads for Git LFS", "no-fetch-for-git-lfs", REMOVED,
        "test_git_runs_and_fetches_nothing_while_it_reads_for_git_lfs",
    ),
    Defence(
        "34 protected_paths", "the memory of Git while it reads for Git LFS", "memory-of-git", REMOVED,
        "test_a_huge_object_takes_no_memory_from_the_user",
    ),
    Defence(
        "30 secret_leak", "keys in a folder that the settings show", "keys-in-what-is-shown",
        Instead("read.append(path)"), "test_a_home_that_is_shown_shows_neither_our_keys_nor_sessions",
    ),
    Defence(
        "32 path_escape", "no use of the editor while a command could lead it elsewhere",
        "no-buffers-while-commands-run", Value("self.buffers"),
        "test_while_a_command_runs_in_the_sandbox_the_editor_reads_and_writes_nothing",
    ),
    Defence(
        "34 protected_paths", "links that lead to other settings than before", "links-as-they-led", Value('""'),
        "test_a_link_to_what_starts_programs_that_leads_elsewhere_now_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "what is new behind a link", "what-links-lead-to", REMOVED,
        "test_what_starts_programs_behind_a_link_that_led_nowhere_is_put_aside",
    ),
    Defence(
        "34 protected_paths", "links that lead to settings of other programs later", "links-to-what-starts-programs",
        NEVER,
        "test_a_link_to_what_starts_programs_is_put_aside_wherever_it_leads",
    ),
    Defence(
        "34 protected_paths", "settings of other version control", "settings-of-other-version-control", REMOVED,
        "test_settings_by_which_other_version_control_runs_programs_are_kept_and_put_aside",
    ),
    Defence(
        "34 protected_paths", "files that name a repository elsewhere", "repositories-elsewhere", Value("()"),
        "test_settings_by_which_other_version_control_runs_programs_are_kept_and_put_aside",
    ),
    Defence(
        "34 protected_paths", "folders of the user's that are added while a command runs",
        "folders-added-between-commands", NEVER,
        "test_no_folder_is_added_while_a_command_runs_whose_work_its_files_would_be_taken_for",
    ),
    Defence(
        "34 protected_paths", "checks that cancelling does not end", "checks-to-their-end", Instead("await task"),
        "test_a_command_that_is_cancelled_again_and_again_is_checked_to_the_end",
    ),
    Defence(
        "34 protected_paths", "checks before the session is over", "checks-before-the-end", REMOVED,
        "test_what_a_background_command_did_is_undone_when_the_session_ends",
    ),
    Defence(
        "34 protected_paths", "ports that only look like the end of an address", "ports-in-addresses",
        Value('pattern.rpartition(":")[2]'), "test_what_ends_an_address_of_a_rule_is_no_port",
    ),
    Defence(
        "34 protected_paths", "ports that a rule does not name", "rules-for-https", ALWAYS,
        "test_a_rule_allows_https_only_unless_it_names_a_port",
    ),
    Defence(
        "34 protected_paths", "a bound for guarded paths", "room-for-guarded-paths", REMOVED,
        "test_repositories_with_thousands_of_modules_are_read_only_and_commands_run",
    ),
    Defence(
        "34 protected_paths", "mounting over repositories", "repositories-that-are-mounted", Value("[]"),
        "test_the_hooks_and_settings_of_a_hundred_repositories_are_read_only",
    ),
    Defence(
        "34 protected_paths", "a bound for deep repositories", "room-for-deep-repositories", ALWAYS,
        "test_commands_still_run_after_one_made_a_repository_hundreds_of_folders_deep",
    ),
    Defence(
        "34 protected_paths", "our own program read-only in the workspace", "own-program-read-only", REMOVED,
        "test_a_command_cannot_change_the_program_that_runs_it",
    ),
    Defence(
        "34 protected_paths", "asking where our modules are writable", "imports-not-writable",
        REMOVED,
        "test_commands_are_asked_for_where_kimi_tui_imports_from_a_folder_of_the_project",
    ),
    Defence(
        "34 protected_paths", "options with which Git runs programs", "git-alone", Without(1),
        "test_git_that_runs_a_program_or_writes_a_named_file_is_not_alone",
    ),
    Defence(
        "34 protected_paths", "operands that Bash evaluates", "operands-that-bash-evaluates", Value("True"),
        "test_git_is_not_alone_beside_a_builtin_that_may_run_what_an_operand_says",
    ),
    Defence(
        "34 protected_paths", "words for Git known only at run time", "git-words-known", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "programs beside Git that write", "only-reading-beside-git", Value("True"),
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "variables that change what Git runs", "variables-beside-git", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "files that Git would write in its directory", "no-files-written-in-git-directories",
        Value("False"),
        "test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone",
    ),
    Defence(
        "34 protected_paths", "links that another command makes meanwhile", "links-changed-meanwhile", NEVER,
        "test_while_other_commands_run_git_is_alone_where_nothing_else_is_written",
    ),
    Defence(
        "34 protected_paths", "wrappers that write or go on", "wrappers-beside-git", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "letters that hold quotes in another locale", "letters-as-they-were-read", Value("True"),
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "interpreters that a folder chooses", "interpreters-beside-git", Without(3),
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "pushes to repositories on this machine", "settings-of-a-push", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "links that the line makes", "links-of-the-line", NEVER,
        "test_git_is_not_alone_where_it_could_make_a_link_or_a_repository_that_the_line_uses",
    ),
    Defence(
        "34 protected_paths", "every folder that a line may reach", "every-folder-that-a-line-may-reach",
        Value("{folder / there}"),
        "test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone",
    ),
    Defence(
        "34 protected_paths", "words that the shell expands", "words-that-the-shell-expands", NEVER,
        "test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone",
    ),
    Defence(
        "34 protected_paths", "repositories that nobody checked", "repositories-that-are-checked", NEVER,
        "test_git_is_alone_in_the_folders_of_the_workspace_and_their_repositories_only",
    ),
    Defence(
        "34 protected_paths", "folders of a branch that look like repositories", "folders-that-look-like-repositories",
        Value("dict[str, str]()"),
        "test_git_by_itself_obeys_no_repository_that_a_branch_holds",
    ),
    Defence(
        "34 protected_paths", "hooks where a push goes", "hooks-of-other-repositories", REMOVED,
        "test_git_by_itself_runs_no_hook_of_a_repository_to_which_it_pushes",
    ),
    Defence(
        "34 protected_paths", "repositories of the user before those of commands", "repositories-of-the-user-first",
        Value("tuple(sorted(mounted, key=lambda path: len(path.parts)))"),
        "test_repositories_that_a_command_makes_do_not_open_those_of_the_user",
    ),
    Defence(
        "34 protected_paths", "programs of the project that Git starts", "programs-that-git-starts", REMOVED,
        "test_git_finds_programs_of_the_project_only_where_the_user_has_hooks",
    ),
    Defence(
        "34 protected_paths", "the repository around by its name", "repository-by-name", REMOVED,
        "test_git_gets_the_repository_around_by_name_while_other_commands_could_make_one",
    ),
    Defence(
        "34 protected_paths", "commands that begin beside a line of Git", "no-command-begins-beside-git", NEVER,
        "test_no_command_begins_before_the_one_that_keeps_others_out_ends",
    ),
    Defence(
        "34 protected_paths", "others beside a line that only reads", "others-beside-what-only-reads",
        Instead("yield CommandTurn(others_run=False)"),
        "test_a_command_that_only_reads_waits_for_none_and_is_no_other_but_may_meet_others",
    ),
    Defence(
        "34 protected_paths", "lines of Git beside which nothing begins", "git-beside-which-nothing-begins",
        Value("False"),
        "test_a_command_that_begins_after_a_line_of_git_makes_no_link_for_it",
    ),
    Defence(
        "34 protected_paths", "lines of Git beside other commands", "others-run-beside-a-line",
        Value("may_be_alone"),
        "test_a_command_makes_no_link_for_a_line_of_git_that_begins_meanwhile",
    ),
    Defence(
        "34 protected_paths", "places where Git looks for submodules", "places-of-submodules", Value("()"),
        "test_no_command_makes_a_repository_where_the_users_git_looks_for_a_submodule",
    ),
    Defence(
        "34 protected_paths", "submodules that come beside other commands", "submodules-beside-other-commands", NEVER,
        "test_a_line_that_takes_the_repository_of_a_submodule_away_ends_with_what_runs_beside",
    ),
    Defence(
        "34 protected_paths", "lines that bring a submodule beside others", "lines-beside-submodules-end", REMOVED,
        "test_a_line_that_takes_the_repository_of_a_submodule_away_ends_with_what_runs_beside",
    ),
    Defence(
        "34 protected_paths", "submodules of anybody", "submodules-beside-the-background", NEVER,
        "test_commands_in_the_background_end_when_anybody_brings_a_submodule",
    ),
    Defence(
        "34 protected_paths", "submodules that lose their repositories", "submodules-without-their-repositories",
        Value("frozenset((place, ()) for place in self.find(entries))"),
        "test_a_line_that_takes_the_repository_of_a_submodule_away_ends_with_what_runs_beside",
    ),
    Defence(
        "34 protected_paths", "submodules that replace files of a split index", "submodules-of-split-indexes",
        Value("found"),
        "test_the_submodules_of_a_split_index_that_replace_files_are_found",
    ),
    Defence(
        "34 protected_paths", "indexes that name all submodules", "indexes-that-name-submodules", NEVER,
        "test_git_that_runs_a_program_or_writes_a_named_file_is_not_alone",
    ),
    Defence(
        "34 protected_paths", "worktrees beside `.git` files", "worktrees-beside-git-files", REMOVED,
        "test_the_submodules_of_a_submodule_are_found_by_its_git_file",
    ),
    Defence(
        "34 protected_paths", "`.git` files that name any folder", "git-files-that-name-any-folder", REMOVED,
        "test_a_git_file_that_names_any_folder_is_as_read_only_as_git_itself",
    ),
    Defence(
        "34 protected_paths", "room for very deep submodules", "depth-of-closed-places",
        Value("place.relative_to(root).parts"),
        "test_of_a_very_deep_submodule_a_folder_above_is_closed",
    ),
    Defence(
        "34 protected_paths", "time for very many submodules", "submodules-that-are-looked-at", NEVER,
        "test_the_worktree_of_a_repository_with_too_many_submodules_is_closed",
    ),
    Defence(
        "34 protected_paths", "turns of lines of Git that wait", "git-waits-its-turn", Value("()"),
        "test_commands_that_come_later_wait_for_one_that_waits_to_keep_others_out",
    ),
    Defence(
        "34 protected_paths", "links in place of submodules", "links-in-place-of-submodules", NEVER,
        "test_no_command_makes_a_repository_where_the_users_git_looks_for_a_submodule",
    ),
    Defence(
        "34 protected_paths", "missing folders of submodules", "folders-of-submodules", NEVER,
        "test_no_command_makes_a_repository_where_the_users_git_looks_for_a_submodule",
    ),
    Defence(
        "34 protected_paths", "room for the places of submodules", "room-for-closed-places", NEVER,
        "test_of_very_many_submodules_the_folders_around_are_closed",
    ),
    Defence(
        "34 protected_paths", "time to look at the folders of a line", "time-to-look-at-folders", NEVER,
        "test_a_line_of_git_with_very_long_paths_or_very_many_is_read_at_once",
    ),
    Defence(
        "34 protected_paths", "time to look at the paths of a line", "time-to-look-at-paths", NEVER,
        "test_a_line_of_git_with_very_long_paths_or_very_many_is_read_at_once",
    ),
    Defence(
        "34 protected_paths", "included settings that a command makes meanwhile",
        "settings-that-are-included-meanwhile", NEVER,
        "test_git_is_not_alone_where_a_branch_or_another_command_could_bring_settings",
    ),
    Defence(
        "34 protected_paths", "included settings that a branch brings", "settings-that-a-branch-brings", NEVER,
        "test_git_is_not_alone_where_a_branch_or_another_command_could_bring_settings",
    ),
    Defence(
        "34 protected_paths", "hooks that a command makes meanwhile", "hooks-made-meanwhile",
        Value("path_exists(path)"),
        "test_git_runs_no_hooks_where_a_branch_or_another_command_could_bring_them",
    ),
    Defence(
        "34 protected_paths", "hooks that a branch brings", "hooks-that-a-branch-brings", REMOVED,
        "test_git_runs_no_hooks_where_a_branch_or_another_command_could_bring_them",
    ),
    Defence(
        "34 protected_paths", "new repositories with hooks beside an added one", "hooks-that-are-new-where-a-push-goes",
        Value("not _may_push_to_added(line, workspace)"),
        "test_git_pushes_to_an_added_repository_by_a_line_that_makes_no_other_while_none_is_made",
    ),
    Defence(
        "34 protected_paths", "repositories made meanwhile", "repositories-made-meanwhile", NEVER,
        "test_while_a_background_command_runs_git_by_itself_uses_no_new_repository_in_the_work_dir",
    ),
    Defence(
        "34 protected_paths", "a folder that a variable names", "folders-by-a-variable", NEVER,
        "test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone",
    ),
    Defence(
        "34 protected_paths", "variables that a loop sets", "variables-that-loops-set", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "links in the folders for temporary files", "links-in-tmp-beside-git", NEVER,
        "test_a_link_in_the_folder_for_temporary_files_leads_no_line_of_git_into_its_directory",
    ),
    Defence(
        "34 protected_paths", "what xargs gives to Git", "git-by-xargs", Value("True"),
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "names that look like options", "names-like-options", NEVER,
        "test_a_line_of_git_uses_no_link_that_it_may_make_and_no_name_like_an_option",
    ),
    Defence(
        "34 protected_paths", "asking about a line that enters many folders", "folders-of-a-line", NEVER,
        "test_a_line_that_enters_many_folders_is_asked_about",
    ),
    Defence(
        "34 protected_paths", "settings of Git for one command", "settings-of-one-command", NEVER,
        "test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
    ),
    Defence(
        "34 protected_paths", "settings of Git that a command may set", "settings-that-start-nothing", Value("True"),
        "test_git_that_runs_a_program_or_writes_a_named_file_is_not_alone",
    ),
    Defence(
        "34 protected_paths", "Git directories read-only for other programs", "git-directories-read-only", NEVER,
        "test_programs_beside_git_write_nothing_in_its_directory_and_git_by_itself_does",
    ),
    Defence(
        "34 protected_paths", "a git of the project", "git-of-the-project", Value("alone"),
        "test_a_git_that_the_project_has_on_path_does_not_write_in_its_directory",
    ),
    Defence(
        "34 protected_paths", "what programs leave in new repositories", "new-repositories-are-plain", Value("new"),
        "test_a_repository_that_a_program_made_holds_no_operation_that_stopped",
    ),
    Defence(
        "34 protected_paths", "programs in configured folders", "programs-in-configured-folders",
        Value("self.folders"),
        "test_no_program_of_a_configured_folder_that_commands_can_write_is_one_that_only_reads",
    ),
    Defence(
        "34 protected_paths", "bubblewrap in configured folders", "bubblewrap-of-configured-folders",
        Value("untrusted"),
        "test_a_bubblewrap_in_a_folder_of_the_home_that_commands_may_write_is_not_found",
    ),
    Defence(
        "34 protected_paths", "hosts for commands that are known", "hosts-for-known-commands", NEVER,
        "test_only_a_running_command_reaches_hosts_by_its_password",
    ),
    Defence(
        "34 protected_paths", "passwords that end with their command", "passwords-of-running-commands", REMOVED,
        "test_only_a_running_command_reaches_hosts_by_its_password",
    ),
    Defence(
        "34 protected_paths", "connecting to allowed hosts only", "allowed-hosts-only", NEVER,
        "test_the_proxy_passes_both_directions_of_an_allowed_connection",
    ),
    Defence(
        "34 protected_paths", "asking the user's proxy for no private host", "no-private-hosts-by-a-proxy", REMOVED,
        "test_a_proxy_that_does_not_connect_is_named_and_leads_to_no_private_host",
    ),
    Defence(
        "34 protected_paths", "namespaces that an ordinary user's commands can open",
        "namespaces-of-a-process-that-can-be-read", REMOVED,
        "test_hosts_are_reached_although_the_program_denies_others_access_to_itself",
    ),
    Defence(
        "34 protected_paths", "starting servers outside of the project", "servers-start-elsewhere",
        Instead("folder = work_dir"),
        "test_a_server_runs_nothing_that_a_command_left_in_the_project",
    ),
    Defence(
        "34 protected_paths", "programs and modules of the project that a server would find",
        "servers-find-nothing-of-the-project", Instead("outside = env"),
        "test_a_server_finds_no_program_and_no_module_in_the_project",
    ),
    Defence(
        "34 protected_paths", "the network off in the files tier", "no-network-in-the-files-tier",
        Instead("socket_filter.refuse_other_sockets()"),
        "test_a_kernel_whose_landlock_knows_no_network_lets_nothing_leave_either",
    ),
    Defence(
        "34 protected_paths", "the size of files by their paths where the kernel does not confine it",
        "sizes-of-files-in-old-kernels", Instead("socket_filter.refuse_keys(sizes=False)"),
        "test_a_kernel_whose_landlock_knows_no_sizes_keeps_files_from_being_emptied",
    ),
    Defence(
        "34 protected_paths", "sockets of other kinds", "no-other-sockets", REMOVED,
        "test_no_socket_leads_to_the_host_of_a_virtual_machine",
    ),
    Defence(
        "34 protected_paths", "asking for a host in yolo mode too", "hosts-are-asked-for", REMOVED,
        "test_a_host_is_asked_for_even_in_yolo_mode_and_a_yes_or_no_for_the_session_holds",
    ),
    Defence(
        "34 protected_paths", "looking at all folders when events were lost", "rescan-when-events-are-lost",
        Value("found"), "test_after_lost_events_everything_is_looked_at",
    ),
    Defence(
        "34 protected_paths", "examining folders before those below them", "folders-before-those-below",
        Value("sorted({*roots, *changed, *self._unwatched})[::-1]"),
        "test_folders_that_are_removed_and_made_again_between_two_looks_are_found",
    ),
    Defence(
        "34 protected_paths", "looking at folders that were replaced", "replaced-folders-are-looked-at", REMOVED,
        "test_folders_that_are_exchanged_and_back_during_a_look_are_looked_at_again",
    ),
    Defence(
        "34 protected_paths", "the state of the folder that is listed", "the-state-of-the-listed-folder",
        Value("os.stat(folder, follow_symlinks=False)"),
        "test_folders_that_are_exchanged_and_back_during_a_look_are_looked_at_again",
    ),
    Defence(
        "34 protected_paths", "looking at no folders behind links", "no-folders-behind-links", ALWAYS,
        "test_what_a_link_leads_to_is_not_looked_at_though_it_changed_before",
    ),
    Defence(
        "34 protected_paths", "looking at what changed beside a new root", "changes-beside-new-roots",
        Instead("self._walk(first_to_last, roots, everything=everything, changed=() if everything else changed)"),
        "test_what_changed_is_found_though_a_root_is_gone",
    ),
    Defence(
        "34 protected_paths", "bubblewrap writes only where the command may", "nothing-left-where-links-lead", REMOVED,
        "test_what_bubblewrap_makes_outside_while_it_starts_fails",
    ),
    Defence(
        "34 protected_paths", "comparing the mounts of the sandbox itself", "mounts-of-the-sandbox-itself",
        Without(1), "test_mounts_of_a_process_without_a_sandbox_are_not_taken_for_those_of_one",
    ),
    Defence(
        "34 protected_paths", "keeping commands the first to end where memory runs out", "no-command-outlives-us",
        REMOVED, "test_a_tier_holds_all_but_what_it_says_that_it_cannot",
    ),
    Defence(
        "34 protected_paths", "mounting the kernel's settings read-only", "kernel-settings-read-only", REMOVED,
        "test_settings_of_the_kernel_are_mounted_read_only",
    ),
    Defence(
        "34 protected_paths", "protecting Git's and our folders", "protected-folders", REMOVED,
        "test_protected_paths",
    ),
    Defence(
        "34 protected_paths", "asking for them in commands", "ask-about-protected", REMOVED,
        "test_protected_paths_are_asked_for_even_under_yolo",
    ),
    Defence(
        "34 protected_paths", "asking before an allowing rule counts", "protected-before-rules", Without(1),
        "test_what_is_protected_asks_whatever_is_allowed",
    ),
    Defence(
        "34 protected_paths", "a mount at each folder above", "mount-each-folder", REMOVED,
        "test_protected_files_stay_though_their_folders_are_moved",
    ),
    Defence(
        "34 protected_paths", "Git's settings read-only", "git-settings-read-only", REMOVED,
        "test_git_works_and_what_it_runs_cannot_be_changed",
    ),
    Defence(
        "35 sse_cut", "seeing that the last word is missing", "stream-has-an-end", REMOVED,
        "test_a_stream_cut_at_any_event_is_a_connection_error",
    ),
    Defence(
        "35 sse_cut", "joining the pieces of a line", "join-sse-lines", Value("[first, *more[:-1]]"),
        "test_where_chunks_are_cut_does_not_matter",
    ),
    Defence(
        "35 sse_cut", "calling malformed_stream data a broken connection", "malformed-stream", UNCAUGHT,
        "test_half_json_is_a_connection_error", too=(("malformed-event", UNCAUGHT),),
    ),
    Defence(
        "35 sse_cut", "taking back what a failed attempt said", "take-back-failed-attempt", REMOVED,
        "test_a_429_a_500_and_a_cut_stream_are_got_over_without_text_twice",
    ),
    Defence(
        "36 http_matrix", "telling keys from lengths from limits", "rejected-key", Lacks(403),
        "test_each_status_has_its_error",
    ),
    Defence(
        "36 http_matrix", "reading Retry-After as a date", "retry-after-date", Instead("return None"),
        "test_retry_after_is_read",
    ),
    Defence(
        "36 http_matrix", "a wait that can be cancelled", "cancel-a-wait",
        After(
            "given = sleep\nasync def sleep(seconds):\n    try:\n        await given(seconds)\n"
            "    except asyncio.CancelledError:\n        pass"
        ),
        "test_a_wait_can_be_cancelled",
    ),
    Defence("37 stall", "an idle timeout", "idle-timeout", Value("Timeout(None)"), "test_a_silent_stream_times_out"),
    Defence(
        "38 ctx_overflow", "shrinking and asking again", "compact-on-overflow", Before("raise"),
        "test_ctx_overflow_reported_by_the_service_compacts_once_and_asks_again",
    ),
    Defence(
        "38 ctx_overflow", "keeping the conversation where that fails", "failed-compaction", UNCAUGHT,
        "test_an_empty_summary_keeps_the_conversation_and_says_so",
    ),
    Defence(
        "38 ctx_overflow", "showing that it failed", "compaction-that-did-not-happen", Value("False"),
        "test_a_compaction_that_did_not_happen_is_not_shown_as_one",
    ),
    Defence(
        "38 ctx_overflow", "compacting what the turn is taken on", "compactor-of-the-context", REMOVED,
        "test_init_compacts_its_own_conversation_and_never_that_of_the_session",
    ),
    Defence(
        "39 bad_model", "ending the turn at the twelfth same call", "stop-repeated-call", NEVER,
        "test_the_same_call_again_and_again_ends_the_turn",
    ),
    Defence(
        "40 bad_config", "saying which key is wrong", "place-of-config-error", Value('ConfigError(first["msg"])'),
        "test_bad_config_is_an_error_with_file_key_and_cause",
    ),
    Defence(
        "40 bad_config", "reading regular files only", "regular-config-file", Value('file.read_text("utf-8-sig")'),
        "test_a_device_is_no_configuration",
    ),
    Defence(
        "40 bad_config", "checking only what counts in a project", "project-keys-only", Value("_checked(table, file)"),
        "test_what_does_not_count_in_a_projects_file_keeps_nothing_from_starting",
    ),
    Defence(
        "40 bad_config", "passing over a byte order mark", "byte-order-mark-in-file", Swapped("utf-8-sig", "utf-8"),
        "test_an_empty_file_and_one_with_a_byte_order_mark_are_read",
    ),
    Defence(
        "40 bad_config", "trying a rule's examples", "examples-of-a-rule", NEVER,
        "test_a_rule_whose_example_fails_is_an_error_with_its_place",
    ),
    Defence(
        "41 mcp_bad", "a bound on a message", "bound-mcp-message", NEVER,
        "test_a_flood_in_a_call_ends_the_server_and_not_the_session",
    ),
    Defence(
        "41 mcp_bad", "a bound on the values of a message", "bound-mcp-values", NEVER,
        "test_a_flood_in_a_call_ends_the_server_and_not_the_session",
    ),
    Defence(
        "41 mcp_bad", "the same for the body of a response", "bound-mcp-body-values", NEVER,
        "test_an_answer_of_too_many_values_is_not_read",
    ),
    Defence(
        "41 mcp_bad", "the same for an event of a stream", "bound-mcp-event-values", NEVER,
        "test_an_answer_of_too_many_values_is_not_read",
    ),
    Defence(
        "41 mcp_bad", "an end to cycles", "cyclic-reference", NEVER,
        "test_references_are_put_in_place_and_cycles_end",
    ),
    Defence(
        "42 skills_bad", "passing over a skill that cannot be read", "bad-skill", UNCAUGHT,
        "test_bad_skills_are_passed_over_with_a_reason_and_the_good_ones_stay",
    ),
    Defence(
        "42 skills_bad", "never opening a pipe", "regular-skill-file", Value("path.read_bytes()"),
        "test_a_pipe_does_not_hang",
    ),
    Defence(
        "43 flow_bad", "refusing a node inside the label of an edge", "node-in-an-edge-label", Value("closing is None"),
        "test_a_link_that_lacks_its_head_is_an_error_and_loses_no_node",
    ),
    Defence(
        "43 flow_bad", "refusing a link inside a label before the next label", "link-in-a-label", NEVER,
        "test_a_label_that_does_not_end_before_the_next_one_is_an_error_and_loses_no_node",
    ),
    Defence(
        "43 flow_bad", "refusing a chart without one BEGIN", "one-begin", Value("not begin_nodes"),
        "test_what_is_no_flow_is_refused_with_its_line",
    ),
    Defence(
        "44 flow_choice", "a near miss", "near-choice", NEVER,
        "test_a_choice_that_differs_in_case_or_outer_punctuation_alone_is_taken",
    ),
    Defence(
        "44 flow_choice", "a bound on the question that is shown", "bound-shown-question", NEVER,
        "test_a_question_is_shown_with_the_values_of_its_variables",
    ),
    Defence(
        "44 flow_choice", "a bound on asking again", "bound-choice-retries", NEVER,
        "test_a_model_that_never_chooses_brings_the_person_in",
    ),
    Defence(
        "44 flow_choice", "taking the last choice", "last-choice-counts",
        Value("tag_start is not None and choice is None"),
        "test_the_last_choice_of_the_reply_counts",
    ),
    Defence(
        "45 flow_runaway", "stopping at the last move", "stop-at-last-move",
        Value("not state.entered and state.moves > state.max_moves"),
        "test_reaching_the_moves_ends_the_run_exactly_there",
    ),
    Defence(
        "46 flow_races", "an answer only between the steps of a turn", "answer-between-steps", NEVER,
        "test_an_answer_during_a_turn_of_the_user_stays_out_between_a_call_and_its_result",
    ),
    Defence(
        "46 flow_races", "a command while a message is queued", "command-to-a-paused-flow", ALWAYS,
        "test_a_command_reaches_a_paused_flow_although_a_message_waits_for_the_end_of_it",
    ),
    Defence(
        "46 flow_races", "no deadline of a pause before the question", "deadline-of-the-question-only", ALWAYS,
        "test_a_pause_before_a_question_has_no_deadline",
    ),
    Defence(
        "46 flow_races", "the user's turn beside a paused flow", "turn-beside-a-paused-flow", ALWAYS,
        "test_the_stop_of_a_paused_flow_leaves_the_turn_of_a_message_alone",
    ),
    Defence(
        "46 flow_races", "not hitting a breakpoint twice", "breakpoint-once", NEVER,
        "test_a_breakpoint_holds_before_each_visit_and_going_on_does_not_hit_it_again",
    ),
    Defence(
        "46 flow_races", "pausing before the model is asked again", "pause-before-asking-again", NEVER,
        "test_a_pause_during_a_choice_holds_before_the_model_is_asked_again",
    ),
    Defence(
        "46 flow_races", "a person's branch before the model's", "branch-of-the-user", NEVER,
        "test_a_branch_taken_in_the_tick_of_the_answer_wins_once",
    ),
    Defence(
        "46 flow_races", "a person's order before the model's answer", "jump-before-answer", NEVER,
        "test_a_jump_in_the_tick_of_the_answer_leaves_it_nothing_to_decide",
    ),
    Defence(
        "46 flow_races", "pausing at a rejected tool", "pause-at-rejected-tool", Value("None"),
        "test_a_rejected_tool_pauses_the_flow_and_the_person_may_choose_the_branch",
    ),
    Defence(
        "47 client_gone", "answering what is no JSON", "answer-bad-json", UNCAUGHT,
        "test_garbage_is_answered_and_passed_over",
    ),
    Defence(
        "47 client_gone", "bounding a line", "bound-line", NEVER,
        "test_a_line_that_is_too_long_is_passed_over_and_told",
    ),
    Defence(
        "47 client_gone", "seeing the end of the input behind lines that wait", "end-behind-waiting-lines", REMOVED,
        "test_the_end_of_the_input_is_noticed_while_lines_wait_for_a_consumer",
    ),
    Defence(
        "47 client_gone", "giving up blocked output at the end of the input", "end-with-blocked-output", REMOVED,
        "test_blocked_output_is_given_up_once_the_input_has_ended",
    ),
    Defence(
        "47 client_gone", "asking no hooks of a client that has gone", "no-hooks-of-gone-clients", REMOVED,
        "test_the_end_of_a_session_does_not_wait_for_a_hook_of_a_client_that_has_gone",
    ),
    Defence(
        "47 client_gone", "waiting for a reader that is far behind", "wait-for-slow-readers", REMOVED,
        "test_a_turn_waits_for_a_client_that_is_far_behind_and_the_client_gets_all_of_it",
    ),
    Defence(
        "47 client_gone", "waiting for an editor that is far behind", "wait-for-slow-editors", REMOVED,
        "test_a_turn_waits_for_an_editor_that_is_far_behind_and_the_editor_gets_all_of_it",
    ),
    Defence(
        "47 client_gone", "waiting a bounded time for a terminal", "patience-with-terminals", UNWRAPPED,
        "test_a_terminal_that_does_not_answer_is_an_error_and_is_released_when_it_comes",
    ),
    Defence(
        "47 client_gone", "ending what waits for an answer", "end-pending-questions", REMOVED,
        "test_closing_a_session_in_the_middle_of_an_approval_asks_no_more", too=(("settle-pending-question", REMOVED),),
    ),
    Defence(
        "48 watch_bad", "a thread of its own for each watch", "thread-of-a-watch",
        Value("await asyncio.to_thread(notify.watch, _QUIET, _STEP, _IDLE, stop)"),
        "test_a_watch_leaves_the_threads_of_the_event_loop_free",
    ),
    Defence(
        "48 watch_bad", "following a folder that was made anew", "follow-new-folder", Instead("continue"),
        "test_a_watched_folder_that_is_deleted_and_made_again_is_followed",
    ),
    Defence(
        "48 watch_bad", "watching no tree beside a skill", "watch-no-tree",
        After("for at, _dirs, _files in os.walk(entry.path):\n    self.add(at, None)"),
        "test_a_large_tree_beside_a_skill_is_not_watched",
    ),
    Defence(
        "sensitive names", "the folders", "folders-of-secrets", Value("()"), "test_a_name_of_the_list_is_sensitive"
    ),
    Defence(
        "our own secrets", "our home in any spelling", "our-home-in-any-case", NEVER,
        "test_our_home_holds_secrets_in_any_spelling",
    ),
    Defence(
        "our own secrets", "what was in files before edits", "our-session", Value("False"),
        "test_what_was_in_a_secret_before_an_edit_is_a_secret",
    ),
    Defence(
        "what starts something later", "the folders of programs", "folders-of-programs", REMOVED,
        "test_a_folder_of_programs_is_asked_for",
    ),
    Defence(
        "sensitive names", "Markdown files as skills only", "skill-is-markdown", NEVER,
        "test_a_link_to_a_file_that_is_not_markdown_is_no_skill",
    ),
    Defence(
        "sensitive names", "no secret as a system prompt", "prompt-is-no-secret", NEVER,
        "test_a_system_prompt_that_leads_to_a_secret_is_refused",
    ),
    Defence("sensitive names", "the list", "list-of-secrets", REMOVED, "test_a_name_of_the_list_is_sensitive"),
    Defence("sensitive names", "the exceptions", "exempt-names", Value("()"), "test_a_name_of_the_exceptions_is_not"),
    Defence(
        "a symlinked parent of a file", "going by the real path", "real-path", Value("Path(os.path.abspath(path))"),
    ),
    Defence("flags behind a backslash", "taking backslashes out of words", "backslashes-in-words", Value("text")),
    Defence(
        "31 cmd_split", "ways of a plan that are called no", "ways-are-yeses",
        Value("{approach.label: approach for approach in params.options}"),
        "test_a_way_that_the_model_calls_no_is_no_answer_of_the_user",
    ),
    Defence("a rule that never matches", "a warning at the start", "rules-that-never-match", REMOVED),
    Defence(
        "a run without a user", "the plan mode that the user turned on", "plan-mode-of-the-user", NEVER,
        "test_a_run_without_a_user_that_was_to_plan_writes_nothing_in_a_new_or_an_old_session",
    ),
    Defence(
        "a run without a user", "refusing before yolo", "when-asked-before-yolo", Value("True"),
        "test_what_is_to_be_refused_without_a_user_is_refused_in_a_session_that_was_in_yolo_mode",
    ),
    Defence(
        "a pattern of files without end", "an end to what is listed", "bound-glob", NEVER,
        "test_a_glob_ends_at_its_bounds_and_with_link_loops",
    ),
    Defence(
        "a call that a hook sees otherwise", "the tool's own name", "hooks-by-own-name", Value("call.function.name"),
        "test_a_hook_for_a_tool_holds_for_a_call_by_its_short_name",
    ),
    Defence(
        "a call that a hook sees otherwise", "the arguments as the tool reads them", "hooks-read-arguments",
        Value("text"), "test_a_hook_gets_the_arguments_as_the_tool_reads_them",
    ),
    Defence(
        "a hook whose denial is not seen", "reading its errors to their end", "hook-errors-to-the-end", REMOVED,
        "test_a_denial_stands_whatever_else_a_hook_writes_or_leaves_behind[long reason]",
    ),
    Defence(
        "a hook whose denial is not seen", "a denial in output that is not JSON", "denial-in-bad-json",
        Instead("return ALLOW"),
        "test_a_denial_stands_whatever_else_a_hook_writes_or_leaves_behind[log line]",
    ),
    Defence(
        "a hook that writes to the terminal", "a session of its own, for each command and for what stands before it",
        "session-of-its-own",
        REMOVED,
        too=(("session-of-supervisor", REMOVED),),
    ),
    Defence("a flow saved through a link", "making a new file", "new-export-file", Swapped("x", "w")),
    Defence(
        "29 approval_keys", "guarding clicks", "guard-clicks", ALWAYS,
        "test_a_click_that_gives_the_window_its_focus_answers_nothing",
    ),
    Defence(
        "29 approval_keys", "clicks of the left button only", "left-clicks", NEVER,
        "test_only_the_left_button_answers",
    ),
    Defence(
        "29 approval_keys", "leaving out the side buttons", "side-buttons", NEVER,
        "test_the_side_buttons_of_a_mouse_are_not_its_left_one",
    ),
    Defence(
        "29 approval_keys", "letting who writes write", "keys-of-a-reason", Without(1),
        "test_digits_in_a_reason_answer_nothing",
    ),
    Defence(
        "a module in the folder", "starting Python without the folder on its path", "no-folder-on-path", Lacks("-P"),
    ),
    Defence(
        "30 secret_leak", "closing our environment to other processes", "no-dumps", REMOVED,
        "test_no_command_can_read_the_keys_in_the_environment_of_the_program",
    ),
    Defence(
        "a pipe in the folder", "marking regular files only", "trust-regular-files",
        Value("hashlib.sha256(file.read_bytes()).hexdigest()"),
        "test_a_pipe_or_a_device_in_the_place_of_a_file_holds_no_face_up",
    ),
    Defence(
        "a pipe in the folder", "reading regular files only", "regular-file", NEVER,
        "test_a_pipe_a_folder_a_socket_and_a_device_are_refused_at_once",
    ),
    Defence(
        "approval_shows_less", "showing what is asked for beside the reasons", "show-what-is-asked", NEVER,
        "test_a_request_with_reasons_shows_what_is_asked_for_too",
    ),
    Defence(
        "approval_shows_less", "showing the arguments of any tool", "arguments-of-any-tool", REMOVED,
        "test_a_question_about_a_tool_that_never_asks_shows_its_arguments",
    ),
    Defence(
        "31 cmd_split", "rules with a pattern for any tool", "rules-for-any-tool", Value("None"),
        "test_a_rule_with_a_pattern_is_about_the_arguments_of_any_tool",
    ),
    Defence(
        "31 cmd_split", "a rule's words as they follow each other in a text", "words-of-a-text", Value("False"),
        "test_a_rule_with_a_pattern_is_about_the_arguments_of_any_tool",
    ),
    Defence(
        "approval_shows_less", "a scope on one line in an editor", "scope-on-one-line",
        Value('f"Allow in this session: {request.scope}"'),
        "test_what_always_means_is_on_one_line_with_hidden_characters_spelled_out",
    ),
    Defence(
        "approval_shows_less", "ending lines at line feeds only", "lines-end-at-line-feeds",
        Value('(*text.splitlines(), "")'), "test_what_a_line_feed_does_not_end_is_shown_as_one_line",
    ),
    Defence(
        "approval_shows_less", "showing how lines differ that look the same", "different-lines-look-different",
        Value("frozenset(lines_shown_as) - frozenset(lines_shown_as)"),
        "test_lines_that_would_look_the_same_show_their_difference",
    ),
    Defence(
        "approval_shows_less", "showing all of a parked call", "parked-call-shown-whole",
        Value("ParkedCall(_call_key(sender, action, description, call), description)"),
        "test_a_parked_edit_is_shown_whole_and_its_approval_is_for_the_file_as_it_was",
    ),
    Defence(
        "approval_outlives_session", "leaving approvals out of a fork", "approvals-of-one-session", REMOVED,
        "test_what_was_approved_for_a_session_asks_again_in_its_fork",
    ),
    Defence(
        "approval_outlives_session", "leaving answers to parked calls out of a fork", "answers-of-one-session", REMOVED,
        "test_a_fork_has_no_answer_to_a_call_that_its_session_is_parked_with",
    ),
    Defence(
        "yolo_comes_back", "keeping yolo off that was turned off while away", "yolo-off-while-away",
        Value("away or before"), "test_yolo_that_was_turned_off_in_away_mode_stays_off_after_it",
    ),
    Defence(
        "a page of another host", "addresses that are assigned for the internet", "addresses-of-the-internet", NEVER,
        "test_addresses_are_judged_by_where_they_lead",
    ),
    Defence(
        "a page of another host", "resolving the name that was asked for", "resolve-approved-name",
        Value('parts.hostname or ""'), "test_the_name_that_is_resolved_is_the_one_that_was_asked_for",
    ),
    Defence(
        "a page of another host", "a yes for one host only", "scope-of-one-host",
        Value('Scope(("fetch",), tr("pages of {host}", host=", ".join(names)))'),
        "test_each_host_is_asked_for_and_a_yes_for_the_session_covers_its_pages_alone",
    ),
    Defence(
        "a page of another host", "staying with the host that was asked for", "stay-with-host",
        WithoutArgument("follows"),
        "test_a_redirect_to_another_host_is_asked_for",
    ),
    Defence(
        "a library that cannot be loaded", "a line for it", "library-that-fails", UNCAUGHT,
        "test_a_library_that_cannot_be_loaded_is_one_line_and_the_terminal_is_as_it_was",
    ),
    Defence(
        "a library that cannot be loaded", "switching off what a driver that fails has on", "driver-that-fails",
        REMOVED,
        "test_a_driver_that_fails_while_it_starts_switches_off_what_is_on",
    ),
    Defence(
        "31 cmd_split", "a yes for one tool of one server", "scope-of-one-tool", Value('f"mcp:{server}/{tool}"'),
        "test_a_yes_for_a_tool_covers_no_other_whatever_the_names_hold",
    ),
    Defence(
        "31 cmd_split", "a yes for a tool as its server described it", "scope-of-one-definition", Value('""'),
        "test_a_yes_for_a_tool_covers_it_only_while_its_server_says_the_same_of_it",
    ),
    Defence(
        "31 cmd_split", "the same for the server behind the name", "scope-of-one-definition", Value('""'),
        "test_a_yes_for_a_tool_covers_no_other_server_that_later_has_the_same_name",
    ),
    Defence(
        "31 cmd_split", "the same for its resources", "scope-of-one-resource-server",
        Value('(f"mcp resources: {params.server}",)'),
        "test_a_yes_for_resources_covers_no_other_server_that_later_has_the_same_name",
    ),
    Defence(
        "a page of another host", "the rules for the pages of a search", "rules-for-pages-of-results", Value("None"),
        "test_what_a_service_read_of_a_page_that_a_rule_denies_is_left_out",
    ),
    Defence(
        "a page of another host", "asking for the pages of a search", "ask-for-pages-of-results", REMOVED,
        "test_the_hosts_of_results_are_asked_for_in_one_question",
    ),
    Defence(
        "a page of another host", "redirects of the pages of a search", "redirects-of-results",
        WithoutArgument("follows"), "test_a_page_of_a_result_obeys_the_rules_for_pages",
    ),
    Defence(
        "a page of another host", "asking anew where a rule says something else", "rules-of-next-page", Without(2),
        "test_a_redirect_within_a_host_is_asked_about_where_the_rules_differ",
    ),
    Defence(
        "a page of another host", "the other spellings of a host", "spellings-of-host",
        Value("fnmatchcase(host, pattern.lower())"), "test_a_rule_that_denies_a_host_denies_it_in_any_spelling",
    ),
    Defence(
        "a page of another host", "the other spellings of a number", "spellings-of-numbers", NEVER,
        "test_a_rule_that_denies_an_address_denies_all_its_spellings",
    ),
    Defence(
        "a page of another host", "numbers in whole addresses", "numbers-in-addresses", Value("(host,)"),
        "test_a_rule_that_denies_an_address_denies_all_its_spellings",
    ),
    Defence(
        "a page of another host", "the other spellings of a query", "spellings-of-query", Value('{parts.query: ""}'),
        "test_a_rule_that_denies_a_query_denies_its_other_spellings",
    ),
    Defence(
        "a page of another host", "the usual port of an address without one", "usual-port",
        Value('("", f":{number}" if colon else "")'),
        "test_a_rule_that_denies_the_usual_port_denies_an_address_without_one",
    ),
    Defence(
        "a pattern of files without end", "searching only names of one line", "names-of-one-line", REMOVED,
        "test_a_name_with_a_line_break_does_not_pass_for_another_file",
    ),
    Defence(
        "yolo_comes_back", "leaving the question about no sandbox to the user", "yolo-after-the-question",
        WithoutArgument("yolo_covers"),
        "test_yolo_turned_on_without_a_sandbox_does_not_answer_the_command_that_waits",
    ),
    Defence(
        "a reply without end", "a bound of subagents made in a session", "bound-created-subagents", NEVER,
        "test_subagents_made_in_the_session_are_bounded_and_its_state_can_still_be_read",
    ),
    Defence(
        "a reply without end", "a bound of the state of a session", "state-that-can-be-read", NEVER,
        "test_a_state_that_is_too_long_to_be_read_leaves_the_last_one_in_place",
    ),
    Defence(
        "a reply without end", "a bound of subagents within subagents", "bound-depth-of-subagents", NEVER,
        "test_subagents_that_send_subagents_come_to_an_end",
    ),
    Defence(
        "a page of another host", "the other spellings of an address", "spellings-of-address",
        Value("fnmatchcase(url, pattern)"),
        "test_a_rule_that_denies_a_path_denies_its_other_spellings",
    ),
    Defence(
        "32 path_escape", "rules about files behind a link", "rules-behind-links", Value('""'),
        "test_a_rule_that_denies_holds_where_a_link_in_its_path_leads",
    ),
    Defence(
        "a project that loosens", "the stricter of two modes", "stricter-mode", Value("requested_mode"),
        "test_a_project_that_asks_for_nothing_loosens_nothing_of_the_users",
    ),
    Defence(
        "31 cmd_split", "settings that Git takes from elsewhere", "git-common-dir", NEVER,
        "test_a_git_folder_that_takes_its_settings_from_another_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "a folder that may be a bare repository", "possible-bare-repository", NEVER,
        "test_a_folder_that_git_takes_for_a_repository_without_git_in_its_name_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "the input of a program", "input-of-a-program", NEVER,
        "test_a_yes_for_a_program_with_input_covers_no_other_input",
    ),
    Defence(
        "31 cmd_split", "a password in the settings of Git", "settings-with-credential", NEVER,
        "test_git_settings_with_a_password_are_asked_about_whatever_prints_them",
    ),
    Defence(
        "31 cmd_split", "the objects of another repository", "another-repository", NEVER,
        "test_a_repository_that_takes_its_objects_from_outside_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "the end of a here-document", "here-document-as-bash-reads-it", Without(3),
        "test_a_here_document_that_bash_ends_elsewhere_is_not_read",
    ),
    Defence(
        "31 cmd_split", "substitutions in a here-document", "substitutions-of-here-documents",
        Value("_EVALUATED.search(expanded)"),
        "test_a_program_within_an_expansion_is_listed_or_unknown",
    ),
    Defence(
        "31 cmd_split", "plain text within an expansion", "text-of-an-expansion",
        Value('re.compile(r"\\$(?:\\w+|[@*#?$!-]|\\{#?\\w+(?:(?::?[-+=?]|[#%/^,])[^\\[\\]@!]*)?\\})")'),
        "test_a_program_within_an_expansion_is_listed_or_unknown",
    ),
    Defence(
        "32 path_escape", "files in the lists of a word", "files-in-lists-of-a-word", REMOVED,
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "31 cmd_split", "files within words, for rules", "files-within-words", Value("parts"),
        "test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part",
    ),
    Defence(
        "31 cmd_split", "rules for what processes find", "rules-through-processes", NEVER,
        "test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part",
    ),
    Defence(
        "31 cmd_split", "words that are known beside others", "words-beside-unknown-ones", ALWAYS,
        "test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part",
    ),
    Defence(
        "32 path_escape", "texts that take the place of variables", "texts-instead-of-variables", REMOVED,
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "31 cmd_split", "words that are known in part", "words-known-in-part", Value("expand('', folder)"),
        "test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part",
    ),
    Defence(
        "31 cmd_split", "every part of a word", "every-part-of-a-word",
        Value("any(not _PLAIN_EXPANSION.fullmatch(source.text(each)) for each in _expansions(piece))"),
        "test_a_program_within_an_expansion_is_listed_or_unknown",
    ),
    Defence(
        "31 cmd_split", "what sed writes elsewhere", "sed-writes-elsewhere", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "the end of a test", "test-on-one-line", NEVER, "test_a_test_ends_with_its_line",
    ),
    Defence(
        "31 cmd_split", "a keyword behind a wrapper", "keyword-of-a-wrapper",
        Value("words and words[0] and _ASSIGNMENT.match(words[0])"),
        "test_a_keyword_behind_a_wrapper_leaves_the_program_unknown",
    ),
    Defence(
        "31 cmd_split", "what a build takes", "contexts-of-builds", Value("_outside_files(parsed)"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "formats that are files", "formats-from-files", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "wildcards that stay in the host of an argument", "hosts-in-arguments",
        Value('fnmatchcase(text, expected) and ".." not in re.split(r"[/\\\\]", text)'),
        "test_a_rule_that_allows_covers_what_the_arguments_surely_are",
    ),
    Defence(
        "31 cmd_split", "hosts that each program reads alike", "plain-host-of-a-wildcard", Value("True"),
        "test_a_rule_that_allows_covers_what_the_arguments_surely_are",
    ),
    Defence(
        "31 cmd_split", "options that a rule names", "named-options-hold", NEVER,
        "test_an_option_that_a_rule_that_allows_names_is_not_taken_back",
    ),
    Defence(
        "31 cmd_split", "packages that name their source", "packages-with-a-source", Value("[]"),
        "test_a_wildcard_of_a_rule_that_allows_is_no_option_no_other_host_and_no_other_source",
    ),
    Defence(
        "31 cmd_split", "lists of packages from elsewhere", "lists-from-elsewhere", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "code behind the name of a database", "code-behind-the-database", Value("()"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "options of a build's own wrapper", "wrappers-of-builds", Value('("gradle",)'),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "packages that are files", "packages-that-are-files", Value("None"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "packages from elsewhere", "packages-from-elsewhere", Value("[]"),
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "what Bash expands twice", "target-expanded-twice", NEVER,
        "test_the_target_of_a_redirection_that_bash_expands_twice_is_asked_about",
    ),
    Defence(
        "commands of flows", "what Bash expands twice", "redirection-expanded-twice", NEVER,
        "test_a_command_that_might_run_a_value_is_refused",
    ),
    Defence(
        "31 cmd_split", "a Git folder that is one for sure", "sure-git-dir", Without(1),
        "test_a_git_folder_that_git_passes_over_says_nothing_of_the_one_above",
    ),
    Defence(
        "31 cmd_split", "an unknown option that takes the next word", "shifting-option", NEVER,
        "test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
    ),
    Defence(
        "31 cmd_split", "a rule that denies, for what another program runs", "denied-behind-program", NEVER,
        "test_a_rule_that_denies_is_asked_about_where_another_program_may_run_what_it_names",
    ),
    Defence(
        "31 cmd_split", "the same behind the letter of an option", "program-in-an-option", NEVER,
        "test_a_rule_that_denies_is_asked_about_where_another_program_may_run_what_it_names",
    ),
    Defence(
        "31 cmd_split", "a wrapper named by its path", "wrapper-by-path", NEVER,
        "test_a_wrapper_that_anyone_may_have_written_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "a wrapper of the working directory", "wrapper-of-the-work-dir",
        Value("_first_risk(line, folders)"), "test_a_wrapper_that_anyone_may_have_written_is_asked_for",
    ),
    Defence(
        "31 cmd_split", "rules about wrappers", "rules-for-wrappers", REMOVED,
        "test_a_rule_that_denies_or_asks_is_about_a_wrapper_too",
    ),
    Defence(
        "31 cmd_split", "the blanks that Git skips", "blanks-of-git", Value("line.strip()"),
        "test_a_blank_of_unicode_counts_in_a_setting_of_git",
    ),
    Defence(
        "31 cmd_split", "patterns of ignore files", "patterns-of-ignore-files", Value("pattern"),
        "test_a_search_that_passes_over_hidden_secrets_is_free_until_a_file_shows_them",
    ),
    Defence(
        "31 cmd_split", "paths from the top of a repository", "paths-from-the-top", Value("[*folders]"),
        "test_a_rule_about_a_file_holds_for_what_git_names_from_the_top_of_the_repository",
    ),
    Defence(
        "31 cmd_split", "variables that load code", "variables-that-load", NEVER,
        "test_a_variable_by_which_programs_load_code_of_the_work_dir_is_asked_about",
    ),
    Defence(
        "31 cmd_split", "variables that change how Bash reads", "variables-of-bash", NEVER,
        "test_a_variable_by_which_bash_reads_a_line_in_another_way_is_left_out",
    ),
    Defence(
        "31 cmd_split", "the folders of Bash's stack", "directory-stack", NEVER,
        "test_what_does_more_or_reads_what_is_secret_is_asked_for",
    ),
    Defence(
        "32 path_escape", "Bash's other quotes", "ansi-c-quotes", Value("UNKNOWN"),
        "test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
    ),
    Defence(
        "what starts something later", "the folders and files of agents", "folders-of-agents",
        Lacks(".agents", ".codex", ".mcp.json"),
        "test_what_starts_something_later_is_asked_for_whatever_holds",
    ),
    Defence(
        "what starts something later", "asking for instructions in any mode", "instructions-are-asked-about", REMOVED,
        "test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do",
    ),
    Defence(
        "what starts something later", "settings of agents without a dot", "instructions-without-a-dot",
        Value("_INSTRUCTS"),
        "test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do",
    ),
    Defence(
        "what starts something later", "the instructions that a link leads to", "links-that-instruct", REMOVED,
        "test_accepted_edits_are_no_yes_to_what_a_link_makes_an_instruction",
    ),
    Defence(
        "what starts something later", "the hidden files of the user's home", "home-of-the-user", REMOVED,
        "test_in_the_users_home_what_their_shell_starts_is_asked_for",
    ),
    Defence(
        "what starts something later", "knowing a Git folder by what is in it", "git-folder-by-content", REMOVED,
        "test_a_git_folder_is_protected_by_whatever_name",
    ),
    Defence(
        "our own secrets", "our home as a secret", "sensitive-names", Without(2),
        "test_our_own_keys_and_sessions_are_secrets_for_every_tool",
    ),
    Defence(
        "our own secrets", "looking for hard links in all of the workspace", "hard-links-anywhere", Value("names"),
        "test_a_hard_link_to_a_secret_anywhere_in_the_workspace_is_one_too",
    ),
    Defence("a server that outlives us", "ending servers when the control pipe closes", "control-pipe-closed", NEVER),
    Defence(
        "16 setsid_child", "finding what escaped by its mark", "strays-by-mark", REMOVED,
        "test_a_child_in_a_session_of_its_own_is_found_though_the_supervisor_was_killed",
    ),
    Defence(
        "16 setsid_child", "waking a supervisor that was stopped", "wake-supervisor", REMOVED,
        "test_a_command_that_stops_its_supervisor_holds_nobody_up",
    ),
    Defence("instructions by a link", "staying in the project", "instructions-in-project", Without(1)),
    Defence("instructions by a link", "passing over secrets", "instructions-in-project", Without(2)),
    Defence(
        "a home that others can read", "closing what was left open", "close-home", REMOVED,
        "test_our_home_is_closed_to_others_also_where_an_older_version_left_it_open",
    ),
    Defence(
        "a device file as settings", "reading regular files only", "regular-config-file",
        Value('file.read_text("utf-8-sig")'),
    ),
    Defence("a brace expansion without end", "a bound on what is parsed", "bound-parsed-bytes", Value("10_000_000")),
    Defence(
        "a DNS or portal that hangs", "asking off the screen's own loop", "create-provider-in-thread",
        Instead("import time\ntime.sleep(30)\nprovider = create_provider(settings)"),
    ),
    Defence(
        "37 stall", "asking off the screen's own loop", "create-provider-in-thread",
        Instead("import time\ntime.sleep(30)\nprovider = create_provider(settings)"),
        "test_stall_of_the_service_holds_up_neither_the_start_nor_escape",
    ),
    Defence("random kills", "writing each message at once", "write-at-once", OnlyIf("sync or len(self._kept) > 30")),
    Defence(
        "a word without end in a chart", "looking at a few characters for each cell", "bound-cells-looked-at",
        Value("(count := max(1, _fitting(chunk[begin:], width))) < len(chunk) - begin"),
        "test_a_long_word_is_folded_in_time_that_grows_with_its_length_alone",
        too=(("bound-fitting", Value("len(text)")),),
    ),
    Defence(
        "a word without end in a chart", "cutting a label", "cut-label", NEVER,
        "test_a_label_is_cut_where_nobody_reads_on",
    ),
    Defence(
        "a message that cannot be drawn", "one kind of line end in what streams", "one-line-end-in-stream", UNCALLED,
        "test_any_text_streams_to_what_it_is_at_once",
    ),
    Defence(
        "23 focus_storm", "rendering a long open end in pieces", "long-open-end", NEVER,
        "test_the_work_for_a_long_open_end_grows_with_its_length",
    ),
    Defence(
        "a message that cannot be drawn", "showing an item as plain text", "item-as-plain-text", Instead("raise"),
        "test_a_message_that_cannot_be_drawn_is_shown_as_plain_text",
    ),
    Defence(
        "a message that cannot be drawn", "a notice in a pane", "notice-in-pane", Instead("raise"),
        "test_a_pane_that_cannot_be_drawn_says_so_and_stays",
    ),
    Defence(
        "an answer without end", "cutting the body of an error", "bound-error-body", NEVER,
        "test_no_more_of_a_long_error_is_waited_for_than_is_kept",
    ),
    Defence(
        "an answer without end", "cutting the words beside a status", "bound-reason-phrase",
        Value("response.reason_phrase"), "test_the_words_beside_the_status_of_a_search_are_bounded",
    ),
    Defence(
        "a server that asks or answers without end", "a bound on the parts of a result", "bound-result-items", REMOVED,
        "test_a_result_of_very_many_parts_is_cut_before_it_is_validated",
    ),
    Defence(
        "a server that asks or answers without end", "a bound for each call", "bound-sampling", NEVER,
        "test_a_server_asks_the_model_a_bounded_number_of_times_within_one_call",
    ),
    Defence(
        "a server that asks or answers without end", "a pace of new streams", "pace-of-streams", REMOVED,
        "test_streams_that_end_at_once_are_opened_again_at_a_pace",
    ),
    Defence(
        "a server that asks or answers without end", "a deadline for new lists", "deadline-for-changed-lists",
        UNWRAPPED,
        "test_a_list_that_does_not_come_after_a_change_leaves_the_tools",
    ),
    Defence(
        "a server that asks or answers without end", "a pace of new lists", "pace-of-changes", NEVER,
        "test_a_server_whose_lists_change_without_end_is_asked_for_them_at_a_pace",
    ),
    Defence(
        "a server that asks or answers without end", "a bound on messages by HTTP", "bound-messages-by-http", ALWAYS,
        "test_a_flood_of_messages_by_http_ends_the_server",
    ),
    Defence(
        "a server that asks or answers without end", "a bound on forms for each call", "bound-forms", NEVER,
        "test_a_server_shows_a_bounded_number_of_forms_within_one_call",
    ),
    Defence(
        "a charset that is none", "taking only those of web pages", "known-charsets", Value("True"),
        "test_text_is_decoded_in_a_charset_of_web_pages_or_as_utf_8",
    ),
    Defence(
        "an answer without end", "a deadline for the body of an error", "deadline-for-error-body", UNWRAPPED,
        "test_an_error_whose_body_never_ends_is_told_by_its_status",
    ),
    Defence(
        "an answer without end", "a deadline for an event", "deadline-for-event", UNWRAPPED,
        "test_a_stream_of_comments_alone_comes_to_an_end",
    ),
    Defence(
        "text that acts on a terminal", "spelling out what the model says to one", "answer-to-terminal", NEVER,
        "test_what_the_model_says_to_a_terminal_does_nothing_there",
    ),
    Defence(
        "text that acts on a terminal", "a list of what may stay", "categories-that-stay", Swapped("LMNPS", "LMNPSC"),
        "test_nothing_that_a_terminal_would_obey_is_left",
    ),
    Defence(
        "text that acts on a terminal", "spelling out all that is printed", "print-to-terminal",
        Value('_write(text.encode(encoding, "backslashreplace").decode(encoding) + "\\n")'),
        "test_nothing_that_is_printed_acts_on_a_terminal",
    ),
    Defence(
        "output that cannot be written", "saying so at the end of an answer", "check-stdout", REMOVED,
        "test_an_answer_that_cannot_be_written_is_a_failure",
    ),
    Defence(
        "output that cannot be written", "holding the place of a closed stream", "fill-closed-streams", REMOVED,
        "test_a_closed_stream_leads_to_no_traceback",
    ),
    Defence(
        "a damaged session", "looking at the files before they are opened", "check-session-files", REMOVED,
        "test_the_screen_stays_and_says_what_it_cannot_open",
    ),
    Defence(
        "a damaged session", "times that a calendar has", "valid-timestamp",
        Value("Recorded(float(timestamp), message)"),
        "test_times_that_no_calendar_has_are_shown_as_times",
    ),
    Defence("a disk that is full at the start", "trying with what takes room", "lock-on-full-disk", UNWRAPPED),
    Defence("little memory", "a line for it", "little-memory", UNCAUGHT, too=(("no-new-thread", ALWAYS),)),
    Defence("Ctrl+C again and again", "expecting it until the end", "expect-interrupts", REMOVED),
    Defence("garbage for the web server", "a log for the library", "log-of-web-server", REMOVED),
    Defence(
        "a page that floods the web server or is gone", "a bound on unread input", "bound-unread-input",
        Value("True"),
        "test_a_page_that_sends_more_keys_than_the_app_takes_is_closed_with_its_app",
    ),
    Defence(
        "24 split_input", "a typed character in a pane is no paste", "typed-character-in-a-pane", NEVER,
        "test_a_character_that_is_not_printable_is_a_letter_of_the_pane",
    ),
    Defence(
        "24 split_input", "letters after those that closed a question", "rest-of-a-sentence", REMOVED,
        "test_a_sentence_typed_at_a_question_that_opened_by_itself_is_in_the_message",
    ),
    Defence(
        "24 split_input", "a typed character on a screen is no paste", "typed-character-on-a-screen", NEVER,
        "test_a_character_that_is_not_printable_is_a_letter_of_a_screen",
    ),
    Defence(
        "24 split_input", "inserting what Textual does not count as text", "keep-typed-characters",
        Instead("return message"),
        "test_spaces_joiners_and_private_symbols_that_are_typed_are_sent",
    ),
    Defence(
        "a page that floods the web server or is gone", "no more events than the app handles",
        "pace-browser-input", ALWAYS,
        "test_an_app_reads_no_more_keys_than_it_handles",
    ),
    Defence(
        "a page that sends odd keys or pastes", "taking all that follows the start of a paste as text",
        "paste-of-one-packet", Instead("yield from parser.feed(pasted)"), "test_no_text_of_a_paste_is_a_key",
    ),
    Defence(
        "a page that sends odd keys or pastes", "a new parser after a key that cannot be read",
        "driver-of-odd-keys", Instead("raise"), "test_an_odd_key_does_not_end_the_app",
    ),
    Defence(
        "a page that floods the web server or is gone", "an end to connections without the cookie",
        "idle-connections", Value("loop.call_later(9e9, self._close, handler)"),
        "test_a_connection_without_the_cookie_is_closed_after_its_time",
    ),
    Defence(
        "a page that floods the web server or is gone", "a bound on connections without the cookie",
        "bound-connections", NEVER,
        "test_of_too_many_connections_without_the_cookie_the_oldest_are_closed",
    ),
    Defence(
        "a page that floods the web server or is gone", "a bound on tabs", "bound-tabs", NEVER,
        "test_the_tab_left_longest_ago_is_forgotten_and_an_open_one_is_not",
    ),
    Defence(
        "a page that floods the web server or is gone", "a bounded wait for the app's last output",
        "bound-last-output", Instead("await running"),
        "test_a_page_is_free_although_another_process_holds_the_output_of_its_app",
    ),
    Defence(
        "a page that floods the web server or is gone", "watching for the server's end", "end-without-server",
        NEVER,
        "test_an_app_that_is_stuck_ends_with_its_server",
    ),
    Defence(
        "a session to import without end", "reading a state up to its bound", "bound-imported-state",
        Value("json_text.loads(file.read())"),
        "test_a_state_that_unfolds_to_a_gigabyte_is_left_out_in_little_memory",
    ),
    Defence(
        "a session to import without end", "reading no zip of another method", "methods-of-zips", NEVER,
        "test_a_zip_compressed_by_another_method_is_refused",
    ),
    Defence(
        "a session to import without end", "building it where no list looks", "session-built-aside",
        Value('folder.parent / f"{folder.name}-new"'),
        "test_a_killed_import_or_fork_leaves_no_half_session",
    ),
    Defence(
        "a session to import without end", "deleting what a kill left", "delete-abandoned-session", REMOVED,
        "test_what_a_killed_process_left_is_deleted_a_day_later",
    ),
    Defence(
        "a session to import without end", "deleting a failed import", "no-half-imported-session", REMOVED,
        "test_a_failed_import_leaves_no_folder",
    ),
    Defence(
        "an export over a file that exists", "refusing it", "no-export-over-a-file", NEVER,
        "test_an_export_replaces_no_file_unasked",
    ),
    Defence(
        "an export over a file that exists", "replacing regular files only", "export-to-a-regular-file", NEVER,
        "test_an_export_goes_through_no_link_and_into_no_pipe",
    ),
    Defence(
        "an imported run with approvals, commands and limits of its own", "marking the runs", "mark-imported-runs",
        REMOVED,
        "test_an_approval_in_an_imported_run_approves_nothing",
    ),
    Defence(
        "an imported run with approvals, commands and limits of its own", "dropping the answers",
        "answers-of-an-imported-run", REMOVED,
        "test_an_approval_in_an_imported_run_approves_nothing",
    ),
    Defence(
        "an imported run with approvals, commands and limits of its own", "dropping the questions",
        "questions-of-an-imported-run", REMOVED,
        "test_a_question_of_an_imported_run_is_asked_anew",
    ),
    Defence(
        "an imported run with approvals, commands and limits of its own", "asking about its commands",
        "imported-commands-are-asked-about", Value("False"),
        "test_a_command_of_an_imported_run_is_asked_about_whatever_the_rules",
    ),
    Defence(
        "an imported run with approvals, commands and limits of its own", "the limits of the user here",
        "limits-of-an-imported-run", NEVER,
        "test_an_imported_run_has_the_limits_of_the_user_here",
    ),
    Defence(
        "JSON nested too deeply", "a bound on the depth", "bound-json-depth", NEVER,
        "test_a_call_with_arguments_nested_too_deeply_does_not_spoil_later_requests",
    ),
    Defence(
        "JSON of millions of values", "a bound on their number", "bound-json-values", Value("False"),
        "test_a_message_of_millions_of_values_is_left_out_in_little_memory",
    ),
    Defence(
        "JSON of millions of values", "the same for an event of a service", "bound-event-values", NEVER,
        "test_an_event_of_millions_of_values_is_not_read",
    ),
    Defence(
        "JSON of millions of values", "the same for a chunk of Google's", "bound-google-values", NEVER,
        "test_a_chunk_of_millions_of_values_is_not_read",
    ),
    Defence(
        "an error in broken JSON", "reading it with care", "bad-json-in-error",
        Value("stream_error(json_text.loads(data))"),
    ),
    Defence("a date that no clock reaches", "passing over it", "date-out-of-range", Value("ValueError")),
    Defence(
        "a tool's name that is made up", "a name that services take", "sendable-tool-name",
        Instead("return call.function.name"),
    ),
    Defence(
        "a reply without end", "a bound on it", "bound-reply", NEVER,
        "test_an_answer_that_does_not_end_is_stopped",
    ),
    Defence(
        "a reply without end", "counting what is kept back", "bound-kept-back-calls", REMOVED,
        "test_calls_without_a_name_are_counted_though_they_are_kept_back",
    ),
    Defence(
        "a reply without end", "a bound on its id", "bound-reply-id", Value("delta.id"),
        "test_a_reply_id_that_is_too_long_is_not_kept",
    ),
    Defence(
        "a reply without end", "a bound on the ids of its calls", "bound-call-id", Value('call_id or ""'),
        "test_an_id_that_is_too_long_is_replaced_and_a_name_is_cut",
    ),
    Defence(
        "a reply without end", "a bound on their names", "bound-call-name", Value('name or ""'),
        "test_an_id_that_is_too_long_is_replaced_and_a_name_is_cut",
    ),
    Defence(
        "a service that is not to be trusted", "no redirect with its own header of a key", "anthropic-redirect",
        Value("True"),
        "test_the_key_does_not_follow_a_redirect",
    ),
    Defence(
        "a service that is not to be trusted", "no redirect with custom headers", "openai-redirect", Value("True"),
        "test_no_header_follows_a_redirect",
    ),
    Defence(
        "a service that is not to be trusted", "a bound on inputs kept back", "bound-initial-input", REMOVED,
        "test_inputs_that_are_kept_back_are_counted",
    ),
    Defence(
        "a service that is not to be trusted", "a bound on a chunk", "bound-google-chunk", NEVER,
        "test_a_chunk_without_end_is_stopped",
    ),
    Defence(
        "an approval that hides a part", "arguments shown whole", "arguments-shown-whole", NEVER,
        "test_an_approval_shows_all_arguments_or_the_call_is_refused",
    ),
    Defence(
        "an approval that hides a part", "arguments spelled out", "arguments-shown-escaped",
        Value("json.dumps(arguments, indent=2, ensure_ascii=False)"),
        "test_an_approval_spells_out_what_cannot_be_seen_in_the_arguments",
    ),
    Defence(
        "an approval that hides a part", "warnings before a text that does not fit", "warnings-in-view",
        Value("approval_lines(self.blocks, width, palette, context=context)"),
        "test_a_text_that_does_not_fit_is_told_as_such_with_its_warnings_first",
    ),
    Defence(
        "an approval that hides a part", "a fence that the command does not end", "fence-longer-than-any",
        Value('"```"'), "test_a_command_never_leaves_its_code_block",
    ),
    Defence(
        "an approval that hides a part", "no Markdown in a remark", "remark-shown-whole", Value("_text(text)"),
        "test_a_remark_that_markdown_may_change_is_a_code_block",
    ),
    Defence(
        "text that is slow to draw", "a bound on marks in a row", "bound-marks", REMOVED,
        "test_more_marks_on_one_character_than_any_script_has_are_spelled_out",
    ),
    Defence(
        "text that is slow to draw", "measuring no more than a row", "measure-what-matters",
        Value("cells(text[start:end])"), "test_a_word_of_any_length_costs_no_more_for_each_row",
    ),
    Defence("a stream that says nothing", "a deadline for words", "deadline-for-words", NEVER),
    Defence("headers without end", "a deadline for them", "deadline-for-headers", UNWRAPPED),
    Defence("a body that has come already", "time for other tasks", "share-the-loop", REMOVED),
    Defence(
        "usage that cannot be", "passing over it", "believable-usage", ALWAYS,
        "test_a_usage_that_cannot_be_is_not_told",
    ),
    Defence(
        "usage that cannot be", "passing over a count", "unreadable-count", Instead("return value"),
        "test_a_usage_that_cannot_be_read_does_not_cost_the_answer",
    ),
    Defence(
        "usage that cannot be", "passing over what is no usage", "unreadable-usage", Instead("return value"),
        "test_a_usage_that_cannot_be_read_does_not_cost_the_answer",
    ),
    Defence(
        "usage that cannot be", "reading the counts alone of a Gemini chunk", "google-usage-is-optional",
        Instead('fields["usageMetadata"] = usage'), "test_a_usage_that_cannot_be_read_does_not_cost_the_answer",
    ),
    Defence("a schema that is no JSON", "numbers that are", "numbers-in-schema", NEVER),
    Defence(
        "a picture that is none", "looking at its bytes", "picture-by-its-bytes",
        Value('f"data:image/png;base64,{data}"'),
    ),
    Defence("arguments in many pieces", "reading them only where they may be whole", "whole-arguments", ALWAYS),
    Defence(
        "YAML that unfolds without end", "a bound on what its aliases repeat", "bound-yaml", REMOVED,
        "test_a_configuration_that_unfolds_or_nests_without_end_is_refused_at_once",
    ),
    Defence(
        "YAML that unfolds without end", "a bound for a skill", "bound-frontmatter", REMOVED,
        "test_frontmatter_that_nests_without_end_is_refused_at_once",
    ),
    Defence(
        "YAML that unfolds without end", "a bound for an agent file", "bound-agent-file", REMOVED,
        "test_an_agent_file_that_unfolds_without_end_is_refused_at_once",
    ),
    Defence(
        "a configuration of unknown keys", "a bound on the warnings", "bound-config-warnings",
        Value("list(keys)"),
    ),
    Defence("an mcp.json nested too deeply", "a line for it", "deep-mcp-file", UNCAUGHT),
    Defence("skills that are slow to read", "a bound on a project's", "bound-project-skills", NEVER),
    Defence("a folder whose name is not UTF-8", "a line for it", "folder-that-is-not-utf8", UNCAUGHT),
    Defence(
        "skills that are slow to read", "a bound on the size of a project's", "bound-project-skill", Value("MAX_BYTES"),
        "test_a_project_has_smaller_skills_than_the_user",
    ),
    Defence("a configuration that is slow to read", "reading it once", "read-config-once", REMOVED),
    Defence("anchors that are used twice", "no warning of each", "quiet-yaml", REMOVED),
    Defence("trust decisions that are broken", "keeping the file", "keep-broken-decisions", NEVER),
    Defence(
        "trust decisions of two processes", "one writer at a time", "one-writer-of-decisions", UNWRAPPED,
        "test_decisions_at_the_same_time_are_all_kept",
    ),
    Defence(
        "changes of two processes", "one writer of mcp.json at a time", "one-writer-of-servers", UNWRAPPED,
        "test_servers_that_are_added_at_the_same_time_are_all_kept",
    ),
    Defence(
        "changes of two processes", "one writer of config.yaml at a time", "one-writer-of-settings", UNWRAPPED,
        "test_edits_at_the_same_time_are_all_kept",
    ),
    Defence(
        "comments of config.yaml", "removing a key's lines only", "comments-after-a-removed-key", Value("text"),
        "test_comments_after_a_removed_key_stay",
    ),
    Defence(
        "comments of config.yaml", "refusing to lose a comment", "edits-keep-comments", REMOVED,
        "test_an_edit_that_would_lose_a_comment_is_refused",
    ),
    Defence(
        "a pipe in our own home", "reading regular files only", "regular-draft", Value('self.file.read_text("utf-8")'),
    ),
    Defence(
        "a pipe in our own home", "the same for tokens", "regular-token-file",
        Instead('return file.read_text("utf-8")'),
    ),
    Defence(
        "a pipe in our own home", "the same for what is read from its end", "regular-log-end",
        Value('(file.read_bytes(), 0)'),
    ),
    Defence(
        "text before there is a session", "a draft from the start", "draft-before-the-session", REMOVED,
        "test_what_was_sent_and_typed_while_the_session_starts_outlives_the_program",
        too=(("draft-at-an-early-end", REMOVED),),
    ),
    Defence(
        "a screen that is closed at once", "no callback without its widgets", "callback-of-a-closed-screen",
        Instead("return callback()"), "test_a_screen_that_is_closed_before_its_next_frame_is_not_called_back",
    ),
    Defence(
        "a screen that is closed at once", "no callback while its widgets are removed", "callback-of-a-closed-screen",
        Instead("return callback()"),
        "test_a_screen_whose_widgets_are_being_removed_is_not_called_back",
    ),
    Defence(
        "a screen that is closed at once", "no worker without its widgets", "worker-of-a-closed-screen", REMOVED,
        "test_a_worker_of_a_screen_that_is_closed_ends_before_the_widgets_go",
    ),
    Defence(
        "a screen that is being made", "no messages before its widgets", "screen-without-its-widgets",
        Instead("return screens"),
    ),
    Defence(
        "text before there is a session", "a draft behind an earlier message", "draft-behind-an-earlier-input", REMOVED,
        "test_a_draft_behind_an_earlier_message_is_not_lost_when_that_is_sent",
    ),
    Defence(
        "text before there is a session", "letters behind a key at the end", "draft-at-an-early-end", REMOVED,
        "test_letters_that_wait_behind_a_key_while_the_program_starts_outlive_it",
    ),
    Defence(
        "text before there is a session", "no queue for a session that will not come", "message-without-a-session",
        REMOVED, "test_a_message_to_a_session_that_could_not_start_stays_in_the_composer",
    ),
    Defence(
        "text before there is a session", "a lock while it is in use", "lock-of-a-start-draft", REMOVED,
        "test_a_draft_of_a_screen_that_still_starts_is_not_taken_over",
    ),
    Defence("an interrupt that another error replaced", "its status", "interrupt-in-an-import", NEVER),
    Defence("a tick of a pane that is gone", "no drawing by it", "tick-after-the-end", Value("run is None")),
    Defence(
        "files of ours that are odd", "no start without a home folder", "user-without-a-home", REMOVED,
        "test_a_user_who_has_no_home_folder_is_told_to_set_it",
    ),
    Defence(
        "files of ours that are odd", "a history of bounded length", "length-of-the-history", NEVER,
        "test_a_history_that_has_become_long_is_read_from_its_end_and_cut_with_the_next_input",
    ),
    Defence(
        "files of ours that are odd", "what another version wrote about to-dos", "todos-of-other-versions", REMOVED,
        "test_what_another_version_wrote_into_the_state_is_kept",
    ),
    Defence(
        "files of ours that are odd", "what another version wrote about folders", "other-decisions", Value("{}"),
        "test_a_decision_keeps_what_another_version_wrote_about_other_folders",
    ),
    Defence(
        "files of ours that are odd", "telling of an empty MCP file", "empty-mcp-file", Instead("pass"),
        "test_an_empty_file_is_a_problem",
    ),
    Defence("an input after a torn line of the history", "a line of its own", "torn-history",
        Instead("out.write(line.encode())")),
    Defence("a session that another process opens", "a lock while it is changed", "lock-of-a-closed-session", REMOVED),
    Defence("an answer of a flow that cannot be written", "an error for it", "answer-on-disk", NEVER),
    Defence("a signal while print waits for the background", "ending the wait", "signal-while-waiting", REMOVED),
    Defence(
        "a screen that opens while the app leaves", "no crash of it", "screen-of-an-app-that-leaves", NEVER,
        "test_a_screen_that_opens_while_the_app_leaves_is_no_crash",
    ),
    Defence(
        "a screen that opens while the app leaves", "no crash of a worker", "worker-of-an-app-that-leaves",
        Instead("return False"), "test_a_worker_that_misses_a_widget_while_the_app_leaves_is_no_crash",
    ),
    Defence(
        "a screen that opens while the app leaves", "no crash of a timer", "timer-of-an-app-that-leaves",
        Instead("return False"), "test_a_timer_that_misses_a_widget_while_the_app_leaves_is_no_crash",
    ),
    Defence(
        "a chart of many edges between two nodes", "adding up each price once", "running-prices",
        Instead("prices = relations.prices(pending)"), "test_hundreds_of_labelled_edges_of_two_nodes_are_laid_out_soon",
    ),
    Defence(
        "a chart of many edges between two nodes", "counting loops", "bound-loops",
        Instead("starts[max(rank[source], rank[target])] -= weight"),
        "test_a_chart_that_would_take_too_long_is_refused_at_once",
    ),
    Defence(
        "a chart of many edges between two nodes", "no further rounds of positions", "bound-position-rounds", NEVER,
        "test_hundreds_of_layers_joined_to_all_of_the_next_are_laid_out_soon",
    ),
    Defence(
        "a chart of many edges between two nodes", "no drawing of endless lines", "bound-line-cells", NEVER,
        "test_a_chart_whose_lines_are_too_long_to_draw_is_its_outline",
    ),
    Defence(
        "a chart of many edges between two nodes", "a bound on kept layouts", "bound-layouts", Instead("break"),
        "test_only_a_few_layouts_of_long_lines_are_kept_when_the_pane_changes_its_width",
    ),
    Defence(
        "a chart of many edges between two nodes", "counting edges as well", "slow-layouts-in-a-thread",
        Value("len(self.flow.nodes) > SLOW_PARTS"),
        "test_a_chart_of_few_nodes_and_many_edges_is_laid_out_off_the_event_loop",
    ),
    Defence("a `.git` that leads nowhere", "no error for a loop", "links-that-lead-back", Value("path.resolve()")),
    Defence("a `.git` that leads nowhere", "no names with a NUL", "name-with-nul", NEVER),
    Defence(
        "commands of flows", "values as variables of Bash", "values-as-data", Instead("line += (between, value)"),
        "test_no_value_becomes_code_in_any_command_that_is_accepted",
    ),
    Defence(
        "commands of flows", "no values that are options", "values-no-options", NEVER,
        "test_a_value_that_a_program_could_take_for_an_option_is_refused",
    ),
    Defence(
        "commands of flows", "variables only as arguments", "values-at-known-places", NEVER,
        "test_a_command_that_might_run_a_value_is_refused",
    ),
    Defence(
        "commands of flows", "a bound on values", "bound-command-values", NEVER,
        "test_a_value_that_no_command_can_get_is_refused",
    ),
    Defence(
        "commands of flows", "running what was approved", "node-command-as-approved", Value("node is not None"),
        "test_a_command_that_the_user_edited_runs_as_edited",
    ),
    Defence(
        "commands of flows", "only in a trusted folder", "commands-need-trust", NEVER,
        "test_a_command_does_not_run_in_an_untrusted_folder",
    ),
    Defence(
        "commands of flows", "asking again during the session", "commands-as-trusted", NEVER,
        "test_a_command_of_a_flow_that_changed_during_the_session_does_not_run_before_a_new_yes",
    ),
    Defence(
        "commands of flows", "the user at a gate, not the model", "gate-asks-the-user", NEVER,
        "test_without_a_user_the_run_waits_and_can_be_resumed_with_a_choice",
    ),
    Defence(
        "commands of flows", "asking again about a changed flow", "trust-of-commands", REMOVED,
        "test_a_flow_with_commands_that_changed_after_the_yes_is_asked_about_again",
    ),
    Defence(
        "commands of flows", "asking about each of many skills", "trust-of-all-skills",
        Value("itertools.islice(entries, 0)"),
        "test_a_flow_with_commands_among_many_other_files_is_asked_about",
    ),
    Defence(
        "commands of flows", "no shell with a value", "values-not-run-by-programs", Value("False"),
        "test_a_command_that_might_run_a_value_is_refused",
    ),
    Defence(
        "commands of flows", "values apart from their surroundings", "values-shown-apart", Instead("return literal"),
        "test_rules_see_a_value_apart_from_the_text_beside_it",
    ),
    Defence(
        "commands of flows", "retries before the failed branch", "retry-before-failed", NEVER,
        "test_the_failed_branch_is_taken_when_the_retries_are_spent",
    ),
    Defence(
        "commands of flows", "no next node without the result", "result-before-next-node", NEVER,
        "test_a_turn_without_the_result_is_asked_again_twice_and_then_fails",
    ),
    Defence(
        "commands of flows", "the tools of the node, for subagents too", "tools-of-the-node", NEVER,
        "test_a_subagent_of_a_node_has_no_more_tools_than_the_node",
    ),
    Defence(
        "budgets of flows", "counting a reply that did not end", "each-reply-counts", OnlyIf("complete"),
        "test_spend_is_the_service_s_own_count_to_the_token",
    ),
    Defence(
        "budgets of flows", "no request at the cap", "no-request-over-budget", REMOVED,
        "test_no_subagent_sends_a_request_after_the_cap",
    ),
    Defence(
        "budgets of flows", "no node at the cap", "no-node-over-budget", ALWAYS,
        "test_without_a_user_the_run_ends_at_the_cap_and_goes_on_with_a_higher_one",
    ),
    Defence(
        "budgets of flows", "a cap that is no text", "caps-are-not-dropped", NEVER,
        "test_a_cap_that_is_no_text_is_an_error_and_not_dropped",
    ),
    Defence(
        "commands of flows", "Bash parses and runs nothing", "check-without-running",
        Value('[bash, "--norc", "--noprofile"]'), "test_no_command_runs_and_no_start_file_is_read",
    ),
    Defence(
        "commands of flows", "Bash without what the environment would have it read", "check-without-start-files",
        Instead("import os\nenv = {**os.environ}"), "test_no_command_runs_and_no_start_file_is_read",
    ),
    Defence(
        "budgets of flows", "the smallest of several caps", "smallest-budget", Value("self.given"),
        "test_the_smallest_cap_of_each_quantity_is_used",
    ),
    Defence(
        "budgets of flows", "no guess at a cost", "cost-needs-prices", NEVER,
        "test_a_cost_cap_without_prices_is_an_error_before_anything_runs",
    ),
    Defence(
        "commands of flows", "a resumed run keeps what it does with approvals", "when-asked-of-the-run", NEVER,
        "test_an_approval_covers_only_the_call_that_was_parked",
    ),
    Defence(
        "skills of strangers", "no password in the lock", "no-secret-in-the-lock", NEVER,
        "test_other_protocols_options_and_expressions_are_no_source",
    ),
    Defence(
        "skills of strangers", "a ref is a name", "ref-is-a-name", Value("True"),
        "test_a_ref_is_a_name_and_nothing_else",
    ),
    Defence(
        "skills of strangers", "one protocol", "one-protocol", Value('"ext:file"'),
        "test_a_rewritten_url_runs_no_other_protocol",
    ),
    Defence(
        "skills of strangers", "a bound for a fetch", "bound-fetch", REMOVED,
        "test_a_fetch_writes_no_more_than_its_bound",
    ),
    Defence(
        "skills of strangers", "links stay in the skill", "no-links-of-strangers", REMOVED,
        "test_a_link_out_of_the_skill_or_to_a_link_is_refused",
    ),
    Defence(
        "skills of strangers", "a bound for the size", "bound-shared-skill", NEVER,
        "test_the_size_and_the_number_of_files_are_bounded",
    ),
    Defence(
        "skills of strangers", "a bound for the files", "bound-shared-files", NEVER,
        "test_the_size_and_the_number_of_files_are_bounded",
    ),
    Defence(
        "skills of strangers", "no two names of one file", "no-case-collisions", NEVER,
        "test_names_that_are_one_file_on_some_systems_are_refused",
    ),
    Defence(
        "skills of strangers", "names that are safe", "safe-names-of-strangers", NEVER,
        "test_an_unsafe_name_is_refused",
    ),
    Defence(
        "skills of strangers", "names in the lock", "lock-names-no-path", NEVER,
        "test_a_name_in_the_lock_is_no_path",
    ),
    Defence(
        "skills of strangers", "keeping the user's version at an update", "keep-changed-version", NEVER,
        "test_what_the_user_changed_is_kept",
    ),
    Defence(
        "skills of strangers", "keeping the user's version at a removal", "keep-changed-skill", NEVER,
        "test_what_the_user_changed_is_kept",
    ),
    Defence(
        "skills of strangers", "ending an interrupted update", "finish-update", Value("None"),
        "test_a_kill_at_each_point_leaves_the_old_version_or_the_new_one",
    ),
    Defence(
        "skills of strangers", "nothing half of it stays", "no-half-skill", REMOVED,
        "test_a_kill_at_each_point_leaves_the_old_version_or_the_new_one",
    ),
    Defence(
        "skills of strangers", "one process at a time", "one-installation", REMOVED,
        "test_only_one_process_changes_the_skills",
    ),
    Defence(
        "skills of strangers", "a difference in bounded time", "bound-difference", ALWAYS,
        "test_large_versions_are_compared_soon",
    ),
    Defence(
        "skills of strangers", "the name of a skill", "name-of-a-shared-skill", NEVER,
        "test_a_skill_with_a_name_or_a_chart_that_is_not_accepted_is_not_kept",
    ),
    Defence(
        "skills of strangers", "no name of a bundled skill", "no-name-of-a-bundled-skill", NEVER,
        "test_a_skill_with_a_name_or_a_chart_that_is_not_accepted_is_not_kept",
    ),
    Defence(
        "skills of strangers", "no broken chart", "no-broken-skill", NEVER,
        "test_a_skill_with_a_broken_chart_beside_it_is_not_kept",
    ),
    Defence(
        "skills of strangers", "a yes of a user", "no-yes-without-a-user", NEVER,
        "test_without_a_terminal_a_yes_is_an_option",
    ),
    Defence(
        "a command while the conversation is compacted", "one command at a time", "command-alone", UNWRAPPED,
        "test_nothing_else_changes_the_conversation_while_it_is_compacted_by_hand",
    ),
    Defence(
        "a command while the conversation is compacted", "an end by the user", "interruptible-compaction", REMOVED,
        "test_a_compaction_by_hand_can_be_interrupted_and_leaves_the_conversation_as_it_was",
    ),
    Defence(
        "Esc before a turn has begun", "an end of its start", "interruptible-start", REMOVED,
        "test_a_turn_that_waits_for_its_servers_can_be_interrupted_and_leaves_nothing",
    ),
    Defence(
        "Esc before a turn has begun", "a prompt that comes within its turn", "prompt-within-its-turn",
        Value("await engine.mcp.prompt(name, args)"),
        "test_the_prompt_of_a_server_is_part_of_the_turn_that_it_starts",
    ),
    Defence(
        "Esc before a turn has begun", "the key on the screen", "interrupt-before-the-turn",
        Value("self.presenter.state.turn.running"),
        "test_esc_before_the_turn_has_begun_interrupts_and_gives_the_message_back",
    ),
    Defence(
        "Esc before a turn has begun", "giving the message back", "prompt-of-no-turn", NEVER,
        "test_esc_before_the_turn_has_begun_interrupts_and_gives_the_message_back",
    ),
    Defence(
        "the clock is set back", "finding the turn of a rewind", "rewind-over-a-clock-jump",
        Value("after[0] if after else len(starts)"),
        "test_going_back_finds_its_turn_after_the_clock_was_set_back",
    ),
    Defence(
        "a session is left while its earlier turns load", "an end of its loading", "one-loader", REMOVED,
        "test_a_session_that_is_left_while_it_loads_does_not_load_the_next_one",
    ),
    Defence(
        "a record ends with a long line", "showing that line", "long-last-line", Value("first"),
        "test_a_last_line_that_is_longer_than_the_recent_part_belongs_to_it",
    ),
    Defence(
        "a record ends with a long line", "reading everything where nothing is recent", "no-recent-message", NEVER,
        "test_a_record_whose_last_line_was_cut_by_a_kill_shows_what_is_before_it",
    ),
    Defence(
        "a fork has the runs of its session", "asking for the session", "run-of-a-fork", NEVER,
        "test_an_answer_names_its_session_where_a_fork_has_the_same_run",
    ),
    Defence(
        "a command fails", "the hints of an idle engine", "hints-of-an-idle-engine", REMOVED,
        "test_after_a_command_that_failed_the_hints_are_those_of_an_idle_engine",
    ),
    Defence(
        "a session that was started with --yolo is resumed without it", "asking again", "yolo-of-one-start", ALWAYS,
        "test_yolo_of_an_option_is_for_that_start_only_and_that_of_the_user_stays",
    ),
    Defence(
        "another session opens", "keeping messages for it", "message-during-a-switch", REMOVED,
        "test_a_message_that_is_sent_while_another_session_opens_goes_to_that_session",
    ),
    Defence(
        "another session opens", "a switch that goes on", "whole-switch", Value("await self._switching"),
        "test_another_screen_that_opens_meanwhile_does_not_leave_the_app_without_a_session",
    ),
    Defence("an approval in a tiny window", "a text that was seen", "approval-of-what-was-seen", NEVER),
    Defence(
        "an approval in a tiny window", "a text that was seen on the full screen", "fullscreen-of-what-was-seen", NEVER
    ),
    Defence("an approval in a tiny window", "changes that were seen", "changes-of-what-was-seen", NEVER),
    Defence("an approval in a tiny window", "an answer that is on screen", "answer-on-screen", Value("True")),
    Defence("an approval in a tiny window", "a trust question that was seen", "trust-of-what-was-seen", NEVER),
    Defence("a size in the environment", "that of the terminal", "size-of-the-terminal", REMOVED),
    Defence(
        "an address that no parser reads", "a paste that stays text", "paste-that-is-no-address", UNCAUGHT,
        "test_a_paste_that_looks_like_an_address_and_is_none_stays_text",
    ),
    Defence(
        "an address that no parser reads", "leaving it to the factory", "base-url-that-is-no-address", UNCAUGHT,
        "test_settings_with_an_address_that_is_none_are_left_to_the_factory",
    ),
    Defence(
        "an address that no parser reads", "keeping a key from it", "base-url-of-no-host", UNCAUGHT,
        "test_the_environments_key_for_openai_goes_to_no_other_server_of_the_file",
    ),
    Defence(
        "an engine is made again after yolo was turned off", "leaving yolo off", "yolo-off-for-the-next-engine", NEVER,
        "test_yolo_of_an_option_that_was_turned_off_stays_off_in_the_next_engine",
    ),
    Defence(
        "a session that takes long to load", "ending an abandoned load", "end-of-an-abandoned-load", NEVER,
        "test_a_load_that_is_abandoned_ends_at_once_and_changes_nothing",
    ),
    Defence(
        "a hostile text", "cutting runs into rows in one pass", "slice-runs-in-one-pass", Instead("break"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "keeping arguments in pieces", "arguments-in-pieces",
        Instead("self._pieces[:] = ['_'.join([*self._pieces, part.arguments_part])]"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "no patterns of an ignore file that match in many ways", "patterns-that-match-soon",
        Instead("return True"), "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "strings that may lack their end", "strings-without-end",
        Value('re.compile(\'"(?:[^"\\\\\\\\]|\\\\\\\\.)*+"|[^\\\\[\\\\]{}"]++\', re.DOTALL)'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one fence a line", "first-fence-of-a-line",
        Value("re.compile('@\\\\{|(?:```|~~~)[^\\\\n]*d2', re.IGNORECASE)"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one start of a run of returns", "many-returns",
        Value("re.compile('\\\\r+(?=\\\\n|\\\\Z)')"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one way to read a key", "key-of-a-credential",
        Value('re.compile(r"^\\s*\\w*(?:passw|token)\\w*\\s*=", re.M)'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one gpg a line", "first-gpg-of-a-line",
        Value('re.compile(r"gpg: .*(?:agent)", re.I)'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one way to read blanks", "blanks-of-a-config-line",
        Value("re.compile('\\\\s*(?:\\\\[\\\\[(?P<list>.+)\\\\]\\\\]|\\\\[(?P<table>.+)\\\\]|(?P<key>[^=#\\\\[]+?)\\\\s*=)')"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one start of the blanks", "blanks-before-a-choice",
        Value("re.compile('\\\\s*<choice>((?:(?!</?choice>).)*)</choice>\\\\s*\\\\Z', re.IGNORECASE | re.DOTALL)"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one way to read a comment", "comment-without-colon",
        Value("re.compile('\\\\s*%%+\\\\s*([^\\\\s:：{][^:：]*?)\\\\s*[:：](?!:)\\\\s*(\\\\S.*)')"),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "a bound of headings", "bound-headings",
        NEVER,
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "a bound of an opening", "bound-opening-of-chart",
        Value('not ended and _MAYBE_OPENING.match(self._line)'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one start of a run of dots", "ends-of-dotted-links",
        Value('re.compile(r"[xo<]?-?\\.+-[xo>]?")'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "one blank line", "first-blank-line",
        Value('re.search(r"^[ \\t]*\\n\\s*\\S[^\\n]*\\n", source[begin:], re.M)'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "a bound of patterns", "bound-patterns",
        NEVER,
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "the first bracket of a word", "first-bracket-of-a-word",
        Value('re.compile(r"(?s).*?\\[.*(?:\\$[({]|`)")'),
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "a bound of parts", "bound-parts-of-texts",
        NEVER,
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile text", "a bound of texts", "bound-translated-texts",
        NEVER,
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
    Defence(
        "a hostile page", "reading it in a process with limits", "page-in-a-process", ALWAYS,
        "test_a_page_that_would_take_minutes_is_read_without_its_structure",
    ),
    Defence(
        "a step of many calls", "a bound of subagents", "bound-running-subagents", Value("True"),
        "test_one_step_sends_a_bounded_number_of_subagents",
    ),
    Defence(
        "a step of many calls", "a bound of calls side by side", "bound-parallel-calls", UNWRAPPED,
        "test_many_calls_of_a_step_run_in_turn",
    ),
    Defence(
        "a hostile page", "a bound of each result of a search", "bound-search-results", Value("text(key)"),
        "test_a_result_without_end_leaves_room_for_the_others",
    ),
    Defence(
        "a hostile page", "a bound on the results of a search", "bound-search-rows", Value("cast(list[object], rows)"),
        "test_no_more_results_are_read_than_can_be_requested",
    ),
    Defence(
        "a page of another host", "a host is what a name can be", "hosts-with-a-name", Instead("pass"),
        "test_an_address_that_others_may_read_as_another_host_is_refused",
    ),
    Defence(
        "a hostile page", "a bound of where it leads", "bound-redirect-address", NEVER,
        "test_redirects_are_followed_within_bounds",
    ),
    Defence(
        "keys that come before the configuration is read", "keys that wait for it", "keys-after-the-configuration",
        REMOVED, "test_a_key_that_needs_the_configuration_waits_for_it",
    ),
    Defence(
        "keys that come with the key before them", "letters that stay", "letters-after-a-message-taken-back",
        Instead('typed = ""'),
        "test_letters_typed_before_a_message_is_back_follow_it",
    ),
    Defence(
        "keys that come with the key before them", "one message for two keys", "one-message-taken-back", ALWAYS,
        "test_up_twice_in_one_read_takes_back_one_queued_message",
    ),
    Defence(
        "keys that come with the key before them", "closing a screen before what follows", "escape-before-letters",
        REMOVED, "test_letters_that_come_with_the_escape_that_closes_a_screen_are_in_the_message",
    ),
    Defence(
        "keys that come with the key before them", "keys that wait for what opens", "keys-of-an-opening-screen",
        REMOVED, "test_letters_that_come_with_the_key_that_opens_a_field_are_in_it",
    ),
    Defence(
        "keys that come with the key before them", "keys behind a command",
        "keys-of-a-command-that-opens-a-screen", Instead("pass"),
        "test_letters_that_follow_a_command_that_opens_a_screen_are_in_its_field",
    ),
    Defence(
        "keys that come with the key before them", "keys on their way when the program ends",
        "keys-on-their-way-at-the-end", ALWAYS,
        "test_a_program_that_ends_with_a_key_on_its_way_ends_without_an_error",
    ),
    Defence(
        "a text takes the place of the draft", "an earlier message", "draft-before-a-search", REMOVED,
        "test_a_draft_that_an_earlier_message_replaces_is_recalled_by_up",
    ),
    Defence(
        "a text takes the place of the draft", "words of a search in the editor", "draft-in-the-editor", REMOVED,
        "test_the_editor_opens_the_draft_also_from_the_search_in_earlier_messages",
    ),
    Defence(
        "a text that the user moves", "the pastes of what is cut", "pastes-of-a-selection", UNCALLED,
        "test_a_text_that_is_cut_or_copied_has_its_pastes_after_another_message",
    ),
    Defence(
        "a text that the user moves", "keys after a paste of the clipboard", "keys-after-a-clipboard",
        Instead("self.app.call_later(self.paste_clipboard)"), "test_keys_after_ctrl_v_wait_for_a_slow_clipboard",
    ),
    Defence(
        "a text that the user moves", "what a failed editor saved", "text-of-a-failed-editor", REMOVED,
        "test_a_text_that_the_editor_saved_is_kept_when_the_terminal_is_closed",
    ),
    Defence(
        "a text that the user moves", "what is written in a dialog at the end", "words-of-a-dialog-at-the-end", REMOVED,
        "test_what_is_written_in_a_dialog_is_in_the_message_when_the_program_ends",
    ),
    Defence(
        "a text takes the place of the draft", "a command", "draft-before-a-command", REMOVED,
        "test_a_draft_that_a_command_of_the_palette_replaces_is_recalled_by_up",
    ),
    Defence(
        "a text takes the place of the draft", "keys of a search", "keys-of-a-search", NEVER,
        "test_the_search_in_earlier_messages_neither_sends_its_words_nor_quits",
    ),
    Defence(
        "a command is sent while a turn runs", "a queued shell line", "shell-line-of-the-queue",
        Instead("if not self.queue or not self._engine.steer(self.queue[0]):\n    return False"),
        "test_a_queued_shell_line_is_not_sent_to_the_model_by_ctrl_s",
    ),
    Defence(
        "a command is sent while a turn runs", "commands that come back apart from messages",
        "commands-apart-from-messages", REMOVED, "test_an_interrupt_joins_no_shell_line_with_a_message",
    ),
    Defence(
        "a command is sent while a turn runs", "a command written to steer", "commands-do-not-steer",
        Instead("self.prompts.steer(event.content)"),
        "test_a_command_that_is_written_to_steer_is_a_command_and_not_for_the_model",
    ),
    Defence(
        "a draft that cannot be stored", "a notice", "draft-that-is-not-stored", REMOVED,
        "test_a_draft_that_cannot_be_stored_is_told_once",
    ),
    Defence(
        "24 split_input", "all lines of a paste in a field", "all-lines-of-a-paste",
        Instead("super()._on_paste(event)"), "test_a_paste_of_several_lines_is_taken_whole",
    ),
    Defence(
        "a sentence is typed at a screen of keys", "its Enter that does nothing", "enter-of-a-sentence", NEVER,
        "test_a_sentence_typed_at_a_screen_of_keys_does_nothing_and_the_screen_says_so",
    ),
    Defence(
        "a hostile text", "a bound of the time", "bound-highlighting", NEVER,
        "test_a_hostile_text_takes_no_longer_than_another",
    ),
)  # fmt: skip
