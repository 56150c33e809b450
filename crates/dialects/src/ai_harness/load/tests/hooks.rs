//! The fields and events of hooks.

use super::*;

#[test]
fn a_hook_file_gives_every_field_and_its_place() {
    let text = "---\nevent: tool.pre\npriority: 10\nwhen: payload[\"name\"] == \"run_command\" # gate\nscript: |\n  def handle(event, payload):\n      return allow()\ntimeout_ms: 250\non_error: open\nmode: shadow\nfiles: [rules]\ntools: [note]\nexamples:\n  - payload: {name: run_command, args: {command: ls}}\n    expect: allow\n---\n# command_guard\n\nWhy.\n";
    let project = read(&[(ArtifactKind::Hook, "command_guard", text)]);
    assert_eq!(findings(&project, Severity::Note), NO_FINDINGS);
    assert!(project.agent.is_none());
    let hook = &project.hooks[0];
    assert_eq!(
        (hook.name.as_str(), hook.event.as_str(), &*hook.event_alias, hook.priority),
        ("command_guard", "tool.pre", "tool.pre", 10)
    );
    assert_eq!(
        (hook.timeout_ms, hook.on_error, hook.default_on_error, hook.mode),
        (Some(250), Some(FailurePolicy::Open), FailurePolicy::Closed, EnforcementMode::Shadow)
    );
    assert_eq!(hook.codec.dialect(), "ai_harness");
    let Some(MatcherSpec::Expression(when)) = &hook.matcher else { panic!("a matcher") };
    assert_eq!((&*when.text, when.first_line, when.indent), ("payload[\"name\"] == \"run_command\"", 4, 6));
    let HandlerSpec::Script(script) = &hook.handler else { panic!("a script") };
    assert_eq!(
        (&*script.text, script.first_line, script.indent),
        ("def handle(event, payload):\n    return allow()\n", 6, 2)
    );
    let span = script.location.span;
    assert_eq!(&text[span.start..span.end], "def handle(event, payload):\n      return allow()");
    let HookExample { payload, expect, location, .. } = &hook.examples[0];
    assert_eq!((payload, expect.as_str()), (&json!({"name": "run_command", "args": {"command": "ls"}}), "allow"));
    assert_eq!(
        (location.line_column(), &*hook.files, &*hook.tools),
        (Some((14, 5)), &[String::from("rules")][..], &[String::from("note")][..])
    );
}

#[test]
fn hook_without_priority_runs_first_and_without_script_does_nothing() {
    let project = read(&[(ArtifactKind::Hook, "h", "---\nevent: turn.start\n---\n")]);
    assert_eq!(project.hooks[0].priority, 0);
    assert!(matches!(project.hooks[0].handler, HandlerSpec::None));
    assert_eq!(
        findings(&project, Severity::Note),
        [
            "hooks/h.md:2:1: note: hook `h` has no priority, so it runs at 0, before every hook with a positive priority | set a priority: 1-9 audit, 10-19 hard policy, 20-29 soft policy, 30-39 meta, 40 and up shaping",
            "hooks/h.md:2:1: warning: hook `h` has no script and does nothing | add `script: |` with a function `handle(event, payload)`",
        ]
    );
}

#[test]
fn a_hook_whose_script_stands_behind_another_key_is_an_error() {
    let slips = ["scirpt", "Script", "SCRIPT", "scrip", "script_", "scripts", "code", "run"];
    for key in slips {
        for hook in [
            (ArtifactKind::Hook, "h", format!("---\nevent: tool.pre\npriority: 1\n{key}: x\n---\n")),
            (
                ArtifactKind::Harness,
                "harness",
                format!("---\nhooks:\n  - {{handler: h, event: tool.pre, priority: 1, {key}: x}}\n---\nHi.\n"),
            ),
        ] {
            let project = read(&[(hook.0, hook.1, hook.2.as_str())]);
            let found = findings(&project, Severity::Error);
            assert!(found.iter().any(|one| one.contains("hook `h` has no script")), "{key}: {found:?}");
        }
    }
}

#[test]
fn misspelled_restricting_key_is_an_error_at_every_level() {
    let hook = "---\nevent: tool.pre\npriority: 1\nscript: x\n";
    let cases: &[(ArtifactKind, &str, &str)] = &[
        (ArtifactKind::Hook, "prioriy: 1", hook),
        (ArtifactKind::Hook, "onError: closed", hook),
        (ArtifactKind::Hook, "when_: x", hook),
        (ArtifactKind::Harness, "tool_policy: {deny: [\"*\"]}", "---\n"),
        (ArtifactKind::Harness, "toolsPolicy: {deny: [\"*\"]}", "---\n"),
        (ArtifactKind::Harness, "Hooks: []", "---\n"),
        (ArtifactKind::Harness, "tools_policy: {denny: [\"*\"]}", "---\n"),
        (ArtifactKind::Harness, "exit_policy: {block_fail_turn: true}", "---\n"),
        (ArtifactKind::Harness, "delegation: {verfy: x}", "---\n"),
        (ArtifactKind::Agent, "tools_policy: {deny: [\"*\"]}", "---\n"),
        (ArtifactKind::Agent, "tool_policy: {deny: [\"*\"]}", "---\n"),
        (ArtifactKind::Agent, "network: {allowed_domains: []}", "---\n"),
        (ArtifactKind::Agent, "tool: []", "---\n"),
        (ArtifactKind::Tool, "verfy: x", "---\nscript: x\n"),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "hook: []", "---\n"),
    ];
    for (role, line, head) in cases {
        let project = read(&[(*role, "x", &format!("{head}{line}\n---\nBody.\n"))]);
        assert_eq!(findings(&project, Severity::Error).len(), 1, "{line}: {:?}", findings(&project, Severity::Note));
    }
}

#[test]
fn hooks_in_a_fenced_block_are_told_of_once_and_with_their_reason() {
    let text = "---\nname: command-guard\ntype: hook\n---\n# Guard\n\n```yaml\n- event: tool.pre\n  handler: guard\n  script: x\n```\n";
    let project = read(&[(ArtifactKind::Hook, "command-guard", text)]);
    assert_eq!(
        findings(&project, Severity::Note),
        [
            "hooks/command-guard.md:2:1: error: parse hook command-guard.md: yaml: line 2: file `command-guard` has its hooks in a fenced block of its body, which is ignored | list them under `hooks:` in the frontmatter of a file in `.harness/plugins/`"
        ]
    );
}

#[test]
fn an_empty_when_matches_always() {
    for when in ["", "when: \"\"\n", "when: |\n\n"] {
        let project =
            read(&[(ArtifactKind::Hook, "h", &format!("---\nevent: tool.pre\npriority: 1\nscript: x\n{when}---\n"))]);
        assert_eq!(findings(&project, Severity::Note), NO_FINDINGS);
        assert!(project.hooks[0].matcher.is_none());
    }
}

#[test]
fn unknown_hook_keys_warn_and_reserved_keys_are_noted() {
    let text = "---\nevent: tool.pre\npriority: 1\nscript: x\nhandler: other\nwhne: x\ncolour: red\nverify: x\nverify_policy: {max_retries: 1}\n---\n";
    let project = read(&[(ArtifactKind::Hook, "h", text)]);
    assert_eq!(names(&project), ["h"]);
    assert_eq!(
        findings(&project, Severity::Note),
        [
            "hooks/h.md:5:1: warning: unknown key `handler` in hook `h`, which has no effect | the hook is named after its file, `h`; rename the file to rename the hook",
            "hooks/h.md:8:9: note: `verify` of hook `h` is reserved and has no effect",
            "hooks/h.md:9:16: note: `verify_policy` of hook `h` is reserved and has no effect",
            "hooks/h.md:6:1: error: parse hook h.md: yaml: line 6: unknown key `whne` in hook `h` | did you mean `when`?",
            "hooks/h.md:7:1: warning: unknown key `colour` in hook `h`, which has no effect | known keys: event, script, when, priority, timeout_ms, on_error, onFailure, failClosed, mode, files, tools, examples, verify, verify_policy",
        ]
    );
}

#[test]
fn events_are_checked_in_the_merged_list_with_the_next_step() {
    let event = |event: &str| format!("---\nevent: \"{event}\"\npriority: 1\nscript: x\n---\n");
    for (written, help) in [
        (" tool.pre ", "remove the spaces around it"),
        ("tool.Pre", "did you mean `tool.pre`?"),
        ("custom.Foo-Bar", "use lower-case letters, digits and `_` after `custom.` and `meta.`"),
        ("custom.", "use lower-case letters, digits and `_` after `custom.` and `meta.`"),
        ("onPostToolUse", "`pintle events` lists the events"),
    ] {
        let project = read(&[(ArtifactKind::Hook, "a", HOOK), (ArtifactKind::Hook, "b", &event(written))]);
        assert_eq!(
            findings(&project, Severity::Error),
            [format!("hooks/b.md:2:8: error: hooks[1].event \"{written}\" is invalid | {help}")]
        );
        assert_eq!((names(&project), project.unplaced.len()), (vec!["a"], 1));
    }
}

#[test]
fn an_alias_is_another_name_of_the_event_and_stays_as_written() {
    for (written, canonical) in [
        ("meta.tool_register", "meta.register_tool"),
        ("meta.hook_register", "meta.register_hook"),
        ("meta.agent_register", "meta.register_agent"),
        ("meta.register_tool", "meta.register_tool"),
        ("custom.deploy_2", "custom.deploy_2"),
        ("delegation.post_verify", "delegation.post_verify"),
        ("compact.pre", "compact.pre"),
    ] {
        let project = read(&[(ArtifactKind::Hook, "h", &HOOK.replace("tool.pre", written))]);
        assert_eq!((project.hooks[0].event.as_str(), &*project.hooks[0].event_alias), (canonical, written));
    }
}

#[test]
fn guards_fail_closed_and_observers_open() {
    for (event, wanted) in [
        ("tool.pre", FailurePolicy::Closed),
        ("completion.pre", FailurePolicy::Closed),
        ("turn.start", FailurePolicy::Closed),
        ("delegation.pre", FailurePolicy::Closed),
        ("delegation.post_verify", FailurePolicy::Closed),
        ("meta.register_tool", FailurePolicy::Closed),
        ("tool.post", FailurePolicy::Open),
        ("turn.end", FailurePolicy::Open),
        ("session.end", FailurePolicy::Open),
        ("custom.x", FailurePolicy::Open),
    ] {
        let project = read(&[(ArtifactKind::Hook, "h", &HOOK.replace("tool.pre", event))]);
        assert_eq!(project.hooks[0].default_on_error, wanted, "{event}");
    }
}

#[test]
fn a_hook_in_a_list_needs_a_handler_and_an_event() {
    let text = "---\nhooks:\n  - {event: tool.pre, priority: 1, script: x}\n  - {handler: b, priority: 1, script: x, name: c}\n  - text\n---\nHi.\n";
    let project = read(&[(ArtifactKind::Harness, "harness", text)]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "harness.md:3:5: error: parse harness.md: hooks[0].handler cannot be empty | add `handler:` with the hook's name",
            "harness.md:4:42: warning: unknown key `name` in hook `b`, which has no effect | name a hook in a list with `handler`",
            "harness.md:5:5: error: parse harness.md: yaml: line 5: hooks[2] must be a mapping, not a string | write lines such as `field: value`",
            "harness.md:4:5: error: hooks[1].event \"\" is invalid | add a line such as `event: tool.pre`",
        ]
    );
}

#[test]
fn a_hook_that_is_declared_from_its_parts_has_a_place_to_show() {
    let hook = declare_hook("guard", "tool.pre", "def handle(event, payload):\n    return allow()\n", Some(" "), None)
        .unwrap();
    assert_eq!((hook.name.as_str(), hook.priority, hook.matcher.is_none()), ("guard", 0, true));
    let HandlerSpec::Script(script) = hook.handler else { panic!("a script") };
    assert_eq!((script.location.path(), script.location.line_column()), (Some(Path::new("guard")), Some((1, 1))));
}

#[test]
fn a_meta_event_that_nothing_fires_is_pointed_out() {
    for (written, wanted) in [
        ("meta.register_tool", None),
        ("meta.tool_register", None),
        ("meta.tool_registr", Some("did you mean `meta.tool_register`?")),
        (
            "meta.xyz",
            Some("the `meta.` events are meta.register_tool, meta.register_hook, meta.register_agent, meta.call_tool"),
        ),
    ] {
        let project = read(&[(ArtifactKind::Hook, "h", &HOOK.replace("tool.pre", written))]);
        let wanted =
            wanted.map(|help| format!("hooks/h.md:2:8: warning: no event named `{written}` is ever fired | {help}"));
        assert_eq!(findings(&project, Severity::Note), Vec::from_iter(wanted));
        assert_eq!(names(&project), ["h"]);
    }
}

#[test]
fn names_with_line_ends_stay_on_one_line() {
    let text = "---\nevent: \"tool.pre\\n\\e[31m\"\npriority: 1\nscript: x\n\"a\\nb\": 1\n---\n";
    let project = read(&[(ArtifactKind::Hook, "h", text)]);
    assert_eq!(
        findings(&project, Severity::Note),
        [
            "hooks/h.md:5:1: warning: unknown key `a\\nb` in hook `h`, which has no effect | known keys: event, script, when, priority, timeout_ms, on_error, onFailure, failClosed, mode, files, tools, examples, verify, verify_policy",
            "hooks/h.md:2:8: error: hooks[0].event \"tool.pre\\n\\u{1b}[31m\" is invalid | `pintle events` lists the events",
        ]
    );
}

#[test]
fn an_example_is_a_call_or_a_payload_with_what_must_be_decided() {
    let read_examples = |event: &str, examples: &str| {
        let text = format!("---\nevent: {event}\npriority: 1\nscript: x\nexamples:\n{examples}---\n");
        read(&[(ArtifactKind::Hook, "h", &text)])
    };
    let payloads = [
        ("call: rm -rf ~", json!({"name": "shell", "args": {"command": "rm -rf ~"}})),
        ("call: 42", json!({"name": "shell", "args": {"command": "42"}})),
        ("call: {tool: read, path: .env}", json!({"name": "read", "args": {"path": ".env"}})),
        ("call: {tool: run_command, command: ls}", json!({"name": "run_command", "args": {"command": "ls"}})),
        ("call: {tool: deploy, force: true}", json!({"name": "deploy", "args": {"force": true}})),
        ("call: {tool: Bash, command: ls}", json!({"name": "Bash", "args": {"command": "ls"}, "vocabulary": "claude"})),
        ("payload: {text: hi}", json!({"text": "hi"})),
    ];
    for (line, payload) in payloads {
        let project = read_examples("tool.pre", &format!("  - {line}\n    expect: deny\n"));
        assert_eq!(findings(&project, Severity::Warning), NO_FINDINGS, "{line}");
        let example = &project.hooks[0].examples[0];
        assert_eq!((&example.payload, example.expect.as_str()), (&payload, "block"), "{line}");
    }
    let faults = [
        ("tool.pre", "{expect: allow}", "examples[0] has neither `call` nor `payload`"),
        ("tool.pre", "{call: ls}", "examples[0].expect is missing"),
        ("tool.pre", "{call: ls, payload: {}, expect: allow}", "examples[0] has both `call` and `payload`"),
        ("tool.pre", "{call: '', expect: allow}", "call must be a command line or a mapping"),
        ("tool.pre", "{call: [ls], expect: allow}", "call must be a command line or a mapping"),
        ("tool.pre", "{call: {path: x}, expect: allow}", "`call` does not say which `tool`"),
        ("prompt.submit", "{call: ls, expect: allow}", "`prompt.submit` is not about a tool call"),
        ("tool.pre", "{call: ls, expect: alow}", "did you mean `allow`?"),
        ("tool.pre", "{call: ls, expect: allow, expect: block}", "is already set"),
        ("tool.pre", "{call: ls, expect: block, reson: x}", "did you mean `reason`?"),
        ("tool.pre", "{call: ls, expect: block, reason: ''}", "reason is empty, which holds for every reason"),
        ("tool.pre", "{call: ls, expect: block, context: ' '}", "context is empty"),
        ("tool.pre", "{call: ls, expect: modify, rewrite: {}}", "at least one field"),
        ("tool.pre", "{call: ls, expect: modify, rewrite: ls}", "at least one field"),
        ("tool.pre", "{call: ls, expect: allow, rewrite: {command: x}}", "but expects `allow`"),
        ("tool.pre", "{payload: {x: .inf}, expect: allow}", "a number in a payload must be finite"),
    ];
    for (event, example, wanted) in faults {
        let found = findings(&read_examples(event, &format!("  - {example}\n")), Severity::Error);
        assert!(found.len() == 1 && found[0].contains(wanted), "{example}: {found:?}");
    }
}
