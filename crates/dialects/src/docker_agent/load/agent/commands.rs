//! Named prompts of an agent (docker-agent, Agents, `commands`).

use super::unsupported::{self, Missing};
use crate::document::{Entry, Fields, Kind, Node, Report};

/// Parts of a command without a counterpart.
const NOT_YET: &[Missing] = &[
    Missing::feature("agent", "`--agent NAME` begins with that agent"),
    Missing::feature("url", "nothing opens a browser"),
];

/// Reads a set of commands, a mapping or a list of mappings, as names and prompts.
pub(super) fn read(report: &Report, node: &Node) -> Vec<(String, String)> {
    match &node.kind {
        Kind::Map(entries) => entries.iter().filter_map(|entry| read_one(report, entry)).collect(),
        Kind::List(items) => items.iter().flat_map(|item| read_item(report, item)).collect(),
        Kind::Scalar(_) if node.is_null() => Vec::new(),
        Kind::Scalar(_) => {
            let help = Some(String::from("write `name: what the agent is told` lines"));
            report.value_error(
                "wrong_type",
                &format!("commands must be a mapping, not {}", node.describe()),
                node.span,
                help,
            );
            Vec::new()
        }
    }
}

fn read_item(report: &Report, item: &Node) -> Vec<(String, String)> {
    match &item.kind {
        Kind::List(_) => {
            report.value_error("wrong_type", "a command must be `name: prompt`, not a list", item.span, None);
            Vec::new()
        }
        _ => read(report, item),
    }
}

fn read_one(report: &Report, entry: &Entry) -> Option<(String, String)> {
    if let Some(text) = entry.value.as_text() {
        return Some((entry.key.clone(), text.to_owned()));
    }
    let owner = format!("command `{}`", entry.key);
    let mut fields = Fields::new(report, owner, Some(&entry.value), entry.key_span);
    let instruction = fields.text("instruction");
    let _ = fields.text("description");
    unsupported::tell(&mut fields, NOT_YET);
    fields.finish_strictly();
    Some((entry.key.clone(), instruction?))
}
