//! Reads the fields of a mapping, and reports every error in them.

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;

use pintle_contract::{ByteSpan, ScriptSource, did_you_mean, suggest_nearest, suggest_or_list};

use super::{DocNode, FileReport, MapEntry, NextStep, NodeKind, PlainValue};

/// The fields of one mapping.
///
/// Each getter reports an error in its field and then returns `None`. An empty value (null) is treated as absent for
/// strings, lists and mappings, and is an error for scripts, numbers and booleans, where it is more likely a typo. The
/// fields that were read are the known ones: [`finish`](Self::finish) warns of all others.
#[derive(Debug)]
pub struct FieldReader<'a> {
    report: &'a FileReport,
    owner: String,
    /// The path of the mapping in its file, if messages start with it. Its values are read as docker-agent does: empty
    /// ones are absent, numbers and booleans are texts, and a single text is a list of one.
    path: Option<String>,
    entries: &'a [MapEntry],
    place: ByteSpan,
    known: Vec<&'static str>,
    reported: Vec<&'static str>,
}

impl<'a> FieldReader<'a> {
    /// Reads a node. `owner` names its owner, such as ``hook `guard` ``; `span` is used without a node.
    ///
    /// A node that is not a mapping is reported and has no fields.
    #[must_use]
    pub fn new(report: &'a FileReport, owner: impl Into<String>, node: Option<&'a DocNode>, span: ByteSpan) -> Self {
        let owner = owner.into();
        let help = "write lines such as `field: value`";
        let entries = node.and_then(|node| report.entries(&owner, "a mapping", node, help));
        Self {
            report,
            owner,
            path: None,
            entries: entries.unwrap_or_default(),
            place: node.map_or(span, |node| node.span),
            known: Vec::new(),
            reported: Vec::new(),
        }
    }

    /// Reads a node whose messages start with its path in the file, such as `hooks.pre_tool_use[0]`. Empty values are
    /// absent, numbers and booleans are accepted as strings, and a single string as a list.
    ///
    /// `None` if the node is not a mapping, which is reported with `wanted`.
    #[must_use]
    pub fn at_path(report: &'a FileReport, path: String, node: &'a DocNode, wanted: &str) -> Option<Self> {
        let Some(entries) = node.entries() else {
            let message = format!("{path}: {wanted}, not {}", node.describe());
            report.error("wrong_type", message, report.first_line(node.span), None);
            return None;
        };
        let (known, reported) = (Vec::new(), Vec::new());
        Some(Self { report, owner: String::new(), path: Some(path), entries, place: node.span, known, reported })
    }

    /// The path of the mapping; empty if messages do not start with it.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.as_deref().unwrap_or_default()
    }

    /// The location of a field's key, if the field is there and not empty.
    #[must_use]
    pub fn key_span(&self, key: &str) -> Option<ByteSpan> {
        self.entries.iter().find(|entry| entry.key == key && !entry.value.is_null()).map(|entry| entry.key_span)
    }

    /// Reports an error in a value.
    pub fn report_fault(&self, code: &'static str, message: impl Display, span: ByteSpan, help: impl Into<NextStep>) {
        match &self.path {
            Some(path) => self.report.error(code, format!("{path}: {message}"), self.report.first_line(span), help),
            None => self.report.value_error(code, message, span, help),
        }
    }

    /// The text of a node.
    fn text_of(&self, node: &DocNode) -> Option<String> {
        match &node.kind {
            NodeKind::Scalar(scalar) if self.path.is_some() && !node.is_null() => Some(scalar.text.clone()),
            _ => node.as_text().map(str::to_owned),
        }
    }

    /// Reads the value of an entry. `kind` names what the entry declares, such as `agent`.
    #[must_use]
    pub fn of_entry(report: &'a FileReport, kind: &str, entry: &'a MapEntry) -> Self {
        Self::new(report, format!("{kind} `{}`", entry.key), Some(&entry.value), entry.key_span)
    }

    /// The location of the mapping.
    #[must_use]
    pub fn span(&self) -> ByteSpan {
        self.place
    }

    /// The report for errors.
    #[must_use]
    pub fn report(&self) -> &'a FileReport {
        self.report
    }

    /// A field's node, marked as known.
    pub fn node(&mut self, key: &'static str) -> Option<&'a DocNode> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        let node = self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        node.filter(|node| self.path.is_none() || !node.is_null())
    }

    /// The location of a field; that of the mapping if it is absent.
    pub fn span_of(&mut self, key: &'static str) -> ByteSpan {
        self.node(key).map_or(self.place, |node| node.span)
    }

    /// A field's node, unless it is empty.
    fn non_empty_node(&mut self, key: &'static str) -> Option<&'a DocNode> {
        self.node(key).filter(|node| !node.is_null())
    }

    /// A string.
    pub fn text(&mut self, key: &'static str) -> Option<String> {
        let node = self.non_empty_node(key)?;
        self.text_of(node).or_else(|| self.report_wrong_type(key, node, "a string"))
    }

    /// A Starlark script, with its location.
    pub fn script(&mut self, key: &'static str) -> Option<ScriptSource> {
        let node = self.node(key)?;
        match &node.kind {
            NodeKind::Scalar(scalar) if scalar.plain_value() == PlainValue::Text => Some(ScriptSource {
                text: Arc::from(scalar.text.as_str()),
                location: self.report.location(node.span),
                first_line: scalar.first_line,
                indent: scalar.indent,
            }),
            _ => self.report_wrong_type(key, node, "a string"),
        }
    }

    /// A whole number.
    pub fn integer<T>(&mut self, key: &'static str, range: RangeInclusive<T>) -> Option<T>
    where
        T: TryFrom<i128> + Display + PartialOrd,
    {
        let node = self.node(key)?;
        let Some(PlainValue::Integer(value)) = node.plain_value() else {
            return self.report_wrong_type(key, node, "a whole number");
        };
        let fitting = T::try_from(value).ok().filter(|value| range.contains(value));
        if fitting.is_none() {
            let message = format!("{key} must be between {} and {}, not `{value}`", range.start(), range.end());
            self.report_fault("bad_value", message, node.span, None);
        }
        fitting
    }

    /// A number.
    pub fn number(&mut self, key: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let node = self.node(key)?;
        let Some(value) = node.as_number() else {
            return self.report_wrong_type(key, node, "a number");
        };
        if !range.contains(&value) {
            let message = format!("{key} must be between {} and {}, not `{value}`", range.start(), range.end());
            self.report_fault("bad_value", message, node.span, None);
            return None;
        }
        Some(value)
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let node = self.node(key)?;
        node.as_boolean().or_else(|| self.report_wrong_type(key, node, "true or false"))
    }

    /// One of a set of words.
    pub fn choice<T: Clone>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let node = self.non_empty_node(key)?;
        let Some(text) = self.text_of(node) else {
            return self.report_wrong_type(key, node, "a string");
        };
        let text = text.as_str();
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| value.clone());
        if found.is_none() {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            let near = did_you_mean(text, words.iter().map(|(word, _)| *word));
            let message = format!("{key} must be {}, not `{text}`", all.join(" or "));
            self.report_fault("bad_value", message, node.span, near);
        }
        found
    }

    /// A list of strings; empty if absent.
    pub fn texts(&mut self, key: &'static str) -> Vec<String> {
        let single = self.path.is_some().then(|| self.non_empty_node(key)).flatten();
        let items = match single.filter(|node| node.items().is_none()) {
            Some(node) => std::slice::from_ref(node),
            None => self.list(key).unwrap_or_default(),
        };
        let text = |item| self.text_of(item).or_else(|| self.report_wrong_type(key, item, "a list of strings"));
        items.iter().filter_map(text).collect()
    }

    /// A mapping of strings, in the order written. Numbers and booleans are accepted as strings; empty if absent.
    pub fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        let Some(node) = self.non_empty_node(key) else { return Vec::new() };
        let Some(entries) = node.entries() else {
            return self.report_wrong_type(key, node, "a mapping of strings").unwrap_or_default();
        };
        let pair = |entry: &MapEntry| match &entry.value.kind {
            NodeKind::Scalar(_) if self.path.is_some() && entry.value.is_null() => {
                Some((entry.key.clone(), String::new()))
            }
            NodeKind::Scalar(scalar) => Some((entry.key.clone(), scalar.text.clone())),
            _ => self.report_wrong_type(&format!("{key}.{}", entry.key), &entry.value, "a string"),
        };
        entries.iter().filter_map(pair).collect()
    }

    /// A list.
    pub fn list(&mut self, key: &'static str) -> Option<&'a [DocNode]> {
        let node = self.non_empty_node(key)?;
        node.items().or_else(|| self.report_wrong_type(key, node, "a list"))
    }

    /// A mapping's fields.
    pub fn fields(&mut self, key: &'static str) -> Option<FieldReader<'a>> {
        let node = self.non_empty_node(key)?;
        if node.entries().is_none() {
            return self.report_wrong_type(key, node, "a mapping");
        }
        if let Some(path) = &self.path {
            return Self::at_path(self.report, format!("{path}.{key}"), node, "must be a mapping");
        }
        Some(FieldReader::new(self.report, format!("`{key}` of {}", self.owner), Some(node), node.span))
    }

    /// Warns, if the field is present and not switched off, that it is not supported yet.
    pub fn warn_unsupported(&mut self, key: &'static str, help: &str) {
        if let Some(node) = self.node(key).filter(|node| !is_off(node)) {
            self.report.warning("not_supported", format!("`{key}` is not supported yet"), node.span, help);
        }
    }

    /// Refuses the field if it is present and not switched off: without it, less would be restricted than its author
    /// intended.
    pub fn refuse_unsupported(&mut self, key: &'static str, help: &str) {
        if let Some(node) = self.node(key).filter(|node| !is_off(node)) {
            self.report_fault("not_supported", format!("`{key}` is not supported yet"), node.span, help);
        }
    }

    /// Notes, if the field is present, that it is reserved.
    pub fn note_reserved(&mut self, key: &'static str) {
        if let Some(node) = self.non_empty_node(key) {
            let message = format!("`{key}` of {} is reserved and has no effect", self.owner);
            self.report.note("reserved_key", message, node.span, None);
        }
    }

    fn report_wrong_type<T>(&self, key: &str, node: &DocNode, wanted: &str) -> Option<T> {
        let message = format!("{key} must be {wanted}, not {}", node.describe());
        let help = match (&node.kind, wanted) {
            (NodeKind::Scalar(scalar), "a string") if !scalar.text.is_empty() => {
                Some(format!("put it in quotes: \"{}\"", scalar.text))
            }
            (NodeKind::Scalar(scalar), "a string") if scalar.text.is_empty() => {
                Some(format!("remove `{key}`, or write `{key}: \"\"`"))
            }
            (NodeKind::Scalar(_), "a list" | "a list of strings") => {
                Some(String::from("write each item on its own line after `- `"))
            }
            (NodeKind::Scalar(scalar), "a whole number")
                if scalar.plain_value() == PlainValue::Text && scalar.text.trim().parse::<i64>().is_ok() =>
            {
                Some(String::from("remove the quotes"))
            }
            (NodeKind::Scalar(_), "a whole number" | "a number") => {
                Some(format!("write only digits, for example `{key}: 10`"))
            }
            (_, "a mapping of strings") => Some(String::from("write lines such as `NAME: value`")),
            (_, "true or false") => Some(format!("write `{key}: true` or `{key}: false`")),
            (NodeKind::List(items), "a string") => match items.as_slice() {
                [item] if item.as_text().is_some() => Some(String::from("write it without the brackets or the dash")),
                _ => Some(format!("only one value is allowed: write text after `{key}:`")),
            },
            (NodeKind::Map(_), "a string") => {
                Some(format!("write `{key}: |` and indent the text on the lines below, or put it in quotes"))
            }
            _ => None,
        };
        self.report_fault("wrong_type", message, node.span, help);
        None
    }
}

/// Whether a value switches its key off: empty, `false`, or an empty list or mapping.
fn is_off(node: &DocNode) -> bool {
    match &node.kind {
        NodeKind::Scalar(scalar) => matches!(scalar.plain_value(), PlainValue::Null | PlainValue::Boolean(false)),
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Map(entries) => entries.is_empty(),
    }
}

impl<'a> FieldReader<'a> {
    /// Warns, if the field is present, that it is unknown, with a specific help.
    pub fn misplaced(&mut self, key: &'static str, help: &str) {
        self.reported.push(key);
        if let Some(entry) = self.entries.iter().find(|entry| entry.key == key) {
            self.report.warning("unknown_key", self.describe_unknown(key), entry.key_span, help);
        }
    }

    /// Warns of every unknown field, such as a misspelt key in a hook file.
    pub fn finish(self) {
        self.warn_unread(&[]);
    }

    fn warn_unread(&self, reported: &[&str]) {
        for entry in self.entries {
            let key = entry.key.as_str();
            if self.known.contains(&key) || self.reported.contains(&key) || reported.contains(&key) {
                continue;
            }
            let help = suggest_or_list(key, self.usable(), "known keys:");
            self.report.warning("unknown_key", self.describe_unknown(key), entry.key_span, help);
        }
    }

    /// Like [`finish`](Self::finish), but a key that is probably a misspelling of one of `guarding` is an error,
    /// because the restriction it was meant to set would not apply.
    pub fn finish_guarding(self, guarding: &[&str]) {
        let mut refused: Vec<&str> = Vec::new();
        let usable: Vec<&'static str> = self.usable().collect();
        for entry in self.unread().filter(|entry| !self.reported.contains(&entry.key.as_str())) {
            if let Some(near) = suggest_key(&entry.key, &usable).filter(|near| guarding.contains(near)) {
                let message = format!("unknown key `{}` in {}", entry.key, self.owner);
                self.report.value_error("unknown_key", message, entry.key_span, format!("did you mean `{near}`?"));
                refused.push(&entry.key);
            }
        }
        self.warn_unread(&refused);
    }

    /// Like [`finish_guarding`](Self::finish_guarding), with every known key as a guarding one.
    pub fn finish_guarding_all(self) {
        let known = self.known.clone();
        self.finish_guarding(&known);
    }

    /// The keys that were read.
    pub(in crate::document) fn known_keys(&self) -> impl Iterator<Item = &'static str> {
        self.known.iter().copied()
    }

    /// The known keys, without those that belong elsewhere.
    fn usable(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.known.iter().copied().filter(|key| !self.reported.contains(key))
    }

    /// The fields that were not read yet.
    pub fn unread(&self) -> impl Iterator<Item = &'a MapEntry> + use<'a, '_> {
        self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str()))
    }

    /// The first field that was neither read nor reported.
    pub fn unknown_key(&self) -> Option<&'a MapEntry> {
        self.unread().find(|entry| !self.reported.contains(&entry.key.as_str()))
    }

    /// Reports every unknown field as an error, for formats that are read strictly.
    pub fn finish_strictly(self) {
        self.finish_advising(|_| None);
    }

    /// Like [`finish_strictly`](Self::finish_strictly); `advise` may know better help for a key than the nearest name.
    pub fn finish_advising(self, advise: impl Fn(&str) -> Option<String>) {
        for entry in self.unread() {
            let help = advise(&entry.key).unwrap_or_else(|| suggest_or_list(&entry.key, self.usable(), "known keys:"));
            match &self.path {
                Some(path) => {
                    let message = format!("{path}: unknown key `{}`", entry.key);
                    self.report.error("unknown_key", message, entry.key_span, help);
                }
                None => {
                    let message = format!("unknown key `{}` in {}", entry.key, self.owner);
                    self.report.value_error("unknown_key", message, entry.key_span, help);
                }
            }
        }
    }

    fn describe_unknown(&self, key: &str) -> String {
        format!("unknown key `{key}` in {}, which has no effect", self.owner)
    }
}

/// The maximum length of a key for which a similar one is searched; the search costs the square of the length.
const MAX_KEY: usize = 64;

/// The known key that was probably meant, in any spelling: `HookScript`, `toolsPolicy`, `tools-policy`.
fn suggest_key(written: &str, known: &[&'static str]) -> Option<&'static str> {
    if written.len() > MAX_KEY {
        return None;
    }
    let squeezed = |key: &str| -> String {
        key.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let plain = squeezed(written);
    let words: Vec<String> = known.iter().map(|key| squeezed(key)).collect();
    let near = suggest_nearest(&plain, words.iter().map(String::as_str))?;
    known.iter().zip(&words).find(|(_, word)| *word == near).map(|(key, _)| *key)
}
