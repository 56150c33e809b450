//! Reports keys that docker-agent has and Pintle does not implement. Such a docker-agent key is not read, but none of
//! them is ignored silently.

use crate::document::{DocNode, FieldReader, NodeKind, PlainValue};

/// A key that Pintle does not implement.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnsupportedKey {
    key: &'static str,
    help: &'static str,
    /// Whether ignoring it would let the agent do more than its author intended.
    restricts: bool,
}

impl UnsupportedKey {
    /// A feature that the agent lacks without the key: a warning.
    pub(super) const fn feature(key: &'static str, help: &'static str) -> Self {
        Self { key, help, restricts: false }
    }

    /// A restriction that would not be enforced without the key: an error.
    pub(super) const fn restriction(key: &'static str, help: &'static str) -> Self {
        Self { key, help, restricts: true }
    }
}

/// Reports each of the keys that is set and not switched off.
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

/// Whether the value switches the key off: empty, `false`, or an empty list or mapping.
fn is_off(node: &DocNode) -> bool {
    match &node.kind {
        NodeKind::Scalar(scalar) => matches!(scalar.plain_value(), PlainValue::Null | PlainValue::Boolean(false)),
        NodeKind::List(items) => items.is_empty(),
        NodeKind::Map(entries) => entries.is_empty(),
    }
}
