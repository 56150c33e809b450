//! Reads a settings file around its hooks.

use pintle_contract::HookDeclaration;

use super::{ClientSource, events};
use crate::document::DocNode;

/// Options of a file that apply to all of its hooks.
#[derive(Debug, Default)]
pub(super) struct FileOptions {
    /// The allowed URLs; `None` allows any.
    pub(super) addresses: Option<Vec<String>>,
    /// The environment variables that headers may use; `None` leaves it to each hook.
    pub(super) variables: Option<Vec<String>>,
    /// Disabled hooks, by name or command.
    pub(super) disabled: Vec<String>,
}

/// Reads a document: `hooks` and the options next to it. If it has no `hooks` and its keys are events, the document
/// itself is the hooks.
pub(super) fn read(source: &ClientSource<'_>, document: &DocNode) -> Vec<HookDeclaration> {
    let Some(entries) = document.entries() else {
        let message = format!("the file must be an object, not {}", document.describe());
        source.report.value_error("wrong_type", &message, document.span, Some(String::from("write `{\"hooks\": {}}`")));
        return Vec::new();
    };
    let is_event = |key: &str| source.client.event_def(key).is_some();
    let hooks = match document.get("hooks") {
        Some(hooks) => hooks,
        None if entries.iter().any(|entry| is_event(&entry.key)) => document,
        None => return Vec::new(),
    };
    let off = [document.get("disableAllHooks"), document.get("hooksConfig").and_then(|inner| inner.get("disabled"))];
    let off = off.into_iter().flatten().find(|node| node.as_boolean() == Some(true));
    let enabled = [document.get("hooksConfig"), Some(hooks)].into_iter().flatten();
    let not_on = enabled.filter_map(|inner| inner.get("enabled")).find(|node| node.as_boolean() == Some(false));
    if let Some(switch) = off.or(not_on) {
        let message = String::from("this setting switches off all hooks in the file, so none is loaded");
        let help = Some(String::from("remove the setting to load them"));
        source.report.warning("switched_off", message, switch.span, help);
        return Vec::new();
    }
    let of_config = document.get("hooksConfig").and_then(|inner| inner.get("disabled")).and_then(read_texts);
    let whole = FileOptions {
        addresses: document.get("allowedHttpHookUrls").and_then(read_texts),
        variables: document.get("httpHookAllowedEnvVars").and_then(read_texts),
        disabled: hooks.get("disabled").and_then(read_texts).or(of_config).unwrap_or_default(),
    };
    events::read(source, &whole, hooks)
}

fn read_texts(node: &DocNode) -> Option<Vec<String>> {
    Some(node.items()?.iter().filter_map(DocNode::as_text).map(str::to_owned).collect())
}
