//! Reads a settings file: the options around its hooks, and the hooks of each event, which are groups with a matcher or
//! handlers that each have one.

use pintle_clients::matcher::SubjectPattern;
use pintle_clients::{ClientEventDef, HookLayout};
use pintle_contract::{HookDeclaration, Profile, did_you_mean, suggest_nearest};

use super::handler::HandlerContext;
use super::{ClientSource, event_not_carried_over, handler};
use crate::document::{DocNode, MapEntry, NodeKind};

/// The keys of a group of handlers.
pub(crate) const GROUP_KEYS: [&str; 6] = ["matcher", "hooks", "sequential", "description", "id", "name"];

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
    read_events(source, &whole, hooks)
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

fn read_events(source: &ClientSource<'_>, options: &FileOptions, hooks: &DocNode) -> Vec<HookDeclaration> {
    let Some(entries) =
        source.report.entries("hooks", "an object of events", hooks, "write `\"hooks\": {\"PreToolUse\": []}`")
    else {
        return Vec::new();
    };
    let mut declared = Vec::new();
    for entry in entries {
        if let Some(def) = find_event_def(source, entry) {
            declared.extend(read_event(source, options, def, &entry.value));
        }
    }
    declared
}

/// Finds the definition of the event that a key names.
fn find_event_def(source: &ClientSource<'_>, entry: &MapEntry) -> Option<&'static ClientEventDef> {
    let (client, name) = (source.client, entry.key.as_str());
    if let Some(def) = client.event_def(name) {
        return Some(def);
    }
    if let Some(elsewhere) = client.unmapped_events.iter().find(|elsewhere| elsewhere.names.contains(&name)) {
        // Pintle's own entries are not hooks of the project.
        if !has_only_own_commands(&entry.value) {
            event_not_carried_over(source, name, elsewhere.reason, entry.key_span);
        }
        return None;
    }
    // Keys next to the events, and keys of a separate hook file.
    let beside = ["version", "description", "$schema"];
    if client.settings.non_event_keys.contains(&name)
        || beside.contains(&name)
        || matches!(entry.value.kind, NodeKind::Scalar(_))
    {
        return None;
    }
    let elsewhere = client.unmapped_events.iter().flat_map(|elsewhere| elsewhere.names.iter().copied());
    let help = did_you_mean(name, client.hook_events().map(|def| def.name).chain(elsewhere));
    let message = format!("{} has no event `{name}`, so its hooks never run", client.title);
    source.report.warning("unknown_event", message, entry.key_span, help);
    None
}

/// Whether the hooks of an event are those with which Pintle is installed.
fn has_only_own_commands(event: &DocNode) -> bool {
    let groups = event.items().unwrap_or_default().iter();
    let mut hooks = groups.flat_map(|group| group.get("hooks").and_then(DocNode::items).unwrap_or_default()).peekable();
    let is_own =
        |hook: &DocNode| hook.get("command").and_then(DocNode::as_text).is_some_and(handler::is_pintle_command);
    hooks.peek().is_some() && hooks.all(is_own)
}

fn read_event(
    source: &ClientSource<'_>,
    options: &FileOptions,
    client_event_def: &'static ClientEventDef,
    node: &DocNode,
) -> Vec<HookDeclaration> {
    let Some(items) = read_list(source, &format!("`{}`", client_event_def.name), node) else { return Vec::new() };
    let is_sequential = items.iter().any(|group| group.get("sequential").and_then(DocNode::as_boolean) == Some(true));
    let profile = if is_sequential { Profile::SequentialRunAll } else { Profile::ParallelStrictest };
    let mut declared = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("{}[{index}]", client_event_def.name);
        let context = HandlerContext { source, file_options: options, def: client_event_def, profile, pattern: None };
        match source.client.settings.layout {
            HookLayout::Groups => declared.extend(read_group(&context, &path, item)),
            HookLayout::Flat => {
                let context = HandlerContext { pattern: read_pattern(&context, item), ..context.clone() };
                declared.extend(handler::read(&context, &path, item));
            }
        }
    }
    declared
}

fn read_group(context: &HandlerContext<'_>, path: &str, node: &DocNode) -> Vec<HookDeclaration> {
    let report = context.source.report;
    let Some(entries) = report.entries(format_args!("{path}"), "an object with `hooks`", node, None) else {
        return Vec::new();
    };
    let Some(hooks) = node.get("hooks") else {
        // Entries with a `path` belong to another dialect, which reads the same file.
        if node.get("path").is_none() {
            let message = format!("{path} has no `hooks` list, so nothing in it runs");
            let help = "write `{\"matcher\": \"..\", \"hooks\": [{\"type\": \"command\", \"command\": \"..\"}]}`";
            context.source.report.warning("missing_field", message, node.span, help);
        }
        return Vec::new();
    };
    for entry in entries {
        if !GROUP_KEYS.contains(&entry.key.as_str()) {
            let help = did_you_mean(&entry.key, ["matcher", "hooks", "sequential"]);
            let message = format!("unknown key `{}` in {path}, which has no effect", entry.key);
            context.source.report.warning("unknown_key", message, entry.key_span, help);
        }
    }
    let Some(items) = read_list(context.source, &format!("`hooks` of {path}"), hooks) else { return Vec::new() };
    let context = HandlerContext { pattern: read_pattern(context, node), ..context.clone() };
    let read = |(index, item)| handler::read(&context, &format!("{path}.hooks[{index}]"), item);
    items.iter().enumerate().flat_map(read).collect()
}

/// Reads the matcher of a group or a handler. An invalid matcher matches everything, so that no guard is lost.
fn read_pattern(context: &HandlerContext<'_>, node: &DocNode) -> Option<SubjectPattern> {
    let written = node.get("matcher").filter(|node| !node.is_null())?;
    let Some(text) = written.as_text() else {
        let message = format!("matcher must be a string, not {}; its hooks run every time", written.describe());
        context.source.report.warning("bad_matcher", message, written.span, None);
        return None;
    };
    context.def.subject?;
    match SubjectPattern::new(context.def.style.matcher, text) {
        Ok(pattern) => {
            if let Some(pattern) = pattern.as_ref().filter(|_| context.def.is_tool) {
                check_pattern(context, pattern, written);
            }
            pattern
        }
        Err(reason) => {
            let message = format!("the matcher `{text}` is invalid ({reason}); its hooks run every time");
            let help = "write names separated by `|`, or a plain regular expression";
            context.source.report.warning("bad_matcher", message, written.span, help);
            None
        }
    }
}

/// Reports names in a matcher that no tool has: its hooks would never run, without a word.
fn check_pattern(context: &HandlerContext<'_>, pattern: &SubjectPattern, written: &DocNode) {
    let HandlerContext { source, def, .. } = context;
    let (title, report) = (source.client.title, source.report);
    let own = def.style.tools.tools.iter().flat_map(|tool| tool.native_names).copied();
    let second = source.client.settings.alternate_names.iter().flat_map(|(_, names)| names.iter().copied());
    let known: Vec<&str> = own.chain(second).collect();
    let text = pattern.text();
    let is_rule =
        |name: &str| known.iter().any(|tool| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('(')));
    let names: Vec<&str> = match pattern.names() {
        Some(names) => names.iter().map(String::as_str).collect(),
        // An expression may be about tools of servers, or of extensions.
        None if known.iter().any(|tool| pattern.matches(tool)) || text.contains("mcp") && !is_rule(text) => return,
        None => vec![text],
    };
    for name in names.into_iter().filter(|name| !known.contains(name)) {
        let server = name.strip_prefix("mcp__");
        let plain = name.trim_matches(|letter: char| !letter.is_alphanumeric());
        let (message, help) = match server {
            Some(rest) if rest.contains("__") => continue,
            Some(_) => (
                format!("the matcher `{name}` is the name of a server and no tool's, so its hooks never run"),
                Some(format!("write `{name}__.*` for all of its tools")),
            ),
            None if is_rule(name) => (
                format!("the matcher `{name}` is a permission rule and no tool's name, so its hooks never run"),
                Some(format!("write the name of the tool as the matcher, and `\"if\": \"{name}\"` beside the command")),
            ),
            // Another name may be a tool that Pintle does not know.
            None => match did_you_mean(plain, known.iter().copied()) {
                Some(help) => {
                    (format!("the matcher `{name}` is no tool of {title}, so its hooks never run"), Some(help))
                }
                None => continue,
            },
        };
        report.warning("dead_matcher", message, written.span, help);
    }
}

fn read_list<'n>(source: &ClientSource<'_>, action: &str, node: &'n DocNode) -> Option<&'n [DocNode]> {
    source.report.items(action, "a list", node, "put it in square brackets")
}
