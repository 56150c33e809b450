//! Checks the events that the documents list.

use pintle_host::EventName;
use pintle_host::dialects::DIALECTS;
use pintle_host::event::CATALOGUE;
use regex::Regex;
use serde_json::{Value, json};

use crate::seeds::documents::SeedDocuments;
use crate::seeds::extract::{run_together_names, table};
use crate::seeds::fixture::{ProjectFixture, handler_file};
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let rows = table(&documents.reference, "Event | Fires when |");
    tally.check_count("events in the reference", rows.len(), 12);
    let mut names: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let concepts = run_together_names(&documents.concepts, "EventWhen it fires");
    tally.check_count("events in the concepts", concepts.len(), 4);
    names.extend(concepts.iter().filter_map(|row| row.first().copied()));
    // The concepts page announces one more.
    names.push("agent.stop");
    let meta = meta_names(&documents.reference);
    tally.check_count("events of self-augmenting agents", meta.len(), 2);
    names.extend(meta);
    for name in names {
        tally.check(format!("a hook on `{name}` is accepted and called"), check_call(name));
    }
    check_custom_names(documents, tally);
    check_error_texts(documents, tally);
}

/// The events of self-augmenting agents that the reference names.
fn meta_names(reference: &str) -> Vec<&str> {
    let listed = reference.split("self-augmenting agents (").nth(1).and_then(|rest| rest.split(')').next());
    listed.unwrap_or_default().split(',').map(str::trim).filter(|name| name.starts_with("meta.")).collect()
}

fn check_call(name: &str) -> Result<(), String> {
    let fixture = ProjectFixture::open_clean(&[(
        "listening",
        &handler_file(name, "metrics.incr(\"called.\" + event)\nreturn allow()"),
    )])?;
    // The host's name of an event may differ from the document's; hooks see the name that they were written with.
    let fired =
        DIALECTS.iter().find_map(|dialect| dialect.events.find(name).ok()).ok_or("no dialect knows the name")?;
    let outcome = fixture.fire(fired.as_str(), fired.def().example())?;
    expect(outcome.is_allowed() && outcome.failures.is_empty(), || format!("{outcome:?}"))?;
    expect_equal(&Value::Object(fixture.metrics()), &json!({format!("called.{name}"): 1}))
}

/// Checks that exactly the names that the reference's pattern matches are events.
fn check_custom_names(documents: &SeedDocuments, tally: &mut CheckTally) {
    let shown = documents.reference.split_once("^custom").and_then(|(_, rest)| rest.split_once('$'));
    let pattern = shown.map(|(middle, _)| format!("^custom{middle}$"));
    let pattern = pattern.ok_or_else(|| String::from("no pattern is shown"));
    let pattern = pattern.and_then(|pattern| Regex::new(&pattern).map_err(|error| error.to_string()));
    let pattern = match pattern {
        Ok(pattern) => pattern,
        Err(error) => return tally.check("the pattern of custom events", Err(error)),
    };
    for name in [
        "custom.my_event",
        "custom.deploy2",
        "custom.",
        "custom.Deploy",
        "custom.a-b",
        "custom.a.b",
        "custom. x",
        "custom",
    ] {
        let agrees = expect_equal(&EventName::parse(name).is_ok(), &pattern.is_match(name));
        tally.check(format!("`{name}` is an event just when the pattern matches"), agrees);
    }
}

/// Checks the texts of errors about events.
fn check_error_texts(documents: &SeedDocuments, tally: &mut CheckTally) {
    // The start and the end of the text in the document, an invalid file, and the value that the text names.
    let cases = [
        ("hooks[%d]", "invalid", "event: tool.before", "tool.before"),
        ("hook %q", "frontmatter", "priority: 3", "named"),
        ("hook %q", "frontmatter", "event: \"\"", "named"),
    ];
    for (start, end, front, value) in cases {
        let shown = documents.reference.split_once(start).and_then(|(_, rest)| rest.split_once(end));
        let text = shown.map(|(middle, _)| format!("{start}{middle}{end}"));
        let text = text.map(|text| text.replace("%d", "0").replace("%q", &format!("\"{value}\"")));
        let reported = text.ok_or_else(|| String::from("the documents do not contain this text")).and_then(|text| {
            let fixture = ProjectFixture::open_hooks(&[(
                "named",
                &format!("---\n{front}\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n"),
            )])?;
            let findings = fixture.diagnostics();
            expect(findings.iter().any(|finding| finding.contains(&text)), || format!("no `{text}` in {findings:?}"))
        });
        tally.check(format!("`{front}` gives the documented error"), reported);
    }
    let known = CATALOGUE.iter().filter(|def| def.family().is_none()).all(|def| EventName::parse(def.name).is_ok());
    tally.check("every row of the catalogue is an event", expect_equal(&known, &true));
}
