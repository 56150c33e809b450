//! Reads the fields of one mapping strictly: a key that is not read, such as a misspelt key, is an error.

use pintle_contract::{ByteSpan, did_you_mean, suggest_or_list};

use super::{BlockPath, report_fault};
use crate::document::{DocNode, FileReport, MapEntry, NodeKind, PlainValue};

/// The fields of one mapping. Empty values (null) are treated as absent; numbers and booleans are accepted as strings.
#[derive(Debug)]
pub(super) struct StrictFieldReader<'a> {
    pub(super) report: &'a FileReport,
    /// The path, for messages.
    pub(super) path: BlockPath,
    pub(super) mapping: &'a DocNode,
    entries: &'a [MapEntry],
    known: Vec<&'static str>,
}

impl<'a> StrictFieldReader<'a> {
    /// The fields of a node; `None` if it is not a mapping, which is reported with `wanted`.
    pub(super) fn new(report: &'a FileReport, path: BlockPath, node: &'a DocNode, wanted: &str) -> Option<Self> {
        let Some(entries) = node.entries() else {
            report_fault(report, "wrong_type", &path, &format!("{wanted}, not {}", node.describe()), node, None);
            return None;
        };
        Some(Self { report, path, mapping: node, entries, known: Vec::new() })
    }

    /// A field's node, unless it is empty.
    pub(super) fn node(&mut self, key: &'static str) -> Option<&'a DocNode> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(&entry.value).filter(|node| !node.is_null())
    }

    /// The location of a field's key.
    pub(super) fn key_span(&self, key: &str) -> Option<ByteSpan> {
        self.entries.iter().find(|entry| entry.key == key && !entry.value.is_null()).map(|entry| entry.key_span)
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        let node = self.node(key)?;
        let text = scalar_text(node);
        if text.is_none() {
            self.report_fault("wrong_type", &format!("{key} must be a string, not {}", node.describe()), node, None);
        }
        text
    }

    /// Reads strings; a single one may be written without a list.
    pub(super) fn texts(&mut self, key: &'static str) -> Vec<String> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let items = node.items().unwrap_or(std::slice::from_ref(node));
        let mut texts = Vec::new();
        for item in items {
            match scalar_text(item) {
                Some(text) => texts.push(text),
                None => {
                    let message = format!("{key} must be a list of strings, not {}", item.describe());
                    self.report_fault("wrong_type", &message, item, None);
                }
            }
        }
        texts
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let node = self.node(key)?;
        if node.as_boolean().is_none() {
            let message = format!("{key} must be true or false, not {}", node.describe());
            let help = Some(format!("write `{key}: true` or `{key}: false`"));
            self.report_fault("wrong_type", &message, node, help);
        }
        node.as_boolean()
    }

    /// A mapping of strings.
    pub(super) fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        let Some(entries) = node.entries() else {
            let help = Some(String::from("write lines such as `NAME: value`"));
            self.report_fault("wrong_type", &format!("{key} must be a mapping, not {}", node.describe()), node, help);
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for entry in entries {
            match scalar_text(&entry.value).or_else(|| entry.value.is_null().then(String::new)) {
                Some(text) => pairs.push((entry.key.clone(), text)),
                None => {
                    let message = format!("{key}.{} must be a string, not {}", entry.key, entry.value.describe());
                    self.report_fault("wrong_type", &message, &entry.value, None);
                }
            }
        }
        pairs
    }

    /// One of a set of words.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], message: &str) -> Option<T> {
        let node = self.node(key)?;
        let text = scalar_text(node).unwrap_or_default();
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let help = did_you_mean(&text, words.iter().map(|(word, _)| *word));
            self.report_fault("bad_value", &format!("{message}, not `{text}`"), node, help);
        }
        found
    }

    /// The fields of a nested mapping.
    pub(super) fn fields(&mut self, key: &'static str) -> Option<Self> {
        let node = self.node(key)?;
        let path = format!("{}.{key}", self.path);
        Self::new(self.report, path, node, "must be a mapping")
    }

    /// Reports every unknown field. `help` may suggest more than the nearest name.
    pub(super) fn finish(self, help: impl Fn(&str) -> Option<String>) {
        for entry in self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str())) {
            let known = self.known.iter().copied();
            let advice = help(&entry.key).unwrap_or_else(|| suggest_or_list(&entry.key, known, "known keys:"));
            let message = format!("{}: unknown key `{}`", self.path, entry.key);
            self.report.error("unknown_key", &message, entry.key_span, Some(advice));
        }
    }

    /// Reports an error at a node of the mapping.
    pub(super) fn report_fault(&self, code: &'static str, message: &str, node: &DocNode, help: Option<String>) {
        report_fault(self.report, code, &self.path, message, node, help);
    }
}

/// The text of a scalar that is not null.
pub(super) fn scalar_text(node: &DocNode) -> Option<String> {
    match &node.kind {
        NodeKind::Scalar(scalar) if scalar.plain_value() != PlainValue::Null => Some(scalar.text.clone()),
        _ => None,
    }
}
