//! `packs`: what it lists, what it says about a pack, and whether examples hold.

use std::fs;

use pintle_host::packs::packs;
use serde_json::json;

use crate::fixture::{CliFixture, CliInvocation, snapshot};

const OWN: &str = "use: [shell, git]\nrules:\n  git.force-push: ask\n  git.delete-remote: \"off\"\n  \
                   shell.delete-outside: {severity: ask, allow: [/mnt/scratch/**, /opt/build]}\n";
const OF_PROJECT: &str = "use: [git]\n";

/// A user with two packs, in a project with one.
fn create_fixture() -> CliFixture {
    CliFixture::new_empty().with_file("own/policy.yaml", OWN).with_file(".harness/policy.yaml", OF_PROJECT)
}

fn pintle_with_own<'a>(fixture: &'a CliFixture, own: &'a str, words: &[&'a str]) -> CliInvocation<'a> {
    fixture.pintle(words).with_variable("PINTLE_CONFIG_DIR", own).with_variable("HOME", "/home/ada")
}

/// The first blocks of what is printed, which blank lines end.
fn first_blocks(screen: &str, count: usize) -> String {
    screen.split("\n\n").take(count).collect::<Vec<_>>().join("\n\n")
}

fn is_narrow(screen: &str) -> bool {
    screen.lines().all(|line| line.chars().count() <= 80)
}

#[test]
fn every_pack_is_listed_with_the_files_that_turn_it_on() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let (out, err, status) = pintle_with_own(&fixture, &own, &["packs"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    assert!(is_narrow(&out) && packs().iter().all(|pack| out.contains(&format!("\n{} ", pack.name))), "{out}");
    let places = |pack: &str| {
        let rows = out.lines().skip_while(|line| !line.starts_with(&format!("{pack} ")));
        let rows = rows.take_while(|line| !line.starts_with("  R"));
        rows.map(|row| row.get(32..).unwrap_or_default().trim()).collect::<Vec<_>>()
    };
    assert_eq!(places("git"), ["user, own/policy.yaml:1", "project, .harness/policy.yaml:1"], "{out}");
    assert_eq!((places("shell"), places("secrets")), (vec!["user, own/policy.yaml:1"], vec!["off"]), "{out}");
    let (out, _, _) = pintle_with_own(&fixture, &own, &["packs", "--json"]).run_to_parts();
    let listed: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let git = listed.iter().find(|pack| pack["name"] == "git").unwrap();
    assert_eq!(git["on"][1], serde_json::json!({"layer": "project", "path": ".harness/policy.yaml", "line": 1}));
}

#[test]
fn a_pack_is_described_with_what_the_files_make_of_its_rules() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let show = |words: &[&'static str]| pintle_with_own(&fixture, &own, words).run_to_parts();
    let (out, _, status) = show(&["packs", "git"]);
    assert!(status == Some(0) && is_narrow(&out), "{out}");
    snapshot!("packs_git", first_blocks(&out, 3));
    let (out, _, _) = show(&["packs", "shell"]);
    let wanted = "  here     ask (user, own/policy.yaml:1), except /mnt/scratch/**, /opt/build\n";
    assert!(out.contains(wanted), "{out}");
    let (out, _, _) = show(&["packs", "git", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    let severities = |rule: usize| {
        let here = shown["rules"][rule]["here"].as_array().unwrap();
        here.iter().map(|place| place["severity"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((severities(0), severities(1)), (vec!["ask".into(), "deny".into()], vec!["off".into(), "ask".into()]));
}

#[test]
fn a_misspelt_pack_and_a_broken_policy_are_invalid_input() {
    let fixture = create_fixture().with_file("broken/policy.yaml", "use: [shel]\n");
    let own = fixture.path("own").display().to_string();
    let broken = fixture.path("broken").display().to_string();
    snapshot!("packs_unknown", pintle_with_own(&fixture, &own, &["packs", "gti"]).run_to_screen());
    let (out, err, status) = pintle_with_own(&fixture, &broken, &["packs"]).run_to_parts();
    assert!(status == Some(3) && err.contains("unknown pack `shel`") && out.contains("shell "), "{out}{err}");
}

#[test]
fn examples_are_checked_for_the_packs_that_are_on() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let check = |words: &[&'static str]| pintle_with_own(&fixture, &own, words).run_to_parts();
    let (out, err, status) = check(&["packs", "--check", "--json"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.starts_with(r#"{"packs":["git","shell"],"#) && out.contains(r#""broken":[]"#), "{out}");
    let (out, _, status) = check(&["packs", "git", "--check"]);
    assert!(status == Some(0) && out.contains(" of 1 pack: ") && out.ends_with(" examples hold\n"), "{out}");
    let (out, err, status) = check(&["validate"]);
    assert!(status == Some(0) && out.contains("no problems"), "{out}{err}");
}

#[test]
fn packs_judge_the_tools_of_mcp_servers_in_every_agents_words() {
    let fixture = CliFixture::new_empty().with_file("own/policy.yaml", "use: [shell, secrets]\n");
    let own = fixture.path("own").display().to_string();
    let run = |host: &'static str, event: &'static str, payload: &serde_json::Value| {
        let (out, err, _) =
            pintle_with_own(&fixture, &own, &["hook", host, event]).with_input(&payload.to_string()).run_to_parts();
        out + &err
    };
    let cwd = fixture.path("").display().to_string();
    let call = |name: &str, args: &serde_json::Value| {
        serde_json::json!({
            "session_id": "s1", "conversation_id": "s1", "cwd": cwd, "workspace_roots": [cwd], "tool_use_id": "t1",
            "tool_name": name, "tool_input": args
        })
    };
    let harmful = [
        (serde_json::json!({"command": "rm -rf ~"}), "shell.delete-root"),
        (serde_json::json!({"path": ".env"}), "secrets.read-file"),
    ];
    for (args, rule) in &harmful {
        for (host, event, name) in [
            ("claude", "PreToolUse", "mcp__box__open"),
            ("gemini", "BeforeTool", "mcp_box_open"),
            ("cursor", "preToolUse", "MCP:open"),
            ("codex", "PreToolUse", "mcp__box__open"),
        ] {
            let told = run(host, event, &call(name, args));
            assert!(told.contains(rule), "{host} {name} {args}: {told}");
            let told = run(host, event, &call(name, &serde_json::json!({"text": "rm -rf ~", "path": "src/a.rs"})));
            assert!(!told.contains("deny") && !told.contains("shell."), "{host}: {told}");
        }
    }
}

#[test]
fn home_directory_is_found_without_its_variable() {
    let fixture = CliFixture::new_empty().with_file("project/.git/HEAD", "");
    fs::write(fixture.user_path("policy.yaml"), "use: [shell]\n").unwrap();
    let run = |command: &str, home: Option<&'static str>| {
        let payload = json!({
            "session_id": "s1", "cwd": fixture.path("project"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_use_id": "1", "tool_input": {"command": command},
        })
        .to_string();
        let run = fixture.pintle(&["hook", "claude"]).in_folder("project").with_input(&payload);
        home.iter().fold(run.without_variable("HOME"), |run, home| run.with_variable("HOME", home)).run_to_parts()
    };
    for home in [None, Some(""), Some("/home/ana")] {
        for command in ["rm -rf ~", "rm -rf ~/*", "cd ~ && rm -rf *"] {
            let (out, err, status) = run(command, home);
            assert!(status == Some(2) && err.contains("shell.delete-root"), "{home:?} {command}: {out}{err}");
        }
        assert_eq!(run("ls ~", home), (String::new(), String::new(), Some(0)));
    }
}
