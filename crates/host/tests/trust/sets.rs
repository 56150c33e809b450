//! The user trusts a whole set of hooks. If a file is edited, added or removed, guards keep denying what they guarded,
//! and nothing new is trusted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use pintle_host::contract::SourceTrust;
use pintle_host::loader::{TrustGrant, TrustState, TrustStore};
use pintle_host::{Decision, Layer, Outcome, Runtime};
use serde_json::json;

use crate::trust::fixture::TrustFixture;

/// A script that denies a forbidden call and needs no trust to run.
const SCRIPT: &str = "---\nevent: tool.pre\nwhen: payload[\"name\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      \
                      if \"rm\" in payload[\"args\"][\"command\"]:\n          return block(\"the script says no\")\n---\n";
const ALLOWS: &str = "---\nevent: tool.pre\nwhen: payload[\"name\"] == \"shell\"\nscript: |\n  def handle(event, payload):\n      \
                      return allow() if True else block(\"x\")\n---\n";
const NETWORK: &str = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      http.get(\"https://a.example/\")\n      \
                       return block(\"no\")\n---\n";

fn agent_yaml(hook: &str) -> String {
    format!(
        "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n    hooks:\n      pre_tool_use:\n        - matcher: \
         shell\n          hooks:\n            - {hook}\n"
    )
}

fn project_with(files: &[(&str, &str)]) -> TrustFixture {
    let fixture = TrustFixture::empty();
    files.iter().for_each(|(file, text)| fixture.write(file, text));
    fixture
}

fn call_tool(fixture: &TrustFixture, tool: &str, command: &str) -> Outcome {
    let fields = json!({"name": tool, "args": {"command": command}, "arguments": "{}", "id": "1"});
    fixture.fire("tool.pre", fields)
}

/// The decisions on a forbidden call, a harmless call of the same tool, and a call of another tool.
fn call_decisions(fixture: &TrustFixture) -> [Decision; 3] {
    [("shell", "rm -rf x"), ("shell", "ls"), ("read", "x")]
        .map(|(tool, command)| call_tool(fixture, tool, command).decision)
}

#[test]
fn whatever_a_guard_becomes_it_denies_until_somebody_agrees_again() {
    const GREP: &str = "{name: guard, type: command, command: 'grep -q rm && exit 2; exit 0'}";
    let script = [(".harness/hooks/g.md", SCRIPT)];
    let docker = agent_yaml(GREP);
    let docker = [("agent.yaml", docker.as_str())];
    let builtin = agent_yaml("{name: guard, type: builtin, command: safer_shell, args: [unsafe]}");
    let narrower = SCRIPT.replace("== \"shell\"", "== \"shelly\"");
    let elsewhere = SCRIPT.replace("tool.pre", "tool.post");
    let shadowed = SCRIPT.replace("event: tool.pre", "event: tool.pre\nmode: shadow");
    type FileTexts<'a> = &'a [(&'a str, &'a str)];
    type GuardChange<'a> = &'a dyn Fn(&TrustFixture);
    let remove = |fixture: &TrustFixture, file: &str| fs::remove_file(fixture.path(file)).unwrap();
    let rename = |fixture: &TrustFixture, to: &str| {
        fs::create_dir_all(fixture.path(to).parent().unwrap()).unwrap();
        fs::rename(fixture.path(".harness/hooks/g.md"), fixture.path(to)).unwrap();
    };
    let cases: [(&str, FileTexts<'_>, GuardChange<'_>); 14] = [
        ("a command that becomes a built-in", &docker, &|fixture| fixture.write("agent.yaml", &builtin)),
        ("a command whose file is gone", &docker, &|fixture| remove(fixture, "agent.yaml")),
        ("a script that reaches out and becomes one that allows", &[(".harness/hooks/g.md", NETWORK)], &|fixture| {
            fixture.write(".harness/hooks/g.md", ALLOWS);
        }),
        ("a script that allows", &script, &|fixture| fixture.write(".harness/hooks/g.md", ALLOWS)),
        ("a script for another tool", &script, &|fixture| fixture.write(".harness/hooks/g.md", &narrower)),
        ("a script on another event", &script, &|fixture| fixture.write(".harness/hooks/g.md", &elsewhere)),
        ("a script in shadow mode", &script, &|fixture| fixture.write(".harness/hooks/g.md", &shadowed)),
        ("a script without a function that blocks", &script, &|fixture| {
            fixture.write(".harness/hooks/g.md", SCRIPT.replace("block(\"the script says no\")", "allow()"));
        }),
        ("a script that is deleted", &script, &|fixture| remove(fixture, ".harness/hooks/g.md")),
        ("a script whose folder is deleted", &script, &|fixture| fs::remove_dir_all(fixture.path(".harness")).unwrap()),
        ("a script of another name", &script, &|fixture| rename(fixture, ".harness/hooks/h.md")),
        ("a script in another folder", &script, &|fixture| rename(fixture, ".harness/builtins/g.md")),
        ("a script that is no file of hooks any more", &script, &|fixture| rename(fixture, ".harness/hooks/g.txt")),
        (
            "one of two that look alike",
            &[(".harness/hooks/g.md", SCRIPT), (".harness/builtins/g.md", SCRIPT)],
            &|fixture| remove(fixture, ".harness/hooks/g.md"),
        ),
    ];
    for (what, files, change) in cases {
        let fixture = project_with(files);
        fixture.grant_trust();
        change(&fixture);
        let consent = fixture.consent();
        assert_eq!(consent.state, TrustState::Changed, "{what}");
        assert_eq!(call_tool(&fixture, "shell", "rm -rf x").decision, Decision::Deny, "{what}");
        let outcome = call_tool(&fixture, "shell", "ls");
        assert_eq!(outcome.decision, Decision::Deny, "{what}: what it guarded");
        assert!(outcome.reason().contains("run `pintle trust`"), "{what}: {}", outcome.reason());
        assert!(consent.user_notice().unwrap().contains("changed after you trusted"), "{what}");
        let consent = fixture.consent();
        TrustStore::grant(&fixture.trust(), consent.folder(), TrustGrant::new(&consent.manifest, 2)).unwrap();
        assert_eq!(
            (fixture.trust_state(), call_tool(&fixture, "shell", "ls").decision),
            (TrustState::Trusted, Decision::Allow),
            "{what}"
        );
    }
}

#[test]
fn what_is_added_to_a_set_is_not_trusted_and_takes_nothing_out_of_force() {
    let more =
        "---\nevent: tool.pre\npriority: -5\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    for file in [".harness/hooks/more.md", ".harness/overrides/more.md", ".harness/plugins/more.md", ".harness/more.md"]
    {
        let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
        fixture.grant_trust();
        assert_eq!(hook_standings(&fixture), [("g", SourceTrust::Trusted)]);
        fixture.write(file, more);
        assert_eq!(fixture.trust_state(), TrustState::Changed, "{file}");
        let standings = hook_standings(&fixture);
        assert!(standings.iter().all(|(_, standing)| *standing == SourceTrust::Untrusted), "{file}: {standings:?}");
        assert_eq!(call_decisions(&fixture), [Decision::Deny, Decision::Allow, Decision::Allow], "{file}");
    }
    // Another source of hooks is an addition as well.
    let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
    fixture.grant_trust();
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    fixture.write(".claude/settings.json", hook);
    assert_eq!(fixture.trust_state(), TrustState::Changed);
    assert_eq!(call_decisions(&fixture), [Decision::Deny, Decision::Allow, Decision::Allow]);
}

fn hook_standings(fixture: &TrustFixture) -> Vec<(&'static str, SourceTrust)> {
    let built = fixture.build_runtime();
    let name = |hook: &str| if hook == "g" { "g" } else { "another" };
    built.runtime.hooks().hooks().map(|(_, hook)| (name(hook.id.as_str()), hook.source_trust)).collect()
}

#[test]
fn hooks_are_trusted_where_their_set_was_agreed_to_or_named() {
    let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
    assert_eq!(fixture.trust_state(), TrustState::NotRequired);
    assert_eq!(hook_standings(&fixture), [("g", SourceTrust::Untrusted)]);
    assert_eq!(
        call_decisions(&fixture),
        [Decision::Deny, Decision::Allow, Decision::Allow],
        "it can refuse all the same"
    );
    fixture.grant_trust();
    assert_eq!(hook_standings(&fixture), [("g", SourceTrust::Trusted)]);
    TrustStore::revoke(&fixture.trust(), fixture.consent().folder()).unwrap();
    assert_eq!(hook_standings(&fixture), [("g", SourceTrust::Untrusted)]);
    // Hooks named on the command line, and the user's own.
    let named = Runtime::builder().path(fixture.path(""), Layer::Project).load();
    assert!(named.runtime.hooks().hooks().all(|(_, hook)| hook.source_trust == SourceTrust::Trusted));
    let fixture = TrustFixture::empty();
    fixture.write("../own/hooks/g.md", SCRIPT);
    assert_eq!(hook_standings(&fixture), [("g", SourceTrust::Trusted)]);
}

#[test]
fn hooks_of_agents_stand_as_their_project_does() {
    let member = agent_yaml("{name: guard, type: builtin, command: safer_shell}");
    let fixture = project_with(&[("agent.yaml", &member)]);
    let found = || {
        let built = Runtime::builder().discovered_path(fixture.path(""), Layer::Project).trust(fixture.trust()).load();
        let hooks = built.team.iter().flat_map(|team| &team.agents).flat_map(|agent| agent.hooks.clone());
        let standings: Vec<SourceTrust> =
            hooks.filter(|hook| hook.name == "guard").map(|hook| hook.source_trust).collect();
        let open = built.projects[0].agent_items.iter().map(|claim| claim.name.clone()).collect::<Vec<_>>();
        (standings, open.contains(&String::from("guard")))
    };
    assert_eq!(found(), (vec![SourceTrust::Untrusted], false));
    fixture.grant_trust();
    assert_eq!(found(), (vec![SourceTrust::Trusted], false));
    fixture.write("agent.yaml", member.replace("safer_shell", "add_date"));
    assert_eq!(found(), (vec![SourceTrust::Untrusted], true), "whoever runs the agent has to ask");
    fixture.write("agent.yaml", member.replace("name: guard", "name: other"));
    assert!(found().1, "it is gone");
}

#[test]
fn a_guard_that_is_gone_denies_what_it_guarded_and_nothing_else() {
    let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
    fixture.grant_trust();
    fs::remove_file(fixture.path(".harness/hooks/g.md")).unwrap();
    assert_eq!(call_decisions(&fixture), [Decision::Deny, Decision::Deny, Decision::Allow]);
}

#[test]
fn a_folder_that_others_can_write_holds_no_agreements() {
    for (dir, mode, counts) in [
        ("", 0o777, false),
        ("", 0o1777, false),
        ("", 0o770, false),
        ("", 0o755, true),
        ("..", 0o777, false),
        ("..", 0o1777, true),
    ] {
        let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
        fixture.grant_trust();
        let dir = fixture.store_path().parent().unwrap().join(dir).canonicalize().unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).unwrap();
        let consent = fixture.consent();
        assert_eq!(consent.state == TrustState::Trusted, counts, "{} {mode:o}", dir.display());
        if !counts {
            let error = consent.error.unwrap();
            assert!(error.message.starts_with("other users can write to `"), "{error}");
            let refused = TrustStore::grant(&fixture.trust(), consent.manifest.folder.as_path(), TrustGrant::default());
            assert_eq!(refused.unwrap_err(), error);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_among_the_hooks_keeps_nobody_waiting() {
    let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
    let made = std::process::Command::new("mkfifo").arg(fixture.path(".harness/hooks/pipe.md")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", fixture.path(".harness/hooks/zero.md")).unwrap();
    let built = Runtime::builder().layers(fixture.layers()).trust(fixture.trust()).load();
    let unread = built.diagnostics.iter().filter(|diagnostic| diagnostic.code == "unreadable");
    let faults: Vec<_> = unread.map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(faults, ["cannot read the file: it is not a regular file"; 2]);
    let files: Vec<_> = built.projects[0].manifest.files.keys().cloned().collect();
    assert_eq!(files, [".harness/hooks/g.md"]);
}

#[test]
fn a_guard_that_nobody_agreed_to_stays_for_the_session() {
    let remove = |fixture: &TrustFixture| fs::remove_file(fixture.path(".harness/hooks/g.md")).unwrap();
    let rewrite = |fixture: &TrustFixture| fixture.write(".harness/hooks/g.md", ALLOWS);
    let clear = |fixture: &TrustFixture| fs::remove_dir_all(fixture.path(".harness")).unwrap();
    for (what, change, said) in [
        ("deleted", &remove as &dyn Fn(&TrustFixture), "guard `g` was removed or weakened during this session"),
        ("rewritten", &rewrite, "hook `g` changed during this session"),
        ("deleted with all others", &clear, "was removed or weakened during this session"),
    ] {
        let fixture = project_with(&[(".harness/hooks/g.md", SCRIPT)]);
        let guards = |before: Option<&TrustGrant>| {
            let consent = fixture.consent();
            TrustGrant::for_session(consent.state, &consent.manifest, before)
                .map(|known| (consent.folder().to_owned(), known))
        };
        let began: std::collections::BTreeMap<_, _> = guards(None).into_iter().collect();
        assert_eq!(began.len(), 1);
        let fire = || {
            let built =
                Runtime::builder().layers(fixture.layers()).trust(fixture.trust()).initial_guards(began.clone()).load();
            let fields = json!({"name": "shell", "args": {"command": "ls"}, "arguments": "{}", "id": "1"});
            let outcome = built.runtime.fire(&fixture.build_event("tool.pre", fields));
            (
                outcome,
                built.projects.iter().filter_map(pintle_host::loader::ProjectTrust::user_notice).collect::<String>(),
            )
        };
        assert_eq!((fire().0.decision, fire().1), (Decision::Allow, String::new()), "{what}");
        fixture.write(".harness/hooks/more.md", SCRIPT);
        assert_eq!(fire().0.decision, Decision::Allow, "{what}: what is new takes nothing away");
        fs::remove_file(fixture.path(".harness/hooks/more.md")).unwrap();
        change(&fixture);
        let (outcome, notice) = fire();
        assert_eq!(outcome.decision, Decision::Deny, "{what}");
        assert!(outcome.reason().contains(said), "{what}: {}", outcome.reason());
        assert!(notice.contains("changed or were removed during this session"), "{what}: {notice}");
        if what == "rewritten" {
            fixture.grant_trust();
            assert_eq!(fire().0.decision, Decision::Allow, "somebody agreed to it");
            assert_eq!(guards(began.values().next()), None);
        }
    }
}

#[test]
fn files_that_stand_beside_a_hook_belong_to_the_set() {
    let docker = agent_yaml("{name: guard, type: command, command: make -s guard, files: [Makefile, 'rules/*.txt']}");
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "make guard", "files": ["Makefile", "rules"]}]}]}}"#;
    let script = SCRIPT.replace("event: tool.pre", "event: tool.pre\nfiles: [Makefile, rules]");
    for (file, text) in
        [("agent.yaml", docker.as_str()), (".claude/settings.json", settings), (".harness/hooks/g.md", &script)]
    {
        type HookFileChange<'a> = &'a dyn Fn(&TrustFixture);
        let changes: [(&str, HookFileChange<'_>); 3] = [
            ("edited", &|fixture| fixture.write("Makefile", "guard:\n\ttrue\n")),
            ("added", &|fixture| fixture.write("rules/b.txt", "b\n")),
            ("taken away", &|fixture| fs::remove_file(fixture.path("rules/a.txt")).unwrap()),
        ];
        for (what, change) in changes {
            let fixture = project_with(&[(file, text), ("Makefile", "guard:\n\tfalse\n"), ("rules/a.txt", "a\n")]);
            fixture.grant_trust();
            change(&fixture);
            assert_eq!(fixture.trust_state(), TrustState::Changed, "{file}: {what}");
            assert_eq!(call_tool(&fixture, "shell", "ls").decision, Decision::Deny, "{file}: {what}");
        }
        let named = project_with(&[(file, text)]).consent().manifest.list_not_covered().len();
        assert_eq!(named, usize::from(file != ".harness/hooks/g.md"), "{file}: `make` is named all the same");
    }
}

#[test]
fn a_hook_that_writes_a_log_goes_on_running() {
    for command in
        ["cat >> audit.log; exit 0", "tee -a logs/all.jsonl >/dev/null", "cat 2>> err.txt > last.json; exit 0"]
    {
        let text = agent_yaml(&format!("{{name: audit, type: command, command: '{command}'}}"));
        let fixture = project_with(&[("agent.yaml", &text), ("logs/keep", "")]);
        fixture.grant_trust();
        for _ in 0..3 {
            assert_eq!(call_tool(&fixture, "shell", "ls").decision, Decision::Allow, "{command}");
            assert_eq!(fixture.trust_state(), TrustState::Trusted, "{command}");
        }
    }
}

#[test]
fn a_new_file_of_a_pattern_is_a_change() {
    let text = agent_yaml("{name: guard, type: command, command: 'for f in hooks/*.sh; do sh $f || exit 2; done'}");
    let fixture = project_with(&[("agent.yaml", &text), ("hooks/a.sh", "exit 0\n")]);
    fixture.grant_trust();
    assert_eq!(call_tool(&fixture, "shell", "ls").decision, Decision::Allow);
    fixture.write("hooks/b.sh", "touch ran; exit 0\n");
    assert_eq!(call_tool(&fixture, "shell", "ls").decision, Decision::Deny);
    assert!(!fixture.path("ran").exists());
}
