//! The contents of the one-stop example.

use pintle_host::EventName;
use pintle_host::dialects::DIALECTS;

use crate::seeds::extract::leading_name;
use crate::seeds::yaml;

/// The example.
pub(super) struct OneStopDocument {
    /// Its lines as the page shows them.
    pub(super) lines: Vec<String>,
    /// The number of lines with text, according to the page.
    pub(super) promised_lines: usize,
    /// The file with its indentation.
    pub(super) yaml: String,
    /// The events that its comments list.
    pub(super) events: Vec<String>,
    /// The built-ins that its comments list.
    pub(super) builtins: Vec<String>,
    /// The prompts to try, and their documented results.
    pub(super) prompts: Vec<(String, String)>,
    /// The log files that its comments list, each once.
    pub(super) logs: Vec<String>,
}

impl OneStopDocument {
    pub(super) fn read(page: &str) -> Result<Self, String> {
        let lines = yaml::extract_numbered_lines(page)?;
        // The page says `493 lines (469 loc)`.
        let loc = page.split_once(" loc)").and_then(|(before, _)| before.rsplit_once('('));
        let promised_lines =
            loc.and_then(|(_, count)| count.parse().ok()).ok_or("the page does not give a line count")?;
        let listed = lines.iter().skip_while(|line| **line != "# Events:").skip(2).take_while(|line| **line != "#");
        let listed = listed.filter_map(|line| line.strip_prefix("# ")).map(|line| (leading_name(line), line));
        let events: Vec<String> = listed
            .filter(|(name, line)| line.get(name.len()..).is_some_and(|rest| rest.trim_start().starts_with('-')))
            .map(|(name, _)| name.to_owned())
            .collect();
        let builtin = |line: &&str| line.strip_prefix("# ").is_some_and(|text| text.contains(" ("));
        let shipped = lines.iter().skip_while(|line| !line.contains("Shipped builtins:")).skip(1);
        let builtins = shipped.take_while(|line| **line != "#").filter(|line| builtin(line));
        let names = builtins.map(|line| leading_name(line.trim_start_matches("# ")).to_owned());
        let builtins: Vec<String> = names.filter(|name| name.contains('_') || *name == "snapshot").collect();
        let tried = lines.iter().skip_while(|line| **line != "# Try these prompts:").skip(1);
        let tried = tried.take_while(|line| **line != "#");
        let prompts = tried.filter_map(|line| line.trim_start_matches("# ").split_once('→'));
        let prompts =
            prompts.map(|(prompt, promise)| (prompt.trim().trim_matches('"').to_owned(), promise.trim().to_owned()));
        let listed =
            lines.iter().skip_while(|line| !line.starts_with("# Logs")).skip(1).take_while(|line| **line != "#");
        let mut logs: Vec<String> =
            listed.filter_map(|line| Some(line.strip_prefix("# ")?.split_once(' ')?.0.to_owned())).collect();
        logs.sort();
        logs.dedup();
        let known: Vec<&str> = events.iter().map(String::as_str).collect();
        Ok(Self {
            yaml: yaml::restore_indentation(&lines, &known),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            promised_lines,
            prompts: prompts.collect(),
            events,
            builtins,
            logs,
        })
    }
}

/// The canonical name of an event of the example.
pub(super) fn canonical_event(event: &str) -> Result<EventName, String> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.events.find("pre_tool_use").is_ok());
    dialect
        .map(|dialect| dialect.events.find(event))
        .ok_or("no dialect knows the example's events")?
        .map_err(|error| error.to_string())
}
