//! Checks that the example loads.

use tempfile::TempDir;

use super::document::{OneStopDocument, canonical_event};
use super::session_runner::load;
use crate::seeds::tally::{CheckTally, expect, expect_equal};

pub(super) fn check(document: &OneStopDocument, tally: &mut CheckTally) {
    tally.check_count("events in the one-stop example", document.events.len(), 19);
    tally.check_count("built-ins in the one-stop example", document.builtins.len(), 10);
    tally.check_count("prompts to try in the one-stop example", document.prompts.len(), 4);
    tally.check_count("log files in the one-stop example", document.logs.len(), 12);
    let restored: Vec<&str> = document.yaml.lines().map(str::trim_start).collect();
    tally.check(
        "the one-stop example: every line of the page is present, in order",
        expect_equal(&restored, &document.lines.iter().map(String::as_str).collect()),
    );
    let all = expect_equal(&document.lines.len(), &document.promised_lines);
    tally.check("the one-stop example: the page has as many lines as it says", all);
    for name in &document.builtins {
        let there = pintle_host::builtins().iter().any(|builtin| builtin.name == name);
        tally.check(
            format!("the one-stop example: the built-in `{name}` exists"),
            expect(there, || String::from("it does not")),
        );
    }
    tally.check("the one-stop example: it loads without errors", check_hooks(document));
}

fn check_hooks(document: &OneStopDocument) -> Result<(), String> {
    let dir = TempDir::new().map_err(|error| error.to_string())?;
    let built = load(&dir, &document.yaml, None)?;
    let faults: Vec<String> =
        built.diagnostics.iter().map(|found| format!("{}: {}", found.severity, found.message)).collect();
    expect(faults.is_empty(), || faults.join("; "))?;
    let team = built.team.ok_or("it has no agents")?;
    let root = team.agents.first().ok_or("it has no agent")?;
    for event in &document.events {
        let name = canonical_event(event)?;
        let declared = root.hooks.iter().any(|hook| hook.event == name && &*hook.event_alias == event.as_str());
        expect(declared, || format!("no hook of `{event}` was found"))?;
    }
    Ok(())
}
