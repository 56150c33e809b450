//! The decisions that the documents show, as constructors and as dictionaries.

use pintle::{Decision, Outcome};
use serde_json::{Value, json};

use crate::seeds::Documents;
use crate::seeds::extract::{functions, table};
use crate::seeds::indent::uncommented;
use crate::seeds::stage::{Stage, handling, hook};
use crate::seeds::tally::{Tally, holds, same};

pub(super) fn check(documents: &Documents, tally: &mut Tally) {
    constructors(documents, tally);
    returned(documents, tally);
    for answer in ["\"deny\"", "42", "None", "[1]", "True"] {
        let passed = answered(&format!("return {answer}")).and_then(|outcome| {
            same(&outcome.decision, &Decision::Allow)?;
            holds(!outcome.warnings.is_empty(), || String::from("no warning"))
        });
        tally.check(format!("a return of `{answer}` passes with a warning"), passed);
    }
    let fell_off = answered("log(\"nothing\")").and_then(|outcome| {
        same(&outcome.decision, &Decision::Allow)?;
        holds(!outcome.warnings.is_empty(), || String::from("no warning"))
    });
    tally.check("falling off the end passes with a warning", fell_off);
    whole_functions(documents, tally);
}

/// The rows of the table: each constructor, and the dictionary that the row says it is equal to.
fn constructors(documents: &Documents, tally: &mut Tally) {
    let rows = table(&documents.reference, "Constructor | Meaning |");
    tally.count("decision constructors", rows.len(), 3);
    for row in rows {
        let (constructor, meaning) =
            (row.first().copied().unwrap_or_default(), row.get(1).copied().unwrap_or_default());
        let dictionary = meaning.split("Equivalent to ").nth(1).map(|text| text.trim_end_matches('.'));
        for spelling in [Some(constructor), dictionary] {
            let Some(spelling) = spelling else {
                tally.check(format!("`{constructor}` has an equal dictionary"), Err(String::from("none is shown")));
                continue;
            };
            let code = filled(spelling);
            tally.check(
                format!("`{spelling}` is `{}`", name(constructor)),
                means(constructor, &format!("return {code}")),
            );
        }
    }
    let shown: Vec<&str> =
        documents.concepts.lines().filter(|line| line.contains(")  ") && line.contains('#')).collect();
    tally.count("decisions in the concepts", shown.len(), 3);
    for line in shown {
        let code = uncommented(line);
        tally.check(format!("`{code}` is `{}`", name(code)), means(code, &format!("return {}", filled(code))));
    }
}

/// A snippet with values for the names and dots that it leaves open.
fn filled(snippet: &str) -> String {
    let payload = "{\"args\": {\"command\": \"pwd\"}}";
    snippet
        .replace("{...}", payload)
        .replace("new_payload", payload)
        .replace("new_args", "{\"command\": \"pwd\"}")
        .replace("(reason)", "(\"...\")")
}

fn name(constructor: &str) -> &str {
    constructor.split('(').next().unwrap_or(constructor)
}

/// The lines of a handler have the meaning of a constructor.
fn means(constructor: &str, lines: &str) -> Result<(), String> {
    let outcome = answered(lines)?;
    holds(outcome.failures.is_empty() && outcome.warnings.is_empty(), || format!("{outcome:?}"))?;
    match name(constructor) {
        "allow" => same(&(outcome.decision, outcome.rewritten), &(Decision::Allow, false)),
        "block" => {
            same(&outcome.decision, &Decision::Deny)?;
            holds(outcome.reason().starts_with("blocked by hook \"answering\": "), || outcome.reason())
        }
        "modify" => {
            same(&(outcome.decision, outcome.rewritten), &(Decision::Allow, true))?;
            let expected = json!({"id": "call_1", "name": "run_command", "arguments": "{\"command\":\"pwd\"}", "args": {"command": "pwd"}});
            same(outcome.payload.value(), &expected)
        }
        other => Err(format!("`{other}` is new; say here what it must do")),
    }
}

fn answered(lines: &str) -> Result<Outcome, String> {
    Stage::clean(&[("answering", &handling("tool.pre", lines))])?.call("run_command", json!({"command": "ls"}))
}

/// The dictionaries that the documents return.
fn returned(documents: &Documents, tally: &mut Tally) {
    let shown: Vec<&str> = documents.reference.lines().filter(|line| line.starts_with("return {")).collect();
    tally.count("dictionaries returned", shown.len(), 1);
    for line in shown {
        let reason = line.split('"').nth(7).unwrap_or_default();
        let blocked = answered(line).and_then(|outcome| {
            same(&outcome.decision, &Decision::Deny)?;
            same(&outcome.reasons.first().map(|reason| reason.text.as_str()), &Some(reason))
        });
        tally.check(format!("`{line}` blocks"), blocked);
    }
}

/// The functions that the reference shows outside of files: each branch returns what it says.
fn whole_functions(documents: &Documents, tally: &mut Tally) {
    let shown: Vec<String> =
        functions(&documents.reference).into_iter().filter(|text| !text.contains("dangerous command")).collect();
    tally.count("functions", shown.len(), 2);
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
            let text = hook("event: tool.pre", &format!("{names}{function}"));
            let outcome =
                Stage::clean(&[("shown", &text)]).and_then(|stage| stage.call("x", Value::Object(Default::default())));
            let decided = outcome.and_then(|outcome| {
                holds(outcome.warnings.is_empty() && outcome.failures.is_empty(), || format!("{outcome:?}"))?;
                same(&outcome.decision, decision)
            });
            tally.check(
                format!("function {} of the reference, branch ({inspect}, {reason}): {decision}", index + 1),
                decided,
            );
        }
    }
}
