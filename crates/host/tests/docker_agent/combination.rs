//! Several hooks that return different verdicts.

use pintle_host::{Effect, Outcome};
use serde_json::json;

use crate::docker_agent::fixture::{
    DockerHooksFixture, context_texts, describe_outcome, hook_block, hooks_block, specific_output_script,
};

fn permission_script(word: &str, reason: &str) -> String {
    specific_output_script(&format!(r#""permission_decision":"{word}","permission_decision_reason":"{reason}""#))
}

fn fire_scripts(event: &str, scripts: &[String]) -> Outcome {
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    DockerHooksFixture::from_block(&hooks_block(event, &scripts)).fire(event, json!({}))
}

#[test]
fn the_severest_decision_wins_and_its_reasons_stand_in_order() {
    let texts =
        |outcome: &Outcome| outcome.reasons.iter().map(|reason| reason.text.clone()).collect::<Vec<_>>().join(" / ");
    for event in ["pre_tool_use", "tool_guard"] {
        let (allow, ask, deny) =
            (permission_script("allow", "a"), permission_script("ask", "b"), permission_script("deny", "c"));
        let silent = String::from("true");
        let outcome = fire_scripts(event, &[allow.clone(), deny.clone(), ask.clone()]);
        assert_eq!(describe_outcome(&outcome), "deny: c", "{event}");
        let outcome = fire_scripts(event, &[deny, permission_script("deny", "d"), silent.clone()]);
        assert_eq!(describe_outcome(&outcome), "deny: c / d", "{event}");
        // No approver is available.
        let outcome = fire_scripts(event, &[allow.clone(), ask.clone()]);
        assert!(texts(&outcome).starts_with('b') && !outcome.is_allowed(), "{event}: {}", texts(&outcome));
        let outcome = fire_scripts(event, &[silent, allow]);
        assert_eq!(
            (describe_outcome(&outcome).as_str(), texts(&outcome).as_str()),
            ("allow, approved", "a"),
            "{event}"
        );
    }
}

#[test]
fn allow_and_deny_of_one_request_are_a_deny() {
    let outcome =
        fire_scripts("permission_request", &[permission_script("allow", "a"), permission_script("deny", "b")]);
    assert_eq!(describe_outcome(&outcome), "deny: b");
    let outcome = fire_scripts("permission_request", &[permission_script("ask", "a")]);
    assert_eq!(describe_outcome(&outcome), "allow");
}

#[test]
fn all_hooks_run_although_one_denies() {
    let notice = String::from(r#"echo '{"system_message":"ran"}'"#);
    for event in ["pre_tool_use", "permission_request", "user_prompt_submit"] {
        let outcome = fire_scripts(event, &[String::from("exit 2"), notice.clone()]);
        assert_eq!(describe_outcome(&outcome), "deny: , notice", "{event}");
    }
}

#[test]
fn other_events_take_no_permission_decision() {
    let outcome = fire_scripts("turn_end", &[permission_script("deny", "x")]);
    assert_eq!(describe_outcome(&outcome), "allow, warned");
}

#[test]
fn contexts_stand_in_the_order_of_the_file_and_the_first_summary_is_first() {
    let context = |text: &str| specific_output_script(&format!(r#""additional_context":"{text}""#));
    let outcome = fire_scripts("turn_start", &[context("one"), String::from("echo two"), context("three")]);
    assert_eq!(context_texts(&outcome), ["one", "two", "three"]);
    let summary = |text: &str| specific_output_script(&format!(r#""summary":"{text}""#));
    let outcome = fire_scripts("before_compaction", &[summary(""), summary("first"), summary("second")]);
    let summaries: Vec<_> = outcome.effects.iter().map(|(_, effect)| effect.clone()).collect();
    assert_eq!(summaries, ["first", "second"].map(|text| Effect::Summary(text.to_owned())));
}

#[test]
fn metadata_is_there_for_the_prompt_and_ignored_elsewhere() {
    let facts =
        |key: &str| specific_output_script(&format!(r#""permission_decision":"ask","metadata":{{"{key}":"x"}}"#));
    let outcome = fire_scripts("tool_guard", &[facts("a"), facts("b")]);
    let kept = outcome.effects.iter().filter(|(_, effect)| matches!(effect, Effect::Metadata(_))).count();
    assert_eq!(kept, 2);
    let outcome = fire_scripts("pre_tool_use", &[facts("a")]);
    assert!(outcome.effects.is_empty() && !outcome.warnings.is_empty());
}

#[test]
fn one_hook_can_block_in_two_ways_and_gives_both_reasons() {
    let script = r#"echo '{"continue":false,"stop_reason":"a","decision":"block","reason":"b"}'"#;
    let outcome =
        DockerHooksFixture::from_block(&hook_block("before_llm_call", "", script)).fire("before_llm_call", json!({}));
    assert_eq!(describe_outcome(&outcome), "deny: a\nb");
}
