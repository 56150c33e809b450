//! A member with toolsets, and calls one after the other.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;

use pintle_host::Hook;
use pintle_host::contract::{AgentSpec, Location, MemberSpec, PermissionMode, ToolsetKind, ToolsetSpec};
use pintle_host::dialects::docker_agent::LOOP_RULES;
use serde_json::Value;

use crate::support::*;

pub(crate) fn toolset_spec(kind: ToolsetKind) -> ToolsetSpec {
    ToolsetSpec { kind, tools: Vec::new(), instruction: None, location: Location::default() }
}

/// An agent called `root`, in a team of one.
pub(crate) fn member_spec(toolsets: impl IntoIterator<Item = ToolsetSpec>) -> AgentSpec {
    let member = MemberSpec { toolsets: toolsets.into_iter().collect(), ..MemberSpec::default() };
    AgentSpec {
        name: String::from("root"),
        instruction: String::from("be brief"),
        rules: LOOP_RULES,
        member: Some(member),
        ..AgentSpec::default()
    }
}

/// The results of calls: each result's text, and whether it is an error.
pub(crate) type ToolCallResults = Vec<(String, bool)>;

/// Makes each call in a separate message, in a prepared directory.
pub(crate) fn make_calls(
    spec: AgentSpec,
    hooks: impl IntoIterator<Item = Hook>,
    prepare: impl FnOnce(&Path),
    calls: &[(&str, Value)],
) -> (ToolCallResults, AgentFixture) {
    let replies = calls.iter().map(|(name, arguments)| call(&[(name, arguments.to_string().as_str())]));
    let model = QueuedReplyModel::root(replies.chain([say("end")]));
    let mut fixture =
        open_fixture_with(model, hooks, spec, |builder| builder.permission_mode(PermissionMode::Autonomous));
    prepare(fixture.folder.path());
    let answer = fixture.session.turn("go").unwrap();
    let results = answer.tool_results.into_iter().map(|result| (result.content, result.is_error)).collect();
    (results, fixture)
}

/// The same with one set and no hooks.
pub(crate) fn call_toolset(
    kind: ToolsetKind,
    prepare: impl FnOnce(&Path),
    calls: &[(&str, Value)],
) -> (ToolCallResults, AgentFixture) {
    make_calls(member_spec([toolset_spec(kind)]), [], prepare, calls)
}

/// Compares results with expected ones: `Ok` is the whole text, `Err` a part of an error.
pub(crate) fn check_results(results: &ToolCallResults, calls: &[(&str, Value)], expected: &[Result<&str, &str>]) {
    assert_eq!(results.len(), expected.len());
    for (((text, is_error), (name, arguments)), expected) in results.iter().zip(calls).zip(expected) {
        match expected {
            Ok(whole) => assert_eq!((text.as_str(), *is_error), (*whole, false), "{name} {arguments}"),
            Err(part) => assert!(*is_error && text.contains(part), "{name} {arguments}: {text}"),
        }
    }
}
