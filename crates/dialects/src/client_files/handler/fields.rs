//! Reads the fields of one handler, and checks which of them the client has.

use pintle_contract::ByteSpan;

use super::HandlerContext;
use crate::client_files::{ClientSource, diagnostics};
use crate::document::{DocNode, FieldReader};
use pintle_clients::ClientDef;
use pintle_clients::ClientEventDef;

/// The fields of one handler. A key that the client does not have is unknown, even if another client has it.
#[derive(Debug)]
pub(super) struct HandlerFields<'a> {
    context: &'a HandlerContext<'a>,
    node: &'a DocNode,
    pub(super) fields: FieldReader<'a>,
}

impl<'a> HandlerFields<'a> {
    pub(super) fn new(context: &'a HandlerContext<'a>, path: &str, node: &'a DocNode) -> Self {
        let fields = FieldReader::new(context.source.report, format!("the hook {path}"), Some(node), node.span);
        Self { context, node, fields }
    }

    pub(super) fn client(&self) -> &'static ClientDef {
        self.context.source.client
    }

    pub(super) fn source(&self) -> &'a ClientSource<'a> {
        self.context.source
    }

    pub(super) fn def(&self) -> &'static ClientEventDef {
        self.context.def
    }

    pub(super) fn first_line(&self) -> ByteSpan {
        self.context.source.report.first_line(self.node.span)
    }

    fn has_key(&self, key: &str) -> bool {
        self.client().settings.keys.contains(&key)
    }

    pub(super) fn text(&mut self, key: &'static str) -> Option<String> {
        self.has_key(key).then(|| self.fields.text(key)).flatten()
    }

    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let is_there = self.has_key(key) && self.node.get(key).is_some_and(|node| !node.is_null());
        is_there.then(|| self.fields.texts(key))
    }

    pub(super) fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        if self.has_key(key) { self.fields.pairs(key) } else { Vec::new() }
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.has_key(key).then(|| self.fields.boolean(key)).flatten()
    }

    pub(super) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.has_key(key).then(|| self.fields.number(key, 0.0..=86_400_000.0)).flatten()
    }

    /// Reports a field that has no effect, at its key.
    pub(super) fn warn_no_effect(&self, code: &'static str, message: String, key: &str, help: &str) {
        self.source().report.warning(code, message, self.key_span(key), help);
    }

    fn key_span(&self, key: &str) -> ByteSpan {
        let mut entries = self.node.entries().unwrap_or_default().iter();
        entries.find(|entry| entry.key == key).map_or(self.node.span, |entry| entry.key_span)
    }

    /// Reports unsupported and unknown keys, such as a misspelt key in a hook file of a client.
    pub(super) fn finish(mut self) {
        for (key, severity, reason) in self.client().settings.not_carried_over {
            if self.fields.node(key).is_some_and(|node| !node.is_null() && node.as_boolean() != Some(false)) {
                let (what, span) = (format!("`{key}`"), self.key_span(key));
                diagnostics::not_carried_over(self.source(), *severity, &what, reason, span);
            }
        }
        for key in self.client().settings.keys {
            self.fields.node(key);
        }
        self.fields.finish();
    }
}
