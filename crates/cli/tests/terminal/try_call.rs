//! `try`: one call, judged as `pintle hook` judges it.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{CliFixture, CliInvocation, snapshot};

const OWN: &str =
    "use: [shell, git]\nrules:\n  git.force-push: ask\n  shell.delete-outside: {allow: [/mnt/scratch/**]}\n";

const GUARD: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      if "deploy" in payload["args"]["command"]:
          return block("deploying is for people")
      if "curl" in payload["args"]["command"]:
          return modify({"args": {"command": payload["args"]["command"] + " --max-time 5"}})
      return allow()
---
"#;

/// A user with two packs and a guard of their own.
fn create_fixture() -> CliFixture {
    CliFixture::new_empty()
        .with_file("own/policy.yaml", OWN)
        .with_file("own/hooks/guard.md", GUARD)
        .with_file("none/README.md", "")
}

fn pintle_with<'a>(fixture: &'a CliFixture, config: &'a str, words: &[&'a str]) -> CliInvocation<'a> {
    fixture.pintle(words).with_variable("PINTLE_CONFIG_DIR", config).with_variable("HOME", "/home/ada")
}

#[test]
fn a_call_is_shown_with_what_decided_on_which_fact() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let show = |words: &[&'static str]| {
        let screen = pintle_with(&fixture, &own, words).run_to_screen();
        assert!(screen.lines().all(|line| line.chars().count() <= 80 || line.starts_with("  std")), "{screen}");
        screen
    };
    snapshot!("try_denied", show(&["try", "rm -rf ~"]));
    snapshot!("try_asked", show(&["try", "git push --force"]));
    snapshot!("try_allowed", show(&["try", "git push"]));
    snapshot!("try_own_hook", show(&["try", "./deploy.sh"]));
    snapshot!("try_changed", show(&["try", "curl https://example.com"]));
    snapshot!("try_path", show(&["try", "--tool", "delete", "--path", "/etc/hosts"]));
    snapshot!(
        "try_explain",
        show(&["try", "cd /tmp && rm -rf $BUILD; git push", "--explain", "--packs", "shell,secrets"])
    );
    snapshot!("try_host", show(&["try", "rm -rf ~", "--host", "claude"]));
    snapshot!("try_host_cannot_ask", show(&["try", "git push --force", "--host", "codex"]));
}

#[test]
fn without_a_policy_the_default_packs_judge() {
    let fixture = create_fixture();
    let none = fixture.path("none").display().to_string();
    snapshot!("try_default_packs", pintle_with(&fixture, &none, &["try", "rm -rf ~"]).run_to_screen());
    let (out, err, status) = pintle_with(&fixture, &none, &["try", "rm -rf /opt", "--packs", "git"]).run_to_parts();
    assert!(status == Some(0) && err.is_empty() && out.contains("by 1 pack\n"), "{out}{err}");
}

#[test]
fn every_call_has_its_decision_and_status() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let cases: [(&[&str], &str, i32); 14] = [
        (&["ls"], "allow", 0),
        (&["rm -rf /"], "deny", 2),
        (&["bash -c 'rm -rf ~'"], "deny", 2),
        (&["git push -f"], "ask", 2),
        (&["git push -f", "--host", "gemini"], "deny", 2),
        (&["rm -rf /mnt/scratch/x"], "allow", 0),
        (&["rm -rf /mnt/other/x"], "ask", 2),
        (&["--tool", "shell", "make deploy"], "deny", 2),
        (&["--tool", "read", "--path", "a.txt"], "allow", 0),
        (&["--tool", "write", "--path", "/etc/passwd"], "ask", 2),
        (&["--tool", "move", "--path", "a", "--to", "b"], "allow", 0),
        (&["--url", "https://example.com"], "allow", 0),
        (&["--tool", "read", "--path", ".env", "--packs", "secrets"], "deny", 2),
        (&["cat .env", "--packs", "git,secrets", "--host", "opencode"], "deny", 2),
    ];
    for (words, decision, wanted) in cases {
        let words: Vec<&str> = [&["try", "--json"], words].concat();
        let (out, err, status) = pintle_with(&fixture, &own, &words).run_to_parts();
        let judged: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{words:?}: {out}{err}"));
        assert_eq!((judged["decision"].as_str(), status), (Some(decision), Some(wanted)), "{words:?}: {out}");
        assert_eq!(judged["decided_by"].as_array().unwrap().is_empty(), decision == "allow", "{words:?}: {out}");
    }
}

#[test]
fn a_call_that_cannot_be_tried_is_invalid_input_with_a_next_step() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let cases: [(&[&str], &str); 12] = [
        (&[], "name a command line"),
        (&[" "], "name a command line"),
        (&["rm", "x"], "quote it, as in `pintle try 'rm x'`"),
        (&["--path", "x"], "`--path` is for the tools"),
        (&["--tool", "wirte", "--path", "x"], "did you mean `write`?"),
        (&["--tool", "write"], "--tool write --path .env"),
        (&["--tool", "fetch", "ls"], "`CALL` is for the tools `shell`"),
        (&["ls", "--host", "claud"], "did you mean `claude`?"),
        (&["ls", "--packs", "shel"], "did you mean `shell`?"),
        (&["ls", "--exlain"], "'--explain'"),
        (&["--tool", "delete", "--path", "x", "--host", "claude"], "it does the rest in its shell"),
        (&["ls", "--powershell", "--host", "codex"], "Codex has no tool for PowerShell"),
    ];
    for (words, help) in cases {
        let words: Vec<&str> = [&["try"], words].concat();
        let (out, err, status) = pintle_with(&fixture, &own, &words).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(help), "{words:?}: {out}{err}");
    }
}

#[test]
fn a_hook_that_does_not_load_denies_as_it_does_in_an_agent() {
    let fixture = create_fixture().with_file("own/hooks/guard.md", GUARD.replace("block(", "blok("));
    let own = fixture.path("own").display().to_string();
    snapshot!("try_broken", pintle_with(&fixture, &own, &["try", "ls"]).run_to_screen());
}

#[test]
fn an_agent_gets_the_response_that_is_shown() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    let state = fixture.path("state").display().to_string();
    for (host, event, tool) in [
        ("claude", "PreToolUse", "Bash"),
        ("codex", "PreToolUse", "Bash"),
        ("gemini", "BeforeTool", "run_shell_command"),
    ] {
        for command in ["rm -rf ~", "git push --force", "./deploy.sh", "curl https://example.com", "ls"] {
            let words = ["try", command, "--host", host, "--json"];
            let tried = pintle_with(&fixture, &own, &words).with_variable("PINTLE_STATE_DIR", &state).run_to_parts();
            assert!(!fixture.path("state").exists(), "{host}: `try` stores nothing");
            let judged: Value = serde_json::from_str(&tried.0).unwrap();
            let payload = json!({
                "session_id": "s", "cwd": fixture.path(""), "hook_event_name": event,
                "tool_name": tool, "tool_input": {"command": command},
            })
            .to_string();
            let hook = pintle_with(&fixture, &own, &["hook", host])
                .with_variable("PINTLE_STATE_DIR", &state)
                .with_input(&payload)
                .run_to_parts();
            fs::remove_dir_all(fixture.path("state")).unwrap();
            let told = &judged["response"];
            assert_eq!(told["stdout"].as_str(), Some(hook.0.as_str()), "{host}: {command}");
            assert_eq!(told["stderr"].as_str(), Some(hook.1.as_str()), "{host}: {command}");
            assert_eq!(told["exit_code"].as_i64().map(|code| code as i32), hook.2, "{host}: {command}");
        }
    }
}

#[test]
fn a_call_is_tried_in_the_words_of_every_agent() {
    let fixture = create_fixture();
    let own = fixture.path("own").display().to_string();
    for host in pintle_bridge::HOSTS {
        for (words, decision) in [(["rm -rf /", "--json"], "deny"), (["ls", "--json"], "allow")] {
            let words = [&["try", "--host", host.name], words.as_slice()].concat();
            let (out, err, _) = pintle_with(&fixture, &own, &words).run_to_parts();
            let judged: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{words:?}: {out}{err}"));
            assert_eq!(judged["decision"].as_str(), Some(decision), "{words:?}: {out}");
            let name = judged["call"]["name"].as_str().unwrap();
            assert!(host.tools.has_tool(name), "{}: {name}", host.name);
        }
    }
}

#[test]
fn many_calls_have_a_line_each() {
    let fixture =
        create_fixture().with_file("calls.txt", "# what agents do\nls\n\nrm -rf ~\ngit push --force\nmake deploy\n");
    let own = fixture.path("own").display().to_string();
    snapshot!("try_many", pintle_with(&fixture, &own, &["try", "--file", "calls.txt"]).run_to_screen());
    let piped = pintle_with(&fixture, &own, &["try", "-", "--json"]).with_input("ls\nrm -rf ~\n");
    let (out, err, status) = piped.run_to_parts();
    let decisions: Vec<Value> =
        out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].clone()).collect();
    assert_eq!((decisions, status), (vec![json!("allow"), json!("deny")], Some(2)), "{out}{err}");
    let (out, err, status) = pintle_with(&fixture, &own, &["try", "-"]).with_input("ls\npwd\n").run_to_parts();
    assert!(status == Some(0) && out.ends_with("2 calls: 2 allowed\n"), "{out}{err}");
    let none: &[u8] = b" \n# nothing\n";
    let cases: [(&[&str], &[u8], &str); 6] = [
        (&["-"], none, "standard input contains no calls"),
        (&["-"], b"\xff\n", "standard input is not text"),
        (&["-", "--tool", "read"], b"ls\n", "`CALL` is for the tools `shell`"),
        (&["--file", "nosuch"], b"", "cannot read the calls of `nosuch`"),
        (&["--file", "."], b"", "cannot read the calls of `.`"),
        (&["--file", "calls.txt", "ls"], b"", "cannot be used with"),
    ];
    for (words, input, fault) in cases {
        let words: Vec<&str> = [&["try"], words].concat();
        let (out, err, status) = pintle_with(&fixture, &own, &words).with_input(input).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(fault), "{words:?}: {out}{err}");
    }
}
