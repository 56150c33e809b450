use pintle_contract::{McpSpec, McpTransport, ScriptToolSpec, ToolsetKind};
use serde_json::json;

use super::*;

fn toolset_kinds(lines: &str) -> Vec<ToolsetKind> {
    member(lines).toolsets.into_iter().map(|set| set.kind).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn every_set_is_read_with_its_own_keys() {
    let lines = "toolsets:\n  - type: shell\n    env: {LEVEL: 3, FLAG: true}\n  - {type: background_jobs, env: {A: b}}\n  - {type: filesystem, allow_list: [.]}\n  - type: think\n  - {type: todo, shared: true}\n  - {type: memory, path: ./notes.db}\n  - {type: fetch, timeout: 5}\n  - type: background_agents";
    assert_eq!(
        toolset_kinds(lines),
        [
            ToolsetKind::Shell { environment: vec![pair("LEVEL", "3"), pair("FLAG", "true")] },
            ToolsetKind::BackgroundJobs { environment: vec![pair("A", "b")] },
            ToolsetKind::Filesystem,
            ToolsetKind::Think,
            ToolsetKind::Todo { shared: true },
            ToolsetKind::Memory { path: Some(String::from("./notes.db")) },
            ToolsetKind::Fetch { timeout_ms: Some(5_000) },
            ToolsetKind::BackgroundAgents,
        ]
    );
}

#[test]
fn tools_are_picked_and_told_of() {
    let sets = member("toolsets:\n  - type: filesystem\n    tools: [read_file]\n    instruction: Read only.").toolsets;
    assert_eq!(sets[0].tools, ["read_file"]);
    assert_eq!(sets[0].instruction.as_deref(), Some("Read only."));
    assert_eq!(sets[0].location.line_column(), Some((5, 9)));
}

#[test]
fn script_arguments_are_all_required_unless_required_is_listed() {
    let lines = "toolsets:\n  - type: script\n    env: {A: one, B: two}\n    shell:\n      deploy:\n        cmd: ./deploy.sh\n        description: Deploys.\n        args:\n          env: {type: string}\n          dry: {type: boolean}\n        required: [env]\n        env: {B: three}\n        working_dir: scripts\n      test:\n        cmd: make test\n        args: {name: {type: string}}";
    let environment = |value: &str| vec![pair("A", "one"), pair("B", value)];
    let deploy = ScriptToolSpec {
        name: String::from("deploy"),
        description: String::from("Deploys."),
        parameters: json!({
            "type": "object",
            "properties": {"env": {"type": "string"}, "dry": {"type": "boolean"}},
            "required": ["env"],
        }),
        command: String::from("./deploy.sh"),
        environment: environment("three"),
        directory: Some(String::from("scripts")),
        timeout_ms: None,
    };
    let test = ScriptToolSpec {
        name: String::from("test"),
        description: String::from("Runs `make test`."),
        parameters: json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
        command: String::from("make test"),
        environment: environment("two"),
        directory: None,
        timeout_ms: None,
    };
    assert_eq!(toolset_kinds(lines), [ToolsetKind::Script(vec![deploy, test])]);
}

#[test]
fn a_server_is_a_program_an_address_or_one_that_is_declared_for_all() {
    let text = "mcps:\n  search:\n    remote: {url: \"https://x.test/mcp\", headers: {Authorization: \"Bearer ${env.T}\"}}\nagents:\n  root:\n    model: openai/gpt-4o\n    toolsets:\n      - {type: mcp, command: python, args: [-m, server], env: {PORT: 8080}, working_dir: sub}\n      - {type: mcp, ref: search, name: web, tools: [find]}\n";
    let sets = team(text).agents[0].member.clone().unwrap().toolsets;
    let program = McpTransport::Stdio {
        command: String::from("python"),
        arguments: vec![String::from("-m"), String::from("server")],
        environment: vec![pair("PORT", "8080")],
        directory: Some(String::from("sub")),
    };
    let address = McpTransport::Http {
        url: String::from("https://x.test/mcp"),
        headers: vec![pair("Authorization", "Bearer ${env.T}")],
    };
    let kinds: Vec<ToolsetKind> = sets.iter().map(|set| set.kind.clone()).collect();
    let server = |name: &str, transport| ToolsetKind::Mcp(McpSpec { name: name.to_owned(), transport });
    assert_eq!(kinds, [server("", program), server("web", address)]);
    assert_eq!(sets[1].tools, ["find"]);
}

#[test]
fn a_set_that_is_declared_for_all_comes_behind_the_agents_own() {
    let text = "toolsets:\n  notes: {type: memory}\nagents:\n  root:\n    model: openai/gpt-4o\n    toolsets: [{type: think}]\n    use_toolsets: [notes]\n";
    let kinds: Vec<ToolsetKind> =
        team(text).agents[0].member.clone().unwrap().toolsets.into_iter().map(|set| set.kind).collect();
    assert_eq!(kinds, [ToolsetKind::Think, ToolsetKind::Memory { path: None }]);
}
