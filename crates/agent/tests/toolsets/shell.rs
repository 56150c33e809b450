//! `shell` and `script`.

use std::fs;

use pintle_host::Verdict;
use pintle_host::contract::{AgentSpec, ScriptToolSpec, ToolsetKind};
use serde_json::{Value, json};

use crate::support::*;
use crate::toolsets::bench::{call_toolset, check_results, make_calls, member_spec, toolset_spec};

fn shell_toolset(environment: &[(&str, &str)]) -> ToolsetKind {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    ToolsetKind::Shell { environment: environment.iter().map(owned).collect() }
}

/// A member whose shell also runs commands in the background.
fn member_with_jobs() -> AgentSpec {
    let jobs = ToolsetKind::BackgroundJobs { environment: Vec::new() };
    member_spec([shell_toolset(&[]), jobs].map(toolset_spec))
}

#[test]
fn the_shell_alone_has_no_background_jobs() {
    let calls = [("run_background_job", json!({"cmd": "touch made"}))];
    let (results, fixture) = call_toolset(shell_toolset(&[]), |_| {}, &calls);
    assert!(results[0].1 && results[0].0.contains("not found"), "{results:?}");
    assert!(!fixture.folder.path().join("made").exists());
}

#[test]
fn a_command_is_told_with_its_output_whatever_becomes_of_it() {
    let table: Vec<(Value, Result<&str, &str>)> = vec![
        (json!({"cmd": "echo out; echo err >&2; echo more"}), Ok("out\nerr\nmore")),
        (json!({"cmd": "true"}), Ok("<no output>")),
        (json!({"cmd": "echo why; exit 3"}), Ok("Error executing command: exit status 3\nOutput: why")),
        (json!({"cmd": "kill -9 $$"}), Ok("Error executing command: signal 9\nOutput:")),
        (json!({"cmd": "echo begun; sleep 100", "timeout": 1}), Ok("Command timed out after 1s\nOutput: begun")),
        (json!({"cmd": "pwd | sed 's|.*/||'", "cwd": "in"}), Ok("in")),
        (json!({"cmd": "pwd", "cwd": ".."}), Err("outside the workspace")),
        (json!({"cmd": "pwd", "cwd": "/"}), Err("outside the workspace")),
        (json!({"cmd": "pwd", "cwd": "out"}), Err("outside the workspace")),
        (json!({"cmd": " "}), Err("the command is empty")),
        (json!({"cmd": "a\u{0}b"}), Err("NUL")),
        (json!({"cmd": "-x"}), Ok("Error executing command: exit status 127\nOutput: /bin/sh: 1: -x: not found")),
        // Guards look at `cmd`: another argument name must not bypass them.
        (json!({"command": "echo hi"}), Err("`cmd` is required")),
        (json!({"cmd": "echo $GIVEN ${EXPANDED:-empty}"}), Ok("given empty")),
    ];
    let calls: Vec<(&str, Value)> = table.iter().map(|(arguments, _)| ("shell", arguments.clone())).collect();
    let expected: Vec<Result<&str, &str>> = table.iter().map(|(_, expected)| *expected).collect();
    let prepare = |dir: &std::path::Path| {
        fs::create_dir(dir.join("in")).unwrap();
        std::os::unix::fs::symlink("/", dir.join("out")).unwrap();
    };
    let environment = [("GIVEN", "given"), ("EXPANDED", "${env.PINTLE_NO_SUCH_VARIABLE}")];
    let (mut results, _stage) = call_toolset(shell_toolset(&environment), prepare, &calls);
    // Shells word this differently.
    let missing = "Error executing command: exit status 127\nOutput: ";
    if let Some((text, _)) =
        results.get_mut(11).filter(|(text, _)| text.starts_with(missing) && text.contains("not found"))
    {
        *text = String::from("Error executing command: exit status 127\nOutput: /bin/sh: 1: -x: not found");
    }
    check_results(&results, &calls, &expected);
}

#[test]
fn the_shell_does_not_plainly_change_policy_or_records() {
    let prepare = |dir: &std::path::Path| {
        for file in [".harness/hooks/g.md", ".claude/settings.json", "src/a.md"] {
            fs::create_dir_all(dir.join(file).parent().unwrap()).unwrap();
            fs::write(dir.join(file), "kept").unwrap();
        }
    };
    let denied = [
        json!({"cmd": "echo x > .harness/hooks/g.md"}),
        json!({"cmd": "rm -rf hooks", "cwd": ".harness"}),
        json!({"cmd": "cd src && rm -rf ../.harness"}),
        json!({"cmd": "find . -name '*.md' -delete"}),
        json!({"cmd": "rm -rf .pintle; true"}),
        json!({"cmd": "sed -i s/a/b/ .claude/settings.json"}),
    ];
    let allowed = [
        json!({"cmd": "cat .harness/hooks/g.md; echo x > src/b.md"}),
        json!({"cmd": "find src -name '*.md' -delete"}),
        json!({"cmd": "grep -r kept . | wc -l; rm -rf target"}),
    ];
    let job = ("run_background_job", denied[0].clone());
    let calls: Vec<(&str, Value)> =
        denied.iter().chain(&allowed).map(|call| ("shell", call.clone())).chain([job]).collect();
    let (results, fixture) = make_calls(member_with_jobs(), [], prepare, &calls);
    for (index, (call, (text, is_error))) in calls.iter().zip(&results).enumerate() {
        let is_denied = index < denied.len() || call.0 == "run_background_job";
        assert_eq!(*is_error && text.contains("an agent cannot change its own policy"), is_denied, "{call:?}: {text}");
    }
    assert_eq!(fs::read_to_string(fixture.folder.path().join(".harness/hooks/g.md")).unwrap(), "kept");
    assert!(!fixture.folder.path().join("src/a.md").exists());
}

#[test]
fn a_flood_of_output_is_cut_and_marked() {
    let (results, _stage) =
        call_toolset(shell_toolset(&[]), |_| {}, &[("shell", json!({"cmd": "yes | head -c 3000000"}))]);
    let text = &results[0].0;
    assert!(
        text.len() < (1 << 20) + 100 && text.ends_with("[Output truncated: exceeded 1048576 bytes]"),
        "{}",
        text.len()
    );
}

#[test]
fn a_guard_sees_the_name_and_the_argument_it_was_written_for() {
    let guard = hook("guard", "tool.pre", |call| {
        let payload = call.event.payload.value();
        match (call.event.subject(), payload["args"]["command"].as_str()) {
            (Some("shell"), Some(command)) if command.starts_with("rm") => Verdict::deny("no"),
            _ => Verdict::pass(),
        }
    });
    let calls = [("shell", json!({"cmd": "rm -rf in"})), ("shell", json!({"cmd": "ls"}))];
    let prepare = |dir: &std::path::Path| fs::create_dir(dir.join("in")).unwrap();
    let (results, fixture) = make_calls(member_spec([toolset_spec(shell_toolset(&[]))]), [guard], prepare, &calls);
    assert!(results[0].1 && results[0].0.contains("no"), "{results:?}");
    assert_eq!(results[1], (String::from("in"), false));
    assert_eq!(fixture.seen.payloads_of("tool.pre")[1]["category"], "shell");
}

#[test]
fn a_job_runs_on_beside_the_conversation_and_ends_with_the_session() {
    let calls = [
        ("list_background_jobs", json!({})),
        ("run_background_job", json!({"cmd": "echo started; echo $$ > pid; exec sleep 1000"})),
        ("shell", json!({"cmd": "until [ -s pid ]; do :; done"})),
        ("view_background_job", json!({"job_id": "job_1"})),
        ("run_background_job", json!({"cmd": "echo done; exit 4"})),
        ("shell", json!({"cmd": "kill -0 $(cat pid) && echo alive"})),
        ("stop_background_job", json!({"job_id": "job_1"})),
        ("shell", json!({"cmd": "kill -0 $(cat pid) 2>/dev/null || echo dead"})),
        ("stop_background_job", json!({"job_id": "job_1"})),
        ("view_background_job", json!({"job_id": "job_9"})),
        ("run_background_job", json!({"cmd": "echo $$ > other; exec sleep 1000"})),
        ("shell", json!({"cmd": "until [ -s other ]; do :; done"})),
        ("view_background_job", json!({"job_id": "job_1"})),
    ];
    let (results, fixture) = make_calls(member_with_jobs(), [], |_| {}, &calls);
    let text = |index: usize| results[index].0.as_str();
    assert_eq!(text(0), "Background Jobs:\n\nNo background jobs found.\n");
    assert!(
        text(1).starts_with("Background job started with ID: job_1\nCommand: echo started; echo $$ > pid"),
        "{}",
        text(1)
    );
    assert!(text(3).contains("Status: running\n"), "{}", text(3));
    assert_eq!(text(5), "alive");
    // A stopped job still shows its output.
    assert!(text(12).contains("Status: stopped\n") && text(12).ends_with("--- Output ---\nstarted\n"), "{}", text(12));
    assert_eq!(text(6), "Job job_1 stopped successfully");
    assert_eq!(text(7), "dead");
    assert!(results[8].1 && text(8).contains("is not running (current status: stopped)"), "{}", text(8));
    assert!(results[9].1 && text(9).contains("Job not found: job_9"), "{}", text(9));
    let other: i32 = fs::read_to_string(fixture.folder.path().join("other")).unwrap().trim().parse().unwrap();
    let AgentFixture { session, folder: dir, .. } = fixture;
    drop(session);
    assert!(!std::path::Path::new(&format!("/proc/{other}/cwd")).exists(), "nothing of a session outlives it");
    drop(dir);
}

#[test]
fn arguments_of_a_script_are_variables_and_nothing_else_is() {
    let spec = |name: &str, command: &str| ScriptToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({
            "type": "object",
            "properties": {"who": {"type": "string"}, "many": {"type": "integer"}, "list": {"type": "array"}},
            "required": ["who"],
        }),
        command: command.to_owned(),
        environment: vec![(String::from("SET"), String::from("set"))],
        directory: None,
        timeout_ms: Some(60_000),
    };
    let tools = vec![
        spec("greet", "echo \"$who|$many|$list|$SET|${PATHX-unset}\""),
        spec("fail", "echo why; exit 7"),
        spec("flood", "yes | head -c 3000000"),
        ScriptToolSpec { timeout_ms: Some(300), ..spec("slow", "sleep 100") },
        ScriptToolSpec { directory: Some(String::from("..")), ..spec("lost", "pwd") },
    ];
    let calls = [
        ("greet", json!({"who": "a $(id) 'b'", "many": 2, "list": ["x", 1], "PATHX": "evil"})),
        ("greet", json!({})),
        ("greet", json!({"who": "a\u{0}"})),
        ("fail", json!({"who": "x"})),
        ("slow", json!({"who": "x"})),
        ("lost", json!({"who": "x"})),
        ("flood", json!({"who": "x"})),
    ];
    let (mut results, fixture) = call_toolset(ToolsetKind::Script(tools), |_| {}, &calls);
    let (flood, _) = results.pop().unwrap();
    assert!(flood.ends_with("[Output truncated: exceeded 1048576 bytes]"), "{}", flood.len());
    let expected = [
        Ok("a $(id) 'b'|2|[\"x\",1]|set|unset\n"),
        Err("`who` is required"),
        Err("contains a NUL character"),
        Err("Error executing command 'fail': exit status 7\nOutput: why\n"),
        Err("did not end within 300 ms"),
        Err("outside the workspace"),
    ];
    check_results(&results, &calls[..6], &expected);
    assert_eq!(fixture.seen.payloads_of("tool.pre")[0]["category"], "shell");
}
