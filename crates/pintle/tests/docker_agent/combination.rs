//! Several hooks that say different things (docker-agent behaviour, section 3.5).

use pintle::{Effect, Outcome};
use serde_json::json;

use crate::stage::{Stage, block, contexts, says, several, show};

fn permission(word: &str, reason: &str) -> String {
    says(&format!(r#""permission_decision":"{word}","permission_decision_reason":"{reason}""#))
}

fn fired(event: &str, scripts: &[String]) -> Outcome {
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    Stage::of(&several(event, &scripts)).fire(event, json!({}))
}

#[test]
fn the_severest_decision_wins_and_its_reasons_stand_in_order() {
    let texts =
        |outcome: &Outcome| outcome.reasons.iter().map(|reason| reason.text.clone()).collect::<Vec<_>>().join(" / ");
    for event in ["pre_tool_use", "tool_guard"] {
        let (allow, ask, deny) = (permission("allow", "a"), permission("ask", "b"), permission("deny", "c"));
        let silent = String::from("true");
        let outcome = fired(event, &[allow.clone(), deny.clone(), ask.clone()]);
        assert_eq!(show(&outcome), "deny: c", "{event}");
        let outcome = fired(event, &[deny, permission("deny", "d"), silent.clone()]);
        assert_eq!(show(&outcome), "deny: c / d", "{event}");
        // Nobody is there to ask.
        let outcome = fired(event, &[allow.clone(), ask.clone()]);
        assert!(texts(&outcome).starts_with('b') && !outcome.is_allowed(), "{event}: {}", texts(&outcome));
        let outcome = fired(event, &[silent, allow]);
        assert_eq!((show(&outcome).as_str(), texts(&outcome).as_str()), ("allow, approved", "a"), "{event}");
    }
}

#[test]
fn allow_and_deny_of_one_request_are_a_deny() {
    let outcome = fired("permission_request", &[permission("allow", "a"), permission("deny", "b")]);
    assert_eq!(show(&outcome), "deny: b");
    let outcome = fired("permission_request", &[permission("ask", "a")]);
    assert_eq!(show(&outcome), "allow");
}

#[test]
fn all_hooks_run_although_one_denies() {
    let notice = String::from(r#"echo '{"system_message":"ran"}'"#);
    for event in ["pre_tool_use", "permission_request", "user_prompt_submit"] {
        let outcome = fired(event, &[String::from("exit 2"), notice.clone()]);
        assert_eq!(show(&outcome), "deny: , notice", "{event}");
    }
}

#[test]
fn other_events_take_no_permission_decision() {
    let outcome = fired("turn_end", &[permission("deny", "x")]);
    assert_eq!(show(&outcome), "allow, warned");
}

#[test]
fn contexts_stand_in_the_order_of_the_file_and_the_first_summary_is_first() {
    let context = |text: &str| says(&format!(r#""additional_context":"{text}""#));
    let outcome = fired("turn_start", &[context("one"), String::from("echo two"), context("three")]);
    assert_eq!(contexts(&outcome), ["one", "two", "three"]);
    let summary = |text: &str| says(&format!(r#""summary":"{text}""#));
    let outcome = fired("before_compaction", &[summary(""), summary("first"), summary("second")]);
    let summaries: Vec<_> = outcome.effects.iter().map(|(_, effect)| effect.clone()).collect();
    assert_eq!(summaries, ["first", "second"].map(|text| Effect::Summary(text.to_owned())));
}

#[test]
fn metadata_is_there_for_the_prompt_and_ignored_elsewhere() {
    let facts = |key: &str| says(&format!(r#""permission_decision":"ask","metadata":{{"{key}":"x"}}"#));
    let outcome = fired("tool_guard", &[facts("a"), facts("b")]);
    let kept = outcome.effects.iter().filter(|(_, effect)| matches!(effect, Effect::Metadata(_))).count();
    assert_eq!(kept, 2);
    let outcome = fired("pre_tool_use", &[facts("a")]);
    assert!(outcome.effects.is_empty() && !outcome.warnings.is_empty());
}

#[test]
fn one_hook_can_block_in_two_ways_and_gives_both_reasons() {
    let script = r#"echo '{"continue":false,"stop_reason":"a","decision":"block","reason":"b"}'"#;
    let outcome = Stage::of(&block("before_llm_call", "", script)).fire("before_llm_call", json!({}));
    assert_eq!(show(&outcome), "deny: a\nb");
}
