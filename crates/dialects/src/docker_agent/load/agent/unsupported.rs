//! Keys that docker-agent has and Pintle does not implement. None of them is passed over in silence.

use crate::document::{DocNode, FieldReader, NodeKind, PlainValue};

/// One such key.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnsupportedKey {
    key: &'static str,
    help: &'static str,
    /// Whether the agent could do more without it than its author wrote.
    restricts: bool,
}

impl UnsupportedKey {
    /// Something that the agent lacks without it: a warning.
    pub(super) const fn feature(key: &'static str, help: &'static str) -> Self {
        Self { key, help, restricts: false }
    }

    /// Something that keeps the agent from doing things: an error.
    pub(super) const fn restriction(key: &'static str, help: &'static str) -> Self {
        Self { key, help, restricts: true }
    }
}

/// Says of each key that is there, and not switched off, that it has no effect.
pub(super) fn report_unsupported(fields: &mut FieldReader<'_>, keys: &[UnsupportedKey]) {
    for missing in keys {
        let Some(node) = fields.node(missing.key).filter(|node| !is_off(node)) else { continue };
        let message = format!("`{}` is not supported yet", missing.key);
        let help = Some(missing.help.to_owned());
        if missing.restricts {
            fields.report().value_error("not_supported", &message, node.span, help);
        } else {
            fields.report().warning("not_supported", message, node.span, help);
        }
    }
}

/// Whether the value says that the key is not wanted: empty, `false`, or an empty list or mapping.
fn is_off(node: &DocNode) -> bool {
    match &node.kind {
        NodeKind::Scalar(scalar) => matches!(scalar.plain_value(), PlainValue::Null | PlainValue::Boolean(false)),
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Map(entries) => entries.is_empty(),
    }
}
