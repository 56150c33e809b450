//! `pintle replay --with`: what other hooks would have decided about recorded calls.

#![cfg(target_os = "linux")]

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{CliFixture, snapshot};
use crate::log::{call_tool, create_fixture, list_entries, normalized_screen, pintle};

/// Hooks in one file, with a script each.
fn hook(event: &str, script: &str) -> String {
    let lines: String = script.lines().map(|line| format!("      {line}\n")).collect();
    format!("---\nevent: {event}\nscript: |\n  def handle(event, payload):\n{lines}---\n")
}

/// The report about what other hooks decide.
fn redecide(fixture: &CliFixture, with: &str, more: &[&str]) -> Value {
    let arguments: Vec<&str> = ["replay", "--json", "--with", with].iter().chain(more).copied().collect();
    let (out, err, status) = pintle(fixture, &arguments).run_to_parts();
    assert_eq!(status, Some(0), "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

/// The changes of a report, and the calls of their examples.
fn changes_of(report: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let change = |change: &Value| {
        let title = format!("{} -> {}: {}", text(&change["before"]), text(&change["after"]), change["count"]);
        (title, change["examples"].as_array().unwrap().iter().map(|call| text(&call["call"])).collect())
    };
    report["changes"].as_array().unwrap().iter().map(change).collect()
}

/// The reasons why calls are not decided, with their number.
fn gaps_of(report: &Value) -> Vec<String> {
    let gap =
        |gap: &Value| format!("{} {} {}", gap["count"], gap["hook"].as_str().unwrap(), gap["reason"].as_str().unwrap());
    report["undecided"].as_array().unwrap().iter().map(gap).collect()
}

fn change(title: &str, calls: &[&str]) -> (String, Vec<String>) {
    (title.to_owned(), calls.iter().map(|&call| call.to_owned()).collect())
}

#[test]
fn a_policy_is_compared_with_what_was_decided() {
    let fixture = create_fixture().with_file("new/policy.yaml", "use: [shell, git]\n");
    call_tool(&fixture, "codex", "c2", "Bash", &json!({"command": "git push --force"}));
    let screen = |arguments: &[&str]| normalized_screen(&fixture, arguments);
    snapshot!("redecide_policy", screen(&["replay", "--with", "new/policy.yaml"]));
    let own = fixture.user_path("hooks").display().to_string();
    snapshot!("redecide_same", screen(&["replay", "--with", &own]).replace(&own, "[hooks]"));
    let nothing = ["replay", "--with", "new/policy.yaml", "--directory", "shop", "--state-dir", "none"];
    snapshot!("redecide_nothing", screen(&nothing));
    snapshot!("redecide_misuse", screen(&["replay", "t.jsonl", "-n", "1"]));
    // The ID of an example is that of the log.
    let report = redecide(&fixture, "new/policy.yaml", &["--host", "codex", "-n", "1"]);
    let denied = &report["changes"][0]["examples"][0];
    assert_eq!(denied["call"], "git push --force");
    let id = denied["id"].as_str().unwrap();
    assert!(list_entries(&fixture, &[]).iter().any(|entry| entry["id"] == id), "{report}");
    let (out, err, status) = pintle(&fixture, &["why", id]).run_to_parts();
    assert!(status == Some(0) && out.contains("git push --force"), "{out}{err}");
}

#[test]
fn filters_select_tapes_and_changes_fail_if_they_are_to() {
    let fixture = create_fixture().with_file("none/hooks/quiet.md", hook("tool.pre", "return allow()"));
    let counts = |more: &[&str]| {
        let report = redecide(&fixture, "none", more);
        (report["tapes"].as_u64().unwrap(), report["calls"].as_u64().unwrap())
    };
    let shop = fixture.path("shop").display().to_string();
    let tape = fixture.user_path("bridge/codex/c2/tape.jsonl").display().to_string();
    let cases: [(&[&str], (u64, u64)); 7] = [
        (&[], (2, 7)),
        (&["--host", "codex"], (1, 1)),
        (&["--since", "1h"], (2, 7)),
        (&["--since", "2100-01-01"], (2, 0)),
        (&["--project", &shop], (2, 7)),
        (&["--project", "elsewhere"], (0, 0)),
        (&[&tape], (1, 1)),
    ];
    for (arguments, wanted) in cases {
        assert_eq!(counts(arguments), wanted, "{arguments:?}");
    }
    let all = redecide(&fixture, "none", &["-n", "0"]);
    let looser = [
        change("asked -> allowed: 2", &["deploy now", "deploy\nnow \u{1b}[2J"]),
        change("denied -> allowed: 2", &["mkfs /dev/sda", "crash"]),
    ];
    assert_eq!(changes_of(&all)[1..], looser);
    let fixture = fixture.with_file("all/hooks/no.md", hook("tool.pre", "return block('no')"));
    let fixture = fixture
        .with_file("program/pintle.yaml", "")
        .with_file("program/hooks/p.md", hook("tool.pre", "http.get('https://a.example')\nreturn allow()"));
    let own = fixture.user_path("hooks").display().to_string();
    for (with, fail_on, wanted) in [
        ("none", "looser", 1),
        ("none", "stricter", 0),
        ("none", "change", 1),
        ("all", "looser", 0),
        ("all", "stricter", 1),
        (&*own, "change", 0),
        ("program", "looser", 1),
    ] {
        let (out, err, status) = pintle(&fixture, &["replay", "--with", with, "--fail-on", fail_on]).run_to_parts();
        assert_eq!(status, Some(wanted), "{with} {fail_on}: {out}{err}");
    }
}

#[test]
fn what_cannot_be_decided_again_is_never_allowed() {
    let program = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "touch ran; exit 2"},
    ]}]}});
    let fixture = create_fixture()
        .with_file("program/.claude/settings.json", settings.to_string())
        .with_file(
            "server/hooks/ask.md",
            hook("tool.pre", "r = http.get('https://a.example/' + payload['name'])\nreturn allow()"),
        )
        .with_file("luck/hooks/dice.md", hook("tool.pre", "return block('bad luck') if random(1, 6) == 6 else allow()"))
        .with_file(
            "mixed/hooks/a.md",
            hook("tool.pre", "if 'mkfs' in str(payload['args']):\n    return block('no')\nreturn allow()"),
        )
        .with_file("mixed/hooks/b.md", hook("tool.pre", "return block('bad luck') if random(1, 6) == 6 else allow()"))
        .with_file("broken/hooks/a.md", program)
        .with_file("broken/hooks/b.md", program.replace("return allow()", "return allow("))
        .with_file("empty/readme.txt", "")
        .with_file("late/hooks/idle.md", hook("session.idle", "return allow()"));
    let report = redecide(&fixture, "program/.claude/settings.json", &[]);
    assert_eq!(gaps_of(&report), ["6 touch ran; exit 2 is a program, which is not run"], "{report}");
    assert!(!fixture.path("ran").exists() && !fixture.path("shop/ran").exists());
    let needs = |what: &str| format!("needs {what}, and the tape has no reply to its request");
    assert_eq!(gaps_of(&redecide(&fixture, "server", &[])), [format!("7 ask {}", needs("the network"))]);
    assert_eq!(gaps_of(&redecide(&fixture, "luck", &[])), [format!("7 dice {}", needs("random numbers"))]);
    // What another hook denies is denied, whatever is missing.
    let mixed = redecide(&fixture, "mixed", &[]);
    assert_eq!(
        (gaps_of(&mixed), mixed["unchanged"].clone()),
        (vec![format!("6 b {}", needs("random numbers"))], json!(1))
    );
    for with in ["broken", "empty", "missing"] {
        let (out, err, status) = pintle(&fixture, &["replay", "--with", with]).run_to_parts();
        assert_eq!((status, out.as_str()), (Some(3), ""), "{with}: {err}");
    }
    assert_eq!(redecide(&fixture, "late", &[])["unheard_events"], json!(["session.idle"]));
}

#[test]
fn rules_about_commands_do_not_decide_what_a_file_did_that_is_not_on_the_tape() {
    let fixture =
        CliFixture::new_empty().with_file("shop/x.sh", "npm publish\n").with_file("rules.yaml", "deny: npm publish\n");
    fs::create_dir_all(fixture.user_path("hooks")).unwrap();
    fs::write(fixture.user_path("policy.yaml"), "use: [shell]\n").unwrap();
    for command in ["npm publish", "ls", "sh x.sh"] {
        call_tool(&fixture, "claude", "s1", "Bash", &json!({"command": command}));
    }
    let report = redecide(&fixture, "rules.yaml", &[]);
    assert_eq!(changes_of(&report), [change("allowed -> denied: 1", &["npm publish"])], "{report}");
    let gaps = gaps_of(&report);
    assert!(gaps.len() == 1 && gaps[0].starts_with("1 rules:rules looks at commands"), "{gaps:?}");
}

#[test]
fn a_tape_is_read_as_far_as_it_goes() {
    let fixture = create_fixture().with_file("none/hooks/quiet.md", hook("tool.pre", "return allow()"));
    let tape = fixture.user_path("bridge/claude/c1/tape.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let third = text.match_indices("\"kind\":\"event\"").nth(2).unwrap().0;
    let end = text[..third].rfind('\n').unwrap() + 1;
    let other_format = text.replacen("\"format\":8", "\"format\":6", 1);
    assert_ne!(other_format, text);
    let outcome = text.find("\"kind\":\"outcome\"").unwrap();
    let torn = &text[..outcome];
    let cases = [
        (format!("{}{{\"seq\":\n{}", &text[..end], &text[end..]), 2, 0, "line "),
        (other_format, 0, 0, "format 6"),
        (torn.to_owned(), 0, 1, "is truncated after"),
        (String::new(), 0, 0, "empty"),
        (String::from("nothing"), 0, 0, ""),
    ];
    for (text, calls, unfinished, reason) in cases {
        fs::write(&tape, &text).unwrap();
        let report = redecide(&fixture, "none", &["--host", "claude"]);
        assert_eq!((&report["calls"], &report["unfinished"]), (&json!(calls), &json!(unfinished)), "{report}");
        let why = report["unreadable"][0]["reason"].as_str().unwrap();
        assert!(why.contains(reason), "{why}");
        let named = tape.display().to_string();
        let (_, err, status) = pintle(&fixture, &["replay", &named, "--with", "none"]).run_to_parts();
        assert!(status == Some(0) && err.contains("was decided as far as it can be read"), "{err}");
        let failing = ["replay", &named, "--with", "none", "--fail-on", "looser"];
        assert_eq!(pintle(&fixture, &failing).run_to_parts().2, Some(1));
    }
}

#[test]
fn the_report_is_as_its_schema_says() {
    let fixture = create_fixture().with_file(
        "new/hooks/guard.md",
        hook("tool.pre", "if 'ls' in str(payload['args']):\n    random(1, 2)\nreturn allow()"),
    );
    let report = redecide(&fixture, "new", &[]);
    let schema: Value = serde_json::from_str(include_str!("../../src/commands/replay/redecide/schema.json")).unwrap();
    let mut checked = 0;
    check_keys(&report, &schema, &schema, &mut checked);
    assert!(checked > 10, "{checked}");
}

/// Compares the keys of objects with those that a schema requires.
fn check_keys(value: &Value, schema: &Value, root: &Value, checked: &mut usize) {
    if let Some(path) = schema["$ref"].as_str() {
        return check_keys(value, root.pointer(path.trim_start_matches('#')).unwrap(), root, checked);
    }
    if let (Some(fields), Some(required)) = (value.as_object(), schema["required"].as_array()) {
        let keys: Vec<&str> = fields.keys().map(String::as_str).collect();
        let wanted: Vec<&str> = required.iter().map(|key| key.as_str().unwrap()).collect();
        assert_eq!(keys, wanted);
        assert_eq!(schema["properties"].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>(), wanted);
        *checked += 1;
        for (key, field) in fields {
            check_keys(field, schema["properties"].get(key).unwrap(), root, checked);
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{value}");
    }
    for item in value.as_array().into_iter().flatten() {
        check_keys(item, &schema["items"], root, checked);
    }
}

/// The events of a session of Claude Code, in the order in which they come.
fn record_session(fixture: &CliFixture) {
    let cwd = fs::canonicalize(fixture.path("shop")).unwrap();
    let send = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "c9", "cwd": cwd, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        pintle(fixture, &["hook", "claude", event]).with_input(&payload.to_string()).run_to_parts();
    };
    let call =
        |id: &str, command: &str| json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}});
    let result = |id: &str, command: &str, stdout: &str| {
        let mut payload = call(id, command);
        payload.as_object_mut().unwrap().insert("tool_response".into(), json!({"stdout": stdout, "stderr": ""}));
        payload
    };
    send("SessionStart", json!({"source": "startup"}));
    send("UserPromptSubmit", json!({"prompt": "the secret"}));
    send("UserPromptSubmit", json!({"prompt": "deploy to prod"}));
    send("PreToolUse", call("t1", "deploy now"));
    send("PostToolUse", result("t1", "deploy now", "a token"));
    send("PreToolUse", call("t2", "wipe it"));
    // An ID twice: two calls.
    send("PreToolUse", call("t1", "fetch x"));
    send("PreToolUse", call("t1", "fetch x"));
    send("PreToolUse", call("t3", "fourth"));
    send("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": "git status"}}));
    send("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": "git push"}}));
    let task = json!({"description": "d", "prompt": "do it", "subagent_type": "x"});
    send("PreToolUse", json!({"tool_name": "Task", "tool_use_id": "t4", "tool_input": task, "agent_id": "a1"}));
    send("Stop", json!({}));
}

#[test]
fn the_same_hooks_decide_the_same_at_every_event() {
    let fixture = CliFixture::new_empty().with_file("shop/readme.txt", "");
    let scripts = [
        ("count", "tool.pre", "return block('too many') if metrics.incr('calls') > 3 else allow()"),
        (
            "fetch",
            "tool.pre",
            "command = payload['args'].get('command', '')\nif command.startswith('fetch'):\n    return modify({'args': {'command': command + ' --slow'}})\nreturn allow()",
        ),
        (
            "prompt",
            "prompt.submit",
            "ctx.set('prod', 'prod' in payload['prompt'])\nreturn block('no') if 'secret' in payload['prompt'] else allow()",
        ),
        (
            "guard",
            "tool.guard",
            "text = str(payload['args'])\nif 'deploy' in text and ctx.get('prod'):\n    return ask('prod?')\nreturn block('wiped') if 'wipe' in text else allow()",
        ),
        ("answer", "permission.ask", "return block('no') if 'push' in str(payload['args']) else None"),
        ("result", "tool.post", "return modify({'content': 'removed'}) if 'token' in payload['content'] else allow()"),
    ];
    let fixture = scripts.iter().fold(fixture, |fixture, (name, event, script)| {
        fs::create_dir_all(fixture.user_path("hooks")).unwrap();
        fs::write(fixture.user_path(&format!("hooks/{name}.md")), hook(event, script)).unwrap();
        fixture
    });
    record_session(&fixture);
    let own = fixture.user_path("hooks").display().to_string();
    let same = redecide(&fixture, &own, &[]);
    assert_eq!((changes_of(&same), gaps_of(&same)), (vec![], vec![]), "{same}");
    assert_eq!((&same["calls"], &same["unfinished"]), (&json!(8), &json!(0)), "{same}");
    // Each hook is missed where it decided, and the call is the one that it got.
    let cases = [
        ("count", vec![change("denied -> allowed: 2", &["fourth", "do it"])]),
        ("fetch", vec![change("rewritten -> allowed: 2", &["fetch x", "fetch x"])]),
        (
            "prompt",
            vec![change("asked -> allowed: 1", &["deploy now"]), change("denied -> allowed: 1", &["the secret"])],
        ),
        // What the guard denied is counted, so that the second fetch is the fourth call.
        (
            "guard",
            vec![
                change("rewritten -> denied: 1", &["fetch x"]),
                change("asked -> allowed: 1", &["deploy now"]),
                change("denied -> allowed: 1", &["wipe it"]),
            ],
        ),
        ("answer", vec![change("denied -> asked: 1", &["git push"])]),
        ("result", vec![change("rewritten -> allowed: 1", &["deploy now"])]),
    ];
    for (left_out, wanted) in cases {
        let kept = scripts.iter().filter(|(name, ..)| *name != left_out);
        for (name, event, script) in kept {
            let dir = fixture.path(&format!("without-{left_out}/hooks"));
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(format!("{name}.md")), hook(event, script)).unwrap();
        }
        assert_eq!(changes_of(&redecide(&fixture, &format!("without-{left_out}"), &[])), wanted, "{left_out}");
    }
}

#[test]
fn sessions_of_the_own_loop_are_decided_agent_by_agent() {
    let agent = "---\nname: tidy\nmodel: {provider: script, name: script.yaml}\n---\nYou tidy.\n";
    let script =
        "turns:\n  - calls: [{tool: list, args: {path: .}}, {tool: read, args: {path: script.yaml}}]\n  - say: Done.\n";
    let fixture = CliFixture::with_guards().with_file("harness.md", agent).with_file("script.yaml", script);
    let (_, err, status) = fixture.pintle(&["run", ".", "Go."]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let same = redecide(&fixture, ".", &[]);
    assert_eq!((changes_of(&same), &same["calls"]), (vec![], &json!(2)), "{same}");
    // The hooks of an agent apply to its own calls.
    let team = |agent: &str| {
        let hooks = "hooks: {pre_tool_use: [{matcher: '*', hooks: [{type: command, command: 'exit 2'}]}]}";
        format!(
            "agents:\n  root: {{model: a/b, description: d, instruction: i}}\n  {agent}: {{model: a/b, description: d, instruction: i, {hooks}}}\n"
        )
    };
    let fixture = fixture.with_file("tidy.yaml", team("tidy")).with_file("other.yaml", team("other"));
    assert_eq!(redecide(&fixture, "tidy.yaml", &[])["undecided"][0]["count"], 2);
    assert_eq!(redecide(&fixture, "other.yaml", &[])["undecided"], json!([]));
}

#[test]
fn two_sets_of_hooks_are_compared_on_recorded_calls() {
    let fixture = create_fixture()
        .with_file("a/policy.yaml", "use: [shell, git]\n")
        .with_file(
            "b/hooks/guard.md",
            hook("tool.pre", "return block('no disks') if 'mkfs' in str(payload['args']) else allow()"),
        )
        .with_file("c/hooks/luck.md", hook("tool.pre", "return block('bad luck') if random(1, 6) == 6 else allow()"))
        .with_file("broken/hooks/b.md", hook("tool.pre", "return allow("));
    call_tool(&fixture, "codex", "c2", "Bash", &json!({"command": "git push --force"}));
    snapshot!("diff_sets", normalized_screen(&fixture, &["diff", "a/policy.yaml", "b"]));
    let status = |arguments: &[&str]| pintle(&fixture, &[&["diff"], arguments].concat()).run_to_parts().2;
    assert_eq!(status(&["b", "b", "--fail-on", "change"]), Some(0));
    assert_eq!(status(&["a/policy.yaml", "b", "--fail-on", "looser"]), Some(1));
    assert_eq!(status(&["b", "broken"]), Some(3));
    assert_eq!(status(&["broken", "b"]), Some(3));
    // What one of both does not know is not compared.
    for arguments in [["b", "c"], ["c", "b"]] {
        let (out, ..) = pintle(&fixture, &["diff", "--json", arguments[0], arguments[1]]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((changes_of(&report), gaps_of(&report).len()), (vec![], 1), "{report}");
    }
}

#[test]
fn two_sets_of_hooks_are_compared_without_a_tape() {
    let guard = "---\nevent: tool.pre\nexamples:\n  - call: make deploy\n    expect: block\nscript: |\n  def handle(event, payload):\n      if 'deploy' in str(payload['args']):\n          return block('no deploys')\n      return allow()\n---\n";
    let fixture = CliFixture::new_empty()
        .with_file("a/policy.yaml", "deny:\n  - run: npm publish\n  - write: infra/**\n")
        .with_file("b/policy.yaml", "deny:\n  - run: npm publish\n")
        .with_file("c/hooks/guard.md", guard)
        .with_file(
            "d/hooks/open.md",
            guard.replace("block('no deploys')", "allow()").replace("expect: block", "expect: allow"),
        )
        .with_file("e/hooks/open.md", hook("tool.pre", "return allow()"))
        .with_file("e/hooks/every.cases.yaml", "- {call: make deploy-all, expect: allow}\n")
        .with_file("f/hooks/prompt.md", hook("prompt.submit", "return allow()"));
    snapshot!("diff_examples", normalized_screen(&fixture, &["diff", "a/policy.yaml", "b/policy.yaml"]));
    snapshot!("diff_examples_same", normalized_screen(&fixture, &["diff", "a/policy.yaml", "a/policy.yaml"]));
    let calls = |before: &str, after: &str| {
        let (out, err, _) = pintle(&fixture, &["diff", "--json", "-n", "0", before, after]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
        changes_of(&report)
    };
    // The examples of either side are enough, and a hook without one is compared on them.
    let deploys =
        ["make deploy | cat", "cd pkg && make deploy", "bash -c 'make deploy'", "sudo make deploy", "make deploy"];
    assert_eq!(calls("c", "d"), [change("denied -> allowed: 5", &deploys)]);
    assert_eq!(calls("d", "c"), [change("allowed -> denied: 5", &deploys)]);
    // The case file of a set is one of its examples.
    let [(title, found)] = &*calls("c", "e") else { panic!("one change") };
    assert!(title == "denied -> allowed: 10" && found.contains(&String::from("make deploy-all")), "{title}: {found:?}");
    let status = |arguments: &[&str]| pintle(&fixture, &[&["diff"], arguments].concat()).run_to_parts();
    assert_eq!(status(&["c", "d", "--fail-on", "looser"]).2, Some(1));
    assert_eq!(status(&["c", "d", "--fail-on", "stricter"]).2, Some(0));
    assert_eq!(status(&["c", "c", "--fail-on", "change"]).2, Some(0));
    // An event without an example is named.
    let (_, err, code) = status(&["e", "f"]);
    assert!(code == Some(0) && err.contains("prompt.submit"), "{err}");
    // Tapes are used if there are any, unless examples are asked for.
    let recorded = create_fixture().with_file("c/hooks/guard.md", guard);
    let report = |more: &[&str]| {
        let (out, err, _) = pintle(&recorded, &[&["diff", "--json", "c", "c"], more].concat()).run_to_parts();
        serde_json::from_str::<Value>(&out).unwrap_or_else(|error| panic!("{error}: {err}"))
    };
    assert!(report(&[])["examples"].is_null() && report(&[])["tapes"] == 2);
    assert_eq!(report(&["--examples"])["examples"], json!({"written": 1, "derived": 4, "left_out": 0}));
}

#[test]
fn sessions_that_pintle_never_saw_are_decided() {
    let claude = include_bytes!("../data/sessions/claude/0b9d8a3e-5f43.jsonl");
    let codex = include_bytes!("../data/sessions/codex/rollout-2026-01-31T10-00-00-7cd522aa-1.jsonl");
    let fixture = CliFixture::new_empty()
        .with_file("p/policy.yaml", "use: [shell, git, remote-code]\n")
        .with_file("files/projects/-p-shop/0b9d8a3e-5f43.jsonl", claude)
        .with_file("files/2026/01/31/rollout-2026-01-31T10-00-00-7cd522aa-1.jsonl", codex)
        .with_file("files/notes.jsonl", "{\"a\": 1}\n")
        .with_file("files/settings.json", "{}");
    let all = ["replay", "--with", "p/policy.yaml", "--session-file", "files"];
    snapshot!("redecide_session_files", pintle(&fixture, &all).run_to_screen());
    let report = redecide(&fixture, "p/policy.yaml", &["--session-file", "files", "--since", "2026-01-31T10:00:05Z"]);
    assert_eq!((&report["calls"], &report["tapes"]), (&json!(2), &json!(2)), "{report}");
    let report = redecide(&fixture, "p/policy.yaml", &["--session-file", "files", "--host", "codex"]);
    assert_eq!((&report["calls"], &report["tapes"]), (&json!(3), &json!(1)), "{report}");
    let example = &report["changes"][1]["examples"][0];
    let shown = ["host", "project", "session", "tool", "seq", "id"].map(|key| example.get(key).unwrap().clone());
    assert_eq!(json!(shown), json!(["codex", "/p/shop", "7cd522aa-1", "shell", 4, null]));
    for (path, reason) in [("files/notes.jsonl", "is not a session of an agent"), ("none", "cannot read `none`")] {
        let arguments = ["replay", "--with", "p/policy.yaml", "--session-file", path];
        let (_, err, status) = pintle(&fixture, &arguments).run_to_parts();
        assert!(status == Some(3) && err.contains(reason), "{err}");
    }
    // Any bytes are read as far as they make sense.
    let fixture = fixture
        .with_file("odd/a.jsonl", [&claude[..700], b"\xff\xfe\n{\"type\":\"assistant\"}\n[]\n", codex].concat())
        .with_file("odd/b.jsonl", [b"\xff\n", &codex[..codex.len() - 200]].concat())
        .with_file("odd/c.jsonl", "");
    let report = redecide(&fixture, "p/policy.yaml", &["--session-file", "odd"]);
    assert_eq!(report["tapes"], 2, "{report}");
}
