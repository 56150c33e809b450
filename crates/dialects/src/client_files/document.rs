//! Reads a settings file around its hooks.

use pintle_contract::{HookDeclaration, suggest_nearest};

use super::{ClientSource, events};
use crate::document::{DocNode, MapEntry, NodeKind};

/// Options of a file that apply to all of its hooks.
#[derive(Debug, Default)]
pub(super) struct FileOptions {
    /// The allowed URLs; `None` allows any.
    pub(super) addresses: Option<Vec<String>>,
    /// The environment variables that headers may use; `None` leaves it to each hook.
    pub(super) variables: Option<Vec<String>>,
    /// Disabled hooks, by name or command.
    pub(super) disabled: Vec<String>,
    /// The environment variables of the session, which its commands see.
    pub(super) environment: Vec<(String, String)>,
}

/// Reads a document: `hooks` and the options next to it. If it has no `hooks` and its keys are events, the document
/// itself is the hooks.
pub(super) fn read(source: &ClientSource<'_>, document: &DocNode) -> Vec<HookDeclaration> {
    let Some(entries) = source.report.entries("the file", "an object", document, "write `{\"hooks\": {}}`") else {
        return Vec::new();
    };
    let is_event = |key: &str| source.client.event_def(key).is_some();
    let hooks = match document.get("hooks") {
        Some(hooks) => hooks,
        None if entries.iter().any(|entry| is_event(&entry.key)) => document,
        None => {
            report_missing_hooks(source, document, entries);
            return Vec::new();
        }
    };
    let off = [document.get("disableAllHooks"), document.get("hooksConfig").and_then(|inner| inner.get("disabled"))];
    let off = off.into_iter().flatten().find(|node| node.as_boolean() == Some(true));
    let enabled = [document.get("hooksConfig"), Some(hooks)].into_iter().flatten();
    let not_on = enabled.filter_map(|inner| inner.get("enabled")).find(|node| node.as_boolean() == Some(false));
    if let Some(switch) = off.or(not_on) {
        let message = String::from("this setting switches off all hooks in the file, so none is loaded");
        source.report.warning("switched_off", message, switch.span, "remove the setting to load them");
        return Vec::new();
    }
    let of_config = document.get("hooksConfig").and_then(|inner| inner.get("disabled")).and_then(read_texts);
    let whole = FileOptions {
        addresses: document.get("allowedHttpHookUrls").and_then(read_texts),
        variables: document.get("httpHookAllowedEnvVars").and_then(read_texts),
        disabled: hooks.get("disabled").and_then(read_texts).or(of_config).unwrap_or_default(),
        environment: document.get("env").map(read_pairs).unwrap_or_default(),
    };
    events::read(source, &whole, hooks)
}

/// Reports a document without hooks, unless it is one of the client's settings, which need none.
fn report_missing_hooks(source: &ClientSource<'_>, document: &DocNode, entries: &[MapEntry]) {
    let file = source.report.file();
    let near = entries.iter().find(|entry| suggest_nearest(&entry.key, ["hooks"]).is_some());
    let (span, help) = match near {
        Some(entry) => (entry.key_span, format!("rename `{}` to `hooks`", entry.key)),
        None if pintle_clients::recognise(&file.path, &file.text).is_none() => {
            (document.span, String::from("write `{\"hooks\": {}}`, or name another file"))
        }
        None => return,
    };
    source.report.value_error("missing_hooks", "the file has no `hooks`, so nothing in it runs", span, help);
}

fn read_pairs(node: &DocNode) -> Vec<(String, String)> {
    let pair = |entry: &MapEntry| match &entry.value.kind {
        NodeKind::Scalar(scalar) if !entry.value.is_null() => Some((entry.key.clone(), scalar.text.clone())),
        _ => None,
    };
    node.entries().into_iter().flatten().filter_map(pair).collect()
}

fn read_texts(node: &DocNode) -> Option<Vec<String>> {
    Some(node.items()?.iter().filter_map(DocNode::as_text).map(str::to_owned).collect())
}
