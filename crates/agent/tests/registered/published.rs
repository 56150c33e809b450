//! The hook tests of upstream's published crates (see docs/specs/harn.md), each with a test of the same meaning:
//!
//! | Number | Upstream | Test | File |
//! | --- | --- | --- | --- |
//! | 1 | pre-hook deny | `exec_is_gated` | agent/tests/registered/examples.rs |
//! | 2 | pre-hook allow | `a_tool_call_is_refused_changed_and_reminded_of` | host/tests/register/protocol.rs |
//! | 3 | pre-hook rewrite | `a_rewritten_call_shows_its_new_arguments_in_the_result_and_on_the_tape` | agent/tests/registered/gaps/tools.rs |
//! | 4 | post-hook rewrite | `a_tool_call_is_refused_changed_and_reminded_of` | host/tests/register/protocol.rs |
//! | 5 | denial kept over later rewrites | `a_denial_and_a_cut_are_kept_over_later_rewrites` | host/tests/register/protocol.rs |
//! | 6 | truncation kept over later appends | `a_denial_and_a_cut_are_kept_over_later_rewrites` | host/tests/register/protocol.rs |
//! | 7 | an unmatched pattern is silent | `a_closure_sees_the_call_without_a_copy` | host/tests/register/protocol.rs |
//! | 8 | six pattern forms against one payload | `six_pattern_forms_meet_one_payload` | dialects/src/harn/pattern/tests.rs |
//! | 9 | `on_finish` replaces the value and is used once | `what_finishes_a_run_replaces_its_value_once` | agent/tests/registered/published.rs |
//! | 10 | event names round-trip | `every_session_event_reads_from_both_spellings_and_prints_one` | host/src/register/event_names.rs |
//! | 11 | bad reminders give their codes | `a_bad_specification_says_what_is_wrong_with_the_documented_code` | dialects/src/harn/decode/tests/reminders.rs |
//! | 12 | truncation without a byte count fails | `a_result_is_replaced_refused_or_marked_as_cut` | dialects/src/harn/decode/tests/mod.rs |
//! | 13 | the event enumeration round-trips | `persona_events_round_trip_as_text_and_thresholds_need_a_percentage` | host/src/register/event_names.rs |
//! | 14 | session registration refuses other kinds | `what_is_wrong_is_said_at_registration_and_nothing_is_registered` | host/tests/register/protocol.rs |
//! | 15 | alias `error` | `every_session_event_reads_from_both_spellings_and_prints_one` | host/src/register/event_names.rs |
//! | 16 | reminders on every event that can be registered | `every_shape_on_every_event_comes_to_what_the_table_says` | dialects/src/harn/decode/tests/matrix.rs |
//! | 17 | typed post denial | `a_result_is_replaced_refused_or_marked_as_cut` | dialects/src/harn/decode/tests/mod.rs |
//! | 18 | state of a lazy hook survives | `what_a_function_counts_stays_within_its_runtime` | agent/tests/registered/manifest.rs |
//! | 19 | a lazy hook finds sibling functions again and again | `a_function_finds_its_siblings_each_time_after_its_file_is_gone` | agent/tests/registered/manifest.rs |
//! | 20 | hooks work under an execution policy | `a_hook_reaches_the_runtime_under_every_permission_mode` | agent/tests/registered/published.rs |
//! | 21 | the host is reachable from a hook | `a_hook_reaches_the_runtime_under_every_permission_mode` | agent/tests/registered/published.rs |
//! | 22 | missing, private and broken handlers | `a_handler_that_is_not_there_private_or_broken_does_not_load` | agent/tests/registered/manifest.rs |
//! | 23 | a dependency is ready on the first firing | `dependency_hooks_follow_root_hooks_and_carry_their_package_name` | dialects/src/harn/load/tests/manifests.rs |
//! | 24 | the state of a manifest is its own | `what_a_function_counts_stays_within_its_runtime` | agent/tests/registered/manifest.rs |
//! | 25 | hooks of packages (upstream ignores them; here they run behind the root's) | `dependency_hooks_follow_root_hooks_and_carry_their_package_name` | dialects/src/harn/load/tests/manifests.rs |
//! | 26 | a failing prompt hook records its cause | `a_failing_prompt_hook_tells_its_real_cause` | agent/tests/registered/published.rs |
//! | 27 | a hook sees the live budget | `a_hook_sees_how_much_of_a_budget_is_used` | agent/tests/registered/published.rs |
//! | 28 | one-time grants do not follow changed arguments | `a_person_is_asked_about_the_arguments_that_a_hook_left` | agent/tests/registered/published.rs |
//! | 29 | constraints cover final arguments | `a_rule_covers_the_arguments_that_a_hook_left` | agent/tests/registered/published.rs |
//! | 30 | reminder rendering | `there_is_one_block_for_each_voice_and_a_body_cannot_leave_its_element` | agent/src/reminders/render.rs |
//! | 31 | append-only prompt prefix | `reminders_leave_the_beginning_of_a_request_as_it_was` | agent/tests/registered/published.rs |
//! | 32 | lint `persona-hook-target` | `a_hook_for_a_step_that_no_persona_has_is_pointed_out` | agent/tests/registered/manifest.rs |

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_host::contract::{
    BudgetSpec, EffectReply, EffectRequest, Location, PermissionMode, PermissionRule, PermissionsSpec, PersonaSpec,
    StepSpec,
};
use pintle_host::{ApprovalResponse, HookReturn, Reminder, Runtime, ToolHook};
use pintle_testkit::ScriptedApprover;
use serde_json::{Value, json};

use crate::registered::fixture::*;
use crate::support::{QueuedReplyModel, agent, call, message_lines, say};

/// The numbers in the first column of a table in a file's documentation comment. Each row names a test and the file
/// below `crates/` that contains it; a row whose test is missing fails.
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
pub(crate) fn documented_rows(source: &str) -> BTreeSet<u32> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = source.lines().filter_map(|line| line.strip_prefix("//! | "));
    let mut numbers = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let Ok(number) = cells[0].parse() else { continue };
        let (test, file) = (cells[cells.len() - 3].trim_matches('`'), cells[cells.len() - 2]);
        let text = std::fs::read_to_string(crates.join(file)).unwrap();
        assert!(text.contains(&format!("fn {test}(")), "{number}: {file} has no test `{test}`");
        numbers.insert(number);
    }
    numbers
}

#[test]
fn every_published_test_has_one_here() {
    let present = documented_rows(include_str!("published.rs"));
    let missing: Vec<u32> = (1..=32).filter(|number| !present.contains(number)).collect();
    assert!(missing.is_empty(), "no test for {missing:?}");
}

#[test]
fn what_finishes_a_run_replaces_its_value_once() {
    let values = SharedLines::default();
    let lines = values.clone();
    let mut fixture = open_fixture([say("first")], |runtime| {
        for event in ["pre_finish", "post_finish"] {
            let lines = lines.clone();
            runtime
                .register_session_hook(event, move |event| {
                    lines.add(format!("{} {}", event.name(), event.field("return_value").unwrap_or(&Value::Null)));
                })
                .unwrap();
        }
    });
    fixture.session.turn("go").unwrap();
    fixture.session.on_finish(|_, _| json!("never called"));
    let called = values.clone();
    fixture.session.on_finish(move |value, _| {
        called.add(format!("callback {value}"));
        json!({"text": value})
    });
    assert_eq!(fixture.session.finish(), json!({"text": "first"}));
    fixture.session.finish();
    let expected = [r#"PreFinish "first""#, r#"callback "first""#, r#"PostFinish {"text":"first"}"#];
    assert_eq!(values.all(), expected);
}

#[test]
fn a_hook_reaches_the_runtime_under_every_permission_mode() {
    let modes =
        [PermissionMode::Balanced, PermissionMode::Strict, PermissionMode::Restricted, PermissionMode::Autonomous];
    for mode in modes {
        let seen = SharedLines::default();
        let lines = seen.clone();
        let mut fixture = open_fixture_with(
            QueuedReplyModel::root([call(&[("look", "{}")]), say("done")]),
            agent(),
            move |runtime| {
                let hook = ToolHook::for_tools("*").pre(move |event| {
                    let counted = event.perform(EffectRequest::MetricIncr { name: String::from("asked"), amount: 1 });
                    let now = event.perform(EffectRequest::Now);
                    lines.add(format!(
                        "{} {}",
                        counted == Ok(EffectReply::Int(1)),
                        matches!(now, Ok(EffectReply::Int(_)))
                    ));
                });
                runtime.register_tool_hook(hook).unwrap();
            },
            |builder| builder.permission_mode(mode),
        );
        fixture.session.turn("go").unwrap();
        assert_eq!(seen.all(), ["true true"], "{mode:?}");
        assert_eq!(fixture.records_about("", &["effect"]).len(), 2, "what it asked is on the tape");
    }
}

#[test]
fn a_failing_prompt_hook_tells_its_real_cause() {
    let mut fixture = open_fixture([say("hello")], |runtime| {
        runtime.register_session_hook("user_prompt_submit", |_| Err::<(), _>("the index is gone")).unwrap();
    });
    let error = fixture.session.turn("go").unwrap_err();
    assert!(error.message.contains("the index is gone"), "{}", error.message);
    let returned = fixture.records_about("register_session_hook#1", &["hook_returned"]);
    assert!(returned[0].to_string().contains("the index is gone"), "{}", returned[0]);
}

#[test]
fn a_hook_sees_how_much_of_a_budget_is_used() {
    let seen = SharedLines::default();
    let lines = seen.clone();
    let mut fixture = open_fixture([say("a"), say("b")], |runtime| {
        let told = move |event: &pintle_host::HookEvent<'_>| {
            let field = |name: &str| event.field(name).and_then(Value::as_f64).unwrap_or_default();
            lines.add(format!("{} of {}", field("used"), field("limit")));
        };
        runtime.register_persona_hook("*", "OnBudgetThreshold(25)", told).unwrap();
    });
    let spec = PersonaSpec {
        name: String::from("p"),
        steps: vec![StepSpec::new("s")],
        budget: BudgetSpec { max_tokens: Some(40), ..BudgetSpec::default() },
        ..PersonaSpec::default()
    };
    let mut persona = fixture.session.persona(&spec).unwrap();
    persona.step("s", json!([]), |step| Ok(json!(step.run_prompt("go")?.text))).unwrap();
    assert_eq!(seen.all(), ["11 of 40"]);
}

#[test]
fn a_person_is_asked_about_the_arguments_that_a_hook_left() {
    let user = Arc::new(ScriptedApprover::new(ApprovalResponse::Approved { answered_by: String::from("ada") }));
    let runtime = Runtime::builder().approver(user.clone()).build().unwrap();
    let hook = ToolHook::for_tools("write").pre(|event| {
        let content = event.tool_arg("content")?;
        Some(HookReturn::args(json!({"path": "safe.txt", "content": content})))
    });
    runtime.register_tool_hook(hook).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let replies = [call(&[("write", r#"{"path":"other.txt","content":"x"}"#)]), say("done")];
    let builder = Session::builder(runtime, agent(), QueuedReplyModel::root(replies)).workspace(dir.path());
    builder.permission_mode(PermissionMode::Strict).build().unwrap().turn("go").unwrap();
    let asked = user.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0["args"]["path"], json!("safe.txt"));
    assert!(dir.path().join("safe.txt").exists() && !dir.path().join("other.txt").exists());
}

#[test]
fn a_rule_covers_the_arguments_that_a_hook_left() {
    let rule = PermissionRule {
        text: String::from("look:path=*.key"),
        tool: String::from("look"),
        arguments: vec![(String::from("path"), String::from("*.key"))],
        location: Location::default(),
    };
    let rules = PermissionsSpec { deny: vec![rule], ..PermissionsSpec::default() };
    let mut fixture = open_fixture_with(
        QueuedReplyModel::root([call(&[("look", r#"{"path":"a.txt"}"#)]), say("done")]),
        agent(),
        |runtime| {
            let hook = ToolHook::for_tools("look").pre(|_| HookReturn::args(json!({"path": "id.key"})));
            runtime.register_tool_hook(hook).unwrap();
        },
        |builder| builder.permissions(rules),
    );
    fixture.session.turn("go").unwrap();
    assert!(fixture.ran.all().is_empty(), "{:?}", fixture.ran.all());
}

#[test]
fn reminders_leave_the_beginning_of_a_request_as_it_was() {
    let replies = (0..4).map(|_| call(&[("look", "{}")])).chain([say("done")]);
    let mut fixture = open_fixture(replies, |runtime| {
        runtime
            .register_session_hook("post_turn", |event| {
                Reminder::for_one_turn(format!("round {}", event.field("iteration").unwrap_or(&Value::Null)))
            })
            .unwrap();
    });
    fixture.session.turn("go").unwrap();
    let own = |request: usize| -> Vec<String> {
        message_lines(&fixture.model.request(request)).into_iter().filter(|line| !line.contains("<reminders")).collect()
    };
    for request in 1..fixture.model.count() {
        let lines = message_lines(&fixture.model.request(request));
        assert!(lines.last().is_some_and(|line| line.contains(&format!("round {request}"))), "{lines:?}");
        assert!(own(request).starts_with(&own(request - 1)));
    }
}
