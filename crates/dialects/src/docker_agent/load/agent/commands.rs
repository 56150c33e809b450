//! Reads the named prompts of an agent.

use crate::document::{DocNode, FieldReader, FileReport, KeyDef, MapEntry, NodeKind, key, read_keys};

/// Parts of a command that Pintle does not implement.
const NOT_YET: &[KeyDef<()>] = &[
    key!("agent": unsupported("`--agent NAME` starts with that agent")),
    key!("url": unsupported("Pintle does not open a browser")),
];

/// Reads a set of commands, a mapping or a list of mappings, as names and prompts.
pub(super) fn read(report: &FileReport, node: &DocNode) -> Vec<(String, String)> {
    match &node.kind {
        NodeKind::Map(entries) => entries.iter().filter_map(|entry| read_one(report, entry)).collect(),
        NodeKind::List(items) => items.iter().flat_map(|item| read_item(report, item)).collect(),
        NodeKind::Scalar(_) if node.is_null() => Vec::new(),
        NodeKind::Scalar(_) => {
            report.wrong_type("commands", "a mapping", node, "write lines such as `name: prompt`");
            Vec::new()
        }
    }
}

fn read_item(report: &FileReport, item: &DocNode) -> Vec<(String, String)> {
    match &item.kind {
        NodeKind::List(_) => {
            report.value_error("wrong_type", "a command must be `name: prompt`, not a list", item.span, None);
            Vec::new()
        }
        _ => read(report, item),
    }
}

fn read_one(report: &FileReport, entry: &MapEntry) -> Option<(String, String)> {
    if let Some(text) = entry.value.as_text() {
        return Some((entry.key.clone(), text.to_owned()));
    }
    let mut fields = FieldReader::of_entry(report, "command", entry);
    let instruction = fields.text("instruction");
    let _ = fields.text("description");
    read_keys(&mut fields, NOT_YET);
    fields.finish_strictly();
    Some((entry.key.clone(), instruction?))
}
