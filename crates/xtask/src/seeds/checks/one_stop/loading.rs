//! The example loads.

use tempfile::TempDir;

use super::document::{Document, canonical};
use super::stage::load;
use crate::seeds::tally::{Tally, holds, same};

pub(super) fn check(document: &Document, tally: &mut Tally) {
    tally.count("events in the one-stop example", document.events.len(), 19);
    tally.count("built-ins in the one-stop example", document.builtins.len(), 10);
    tally.count("prompts to try in the one-stop example", document.prompts.len(), 4);
    tally.count("log files in the one-stop example", document.logs.len(), 12);
    let restored: Vec<&str> = document.yaml.lines().map(str::trim_start).collect();
    tally.check(
        "the one-stop example: every line of the page is there, in order",
        same(&restored, &document.lines.iter().map(String::as_str).collect()),
    );
    let all = same(&document.lines.len(), &document.promised_lines);
    tally.check("the one-stop example: the page shows as many lines as it says", all);
    for name in &document.builtins {
        let there = pintle::builtins().iter().any(|builtin| builtin.name == name);
        tally.check(
            format!("the one-stop example: the built-in `{name}` exists"),
            holds(there, || String::from("it does not")),
        );
    }
    tally.check("the one-stop example: it loads without a fault", loads(document));
}

fn loads(document: &Document) -> Result<(), String> {
    let folder = TempDir::new().map_err(|fault| fault.to_string())?;
    let built = load(&folder, &document.yaml, None)?;
    let faults: Vec<String> =
        built.diagnostics.iter().map(|found| format!("{}: {}", found.severity, found.message)).collect();
    holds(faults.is_empty(), || faults.join("; "))?;
    let team = built.team.ok_or("it has no agents")?;
    let root = team.agents.first().ok_or("it has no agent")?;
    for event in &document.events {
        let name = canonical(event)?;
        let declared = root.hooks.iter().any(|hook| hook.event == name && &*hook.event_alias == event.as_str());
        holds(declared, || format!("no hook of `{event}` was found"))?;
    }
    Ok(())
}
