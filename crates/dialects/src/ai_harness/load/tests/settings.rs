//! The agent's own file.

use super::*;

#[test]
fn the_agents_own_file_gives_every_setting() {
    let text = "---
name: governed
description: does things safely
model: {name: claude-x, provider: anthropic, max_tokens: 100, temperature: 0, base_url: http://localhost:1, api_key_env: KEY, retry: {max_retries: 1, initial_backoff_ms: 2, max_backoff_ms: 3, multiplier: 1.5}}
models:
  - {name: small, provider: ollama}
  - big
context: {max_history: 20, max_tokens: 64000, system_prompt: not used}
tools_policy: {allow: [fs.*, \"delegate*\"], deny: [exec]}
delegation: {max_depth: 0, max_concurrent: 4, iterations_per_depth: [12, 6], verify_policy: {max_retries: 1, on_exhausted: error}}
meta: {enabled: true, max_tools: 20, max_hooks: 0}
network: {allowed_domains: [example.com]}
exit_policy: {mode: hybrid, max_iterations: 9, on_max_iterations: warn_and_exit}
---
You help.
";
    let project = read(&[(ArtifactKind::Harness, "harness", text)]);
    assert_eq!(findings(&project, Severity::Warning), NO_FINDINGS);
    let agent = project.agent.unwrap();
    assert_eq!(
        (agent.name.as_str(), agent.description.as_str(), agent.instruction.as_str()),
        ("governed", "does things safely", "You help.")
    );
    let model = ModelSpec {
        name: String::from("claude-x"),
        provider: String::from("anthropic"),
        base_url: Some(String::from("http://localhost:1")),
        api_key_env: Some(String::from("KEY")),
        max_tokens: Some(100),
        temperature: Some(0.0),
        retry: RetrySpec { max_retries: 1, initial_backoff_ms: 2, max_backoff_ms: 3, multiplier: 1.5 },
    };
    assert_eq!(agent.model, Some(model));
    assert_eq!(
        agent.models.iter().map(|model| (model.name.as_str(), model.provider.as_str())).collect::<Vec<_>>(),
        [("small", "ollama"), ("big", "openai")]
    );
    assert_eq!(agent.history, HistorySpec { max_messages: 20, max_tokens: 64_000 });
    assert_eq!(
        agent.policy,
        ToolsPolicy {
            mode: PolicyMode::Allowlist,
            allow: vec![String::from("fs.*"), String::from("delegate*")],
            deny: vec![String::from("exec")]
        }
    );
    assert_eq!((agent.delegation.max_depth, agent.delegation.max_concurrent), (Some(0), Some(4)));
    assert_eq!((agent.delegation.iterations_per_depth, agent.delegation.max_verify_retries), (vec![12, 6], Some(1)));
    assert_eq!(agent.meta, MetaSpec { enabled: true, max_tools: 20, max_hooks: 0, ..MetaSpec::default() });
    assert_eq!(agent.network.allowed_domains, ["example.com"]);
    assert_eq!(
        agent.exit,
        ExitSpec {
            mode: ExitMode::Hybrid,
            max_iterations: 9,
            on_max_iterations: OnMaxIterations::WarnAndExit,
            block_fails_turn: false,
            ..ExitSpec::default()
        }
    );
}

#[test]
fn what_the_agents_own_file_leaves_out_has_its_default() {
    let project = read(&[(ArtifactKind::Harness, "harness", "---\n---\nYou help.\n")]);
    assert_eq!(findings(&project, Severity::Note), NO_FINDINGS);
    let agent = project.agent.unwrap();
    assert_eq!((agent.name.as_str(), agent.model, agent.meta.enabled), ("root", None, false));
    assert_eq!(
        (agent.delegation.max_depth, agent.history, agent.exit),
        (None, HistorySpec::default(), ExitSpec::default())
    );
    assert_eq!((agent.policy, agent.network.allowed_domains.len()), (ToolsPolicy::default(), 0));
}

#[test]
fn a_verification_without_retries_is_one_attempt() {
    let project = read(&[(
        ArtifactKind::Harness,
        "harness",
        "---\ndelegation: {verify: x, max_verify_retries: 0, verify_policy: {max_retries: 4}}\n---\nHi.\n",
    )]);
    let delegation = project.agent.unwrap().delegation;
    assert_eq!((delegation.max_verify_retries, delegation.verify.unwrap().first_line), (Some(0), 2));
}

#[test]
fn what_a_model_leaves_out_is_left_to_its_provider() {
    let project = read(&[(ArtifactKind::Harness, "harness", "---\nmodel: {}\n---\nHi.\n")]);
    let model = ModelSpec {
        name: String::from("gpt-4o"),
        provider: String::from("openai"),
        base_url: None,
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: RetrySpec::default(),
    };
    assert_eq!(project.agent.unwrap().model, Some(model));
}

#[test]
fn faults_of_settings_are_all_reported() {
    let text = "---\nmodel: {temperature: 3, provder: x}\nmodels: x\ntools_policy: {mode: alowlist, allow: [\"\"]}\ndelegation: {max_depth: 9, iterations_per_depth: [0, x]}\nmeta: yes\nexit_policy: {mode: never}\nserve: {sources: []}\nartifact_sources: [x]\nnetwork: {allowed_domains: example.com}\ntool: []\n---\nHi.\n";
    let project = read(&[(ArtifactKind::Harness, "harness", text)]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "harness.md:2:22: error: parse harness.md: yaml: line 2: temperature must be between 0 and 2, not `3`",
            "harness.md:2:25: warning: unknown key `provder` in `model` of the agent, which has no effect | did you mean `provider`?",
            "harness.md:3:9: error: parse harness.md: yaml: line 3: models must be a list, not a string | write each item on its own line after `- `",
            "harness.md:4:22: error: parse harness.md: tools_policy.mode \"alowlist\" must be allowlist|denylist | did you mean `allowlist`?",
            "harness.md:4:40: error: parse harness.md: tools_policy.allow[0] is empty | remove it",
            "harness.md:5:25: warning: max_depth 9 is above the limit, so 5 is used | write at most 5",
            "harness.md:5:51: error: parse harness.md: yaml: line 5: iterations_per_depth must list whole numbers above 0",
            "harness.md:5:54: error: parse harness.md: yaml: line 5: iterations_per_depth must list whole numbers above 0",
            "harness.md:6:7: error: parse harness.md: yaml: line 6: meta must be a mapping, not a string",
            "harness.md:10:28: error: parse harness.md: yaml: line 10: allowed_domains must be a list, not a string | write each item on its own line after `- `",
            "harness.md:7:21: error: parse harness.md: yaml: line 7: mode must be `natural` or `done_tool` or `hook` or `hybrid`, not `never`",
            "harness.md:8:8: warning: `serve` is not supported yet | start the agent with `pintle run`",
            "harness.md:9:19: warning: `artifact_sources` is not supported yet | copy the artifacts into `.harness/`",
            "harness.md:11:1: error: parse harness.md: yaml: line 11: unknown key `tool` in the agent | did you mean `tools`?",
        ]
    );
}

#[test]
fn a_yaml_file_may_begin_with_a_byte_order_mark() {
    let project =
        read(&[(ArtifactKind::HarnessYaml, "harness", "\u{FEFF}name: small\r\ncontext: {system_prompt: Hi.}\r\n")]);
    assert_eq!(
        findings(&project, Severity::Note),
        ["harness.md:1:1: warning: the file begins with a byte order mark | save it as UTF-8 without one"]
    );
    let agent = project.agent.unwrap();
    assert_eq!((agent.name.as_str(), agent.instruction.as_str()), ("small", "Hi."));
}
