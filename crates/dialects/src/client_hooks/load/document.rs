//! A settings file around its hooks.

use pintle_contract::HookDeclaration;

use super::{Source, events, tell};
use crate::document::{Kind, Node, Plain};

/// What a file says about all of its hooks.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// The addresses that may be asked; `None` is any.
    pub(super) addresses: Option<Vec<String>>,
    /// The variables that headers may hold; `None` is what each hook says.
    pub(super) variables: Option<Vec<String>>,
    /// Hooks that are switched off, by name or command.
    pub(super) disabled: Vec<String>,
}

/// Reads a document: `hooks` and what stands beside it. A document without it whose keys are events is the hooks
/// themselves.
pub(super) fn read(source: &Source<'_>, document: &Node) -> Vec<HookDeclaration> {
    let Kind::Map(entries) = &document.kind else {
        let message = format!("the file must be an object, not {}", document.describe());
        source.report.value_error("wrong_type", &message, document.span, Some(String::from("write `{\"hooks\": {}}`")));
        return Vec::new();
    };
    let is_event = |key: &str| source.client.row(key).is_some();
    let hooks = match document.get("hooks") {
        Some(hooks) => hooks,
        None if entries.iter().any(|entry| is_event(&entry.key)) => document,
        None => return Vec::new(),
    };
    let off = [document.get("disableAllHooks"), document.get("hooksConfig").and_then(|inner| inner.get("disabled"))];
    let off = off.into_iter().flatten().find(|node| boolean(node) == Some(true));
    let enabled = [document.get("hooksConfig"), Some(hooks)].into_iter().flatten();
    let not_on = enabled.filter_map(|inner| inner.get("enabled")).find(|node| boolean(node) == Some(false));
    if let Some(switch) = off.or(not_on) {
        let message = String::from("all hooks of this file are switched off here, so none is read");
        let help = Some(String::from("remove the switch to have them asked"));
        tell::idle(source, "switched_off", message, switch.span, help);
        return Vec::new();
    }
    let of_config = document.get("hooksConfig").and_then(|inner| inner.get("disabled")).and_then(texts);
    let whole = Whole {
        addresses: document.get("allowedHttpHookUrls").and_then(texts),
        variables: document.get("httpHookAllowedEnvVars").and_then(texts),
        disabled: hooks.get("disabled").and_then(texts).or(of_config).unwrap_or_default(),
    };
    events::read(source, &whole, hooks)
}

pub(super) fn boolean(node: &Node) -> Option<bool> {
    match &node.kind {
        Kind::Scalar(scalar) => match scalar.plain() {
            Plain::Boolean(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn texts(node: &Node) -> Option<Vec<String>> {
    match &node.kind {
        Kind::List(items) => Some(items.iter().filter_map(Node::as_text).map(str::to_owned).collect()),
        _ => None,
    }
}
