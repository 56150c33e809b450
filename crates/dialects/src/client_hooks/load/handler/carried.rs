//! The fields of one handler, and which of them the agent has.

use pintle_contract::ByteSpan;

use super::Around;
use crate::client_hooks::client::Client;
use crate::client_hooks::load::{Source, tell};
use crate::client_hooks::row::Row;
use crate::document::{Fields, Kind, Node};

/// The fields of one handler. A key that the agent does not have is unknown, whoever else has it.
#[derive(Debug)]
pub(super) struct Carried<'a> {
    around: &'a Around<'a>,
    node: &'a Node,
    pub(super) fields: Fields<'a>,
}

impl<'a> Carried<'a> {
    pub(super) fn new(around: &'a Around<'a>, path: &str, node: &'a Node) -> Self {
        let fields = Fields::new(around.source.report, format!("the hook {path}"), Some(node), node.span);
        Self { around, node, fields }
    }

    pub(super) fn client(&self) -> &'static Client {
        self.around.source.client
    }

    pub(super) fn source(&self) -> &'a Source<'a> {
        self.around.source
    }

    pub(super) fn row(&self) -> &'static Row {
        self.around.row
    }

    /// The first line of the handler.
    pub(super) fn place(&self) -> ByteSpan {
        tell::first_line(self.around.source, self.node.span)
    }

    fn has(&self, key: &str) -> bool {
        self.client().settings.keys.contains(&key)
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        self.has(key).then(|| self.fields.text(key)).flatten()
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let is_there = self.has(key) && self.node.get(key).is_some_and(|node| !node.is_null());
        is_there.then(|| self.fields.texts(key))
    }

    pub(super) fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        if self.has(key) { self.fields.pairs(key) } else { Vec::new() }
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.has(key).then(|| self.fields.boolean(key)).flatten()
    }

    pub(super) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.has(key).then(|| self.fields.number(key, 0.0..=86_400_000.0)).flatten()
    }

    pub(super) fn choice<T: Clone>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        self.has(key).then(|| self.fields.choice(key, words)).flatten()
    }

    /// Tells that something has no effect, at its key.
    pub(super) fn idle(&self, code: &'static str, message: String, key: &str, help: &str) {
        tell::idle(self.source(), code, message, self.key(key), Some(help.to_owned()));
    }

    fn key(&self, key: &str) -> ByteSpan {
        let entry = match &self.node.kind {
            Kind::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        };
        entry.map_or(self.node.span, |entry| entry.key_span)
    }

    /// Tells what is not carried over, and which keys mean nothing.
    pub(super) fn finish(mut self) {
        for (key, severity, why) in self.client().settings.lost {
            let is_on = self.fields.node(key).is_some_and(|node| {
                !node.is_null() && crate::client_hooks::load::document::boolean(node) != Some(false)
            });
            if is_on {
                tell::lost(self.source(), *severity, &format!("`{key}`"), why, self.key(key));
            }
        }
        for key in self.client().settings.keys {
            self.fields.node(key);
        }
        self.fields.finish();
    }
}
