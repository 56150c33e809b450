//! Checks the decisions that the documents show, as constructors and as dictionaries.

use pintle_host::{Decision, Outcome};
use serde_json::{Value, json};

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::{functions, table};
use crate::seeds::fixture::{ProjectFixture, handler_file, hook_file};
use crate::seeds::indent::strip_comment;
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    check_constructors(documents, tally);
    check_returned_dictionaries(documents, tally);
    for answer in ["\"deny\"", "42", "None", "[1]", "True"] {
        let passed = run_handler(&format!("return {answer}")).and_then(|outcome| {
            expect_equal(&outcome.decision, &Decision::Allow)?;
            expect(!outcome.warnings.is_empty(), || String::from("no warning"))
        });
        tally.check(format!("a return of `{answer}` passes with a warning"), passed);
    }
    let fell_off = run_handler("log(\"nothing\")").and_then(|outcome| {
        expect_equal(&outcome.decision, &Decision::Allow)?;
        expect(!outcome.warnings.is_empty(), || String::from("no warning"))
    });
    tally.check("falling off the end passes with a warning", fell_off);
    check_whole_functions(documents, tally);
}

/// Checks each row of the table: a constructor, and the dictionary that the row calls equivalent.
fn check_constructors(documents: &SeedDocuments, tally: &mut CheckTally) {
    let rows = table(&documents.reference, "Constructor | Meaning |");
    tally.check_count("decision constructors", rows.len(), 3);
    for row in rows {
        let (constructor, meaning) =
            (row.first().copied().unwrap_or_default(), row.get(1).copied().unwrap_or_default());
        let dictionary = meaning.split("Equivalent to ").nth(1).map(|text| text.trim_end_matches('.'));
        for spelling in [Some(constructor), dictionary] {
            let Some(spelling) = spelling else {
                tally.check(format!("`{constructor}` has an equal dictionary"), Err(String::from("none is shown")));
                continue;
            };
            let code = fill_placeholders(spelling);
            tally.check(
                format!("`{spelling}` is `{}`", constructor_name(constructor)),
                check_meaning(constructor, &format!("return {code}")),
            );
        }
    }
    let shown: Vec<&str> =
        documents.concepts.lines().filter(|line| line.contains(")  ") && line.contains('#')).collect();
    tally.check_count("decisions in the concepts", shown.len(), 3);
    for line in shown {
        let code = strip_comment(line);
        tally.check(
            format!("`{code}` is `{}`", constructor_name(code)),
            check_meaning(code, &format!("return {}", fill_placeholders(code))),
        );
    }
}

/// A snippet with its placeholders filled in.
fn fill_placeholders(snippet: &str) -> String {
    let payload = "{\"args\": {\"command\": \"pwd\"}}";
    snippet
        .replace("{...}", payload)
        .replace("new_payload", payload)
        .replace("new_args", "{\"command\": \"pwd\"}")
        .replace("(reason)", "(\"...\")")
}

fn constructor_name(constructor: &str) -> &str {
    constructor.split('(').next().unwrap_or(constructor)
}

/// Checks that the lines of a handler mean the same as a constructor.
fn check_meaning(constructor: &str, lines: &str) -> Result<(), String> {
    let outcome = run_handler(lines)?;
    expect(outcome.failures.is_empty() && outcome.warnings.is_empty(), || format!("{outcome:?}"))?;
    match constructor_name(constructor) {
        "allow" => expect_equal(&(outcome.decision, outcome.rewritten), &(Decision::Allow, false)),
        "block" => {
            expect_equal(&outcome.decision, &Decision::Deny)?;
            expect(outcome.reason().starts_with("blocked by hook \"answering\": "), || outcome.reason())
        }
        "modify" => {
            expect_equal(&(outcome.decision, outcome.rewritten), &(Decision::Allow, true))?;
            let expected = json!({"id": "call_1", "name": "run_command", "arguments": "{\"command\":\"pwd\"}", "args": {"command": "pwd"}});
            expect_equal(outcome.payload.value(), &expected)
        }
        other => Err(format!("`{other}` is new; add what it must do")),
    }
}

fn run_handler(lines: &str) -> Result<Outcome, String> {
    ProjectFixture::open_clean(&[("answering", &handler_file("tool.pre", lines))])?
        .fire_tool_call("run_command", json!({"command": "ls"}))
}

/// Checks the dictionaries that the documents return.
fn check_returned_dictionaries(documents: &SeedDocuments, tally: &mut CheckTally) {
    let shown: Vec<&str> = documents.reference.lines().filter(|line| line.starts_with("return {")).collect();
    tally.check_count("dictionaries returned", shown.len(), 1);
    for line in shown {
        let reason = line.split('"').nth(7).unwrap_or_default();
        let blocked = run_handler(line).and_then(|outcome| {
            expect_equal(&outcome.decision, &Decision::Deny)?;
            expect_equal(&outcome.reasons.first().map(|reason| reason.text.as_str()), &Some(reason))
        });
        tally.check(format!("`{line}` blocks"), blocked);
    }
}

/// Checks the functions that the reference shows outside of files: each branch returns what it says.
fn check_whole_functions(documents: &SeedDocuments, tally: &mut CheckTally) {
    let shown: Vec<String> =
        functions(&documents.reference).into_iter().filter(|text| !text.contains("dangerous command")).collect();
    tally.check_count("functions", shown.len(), 2);
    for (index, function) in shown.iter().enumerate() {
        let branches: &[(&str, &str, Decision)] = if function.contains("_scan") {
            &[
                ("False", "\"\"", Decision::Allow),
                ("True", "\"\"", Decision::Allow),
                ("True", "\"bad\"", Decision::Deny),
            ]
        } else {
            &[("True", "\"\"", Decision::Allow)]
        };
        for (inspect, reason, decision) in branches {
            let names = format!(
                "def _should_inspect(payload):\n    return {inspect}\n\ndef _scan(payload):\n    return {reason}\n\n"
            );
            let text = hook_file("event: tool.pre", &format!("{names}{function}"));
            let outcome = ProjectFixture::open_clean(&[("shown", &text)])
                .and_then(|fixture| fixture.fire_tool_call("x", Value::Object(Default::default())));
            let decided = outcome.and_then(|outcome| {
                expect(outcome.warnings.is_empty() && outcome.failures.is_empty(), || format!("{outcome:?}"))?;
                expect_equal(&outcome.decision, decision)
            });
            tally.check(
                format!("function {} of the reference, branch ({inspect}, {reason}): {decision}", index + 1),
                decided,
            );
        }
    }
}
