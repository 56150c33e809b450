//! What is written and has no effect, as far as a file shows it.
//!
//! A script's own text is searched for the keys of the output object, so that a hook that prints what its event ignores
//! is pointed out at the very word.

mod words;

use pintle_contract::{ByteSpan, Diagnostic};

use super::hook::Kind;
use super::strict::{Strict, first_line};
use crate::docker_agent::decode::{DECISION_SCHEMA, OutputKey, Spelled, spelled};
use crate::docker_agent::row::{Context, Decisions};
use crate::docker_agent::{Compat, Row};
use words::{Printed, exits_with_two, printed};

/// Keys, the kinds of hook on which they have an effect, and what to do elsewhere.
const KEYS_OF_KINDS: &[(&str, &[Kind], &str)] = &[
    ("command", &[Kind::Command, Kind::Builtin], "remove it, or write `type: command`"),
    ("args", &[Kind::Builtin], "write the arguments into the command"),
    ("env", &[Kind::Command, Kind::Builtin], "remove it"),
    ("working_dir", &[Kind::Command, Kind::Builtin], "remove it"),
    ("shell", &[Kind::Command], "remove it"),
    ("keep", &[Kind::Command], "remove it"),
    ("sandbox", &[Kind::Command], "remove it"),
    ("model", &[Kind::Model], "remove it, or write `type: model`"),
    ("prompt", &[Kind::Model], "remove it, or write `type: model`"),
    ("schema", &[Kind::Model], "remove it, or write `type: model`"),
];

/// Warns of what has no effect on a hook.
pub(super) fn check(fields: &mut Strict<'_>, row: &Row, kind: Kind, compat: Compat) {
    for (key, kinds, help) in KEYS_OF_KINDS {
        if let Some(span) = fields.key_span(key).filter(|_| !kinds.contains(&kind)) {
            let message = format!("{}: `{key}` has no effect on a {} hook", fields.path, kind.word());
            tell(fields, message, span, help);
        }
    }
    match kind {
        Kind::Command => script(fields, row, compat),
        Kind::Model => model(fields, row),
        Kind::Builtin => {}
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Builtin => "builtin",
            Self::Model => "model",
        }
    }
}

fn tell(fields: &Strict<'_>, message: String, span: ByteSpan, help: &str) {
    let finding = Diagnostic::warning("no_effect", message, fields.report.location(span));
    fields.report.add(finding.help(help));
}

fn model(fields: &mut Strict<'_>, row: &Row) {
    let schema = fields.node("schema");
    let decides = schema.and_then(|node| node.as_text()) == Some(DECISION_SCHEMA);
    match schema {
        Some(node) if decides && row.decisions == Decisions::Nothing => {
            let message = format!("{}: a model's decision has no effect on {}", fields.path, row.name);
            tell(fields, message, node.span, "hooks of pre_tool_use, tool_guard and permission_request can decide");
        }
        None if row.context == Context::Nobody => {
            let span = first_line(fields.report, fields.whole.span);
            let message = format!("{}: the model's reply has no effect on {}", fields.path, row.name);
            tell(fields, message, span, "write `schema: pre_tool_use_decision` where a model is to decide");
        }
        _ => {}
    }
}

/// Looks at the text of a command as it stands in the file.
fn script(fields: &mut Strict<'_>, row: &Row, compat: Compat) {
    let Some(node) = fields.node("command") else { return };
    let text = fields.report.file().text.get(node.span.start..node.span.end).unwrap_or_default();
    let at = |range: std::ops::Range<usize>| ByteSpan {
        start: node.span.start + range.start,
        end: node.span.start + range.end,
    };
    for found in printed(text) {
        let Some((key, how)) = spelled(found.word) else { continue };
        if let Some((message, help)) = fault(row, compat, key, how, &found) {
            tell(fields, format!("{}: {message}", fields.path), at(found.range.clone()), &help);
        }
    }
    if let Some(range) = exits_with_two(text).filter(|_| !row.blocks) {
        let message = format!("{}: exit 2 has no effect on {}, which cannot block", fields.path, row.name);
        tell(fields, message, at(range), "exit 0, or move the hook to an event that can block");
    }
}

/// What is wrong with a key that a script prints, and what to do.
fn fault(row: &Row, compat: Compat, key: &OutputKey, how: Spelled, found: &Printed<'_>) -> Option<(String, String)> {
    let Printed { word, value, .. } = found;
    let name = row.name;
    if how == Spelled::Camel {
        let ignored =
            if compat == Compat::G1 { "is ignored under `compat: g1`" } else { "is not how docker-agent spells it" };
        return Some((format!("`{word}` {ignored}"), format!("write `{}`", key.name)));
    }
    match (key.name, *value) {
        ("suppress_output", _) => {
            Some((String::from("`suppress_output` has no effect on any event"), String::from("remove it")))
        }
        ("decision", Some(value)) if value != "block" => {
            Some((format!("`{value}` is no decision"), String::from("`block` is the only word; leave it out to allow")))
        }
        ("permission_decision", Some(value)) if !["allow", "ask", "deny"].contains(&value) => {
            Some((format!("`{value}` is no permission_decision"), String::from("write `allow`, `ask` or `deny`")))
        }
        ("decision", _) | ("continue", Some("false")) if !row.blocks => Some((
            format!("`{word}` has no effect on {name}, which cannot block"),
            String::from("move the hook to an event that can block"),
        )),
        ("reason" | "stop_reason", _) => None,
        _ if !(key.works)(row) => {
            Some((format!("`{word}` has no effect on {name}"), format!("`{word}` works on {}", works_on(key))))
        }
        _ => None,
    }
}

/// The events on which a key has an effect, for people.
fn works_on(key: &OutputKey) -> String {
    let rows = crate::docker_agent::ROWS.iter().filter(|row| (key.works)(row));
    rows.map(|row| row.name).collect::<Vec<_>>().join(", ")
}
