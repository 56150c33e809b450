use pintle_contract::{CompactionSpec, OnMaxIterations, PermissionMode};

use super::*;

#[test]
fn the_agents_are_read_with_root_first() {
    let team = team(
        "version: \"2\"\nagents:\n  helper:\n    model: anthropic/claude-sonnet-4-5\n    description: helps\n  root:\n    model: openai/gpt-4o\n    instruction: |\n      Lead.\n    sub_agents: [helper]\n    handoffs: [helper, root]\n    force_handoff: helper\n    welcome_message: Hi.\n",
    );
    let names: Vec<&str> = team.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["root", "helper"]);
    let (root, helper) = (&team.agents[0], team.agent("helper").unwrap());
    assert_eq!((root.instruction.as_str(), helper.description.as_str()), ("Lead.\n", "helps"));
    assert_eq!(root.location.line_column(), Some((6, 3)));
    let member = root.member.clone().unwrap();
    assert_eq!(member.sub_agents, ["helper"]);
    assert_eq!(member.handoffs, ["helper", "root"]);
    assert_eq!(member.forced_handoff.as_deref(), Some("helper"));
    assert_eq!(member.welcome_message.as_deref(), Some("Hi."));
}

#[test]
fn models_are_named_declared_or_written_in_place() {
    let head = "providers:\n  mine:\n    base_url: http://localhost:9/v1\n    token_key: MINE_KEY\n    temperature: 0.5\nmodels:\n  fast:\n    provider: openai\n    model: gpt-4o-mini\n    max_tokens: 64\n    temperature: 1\n    compaction_threshold: 0.5\n    provider_opts: {context_size: 9000}\n  own:\n    provider: mine\n    model: large\nagents:\n  root:\n    model: ";
    let root = |written: &str| team(&format!("{head}{written}\n")).agents.remove(0);
    for (written, wanted) in [
        ("fast", "openai/gpt-4o-mini"),
        ("own", "openai/large"),
        ("mine/other", "openai/other"),
        ("anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("dmr/ai/qwen3", "dmr/ai/qwen3"),
        ("script:turns.yaml", "script/turns.yaml"),
    ] {
        assert_eq!(root(written).model.as_ref().map(model).as_deref(), Some(wanted), "{written}");
    }
    let fast = root("fast");
    let spec = fast.model.clone().unwrap();
    assert_eq!((spec.max_tokens, spec.temperature, spec.retry.max_retries), (Some(64), Some(1.0), 2));
    let compaction = CompactionSpec { threshold: 0.5, context_limit: Some(9000), ..CompactionSpec::default() };
    assert_eq!(fast.compaction, compaction);
    let own = root("own").model.clone().unwrap();
    assert_eq!(own.base_url.as_deref(), Some("http://localhost:9/v1"));
    assert_eq!((own.api_key_env.as_deref(), own.temperature), (Some("MINE_KEY"), Some(0.5)));
}

#[test]
fn what_stands_in_for_a_model_is_kept_in_its_order() {
    let text = with_agent("fallback:\n  models: [anthropic/a, openai/b]\n  retries: -1");
    let root = team(&text).agents.remove(0);
    let others: Vec<String> = root.fallback_models.iter().map(model).collect();
    assert_eq!(others, ["anthropic/a", "openai/b"]);
    assert_eq!(root.model.as_ref().map(|spec| spec.retry.max_retries), Some(0));
    let several = read_as(ArtifactKind::Team, "agents: {root: {model: \"openai/a, openai/b\"}}", None);
    assert_eq!(findings(&several, Severity::Error), Vec::<String>::new());
    let others: Vec<String> = several.team.unwrap().agents[0].fallback_models.iter().map(model).collect();
    assert_eq!(others, ["openai/b"]);
}

#[test]
fn counts_are_bounds_and_zero_is_what_upstream_reads_it_as() {
    let none = agent("");
    assert_eq!((none.exit.max_iterations, none.exit.on_max_iterations), (u32::MAX, OnMaxIterations::Ask));
    let some =
        agent("max_iterations: 7\nmax_consecutive_tool_calls: 3\nnum_history_items: 20\nsession_compaction: false");
    assert_eq!(some.exit.max_iterations, 7);
    assert_eq!((some.exit.max_consecutive_tool_calls, some.history.max_messages), (3, 20));
    assert!(!some.compaction.enabled);
    let zero = agent("max_iterations: 0\nmax_consecutive_tool_calls: 0\nnum_history_items: 0");
    assert_eq!(zero.exit.max_iterations, u32::MAX);
    assert_eq!((zero.exit.max_consecutive_tool_calls, zero.history.max_messages), (5, usize::MAX));
}

#[test]
fn commands_are_texts_or_mappings_and_groups_join_behind_the_agents_own() {
    let text = "commands:\n  shared:\n    fix: Fix it.\n    test: {instruction: Run the tests., description: tests}\nagents:\n  root:\n    model: openai/gpt-4o\n    commands:\n      - fix: Fix mine.\n      - look: Look around.\n    use_commands: [shared]\n";
    let member = team(text).agents[0].member.clone().unwrap();
    let wanted = [("fix", "Fix mine."), ("look", "Look around."), ("test", "Run the tests.")];
    assert_eq!(member.commands, wanted.map(|(name, prompt)| (name.to_owned(), prompt.to_owned())));
}

#[test]
fn rules_and_modes_say_what_runs_without_a_question() {
    let text = "runtime: {safety: strict}\npermissions:\n  allow: [\"shell:cmd=ls*:cwd=.\", read_*]\n  ask: [fetch]\n  deny: [\"shell:cmd=sudo*\"]\nagents:\n  root:\n    model: openai/gpt-4o\n    safety: restricted\n";
    let team = team(text);
    assert_eq!(team.permissions.mode, Some(PermissionMode::Strict));
    assert_eq!(team.agents[0].permission_mode, Some(PermissionMode::Restricted));
    let texts =
        |rules: &[pintle_contract::PermissionRule]| rules.iter().map(|rule| rule.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&team.permissions.allow), ["shell:cmd=ls*:cwd=.", "read_*"]);
    let first = &team.permissions.allow[0];
    assert_eq!(first.tool, "shell");
    assert_eq!(first.arguments, [("cmd", "ls*"), ("cwd", ".")].map(|(name, glob)| (name.to_owned(), glob.to_owned())));
    assert_eq!(first.location.line_column(), Some((3, 11)));
    assert_eq!(texts(&team.permissions.ask), ["fetch"]);
    assert_eq!(texts(&team.permissions.deny), ["shell:cmd=sudo*"]);
}

#[test]
fn an_agent_that_takes_work_without_the_guard_of_its_giver_is_pointed_out() {
    let guard = |matcher: &str| {
        format!("hooks: {{pre_tool_use: [{{matcher: {matcher:?}, hooks: [{{type: command, command: check}}]}}]}}")
    };
    let (all, reads, shell) = (guard(".*"), guard("read_.*"), guard("shell"));
    let none = "description: d";
    let cases = [
        ("sub_agents: [helper]", all.as_str(), "shell", none, true),
        ("handoffs: [helper]", shell.as_str(), "shell", none, true),
        ("force_handoff: helper", all.as_str(), "shell", none, true),
        ("sub_agents: [helper]", all.as_str(), "shell", all.as_str(), false),
        ("sub_agents: [helper]", shell.as_str(), "shell", reads.as_str(), true),
        ("sub_agents: [helper]", reads.as_str(), "shell", none, false),
        ("sub_agents: [helper]", all.as_str(), "think", none, false),
        ("description: d", all.as_str(), "shell", none, false),
        ("sub_agents: [helper]", none, "shell", none, false),
    ];
    for (handing, own, toolset, theirs, is_told) in cases {
        let text = format!(
            "agents:\n  root:\n    model: openai/a\n    toolsets: [{{type: shell}}]\n    {handing}\n    {own}\n  helper:\n    model: openai/b\n    toolsets: [{{type: {toolset}}}]\n    {theirs}\n"
        )
        .replace("    description: d\n    description: d\n", "    description: d\n");
        let mut found = findings(&read_as(ArtifactKind::Team, &text, None), Severity::Warning);
        // A matcher without a match is also reported.
        found.retain(|one| !one.contains("does not match any tool"));
        let wanted = "team.yaml:7:3: warning: agent `helper` can call `shell` without the guard of agent `root`, which can delegate tasks to it | hooks apply to one agent only: write the guard in `helper` as well";
        assert_eq!(found, vec![wanted; usize::from(is_told)], "{text}");
    }
}

#[test]
fn what_an_agent_lacks_is_a_warning_and_its_file_loads() {
    let cases = [
        ("toolsets: [{type: mcp, ref: \"docker:duckduckgo\"}]", 1),
        ("toolsets: [{type: rag}]", 1),
        ("toolsets: [{type: mcp, remote: {url: \"http://x\", transport_type: sse}}]", 1),
        ("sub_agents: [\"acme/reviewer\"]", 1),
        ("handoffs: [\"docker.io/acme/reviewer:1\"]", 1),
        // The providers of the host are unknown here; the run reports them.
        ("fallback: {models: [nebius/x, amazon-bedrock/y]}", 0),
    ];
    for (lines, warnings) in cases {
        for model in ["openai/a", "nebius/deepseek", "amazon-bedrock/claude"] {
            let project = read_as(ArtifactKind::Team, &with_agent(lines).replace("openai/gpt-4o", model), None);
            assert_eq!(findings(&project, Severity::Error), Vec::<String>::new(), "{lines}");
            assert_eq!(findings(&project, Severity::Warning).len(), warnings, "{lines}");
            assert_eq!(project.team.unwrap().agents.len(), 1, "{lines}");
        }
    }
}
