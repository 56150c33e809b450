//! One policy decides the same about one call, in whosever words the policy is written and whoever makes the call.

#![expect(clippy::panic, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::CliFixture;

/// Denies a command by its arguments, under a condition on the tool.
fn script_hook(condition: &str, argument: &str) -> String {
    format!(
        "---\nevent: tool.pre\npriority: 5\n{condition}script: |\n  def handle(event, payload):\n      if \"leak\" in \
         payload[\"args\"].get(\"{argument}\", \"\"):\n          return block(\"no leaks\")\n      return allow()\n---\n"
    )
}

/// A policy whose script has the condition on the tool.
fn body(words: &'static str, before: &str, condition: &str) -> (&'static str, &'static str, String) {
    let text = format!(
        "---\nevent: tool.pre\npriority: 5\nscript: |\n  {before}\n  def handle(event, payload):\n      if {condition} and \
         \"leak\" in payload[\"args\"].get(\"command\", \"\"):\n          return block(\"no leaks\")\n      return \
         allow()\n---\n"
    );
    (words, ".harness/hooks/p.md", text)
}

/// The same policy in the words of every format.
fn policies() -> Vec<(&'static str, &'static str, String)> {
    let script = |condition: &str, argument: &str| script_hook(condition, argument);
    let docker = "pre_tool_use:\n  - matcher: shell\n    hooks:\n      - type: command\n        timeout: 10\n        command: \
                  |\n          if grep -q '\"cmd\":\"echo leak'; then echo 'no leaks' >&2; exit 2; fi\n";
    vec![
        ("no name", ".harness/hooks/p.md", script("", "command")),
        ("Pintle's name", ".harness/hooks/p.md", script("when: payload[\"name\"] == \"shell\"\n", "command")),
        (
            "an AI Harness name",
            ".harness/hooks/p.md",
            script("when: payload[\"name\"] == \"run_command\"\n", "command"),
        ),
        ("Claude's name", ".harness/hooks/p.md", script("when: payload[\"name\"] == \"Bash\"\n", "command")),
        (
            "Gemini's name",
            ".harness/hooks/p.md",
            script("when: payload[\"name\"] == \"run_shell_command\"\n", "command"),
        ),
        ("docker-agent's words", ".harness/hooks/p.md", script("when: payload[\"name\"] == \"shell\"\n", "cmd")),
        ("a kind", ".harness/hooks/p.md", script("when: payload[\"kind\"] == \"shell\"\n", "command")),
        ("all names", ".harness/hooks/p.md", script("when: |\n  \"Bash\" in payload[\"names\"]\n", "command")),
        body("two names in the body", "", r#"payload["name"] in ["run_command", "shell"]"#),
        body("a list of names", r#"SHELLS = ["Bash", "run_shell_command"]"#, r#"payload["name"] in SHELLS"#),
        body("a sum of lists", r#"SHELLS = ["Bash"]"#, r#"payload["name"] in SHELLS + ["Write"]"#),
        body("a constant", r#"SHELL = "Bash""#, r#"payload["name"] == SHELL"#),
        body("a function", r#"is_shell = lambda called: called == "Bash""#, r#"is_shell(payload["name"])"#),
        body("a loop", "", r#"[1 for shell in ["Bash"] if payload["name"] == shell]"#),
        body("another case", "", r#"payload["name"].lower() == "bash""#),
        body("a pattern", "", r#"re.match("^(Bash|Write)$", payload["name"])"#),
        body("a beginning", "", r#"payload["name"].startswith("Ba")"#),
        body("an end", "", r#"payload["name"].endswith("_command")"#),
        body("a part", "", r#""command" in payload["name"]"#),
        body("all but some names", "", r#"payload["name"] not in ["Read", "Write"]"#),
        ("docker-agent's argument alone", ".harness/hooks/p.md", script("", "cmd")),
        ("a docker-agent hook", "config/hooks.d/p.yaml", docker.to_owned()),
    ]
}

/// Every host of the table with its recorded shell call, whose command becomes `echo leak > out.txt`.
fn host_calls() -> Vec<(String, String, Value)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bridge/tests/data");
    let mut calls = Vec::new();
    for host in pintle_bridge::HOSTS {
        let event = host.call_event().unwrap_or_else(|| panic!("{} has no event before a call", host.name)).name;
        let recorded = fs::read_to_string(data.join(host.name).join("payloads").join(format!("{event}.json")));
        let text = recorded.unwrap().replace("echo hi", "echo leak");
        assert!(text.contains("echo leak"), "{}: {text}", host.name);
        calls.push((host.name.to_owned(), event.to_owned(), serde_json::from_str(&text).unwrap()));
    }
    calls
}

fn with_policy(file: &str, text: &str) -> CliFixture {
    CliFixture::new_empty().with_file(file, text).with_file(".harness/.keep", "")
}

#[test]
fn every_policy_denies_the_call_of_every_host() {
    let calls = host_calls();
    for (words, file, text) in policies() {
        let fixture = with_policy(file, &text);
        for (host, event, payload) in &calls {
            let payload = at_folder(payload, &fixture.path(""));
            let hooks = fixture.path(file).parent().unwrap().to_str().unwrap().to_owned();
            let mut arguments = vec!["hook", host.as_str(), event.as_str()];
            let config = fixture.path("config").to_str().unwrap().to_owned();
            if file.starts_with("config") {
                arguments.extend(["--config-dir", &config]);
            } else {
                arguments.extend(["--hooks", &hooks]);
            }
            let (out, err, status) = fixture.pintle(&arguments).with_input(&payload).run_to_parts();
            assert!(format!("{out}{err}").contains("no leaks"), "{words} in {host}: {status:?} {out} {err}");
        }
    }
}

/// The recorded payload, in a folder that exists.
fn at_folder(payload: &Value, dir: &Path) -> String {
    payload.to_string().replace("/home/dev/project", dir.to_str().unwrap())
}

const TURNS: &str = "turns:\n  - calls: [{tool: shell, args: {ARG: echo leak > leak.txt}}]\n  - say: done\n";

#[test]
fn every_policy_denies_the_call_of_both_tool_families() {
    for (words, file, text) in policies() {
        for (family, argument, agent) in [
            ("native", "command", "---\nname: a\nmodel: script:turns.yaml\n---\nYou run commands.\n"),
            ("docker-agent", "cmd", "agents:\n  root:\n    model: script:turns.yaml\n    toolsets: [{type: shell}]\n"),
        ] {
            let name = if family == "native" { "harness.md" } else { "team.yaml" };
            let fixture =
                with_policy(file, &text).with_file(name, agent).with_file("turns.yaml", TURNS.replace("ARG", argument));
            let hooks = fixture.path(file).parent().unwrap().to_str().unwrap().to_owned();
            let config = fixture.path("config").to_str().unwrap().to_owned();
            let mut arguments = vec!["run", name, "go", "--yes", "-m", "script:turns.yaml"];
            if file.starts_with("config") {
                arguments.extend(["--config-dir", &config]);
            } else {
                arguments.extend(["--hooks", &hooks]);
            }
            let (out, err, _) = fixture.pintle(&arguments).run_to_parts();
            assert!(format!("{out}{err}").contains("no leaks"), "{words} with {family} tools: {out} {err}");
            assert!(!fixture.path("leak.txt").exists(), "{words} with {family} tools");
        }
    }
}

#[test]
fn an_argument_of_the_other_family_hides_nothing() {
    let text = script_hook("when: payload[\"name\"] == \"shell\"\n", "command");
    for (family, argument, decoy, agent) in [
        ("harness.md", "command", "cmd", "---\nname: a\nmodel: script:turns.yaml\n---\nYou run commands.\n"),
        (
            "team.yaml",
            "cmd",
            "command",
            "agents:\n  root:\n    model: script:turns.yaml\n    toolsets: [{type: shell}]\n",
        ),
    ] {
        let turns = TURNS.replace("{ARG: echo leak > leak.txt}", "{DECOY: ls, ARG: echo leak > leak.txt, DECOY2: ls}");
        let turns = turns.replace("DECOY2: ls", "cwd: .").replace("DECOY", decoy).replace("ARG", argument);
        let fixture = with_policy(".harness/hooks/p.md", &text).with_file(family, agent).with_file("turns.yaml", turns);
        let hooks = fixture.path(".harness/hooks").to_str().unwrap().to_owned();
        let arguments = ["run", family, "go", "--yes", "-m", "script:turns.yaml", "--hooks", &hooks];
        let (out, err, _) = fixture.pintle(&arguments).run_to_parts();
        assert!(format!("{out}{err}").contains("no leaks"), "{family}: {out} {err}");
        assert!(!fixture.path("leak.txt").exists(), "{family}");
    }
}

#[test]
fn a_transform_hook_judges_what_a_later_hook_makes_of_the_call() {
    let changes = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return \
                   modify({\"args\": {\"command\": \"echo leak > leak.txt\"}})\n---\n";
    let denies = script_hook("", "command").replace("tool.pre", "tool.transform");
    let mut fixture = with_policy(".harness/hooks/changes.md", changes).with_file(".harness/hooks/denies.md", denies);
    let hooks = fixture.path(".harness/hooks").to_str().unwrap().to_owned();
    let payload = json!({"session_id": "s", "cwd": fixture.path("").to_str().unwrap(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let arguments = ["hook", "claude", "--hooks", hooks.as_str()];
    let (out, err, status) = fixture.pintle(&arguments).with_input(&payload.to_string()).run_to_parts();
    assert!(status == Some(2) && err.contains("no leaks"), "in Claude Code: {status:?} {out} {err}");
    for (family, argument, agent) in [
        ("harness.md", "command", "---\nname: a\nmodel: script:turns.yaml\n---\nYou run commands.\n"),
        ("team.yaml", "cmd", "agents:\n  root:\n    model: script:turns.yaml\n    toolsets: [{type: shell}]\n"),
    ] {
        let turns = TURNS.replace("{ARG: echo leak > leak.txt}", &format!("{{{argument}: ls}}"));
        fixture = fixture.with_file(family, agent).with_file("turns.yaml", turns);
        let arguments = ["run", family, "go", "--yes", "-m", "script:turns.yaml", "--hooks", &hooks];
        let (out, err, _) = fixture.pintle(&arguments).run_to_parts();
        assert!(format!("{out}{err}").contains("no leaks"), "{family}: {out} {err}");
        assert!(!fixture.path("leak.txt").exists(), "{family}");
    }
}

/// A hook that denies from the fourth call on.
const QUOTA: &str = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      if \
                     metrics.incr(\"calls\") > 3:\n          return block(\"quota of 3 calls used\")\n      return \
                     allow()\n---\n";

#[test]
fn a_counter_counts_each_call_once_whoever_else_is_installed() {
    let other = script_hook("when: payload[\"name\"] == \"run_command\"\n", "command");
    let third = script_hook("when: payload[\"name\"] in [\"fs.read\", \"Bash\"]\n", "command");
    let fixture = CliFixture::new_empty()
        .with_file(".harness/hooks/quota.md", QUOTA)
        .with_file(".harness/hooks/other.md", other)
        .with_file(".harness/hooks/third.md", third);
    let hooks = fixture.path(".harness/hooks").to_str().unwrap().to_owned();
    let cwd = fixture.path("").to_str().unwrap().to_owned();
    let mut said = Vec::new();
    for number in 0..4 {
        let payload = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "tool_use_id": format!("t{number}")});
        let arguments = ["hook", "claude", "--hooks", hooks.as_str()];
        let (out, err, _) = fixture.pintle(&arguments).with_input(&payload.to_string()).run_to_parts();
        said.push(format!("{out}{err}").contains("quota of 3 calls used"));
    }
    assert_eq!(said, [false, false, false, true]);
}

/// A hook that shows what a call is about.
const PATHS: &str = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      for path in \
                     payload[\"paths\"]:\n          if not path[\"inside\"]:\n              return block(payload[\"kind\"] + \" \
                     of \" + path[\"absolute\"] + \" is outside\")\n      return allow()\n---\n";

#[test]
fn the_paths_of_a_call_are_resolved_before_the_first_hook() {
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/paths.md", PATHS).with_file("inner/a.txt", "");
    std::os::unix::fs::symlink("/etc", fixture.path("inner/link")).unwrap();
    let hooks = fixture.path(".harness/hooks").to_str().unwrap().to_owned();
    let cwd = fixture.path("inner").to_str().unwrap().to_owned();
    for (number, (tool, input, refused)) in [
        ("Read", json!({"file_path": "a.txt"}), None),
        ("Read", json!({"file_path": format!("{cwd}/missing/b.txt")}), None),
        ("Read", json!({"file_path": "link/passwd"}), Some("read of /etc/passwd is outside")),
        (
            "Edit",
            json!({"file_path": "../../../../../../../etc/hosts", "old_string": "a", "new_string": "b"}),
            Some("edit of /etc/hosts is outside"),
        ),
        ("Write", json!({"file_path": "/usr/x", "content": "y"}), Some("write of /usr/x is outside")),
        ("Bash", json!({"command": "cat /etc/passwd"}), None),
    ]
    .into_iter()
    .enumerate()
    {
        let payload = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": format!("t{number}")});
        let arguments = ["hook", "claude", "--hooks", hooks.as_str()];
        let (out, err, status) = fixture.pintle(&arguments).with_input(&payload.to_string()).run_to_parts();
        match refused {
            Some(reason) => assert!(err.contains(reason), "{tool} {input}: {out} {err}"),
            None => assert_eq!((err.as_str(), status), ("", Some(0)), "{tool} {input}: {out}"),
        }
    }
}
