use pintle_contract::{Event, MatchResult, MatcherSpec, SubjectFilter};
use serde_json::json;

use super::{event, only_hook};

fn matches(matcher: &str, event: &Event) -> bool {
    let hook = only_hook("PreToolUse", &format!("{{\"path\": \"hooks/A.ts\", \"matcher\": {matcher}}}"));
    match hook.matcher {
        None => true,
        Some(MatcherSpec::Compiled(matcher)) => matcher.matches(event) == MatchResult::Yes,
        Some(other) => panic!("{other:?}"),
    }
}

#[test]
fn all_conditions_have_to_hold_on_any_field_of_the_payload() {
    let shell =
        event("tool.pre", json!({"name": "shell", "args": {"command": "ls", "timeout_ms": 5, "list": ["a", "b"]}}));
    for (matcher, wanted) in [
        (r#"{"tool_name": "Bash"}"#, true),
        (r#"{"tool_name": "Write"}"#, false),
        (r#"{"tool_name": ["Write", "Bash"]}"#, true),
        (r#"{"tool_name": ["Write", "Edit"]}"#, false),
        (r#"{"tool_name": "Bash", "tool_input": {"command": "ls"}}"#, true),
        (r#"{"tool_name": "Bash", "tool_input": {"command": "rm"}}"#, false),
        (r#"{"tool_name": "Write", "tool_input": {"command": "ls"}}"#, false),
        (r#"{"tool_input": {"timeout": 5}}"#, true),
        (r#"{"tool_input": {"timeout": 6}}"#, false),
        (r#"{"tool_input": {"list": ["a", "b"]}}"#, true),
        (r#"{"tool_input": {"nothing": null}}"#, false),
        (r#"{"tool_input": {"command": {"deeper": 1}}}"#, false),
        (r#"{"session_id": "s-1", "hook_event_name": "PreToolUse"}"#, true),
        (r#"{"session_id": "s-2"}"#, false),
        ("{}", true),
        ("null", true),
    ] {
        assert_eq!(matches(matcher, &shell), wanted, "{matcher}");
    }
}

#[test]
fn a_hook_without_a_matcher_fires_on_every_event_of_its_type() {
    assert!(only_hook("PreToolUse", r#"{"path": "hooks/A.ts"}"#).matcher.is_none());
}

#[test]
fn a_condition_on_the_tool_narrows_the_names_that_are_looked_at() {
    let names = |matcher: &str| {
        let hook = only_hook("PreToolUse", &format!("{{\"path\": \"hooks/A.ts\", \"matcher\": {matcher}}}"));
        match hook.matcher {
            Some(MatcherSpec::Compiled(matcher)) => matcher.subjects(),
            other => panic!("{other:?}"),
        }
    };
    let of = |names: &[&str]| SubjectFilter::possible(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(names(r#"{"tool_name": "Bash"}"#), of(&["Bash"]));
    assert_eq!(names(r#"{"tool_name": "mcp__a__b"}"#), of(&["mcp__a__b"]));
    assert_eq!(names(r#"{"tool_name": ["Bash", "Write"]}"#), SubjectFilter::Any);
    assert_eq!(names(r#"{"session_id": "s"}"#), SubjectFilter::Any);
}
