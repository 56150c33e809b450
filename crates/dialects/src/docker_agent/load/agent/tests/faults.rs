use super::*;

/// The text below `agents: {root: ..}`, and the expected diagnostics.
const AGENT_FAULTS: &[(&str, &[&str])] = &[
    (
        "instructions: x",
        &["4:5: error: yaml: line 4: unknown key `instructions` in agent `root` | did you mean `instruction`?"],
    ),
    ("sub_agents: [rot]", &["4:18: error: yaml: line 4: the agent `rot` is not declared | did you mean `root`?"]),
    (
        "handoffs: [\"acme/reviewer\"]",
        &[
            "4:16: warning: agents from a registry are not supported yet, so no task can be delegated to `acme/reviewer` | copy its declaration into `agents` in this file",
        ],
    ),
    (
        "force_handoff: root",
        &[
            "2:3: error: yaml: line 2: the forced handoffs of agent `root` lead back to it | remove `force_handoff` from one of the agents, so that it answers",
        ],
    ),
    (
        "max_iterations: many",
        &[
            "4:21: error: yaml: line 4: max_iterations must be a whole number, not a string | write only digits, for example `max_iterations: 10`",
        ],
    ),
    (
        "safety: safe",
        &[
            "4:13: error: yaml: line 4: safety must be `strict` or `balanced` or `restricted` or `autonomous`, not `safe`",
        ],
    ),
    (
        "compaction_threshold: 2",
        &["4:27: error: yaml: line 4: compaction_threshold must be between 0.01 and 1, not `2`"],
    ),
    (
        "readonly: true",
        &[
            "4:15: error: yaml: line 4: `readonly` is not supported yet | list the read-only tools under `tools` of each toolset",
        ],
    ),
    (
        "skills: true",
        &["4:13: warning: `skills` is not supported yet | put the knowledge into `instruction` or `add_prompt_files`"],
    ),
    ("skills: false", &[]),
    (
        "inject_memories: true\nmax_inject_memories: 3",
        &[
            "4:22: warning: `inject_memories` is not supported yet | the agent reads its notes with the tools of `memory`",
            "5:26: warning: `max_inject_memories` is not supported yet | it only applies to `inject_memories`",
        ],
    ),
    (
        "routing: {to: root}",
        &[
            "4:14: error: yaml: line 4: `routing` is not supported yet | remove it, and list the agents that may take over under `handoffs`",
        ],
    ),
    (
        "hooks: {tool_guard: [{matcher: shell, hooks: [{type: evaluator, evaluator_policy: strict}]}]}",
        &[
            "4:87: error: hooks.tool_guard[0].hooks[0]: `evaluator_policy` is not supported yet | write the check as a hook with `type: model`, whose decision applies",
            "4:58: error: hooks.tool_guard[0].hooks[0]: unsupported hook type 'evaluator' (supported: 'command', 'builtin', 'model') | evaluators are not supported yet; write the check as a hook with `type: model`",
        ],
    ),
    (
        "hooks: {before_agent_run: [{type: command, command: x}]}",
        &[
            "4:13: error: hooks: unknown event `before_agent_run` | `before_agent_run` is an event of docker-agent that Pintle does not support yet; use `user_prompt_submit`",
        ],
    ),
    (
        "commands: {plan: {agent: root}}",
        &["4:30: warning: `agent` is not supported yet | `--agent NAME` starts with that agent"],
    ),
    ("toolsets: [{type: shel}]", &["4:23: error: yaml: line 4: unknown toolset type `shel` | did you mean `shell`?"]),
    (
        "toolsets: [{tools: [x]}]",
        &["4:16: error: yaml: line 4: a toolset needs a `type` | for example `- type: shell`"],
    ),
    (
        "toolsets: [{type: lsp, command: gopls}]",
        &[
            "4:23: warning: the toolset `lsp` is not supported yet, so the agent does not get its tools | an MCP server (`type: mcp`) or `type: script` may do the same",
        ],
    ),
    (
        "toolsets: [{type: think, path: x}]",
        &[
            "4:30: error: yaml: line 4: unknown key `path` in the toolset `think` | known keys: type, tools, instruction, shared, readonly, toon, model, defer, lifecycle",
        ],
    ),
    (
        "toolsets: [{type: filesystem, deny_list: [~/.ssh]}]",
        &[
            "4:46: error: yaml: line 4: `deny_list` is not supported yet | write a `pre_tool_use` hook that denies these paths",
        ],
    ),
    (
        "toolsets: [{type: filesystem, allow_list: [/srv]}]",
        &[
            "4:47: error: yaml: line 4: `allow_list` is not supported yet | file tools are limited to the working directory; remove it, or list `.`",
        ],
    ),
    (
        "toolsets: [{type: fetch, blocked_domains: [x.test]}]",
        &[
            "4:47: error: yaml: line 4: `blocked_domains` is not supported yet | check the `urls` of `fetch` in a `pre_tool_use` hook",
        ],
    ),
    (
        "toolsets: [{type: mcp, ref: \"docker:context7\"}]",
        &[
            "4:33: warning: servers of Docker's catalogue are not supported yet, so the agent does not get the tools of `docker:context7` | start the server with `command` and `args`, or connect to it with `remote: {url: ..}`",
        ],
    ),
    (
        "toolsets: [{type: mcp, ref: serch}]",
        &[
            "4:33: error: yaml: line 4: the server `serch` is not declared | declare it under `mcps` at the top of the file",
        ],
    ),
    (
        "toolsets: [{type: mcp}]",
        &[
            "4:16: error: yaml: line 4: a server needs a `command` or a `remote` | start a server with `command: PROGRAM`, or connect to one with `remote: {url: ..}`",
        ],
    ),
    (
        "toolsets: [{type: mcp, remote: {url: \"ftp://x\"}}]",
        &[
            "4:42: error: yaml: line 4: the server address `ftp://x` does not start with `http://` or `https://` | for example `url: https://HOST/mcp`",
        ],
    ),
    (
        "toolsets: [{type: mcp, remote: {url: \"http://x\", transport_type: sse}}]",
        &[
            "4:70: warning: the transport `sse` is not supported yet, so the agent does not get the tools of this server | write `transport_type: streamable`, which most servers also support",
        ],
    ),
    (
        "toolsets: [{type: script}]",
        &[
            "4:16: error: yaml: line 4: the toolset `script` declares no tools | for example `shell:`, below it `run_tests:`, and below that `cmd: make test`",
        ],
    ),
    (
        "toolsets: [{type: script, shell: {\"no name\": {cmd: x}}}]",
        &[
            "4:39: error: yaml: line 4: `no name` is not a valid tool name | use letters, digits, `_` and `-`, starting with a letter or `_`",
        ],
    ),
    (
        "toolsets: [{type: script, shell: {t: {args: {name: {}}, required: [nam]}}}]",
        &[
            "4:39: error: yaml: line 4: the tool `t` needs a `cmd` | for example `cmd: make test`",
            "4:72: error: yaml: line 4: the required argument `nam` is not declared | did you mean `name`?",
        ],
    ),
    (
        "use_toolsets: [notes]",
        &["4:20: error: yaml: line 4: the toolset `notes` is not declared | declare it at the top of the file"],
    ),
];

#[test]
fn every_fault_of_an_agent_is_told_with_its_place_and_a_next_step() {
    for (lines, wanted) in AGENT_FAULTS {
        let project = read_as(ArtifactKind::Team, &with_agent(lines), None);
        let found: Vec<String> = findings(&project, Severity::Warning);
        let wanted: Vec<String> = wanted.iter().map(|finding| format!("team.yaml:{finding}")).collect();
        assert_eq!(found, wanted, "{lines}");
    }
}

/// A whole file, and the expected diagnostics.
const FILE_FAULTS: &[(&str, &[&str])] = &[
    (
        "agents: {}",
        &[
            "1:1: error: yaml: line 1: the file declares no agents | declare at least one: write `agents:`, and below it `root:` with its fields",
        ],
    ),
    (
        "agents: []",
        &[
            "1:9: error: yaml: line 1: agents must be a mapping, not a list",
            "1:1: error: yaml: line 1: the file declares no agents | declare at least one: write `agents:`, and below it `root:` with its fields",
        ],
    ),
    (
        "agent: {}\nagents: {root: {model: openai/a}}",
        &["1:1: error: yaml: line 1: unknown key `agent` in the file | did you mean `agents`?"],
    ),
    (
        "version: \"99\"\nagents: {root: {model: openai/a}}",
        &[
            "1:10: warning: unknown version `99` | the file is read as version `\"16\"`, the newest that Pintle supports",
        ],
    ),
    ("version: 2\nagents: {root: {model: openai/a}}", &[]),
    ("metadata: {author: me, tags: [x]}\nagents: {root: {model: openai/a}}", &[]),
    (
        "agents: {root: {model: gpt4}}\nmodels: {gpt: {provider: openai, model: gpt-4o}}",
        &["1:24: error: yaml: line 1: the model `gpt4` is not declared | did you mean `gpt`?"],
    ),
    (
        "agents: {root: {model: gpt-4o}}",
        &[
            "1:24: error: yaml: line 1: the model `gpt-4o` is not declared | write `PROVIDER/MODEL`, or declare it under `models`",
        ],
    ),
    (
        "agents: {root: {model: auto}}",
        &["1:24: warning: choosing a model automatically is not supported yet | name a model, or pass `--model`"],
    ),
    (
        "agents: {root: {model: m}}\nmodels: {m: {model: x, top_p: 0.5}}",
        &[
            "2:31: warning: `top_p` is not supported yet | the provider's own default applies",
            "2:13: error: yaml: line 2: model `m` needs `provider` | for example `provider: openai` and `model: gpt-4o`",
            "1:24: error: yaml: line 1: the model `m` is not declared | write `PROVIDER/MODEL`, or declare it under `models`",
        ],
    ),
    (
        "agents: {root: {model: openai/a}}\npermissions: {deny: [\":cmd=x\", \"read_[a\"], alow: []}",
        &[
            "2:22: error: yaml: line 2: the rule `:cmd=x` does not name a tool | start the rule with a tool name or `*`, for example `shell:cmd=ls*`",
            "2:32: error: yaml: line 2: the rule `read_[a` has an unclosed `[` | close it with `]`, or write `?` for one character",
            "2:44: error: yaml: line 2: unknown key `alow` in `permissions` of the file | did you mean `allow`?",
        ],
    ),
    (
        "budget: {max_cost: 1}\nagents: {root: {model: openai/a}}",
        &[
            "1:9: error: yaml: line 1: `budget` is not supported yet | remove it; an agent's `max_iterations` limits a run, and cost is not limited",
        ],
    ),
    (
        "permissions: {deny: [shel, \"shell:command=rm*\", \"write_file\", \"sh*\"]}\nagents: {root: {model: openai/a, toolsets: [{type: shell}]}}",
        &[
            "1:22: warning: the rule `shel` never applies: no agent has a tool `shel` | did you mean `shell`?",
            "1:28: warning: the rule `shell:command=rm*` never applies: `shell` has no argument `command` | its arguments are `cmd`, `cwd`, `timeout`",
        ],
    ),
    (
        "permissions: {allow: [\"shel:cmd=ls*\"]}\nagents: {root: {model: openai/a, toolsets: [{type: shell}]}}",
        &["1:23: warning: the rule `shel:cmd=ls*` never applies: no agent has a tool `shel` | did you mean `shell`?"],
    ),
    (
        "runtime: {sandbox: true, network_allowlist: [x.test]}\nagents: {root: {model: openai/a}}",
        &[
            "1:20: error: yaml: line 1: `sandbox` is not supported yet | start Pintle in a container or a virtual machine and remove it; Pintle does not confine the agent",
            "1:45: error: yaml: line 1: `network_allowlist` is not supported yet | start Pintle where only these hosts can be reached and remove it",
        ],
    ),
    ("runtime: {sandbox: false}\nversion: \"16\"\nagents: {root: {model: openai/a}}", &[]),
    (
        "evaluators: {safe: {model: openai/a}}\nagents: {root: {model: openai/a}}",
        &["1:13: warning: `evaluators` is not supported yet | write the check as a hook with `type: model`"],
    ),
    ("models: {m: {provider: openai, model: a, base_url: \"${env.HOST}/v1\"}}\nagents: {root: {model: m}}", &[]),
    (
        "models: {m: {provider: openai, model: a, base_url: \"$HOST/v1\"}}\nagents: {root: {model: m}}",
        &[
            "1:52: error: yaml: line 1: variables of this form are not replaced in `base_url` | write `${env.NAME}`, or the full address",
        ],
    ),
    (
        "toolsets: {unused: {type: shel}}\nagents: {root: {model: openai/a}}",
        &["1:27: error: yaml: line 1: unknown toolset type `shel` | did you mean `shell`?"],
    ),
    (
        "agents: {a: {model: openai/a, force_handoff: b}, b: {model: openai/b, force_handoff: a}}",
        &[
            "1:10: error: yaml: line 1: the forced handoffs of agent `a` lead back to it | remove `force_handoff` from one of the agents, so that it answers",
            "1:50: error: yaml: line 1: the forced handoffs of agent `b` lead back to it | remove `force_handoff` from one of the agents, so that it answers",
        ],
    ),
    (
        "agents: {root: {model: openai/a, model: openai/b}}",
        &["1:34: error: yaml: line 1: key `model` is already set at line 1 | keep one of the two"],
    ),
];

#[test]
fn every_fault_of_a_file_is_told_in_one_run() {
    for (text, wanted) in FILE_FAULTS {
        let project = read_as(ArtifactKind::Team, text, None);
        let found: Vec<String> = findings(&project, Severity::Warning);
        let wanted: Vec<String> = wanted.iter().map(|finding| format!("team.yaml:{finding}")).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn agents_may_hand_over_to_each_other_in_a_circle_when_they_choose_to() {
    let text = "agents:\n  root: {model: openai/a, handoffs: [b], sub_agents: [b]}\n  b: {model: openai/b, handoffs: [root], sub_agents: [root]}\n";
    assert_eq!(team(text).agents.len(), 2);
}

#[test]
fn the_users_settings_are_hooks_rules_and_snapshots() {
    let text = "aliases: {}\nsettings:\n  theme: dark\n  snapshot: true\n  YOLO: true\n  permissions: {deny: [\"shell:cmd=sudo*\"]}\n  hooks:\n    stop: [{type: command, command: \"true\"}]\n  hoks: {}\n";
    let project = read_as(ArtifactKind::UserSettings, text, None);
    let unknown = "team.yaml:9:3: error: yaml: line 9: unknown key `hoks` in `settings` of the user's configuration | did you mean `hooks`?";
    assert_eq!(findings(&project, Severity::Warning), [unknown]);
    let events: Vec<&str> = project.hooks.iter().map(|hook| &*hook.event_alias).collect();
    assert_eq!(events, ["stop", "session_start", "turn_start", "turn_end", "session_end"]);
    assert_eq!(project.permissions.deny.len(), 1);
    assert_eq!(project.permissions.mode, Some(pintle_contract::PermissionMode::Autonomous));
}

#[test]
fn a_block_without_hooks_guards_nothing_and_is_an_error() {
    for text in ["", "# nothing yet\n", "{}\n", "pre_tool_use: []\n", "---\n...\n"] {
        let project = read_as(ArtifactKind::HooksBlock, text, None);
        let found = findings(&project, Severity::Note);
        let wanted = "the file declares no hooks | add an event such as `pre_tool_use:`, or delete the file";
        assert!(matches!(found.as_slice(), [one] if one.ends_with(wanted)), "{text}: {found:?}");
    }
}

/// Text in the wrong place of a file, and the expected diagnostic.
const MISPLACED: &[(ArtifactKind, &str, &str)] = &[
    (
        ArtifactKind::UserSettings,
        "hooks:\n  pre_tool_use: []\n",
        "1:1: error: yaml: line 1: `hooks` does not belong here and guards nothing | move it one level deeper, below `settings:`",
    ),
    (
        ArtifactKind::UserSettings,
        "PreToolUse: []\n",
        "1:1: error: yaml: line 1: the event `PreToolUse` does not belong here, so its hooks guard nothing | write `pre_tool_use:` below `settings: hooks:`",
    ),
    (
        ArtifactKind::UserSettings,
        "settings:\n  pre_tool_use: []\n",
        "2:3: error: yaml: line 2: the event `pre_tool_use` does not belong here, so its hooks guard nothing | write `pre_tool_use:` below `settings: hooks:`",
    ),
    (
        ArtifactKind::UserSettings,
        "settings: {hooks: {}}\n",
        "1:19: error: yaml: line 1: `hooks` declares no hooks | add an event such as `pre_tool_use:` below it, or remove the line",
    ),
    (
        ArtifactKind::UserSettings,
        "setings: {hooks: {}}\n",
        "1:1: error: yaml: line 1: unknown key `setings` in the user's configuration | did you mean `settings`?",
    ),
    (
        ArtifactKind::Team,
        "agents: {root: {model: openai/a}}\nhooks: {}\n",
        "2:8: error: yaml: line 2: `hooks` must be inside an agent | write it below its agent, for example `agents: {root: {hooks: ..}}`",
    ),
    (
        ArtifactKind::HooksBlock,
        "hooks:\n  pre_tool_use: []\n",
        "1:1: error: hooks: unknown event `hooks` | write the events at this level: remove the line `hooks:` and unindent what is below it",
    ),
];

#[test]
fn hooks_in_the_wrong_place_are_errors_that_name_the_right_one() {
    for (role, text, wanted) in MISPLACED {
        let found = findings(&read_as(*role, text, None), Severity::Error);
        assert_eq!(found, [format!("team.yaml:{wanted}")], "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        for role in [ArtifactKind::Team, ArtifactKind::UserSettings, ArtifactKind::HooksBlock] {
            let _ = read_as(role, &text, None);
        }
    }

    #[test]
    fn any_values_below_known_keys_are_read_without_a_panic(
        key in "(model|models|toolsets|hooks|commands|permissions|fallback|add_prompt_files|safety|sub_agents)",
        value in "[\\[\\]{}a-z:, \"0-9-]{0,40}",
    ) {
        let _ = read_as(ArtifactKind::Team, &format!("agents:\n  root:\n    {key}: {value}\n"), None);
        let _ = read_as(ArtifactKind::Team, &format!("{key}: {value}\nagents:\n  root: {{}}\n"), None);
    }
}
