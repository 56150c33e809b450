use pintle_contract::{HandlerSpec, HookDeclaration};

use super::*;

/// The hooks of an agent as event and built-in; a command is `command`.
fn hooks(agent: &AgentSpec) -> Vec<String> {
    let text = |hook: &HookDeclaration| match &hook.handler {
        HandlerSpec::Builtin(spec) => [hook.event_alias.as_ref(), &spec.name]
            .into_iter()
            .chain(spec.arguments.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" "),
        _ => format!("{} command", hook.event_alias),
    };
    agent.hooks.iter().map(text).collect()
}

const LIMITS: [&str; 2] = ["tool_response_transform limit_large_tool_results", "session_end limit_large_tool_results"];

#[test]
fn redaction_is_on_unless_it_is_switched_off_and_comes_before_the_limiter() {
    let redacts = [
        "tool_input_transform redact_secrets",
        "before_llm_call redact_secrets",
        "tool_response_transform redact_secrets",
    ];
    let with = [&redacts[..], &LIMITS].concat();
    assert_eq!(hooks(&agent("")), with);
    assert_eq!(hooks(&agent("redact_secrets: true")), with);
    assert_eq!(hooks(&agent("redact_secrets: false")), LIMITS);
    let older = read_as(ArtifactKind::Team, &with_agent(""), Some(DockerAgentVersion::G1)).team.unwrap();
    assert_eq!(hooks(&older.agents[0])[0], "pre_tool_use redact_secrets");
}

#[test]
fn flags_stand_for_hooks_behind_the_users_own() {
    let lines = "add_date: true\nadd_environment_info: true\nadd_prompt_files: [A.md, B.md]\nadd_prompt_files_depth: 2\nredact_secrets: false\ntoolsets: [{type: shell, safer: true}]\nhooks:\n  turn_start:\n    - {type: command, command: \"true\"}";
    let flags = [
        "turn_start command",
        "turn_start add_date",
        "turn_start add_prompt_files --depth=2 A.md B.md",
        "session_start add_environment_info",
        "tool_guard safer_shell safer",
    ];
    assert_eq!(hooks(&agent(lines)), [&flags[..], &LIMITS].concat());
    assert_eq!(hooks(&agent("add_date: false\nredact_secrets: false")), LIMITS);
}

#[test]
fn the_file_says_its_version_and_a_flag_outranks_it() {
    let text = format!("compat: g1\n{}", with_agent(""));
    let first = |compat| hooks(&read_as(ArtifactKind::Team, &text, compat).team.unwrap().agents[0])[0].clone();
    assert_eq!(first(None), "pre_tool_use redact_secrets");
    assert_eq!(first(Some(DockerAgentVersion::Newest)), "tool_input_transform redact_secrets");
}
