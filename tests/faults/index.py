"""Which test holds each case of the fault list. `make faults` runs them all; `test_index.py` sees that they are there.

A case without a number is from the list of names or from the list of what went wrong in other programs.
"""

_AHEAD = "tests/ui/tui/widgets/test_type_ahead.py"
_PANE_LETTERS = "tests/ui/tui/keys/test_pane_letters.py"
_GUARD = "tests/ui/tui/widgets/test_key_guard.py"
_APPROVAL = "tests/ui/tui/dialogs/test_approval.py"
_ATOMIC = "tests/test_atomic_file.py"
_CHARS = "tests/llm/test_surrogate_joiner.py"
_CMD = "tests/tools/shell_support/test_command_parser.py"
_CTX = "tests/context/test_context.py"
_DMAIL = "tests/soul/test_dmail.py"
_RISKS = "tests/tools/test_shell_risks.py"
_DISK = "tests/session/test_disk.py"
_FILES = "tests/tools/test_files.py"
_SESSIONS = "tests/ui/tui/navigation/test_session_actions.py"
_DRAFT = "tests/ui/tui/composer/test_draft_store.py"
_HERE = "tests/faults/test_state_and_leaks.py"
_HTTP = "tests/llm/test_openai_faults.py"
_JSONL = "tests/test_jsonl.py"
_MCP = "tests/mcp"
_PASTE = "tests/ui/tui/terminal/test_bracketed_paste.py"
_PROC = "tests/tools/shell_support/test_process_runner.py"
_PROG = "tests/permission/programs"
_READ = "tests/tools/shell_support/test_read_only.py"
_RULED = "tests/tools/shell_support/test_reading_rules.py"
_SEARCH = "tests/tools/test_search_confined.py"
_SHARED = "tests/cli/commands/test_skill_sharing.py"
_SHARING = "tests/skill/sharing"
_SHELL = "tests/tools/test_shell.py"
_SKILL = "tests/skill"
_STEER = "tests/flow/run/test_run_control.py"
_TERM = "tests/faults/test_terminal.py"
_CODE = "tests/flow/run/test_journal.py"

CASES: dict[str, tuple[str, ...]] = {
    "1 torn_tail": (
        f"{_JSONL}::test_torn_tail_every_cut_keeps_the_whole_records_and_the_next_append_starts_a_line",
        "tests/session/test_damaged_files.py::"
        "test_the_user_is_told_once_that_the_end_of_a_file_of_the_session_was_torn",
    ),
    "2 nul_tail": (
        f"{_JSONL}::test_nul_tail_is_cut_off",
        f"{_JSONL}::test_a_tail_of_many_nuls_is_cut_off_in_one_pass",
    ),
    "3 corrupt_middle": (
        f"{_JSONL}::test_corrupt_middle_is_told_with_its_line_and_the_rest_is_read",
        f"{_DISK}::test_corrupt_middle_lines_are_put_aside_and_told_of_once",
        "tests/session/test_file_checkpoints.py::test_no_value_in_the_history_is_an_error",
        "tests/session/test_file_checkpoints.py::test_content_that_is_not_what_was_kept_is_not_restored",
        "tests/context/test_context.py::test_what_another_version_wrote_stays_in_the_old_file",
    ),
    "4 kill9_mid_tool": (
        f"{_CTX}::test_kill9_mid_tool_a_call_without_a_result_gets_one_that_says_so",
        "tests/soul/test_kill.py::"
        "test_kill9_mid_tool_the_session_goes_on_with_a_result_that_says_so_and_the_tool_is_not_run_again",
    ),
    "5 orphan_tool_result": (f"{_CTX}::test_orphan_tool_result_is_dropped",),
    "6 kill9_mid_stream": ("tests/soul/test_kill.py::test_kill9_mid_stream_the_persons_message_survives",),
    "7 kill9_in_flow": (
        f"{_CODE}::test_a_kill_at_each_crash_point_resumes_at_the_right_node",
        "tests/flow/test_runs.py::test_a_run_that_is_killed_again_and_again_loses_nothing",
    ),
    "8 kill9_between_files": (
        f"{_HERE}::test_kill9_between_files",
        f"{_HERE}::test_kill9_between_files_leaves_the_state_of_before_and_a_session_that_goes_on",
        "tests/session/test_damaged_files.py::test_a_state_that_cannot_be_read_is_kept_beside_the_next_one",
        "tests/session/test_session.py::test_a_state_that_cannot_be_read_is_told_once_and_kept",
        "tests/session/test_session.py::test_a_link_that_leads_to_itself_in_place_of_a_file_is_told_by_its_name",
    ),
    "9 enospc": (
        f"{_JSONL}::test_enospc_what_could_not_be_written_is_kept_and_written_when_there_is_room",
        f"{_DISK}::test_enospc_is_told_once_the_turn_goes_on_and_what_was_said_is_written_when_there_is_room",
        f"{_FILES}::test_enospc_leaves_the_old_file_whole",
        f"{_FILES}::test_enospc_leaves_the_old_file_whole_in_a_folder_that_takes_no_new_one",
        "tests/tools/shell_support/test_background.py::test_output_that_a_full_disk_did_not_take_is_reported_as_lost",
        f"{_JSONL}::test_a_half_written_line_that_cannot_be_cut_off_is_cut_later_and_no_line_comes_twice",
        f"{_DISK}::test_a_session_that_goes_on_when_the_disk_is_full_has_its_conversation",
        f"{_DISK}::test_what_a_full_disk_did_not_take_does_not_come_back_after_the_conversation_was_rewritten",
        f"{_DISK}::test_what_a_full_disk_did_not_take_is_shown_with_the_warning_to_a_screen_that_comes_later",
        f"{_DISK}::test_what_a_full_disk_did_not_take_is_written_at_the_end_when_there_is_room",
        "tests/ui/print/test_output_streams.py::test_a_session_whose_last_messages_are_not_on_disk_is_not_offered_to_be_resumed",
    ),
    "a hook that hangs at the end": (
        "tests/soul/hooks/test_dispatcher.py::test_an_end_that_gives_up_on_a_hook_still_writes_the_session_and_releases_it",
        "tests/ui/print/test_output_streams.py::test_an_end_that_waits_for_a_hook_says_so_and_ctrl_c_ends_it",
    ),
    "10 ro_home": (
        "tests/session/test_session.py::test_ro_home_a_home_that_cannot_be_written_gives_a_session_with_a_notice",
        f"{_DISK}::test_a_read_only_home_runs_without_a_record_and_says_so",
        "tests/ui/print/test_print.py::test_ro_home_answers_and_says_that_nothing_is_kept",
        "tests/ui/wire_server/test_server.py::test_a_client_hears_what_was_said_before_it_came",
        "tests/ui/acp/test_agent.py::test_an_editor_is_told_once_what_was_said_while_its_session_was_opened",
        "tests/ui/print/test_print.py::test_a_session_whose_state_is_broken_says_so_on_stderr",
    ),
    "a disk that fills after the probe": (
        "tests/session/test_session.py::test_a_lock_that_cannot_be_made_gives_a_session_with_a_notice",
    ),
    "11 emfile": (f"{_PROC}::test_emfile",),
    "12 two_writers, stale_lock": (
        "tests/session/test_session.py::test_two_writers_the_second_process_is_refused_and_told_who_holds_it",
        "tests/session/test_session.py::test_stale_lock_of_an_unrelated_living_process_holds_nobody_up",
    ),
    "a browser in the foreground": (
        "tests/test_browser.py::test_a_browser_that_stays_in_the_foreground_holds_nothing_up",
    ),
    "endless standard input": ("tests/ui/print/test_print.py::test_standard_input_of_more_than_64_mib_is_refused",),
    "a home without locks": (
        "tests/session/test_session.py::test_a_home_on_a_file_system_without_locks_is_used_and_the_user_is_told",
    ),
    "13 surrogate_u2028": (
        "tests/soul/test_engine.py::test_half_surrogates_of_any_face_are_replaced_before_they_go_anywhere",
        f"{_CHARS}::test_a_history_with_half_characters_is_sent_with_them_replaced",
        f"{_CHARS}::test_characters_cut_over_events_are_joined_wherever_they_are_cut",
        f"{_JSONL}::test_characters_that_readers_split_lines_at_stay_within_their_line",
        f"{_JSONL}::test_half_a_surrogate_pair_becomes_a_replacement_and_a_whole_one_its_character",
        f"{_JSONL}::test_a_byte_order_mark_is_no_part_of_the_first_record",
        f"{_PROC}::test_characters_are_never_cut",
    ),
    "14 deleted_cwd, clock_back": (
        "tests/soul/test_kill.py::test_deleted_cwd_is_a_readable_error",
        f"{_PROC}::test_a_work_dir_that_is_gone_is_an_error_and_leaks_nothing",
        f"{_HERE}::test_clock_back",
        "tests/test_timestamps.py::test_a_clock_that_jumps_changes_no_duration",
        "tests/flow/run/test_user_question.py::test_a_clock_that_was_set_back_makes_no_wait_longer_than_its_timeout",
        "tests/flow/run/test_user_question.py"
        "::test_a_deadline_that_passes_while_the_machine_is_suspended_is_taken_soon_after",
    ),
    "15 tree_kill": (
        f"{_PROC}::test_tree_kill",
        f"{_PROC}::test_tree_kill_at_timeout",
        f"{_PROC}::test_a_command_that_ended_while_this_process_was_held_up_is_not_too_late",
        "tests/ui/acp/test_client_services.py"
        "::test_a_command_that_ended_in_the_terminal_before_its_time_was_over_is_not_too_late",
        "tests/tools/shell_support/test_remove_tree.py::"
        "test_a_folder_that_a_command_replaces_by_a_link_meanwhile_leads_to_no_deletion",
        "tests/tools/shell_support/test_remove_tree.py::"
        "test_folders_of_any_depth_in_the_sessions_tmp_are_deleted_with_it",
        "tests/tools/shell_support/test_remove_tree.py::"
        "test_folders_of_killed_sessions_are_deleted_by_the_next_one_and_those_of_running_ones_stay",
        "tests/tools/shell_support/test_remove_tree.py::"
        "test_a_test_of_the_sandbox_that_is_killed_leaves_nothing_outside_of_the_folder_of_its_session",
        "tests/soul/hooks/test_dispatcher.py::test_the_files_of_a_hook_are_in_a_folder_that_a_later_session_deletes",
        "tests/soul/test_soul.py::test_cancel_while_a_tool_runs_leaves_a_valid_context_and_no_process",
    ),
    "16 setsid_child": (
        f"{_PROC}::test_setsid_child",
        "tests/tools/shell_support/test_sandbox.py::test_processes_outside_are_not_seen_and_those_inside_end_with_the_command",
        "tests/tools/shell_support/test_process_runner.py::test_a_child_in_a_session_of_its_own_is_found_though_the_supervisor_was_killed",
        "tests/tools/shell_support/test_process_runner.py::test_a_command_that_stops_its_supervisor_holds_nobody_up",
        "tests/tools/shell_support/test_process_runner.py::test_a_program_that_is_not_there_is_127_and_not_started",
        "tests/tools/shell_support/test_sandbox_start.py::test_a_command_whose_sandbox_did_not_start_has_no_status",
        "tests/tools/shell_support/test_process_runner.py::"
        "test_a_command_is_ended_before_kimi_tui_where_memory_runs_out",
    ),
    "17 zombies": (f"{_PROC}::test_zombies",),
    "18 yes_flood": (
        f"{_PROC}::test_yes_flood",
        "tests/tools/core/test_result_builder.py::test_a_flood_is_not_kept",
        "tests/test_program_output.py::test_a_program_that_writes_without_end_is_ended",
        f"{_TERM}::test_a_flood_of_output_takes_no_memory_and_keys_are_seen",
    ),
    "19 sigterm, sighup, sigint, sigtstp": (
        "tests/ui/print/test_output_streams.py::test_a_signal_ends_an_answer_whose_reader_does_not_read",
        f"{_TERM}::test_a_signal_ends_it_and_the_terminal_is_as_it_was",
        f"{_TERM}::test_sigtstp_gives_the_terminal_back_and_sigcont_paints_again",
        "tests/faults/test_terminal_restored.py::test_the_terminal_is_given_back_after_the_report_that_it_was_asked_for",
        "tests/ui/print/test_print.py::test_a_signal_ends_the_command_that_runs_and_the_session_can_be_resumed",
        "tests/ui/print/test_background.py::test_a_signal_before_the_turn_has_begun_is_heard",
        "tests/ui/print/test_background.py::test_a_hangup_that_nohup_ignores_interrupts_nothing",
    ),
    "20 pty_gone": (f"{_TERM}::test_pty_gone",),
    "21 epipe_print": ("tests/ui/print/test_print.py::test_epipe_print_ends_quietly_when_nobody_reads",),
    "22 resize_storm": (
        f"{_TERM}::test_resize_storm",
        "tests/ui/tui/transcript/test_view.py::test_a_resize_keeps_the_item_at_the_top",
    ),
    "23 focus_storm": (
        f"{_HERE}::test_focus_storm",
        "tests/ui/tui/transcript/test_streaming_markdown.py::test_the_work_for_a_long_open_end_grows_with_its_length",
    ),
    "24 split_input": (
        "tests/ui/tui/terminal/test_key_sequences.py::test_an_esc_that_comes_together_with_a_text_is_esc",
        "tests/ui/tui/terminal/test_key_sequences.py::test_a_late_report_of_the_terminal_types_nothing_and_is_no_esc",
        "tests/ui/tui/terminal/test_key_sequences.py::test_esc_and_an_arrow_that_come_together_are_alt_and_the_arrow",
        "tests/ui/tui/widgets/test_text_field.py::test_a_paste_of_several_lines_is_taken_whole",
        f"{_TERM}::test_split_input",
        f"{_TERM}::test_spaces_joiners_and_private_symbols_that_are_typed_are_sent",
        "tests/ui/tui/keys/test_pane_letters.py::test_a_character_that_is_not_printable_is_a_letter_of_the_pane",
        "tests/ui/tui/keys/test_pane_letters.py::test_a_character_that_is_not_printable_is_a_letter_of_a_screen",
        "tests/ui/tui/test_typing_on_screens.py"
        "::test_a_sentence_typed_at_a_question_that_opened_by_itself_is_in_the_message",
        f"{_TERM}::test_a_paste_of_a_mebibyte_is_no_keys",
        f"{_TERM}::test_a_paste_without_its_end_is_in_the_message_after_a_silence_and_ctrl_c_ends_it",
        f"{_PASTE}::test_ctrl_c_by_itself_ends_a_paste_without_its_end",
        f"{_PASTE}::test_a_paste_without_its_end_is_returned_after_a_silence_and_goes_on",
        f"{_PASTE}::test_textuals_parser_gets_no_paste_that_it_could_not_end",
        "tests/ui/tui/composer/test_composer.py"
        "::test_an_enter_that_ends_a_burst_of_one_line_sends_and_those_of_a_paste_break_the_line",
    ),
    "25 tmux_env": (
        f"{_TERM}::test_tmux_env",
        "tests/cli/test_main.py::test_without_a_terminal_the_screen_says_what_to_use_instead",
    ),
    "26 esc_matrix": (
        "tests/ui/tui/widgets/test_text_field.py::test_no_control_character_of_the_value_reaches_the_terminal",
        "tests/test_text_safety.py::test_a_text_without_controls_keeps_its_lines_tabs_and_letters",
        "tests/faults/test_esc_matrix.py::test_esc_matrix",
        "tests/ui/tui/text/test_sanitize.py::test_nothing_that_acts_on_a_terminal_is_left",
        "tests/ui/tui/transcript/test_item_renderer.py::test_no_item_breaks_the_grid_or_reaches_the_terminal",
        f"{_MCP}/test_parts.py::test_untrusted_text_is_cleaned",
    ),
    "27 bidi_zw": (f"{_CMD}::test_bidi_zw", f"{_APPROVAL}::test_hidden_characters_of_a_command_are_spelled_out"),
    "28 hidden_tail": (
        f"{_CMD}::test_hidden_tail",
        f"{_SHELL}::test_hidden_text_is_pointed_out",
        f"{_APPROVAL}::test_the_broad_answer_is_withheld_until_the_whole_text_was_seen",
    ),
    "29 approval_keys": (
        f"{_TERM}::test_approval_keys_that_were_typed_ahead_or_pasted_do_not_approve",
        f"{_APPROVAL}::test_no_key_approves_before_the_dialog_has_stood_still",
        f"{_APPROVAL}::test_enter_on_nothing_does_not_approve",
        f"{_APPROVAL}::test_only_the_left_button_answers",
        "tests/ui/tui/terminal/test_driver.py::test_the_side_buttons_of_a_mouse_are_not_its_left_one",
        "tests/soul/test_soul.py::test_a_yes_for_the_session_in_the_moment_of_an_interruption_runs_and_grants_nothing",
        "tests/interaction/test_approvals.py::test_an_answer_after_an_interruption_grants_nothing",
        f"{_APPROVAL}::test_the_next_of_several_approvals_is_shown_and_guarded_anew",
        f"{_APPROVAL}::test_a_click_that_gives_the_window_its_focus_answers_nothing",
        f"{_APPROVAL}::test_an_approval_that_comes_back_into_view_is_guarded_anew",
        f"{_APPROVAL}::test_a_key_pressed_before_the_dialog_stood_still_answers_nothing_however_late_it_is_handled",
        f"{_GUARD}::test_a_key_before_the_terminal_has_drawn_the_dialog_answers_nothing",
        f"{_GUARD}::test_one_request_at_a_time_is_without_an_answer",
        f"{_GUARD}::test_after_a_lost_answer_the_terminal_is_asked_again_and_each_answer_is_that_to_the_last_request",
        f"{_GUARD}::test_after_another_program_had_the_terminal_its_answers_are_not_waited_for",
        f"{_APPROVAL}::test_digits_in_a_reason_answer_nothing",
        f"{_AHEAD}::test_an_answers_key_that_a_sentence_begins_with_answers_nothing",
        f"{_PANE_LETTERS}::test_a_sentence_in_a_pane_opens_nothing_and_that_is_said",
        f"{_PANE_LETTERS}::test_keys_that_move_act_at_once_and_again_after_a_sentence_and_a_pause",
    ),
    "30 secret_leak": (
        "tests/tools/shell_support/test_landlock.py::test_a_home_that_is_shown_shows_neither_our_keys_nor_sessions",
        f"{_SHELL}::test_secret_leak",
        f"{_HERE}::test_secret_leak_a_key_is_in_no_file_and_in_no_output",
        f"{_HTTP}::test_no_secret_is_told",
        f"{_HTTP}::test_no_secret_is_told_that_a_service_repeats_in_a_stream_or_a_200",
        "tests/session/test_redact.py::test_a_secret_of_our_environment_is_in_no_export",
        "tests/config/test_loader.py::test_a_header_or_a_variable_named_like_a_secret_is_one",
        "tests/ui/tui/flow_pane/test_pane.py::test_an_exported_run_has_no_key_of_the_configuration",
        "tests/session/test_redact.py::test_no_text_of_a_session_is_redacted_in_quadratic_time",
        "tests/session/test_redact.py::test_what_commands_do_not_get_in_their_environment_is_in_no_export",
        "tests/cli/commands/test_flow.py::test_an_exported_run_has_no_keys_of_its_arguments",
        "tests/tools/shell_support/test_sandbox.py::test_a_locale_that_is_not_installed_costs_no_sandbox",
        "tests/tools/shell_support/test_sandbox.py::test_our_keys_cannot_be_read",
        "tests/tools/shell_support/test_sandbox.py::test_keys_and_tokens_of_the_home_are_hidden_and_can_be_given_back",
        "tests/tools/shell_support/test_sandbox.py::test_a_link_named_git_makes_nothing_visible",
        "tests/tools/shell_support/test_landlock.py::test_a_terminal_of_the_user_is_neither_read_nor_written",
        "tests/tools/shell_support/test_sandbox.py::test_a_folder_replaced_by_a_link_while_the_sandbox_starts_opens_nothing",
        "tests/tools/shell_support/test_sandbox.py::test_a_key_in_the_users_session_keyring_is_not_found",
        "tests/tools/shell_support/test_sandbox.py::test_a_key_in_a_keyring_of_the_user_is_not_read_by_its_number",
        "tests/tools/shell_support/test_sandbox_start.py::"
        "test_a_command_whose_mounts_nobody_compares_any_more_is_not_started",
        "tests/session/test_session_index.py::test_markdown_and_json_tell_the_conversation_without_secrets",
        "tests/cli/test_main.py::test_no_command_can_read_the_keys_in_the_environment_of_the_program",
    ),
    "31 cmd_split": (
        "tests/permission/test_in_tools.py::test_a_rule_with_a_pattern_is_about_the_arguments_of_any_tool",
        "tests/permission/test_rule.py::test_an_option_that_a_rule_that_allows_names_is_not_taken_back",
        "tests/permission/test_argument_pattern.py::test_a_rule_that_allows_covers_what_the_arguments_surely_are",
        "tests/permission/test_rule.py::test_a_denied_command_is_asked_about_with_words_of_options_and_with_others",
        "tests/permission/test_rule.py::test_a_wildcard_of_a_rule_that_allows_is_no_option_no_other_host_and_no_other_source",
        "tests/permission/test_rule.py::"
        "test_a_wildcard_of_a_rule_that_allows_leads_out_of_no_folder_and_to_no_other_branch",
        "tests/permission/test_rule.py::test_a_denied_option_is_asked_about_wherever_it_is_and_however_it_is_spelled",
        f"{_CMD}::test_cmd_split",
        "tests/tools/core/test_ask_approval.py::test_a_way_that_the_model_calls_no_is_no_answer_of_the_user",
        f"{_CMD}::test_commands_within_others_are_listed_too",
        f"{_CMD}::test_a_pattern_that_names_a_program_is_no_test",
        f"{_CMD}::test_a_number_sign_that_ends_a_word_hides_nothing_behind_it",
        f"{_RULED}::test_a_rule_about_reading_a_file_holds_for_a_word_that_names_it_in_part",
        f"{_CMD}::test_a_keyword_behind_a_wrapper_leaves_the_program_unknown",
        f"{_CMD}::test_a_test_ends_with_its_line",
        f"{_CMD}::test_a_program_within_an_expansion_is_listed_or_unknown",
        f"{_CMD}::test_a_word_behind_assignments_that_is_known_only_at_run_time_may_be_the_program",
        f"{_CMD}::test_a_yes_for_a_word_in_quotes_covers_none_that_bash_expands",
        f"{_CMD}::test_no_text_takes_long",
        f"{_CMD}::test_bash_runs_nothing_but_what_was_covered",
        f"{_RISKS}::test_a_redirection_with_an_odd_descriptor_or_target_is_asked_about",
        f"{_RISKS}::test_a_yes_for_a_program_with_input_covers_no_other_input",
        f"{_RISKS}::test_a_builtin_that_evaluates_its_operands_is_asked_about",
        f"{_RISKS}::test_a_pattern_that_may_become_an_option_is_asked_about",
        f"{_READ}::test_a_repository_whose_settings_may_run_something_is_asked_about",
        f"{_READ}::test_a_hook_of_the_worktree_that_the_user_s_settings_name_is_asked_about",
        f"{_PROG}/test_dangers.py::test_a_users_rule_is_their_word_for_all_but_what_it_does_not_name",
        f"{_READ}::test_a_folder_that_git_takes_for_a_repository_without_git_in_its_name_is_asked_about",
        f"{_READ}::test_git_settings_with_a_password_are_asked_about_whatever_prints_them",
        f"{_READ}::test_a_repository_that_takes_its_objects_from_outside_is_asked_about",
        f"{_RISKS}::test_the_target_of_a_redirection_that_bash_expands_twice_is_asked_about",
        "tests/mcp/test_tool.py::test_a_yes_for_a_tool_covers_no_other_whatever_the_names_hold",
        "tests/mcp/test_tool.py::test_a_yes_for_a_tool_covers_it_only_while_its_server_says_the_same_of_it",
        "tests/mcp/test_tool.py::test_a_yes_for_a_tool_covers_no_other_server_that_later_has_the_same_name",
        "tests/mcp/test_prompts_and_resources.py::"
        "test_a_yes_for_resources_covers_no_other_server_that_later_has_the_same_name",
        "tests/tools/shell_support/test_here_document.py::test_a_here_document_that_bash_ends_elsewhere_is_not_read",
        f"{_READ}::test_a_git_folder_that_takes_its_settings_from_another_is_asked_about",
        f"{_READ}::test_a_git_folder_that_git_passes_over_says_nothing_of_the_one_above",
        f"{_READ}::test_a_program_that_the_agent_may_have_written_is_asked_for",
        f"{_READ}::test_what_does_more_or_reads_what_is_secret_is_asked_for",
        f"{_READ}::test_addresses_are_asked_about_where_the_settings_of_the_user_put_a_password_into_them",
        f"{_READ}::test_a_search_is_asked_about_where_settings_of_a_submodule_or_a_worktree_hold_a_password",
        f"{_PROG}/test_scope.py::test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
        f"{_READ}::test_a_search_that_passes_over_hidden_secrets_is_free_until_a_file_shows_them",
        f"{_READ}::test_a_wrapper_that_anyone_may_have_written_is_asked_for",
        f"{_READ}::test_a_program_that_files_of_the_folder_choose_is_asked_for",
        f"{_READ}::test_a_yes_for_a_program_that_writes_covers_no_path_with_a_link_out_of_the_workspace",
        f"{_READ}::test_a_program_that_takes_options_from_a_variable_may_read_more",
        f"{_READ}::test_a_blank_of_unicode_counts_in_a_setting_of_git",
        "tests/permission/test_rule.py::test_a_rule_that_denies_or_asks_is_about_a_wrapper_too",
        "tests/tools/shell_support/test_code_loading_env.py"
        "::test_a_variable_by_which_programs_load_code_of_the_work_dir_is_asked_about",
        f"{_RULED}::test_a_rule_about_a_file_holds_for_what_git_names_from_the_top_of_the_repository",
        "tests/tools/shell_support/test_child_env.py"
        "::test_a_variable_by_which_bash_reads_a_line_in_another_way_is_left_out",
        f"{_READ}::test_plan_mode_runs_commands_that_only_read",
        f"{_READ}::test_a_format_that_sets_a_variable_is_asked_about",
        f"{_RULED}::test_a_rule_about_reading_a_file_holds_for_a_command_that_reads_it",
        f"{_RULED}::test_git_prints_tracked_secrets_only_after_a_yes",
        f"{_RULED}::test_git_prints_a_secret_that_was_once_committed_only_after_a_yes",
        f"{_RULED}::test_a_history_that_cannot_be_searched_is_asked_about_unless_a_rule_covers_it",
        f"{_RULED}::test_a_rule_or_a_yes_covers_a_search_over_secrets_only_word_for_word",
        f"{_RULED}::test_a_rule_covers_what_may_print_a_secret_by_an_unknown_option_only_word_for_word",
        f"{_PROG}/test_dangers.py::test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule",
        f"{_PROG}/test_dangers.py::test_an_option_that_is_not_in_a_table_is_never_covered",
        f"{_PROG}/test_scope.py::test_what_is_not_known_to_be_harmless_is_covered_word_by_word",
        "tests/permission/test_rule.py::test_a_rule_that_allows_covers_what_it_surely_means",
        "tests/permission/test_rule.py::test_a_rule_that_denies_covers_what_it_may_mean",
        "tests/permission/test_rule.py::"
        "test_a_rule_that_denies_is_asked_about_where_programs_may_run_that_are_not_listed",
        "tests/permission/test_rule.py::"
        "test_a_rule_that_denies_is_asked_about_where_another_program_may_run_what_it_names",
    ),
    "32 path_escape": (
        "tests/permission/test_settings.py::test_a_rule_that_denies_holds_where_a_link_in_its_path_leads",
        "tests/tools/file_support/test_client_editor.py"
        "::test_while_a_command_runs_in_the_sandbox_the_editor_reads_and_writes_nothing",
        "tests/test_paths.py::test_what_a_link_with_too_long_a_target_leads_to_is_neither_a_file_nor_a_folder",
        "tests/test_paths.py::test_only_files_that_say_why_ask_pathlib_where_a_path_leads",
        "tests/permission/test_trust.py::test_a_link_that_leads_nowhere_keeps_no_project_from_being_asked_about",
        f"{_FILES}::test_path_escape",
        "tests/tools/shell_support/test_protected_paths.py::test_a_sensitive_or_protected_file_is_seen_behind_what_bash_expands",
        "tests/tools/shell_support/test_protected_paths.py::test_where_a_limit_is_met_it_is_asked_for",
        f"{_FILES}::test_a_hard_link_is_cut_loose",
        f"{_FILES}::test_a_swap_after_the_check_is_noticed",
        "tests/tools/shell_support/test_landlock.py::"
        "test_a_folder_of_the_workspace_that_becomes_a_link_at_the_last_moment_opens_nothing",
        "tests/tools/shell_support/test_landlock.py::test_a_link_in_a_writable_folder_shows_nothing_of_the_home",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_links_of_the_home_into_the_workspace_lead_no_further_than_commands_can_see",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_setting_that_leads_through_the_workspace_opens_nothing_else",
        "tests/soul/test_rewind.py::test_a_rewind_removes_no_file_where_a_link_leads_that_a_command_made_meanwhile",
        "tests/soul/test_rewind.py::test_a_rewind_makes_no_folder_where_a_link_leads_that_a_command_made",
        f"{_FILES}::test_the_ways_of_proc_lead_where_they_lead",
        "tests/permission/test_in_tools.py::test_files_are_judged_by_where_they_lead",
        f"{_SEARCH}::test_a_search_reads_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile",
        f"{_SEARCH}::test_a_glob_lists_nothing_that_a_link_leads_to_which_a_command_makes_meanwhile",
        f"{_SEARCH}::test_a_file_that_is_not_there_is_not_looked_for_behind_a_link_that_a_command_makes_meanwhile",
        "tests/test_paths.py::test_a_folder_that_takes_the_place_of_a_link_meanwhile_is_resolved",
        "tests/test_paths.py::test_a_link_that_cannot_be_read_stays_and_the_others_are_resolved",
        f"{_SEARCH}::test_a_link_of_a_command_among_the_files_that_tell_what_is_ignored_opens_nothing",
    ),
    "33 sensitive_alias": (
        f"{_FILES}::test_sensitive_alias",
        f"{_FILES}::test_an_edit_tells_nothing_of_a_secret_unless_it_may_be_read",
        "tests/tools/test_selected_hunks.py::test_what_was_refused_in_a_file_that_may_not_be_read_is_not_told",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_a_command_that_may_read_secrets_which_it_does_not_name_needs_an_approval",
        "tests/cli/commands/test_permission.py::test_a_command_in_the_sandbox_that_may_read_secrets_needs_an_approval",
        f"{_FILES}::test_a_hard_link_to_a_file_with_secrets_is_one_too",
        f"{_HERE}::test_a_name_of_the_list_is_sensitive",
    ),
    "34 protected_paths": (
        "tests/permission/test_named_files.py::test_a_file_is_named_in_each_of_these_ways",
        "tests/permission/test_named_files.py::"
        "test_of_a_command_with_very_many_words_only_the_first_ones_are_looked_for",
        "tests/soul/commands/test_registry.py::"
        "test_no_folder_is_added_while_a_command_runs_whose_work_its_files_would_be_taken_for",
        "tests/skill/test_roots.py::test_folders_of_a_project_that_nobody_trusts_come_last",
        "tests/tools/shell_support/test_redacted_settings.py::test_what_holds_no_secret_stays_as_it_was",
        "tests/tools/test_shell.py::test_a_bash_of_the_workspace_does_not_run_commands",
        "tests/test_secret_store.py::test_no_program_of_the_project_starts_where_the_keyring_is_looked_for",
        "tests/cli/commands/test_doctor.py::test_a_program_of_the_project_is_not_started",
        "tests/ui/tui/composer/test_shell_lines.py::test_an_editor_that_commands_could_have_put_on_path_is_not_started",
        "tests/test_browser.py::test_a_browser_that_commands_could_have_put_on_path_is_not_started",
        f"{_FILES}::test_protected_paths",
        f"{_FILES}::test_a_short_name_of_windows_may_be_that_of_a_protected_file",
        f"{_SHELL}::test_protected_paths_are_asked_for_even_under_yolo",
        "tests/permission/test_in_tools.py::test_what_is_protected_asks_whatever_is_allowed",
        "tests/tools/shell_support/test_sandbox.py::test_protected_files_stay_though_their_folders_are_moved",
        "tests/tools/shell_support/test_program_files.py::test_a_command_cannot_change_the_program_that_runs_it",
        "tests/tools/shell_support/test_sandbox.py::test_a_configured_path_that_a_command_made_a_link_opens_nothing",
        "tests/tools/shell_support/test_sandbox_daily_work.py"
        "::test_a_command_cannot_make_the_store_of_pnpm_a_link_to_what_is_hidden",
        "tests/tools/shell_support/test_sandbox_daily_work.py"
        "::test_a_link_to_a_repository_in_the_store_of_pnpm_runs_nothing_for_the_user",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_link_that_cannot_be_followed_keeps_no_setting_of_git_from_being_undone",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_the_configuration_stays_hidden_where_commands_may_write_to_the_folder_for_temporary_files",
        "tests/tools/shell_support/test_git_state.py::test_what_git_trusts_in_its_state_does_not_act_elsewhere",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_a_repository_below_many_folders_that_cannot_be_listed_is_checked",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_no_submodule_has_its_worktree_in_a_git_directory",
        "tests/tools/shell_support/test_git_refs.py::test_git_writes_no_file_elsewhere_by_a_symbolic_ref",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_git_finds_the_repository_after_a_command_broke_its_head",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_a_new_repository_over_tracked_files_pushes_nowhere",
        "tests/tools/shell_support/test_git_watch.py::test_a_setting_of_the_user_that_a_command_takes_out_comes_back",
        "tests/tools/shell_support/test_git_refs.py::test_refs_that_are_too_many_to_look_at_are_put_aside",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_a_script_to_which_a_hook_is_a_link_is_guarded",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_the_list_of_submodules_moves_their_remotes_alone",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_settings_of_the_user_are_known_as_a_whole",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_hooks_in_a_linked_worktree_are_guarded",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_what_included_settings_name_is_guarded",
        "tests/tools/shell_support/test_git_where_it_leads.py::test_new_hooks_in_a_linked_worktree_are_put_aside",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_a_new_worktree_keeps_the_hooks_that_the_main_one_has",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_hooks_behind_a_link_that_a_command_replaced_are_put_aside",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_a_git_file_that_leads_elsewhere_by_another_link_is_put_aside",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_a_worktree_that_is_elsewhere_by_a_new_link_is_not_repaired_there",
        "tests/tools/shell_support/test_git_where_it_leads.py::"
        "test_hooks_are_guarded_where_a_git_file_or_a_link_names_a_folder_that_does_not_name_it",
        "tests/tools/shell_support/test_git_state.py::test_of_many_new_files_their_folder_is_put_aside",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_after_a_check_that_failed_commands_ask_until_what_was_left_is_undone",
        "tests/tools/shell_support/test_git_state.py::test_indexes_that_take_long_to_check_are_put_aside",
        "tests/tools/shell_support/test_git_state.py::test_contents_that_take_long_to_read_count_as_changed",
        "tests/tools/shell_support/test_git_directory_names.py::"
        "test_a_file_that_another_program_reads_in_a_git_directory_is_put_aside",
        "tests/tools/shell_support/test_sandbox.py::test_what_other_programs_keep_in_a_git_directory_cannot_be_changed",
        "tests/tools/shell_support/test_lfs_config.py::test_no_command_changes_where_git_lfs_uploads",
        "tests/tools/shell_support/test_lfs_config.py::test_a_link_that_git_lfs_follows_elsewhere_is_put_aside",
        "tests/permission/test_trust.py::"
        "test_a_program_that_a_server_of_the_project_runs_is_asked_about_when_it_changed",
        "tests/permission/test_trust.py::"
        "test_a_program_of_a_server_that_is_too_large_to_hash_is_asked_about_when_it_changed",
        "tests/ui/tui/session/test_engine_factory.py::"
        "test_a_yes_is_asked_for_again_where_a_file_is_not_the_one_that_was_shown",
        "tests/mcp/test_session.py::test_a_server_of_a_project_is_started_as_it_was_trusted_only",
        "tests/tools/test_shell.py::test_no_command_runs_in_what_took_the_place_of_the_work_dir",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_commands_ask_where_folders_are_left_out_of_the_search_for_repositories",
        "tests/tools/shell_support/test_lfs_config.py::test_git_runs_and_fetches_nothing_while_it_reads_for_git_lfs",
        "tests/tools/shell_support/test_lfs_config.py::test_a_huge_object_takes_no_memory_from_the_user",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_repository_whose_path_is_too_long_to_check_is_put_aside_and_commands_run",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_an_index_that_a_background_command_changes_in_its_memory_is_put_aside",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_command_that_starts_as_another_ends_does_not_take_its_changes_as_right",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_of_thousands_of_repositories_that_a_command_makes_most_are_put_aside",
        "tests/tools/shell_support/test_git_state.py::test_an_index_is_checked_again_when_its_hashes_have_another_size",
        "tests/tools/shell_support/test_git_state.py::test_the_file_of_a_conflict_that_is_behind_a_new_link_is_not_read",
        "tests/tools/shell_support/test_git_state.py::test_the_state_of_what_is_in_progress_is_what_git_writes",
        "tests/tools/shell_support/test_git_state.py::"
        "test_a_worktree_of_a_setting_that_became_a_link_is_written_no_more",
        "tests/tools/shell_support/test_git_state.py::test_what_could_not_be_undone_is_said",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_the_mounts_of_a_git_directory_around_the_workspace_are_compared_too",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_repositories_in_folders_that_a_setting_makes_writable_run_nothing_for_the_user",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_repository_in_a_cache_runs_nothing_for_the_user_behind_a_link_of_the_project",
        "tests/tools/shell_support/test_git_watch.py::"
        "test_caches_are_searched_where_more_links_lead_out_of_the_project_than_are_followed",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_the_full_sandbox_works_where_temporary_files_are_in_the_workspace",
        "tests/tools/shell_support/test_git_state.py::test_settings_that_take_git_to_other_names_of_files_are_undone",
        "tests/tools/shell_support/test_sandbox_start.py::"
        "test_a_command_is_started_again_after_a_folder_vanished_while_the_sandbox_started",
        "tests/tools/shell_support/test_sandbox_start.py::"
        "test_a_command_that_prints_the_reason_of_a_failed_start_is_not_run_again",
        "tests/tools/shell_support/test_sandbox_folders.py::test_no_link_of_a_command_in_its_tmp_leads_file_tools_out_of_it",
        "tests/tools/shell_support/test_sandbox_folders.py::test_programs_in_the_home_stay_as_they_are_where_the_home_is_the_workspace",
        "tests/tools/shell_support/test_sandbox_folders.py::test_a_socket_that_a_program_of_the_user_opens_later_in_the_workspace_is_closed_to_commands",
        "tests/tools/shell_support/test_sandbox_folders.py::test_the_question_for_a_command_outside_names_a_program_that_commands_can_change",
        "tests/tools/shell_support/test_sandbox_folders.py::test_settings_by_which_other_version_control_runs_programs_are_kept_and_put_aside",
        "tests/tools/shell_support/test_sandbox_folders.py::test_a_link_to_what_starts_programs_is_put_aside_wherever_it_leads",
        "tests/tools/shell_support/test_sandbox_folders.py"
        "::test_a_link_to_what_starts_programs_that_leads_elsewhere_now_is_put_aside",
        "tests/tools/shell_support/test_sandbox_folders.py"
        "::test_what_starts_programs_behind_a_link_that_led_nowhere_is_put_aside",
        "tests/tools/shell_support/test_sandbox_folders.py::test_a_command_that_is_cancelled_again_and_again_is_checked_to_the_end",
        "tests/tools/shell_support/test_sandbox_folders.py::test_what_a_background_command_did_is_undone_when_the_session_ends",
        "tests/tools/shell_support/test_session_network.py::test_a_rule_allows_https_only_unless_it_names_a_port",
        "tests/tools/shell_support/test_session_network.py::test_what_ends_an_address_of_a_rule_is_no_port",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_repositories_with_thousands_of_modules_are_read_only_and_commands_run",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_the_hooks_and_settings_of_a_hundred_repositories_are_read_only",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_commands_still_run_after_one_made_a_repository_hundreds_of_folders_deep",
        "tests/tools/shell_support/test_sandbox_folders.py::test_an_added_folder_that_became_a_link_opens_nothing",
        "tests/tools/shell_support/test_sandbox_folders.py::"
        "test_a_command_cannot_replace_a_workspace_within_another_writable_folder",
        "tests/tools/shell_support/test_program_files.py::test_commands_are_asked_for_where_kimi_tui_imports_from_a_folder_of_the_project",
        "tests/tools/shell_support/test_git_watch.py::"
        "test_settings_that_another_session_undid_meanwhile_are_not_put_back",
        "tests/tools/shell_support/test_git_watch.py::test_settings_that_change_during_a_check_are_undone_by_it_or_by_the_next",
        "tests/tools/shell_support/test_sandbox.py::test_git_works_and_what_it_runs_cannot_be_changed",
        "tests/tools/shell_support/test_sandbox.py::test_a_background_command_cannot_change_the_settings_of_git",
        "tests/tools/shell_support/test_git_use.py::test_git_that_runs_a_program_or_writes_a_named_file_is_not_alone",
        "tests/tools/shell_support/test_git_use.py::test_a_line_that_writes_or_runs_something_beside_git_does_not_run_it_alone",
        "tests/tools/shell_support/test_git_use.py::"
        "test_git_is_not_alone_beside_a_builtin_that_may_run_what_an_operand_says",
        "tests/tools/shell_support/test_git_use.py::test_files_that_git_might_write_in_its_own_directory_are_not_gits_alone",
        "tests/tools/shell_support/test_git_use.py::test_a_line_of_git_uses_no_link_that_it_may_make_and_no_name_like_an_option",
        "tests/tools/shell_support/test_protected_paths.py::test_a_line_that_enters_many_folders_is_asked_about",
        "tests/tools/shell_support/test_git_use.py::test_while_other_commands_run_git_is_alone_where_nothing_else_is_written",
        "tests/tools/shell_support/test_git_use.py::"
        "test_git_is_not_alone_where_it_could_make_a_link_or_a_repository_that_the_line_uses",
        "tests/tools/shell_support/test_git_use.py::"
        "test_git_is_alone_in_the_folders_of_the_workspace_and_their_repositories_only",
        "tests/tools/shell_support/test_git_use.py::"
        "test_git_is_not_alone_where_a_file_that_it_writes_is_a_link_into_its_directory",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_no_command_makes_a_repository_where_the_users_git_looks_for_a_submodule",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_commands_in_the_background_end_when_a_line_of_git_brings_a_submodule",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_of_very_many_submodules_the_folders_around_are_closed",
        "tests/tools/shell_support/test_submodule_places.py::test_of_a_very_deep_submodule_a_folder_above_is_closed",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_a_git_file_that_names_any_folder_is_as_read_only_as_git_itself",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_the_submodules_of_a_submodule_are_found_by_its_git_file",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_commands_in_the_background_end_when_anybody_brings_a_submodule",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_a_line_that_takes_the_repository_of_a_submodule_away_ends_with_what_runs_beside",
        "tests/tools/shell_support/test_submodule_places.py::"
        "test_the_worktree_of_a_repository_with_too_many_submodules_is_closed",
        "tests/tools/shell_support/test_command_turns.py::"
        "test_commands_that_come_later_wait_for_one_that_waits_to_keep_others_out",
        "tests/tools/file_support/test_git_index.py::test_the_submodules_of_a_split_index_that_replace_files_are_found",
        "tests/tools/shell_support/test_command_turns.py::"
        "test_no_command_begins_before_the_one_that_keeps_others_out_ends",
        "tests/tools/shell_support/test_command_turns.py::"
        "test_a_command_that_only_reads_waits_for_none_and_is_no_other_but_may_meet_others",
        "tests/tools/shell_support/test_command_turns.py::"
        "test_a_command_that_begins_after_a_line_of_git_makes_no_link_for_it",
        "tests/tools/shell_support/test_command_turns.py::"
        "test_a_command_makes_no_link_for_a_line_of_git_that_begins_meanwhile",
        "tests/tools/shell_support/test_git_use.py::"
        "test_a_line_of_git_with_very_long_paths_or_very_many_is_read_at_once",
        "tests/tools/shell_support/test_git_use.py::"
        "test_git_is_not_alone_where_a_branch_or_another_command_could_bring_settings",
        "tests/tools/shell_support/test_git_alone_env.py::"
        "test_git_runs_no_hooks_where_a_branch_or_another_command_could_bring_them",
        "tests/tools/shell_support/test_git_alone_env.py::"
        "test_git_pushes_to_an_added_repository_by_a_line_that_makes_no_other_while_none_is_made",
        "tests/tools/shell_support/test_git_alone_env.py::"
        "test_git_finds_programs_of_the_project_only_where_the_user_has_hooks",
        "tests/tools/shell_support/test_sandbox.py::test_git_by_itself_obeys_no_repository_that_a_branch_holds",
        "tests/tools/shell_support/test_sandbox.py::test_git_by_itself_runs_no_hook_of_a_repository_to_which_it_pushes",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_repositories_that_a_command_makes_do_not_open_those_of_the_user",
        "tests/tools/shell_support/test_git_alone_env.py::"
        "test_git_gets_the_repository_around_by_name_while_other_commands_could_make_one",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_while_a_background_command_runs_git_by_itself_uses_no_new_repository_in_the_work_dir",
        "tests/tools/shell_support/test_sandbox.py::test_programs_beside_git_write_nothing_in_its_directory_and_git_by_itself_does",
        "tests/tools/shell_support/test_sandbox.py::test_a_git_that_the_project_has_on_path_does_not_write_in_its_directory",
        "tests/tools/shell_support/test_sandbox.py::test_a_link_in_the_folder_for_temporary_files_leads_no_line_of_git_into_its_directory",
        "tests/tools/shell_support/test_sandbox.py::test_a_repository_that_a_program_made_holds_no_operation_that_stopped",
        "tests/tools/shell_support/test_sandbox.py::test_settings_of_the_kernel_are_mounted_read_only",
        "tests/test_paths.py::test_a_program_that_commands_could_have_put_on_path_is_not_found",
        "tests/tools/shell_support/test_sandbox.py::test_no_command_makes_the_users_next_git_command_run_a_program",
        "tests/tools/shell_support/test_sandbox_escapes.py::test_a_tier_holds_all_but_what_it_says_that_it_cannot",
        "tests/tools/shell_support/test_sandbox.py::test_the_repository_around_the_workspace_is_watched_too",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_the_repository_elsewhere_of_a_worktree_in_a_subfolder_is_watched_too",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_a_command_that_cuts_the_tie_to_the_repository_around_cannot_keep_its_settings",
        "tests/tools/shell_support/test_landlock.py::"
        "test_a_kernel_whose_landlock_knows_no_network_lets_nothing_leave_either",
        "tests/tools/shell_support/test_landlock.py::"
        "test_a_kernel_whose_landlock_knows_no_sizes_keeps_files_from_being_emptied",
        "tests/tools/shell_support/test_landlock.py::"
        "test_the_repository_above_stays_as_it_is_though_a_command_removes_the_workspaces_own",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_the_repository_above_a_submodule_stays_as_it_is_though_a_command_removes_the_git_file",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_no_command_removes_the_git_file_of_a_workspace_that_is_a_worktree",
        "tests/tools/shell_support/test_sandbox.py::test_a_remote_of_git_is_moved_only_with_an_approval",
        "tests/tools/shell_support/test_sandbox.py::test_a_link_in_a_git_directory_that_leads_out_of_it_is_removed",
        "tests/tools/shell_support/test_sandbox.py::test_a_link_among_the_objects_overwrites_no_file",
        "tests/tools/shell_support/test_sandbox.py::test_a_link_deep_in_a_git_directory_of_another_name_is_removed",
        "tests/tools/shell_support/test_sandbox.py::test_a_submodule_that_is_named_like_a_folder_of_objects_runs_no_hook_of_a_command",
        "tests/tools/shell_support/test_sandbox_users.py::test_an_ordinary_users_sandbox_passes_the_same_tests",
        "tests/tools/shell_support/test_sandbox.py::test_hooks_in_the_worktree_stay_as_they_are",
        "tests/tools/shell_support/test_sandbox.py::test_the_users_settings_of_git_stay_though_they_are_in_the_workspace",
        "tests/tools/shell_support/test_sandbox.py::test_a_folder_of_programs_shows_no_project_beside_it",
        "tests/tools/shell_support/test_sandbox_git_settings.py::"
        "test_settings_of_git_that_a_command_could_write_show_nothing",
        "tests/tools/shell_support/test_sandbox_git_settings.py::test_only_a_folder_that_holds_hooks_is_shown_as_one",
        "tests/tools/shell_support/test_sandbox.py::test_a_program_that_git_starts_changes_nothing_about_where_a_push_goes",
        "tests/tools/shell_support/test_sandbox.py::test_an_approved_change_of_a_remote_covers_no_other_one",
        "tests/tools/shell_support/test_session_network.py::test_hosts_are_reached_although_the_program_denies_others_access_to_itself",
        "tests/mcp/test_servers.py::test_a_server_runs_nothing_that_a_command_left_in_the_project",
        "tests/mcp/test_servers.py::test_a_server_finds_no_program_and_no_module_in_the_project",
        "tests/tools/shell_support/test_session_network.py::test_only_a_running_command_reaches_hosts_by_its_password",
        "tests/tools/shell_support/test_read_only.py::"
        "test_no_program_of_a_configured_folder_that_commands_can_write_is_one_that_only_reads",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_a_bubblewrap_in_a_folder_of_the_home_that_commands_may_write_is_not_found",
        "tests/tools/shell_support/test_session_network.py::test_no_socket_leads_to_the_host_of_a_virtual_machine",
        "tests/tools/shell_support/test_session_network.py::test_a_host_is_asked_for_even_in_yolo_mode_and_a_yes_or_no_for_the_session_holds",
        "tests/tools/shell_support/test_session_network.py::test_the_proxy_passes_both_directions_of_an_allowed_connection",
        "tests/tools/shell_support/test_session_network.py::test_a_proxy_that_does_not_connect_is_named_and_leads_to_no_private_host",
        "tests/tools/shell_support/test_repository_finder.py::test_after_lost_events_everything_is_looked_at",
        "tests/tools/shell_support/test_repository_finder.py::"
        "test_folders_that_are_exchanged_and_back_during_a_look_are_looked_at_again",
        "tests/tools/shell_support/test_repository_finder.py::"
        "test_what_a_link_leads_to_is_not_looked_at_though_it_changed_before",
        "tests/tools/shell_support/test_repository_finder.py::test_what_changed_is_found_though_a_root_is_gone",
        "tests/tools/shell_support/test_sandbox_start.py::test_what_bubblewrap_makes_outside_while_it_starts_fails",
        "tests/tools/shell_support/test_sandbox_start.py::"
        "test_mounts_of_a_process_without_a_sandbox_are_not_taken_for_those_of_one",
        "tests/tools/shell_support/test_repository_finder.py::"
        "test_folders_that_are_removed_and_made_again_between_two_looks_are_found",
    ),
    "35 sse_cut": (
        f"{_HTTP}::test_a_stream_cut_at_any_event_is_a_connection_error",
        f"{_HTTP}::test_where_chunks_are_cut_does_not_matter",
        f"{_HTTP}::test_half_json_is_a_connection_error",
        "tests/ui/print/test_print_http.py::test_a_429_a_500_and_a_cut_stream_are_got_over_without_text_twice",
    ),
    "36 http_matrix": (
        f"{_HTTP}::test_each_status_has_its_error",
        f"{_HTTP}::test_retry_after_is_read",
        "tests/llm/test_retry.py::test_a_wait_can_be_cancelled",
        "tests/ui/tui/transcript/test_item_renderer.py::test_a_retry_counts_down",
    ),
    "37 stall": (
        f"{_HTTP}::test_a_silent_stream_times_out",
        f"{_HERE}::test_stall_of_the_service_holds_up_neither_the_start_nor_escape",
    ),
    "38 ctx_overflow": (
        "tests/soul/test_compact.py::test_ctx_overflow_reported_by_the_service_compacts_once_and_asks_again",
        "tests/soul/test_compact.py::test_an_empty_summary_keeps_the_conversation_and_says_so",
        "tests/ui/tui/state/test_ui_state.py::test_a_compaction_that_did_not_happen_is_not_shown_as_one",
        "tests/soul/commands/test_registry.py::test_init_compacts_its_own_conversation_and_never_that_of_the_session",
    ),
    "39 bad_model": (
        f"{_DMAIL}::test_a_dmail_of_an_interrupted_step_is_not_delivered_later",
        f"{_DMAIL}::test_a_dmail_of_a_step_whose_request_was_compacted_goes_to_a_checkpoint_that_is_there",
        f"{_DMAIL}::test_what_the_user_said_to_a_call_outlives_the_dmail_that_takes_the_call_back",
        f"{_DMAIL}::test_a_rejected_call_ends_the_turn_though_a_dmail_was_sent_beside_it",
        f"{_DMAIL}::test_a_dmail_does_not_take_away_the_notes_of_a_compaction",
        f"{_DMAIL}::test_what_the_user_asked_in_earlier_turns_outlives_a_dmail",
        f"{_DMAIL}::test_that_a_background_task_has_ended_is_known_after_a_dmail_that_takes_the_notice_back",
        "tests/soul/test_soul.py::test_a_message_that_the_service_refuses_is_taken_back_and_the_next_one_is_answered",
        "tests/llm/providers/test_openai_chat.py::test_a_reply_of_nothing_is_an_empty_response",
        "tests/llm/providers/test_openai_chat.py::test_missing_and_duplicate_ids_become_unique",
        "tests/soul/test_soul.py::test_an_unknown_tool_and_broken_arguments_are_told_to_the_model",
        "tests/soul/test_soul.py::test_the_same_call_again_and_again_ends_the_turn",
    ),
    "40 bad_config": (
        "tests/config/test_loader.py::test_bad_config_is_an_error_with_file_key_and_cause",
        "tests/config/test_loader.py::test_a_device_is_no_configuration",
        "tests/config/test_loader.py::test_an_empty_file_and_one_with_a_byte_order_mark_are_read",
        "tests/permission/test_settings.py::test_what_does_not_count_in_a_projects_file_keeps_nothing_from_starting",
        "tests/permission/test_settings.py::test_a_rule_whose_example_fails_is_an_error_with_its_place",
        "tests/permission/test_settings.py::test_a_projects_file_that_cannot_be_read_is_an_error_with_its_name_and_an_empty_one_is_a_warning",
    ),
    "41 mcp_bad": (
        f"{_MCP}/test_tool.py::test_an_error_with_the_code_of_a_closed_connection_is_shown_and_the_server_stays",
        f"{_MCP}/test_http.py::test_a_server_that_was_restarted_and_rejects_its_old_sessions_is_connected_to_again",
        "tests/mcp/test_prompts_and_resources.py::test_instructions_never_end_the_mark_around_them",
        "tests/mcp/test_prompts_and_resources.py::test_a_server_that_does_not_list_its_prompts_or_lists_nonsense_still_has_its_tools",
        "tests/mcp/test_prompts_and_resources.py::test_a_rule_that_denies_all_tools_of_a_server_denies_its_resources",
        f"{_MCP}/test_servers.py::test_servers_that_fail_are_told_of_and_the_others_work",
        f"{_MCP}/test_servers.py::test_a_server_that_died_is_started_again_by_the_next_call",
        f"{_MCP}/test_tool.py::test_a_flood_in_a_call_ends_the_server_and_not_the_session",
        f"{_MCP}/test_parts.py::test_references_are_put_in_place_and_cycles_end",
        f"{_MCP}/test_servers.py::test_an_invalid_tool_is_left_out_with_a_note_and_the_others_work",
        f"{_MCP}/test_http.py::test_no_body_of_an_authorization_is_without_bound_whatever_it_calls_itself",
        f"{_MCP}/test_http.py::test_an_answer_of_too_many_values_is_not_read",
        f"{_MCP}/test_http.py::test_a_call_that_is_not_answered_holds_back_no_other_one",
        f"{_MCP}/test_http.py::test_an_authorization_on_the_local_network_is_not_asked_for",
        f"{_MCP}/test_http.py::test_tokens_are_masked_in_what_a_server_says",
        f"{_MCP}/test_http.py::test_keys_in_an_entry_are_in_no_message_and_in_no_log",
        f"{_MCP}/test_oauth.py::test_another_page_neither_ends_nor_makes_a_sign_in",
        f"{_MCP}/test_parts.py::test_a_rule_for_the_tools_of_a_server_is_about_no_other_server",
        f"{_MCP}/test_tool.py::test_a_question_of_a_server_ends_with_its_call",
        f"{_MCP}/test_tool.py::test_a_request_to_the_model_ends_with_the_call",
        f"{_MCP}/test_parts.py::test_a_result_holds_no_more_pictures_than_services_take",
        f"{_MCP}/test_parts.py::test_fields_with_the_same_title_are_told_apart_by_names_of_bounded_length",
        f"{_MCP}/test_oauth.py::test_a_token_is_renewed_only_where_it_came_from_although_the_sign_in_failed_behind_it",
        f"{_MCP}/test_oauth.py::test_tokens_of_an_issuer_that_is_not_known_are_not_renewed",
        f"{_MCP}/test_oauth.py::test_sessions_that_have_read_the_same_expired_token_renew_it_once",
        f"{_MCP}/test_oauth.py::test_a_token_that_is_rejected_before_it_expires_is_renewed",
        f"{_MCP}/test_http.py::test_a_call_that_renewed_the_token_and_is_not_answered_holds_back_no_other_one",
        f"{_MCP}/test_oauth.py::test_a_request_that_is_no_address_does_not_disturb_a_sign_in",
        f"{_MCP}/test_oauth.py::test_a_connection_that_a_browser_opened_in_advance_ends_with_the_sign_in",
        "tests/cli/commands/test_mcp.py::test_what_a_library_says_of_a_failure_is_in_the_log_and_not_on_the_terminal",
        "tests/cli/test_log_file.py::test_of_libraries_only_warnings_are_logged_and_nothing_with_secrets",
        "tests/cli/commands/test_mcp.py::test_a_server_is_tested_with_the_sandbox_and_the_secrets_of_the_configuration",
    ),
    "42 skills_bad": (
        f"{_SKILL}/test_library.py::test_bad_skills_are_passed_over_with_a_reason_and_the_good_ones_stay",
        "tests/skill/test_skill_file.py::test_a_pipe_does_not_hang",
        f"{_SKILL}/test_roots.py::test_links_that_lead_in_circles_are_reported_and_left",
        f"{_SKILL}/test_roots.py::test_a_folder_that_cannot_be_listed_is_reported",
        f"{_SKILL}/test_library.py::test_a_thousand_skills_are_read_in_a_moment",
        "tests/tools/test_search.py::test_an_ignore_file_that_cannot_be_read_to_its_end_holds_no_search_up",
        "tests/tools/test_search.py::test_a_path_that_is_too_long_to_be_read_ends_no_search",
        "tests/tools/test_search.py::test_a_pipe_is_not_searched",
        "tests/tools/shell_support/test_lfs_config.py::test_no_program_is_started_where_git_would_wait_at_a_pipe",
    ),
    "43 flow_bad": (
        "tests/flow/parsing/mermaid/test_parser.py::test_a_link_that_lacks_its_head_is_an_error_and_loses_no_node",
        "tests/flow/parsing/mermaid/test_parser.py::test_a_label_that_does_not_end_before_the_next_one_is_an_error_and_loses_no_node",
        "tests/flow/model/test_validation.py::test_what_is_no_flow_is_refused_with_its_line",
        "tests/flow/parsing/mermaid/test_parser.py::test_what_mermaid_refuses_is_refused_with_its_place_or_read_leniently",
        "tests/flow/parsing/d2/test_parser.py::test_what_d2_refuses_is_refused_with_its_place_or_read_leniently",
    ),
    "44 flow_choice": (
        "tests/flow/run/test_branch_choice.py::test_a_choice_that_differs_in_case_or_outer_punctuation_alone_is_taken",
        "tests/flow/run/test_runner.py::test_a_model_that_never_chooses_brings_the_person_in",
        "tests/flow/run/test_runner.py::test_the_last_choice_of_the_reply_counts",
        "tests/flow/run/test_user_question.py::test_a_question_is_shown_with_the_values_of_its_variables",
    ),
    "45 flow_runaway": (
        "tests/flow/run/test_runner.py::test_reaching_the_moves_ends_the_run_exactly_there",
        "tests/flow/run/test_runner.py::test_a_run_out_of_moves_goes_on_where_it_was_with_more",
    ),
    "46 flow_races": (
        "tests/soul/flows/test_user_questions.py::test_an_answer_during_a_turn_of_the_user_stays_out_between_a_call_and_its_result",
        "tests/ui/print/test_print.py::test_a_command_reaches_a_paused_flow_although_a_message_waits_for_the_end_of_it",
        f"{_STEER}::test_a_pause_during_a_choice_holds_before_the_model_is_asked_again",
        "tests/flow/run/test_user_question.py::test_a_pause_before_a_question_has_no_deadline",
        f"{_STEER}::test_a_branch_taken_in_the_tick_of_the_answer_wins_once",
        f"{_STEER}::test_a_jump_in_the_tick_of_the_answer_leaves_it_nothing_to_decide",
        f"{_STEER}::test_a_breakpoint_holds_before_each_visit_and_going_on_does_not_hit_it_again",
        "tests/ui/tui/session/test_flow_controller.py::test_only_rows_that_changed_are_drawn_again_when_a_flow_goes_on",
        "tests/soul/flows/test_manager.py::test_a_rejected_tool_pauses_the_flow_and_the_person_may_choose_the_branch",
        "tests/soul/flows/test_manager.py::test_esc_pauses_a_flow_a_message_can_be_sent_meanwhile_and_the_flow_goes_on",
        "tests/soul/flows/test_manager.py::test_the_stop_of_a_paused_flow_leaves_the_turn_of_a_message_alone",
        "tests/ui/tui/flow_pane/test_pane.py::test_a_run_under_way_keeps_its_chart_when_the_file_changes",
        "tests/ui/tui/flow_pane/test_steering.py::test_the_chart_can_be_walked_while_a_branch_waits_for_the_person",
        "tests/ui/tui/flow_pane/test_chart_view.py::test_an_idle_chart_repaints_nothing_and_a_second_of_a_run_only_its_node",
        "tests/ui/tui/flow_pane/test_chart_view.py::test_a_change_on_a_chart_of_200_nodes_fits_into_a_frame",
    ),
    "47 client_gone": (
        "tests/ui/acp/test_client_services.py::test_a_terminal_that_does_not_answer_is_an_error_and_is_released_when_it_comes",
        "tests/ui/wire_server/test_server.py::test_an_approval_that_names_another_request_is_a_no",
        "tests/ui/wire_server/test_server.py::test_a_result_of_the_client_that_names_another_call_is_not_taken",
        "tests/ui/wire_server/test_server.py::test_a_hooks_answer_that_names_another_request_blocks",
        "tests/ui/wire_server/test_server.py::test_a_hooks_answer_that_is_none_blocks",
        "tests/ui/acp/test_agent.py::test_a_session_that_is_loaded_twice_at_once_is_opened_once",
        "tests/ui/wire_server/test_server.py::test_an_approval_that_is_an_error_too_is_a_no",
        "tests/ui/acp/test_transport.py::test_an_answer_with_an_error_of_any_form_is_an_error_and_no_result",
        "tests/ui/acp/test_client_services.py::test_a_client_that_answers_by_itself_comes_to_an_end_of_several_answers",
        "tests/ui/acp/test_client_services.py::"
        "test_a_late_answer_to_a_question_of_an_interrupted_turn_brings_no_further_question",
        "tests/ui/acp/test_process.py::"
        "test_a_client_that_leaves_in_the_middle_of_a_tool_leaves_no_process_and_a_session_that_loads",
        "tests/ui/acp/test_process.py::test_garbage_is_answered_and_passed_over",
        "tests/ui/test_stdio.py::test_a_line_that_is_too_long_is_passed_over_and_told",
        "tests/ui/test_stdio.py::test_the_end_of_the_input_is_noticed_while_lines_wait_for_a_consumer",
        "tests/ui/test_stdio.py::test_blocked_output_is_given_up_once_the_input_has_ended",
        "tests/ui/wire_server/test_server.py::"
        "test_a_turn_waits_for_a_client_that_is_far_behind_and_the_client_gets_all_of_it",
        "tests/ui/wire_server/test_server.py::"
        "test_the_end_of_a_session_does_not_wait_for_a_hook_of_a_client_that_has_gone",
        "tests/ui/acp/test_agent.py::test_a_turn_waits_for_an_editor_that_is_far_behind_and_the_editor_gets_all_of_it",
        "tests/ui/acp/test_agent.py::test_leaving_in_the_middle_of_an_approval_ends_all_of_it",
        "tests/ui/acp/test_agent.py::test_closing_a_session_in_the_middle_of_an_approval_asks_no_more",
        "tests/ui/wire_server/test_process.py::"
        "test_the_end_in_the_middle_of_a_tool_leaves_no_process_and_a_session_that_loads",
        "tests/ui/wire_server/test_server.py::test_what_is_no_call_is_answered_with_the_right_error",
    ),
    "48 watch_bad": (
        f"{_SKILL}/test_watcher.py::test_a_watched_folder_that_is_deleted_and_made_again_is_followed",
        f"{_SKILL}/test_watcher.py::test_links_in_circles_do_not_stop_the_watch",
        f"{_SKILL}/test_watcher.py::test_an_editor_that_saves_by_rename_is_followed_again_and_again",
        f"{_SKILL}/test_watcher.py::test_a_large_tree_beside_a_skill_is_not_watched",
        f"{_SKILL}/test_watcher.py::test_a_watch_that_cannot_be_had_is_told",
        f"{_SKILL}/test_watcher.py::test_a_watch_costs_nothing_while_nothing_changes",
        f"{_SKILL}/test_watcher.py::test_a_watch_leaves_the_threads_of_the_event_loop_free",
    ),
    "a module in the folder": (
        "tests/ui/test_untrusted_folder.py::test_a_module_that_the_folder_brings_is_run_by_no_python_of_ours",
    ),
    "a pipe in the folder": (
        "tests/ui/test_untrusted_folder.py::test_a_pipe_or_a_device_in_the_place_of_a_file_holds_no_face_up",
        "tests/test_regular_file.py::test_a_pipe_a_folder_a_socket_and_a_device_are_refused_at_once",
    ),
    "approval_shows_less": (
        "tests/ui/acp/test_agent.py::test_what_always_means_is_on_one_line_with_hidden_characters_spelled_out",
        "tests/interaction/test_approvals.py::test_a_request_with_reasons_shows_what_is_asked_for_too",
        "tests/permission/test_in_tools.py::test_a_question_about_a_tool_that_never_asks_shows_its_arguments",
        "tests/tools/test_files.py::test_what_a_line_feed_does_not_end_is_shown_as_one_line",
        "tests/tools/test_files.py::test_a_small_change_of_a_huge_file_is_shown",
        "tests/soul/flows/test_parked_calls.py::test_a_parked_edit_is_shown_whole_and_its_approval_is_for_the_file_as_it_was",
        "tests/ui/tui/dialogs/test_approval.py::test_lines_that_would_look_the_same_show_their_difference",
    ),
    "approval_outlives_session": (
        "tests/soul/flows/test_parked_calls.py::test_a_fork_has_no_answer_to_a_call_that_its_session_is_parked_with",
        "tests/session/test_session_index.py::test_what_was_approved_for_a_session_asks_again_in_its_fork",
    ),
    "yolo_comes_back": (
        "tests/soul/commands/test_registry.py::test_yolo_that_was_turned_off_in_away_mode_stays_off_after_it",
        "tests/tools/shell_support/test_sandbox.py::"
        "test_yolo_turned_on_without_a_sandbox_does_not_answer_the_command_that_waits",
    ),
    "a page of another host": (
        "tests/tools/test_web.py::test_each_host_is_asked_for_and_a_yes_for_the_session_covers_its_pages_alone",
        "tests/tools/test_web.py::test_a_redirect_to_another_host_is_asked_for",
        "tests/permission/test_page_pattern.py::test_a_rule_that_denies_an_address_denies_all_its_spellings",
        "tests/permission/test_page_pattern.py::test_a_rule_that_denies_a_query_denies_its_other_spellings",
        "tests/permission/test_page_pattern.py::test_a_rule_that_denies_the_usual_port_denies_an_address_without_one",
        "tests/tools/test_web.py::test_what_a_service_read_of_a_page_that_a_rule_denies_is_left_out",
        "tests/tools/test_web.py::test_the_hosts_of_results_are_asked_for_in_one_question",
        "tests/tools/test_web.py::test_a_page_of_a_result_obeys_the_rules_for_pages",
        "tests/tools/test_web.py::test_another_port_of_a_host_is_asked_for",
        "tests/tools/test_web.py::test_an_address_that_others_may_read_as_another_host_is_refused",
        "tests/tools/test_web.py::test_the_name_that_is_resolved_is_the_one_that_was_asked_for",
        "tests/tools/test_web.py::test_addresses_are_judged_by_where_they_lead",
        "tests/tools/test_web.py::test_a_redirect_within_a_host_is_asked_about_where_the_rules_differ",
        "tests/permission/test_page_pattern.py::test_a_rule_that_denies_a_path_denies_its_other_spellings",
        "tests/permission/test_page_pattern.py::test_a_rule_that_denies_a_host_denies_it_in_any_spelling",
        "tests/permission/test_rule.py::test_a_rule_for_pages_goes_by_the_host_that_is_connected_to",
    ),
    "a project that loosens": (
        "tests/permission/test_settings.py::test_a_project_that_asks_for_nothing_loosens_nothing_of_the_users",
        "tests/permission/test_settings.py::test_a_project_that_ends_the_questions_about_reading_is_asked_about",
    ),
    "what starts something later": (
        "tests/tools/test_files.py::test_what_starts_something_later_is_asked_for_whatever_holds",
        "tests/tools/test_files.py::test_accepted_edits_are_no_yes_to_what_tells_an_agent_or_a_tool_what_to_do",
        "tests/tools/test_files.py::test_accepted_edits_are_no_yes_to_what_a_link_makes_an_instruction",
        "tests/tools/test_files.py::test_in_the_users_home_what_their_shell_starts_is_asked_for",
        "tests/tools/test_files.py::test_a_git_folder_is_protected_by_whatever_name",
        "tests/tools/test_files.py::test_a_folder_of_programs_is_asked_for",
    ),
    "our own secrets": (
        "tests/tools/test_files.py::test_our_home_holds_secrets_in_any_spelling",
        "tests/tools/test_files.py::test_what_was_in_a_secret_before_an_edit_is_a_secret",
        "tests/tools/test_files.py::test_our_own_keys_and_sessions_are_secrets_for_every_tool",
        "tests/tools/test_files.py::test_a_hard_link_to_a_secret_anywhere_in_the_workspace_is_one_too",
    ),
    "a server that outlives us": (
        "tests/ui/test_servers_end_with_us.py::test_a_server_that_ignores_all_ends_with_a_face_without_a_screen",
        "tests/ui/test_servers_end_with_us.py::test_a_server_that_ignores_all_ends_with_the_screen",
    ),
    "instructions by a link": (
        "tests/soul/test_system_prompt.py::test_instructions_that_are_a_link_out_of_the_project_or_to_secrets_are_left_out",
        "tests/soul/commands/test_registry.py::"
        "test_init_takes_no_agents_md_that_is_a_link_out_of_the_project_or_to_secrets",
    ),
    "a home that others can read": (
        "tests/test_paths.py::test_our_home_is_closed_to_others_also_where_an_older_version_left_it_open",
        "tests/test_paths.py::test_a_home_that_is_missing_is_made_for_this_user_alone",
    ),
    "sensitive names": (
        f"{_HERE}::test_a_name_of_the_list_is_sensitive",
        f"{_HERE}::test_a_name_of_the_exceptions_is_not",
        f"{_FILES}::test_names_that_only_look_sensitive_are_read",
        "tests/skill/test_skill_file.py::test_a_link_to_a_file_that_is_not_markdown_is_no_skill",
        "tests/soul/test_agent_spec.py::test_a_system_prompt_that_leads_to_a_secret_is_refused",
    ),
    "a symlinked parent of a file": (f"{_FILES}::test_path_escape",),
    "flags behind a backslash": (f"{_CMD}::test_flags_behind_a_backslash_are_flags",),
    "a rule that never matches": (
        "tests/cli/test_engine_options.py::test_a_rule_that_never_matches_is_warned_of_at_the_start",
    ),
    "a run without a user": (
        "tests/tools/core/test_ask_approval.py::test_without_a_user_the_model_leaves_only_the_plan_mode_that_it_chose",
        "tests/soul/test_engine.py::"
        "test_a_run_without_a_user_that_was_to_plan_writes_nothing_in_a_new_or_an_old_session",
        "tests/soul/test_engine.py::"
        "test_what_is_to_be_refused_without_a_user_is_refused_in_a_session_that_was_in_yolo_mode",
    ),
    "a pattern of files without end": (
        "tests/tools/test_search.py::test_a_glob_reads_each_folder_once_whatever_its_pattern",
        "tests/tools/test_search.py::test_a_glob_ends_at_its_bounds_and_with_link_loops",
        "tests/tools/test_search.py::test_a_name_with_a_line_break_does_not_pass_for_another_file",
    ),
    "a call that a hook sees otherwise": (
        "tests/soul/hooks/test_dispatcher.py::test_a_hook_gets_the_arguments_as_the_tool_reads_them",
        "tests/mcp/test_session.py::test_a_hook_for_a_tool_holds_for_a_call_by_its_short_name",
    ),
    "a hook whose denial is not seen": (
        "tests/soul/hooks/test_dispatcher.py::test_a_denial_stands_whatever_else_a_hook_writes_or_leaves_behind",
    ),
    "a hook that writes to the terminal": (f"{_TERM}::test_what_a_hook_prints_does_not_reach_the_terminal",),
    "a flow saved through a link": (
        "tests/ui/tui/flow_pane/test_pane.py::test_a_run_is_never_exported_through_a_link",
    ),
    "a library that cannot be loaded": (
        "tests/faults/test_terminal_restored.py::test_a_library_that_cannot_be_loaded_is_one_line_and_the_terminal_is_as_it_was",
        "tests/faults/test_terminal_restored.py::test_a_driver_that_fails_while_it_starts_switches_off_what_is_on",
    ),
    "a device file as settings": ("tests/config/test_loader.py::test_a_device_is_no_configuration",),
    "changes to folders without end": (
        "tests/tools/shell_support/test_repository_finder.py::"
        "test_events_that_come_while_others_are_read_do_not_hold_up_a_look",
        "tests/tools/shell_support/test_sandbox.py::test_mounts_that_differ_when_all_are_made_are_not_waited_for",
    ),
    "a brace expansion without end": (f"{_CMD}::test_no_text_takes_long",),
    "a DNS or portal that hangs": (f"{_HERE}::test_stall_of_the_service_holds_up_neither_the_start_nor_escape",),
    "random kills": (f"{_HERE}::test_a_few_random_kills_lose_nothing",),
    "a rewind over what others wrote": (
        "tests/soul/test_rewind.py::test_what_somebody_else_wrote_between_two_edits_is_kept_as_a_copy_and_said",
    ),
    "a word without end in a chart": (
        "tests/flow/layout/test_cell_text.py::test_a_long_word_is_folded_in_time_that_grows_with_its_length_alone",
        "tests/flow/layout/test_cell_text.py::test_a_label_is_cut_where_nobody_reads_on",
    ),
    "a message that cannot be drawn": (
        "tests/ui/tui/test_render_fallback.py::test_a_message_that_cannot_be_drawn_is_shown_as_plain_text",
        "tests/ui/tui/test_render_fallback.py::test_text_that_fails_while_it_streams_is_shown_as_it_is",
        "tests/ui/tui/test_render_fallback.py::test_a_message_that_cannot_be_folded_in_leaves_those_after_it",
        "tests/ui/tui/test_render_fallback.py::test_a_pane_that_cannot_be_drawn_says_so_and_stays",
        "tests/ui/tui/test_render_fallback.py::test_line_ends_of_every_kind_do_not_end_the_screen",
        "tests/ui/tui/transcript/test_streaming_markdown.py::test_any_text_streams_to_what_it_is_at_once",
    ),
    "an answer without end": (
        "tests/test_bounded_http.py::test_the_body_of_an_error_without_end_is_cut",
        "tests/test_bounded_http.py::test_no_more_of_a_long_error_is_waited_for_than_is_kept",
        "tests/test_bounded_http.py::test_an_error_that_unfolds_to_much_is_cut",
        "tests/test_bounded_http.py::test_an_error_whose_body_never_ends_is_told_by_its_status",
        "tests/test_bounded_http.py::test_a_stream_of_comments_alone_comes_to_an_end",
        "tests/test_bounded_http.py::test_a_body_is_read_up_to_its_bound",
        "tests/tools/test_web.py::test_the_words_beside_the_status_of_a_search_are_bounded",
    ),
    "a server that asks or answers without end": (
        "tests/mcp/test_list_filter.py::test_a_result_of_very_many_parts_is_cut_before_it_is_validated",
        "tests/mcp/test_sampling.py::test_a_server_asks_the_model_a_bounded_number_of_times_within_one_call",
        "tests/mcp/test_http.py::test_streams_that_end_at_once_are_opened_again_at_a_pace",
        "tests/mcp/test_http.py::test_a_server_whose_lists_change_without_end_is_asked_for_them_at_a_pace",
        "tests/mcp/test_http.py::test_a_list_that_does_not_come_after_a_change_leaves_the_tools",
        "tests/mcp/test_http.py::test_a_flood_of_messages_by_http_ends_the_server",
        "tests/mcp/test_http.py::test_a_server_shows_a_bounded_number_of_forms_within_one_call",
    ),
    "a charset that is none": ("tests/test_charsets.py::test_text_is_decoded_in_a_charset_of_web_pages_or_as_utf_8",),
    "text that acts on a terminal": (
        "tests/ui/print/test_output_streams.py::test_what_the_model_says_to_a_terminal_does_nothing_there",
        "tests/ui/print/test_output_streams.py::test_json_lines_hold_nothing_that_a_terminal_would_obey",
        "tests/cli/test_output.py::test_nothing_that_is_printed_acts_on_a_terminal",
        "tests/test_text_safety.py::test_nothing_that_a_terminal_would_obey_is_left",
    ),
    "output that cannot be written": (
        "tests/ui/print/test_output_streams.py::test_an_answer_that_cannot_be_written_is_a_failure",
        "tests/ui/print/test_output_streams.py::test_a_list_that_cannot_be_written_is_a_failure",
        "tests/ui/print/test_output_streams.py::test_a_closed_stream_leads_to_no_traceback",
    ),
    "a damaged session": (
        "tests/session/test_damaged_files.py::test_each_way_to_read_a_damaged_session_ends_with_a_line_and_a_status",
        "tests/session/test_damaged_files.py::test_something_else_in_the_place_of_a_file_is_told_or_passed_over",
        "tests/session/test_damaged_files.py::test_an_export_names_a_file_that_cannot_be_read",
        "tests/session/test_damaged_files.py::test_times_that_no_calendar_has_are_shown_as_times",
        "tests/ui/tui/test_damaged_session.py::test_the_screen_stays_and_says_what_it_cannot_open",
    ),
    "a file that is replaced": (
        f"{_ATOMIC}::"
        "test_a_disk_that_is_full_leaves_the_old_content_and_no_temporary_file_and_the_error_names_the_file",
        f"{_ATOMIC}::"
        "test_kills_leave_the_old_content_and_one_temporary_file_that_the_next_writer_in_the_folder_takes_over",
        f"{_ATOMIC}::test_what_is_in_the_place_of_the_temporary_file_is_not_written",
        f"{_ATOMIC}::test_a_writer_that_is_slow_keeps_no_other_waiting_and_gets_its_own_content_in",
        f"{_ATOMIC}::test_writers_at_the_same_time_leave_a_content_of_one_of_them_whole",
    ),
    "a log that cannot be written": (
        "tests/cli/test_log_file.py::test_a_full_disk_prints_nothing_and_what_comes_when_there_is_room_is_logged",
        "tests/cli/test_log_file.py::test_something_else_in_the_place_of_the_log_ends_and_prints_nothing",
    ),
    "a disk that is full at the start": (
        "tests/cli/commands/test_mcp.py::test_a_full_disk_is_reported_with_the_file",
        "tests/ui/print/test_output_streams.py::"
        "test_a_disk_that_is_full_from_the_start_gives_an_answer_and_says_that_it_is_not_kept",
    ),
    "little memory": ("tests/ui/print/test_output_streams.py::test_little_memory_is_told_in_a_line",),
    "Ctrl+C again and again": (
        "tests/ui/print/test_output_streams.py::test_many_interrupts_end_it_with_the_status_of_one",
        "tests/cli/test_exit_status.py::test_an_interrupt_after_the_end_of_the_program_shows_no_traceback",
    ),
    "garbage for the web server": (
        "tests/cli/commands/test_web.py::test_requests_of_garbage_are_answered_and_not_told_on_stderr",
    ),
    "a page that floods the web server or is gone": (
        "tests/ui/web/test_connection_limit.py::test_a_connection_without_the_cookie_is_closed_after_its_time",
        "tests/ui/web/test_connection_limit.py::test_of_too_many_connections_without_the_cookie_the_oldest_are_closed",
        "tests/ui/web/test_connection_limit.py::test_the_tab_left_longest_ago_is_forgotten_and_an_open_one_is_not",
        "tests/ui/web/test_server.py::test_a_page_that_sends_more_keys_than_the_app_takes_is_closed_with_its_app",
        "tests/ui/web/test_server.py::test_an_app_reads_no_more_keys_than_it_handles",
        "tests/ui/web/test_server.py::test_a_page_is_free_although_another_process_holds_the_output_of_its_app",
        "tests/ui/web/test_server.py::test_an_app_that_is_stuck_ends_with_its_server",
    ),
    "a page that sends odd keys or pastes": (
        "tests/ui/web/test_server.py::test_no_text_of_a_paste_is_a_key",
        "tests/ui/web/test_server.py::test_an_odd_key_does_not_end_the_app",
    ),
    "trust decisions of two processes": (
        "tests/permission/test_trust.py::test_decisions_at_the_same_time_are_all_kept",
    ),
    "changes of two processes": (
        "tests/mcp/test_config.py::test_servers_that_are_added_at_the_same_time_are_all_kept",
        "tests/config/test_yaml_editor.py::test_edits_at_the_same_time_are_all_kept",
    ),
    "comments of config.yaml": (
        "tests/config/test_yaml_editor.py::test_comments_after_a_removed_key_stay",
        "tests/config/test_yaml_editor.py::test_an_edit_that_would_lose_a_comment_is_refused",
    ),
    "a session to import without end": (
        "tests/session/test_atomic_folder.py::test_a_killed_import_or_fork_leaves_no_half_session",
        "tests/session/test_atomic_folder.py::test_what_a_killed_process_left_is_deleted_a_day_later",
        "tests/session/test_importer.py::test_a_state_that_unfolds_to_a_gigabyte_is_left_out_in_little_memory",
        "tests/session/test_importer.py::test_what_is_no_session_is_told_in_a_line",
        "tests/session/test_importer.py::test_a_zip_compressed_by_another_method_is_refused",
        "tests/session/test_importer.py::test_a_failed_import_leaves_no_folder",
    ),
    "an export over a file that exists": (
        "tests/test_export_file.py::test_an_export_replaces_no_file_unasked",
        "tests/test_export_file.py::test_an_export_goes_through_no_link_and_into_no_pipe",
        "tests/test_export_file.py::test_an_export_that_fails_leaves_the_file_as_it_was",
    ),
    "an imported run with approvals, commands and limits of its own": (
        "tests/soul/flows/test_parked_calls.py::test_an_approval_in_an_imported_run_approves_nothing",
        "tests/soul/flows/test_parked_calls.py::test_a_question_of_an_imported_run_is_asked_anew",
        "tests/soul/flows/test_parked_calls.py::test_a_command_of_an_imported_run_is_asked_about_whatever_the_rules",
        "tests/soul/flows/test_parked_calls.py::test_an_imported_run_has_the_limits_of_the_user_here",
    ),
    "JSON nested too deeply": (
        "tests/test_json_text.py::test_what_is_nested_deeper_than_anybody_writes_is_a_value_error",
        "tests/llm/providers/test_openai_chat.py::"
        "test_a_call_with_arguments_nested_too_deeply_does_not_spoil_later_requests",
    ),
    "JSON of millions of values": (
        "tests/test_json_text.py::test_a_text_of_more_values_than_anybody_writes_is_a_value_error",
        "tests/session/test_importer.py::test_a_message_of_millions_of_values_is_left_out_in_little_memory",
        "tests/llm/test_sse.py::test_an_event_of_millions_of_values_is_not_read",
        "tests/llm/providers/test_google.py::test_a_chunk_of_millions_of_values_is_not_read",
    ),
    "an error in broken JSON": (
        "tests/llm/test_error_mapping.py::test_an_event_of_an_error_is_one_whatever_its_json_is",
    ),
    "a date that no clock reaches": (
        "tests/llm/test_error_mapping.py::test_a_date_that_no_clock_reaches_says_nothing_of_when",
    ),
    "a tool's name that is made up": (
        "tests/llm/providers/test_openai_chat.py::"
        "test_a_name_that_the_model_made_up_goes_back_as_one_that_services_take",
    ),
    "a reply without end": (
        "tests/llm/test_reply.py::test_an_answer_that_does_not_end_is_stopped",
        "tests/soul/subagents/test_pool.py::test_subagents_that_send_subagents_come_to_an_end",
        "tests/soul/subagents/test_pool.py::"
        "test_subagents_made_in_the_session_are_bounded_and_its_state_can_still_be_read",
        "tests/session/test_damaged_files.py::test_a_state_that_is_too_long_to_be_read_leaves_the_last_one_in_place",
        "tests/llm/test_reply.py::test_a_reply_id_that_is_too_long_is_not_kept",
        "tests/llm/test_openai_faults.py::test_calls_without_a_name_are_counted_though_they_are_kept_back",
        "tests/llm/test_tool_call_assembly.py::test_an_id_that_is_too_long_is_replaced_and_a_name_is_cut",
    ),
    "a service that is not to be trusted": (
        "tests/llm/providers/test_anthropic.py::test_the_key_does_not_follow_a_redirect",
        "tests/llm/providers/test_anthropic.py::test_inputs_that_are_kept_back_are_counted",
        "tests/llm/providers/test_openai_responses.py::test_no_header_follows_a_redirect",
        "tests/llm/providers/test_google.py::test_a_chunk_without_end_is_stopped",
    ),
    "an approval that hides a part": (
        "tests/mcp/test_tool.py::test_an_approval_shows_all_arguments_or_the_call_is_refused",
        "tests/mcp/test_tool.py::test_an_approval_spells_out_what_cannot_be_seen_in_the_arguments",
        f"{_APPROVAL}::test_a_text_that_does_not_fit_is_told_as_such_with_its_warnings_first",
        "tests/ui/acp/test_tool_calls.py::test_a_command_never_leaves_its_code_block",
        "tests/ui/acp/test_tool_calls.py::test_a_remark_that_markdown_may_change_is_a_code_block",
    ),
    "text that is slow to draw": (
        "tests/ui/tui/text/test_sanitize.py::test_more_marks_on_one_character_than_any_script_has_are_spelled_out",
        "tests/ui/tui/text/test_wrap.py::test_a_word_of_any_length_costs_no_more_for_each_row",
    ),
    "a stream that says nothing": (
        "tests/llm/test_openai_faults.py::test_events_that_say_nothing_do_not_keep_a_stream_alive",
    ),
    "headers without end": ("tests/llm/test_openai_faults.py::test_headers_that_never_end_time_out",),
    "a body that has come already": (
        "tests/llm/test_sse.py::test_a_body_that_has_come_already_leaves_time_for_other_tasks",
    ),
    "usage that cannot be": (
        "tests/llm/test_reply.py::test_a_usage_that_cannot_be_is_not_told",
        "tests/llm/providers/test_openai_chat.py::test_a_usage_that_cannot_be_read_does_not_cost_the_answer",
        "tests/llm/providers/test_google.py::test_a_usage_that_cannot_be_read_does_not_cost_the_answer",
    ),
    "a schema that is no JSON": ("tests/mcp/test_parts.py::test_a_schema_with_a_number_that_is_no_json_is_not_told",),
    "a picture that is none": (
        "tests/mcp/test_parts.py::test_a_picture_is_shown_to_the_model_only_where_its_bytes_are_one",
    ),
    "arguments in many pieces": (
        "tests/llm/test_tool_call_assembly.py::test_many_pieces_of_long_arguments_cost_no_more_each_than_few",
    ),
    "YAML that unfolds without end": (
        "tests/config/test_loader.py::test_a_configuration_that_unfolds_or_nests_without_end_is_refused_at_once",
        "tests/skill/test_frontmatter.py::test_frontmatter_that_nests_without_end_is_refused_at_once",
        "tests/soul/test_agent_spec.py::test_an_agent_file_that_unfolds_without_end_is_refused_at_once",
    ),
    "a configuration of unknown keys": ("tests/config/test_loader.py::test_of_many_unknown_keys_the_first_are_told",),
    "an mcp.json nested too deeply": (
        "tests/mcp/test_config.py::test_a_file_that_is_nested_too_deeply_is_a_problem_with_its_name",
    ),
    "skills that are slow to read": (
        "tests/skill/test_library.py::"
        "test_the_skills_of_a_project_that_take_too_long_are_left_out_and_the_users_own_stay",
        "tests/skill/test_library.py::test_a_project_has_smaller_skills_than_the_user",
    ),
    "a folder whose name is not UTF-8": (
        "tests/permission/test_trust.py::test_a_folder_whose_name_is_not_utf8_cannot_be_remembered_and_says_so",
    ),
    "a configuration that is slow to read": (
        "tests/config/test_loader.py::test_a_file_that_is_slow_to_read_is_read_once_and_what_was_read_is_not_shared",
    ),
    "anchors that are used twice": ("tests/test_yaml_text.py::test_an_anchor_that_is_used_twice_is_not_warned_of",),
    "trust decisions that are broken": (
        "tests/permission/test_trust.py::test_a_broken_file_of_decisions_is_kept_beside_the_new_one_and_said",
    ),
    "a pipe in our own home": (
        "tests/faults/test_broken_home_files.py::test_a_pipe_or_a_folder_in_place_of_a_file_of_ours_counts_as_none",
    ),
    "a screen that is closed at once": (
        "tests/ui/tui/widgets/test_one_shot_screen.py"
        "::test_a_screen_that_is_closed_before_its_next_frame_is_not_called_back",
        "tests/ui/tui/widgets/test_one_shot_screen.py"
        "::test_a_screen_whose_widgets_are_being_removed_is_not_called_back",
        "tests/ui/tui/widgets/test_one_shot_screen.py"
        "::test_a_worker_of_a_screen_that_is_closed_ends_before_the_widgets_go",
    ),
    "a screen that is being made": (
        "tests/ui/tui/screens/test_subagent.py"
        "::test_messages_that_come_while_the_screen_of_a_subagent_is_made_are_on_it",
    ),
    "files of ours that are odd": (
        f"{_DRAFT}::test_a_history_that_has_become_long_is_read_from_its_end_and_cut_with_the_next_input",
        "tests/session/test_session.py::test_what_another_version_wrote_into_the_state_is_kept",
        "tests/permission/test_trust.py::test_a_decision_keeps_what_another_version_wrote_about_other_folders",
        "tests/mcp/test_config.py::test_an_empty_file_is_a_problem",
        "tests/cli/test_main.py::test_a_user_who_has_no_home_folder_is_told_to_set_it",
    ),
    "text before there is a session": (
        "tests/ui/tui/composer/test_composer.py::test_a_draft_behind_an_earlier_message_is_not_lost_when_that_is_sent",
        f"{_DRAFT}::test_a_draft_behind_an_earlier_message_outlives_the_program",
        f"{_DRAFT}::test_what_was_sent_and_typed_while_the_session_starts_outlives_the_program",
        f"{_DRAFT}::test_letters_that_wait_behind_a_key_while_the_program_starts_outlive_it",
        f"{_DRAFT}::test_what_was_typed_into_a_screen_that_could_not_start_outlives_the_program",
        f"{_DRAFT}::test_a_message_to_a_session_that_could_not_start_stays_in_the_composer",
        f"{_DRAFT}::test_a_draft_of_a_screen_that_still_starts_is_not_taken_over",
    ),
    "an interrupt that another error replaced": (
        "tests/cli/test_main.py::test_an_interrupt_that_another_error_replaced_is_an_interrupt",
    ),
    "a tick of a pane that is gone": (
        "tests/ui/tui/flow_pane/test_pane.py::test_a_tick_of_a_pane_that_is_gone_does_nothing",
    ),
    "an input after a torn line of the history": (f"{_DRAFT}::test_an_input_after_a_torn_line_of_the_history_is_kept",),
    "a session that another process opens": (
        "tests/session/test_session_index.py::test_a_session_that_is_held_cannot_be_opened_or_held_again",
    ),
    "an answer of a flow that cannot be written": (
        "tests/soul/flows/test_parked_calls.py::test_an_answer_that_cannot_be_written_is_a_failure",
    ),
    "a signal while print waits for the background": (
        "tests/ui/print/test_background.py::test_a_signal_ends_the_wait_for_the_background",
    ),
    "a screen that opens while the app leaves": (
        "tests/ui/tui/test_app.py::test_a_screen_that_opens_while_the_app_leaves_is_no_crash",
        "tests/ui/tui/test_app.py::test_a_worker_that_misses_a_widget_while_the_app_leaves_is_no_crash",
        "tests/ui/tui/test_app.py::test_a_timer_that_misses_a_widget_while_the_app_leaves_is_no_crash",
    ),
    "a chart of many edges between two nodes": (
        "tests/flow/layout/test_layout.py::test_hundreds_of_labelled_edges_of_two_nodes_are_laid_out_soon",
        "tests/flow/layout/test_layout.py::test_a_chart_that_would_take_too_long_is_refused_at_once",
        "tests/flow/layout/test_layout.py::test_hundreds_of_layers_joined_to_all_of_the_next_are_laid_out_soon",
        "tests/ui/tui/flow_pane/test_chart_view.py::test_a_chart_whose_lines_are_too_long_to_draw_is_its_outline",
        "tests/ui/tui/flow_pane/test_chart_view.py"
        "::test_only_a_few_layouts_of_long_lines_are_kept_when_the_pane_changes_its_width",
        "tests/ui/tui/flow_pane/test_chart_view.py"
        "::test_a_chart_of_few_nodes_and_many_edges_is_laid_out_off_the_event_loop",
    ),
    "a `.git` that leads nowhere": (
        "tests/tools/file_support/test_git_dirs.py::test_a_git_file_that_leads_nowhere_is_no_repository_and_no_crash",
    ),
    "budgets of flows": (
        "tests/skill/test_skill.py::test_a_cap_that_is_no_text_is_an_error_and_not_dropped",
        "tests/soul/flows/test_budgets.py::test_spend_is_the_service_s_own_count_to_the_token",
        "tests/soul/flows/test_budgets.py::test_no_subagent_sends_a_request_after_the_cap",
        "tests/soul/flows/test_budgets.py::test_without_a_user_the_run_ends_at_the_cap_and_goes_on_with_a_higher_one",
        "tests/soul/flows/test_budgets.py::test_the_smallest_cap_of_each_quantity_is_used",
        "tests/soul/flows/test_budgets.py::test_a_cost_cap_without_prices_is_an_error_before_anything_runs",
    ),
    "commands of flows": (
        "tests/cli/commands/test_command_syntax.py::test_no_command_runs_and_no_start_file_is_read",
        "tests/flow/run/test_user_question.py::test_without_a_user_the_run_waits_and_can_be_resumed_with_a_choice",
        "tests/flow/model/test_command_template.py::test_no_value_becomes_code_in_any_command_that_is_accepted",
        "tests/flow/model/test_command_template.py::test_a_command_that_might_run_a_value_is_refused",
        "tests/flow/model/test_command_template.py::test_a_value_that_a_program_could_take_for_an_option_is_refused",
        "tests/flow/model/test_command_template.py::test_rules_see_a_value_apart_from_the_text_beside_it",
        "tests/permission/test_trust.py::test_a_flow_with_commands_among_many_other_files_is_asked_about",
        "tests/flow/model/test_command_template.py::test_a_value_that_no_command_can_get_is_refused",
        "tests/soul/flows/test_command_nodes.py::test_a_command_that_the_user_edited_runs_as_edited",
        "tests/soul/flows/test_command_nodes.py::test_a_command_does_not_run_in_an_untrusted_folder",
        "tests/soul/flows/test_command_nodes.py::"
        "test_a_command_of_a_flow_that_changed_during_the_session_does_not_run_before_a_new_yes",
        "tests/permission/test_trust.py::test_a_flow_with_commands_that_changed_after_the_yes_is_asked_about_again",
        "tests/flow/run/test_command_step.py::test_the_failed_branch_is_taken_when_the_retries_are_spent",
        "tests/flow/run/test_node_result.py::test_a_turn_without_the_result_is_asked_again_twice_and_then_fails",
        "tests/soul/flows/test_turn_rules.py::test_a_subagent_of_a_node_has_no_more_tools_than_the_node",
        "tests/soul/flows/test_parked_calls.py::test_an_approval_covers_only_the_call_that_was_parked",
    ),
    "skills of strangers": (
        f"{_SHARING}/test_source.py::test_other_protocols_options_and_expressions_are_no_source",
        f"{_SHARING}/test_source.py::test_a_ref_is_a_name_and_nothing_else",
        f"{_SHARING}/test_fetching.py::test_a_rewritten_url_runs_no_other_protocol",
        f"{_SHARING}/test_fetching.py::test_a_fetch_writes_no_more_than_its_bound",
        f"{_SHARING}/test_fetching.py::test_nothing_of_the_repository_or_the_environment_runs",
        f"{_SHARING}/test_skill_package.py::test_a_link_out_of_the_skill_or_to_a_link_is_refused",
        f"{_SHARING}/test_skill_package.py::test_the_size_and_the_number_of_files_are_bounded",
        f"{_SHARING}/test_skill_package.py::test_names_that_are_one_file_on_some_systems_are_refused",
        f"{_SHARING}/test_skill_package.py::test_an_unsafe_name_is_refused",
        f"{_SHARING}/test_installation.py::test_a_name_in_the_lock_is_no_path",
        f"{_SHARING}/test_installation.py::test_what_the_user_changed_is_kept",
        f"{_SHARING}/test_installation.py::test_a_kill_at_each_point_leaves_the_old_version_or_the_new_one",
        f"{_SHARING}/test_installation.py::test_only_one_process_changes_the_skills",
        f"{_SHARING}/test_text_diff.py::test_large_versions_are_compared_soon",
        f"{_SHARED}::test_a_skill_with_a_name_or_a_chart_that_is_not_accepted_is_not_kept",
        f"{_SHARED}::test_a_skill_with_a_broken_chart_beside_it_is_not_kept",
        f"{_SHARED}::test_without_a_terminal_a_yes_is_an_option",
    ),
    "a command while the conversation is compacted": (
        "tests/soul/test_turn_lock.py::test_nothing_else_changes_the_conversation_while_it_is_compacted_by_hand",
        "tests/soul/test_turn_lock.py::"
        "test_a_compaction_by_hand_can_be_interrupted_and_leaves_the_conversation_as_it_was",
    ),
    "Esc before a turn has begun": (
        "tests/soul/test_turn_lock.py::test_a_turn_that_waits_for_its_servers_can_be_interrupted_and_leaves_nothing",
        "tests/soul/test_turn_lock.py::test_the_prompt_of_a_server_is_part_of_the_turn_that_it_starts",
        "tests/ui/tui/test_message_delivery.py::test_esc_before_the_turn_has_begun_interrupts_and_gives_the_message_back",
    ),
    "the clock is set back": (
        "tests/ui/tui/state/test_ui_state.py::test_going_back_finds_its_turn_after_the_clock_was_set_back",
    ),
    "a session is left while its earlier turns load": (
        "tests/ui/tui/session/test_earlier_turns.py::"
        "test_a_session_that_is_left_while_it_loads_does_not_load_the_next_one",
    ),
    "a record ends with a long line": (
        "tests/session/test_record_tail.py::test_a_last_line_that_is_longer_than_the_recent_part_belongs_to_it",
        "tests/soul/test_session_replay.py::test_a_record_whose_last_line_was_cut_by_a_kill_shows_what_is_before_it",
    ),
    "a fork has the runs of its session": (
        "tests/soul/flows/test_parked_calls.py::test_an_answer_names_its_session_where_a_fork_has_the_same_run",
    ),
    "a command fails": (
        "tests/ui/tui/test_message_delivery.py::test_after_a_command_that_failed_the_hints_are_those_of_an_idle_engine",
    ),
    "a session that was started with --yolo is resumed without it": (
        "tests/soul/test_services_in_turns.py::"
        "test_yolo_of_an_option_is_for_that_start_only_and_that_of_the_user_stays",
    ),
    "another session opens": (
        f"{_SESSIONS}::test_a_message_that_is_sent_while_another_session_opens_goes_to_that_session",
        f"{_SESSIONS}::test_another_screen_that_opens_meanwhile_does_not_leave_the_app_without_a_session",
    ),
    "an approval in a tiny window": (
        "tests/ui/tui/dialogs/test_approval.py::test_what_a_tiny_window_does_not_show_is_not_approved",
        "tests/ui/tui/dialogs/test_choice_and_comment.py::test_changes_that_a_tiny_window_does_not_show_are_not_taken",
        "tests/ui/tui/dialogs/test_approval_fullscreen.py::test_a_full_screen_without_room_for_the_text_approves_nothing",
        "tests/ui/tui/test_typing_on_screens.py::"
        "test_a_folder_is_trusted_only_where_its_items_and_the_answer_are_on_screen",
    ),
    "a session that takes long to load": (
        "tests/context/test_context.py::test_a_load_that_is_abandoned_ends_at_once_and_changes_nothing",
    ),
    "a hostile text": ("tests/test_linear_time.py::test_a_hostile_text_takes_no_longer_than_another",),
    "a hostile page": (
        "tests/tools/web_support/test_page_process.py::test_a_page_that_would_take_minutes_is_read_without_its_structure",
        "tests/tools/test_web.py::test_redirects_are_followed_within_bounds",
        "tests/tools/test_web.py::test_a_result_without_end_leaves_room_for_the_others",
        "tests/tools/test_web.py::test_no_more_results_are_read_than_can_be_requested",
    ),
    "a step of many calls": (
        "tests/soul/subagents/test_pool.py::test_one_step_sends_a_bounded_number_of_subagents",
        "tests/soul/test_soul.py::test_many_calls_of_a_step_run_in_turn",
    ),
    "a size in the environment": (
        "tests/ui/tui/test_app.py::test_the_size_is_that_of_the_terminal_whatever_the_environment_says",
    ),
    "an address that no parser reads": (
        "tests/ui/tui/composer/test_image_chips.py::test_a_paste_that_looks_like_an_address_and_is_none_stays_text",
        "tests/llm/providers/test_factory.py::test_settings_with_an_address_that_is_none_are_left_to_the_factory",
        "tests/config/test_model_selection.py::test_the_environments_key_for_openai_goes_to_no_other_server_of_the_file",
    ),
    "an engine is made again after yolo was turned off": (
        "tests/ui/tui/navigation/test_session_actions.py::test_yolo_of_an_option_that_was_turned_off_stays_off_in_the_next_engine",
    ),
    "keys that come before the configuration is read": (
        "tests/ui/tui/test_start.py::test_a_key_that_needs_the_configuration_waits_for_it",
    ),
    "keys that come with the key before them": (
        "tests/ui/tui/test_message_delivery.py::test_letters_that_come_with_the_key_that_takes_a_message_back_follow_it",
        "tests/ui/tui/test_message_delivery.py::test_letters_typed_before_a_message_is_back_follow_it",
        "tests/ui/tui/composer/test_composer.py::test_up_twice_in_one_read_takes_back_one_queued_message",
        "tests/ui/tui/widgets/test_one_shot_screen.py::"
        "test_letters_that_come_with_the_escape_that_closes_a_screen_are_in_the_message",
        "tests/ui/tui/widgets/test_one_shot_screen.py::"
        "test_letters_that_come_with_the_key_that_opens_a_field_are_in_it",
        "tests/ui/tui/widgets/test_one_shot_screen.py::"
        "test_letters_that_follow_a_command_that_opens_a_screen_are_in_its_field",
        "tests/ui/tui/widgets/test_one_shot_screen.py::"
        "test_letters_that_come_with_the_key_that_goes_to_a_pane_are_not_in_the_message",
        "tests/ui/tui/widgets/test_one_shot_screen.py::"
        "test_a_program_that_ends_with_a_key_on_its_way_ends_without_an_error",
    ),
    "a text that the user moves": (
        "tests/ui/tui/composer/test_composer.py::"
        "test_a_text_that_is_cut_or_copied_has_its_pastes_after_another_message",
        "tests/ui/tui/composer/test_image_chips.py::test_keys_after_ctrl_v_wait_for_a_slow_clipboard",
        "tests/ui/tui/dialogs/test_approval_fullscreen.py::"
        "test_what_is_written_in_a_dialog_is_in_the_message_when_the_program_ends",
        "tests/ui/tui/dialogs/test_question.py::test_an_own_answer_is_in_the_message_when_the_program_ends",
        "tests/faults/test_terminal.py::test_a_text_that_the_editor_saved_is_kept_when_the_terminal_is_closed",
    ),
    "a text takes the place of the draft": (
        "tests/ui/tui/composer/test_composer.py::test_a_draft_that_an_earlier_message_replaces_is_recalled_by_up",
        "tests/ui/tui/composer/test_composer.py::test_a_draft_that_a_command_of_the_palette_replaces_is_recalled_by_up",
        "tests/ui/tui/composer/test_composer.py::test_the_search_in_earlier_messages_neither_sends_its_words_nor_quits",
        "tests/ui/tui/composer/test_composer.py::"
        "test_the_editor_opens_the_draft_also_from_the_search_in_earlier_messages",
    ),
    "a command is sent while a turn runs": (
        "tests/ui/tui/composer/test_shell_lines.py::test_a_queued_shell_line_is_not_sent_to_the_model_by_ctrl_s",
        "tests/ui/tui/test_message_delivery.py::"
        "test_a_command_that_is_written_to_steer_is_a_command_and_not_for_the_model",
        "tests/ui/tui/test_message_delivery.py::test_an_interrupt_joins_no_shell_line_with_a_message",
    ),
    "a draft that cannot be stored": (f"{_DRAFT}::test_a_draft_that_cannot_be_stored_is_told_once",),
    "a sentence is typed at a screen of keys": (
        "tests/ui/tui/test_typing_on_screens.py::test_a_sentence_typed_at_a_screen_of_keys_does_nothing_and_the_screen_says_so",
    ),
}
