//! The input and output of one hook.

use std::sync::Arc;
use std::thread;

use pintle_host::contract::FailureKind;
use pintle_host::{Effect, EventScope, Runtime};
use serde_json::{Value, json};

use crate::docker_agent::fixture::{
    DockerHooksFixture, context_texts, describe_outcome, example_event, hook_block, hooks_block, specific_output_script,
};

#[test]
fn a_hook_reads_one_line_of_json_without_a_line_end() {
    let fixture =
        DockerHooksFixture::from_block(&hook_block("turn_start", "", "cat; echo; echo lines: $(cat | wc -l)"));
    let outcome = fixture.fire("turn_start", json!({}));
    // Output that starts with a brace and has text after the object is not an object.
    assert_eq!(describe_outcome(&outcome), "allow, failure shown");
    let fixture = DockerHooksFixture::from_block(&hook_block("turn_start", "", "echo got: $(cat)"));
    let outcome = fixture.fire("turn_start", json!({}));
    let wanted = r#"got: {"session_id":"s1","cwd":"","hook_event_name":"turn_start","agent_name":"root"}"#;
    assert_eq!(context_texts(&outcome), [wanted]);
}

#[test]
fn plain_text_is_context_and_a_notice_reaches_the_person_on_every_event() {
    let outcome = DockerHooksFixture::from_block(&hook_block("session_start", "", "echo '  hello  '"))
        .fire("session_start", json!({}));
    assert_eq!(context_texts(&outcome), ["hello"]);
    for def in pintle_host::dialects::docker_agent::ROWS {
        let fixture = DockerHooksFixture::from_block(&hook_block(def.name, "", r#"echo '{"system_message":"look"}'"#));
        let outcome = fixture.fire(def.name, json!({}));
        assert!(
            outcome.effects.iter().any(|(_, effect)| *effect == Effect::Notice(String::from("look"))),
            "{}",
            def.name
        );
    }
}

#[test]
fn a_hook_of_post_tool_use_that_fails_does_not_stop_the_run() {
    let outcome =
        DockerHooksFixture::from_block(&hook_block("post_tool_use", "", "exit 1")).fire("post_tool_use", json!({}));
    assert_eq!((describe_outcome(&outcome).as_str(), outcome.stop_reason()), ("allow, failure shown", None));
    let outcome = DockerHooksFixture::from_block(&hook_block("post_tool_use", "", "echo enough >&2; exit 2"))
        .fire("post_tool_use", json!({}));
    assert_eq!((outcome.stop_reason().as_deref(), outcome.denies_event()), (Some("enough"), false));
}

#[test]
fn a_hook_that_is_cancelled_is_a_cancellation_and_leaves_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let begun = dir.path().join("begun");
    let script = format!("echo > {}; sleep 600", begun.display());
    assert!(std::process::Command::new("mkfifo").arg(&begun).status().unwrap().success());
    let fixture = DockerHooksFixture::from_block(&hook_block("pre_tool_use", "", &script));
    let scope = EventScope::default();
    let cancel = scope.cancel.clone();
    let outcome = thread::scope(|threads| {
        let fired = threads.spawn(|| fixture.runtime.fire_in(&example_event("pre_tool_use", json!({})), &scope));
        // The read waits until the hook writes, which means that it is running.
        std::fs::read(&begun).unwrap();
        cancel.cancel();
        fired.join().unwrap()
    });
    assert_eq!(outcome.failures.first().map(|report| report.failure.kind), Some(FailureKind::Cancelled));
    assert_eq!(describe_outcome(&outcome), "deny by failure");
}

#[test]
fn hooks_of_one_dispatch_get_the_same_bytes() {
    let fixture =
        DockerHooksFixture::from_block(&hooks_block("user_prompt_submit", &["echo 1 $(cat)", "echo 2 $(cat)"]));
    let outcome = fixture.fire("user_prompt_submit", json!({"prompt": "a <b>"}));
    let [one, two] = context_texts(&outcome)[..] else { panic!("{outcome:?}") };
    assert_eq!(one.strip_prefix("1 "), two.strip_prefix("2 "));
    assert!(one.contains(r"\u003cb\u003e"), "{one}");
}

#[test]
fn exactly_the_lowest_exit_code_and_only_two_block() {
    for (code, wanted) in
        [(0, "allow"), (2, "deny: "), (1, "deny by failure"), (3, "deny by failure"), (255, "deny by failure")]
    {
        let outcome = DockerHooksFixture::from_block(&hook_block("pre_tool_use", "", &format!("exit {code}")))
            .fire("pre_tool_use", json!({}));
        assert_eq!(describe_outcome(&outcome), wanted, "{code}");
    }
}

#[test]
fn a_summary_and_a_veto_of_a_compaction_reach_the_host() {
    let fixture = DockerHooksFixture::from_block(&hook_block(
        "before_compaction",
        "",
        &specific_output_script(r#""summary":"short""#),
    ));
    let outcome = fixture.fire("before_compaction", json!({}));
    assert_eq!(outcome.effects.first().map(|(_, effect)| effect), Some(&Effect::Summary(String::from("short"))));
    let veto = specific_output_script(r#""permission_decision":"deny","permission_decision_reason":"not now""#);
    let outcome = DockerHooksFixture::from_block(&hook_block("before_compaction", "", &veto))
        .fire("before_compaction", json!({}));
    assert_eq!(describe_outcome(&outcome), "deny: not now");
}

#[test]
fn nothing_listens_where_nothing_is_declared() {
    let runtime: Arc<Runtime> = DockerHooksFixture::from_block("stop: []\n").runtime;
    let payload: Value = json!({});
    assert_eq!(runtime.fire(&example_event("stop", payload)).hooks_called, 0);
}
