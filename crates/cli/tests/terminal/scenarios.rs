//! `test`: scenarios, whole turns of the agent loop with a scripted model; and what `validate` says of them.

use serde_json::Value;

use crate::fixture::{CliFixture, snapshot};

/// Guards of deploys, answers and prompts, which keep state and look at the clock.
const GUARD: &str = r#"---
event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      if payload["name"] == "shell":
          metrics.incr("commands")
          if "push" in payload["args"]["command"]:
              return ask("pushing needs a person")
          return modify({"args": {"command": "nice " + payload["args"]["command"]}})
      if payload["name"] != "deploy":
          return allow()
      hour = (time.unix_ms() // 3600000) % 24
      if hour < 9 or hour >= 18:
          return block("deploys wait for the morning")
      last = cache.get("last")
      if last != None and time.unix_ms() - last < 600000:
          return block("deploys are ten minutes apart")
      cache.set("last", time.unix_ms())
      return allow()
---
"#;
const STOP: &str = r#"---
event: agent.stop
priority: 10
script: |
  def handle(event, payload):
      if "tests" in payload["response"] or "summary" in payload["response"]:
          return allow()
      return block("say how the tests went")
---
"#;
const PROMPTS: &str = r#"---
event: prompt.submit
priority: 10
script: |
  def handle(event, payload):
      if "secret" in payload["prompt"]:
          return block("no secrets")
      return modify({"prompt": payload["prompt"] + " (carefully)"})
---
"#;

fn with_scenarios(text: &str) -> CliFixture {
    CliFixture::new_empty()
        .with_file(".harness/hooks/guard.md", GUARD)
        .with_file(".harness/hooks/stop.md", STOP)
        .with_file(".harness/hooks/prompts.md", PROMPTS)
        .with_file(".harness/all.scenario.yaml", text)
}

/// Scenarios that hold.
const HOLDING: &str = r#"
- name: deploys are ten minutes apart and by day
  clock: 2026-03-02T17:40:00Z
  steps:
    - user: deploy again and again
    - model: at once
      shown: deploy again and again (carefully)
      calls: [{call: {tool: deploy}, returns: {version: 7}, result: '"version":7'}]
    - calls: [{call: {tool: deploy}, expect: block, reason: ten minutes apart}]
      shown: version
      not_shown: carefully
    - wait: 11m
    - calls: [{call: {tool: deploy}, takes: 20m}]
    - calls: [{call: {tool: deploy}, expect: deny, reason: the morning}]
    - model: it was not possible
      shown: the morning
    - model: tests pass
      shown: say how the tests went
    - ends: answered
      says: tests pass
- name: several calls at once, in the words of several agents
  answer: no
  steps:
    - user: push
    - calls:
        - {call: git push, expect: ask, answer: yes, reason: a person}
        - {call: {tool: Bash, command: git push --tags}, expect: ask, result: pushing needs a person}
        - {call: {tool: run_shell_command, command: ls}, expect: modify, rewrite: {command: nice ls}, fails: no such file, result: no such file}
        - {call: {tool: mcp__github__list, page: 1}}
    - model: tests pass
      shown: [no such file, ok]
  metrics: {commands: 3}
- name: there is no person
  steps: [{user: push}, {calls: [{call: git push, expect: ask}]}, {model: no tests}]
  not_run: [shell]
- name: a blocked prompt, then another turn
  steps:
    - user: my secret
    - ends: blocked
      reason: no secrets
    - user: hello
    - model: tests pass
- name: a model that fails once
  steps:
    - user: hello
    - {fails: overloaded, retry: true}
    - model: tests pass
    - {ends: answered}
- name: a model that fails
  steps:
    - user: hello
    - {fails: bad key}
    - {ends: failed, reason: bad key}
- name: an answer that is never accepted
  steps:
    - user: hello
    LOOP
    - ends: limited
- name: a server of tools
  tools: {github_create_issue: {number: 7}}
  steps:
    - user: hello
    - calls: [{call: {tool: github_create_issue}, result: "7"}]
    - model: tests pass
- name: hooks that fail
  faults: [{hook: guard, does: hangs, times: 1}, {hook: stop, does: garbage}]
  steps:
    - user: hello
    - calls: [{call: {tool: deploy}, expect: block}]
    - calls: [{call: {tool: deploy}}]
    - model: tests pass
    - ends: failed
      reason: not accepted
- name: files that are really read
  files: {src/a.txt: needle here, b.md: other}
  tools: {fetch: nothing, deploy: done}
  steps:
    - user: find it
    - calls:
        - {call: {tool: grep, pattern: needle}, result: src/a.txt}
        - {call: {tool: Read, file_path: b.md}, result: other}
        - {call: {tool: write, path: b.md, content: x}, result: ok}
        - {call: {tool: fetch, url: "https://example.com"}, result: nothing}
        - {call: {tool: deploy}, result: done}
    - calls: [{call: {tool: read, path: b.md}, result: other}]
    - model: tests pass
- name: compaction
  steps:
    - user: hello
    - model: tests pass
    - user: go on
    - model: tests pass again
    - compact: keep the names
    - model: the summary
    - user: what now
    - model: tests pass
      shown: what now
  events: [prompt.submit, agent.stop, prompt.submit]
"#;

#[test]
fn scenarios_hold_and_leave_nothing_behind() {
    let fixture = with_scenarios(&HOLDING.replace("    LOOP\n", &"    - model: once more\n".repeat(50)));
    let dir = fixture.user_path("tmp").display().to_string();
    std::fs::create_dir_all(&dir).unwrap();
    let (out, err, status) = fixture.pintle(&["test", "."]).with_variable("TMPDIR", &dir).run_to_parts();
    assert!(status == Some(0) && out.ends_with("1 file: 11 scenarios, all hold\n"), "{out}{err}");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
    assert!(!fixture.path(".pintle").exists());
    let (out, err, status) = fixture.pintle(&["validate", "."]).run_to_parts();
    assert!(status == Some(0), "{out}{err}");
    snapshot!("scenarios_listed", fixture.pintle(&["test", ".", "--list", "--filter", "fail"]).run_to_screen());
    let (out, _, _) = fixture.pintle(&["test", ".", "--format", "junit", "--filter", "files"]).run_to_parts();
    assert!(out.contains("name=\"scenario files that are really read\""), "{out}");
}

#[test]
fn a_scenario_that_fails_shows_what_happened_up_to_the_first_difference() {
    let fixture = with_scenarios(
        r#"- name: pushing
  steps:
    - user: push the tags
    - model: I push.
      calls:
        - {call: ls, expect: modify}
        - {call: git push --tags, reason: a person}
    - model: The tests passed.
      shown: pushed
"#,
    );
    snapshot!("scenarios_failing", fixture.pintle(&["test", "."]).run_to_screen());
    snapshot!("scenarios_validated", fixture.pintle(&["validate", "."]).run_to_screen());
    let (out, _, status) = fixture.pintle(&["test", ".", "--json"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap();
    let result = &report["results"][0];
    assert_eq!((status, &report["failed"], &result["kind"]), (Some(1), &Value::from(1), &Value::from("scenario")));
    assert_eq!(result["transcript"].as_array().unwrap().len(), 4, "{result}");
    assert_eq!(result["line"], 7, "{result}");
}

#[test]
fn every_difference_is_found() {
    // What is wrong with each scenario, and what is said of it.
    for (scenario, problem) in [
        ("{steps: [{user: hi}, {model: hello}, {ends: answered}]}", "expected no more answers in this turn"),
        ("{steps: [{user: my secret}, {model: a}], not_run: [shell]}", "no step calls `shell`"),
        ("{steps: [{user: my secret}, {model: a, shown: b}]}", "expected the turn ends answered, but found blocked"),
        ("{steps: [{user: my secret}, {model: a}, {ends: blocked}]}", "the turn ended before it"),
        (
            "{steps: [{user: hi}, {model: tests}, {ends: blocked}]}",
            "expected the turn ends blocked, but found answered",
        ),
        ("{steps: [{user: hi}, {model: tests}, {ends: answered, says: no}]}", "expected the answer has"),
        ("{steps: [{user: hi}, {model: tests, shown: you}]}", "expected the model is shown \"you\""),
        ("{steps: [{user: hi}, {model: tests, not_shown: hi}]}", "expected the model is not shown \"hi\""),
        ("{steps: [{user: hi}, {model: tests}], events: [agent.stop, prompt.submit]}", "`prompt.submit` is missing"),
        ("{steps: [{user: hi}, {model: tests}], events: [tool.guard]}", "no hook listens to `tool.guard`"),
        ("{steps: [{user: hi}, {model: tests}], metrics: {commands: 1}}", "expected `commands` is 1"),
        (
            "{steps: [{user: hi}, {calls: [{call: ls, expect: modify}]}, {model: tests}], not_run: [shell]}",
            "expected no call of `shell` runs",
        ),
        (
            "{steps: [{user: hi}, {calls: [{call: ls, expect: modify, rewrite: {command: ls}}]}, {model: tests}]}",
            "expected `command` is \"ls\", but found `command` is \"nice ls\"",
        ),
        (
            "{steps: [{user: hi}, {calls: [{call: {tool: read}, expect: block}]}, {model: tests}]}",
            "expected block, but found a call that cannot run",
        ),
        (
            "{steps: [{user: hi}, {calls: [{call: {tool: list}, context: x}]}, {model: tests}]}",
            "expected the context has",
        ),
        (
            "{faults: [{hook: guard, does: late}], steps: [{user: hi}, {model: tests}, {ends: answered}]}",
            "expected the hook `guard` fails, but found it was never called",
        ),
        ("{faults: [{hook: gurd, does: late}], steps: [{user: hi}, {ends: blocked}]}", "did you mean `guard`?"),
        (
            r#"{steps: [{user: hi}, {calls: [{call: {tool: apply_patch, input: "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+x\n*** End Patch\n"}, expect: block}]}, {model: tests}]}"#,
            "is several calls",
        ),
        ("{files: {a: x, a/b: y}, steps: [{user: hi}, {model: tests}, {ends: answered}]}", "cannot write `a/b`"),
        ("{agent: other, steps: [{user: hi}, {model: tests}, {ends: answered}]}", "there is no agent `other`"),
        ("{hooks: [none.md], steps: [{user: hi}, {model: tests}, {ends: answered}]}", "none.md` does not exist"),
    ] {
        let fixture = with_scenarios(&format!("- {scenario}\n"));
        let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
        assert!(matches!(status, Some(1 | 3)), "{scenario}: {out}{err}");
        assert!(format!("{out}{err}").contains(problem), "{scenario}: {out}{err}");
    }
}

#[test]
fn a_hook_that_fails_without_a_fault_fails_the_scenario() {
    let broken =
        "---\nevent: turn.start\npriority: 1\nscript: |\n  def handle(event, payload):\n      return 1 // 0\n---\n";
    let fixture = with_scenarios("- {steps: [{user: hi}, {model: tests}, {ends: answered}]}\n");
    let (out, err, status) =
        fixture.with_file(".harness/hooks/broken.md", broken).pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(1) && out.contains("expected the hook `broken` answers"), "{out}{err}");
}

#[test]
fn what_cannot_be_read_or_cannot_fail_is_an_error_with_its_place() {
    let steps = "steps: [{user: hi}, {model: tests}";
    let bomb = "- &a {a: &b [x,x,x,x,x,x,x,x]}\n- [*a,*a,*a,*a,*a,*a,*a,*a]\n- &c [*b,*b,*b,*b,*b,*b,*b,*b]\n- &d [*c,*c,*c,*c,*c,*c,*c,*c]\n- &e [*d,*d,*d,*d,*d,*d,*d,*d]\n- &f [*e,*e,*e,*e,*e,*e,*e,*e]\n- [*f,*f,*f,*f,*f,*f,*f,*f]\n";
    for (text, fault) in [
        (String::from("a: b\n"), "a list"),
        (String::from("- x\n"), "a mapping"),
        (bomb.to_owned(), "use fewer aliases"),
        (String::from("- {name: a, name: b}\n"), "key `name` is already set"),
        (String::from("- {stps: []}\n"), "did you mean `steps`?"),
        (String::from("- {name: a}\n"), "has no steps"),
        (format!("- {{{steps}]}}\n"), "expects nothing, so it could not fail"),
        (format!("- {{{steps}], events: []}}\n"), "events is empty"),
        (format!("- {{{steps}], metrics: {{}}}}\n"), "metrics is empty"),
        (format!("- {{{steps}], not_run: []}}\n"), "not_run is empty"),
        (format!("- {{{steps}], events: [tol.pre]}}\n"), "did you mean `tool.pre`?"),
        (format!("- {{{steps}, {{ends: answerd}}]}}\n"), "`answered`"),
        (format!("- {{{steps}, {{ends: answered}}, {{model: a}}]}}\n"), "the turn has ended"),
        (format!("- {{{steps}, {{ends: answered}}, {{ends: blocked}}]}}\n"), "the turn has ended"),
        (format!("- {{{steps}, {{ends: answered, shown: x}}]}}\n"), "`shown` belongs to a step with `model`"),
        (format!("- {{{steps}, {{user: a, model: b}}]}}\n"), "is both `user` and `model`"),
        (format!("- {{{steps}, {{modl: a}}]}}\n"), "did you mean `model`?"),
        (format!("- {{{steps}, {{wait: -5m}}]}}\n"), "time does not go back"),
        (format!("- {{{steps}, {{wait: 0s}}]}}\n"), "moves no time"),
        (format!("- {{{steps}, {{wait: 99999d}}]}}\n"), "longer than a hundred years"),
        (format!("- {{clock: yesterday, {steps}]}}\n"), "not a time"),
        (format!("- {{files: {{../x: y}}, {steps}]}}\n"), "not a path below"),
        (format!("- {{files: {{/etc/x: y}}, {steps}]}}\n"), "not a path below"),
        (format!("- {{faults: [{{hook: a}}], {steps}]}}\n"), "needs `hook` and `does`"),
        (format!("- {{faults: [{{hook: a, does: sulks}}], {steps}]}}\n"), "`hangs`"),
        (format!("- {{{steps}, {{model: a, shown: ''}}]}}\n"), "shown is empty"),
        (String::from("- {steps: [{model: a, shown: b}]}\n"), "before the user says anything"),
        (format!("- {{{steps}, {{calls: [{{cal: ls}}]}}]}}\n"), "did you mean `call`?"),
        (format!("- {{{steps}, {{calls: [{{call: ls, answer: yes}}]}}]}}\n"), "a person is not asked"),
        (format!("- {{{steps}, {{calls: [{{call: ls, expect: block, returns: x}}]}}]}}\n"), "does not run"),
        (format!("- {{{steps}, {{calls: [{{call: ls, returns: x, fails: y}}]}}]}}\n"), "both `returns` and `fails`"),
        (format!("- {{{steps}, {{calls: [{{call: ls, rewrite: {{command: x}}}}]}}]}}\n"), "expects `allow`"),
    ] {
        let (out, err, status) = with_scenarios(&text).pintle(&["test", "."]).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(fault), "{text}: {out}{err}");
        let (out, err, status) = with_scenarios(&text).pintle(&["validate", "."]).run_to_parts();
        assert!(status == Some(3) && out.contains(fault), "{text}: {out}{err}");
    }
    let (out, err, status) = with_scenarios("# none\n").pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(0) && err.contains("the file has no scenarios"), "{out}{err}");
}

/// A guard that is a program, and notes that it ran.
const PROGRAM: &str = r#"{"hooks": {"PreToolUse": [{"path": "hooks/guard.sh"}]}}"#;
const PROGRAM_SCRIPT: &str = "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\necho 'programs say no' >&2\nexit 2\n";

#[test]
fn validate_runs_no_program_and_test_only_trusted_ones() {
    let scenario =
        "- steps:\n    - user: hi\n    - calls: [{call: ls, expect: block, reason: say no}]\n    - model: tests\n";
    let faulty = "- faults: [{hook: guard, does: hangs}]\n  steps:\n    - user: hi\n    - calls: [{call: ls}]\n    - model: x\n      shown: nonsense\n";
    let fixture = CliFixture::new_empty()
        .with_file("settings.json", PROGRAM)
        .with_file("hooks/guard.sh", PROGRAM_SCRIPT)
        .with_file(".harness/policy.yaml", "use: [git]\n")
        .with_file("own.scenario.yaml", scenario);
    pintle_testkit::make_executable(fixture.path("hooks/guard.sh"));
    let has_run = |fixture: &CliFixture| fixture.path("hooks/ran").exists();
    for arguments in [["validate", "."], ["test", "--list"]] {
        let (out, err, status) = fixture.pintle(&arguments).run_to_parts();
        assert!(status == Some(0) && !has_run(&fixture), "{out}{err}");
    }
    // The hooks of a project that was not named need trust.
    let (out, err, _) = fixture.pintle(&["test"]).run_to_parts();
    assert!(!has_run(&fixture), "{out}{err}");
    let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
    assert!(
        status == Some(0) && out.contains("own.scenario.yaml: 1 scenario holds\n") && has_run(&fixture),
        "{out}{err}"
    );
    // A fault of the program needs no program, so `validate` plays the scenario, and finds what differs.
    std::fs::remove_file(fixture.path("hooks/ran")).unwrap();
    let fixture = fixture.with_file("own.scenario.yaml", faulty);
    let (out, err, status) = fixture.pintle(&["validate", "."]).run_to_parts();
    assert!(status == Some(3) && out.contains("example_fails") && !has_run(&fixture), "{out}{err}");
}

#[test]
fn shipped_scenarios_hold() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, count) in [
        ("governed-agent", "4 scenarios, all hold"),
        ("docker-agent", "3 scenarios, all hold"),
        ("lifecycle-hooks", "1 scenario holds"),
        ("verify-loop", "1 scenario holds"),
    ] {
        let example = root.join(name).display().to_string();
        let (out, err, status) = CliFixture::new_empty().pintle(&["test", &example]).run_to_parts();
        assert!(status == Some(0) && out.contains(count), "{out}{err}");
    }
}
