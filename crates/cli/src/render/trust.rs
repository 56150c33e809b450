//! What a project's code could do, as shown to the user who is to trust it.

use std::time::{SystemTime, UNIX_EPOCH};

use pintle_host::loader::{ProjectTrust, TrustDifference, TrustItem, TrustItemKind, TrustState};
use pintle_host::tape::show::{Tone, single_line};

use super::{age_text, count_text, style};

/// Describes everything that trusting the project allows, without shortening anything.
pub(crate) fn describe_trust_request(project: &ProjectTrust) -> Vec<String> {
    let dir = project.folder().display();
    let mut lines = vec![match project.state {
        TrustState::Changed => format!("`{dir}` changed after you trusted it"),
        TrustState::NotRequired => {
            format!("`{dir}` contains hooks that only return decisions; until you trust it, they can only deny and ask")
        }
        _ => format!("`{dir}` contains hooks that can do more than return decisions"),
    }];
    lines.extend(describe_items(project));
    if project.state == TrustState::Changed {
        lines.extend(describe_difference(&project.difference));
    }
    lines.extend(describe_not_covered(project));
    let files = count_text(project.manifest.files.len(), "file");
    lines.push(format!("trust covers the current bytes of {files}; if one changes, you are prompted again"));
    lines
}

/// Describes what trust does not cover, and how to cover it.
pub(crate) fn describe_not_covered(project: &ProjectTrust) -> Vec<String> {
    let parts = project.manifest.list_not_covered();
    if parts.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::from("not covered by trust, because it is unknown which files these use:")];
    lines
        .extend(parts.iter().map(|part| style::paint_text(Tone::Warn, format!("  {}", single_line(part, usize::MAX)))));
    lines.push(String::from(
        "  list these files under `files:` next to the hook to cover them, or run the hook in a `sandbox`",
    ));
    lines
}

/// Describes the items that need trust, with a line for each capability.
fn describe_items(project: &ProjectTrust) -> Vec<String> {
    let mut all: Vec<&TrustItem> = Vec::new();
    for claim in &project.manifest.items {
        // A hook may belong to an agent and to the host.
        let is_told = |told: &&TrustItem| {
            told.name == claim.name && told.event == claim.event && told.capabilities == claim.capabilities
        };
        if claim.kind != TrustItemKind::Member || !all.iter().any(is_told) {
            all.push(claim);
        }
    }
    let (free, open): (Vec<&TrustItem>, Vec<&TrustItem>) =
        all.into_iter().partition(|claim| claim.capabilities.is_empty());
    let mut lines = Vec::new();
    for claim in &open {
        let event = claim.event.as_deref().map(|event| format!(" on {event}")).unwrap_or_default();
        let guard = if claim.is_guard { ", a guard" } else { "" };
        let matcher =
            claim.matcher.as_deref().map(|text| format!(", for {}", single_line(text, 200))).unwrap_or_default();
        let head = format!("  {}{event}{guard}{matcher}", single_line(&claim.name, 200));
        lines.push(style::paint_text(Tone::Plain, head));
        for reach in &claim.capabilities {
            lines.push(style::paint_text(Tone::Warn, format!("      {}", single_line(&reach.to_string(), usize::MAX))));
        }
        if !claim.files.is_empty() {
            lines.push(style::paint_text(
                Tone::Quiet,
                format!("      in {}", single_line(&claim.files.join(", "), usize::MAX)),
            ));
        }
    }
    if !free.is_empty() {
        let besides = if open.is_empty() { "" } else { "and " };
        lines.push(style::paint_text(
            Tone::Quiet,
            format!("  {besides}{} that can only return decisions", count_text(free.len(), "hook")),
        ));
    }
    lines
}

/// Describes the difference: `+` added, `-` removed, `~` changed.
fn describe_difference(difference: &TrustDifference) -> Vec<String> {
    let reach = |all: &[pintle_host::contract::Capability]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let rows: [(&str, Tone, &str, &[String]); 8] = [
        ("~", Tone::Warn, "", &difference.files_changed),
        ("+", Tone::Warn, "", &difference.files_added),
        ("-", Tone::Warn, "", &difference.files_removed),
        ("+", Tone::Warn, "", &reach(&difference.capabilities_added)),
        ("-", Tone::Quiet, "", &reach(&difference.capabilities_removed)),
        ("+", Tone::Warn, "listens to ", &difference.events_added),
        ("-", Tone::Warn, "listens to ", &difference.events_removed),
        ("-", Tone::Bad, "guard ", &difference.guards_removed),
    ];
    let mut lines = vec![String::from("changes since then:")];
    for (sign, tone, what, entries) in rows {
        let line =
            |entry: &String| style::paint_text(tone, format!("  {sign} {what}{}", single_line(entry, usize::MAX)));
        lines.extend(entries.iter().map(line));
    }
    lines
}

/// Formats how long ago trust was granted.
pub(crate) fn grant_age_text(at_ms: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    age_text(u64::try_from(now).unwrap_or(u64::MAX).saturating_sub(at_ms))
}
