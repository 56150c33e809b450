//! `test`: the examples of hooks, and what `validate` says of them.

use serde_json::Value;

use crate::fixture::{CliFixture, snapshot};

const GUARD: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      command = payload["args"]["command"]
      if "deploy" in command:
          return block("deploying is for people")
      if "curl" in command:
          return modify({"args": {"command": command + " --max-time 5"}})
      if "push" in command:
          return ask("pushing needs a person")
      if "ls" not in command and metrics.incr("calls") > 1:
          return block("only one call")
      return allow()
examples:
"#;

/// The guard with examples.
fn guard_with(examples: &str) -> CliFixture {
    CliFixture::new_empty().with_file(".harness/hooks/guard.md", format!("{GUARD}{examples}---\n"))
}

#[test]
fn examples_hold_and_fail_with_place_and_difference() {
    let holding = guard_with(
        r#"  - {call: ./deploy.sh, expect: block, reason: for people}
  - {call: ./deploy.sh, expect: deny}
  - {call: {tool: Bash, command: ./deploy.sh}, expect: block}
  - call: curl example.com
    expect: modify
    rewrite: {command: curl example.com --max-time 5}
  - {call: git push, expect: ask, reason: a person}
  - {call: {tool: read, path: deploy}, expect: allow}
  - {payload: {name: shell, args: {command: ls}}, expect: allow}
  - {call: make, expect: allow}
  - {call: make all, expect: allow}
"#,
    )
    .with_file(".harness/policy.yaml", "use: [git]\n");
    snapshot!("test_holding", holding.pintle(&["test"]).run_to_screen());
    snapshot!("test_listed", holding.pintle(&["test", "--list", "--filter", "deploy"]).run_to_screen());
    let failing = guard_with(
        r#"  - {call: ls, expect: block}
  - {call: ./deploy.sh, expect: block, reason: for dogs}
  - call: curl example.com
    expect: modify
    rewrite: {command: curl example.com, timeout_ms: 5}
  - {call: git push, expect: ask, context: careful}
  - {call: {tool: read, path: .env}, expect: block}
  - {payload: {nmae: shell}, expect: block}
"#,
    );
    snapshot!("test_failing", failing.pintle(&["test"]).run_to_screen());
    snapshot!("test_junit", failing.pintle(&["test", "--format", "junit", "--filter", "e"]).run_to_screen());
    snapshot!("test_json", failing.pintle(&["test", "--json", "--filter", "curl"]).run_to_screen());
    snapshot!("validate_failing_examples", failing.pintle(&["validate"]).run_to_screen());
}

#[test]
fn a_hook_that_does_not_judge_proves_nothing() {
    let crashing = |when: &str, on_error: &str| {
        format!(
            "---\nevent: tool.pre\npriority: 1\nwhen: {when}\non_error: {on_error}\nscript: |\n  def handle(event, payload):\n      \
             return block(\"no\" + payload[\"args\"][\"x\"])\nexamples:\n  - {{call: ls, expect: block}}\n  - {{call: ls, expect: allow}}\n---\n"
        )
    };
    for (when, on_error, problem) in [
        ("\"True\"", "closed", "Key"),
        ("\"True\"", "open", "Key"),
        ("payload[\"args\"][\"y\"] == 1", "closed", "failed"),
        ("payload[\"args\"][\"y\"] == 1", "open", "was skipped"),
    ] {
        let fixture = CliFixture::new_empty().with_file(".harness/hooks/h.md", crashing(when, on_error));
        let (out, err, status) = fixture.pintle(&["test", "--json"]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        assert_eq!((status, &report["failed"]), (Some(1), &Value::from(2)), "{when} {on_error}: {out}");
        let problems = report["results"][1]["problems"].to_string();
        assert!(problems.contains(problem), "{when} {on_error}: {problems}");
    }
}

#[test]
fn what_cannot_be_tested_is_said_with_a_next_step() {
    let none = CliFixture::new_empty();
    snapshot!("test_without_examples", none.pintle(&["test"]).run_to_screen());
    let fixture = guard_with("  - {call: ls, expect: allow}\n").with_file("none/notes.txt", "");
    snapshot!("test_only_allowed", fixture.pintle(&["test"]).run_to_screen());
    for (words, help) in [
        (&["test", "nosuch"][..], "`nosuch` does not exist"),
        (&["test", "none"], "the paths contain no hooks"),
        (&["test", "--filter", "nosuch"], "`pintle test --list` lists the examples"),
    ] {
        let (out, err, status) = fixture.pintle(words).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(help), "{words:?}: {out}{err}");
    }
    let broken = guard_with("  - {call: ls, expect: alow}\n");
    let (out, err, status) = broken.pintle(&["test"]).run_to_parts();
    assert!(status == Some(3) && out.is_empty() && err.contains("did you mean `allow`?"), "{out}{err}");
}

#[test]
fn the_schema_has_every_field() {
    let fixture = guard_with("  - {call: ls, expect: block}\n");
    let (out, ..) = fixture.pintle(&["test", "--json"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/test.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let item = &schema["properties"]["results"]["items"];
    let result = &report["results"][0];
    for (schema, value) in [(&schema, &report), (item, result), (&item["properties"]["actual"], &result["actual"])] {
        let keys = |value: &Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(&schema["properties"]), keys(value));
        assert_eq!(schema["required"].as_array().unwrap().len(), keys(value).len());
    }
    assert_eq!(schema["properties"]["version"]["const"], report["version"]);
}
