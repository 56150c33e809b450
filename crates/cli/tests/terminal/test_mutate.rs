//! `test --mutate`: small changes that no test notices, as people and programs read them.

use serde_json::Value;

use crate::fixture::{CliFixture, snapshot};

const HOOK: &str = r#"---
event: tool.pre
priority: 10
when: payload["name"] == "shell"
script: |
  WORDS = ["deploy", "reboot"]

  def handle(event, payload):
      command = payload["args"]["command"]
      for word in WORDS:
          if word in command and len(command) > 6:
              metrics.incr("denied")
              return block("no " + word)
      return allow()
examples:
  - {call: ./deploy.sh, expect: block, reason: no deploy, metrics: {denied: 1}}
  - {call: ls, expect: allow}
  - {call: {tool: read, path: deploy}, expect: allow}
---
"#;

const RULES: &str = "deny:
  - run: [npm publish, npm unpublish]
    name: publish
    stops: [npm publish]
    passes: [npm ci]
ask:
  - write: {outside: [project, temporary], except: [/opt/out/**]}
    name: outside
";

const CASES: &str = "- {call: {tool: write, path: /srv/x, content: ''}, expect: ask}
- {call: {tool: write, path: /opt/out/x, content: ''}, expect: allow}
- {call: {tool: write, path: notes.md, content: ''}, expect: allow}
";

fn fixture() -> CliFixture {
    CliFixture::new_empty()
        .with_file(".harness/hooks/guard.md", HOOK)
        .with_file(".harness/policy.yaml", RULES)
        .with_file(".harness/all.cases.yaml", CASES)
}

#[test]
fn survivors_are_shown_as_differences() {
    snapshot!("test_mutate", fixture().pintle(&["test", ".", "--mutate"]).run_to_screen());
    let (one, err, _) = fixture().pintle(&["test", ".", "--mutate", "--json", "--jobs", "1"]).run_to_parts();
    let (many, ..) = fixture().pintle(&["test", ".", "--mutate", "--json", "--jobs", "4"]).run_to_parts();
    assert_eq!(one, many, "{err}");
    let report: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(report["mutants"]["survivors"][0]["path"], ".harness/hooks/guard.md", "{one}");
}

#[test]
fn a_mark_with_a_reason_accepts_what_cannot_be_noticed() {
    let hook = |mark: &str| {
        format!(
            "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      \
             if payload.get(\"size\", 0) > 0: {mark}\n          return block(\"big\")\n      return allow()\nexamples:\n  \
             - {{call: ls, expect: allow}}\n---\n"
        )
    };
    let reaches = |mark: &str| {
        let fixture = CliFixture::new_empty().with_file(".harness/hooks/h.md", hook(mark));
        let (out, ..) = fixture.pintle(&["test", ".", "--mutate", "--json"]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap();
        let count = |key: &str| report["mutants"][key].as_array().unwrap().len();
        (count("survivors"), count("equivalents"))
    };
    let (survivors, none) = reaches("");
    assert!(survivors > 2 && none == 0, "{survivors}");
    // A mark is for as many as it says, and gives a reason.
    assert_eq!(reaches("# 2 equivalent mutants: tool calls have no size"), (survivors - 2, 2));
    for mark in ["# equivalent mutant: tool calls have no size", "# 2 equivalent mutants:", "# 9 equivalent mutants: x"]
    {
        assert_eq!(reaches(mark), (survivors, 0), "{mark}");
    }
}

#[test]
fn programs_are_never_run_with_what_mutants_make_of_a_call() {
    let fixture = fixture()
        .with_file(".harness/hooks/reader.md", "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\") if fs.exists(\"stop\") else allow()\n---\n");
    let (out, err, status) = fixture.pintle(&["test", ".", "--mutate", "--json"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    assert_eq!((status, &report["mutants"]["not_changed"][0]), (Some(1), &Value::from("reader")), "{out}");
    // Without the cases, nothing notices what is written where.
    assert!(report["mutants"]["survivors"].to_string().contains("outside"), "{out}");
}

#[test]
fn scenarios_notice_mutants_of_the_hooks_that_they_reach() {
    let hook = "---\nevent: prompt.submit\npriority: 1\nscript: |\n  def handle(event, payload):\n      if \"secret\" in payload[\"prompt\"]:\n          return block(\"no secrets\")\n      return allow()\n---\n";
    let scenario = "- name: a secret is refused\n  steps:\n    - user: my secret\n    - {ends: blocked, reason: no secrets}\n    - user: hello\n    - model: hello\n    - {ends: answered}\n";
    let base = || CliFixture::new_empty().with_file(".harness/hooks/prompts.md", hook);
    let counts = |fixture: CliFixture| {
        let (out, err, _) = fixture.pintle(&["test", ".", "--mutate", "--json"]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let survivors = report["mutants"]["survivors"].as_array().unwrap_or_else(|| panic!("{out}"));
        (report["mutants"]["noticed"].as_u64().unwrap(), survivors.len())
    };
    let (noticed, survivors) = counts(base().with_file(".harness/hooks/prompts.scenario.yaml", scenario));
    assert!(noticed > 3 && survivors == 0, "{noticed} noticed, {survivors} not");
    // A scenario that does not come to the refusal notices less.
    let short = scenario.replace("my secret", "hi").replace("{ends: blocked, reason: no secrets}", "model: hello");
    let (fewer, more) = counts(base().with_file(".harness/hooks/prompts.scenario.yaml", &short));
    assert!(fewer < noticed && more > 0, "{fewer} noticed, {more} not");
    // A scenario is not played with the mutants of hooks that are not its own.
    let other = scenario.replace("  steps:", "  hooks: [../../other]\n  steps:");
    let fixture = base().with_file(".harness/hooks/prompts.scenario.yaml", other).with_file("other/prompts.md", hook);
    assert_eq!(counts(fixture).0, 0);
}

#[test]
fn mutants_are_judged_by_tests_that_hold() {
    let failing = fixture().with_file(".harness/all.cases.yaml", "- {call: ls, expect: block}\n");
    let (out, err, status) = failing.pintle(&["test", ".", "--mutate", "--json"]).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    assert_eq!((status, &report["mutants"]), (Some(1), &Value::Null), "{out}");
}

#[test]
fn the_governed_hooks_are_tested_whole() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example = root.join("examples/governed-agent").display().to_string();
    let command = ["test", &example, "--mutate", "--fail-under", "100", "--json"];
    let (out, err, status) = CliFixture::new_empty().pintle(&command).run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let survivors = report["mutants"]["survivors"].as_array().unwrap();
    assert!(survivors.is_empty(), "{survivors:#?}");
    assert_eq!(
        (status, report["failed"].as_u64(), report["coverage"]["files"].as_array().unwrap().len()),
        (Some(0), Some(0), 7)
    );
    assert!(report["mutants"]["noticed"].as_u64() > Some(200), "{}", report["mutants"]["noticed"]);
}
