//! `test --coverage`: what tests reach, as people and programs read it.

use serde_json::{Value, json};

use crate::fixture::{CliFixture, snapshot};

/// A hook whose script does not run natively, and one whose `when` is never true.
const HOOK: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] in ["shell", "exec"]
script: |
  """A guard."""
  # A comment.
  WORDS = [
      "deploy",
  ]

  def is_banned(command):
      """Whether it is."""
      return any([True for word in WORDS if word in command])

  def handle(event, payload):
      command = payload["args"]["command"]
      if is_banned(command) and "--dry-run" not in command:
          return block("no")
      elif command == "reboot":
          metrics.incr("reboots")
          return ask("sure?")
      return allow() if command else block("nothing")
examples:
  - {call: ./deploy.sh, expect: block}
  - {call: ls, expect: allow}
---
"#;

/// A script that builds a value without a limit, so it runs in a script worker.
const WORKER: &str = r#"---
event: prompt.submit
priority: 10
script: |
  def handle(event, payload):
      text = payload["prompt"]
      for i in range(3):
          text = text + text
      if len(text) > 100:
          return block("too long")
      return allow()
---
"#;

const RULES: &str = "use: [git]
deny:
  - run: npm publish
    name: publish
    stops: [npm publish --tag next]
ask:
  - run: docker push
    name: push
warn:
  - run: npm install
    name: install
allow:
  - ~/scratch/**
";

const CASES: &str = "- {event: prompt.submit, payload: {prompt: short}, expect: allow}
- {call: npm install, expect: allow}
- {call: ls, expect: allow}
";

fn fixture() -> CliFixture {
    CliFixture::new_empty()
        .with_file(".harness/hooks/guard.md", HOOK)
        .with_file(".harness/hooks/prompts.md", WORKER)
        .with_file(".harness/policy.yaml", RULES)
        .with_file(".harness/all.cases.yaml", CASES)
}

#[test]
fn coverage_names_what_no_test_reaches() {
    let fixture = fixture();
    snapshot!("test_coverage", fixture.pintle(&["test", ".", "--coverage"]).run_to_screen());
    snapshot!("test_lcov", fixture.pintle(&["test", ".", "--format", "lcov"]).run_to_screen());
    let (out, err, status) = fixture.pintle(&["test", ".", "--fail-under", "100"]).run_to_parts();
    assert!(status == Some(1) && err.contains("--fail-under wants 100 %"), "{out}{err}");
    let (out, err, status) = fixture.pintle(&["test", ".", "--fail-under", "50"]).run_to_parts();
    assert!(status == Some(0) && out.contains("coverage\n"), "{out}{err}");
}

#[test]
fn coverage_is_part_of_the_json_form() {
    let (out, err, _) = fixture().pintle(&["test", ".", "--coverage", "--json", "--jobs", "1"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let guard = &report["coverage"]["files"][0];
    assert_eq!(guard["path"], ".harness/hooks/guard.md");
    assert_eq!(guard["missing_lines"], json!([21, 22]));
    assert_eq!(
        guard["missing_branches"],
        json!([
            {"line": 4, "column": 7, "condition": "payload[\"name\"] in [\"shell\", \"exec\"]", "never": false},
            {"line": 18, "column": 33, "condition": "\"--dry-run\" not in command", "never": false},
            {"line": 20, "column": 12, "condition": "command == \"reboot\"", "never": true},
            {"line": 23, "column": 25, "condition": "command", "never": false},
        ])
    );
    let worker = &report["coverage"]["files"][1];
    assert_eq!((&worker["path"], &worker["missing_lines"]), (&json!(".harness/hooks/prompts.md"), &json!([10])));
    let rules = &report["coverage"]["files"][2];
    assert_eq!((&rules["path"], &rules["missing_lines"]), (&json!(".harness/policy.yaml"), &json!([7])));
}
