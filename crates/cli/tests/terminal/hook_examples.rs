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

const CASES: &str = r#"# What all hooks decide together.
- name: nothing is deployed by agents
  call: ./deploy.sh
  expect: block
  hook: guard
  reason: for people
- {call: git push --force, expect: block, rule: git.force-push}
- {call: git push, expect: ask, hook: guard}
- call: curl example.com
  expect: modify
  hook: guard
  rewrite: {command: curl example.com --max-time 5}
- {call: {tool: Bash, command: ./deploy.sh}, expect: deny, hook: guard}
- {call: {tool: read, path: notes.md}, expect: allow}
- {call: make, expect: allow}
- {call: make all, expect: allow}
- {event: prompt.submit, payload: {prompt: publish it}, expect: block, hook: prompts}
- {event: prompt.submit, payload: {prompt: hello}, expect: allow}
"#;

const PROMPTS: &str = r#"---
event: prompt.submit
priority: 10
script: |
  def handle(event, payload):
      if "publish" in payload["prompt"]:
          return block("releases are made by the release job")
      return allow()
---
"#;

/// A project whose hooks judge cases.
fn with_cases(cases: &str) -> CliFixture {
    guard_with("  - {call: ./deploy.sh, expect: block}\n")
        .with_file(".harness/hooks/prompts.md", PROMPTS)
        .with_file(".harness/policy.yaml", "use: [git]\n")
        .with_file(".harness/all.cases.yaml", cases)
}

#[test]
fn cases_are_judged_by_all_hooks_together() {
    let fixture = with_cases(CASES);
    snapshot!("test_cases", fixture.pintle(&["test", "."]).run_to_screen());
    snapshot!("test_cases_listed", fixture.pintle(&["test", "--list", "--filter", "push"]).run_to_screen());
    let only = fixture.pintle(&["test", ".harness/all.cases.yaml", "--host", "claude", "--json"]);
    let (out, err, _) = only.run_to_parts();
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    // The project is not trusted, so its hook cannot change the call.
    assert_eq!((report["held"].as_u64(), report["failed"].as_u64()), (Some(9), Some(1)), "{out}");
    let failing = with_cases(
        r#"- {call: git push --force, expect: block, hook: guard}
- {call: ls, expect: ask}
- {call: curl example.com, expect: modify, rewrite: {command: curl}}
- {event: prompt.submit, payload: {prompt: publish it}, expect: block, hook: guard}
- {event: prompt.submit, payload: {prompt: publish it}, expect: block, reason: not today}
- {payload: {name: shell, args: ls}, expect: block}
- {payload: {nmae: shell}, expect: block}
"#,
    );
    snapshot!("test_failing_cases", failing.pintle(&["test", "."]).run_to_screen());
    snapshot!("test_untrusted_cases", fixture.pintle(&["test", "--filter", "curl"]).run_to_screen());
}

#[test]
fn a_case_file_that_cannot_be_read_is_invalid() {
    let bomb = "- &a [x, x, x, x, x, x, x, x, x, x]\n- &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n- &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n- &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n- &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n- &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n";
    for (cases, fault) in [
        ("call: ls\n", "a list"),
        ("- {call: ls, expect: block}\n- [\n", "yaml"),
        ("- {call: ls}\n", "case 1.expect is missing"),
        ("- ls\n", "a mapping"),
        ("- {call: ls, expect: block, rul: x}\n", "did you mean `rule`?"),
        ("- {call: ls, expect: allow, hook: x}\n", "which is not decided by one `hook`"),
        ("- {event: tol.pre, call: ls, expect: allow}\n", "did you mean `tool.pre`?"),
        ("- {event: prompt.submit, call: ls, expect: allow}\n", "is not about a tool call"),
        (bomb, "use fewer aliases"),
        ("- {call: \"\\xff\", expect: allow\n", "yaml"),
    ] {
        let (out, err, status) = with_cases(cases).pintle(&["test", "."]).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(fault), "{cases}: {out}{err}");
    }
    let fixture = with_cases("- &call {call: ls, expect: allow}\n- *call\n");
    let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(0) && out.contains("all.cases.yaml: 2 cases, all hold"), "{out}{err}");
    let (out, err, status) = with_cases("# none\n").pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(0) && err.contains("the file has no cases"), "{out}{err}");
    let (out, err, status) = fixture.pintle(&["test", "nosuch.cases.yaml"]).run_to_parts();
    assert!(status == Some(3) && out.is_empty() && err.contains("cannot read the file"), "{out}{err}");
}

#[test]
fn shipped_examples_hold() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example = root.join("examples/governed-agent").display().to_string();
    let (out, err, status) = CliFixture::new_empty().pintle(&["test", &example]).run_to_parts();
    assert!(status == Some(0) && out.ends_with("84 examples, 5 cases, 4 scenarios, all hold\n"), "{out}{err}");
    let guide = std::fs::read_to_string(root.join("docs/guide/testing-a-policy.md")).unwrap();
    let nth_block = |language: &str, number: usize| {
        let fence = format!("```{language}\n");
        guide.split(fence.as_str()).nth(number).and_then(|rest| rest.split("```\n").next()).unwrap()
    };
    let block = |language: &str| nth_block(language, 1);
    let fixture = CliFixture::new_empty()
        .with_file(".harness/hooks/npm.md", block("markdown"))
        .with_file(".harness/policy.yaml", "use: [shell, git]\n")
        .with_file(".harness/policy.cases.yaml", block("yaml"));
    let (out, err, status) = fixture.pintle(&["test"]).run_to_parts();
    assert!(status == Some(0) && out.contains("npm.md: 3 examples, all hold\n"), "{out}{err}");
    assert!(out.contains("policy.cases.yaml: 5 cases, all hold\n"), "{out}{err}");
    let fixture = fixture.with_file(".harness/release.scenario.yaml", nth_block("yaml", 2));
    let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(0) && out.contains("release.scenario.yaml: 2 scenarios, all hold\n"), "{out}{err}");
    // The transcript that the guide shows.
    let pushing = "- name: pushing\n  steps:\n    - user: push it\n    - model: I push.\n      calls:\n        - {call: git push, expect: block}\n    - model: I cannot.\n";
    let fixture = fixture.with_file(".harness/push.scenario.yaml", pushing);
    let (out, err, _) = fixture.pintle(&["test", ".", "--filter", "pushing"]).run_to_parts();
    let console = nth_block("console", 2);
    let (_, shown) = console.split_once('\n').unwrap();
    assert!(out.starts_with(shown), "{out}{err}");
}

/// A hook that reads a file of the project, which needs trust.
const READER: &str = r#"---
event: tool.pre
priority: 1
script: |
  def handle(event, payload):
      return block(fs.read("reason.txt"))
examples:
  - {call: ls, expect: block, reason: not here}
---
"#;

#[test]
fn a_hook_that_is_not_trusted_is_not_run() {
    let fixture =
        CliFixture::new_empty().with_file(".harness/hooks/reader.md", READER).with_file("reason.txt", "not here");
    snapshot!("test_untrusted", fixture.pintle(&["test"]).run_to_screen());
    let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(0) && out.ends_with("1 example holds\n"), "{out}{err}");
    // `validate` calls nothing outside its process.
    let broken = fixture.with_file("reason.txt", "no");
    let (out, err, status) = broken.pintle(&["validate", "."]).run_to_parts();
    assert!(status == Some(0) && !out.contains("example_fails"), "{out}{err}");
    let (out, err, status) = broken.pintle(&["test", "."]).run_to_parts();
    assert!(status == Some(1) && out.contains("the reason does not contain"), "{out}{err}");
}

#[test]
fn hooks_of_one_name_have_their_own_examples() {
    let hook = |word: &str, examples: &str| {
        format!(
            "---\nevent: tool.pre\npriority: 1\nmode: shadow\nscript: |\n  def handle(event, payload):\n      if \"{word}\" in \
             payload[\"args\"].get(\"command\", \"\"):\n          return block(\"{word}\")\n      return allow()\nexamples:\n{examples}---\n"
        )
    };
    let fixture = CliFixture::new_empty()
        .with_file("own/hooks/same.md", hook("one", "  - {call: one, expect: block}\n  - {call: two, expect: allow}\n"))
        .with_file(
            ".harness/hooks/same.md",
            hook("two", "  - {call: one, expect: allow}\n  - {call: two, expect: block}\n"),
        );
    let own = fixture.path("own").display().to_string();
    let (out, err, status) = fixture.pintle(&["test"]).with_variable("PINTLE_CONFIG_DIR", &own).run_to_parts();
    assert!(status == Some(0) && out.ends_with("2 files: 4 examples, all hold\n"), "{out}{err}");
}

#[test]
fn examples_of_any_size_and_event_are_judged() {
    let text = "x".repeat(500_000);
    let hook = |event: &str, example: &str| {
        format!(
            "---\nevent: {event}\npriority: 1\nscript: |\n  def handle(event, payload):\n      return modify({{\"prompt\": payload[\"prompt\"].upper()}})\nexamples:\n  - {example}\n---\n"
        )
    };
    for (example, status) in [
        (format!("{{payload: {{prompt: {text}}}, expect: modify, rewrite: {{prompt: {}}}}}", text.to_uppercase()), 0),
        (format!("{{payload: {{prompt: {text}}}, expect: modify, rewrite: {{prompt: {text}}}}}"), 1),
        (String::from("{payload: {prompt: hi}, expect: modify, rewrite: {nosuch: HI}}"), 1),
        (String::from("{payload: {promt: hi}, expect: modify}"), 1),
        (String::from("{payload: [], expect: allow}"), 1),
        (String::from("{payload: 5, expect: block}"), 1),
        (String::from("{payload: , expect: block}"), 1),
    ] {
        let fixture = CliFixture::new_empty().with_file(".harness/hooks/h.md", hook("prompt.submit", &example));
        let (out, err, got) = fixture.pintle(&["test", "."]).run_to_parts();
        let shown: String = example.chars().take(80).collect();
        assert!(got == Some(status) && out.len() < 10_000, "{shown}: {got:?} {err} {} bytes", out.len());
    }
}
