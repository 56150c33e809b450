//! The gaps of upstream (see docs/specs/harn.md, numbered 1 to 21), each closed by a test:
//!
//! | Gap | Test | File |
//! | --- | --- | --- |
//! | 1 | `a_veto_reaches_parallel_calls_children_and_background_members` | agent/tests/registered/gaps/safety.rs |
//! | 1 | `a_veto_reaches_sessions_on_other_threads` | agent/tests/registered/gaps/safety.rs |
//! | 1 | `vetoes_hold_on_every_thread_while_hooks_come_and_go` | host/tests/register/runtime_registration.rs |
//! | 2 | `invalid_registration_is_an_error_with_help_and_registers_nothing` | dialects/src/harn/load/tests/plugins.rs |
//! | 2 | `a_handler_that_is_not_there_private_or_broken_does_not_load` | agent/tests/registered/manifest.rs |
//! | 3 | `the_notifications_and_the_turn_events_fire` | agent/tests/registered/gaps/events.rs |
//! | 4 | `what_an_event_does_not_understand_fails_and_says_so` | host/tests/register/protocol.rs |
//! | 5 | `what_is_wrong_is_said_at_registration_and_nothing_is_registered` | host/tests/register/protocol.rs |
//! | 5 | `invalid_registration_is_an_error_with_help_and_registers_nothing` | dialects/src/harn/load/tests/plugins.rs |
//! | 5 | `every_slip_in_a_manifest_is_pointed_at` | dialects/src/harn/load/tests/manifests.rs |
//! | 6 | `an_early_allow_does_not_hide_a_later_deny` | agent/tests/registered/gaps/safety.rs |
//! | 7 | `permission_hook_tightens_and_refused_calls_need_no_approval` | agent/tests/registered/gaps/safety.rs |
//! | 8 | `a_hook_after_the_tool_hears_of_failures` | agent/tests/registered/gaps/safety.rs |
//! | 9 | `a_failing_hook_drops_no_edit_and_edits_stay_in_their_session` | agent/tests/registered/gaps/safety.rs |
//! | 10 | `a_hook_that_runs_an_agent_of_its_own_ends_at_the_depth_limit` | agent/tests/registered/gaps/safety.rs |
//! | 10 | `a_hook_that_causes_its_own_event_ends_at_the_depth_limit` | host/tests/register/limits.rs |
//! | 10 | `a_closure_that_overruns_its_time_has_failed_whatever_it_says` | host/tests/register/limits.rs |
//! | 10 | `a_panic_denies_a_guarded_event_and_only_shows_on_another` | host/tests/register/limits.rs |
//! | 11 | `a_dotted_tool_name_is_matched_by_every_kind_of_hook` | agent/tests/registered/gaps/tools.rs |
//! | 12 | `a_small_max_output_counts_too` | agent/tests/registered/gaps/tools.rs |
//! | 13 | `compaction_fires_only_when_due_and_a_block_skips_it_once` | agent/tests/lifecycle/points.rs |
//! | 13 | `a_veto_of_an_overflow_fails_the_turn_with_the_models_words` | agent/tests/team/compaction.rs |
//! | 14 | `a_rewritten_call_shows_its_new_arguments_in_the_result_and_on_the_tape` | agent/tests/registered/gaps/tools.rs |
//! | 15 | `every_hook_call_is_on_the_tape_with_its_name_number_time_and_payload` | agent/tests/registered/gaps/events.rs |
//! | 16 | `thousands_of_hook_calls_end_no_session` | agent/tests/registered/gaps/events.rs |
//! | 17 | `tape_of_registered_hooks_replays_byte_for_byte_without_them` | agent/tests/registered/gaps/events.rs |
//! | 17 | `whatever_happens_comes_out_byte_for_byte` | tape/tests/replay/sessions.rs |
//! | 18 | `a_reminder_of_one_turn_is_seen_once_and_one_with_a_key_never_twice` | agent/tests/registered/gaps/events.rs |
//! | 18 | `one_turn_reminder_is_sent_once_with_the_turn_it_fired_in` | agent/tests/lifecycle/reminders.rs |
//! | 19 | `repeated_reminder_is_sent_once_and_newer_text_replaces_it` | agent/tests/lifecycle/reminders.rs |
//! | 20 | `a_preserved_reminder_outlives_a_compaction_and_others_do_not` | agent/tests/registered/gaps/events.rs |
//! | 20 | `a_block_has_the_voice_and_the_order_that_its_reminders_want` | agent/tests/lifecycle/reminders.rs |
//! | 20 | `children_and_grandchildren_get_what_is_for_all_and_nothing_else` | agent/tests/lifecycle/reminders.rs |
//! | 21 | `a_lesser_authority_does_not_replace_a_greater_one` | agent/tests/lifecycle/reminders.rs |

mod events;
mod safety;
mod tools;

use crate::registered::published::documented_rows;

#[test]
fn every_gap_has_its_test() {
    let closed = documented_rows(include_str!("mod.rs"));
    let missing: Vec<u32> = (1..=21).filter(|gap| !closed.contains(gap)).collect();
    assert!(missing.is_empty(), "no test closes {missing:?}");
}
