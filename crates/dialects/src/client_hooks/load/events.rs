//! The hooks of each event: groups with a matcher, or handlers with one each.

use pintle_contract::{HookDeclaration, Profile, suggest_nearest};

use super::document::{Whole, boolean};
use super::handler::{self, Around};
use super::settings::Layout;
use super::{Source, tell};
use crate::client_hooks::matcher::Pattern;
use crate::client_hooks::row::Row;
use crate::document::{Entry, Kind, Node};

/// Reads the value of `hooks`.
pub(super) fn read(source: &Source<'_>, whole: &Whole, hooks: &Node) -> Vec<HookDeclaration> {
    let Kind::Map(entries) = &hooks.kind else {
        let message = format!("hooks must be an object of events, not {}", hooks.describe());
        let help = Some(String::from("write `\"hooks\": {\"PreToolUse\": []}`"));
        source.report.value_error("wrong_type", &message, hooks.span, help);
        return Vec::new();
    };
    let mut declared = Vec::new();
    for entry in entries {
        if let Some(row) = row(source, entry) {
            declared.extend(event(source, whole, row, &entry.value));
        }
    }
    declared
}

/// The row of an event that a file names.
fn row(source: &Source<'_>, entry: &Entry) -> Option<&'static Row> {
    let (client, name) = (source.client, entry.key.as_str());
    if let Some(row) = client.row(name) {
        return Some(row);
    }
    if let Some(elsewhere) = client.elsewhere.iter().find(|elsewhere| elsewhere.names.contains(&name)) {
        tell::lost_event(source, name, elsewhere.why, entry.key_span);
        return None;
    }
    // What stands beside the events, and what a whole file of hooks says besides.
    let beside = ["version", "description", "$schema"];
    if client.settings.beside.contains(&name) || beside.contains(&name) || matches!(entry.value.kind, Kind::Scalar(_)) {
        return None;
    }
    let elsewhere = client.elsewhere.iter().flat_map(|elsewhere| elsewhere.names.iter().copied());
    let near = suggest_nearest(name, client.rows.iter().map(|row| row.name).chain(elsewhere));
    let message = format!("{} has no event `{name}`, so its hooks never run", client.title);
    let help = near.map(|near| format!("did you mean `{near}`?"));
    tell::idle(source, "unknown_event", message, entry.key_span, help);
    None
}

fn event(source: &Source<'_>, whole: &Whole, row: &'static Row, node: &Node) -> Vec<HookDeclaration> {
    let Some(items) = list(source, &format!("`{}`", row.name), node) else { return Vec::new() };
    let is_sequential = items.iter().any(|group| group.get("sequential").and_then(boolean) == Some(true));
    let profile = if is_sequential { Profile::SequentialRunAll } else { Profile::ParallelStrictest };
    let mut declared = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("{}[{index}]", row.name);
        let around = Around { source, whole, row, profile, pattern: None };
        match source.client.settings.layout {
            Layout::Groups => declared.extend(group(&around, &path, item)),
            Layout::Flat => {
                let around = Around { pattern: pattern(&around, item), ..around.clone() };
                declared.extend(handler::read(&around, &path, item));
            }
        }
    }
    declared
}

/// Reads one group.
fn group(around: &Around<'_>, path: &str, node: &Node) -> Vec<HookDeclaration> {
    let report = around.source.report;
    let Kind::Map(entries) = &node.kind else {
        let message = format!("{path} must be an object with `hooks`, not {}", node.describe());
        report.value_error("wrong_type", &message, node.span, None);
        return Vec::new();
    };
    let Some(hooks) = node.get("hooks") else {
        // Entries with a `path` are another dialect's, which reads the same file.
        if node.get("path").is_none() {
            let message = format!("{path} has no list of `hooks`, so nothing of it runs");
            let help = Some(String::from(
                "write `{\"matcher\": \"..\", \"hooks\": [{\"type\": \"command\", \"command\": \"..\"}]}`",
            ));
            tell::idle(around.source, "missing_field", message, node.span, help);
        }
        return Vec::new();
    };
    for entry in entries {
        if !["matcher", "hooks", "sequential", "description", "id", "name"].contains(&entry.key.as_str()) {
            let near = suggest_nearest(&entry.key, ["matcher", "hooks", "sequential"]);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("unknown key `{}` in {path}, which has no effect", entry.key);
            tell::idle(around.source, "unknown_key", message, entry.key_span, help);
        }
    }
    let Some(items) = list(around.source, &format!("`hooks` of {path}"), hooks) else { return Vec::new() };
    let around = Around { pattern: pattern(around, node), ..around.clone() };
    let read = |(index, item)| handler::read(&around, &format!("{path}.hooks[{index}]"), item);
    items.iter().enumerate().flat_map(read).collect()
}

/// The matcher of a group or a handler. One that cannot be read matches everything: its hooks are rather asked too often.
fn pattern(around: &Around<'_>, node: &Node) -> Option<Pattern> {
    let written = node.get("matcher").filter(|node| !node.is_null())?;
    let Some(text) = written.as_text() else {
        let message = format!("matcher must be a string, not {}; its hooks are asked every time", written.describe());
        tell::idle(around.source, "bad_matcher", message, written.span, None);
        return None;
    };
    around.row.subject?;
    match Pattern::new(around.row.voice.matcher, text) {
        Ok(pattern) => pattern,
        Err(why) => {
            let message = format!("the matcher `{text}` cannot be read ({why}); its hooks are asked every time");
            let help = Some(String::from("write names with `|` between them, or a plain regular expression"));
            tell::idle(around.source, "bad_matcher", message, written.span, help);
            None
        }
    }
}

fn list<'n>(source: &Source<'_>, what: &str, node: &'n Node) -> Option<&'n [Node]> {
    match &node.kind {
        Kind::List(items) => Some(items),
        _ => {
            let message = format!("{what} must be a list, not {}", node.describe());
            source.report.value_error("wrong_type", &message, node.span, Some(String::from("put it in `[` and `]`")));
            None
        }
    }
}
