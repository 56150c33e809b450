//! Events, entries with matchers, and single entries without a list.

use super::*;

#[test]
fn every_event_takes_hooks_in_its_own_form_and_gets_its_canonical_name() {
    for def in ROWS {
        let hooks = read_clean(&single_hook_block(def.name, "type: command, command: 'true'"));
        let [hook] = hooks.as_slice() else { panic!("{}", def.name) };
        assert_eq!((hook.event.as_str(), &*hook.event_alias), (def.canonical.name(), def.name));
        let profile = if def.rewrites.is_some() { Profile::SequentialRunAll } else { Profile::ParallelStrictest };
        assert_eq!(hook.profile, profile, "{}", def.name);
        let stops = def.name == "post_tool_use";
        assert_eq!(hook.on_deny == DenyEffect::StopRun, stops, "{}", def.name);
        assert_eq!(hook.codec.dialect(), "docker_agent");
    }
}

#[test]
fn hooks_stand_in_the_order_of_the_file() {
    let text = "stop:\n  - {type: command, command: a}\npre_tool_use:\n  - matcher: shell\n    hooks:\n      - {type: command, command: b}\n      - {type: command, command: c}\n  - hooks: [{type: command, command: d}]\nturn_start: [{type: builtin, command: add_date}]\n";
    assert_eq!(names(&read_clean(text)), ["a", "b", "c", "d", "add_date"]);
}

#[test]
fn a_single_mapping_stands_for_a_list_of_one() {
    let flat = "stop:\n  type: command\n  command: a\n";
    let matcher = "pre_tool_use:\n  matcher: shell\n  hooks:\n    type: command\n    command: a\n";
    let json = r#"{"stop": {"type": "command", "command": "a"}}"#;
    let json_list = r#"{"pre_tool_use": [{"matcher": "shell", "hooks": [{"type": "command", "command": "a"}]}]}"#;
    for text in [flat, matcher, json, json_list] {
        assert_eq!(names(&read_clean(text)), ["a"]);
    }
}

#[test]
fn a_fault_inside_a_single_mapping_keeps_its_line() {
    let text = "pre_tool_use:\n  matcher: shell\n  hooks:\n    type: command\n    comand: a\n";
    assert_eq!(
        read_text(text).1,
        [
            "h.yaml:4:5: error: hooks.pre_tool_use[0].hooks[0]: command is required for command hooks | write `command: |`, and the shell script below it",
            "h.yaml:5:5: error: hooks.pre_tool_use[0].hooks[0]: unknown key `comand` | did you mean `command`?",
        ]
    );
    assert_eq!(underlined_texts(text, DockerAgentVersion::Newest)[1], "comand");
}

#[test]
fn an_empty_event_or_block_has_no_hooks() {
    for text in ["stop:\n", "stop: []\n", "pre_tool_use: ~\n", "# nothing\n", ""] {
        assert!(read_clean(text).is_empty(), "{text}");
    }
    let file = Arc::new(SourceFile { path: PathBuf::from("h.yaml"), text: String::from("hooks:\n") });
    let report = FileReport::new(file, "");
    let whole = parse(&report, ByteSpan { start: 0, end: 7 }).unwrap().unwrap();
    assert!(read(&report, whole.get("hooks").unwrap(), DockerAgentVersion::Newest).is_empty());
    assert!(report.into_diagnostics().is_empty());
}

#[test]
fn matchers_are_kept_with_their_place_and_nothing_matches_everything() {
    let text = "pre_tool_use:\n  - matcher: \"shell|edit_.*\"\n    hooks: [{type: command, command: a}]\n  - matcher: '*'\n    hooks: [{type: command, command: b}]\n  - matcher: ''\n    hooks: [{type: command, command: c}]\n  - hooks: [{type: command, command: d}]\n";
    let hooks = read_clean(text);
    let Some(MatcherSpec::Pattern { text: pattern, location }) = &hooks[0].matcher else { panic!("a pattern") };
    assert_eq!((&**pattern, location.line_column()), ("shell|edit_.*|run_background_job", Some((2, 14))));
    assert!(hooks[1..].iter().all(|hook| hook.matcher.is_none()));
}

#[test]
fn guard_on_shell_is_called_for_background_jobs_as_well() {
    let pattern = |event: &str, matcher: &str| {
        let text = format!("{event}:\n  - matcher: {matcher:?}\n    hooks: [{{type: command, command: a}}]\n");
        let Some(MatcherSpec::Pattern { text, .. }) = &read_clean(&text)[0].matcher else { panic!("a pattern") };
        text.to_string()
    };
    for (event, matcher, expected) in [
        ("pre_tool_use", "shell", "shell|run_background_job"),
        ("tool_guard", "sh.*", "sh.*|run_background_job"),
        ("pre_tool_use", "shell|run_.*", "shell|run_.*"),
        ("pre_tool_use", "edit_file", "edit_file"),
        ("post_tool_use", "shell", "shell"),
        ("permission_request", "shell", "shell"),
    ] {
        assert_eq!(pattern(event, matcher), expected, "{event} {matcher}");
    }
}

#[test]
fn entries_that_preempt_are_guards_under_the_name_they_were_written_under() {
    let text = "pre_tool_use:\n  - preempt_yolo: true\n    hooks: [{type: command, command: a}]\n  - preempt_yolo: false\n    hooks: [{type: command, command: b}]\n";
    let hooks = read_clean(text);
    let events: Vec<_> = hooks.iter().map(|hook| (hook.event.as_str(), &*hook.event_alias, hook.profile)).collect();
    assert_eq!(
        events,
        [
            ("tool.guard", "pre_tool_use", Profile::ParallelStrictest),
            ("tool.pre", "pre_tool_use", Profile::SequentialRunAll),
        ]
    );
    assert_eq!(
        read_text("post_tool_use:\n  - preempt_yolo: false\n    hooks: [{type: command, command: a}]\n").1,
        [
            "h.yaml:2:19: error: hooks.post_tool_use[0]: preempt_yolo is only valid on pre_tool_use | remove it, or move the entry to `pre_tool_use`"
        ]
    );
    assert_eq!(
        read_text("tool_guard:\n  - preempt_yolo: true\n    hooks: [{type: command, command: a}]\n").1,
        [
            "h.yaml:2:19: error: hooks.tool_guard[0]: preempt_yolo is only valid on pre_tool_use | remove it, or move the entry to `pre_tool_use`"
        ]
    );
}

#[test]
fn faults_of_events_and_entries_are_told_with_the_next_step() {
    for (text, wanted) in [
        (
            "PreToolUse: []\n",
            "h.yaml:1:1: error: hooks: unknown event `PreToolUse` | docker-agent calls it `pre_tool_use`",
        ),
        (
            "pre_tool_usse: []\n",
            "h.yaml:1:1: error: hooks: unknown event `pre_tool_usse` | did you mean `pre_tool_use`?",
        ),
        (
            "- a\n",
            "h.yaml:1:1: error: yaml: line 1: the document must be a mapping of fields, not a list | write lines such as `field: value`",
        ),
        ("stop: x\n", "h.yaml:1:7: error: hooks.stop: hook event must be a hook or a list of hooks, not a string"),
        ("stop: [x]\n", "h.yaml:1:8: error: hooks.stop[0]: hook event must be a hook or a list of hooks, not a string"),
        (
            "pre_tool_use: 3\n",
            "h.yaml:1:15: error: hooks.pre_tool_use: hook event must be a matcher or a list of matchers, not a number",
        ),
        (
            "pre_tool_use: [x]\n",
            "h.yaml:1:16: error: hooks.pre_tool_use[0]: hook event must be a matcher or a list of matchers, not a string",
        ),
        (
            "pre_tool_use:\n  - matcher: x\n",
            "h.yaml:2:5: error: hooks.pre_tool_use[0]: at least one hook is required | write `hooks:`, and below it `- type: command`",
        ),
        (
            "pre_tool_use:\n  - hooks: []\n",
            "h.yaml:2:12: error: hooks.pre_tool_use[0]: at least one hook is required | write `hooks:`, and below it `- type: command`",
        ),
        (
            "pre_tool_use:\n  - hooks: [{type: command, command: a}]\n    macher: x\n",
            "h.yaml:3:5: error: hooks.pre_tool_use[0]: unknown key `macher` | did you mean `matcher`?",
        ),
        (
            "pre_tool_use:\n  - hooks: [{type: command, command: a}]\n    hooks: []\n",
            "h.yaml:3:5: error: yaml: line 3: key `hooks` is already set at line 2 | keep one of the two",
        ),
        (
            "pre_tool_use:\n  - hooks: [{type: command, command: a}]\n    matcher: [a]\n",
            "h.yaml:3:14: error: hooks.pre_tool_use[0]: matcher must be a string, not a list",
        ),
    ] {
        assert_eq!(read_text(text).1, [wanted], "{text}");
    }
}

#[test]
fn hooks_in_the_wrong_layout_are_reported_with_the_right_one() {
    assert_eq!(
        read_text("pre_tool_use:\n  - type: command\n    command: a\n").1,
        [
            "h.yaml:2:5: error: hooks.pre_tool_use[0]: at least one hook is required | write `hooks:`, and below it `- type: command`",
            "h.yaml:2:5: error: hooks.pre_tool_use[0]: unknown key `type` | `type` belongs to a hook: write it in an item of the `hooks:` list",
            "h.yaml:3:5: error: hooks.pre_tool_use[0]: unknown key `command` | `command` belongs to a hook: write it in an item of the `hooks:` list",
        ]
    );
    assert_eq!(
        read_text("stop:\n  - matcher: x\n    hooks: []\n").1,
        [
            "h.yaml:2:5: error: hooks.stop[0]: type is required | write `type: command`, `type: builtin` or `type: model`",
            "h.yaml:2:5: error: hooks.stop[0]: unknown key `matcher` | stop does not take a matcher; list its hooks directly below it",
            "h.yaml:3:5: error: hooks.stop[0]: unknown key `hooks` | stop does not take a matcher; list its hooks directly below it",
        ]
    );
}
