//! Checks the hook files that the documents show completely.

use pintle_host::Decision;
use serde_json::{Value, json};

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::{DocumentArtifact, artifacts};
use crate::seeds::fixture::ProjectFixture;
use crate::seeds::tally::{CheckTally, expect, expect_equal};

/// Commands that would wipe the machine; every guard of the documents must block them.
const WIPING: &[&str] = &["rm -rf /", "sudo rm -rf / --no-preserve-root", "rm -rf /*", "cd / && rm -rf / ; echo done"];

/// Harmless commands.
const HARMLESS: &[&str] = &["ls -la", "echo hello", "rm -r build", ""];

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    for (document, text) in [("reference", &documents.reference), ("concepts", &documents.concepts)] {
        let shown = artifacts(text);
        tally.check_count(&format!("hook files in the {document}"), shown.len(), 1);
        for artifact in &shown {
            let what = format!("{document}, `{}`", artifact.name);
            check_guard(&what, artifact, tally);
            check_inline_and_bundle(&what, artifact, tally);
        }
    }
}

/// Checks that the guard against destructive commands does what its body says.
fn check_guard(subject: &str, artifact: &DocumentArtifact, tally: &mut CheckTally) {
    let fixture = match ProjectFixture::open_clean(&[(&artifact.name, &artifact.text)]) {
        Ok(fixture) => fixture,
        Err(error) => return tally.check(format!("{subject} loads"), Err(error)),
    };
    tally.check(format!("{subject} loads without a finding"), expect_equal(&fixture.diagnostics(), &Vec::new()));
    for command in WIPING {
        tally.check(format!("{subject} blocks `{command}`"), expect_denied(&fixture, &artifact.name, command));
    }
    for command in HARMLESS {
        tally.check(format!("{subject} allows `{command}`"), expect_allowed(&fixture, "run_command", command));
    }
    for command in listed_patterns(&artifact.text) {
        tally.check(format!("{subject} blocks its own `{command}`"), expect_denied(&fixture, &artifact.name, &command));
    }
    tally.check(format!("{subject} leaves other tools alone"), expect_allowed(&fixture, "write_note", "rm -rf /"));
    if artifact.text.contains("metrics.incr(\"audit.policy.deny\")") {
        let blocked = WIPING.len() + listed_patterns(&artifact.text).len();
        let counted = fixture.metrics().get("audit.policy.deny").cloned().unwrap_or_default();
        tally.check(format!("{subject} counts each refusal"), expect_equal(&counted, &json!(blocked)));
    }
}

/// The patterns that the script lists, one per line.
fn listed_patterns(text: &str) -> Vec<String> {
    let pattern = |line: &str| line.trim().strip_prefix('"')?.strip_suffix("\",").map(str::to_owned);
    text.lines().filter_map(pattern).collect()
}

fn expect_denied(fixture: &ProjectFixture, hook: &str, command: &str) -> Result<(), String> {
    let outcome = fixture.fire_tool_call("run_command", json!({"command": command}))?;
    expect_equal(&outcome.decision, &Decision::Deny)?;
    let start = format!("blocked by hook \"{hook}\": dangerous command pattern blocked");
    expect(outcome.reason().starts_with(&start), || outcome.reason())
}

fn expect_allowed(fixture: &ProjectFixture, tool: &str, command: &str) -> Result<(), String> {
    let args = if command.is_empty() { json!({}) } else { json!({"command": command}) };
    let outcome = fixture.fire_tool_call(tool, args)?;
    expect_equal(&outcome.decision, &Decision::Allow)?;
    expect(outcome.failures.is_empty(), || format!("{:?}", outcome.failures))
}

/// Checks that the same fields work inline in the agent's file and in a bundle.
fn check_inline_and_bundle(subject: &str, artifact: &DocumentArtifact, tally: &mut CheckTally) {
    let front: Vec<&str> = artifact.text.lines().skip(1).take_while(|line| *line != "---").collect();
    let mut item = format!("hooks:\n  - handler: {}\n", artifact.name);
    item.extend(front.iter().map(|line| format!("    {line}\n")));
    let bundle = format!("---\n{item}---\n\nA bundle.\n");
    for place in ["harness.md", ".harness/plugins/a.md", ".harness/builtins/a.md", ".harness/overrides/a.md"] {
        let blocked = ProjectFixture::open(&[(place, &bundle)])
            .and_then(|fixture| expect_denied(&fixture, &artifact.name, "rm -rf /"));
        tally.check(format!("{subject} works in `{place}`"), blocked);
    }
    let missing: Value = json!({"id": "1", "name": "run_command", "arguments": "{}"});
    let outcome = ProjectFixture::open_clean(&[(&artifact.name, &artifact.text)])
        .and_then(|fixture| fixture.fire("tool.pre", missing));
    let allowed = outcome.and_then(|outcome| expect_equal(&outcome.decision, &Decision::Allow));
    tally.check(format!("{subject} survives a call without `args`"), allowed);
}
