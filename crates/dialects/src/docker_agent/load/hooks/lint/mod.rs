//! Finds settings without an effect, as far as a file shows them.
//!
//! A script's text is searched for the keys of the output object, so that a key that the event ignores is reported at
//! its location.

mod words;

use pintle_contract::{ByteSpan, suggest_nearest};

use super::hook::DockerHookKind;
use crate::docker_agent::decode::{DECISION_SCHEMA, KeySpelling, OutputKey, find_key, is_spelled_so_in_the_example};
use crate::docker_agent::event_def::{ContextReader, PermissionWords};
use crate::docker_agent::event_def::{DockerAgentVersion, DockerEventDef, ROWS};
use crate::document::FieldReader;
use words::{PrintedKey, find_exit_two, find_printed_keys};

/// Keys, the hook types on which they have an effect, and the help for other types.
const KEYS_OF_KINDS: &[(&str, &[DockerHookKind], &str)] = &[
    ("command", &[DockerHookKind::Command, DockerHookKind::Builtin], "remove it, or write `type: command`"),
    ("args", &[DockerHookKind::Builtin], "write the arguments in the command"),
    ("env", &[DockerHookKind::Command, DockerHookKind::Builtin], "remove it"),
    ("working_dir", &[DockerHookKind::Command, DockerHookKind::Builtin], "remove it"),
    ("shell", &[DockerHookKind::Command], "remove it"),
    ("keep", &[DockerHookKind::Command], "remove it"),
    ("sandbox", &[DockerHookKind::Command], "remove it"),
    ("model", &[DockerHookKind::Model], "remove it, or write `type: model`"),
    ("prompt", &[DockerHookKind::Model], "remove it, or write `type: model`"),
    ("schema", &[DockerHookKind::Model], "remove it, or write `type: model`"),
];

/// Warns of settings that have no effect on a hook.
pub(super) fn check(
    fields: &mut FieldReader<'_>,
    def: &DockerEventDef,
    kind: DockerHookKind,
    version: DockerAgentVersion,
) {
    for (key, kinds, help) in KEYS_OF_KINDS {
        if let Some(span) = fields.key_span(key).filter(|_| !kinds.contains(&kind)) {
            let message = format!("{}: `{key}` has no effect on a {} hook", fields.path(), kind.name());
            warn(fields, message, span, help);
        }
    }
    match kind {
        DockerHookKind::Command => check_script(fields, def, version),
        DockerHookKind::Model => {
            check_model(fields, def);
            check_template(fields);
        }
        DockerHookKind::Builtin => {}
    }
}

impl DockerHookKind {
    fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin => "builtin",
            Self::Model => "model",
        }
    }
}

fn warn(fields: &FieldReader<'_>, message: String, span: ByteSpan, help: &str) {
    fields.report().warning("no_effect", message, span, help);
}

fn check_model(fields: &mut FieldReader<'_>, def: &DockerEventDef) {
    let schema = fields.node("schema");
    let decides = schema.and_then(|node| node.as_text()) == Some(DECISION_SCHEMA);
    match schema {
        Some(node) if decides && def.decisions == PermissionWords::Nothing => {
            let message = format!("{}: a model's decision has no effect on {}", fields.path(), def.name);
            warn(
                fields,
                message,
                node.span,
                "only hooks of pre_tool_use, tool_guard and permission_request can decide",
            );
        }
        None if def.context == ContextReader::NoReader => {
            let span = fields.report().first_line(fields.span());
            let message = format!("{}: the model's reply has no effect on {}", fields.path(), def.name);
            warn(fields, message, span, "write `schema: pre_tool_use_decision` to let the model decide");
        }
        _ => {}
    }
}

/// The first keys of the object that every hook receives.
const OPENING_KEYS: [&str; 4] = ["session_id", "cwd", "hook_event_name", "agent_name"];

/// Warns of fields that a prompt names and no hook receives: the prompt cannot be written, so the hook fails.
fn check_template(fields: &mut FieldReader<'_>) {
    let Some(node) = fields.node("prompt") else { return };
    let text = node.as_text().unwrap_or_default();
    let actions = || text.split("{{").skip(1).filter_map(|action| Some(action.split_once("}}")?.0));
    // Inside these, a dot is something else than the whole object.
    if actions().any(|action| action.split_whitespace().any(|word| matches!(word, "range" | "with" | "define"))) {
        return;
    }
    // Every second part is between quotes.
    let parts = actions().flat_map(|action| action.split('"').step_by(2));
    let words = parts.flat_map(|part| part.split([' ', '(', ')', '|', '-', '\t', '\n']));
    let names = words.filter_map(|word| word.strip_prefix('.')?.split('.').next()).filter(|name| !name.is_empty());
    let known = || ROWS.iter().flat_map(DockerEventDef::input_keys).map(|(name, _)| name).chain(OPENING_KEYS);
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    for name in names.filter(|name| !known().any(|key| plain(key) == plain(name))) {
        let message = format!("{}: no hook receives `.{name}`, so the prompt cannot be written", fields.path());
        let near = suggest_nearest(name, known()).map(|near| format!("did you mean `.{near}`?"));
        let help = near.unwrap_or_else(|| String::from("name a key of the object that hooks receive"));
        warn(fields, message, node.span, &help);
    }
}

/// Checks the text of a command.
fn check_script(fields: &mut FieldReader<'_>, def: &DockerEventDef, version: DockerAgentVersion) {
    let Some(node) = fields.node("command") else { return };
    let text = fields.report().file().text.get(node.span.start..node.span.end).unwrap_or_default();
    let at = |range: std::ops::Range<usize>| ByteSpan {
        start: node.span.start + range.start,
        end: node.span.start + range.end,
    };
    for found in find_printed_keys(text) {
        let Some((key, how)) = find_key(found.name) else { continue };
        if let Some((message, help)) = describe_fault(def, version, key, how, &found) {
            warn(fields, format!("{}: {message}", fields.path()), at(found.range.clone()), &help);
        }
    }
    if let Some(range) = find_exit_two(text).filter(|_| !def.can_block) {
        let message = format!("{}: exit 2 has no effect on {}, which cannot block", fields.path(), def.name);
        warn(fields, message, at(range), "exit 0, or move the hook to an event that can block");
    }
}

/// Describes what is wrong with a key that a script prints, and what to do.
fn describe_fault(
    def: &DockerEventDef,
    version: DockerAgentVersion,
    key: &OutputKey,
    how: KeySpelling,
    printed_key: &PrintedKey<'_>,
) -> Option<(String, String)> {
    let PrintedKey { name: word, value, .. } = printed_key;
    let name = def.name;
    if how == KeySpelling::Camel && !is_spelled_so_in_the_example(def, key) {
        let ignored = if version == DockerAgentVersion::G1 {
            "is ignored under `compat: g1`"
        } else {
            "is not how docker-agent spells it"
        };
        return Some((format!("`{word}` {ignored}"), format!("write `{}`", key.name)));
    }
    match (key.name, *value) {
        ("suppress_output", _) => {
            Some((String::from("`suppress_output` has no effect on any event"), String::from("remove it")))
        }
        ("decision", Some(value)) if value != "block" => Some((
            format!("`{value}` is not a decision"),
            String::from("the only decision is `block`; omit it to allow"),
        )),
        ("permission_decision", Some(value)) if !["allow", "ask", "deny"].contains(&value) => {
            Some((format!("`{value}` is not a permission_decision"), String::from("write `allow`, `ask` or `deny`")))
        }
        ("decision", _) | ("continue", Some("false")) if !def.can_block => Some((
            format!("`{word}` has no effect on {name}, which cannot block"),
            String::from("move the hook to an event that can block"),
        )),
        ("reason" | "stop_reason", _) => None,
        _ if !(key.has_effect)(def) => Some((
            format!("`{word}` has no effect on {name}"),
            format!("`{word}` has an effect on {}", describe_effective_events(key)),
        )),
        _ => None,
    }
}

/// The events on which a key has an effect.
fn describe_effective_events(key: &OutputKey) -> String {
    let rows = crate::docker_agent::ROWS.iter().filter(|def| (key.has_effect)(def));
    rows.map(|def| def.name).collect::<Vec<_>>().join(", ")
}
