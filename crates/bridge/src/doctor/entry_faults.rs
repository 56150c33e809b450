//! Finds what keeps a host from calling Pintle at an installed entry, or from waiting for the answer.

use serde_json::{Map, Value};

use super::documents::SettingsDocument;
use super::location::InstallLocation;
use crate::install::{EntryFormat, InstalledEntry, call_words, parse_own_command, written_timeout_ms};
use crate::{HostDef, HostEventDef};

/// A field of a handler or its group that Pintle does not write, and its effect.
struct FieldFault {
    name: &'static str,
    /// Whether a value has the effect.
    matters: fn(&Value) -> bool,
    effect: &'static str,
}

const FIELD_FAULTS: &[FieldFault] = &[
    FieldFault { name: "async", matters: is_true, effect: "the agent does not wait for Pintle, so nothing is denied" },
    FieldFault {
        name: "asyncRewake",
        matters: is_true,
        effect: "the agent does not wait for Pintle, so nothing is denied",
    },
    FieldFault { name: "matcher", matters: filters, effect: "the agent calls Pintle only for what this selects" },
    FieldFault { name: "if", matters: is_set, effect: "the agent calls Pintle only if this holds" },
    FieldFault { name: "once", matters: is_true, effect: "the agent calls Pintle only once" },
    FieldFault { name: "disabled", matters: is_true, effect: "the agent does not call Pintle" },
    FieldFault { name: "enabled", matters: is_false, effect: "the agent does not call Pintle" },
    FieldFault { name: "type", matters: is_other_type, effect: "the agent does not run the entry as a command" },
    FieldFault { name: "shell", matters: is_set, effect: "the agent runs the line in another shell" },
    FieldFault { name: "args", matters: is_set, effect: "the agent does not run the line in a shell" },
    FieldFault { name: "exec", matters: is_set, effect: "the agent runs another program" },
];

/// The matchers that select everything.
const EVERYTHING: [&str; 5] = ["", "*", ".*", "^.*$", ".+"];

/// Finds a fault in a command line or its timeout.
type FindFaultFn = fn(&'static HostDef, &InstalledEntry) -> Option<String>;

const LINE_FAULTS: [FindFaultFn; 2] = [find_shadow, find_short_timeout];

/// The faults of the entries of a location, each with the events that have it.
pub(super) fn find_faults(host: &'static HostDef, location: &InstallLocation) -> Vec<(String, Vec<String>)> {
    let mut faults: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |fault: String, event: &str| {
        let event = format!("`{event}`");
        match faults.iter_mut().find(|(known, _)| *known == fault) {
            Some((_, events)) => events.push(event),
            None => faults.push((fault, vec![event])),
        }
    };
    for (event, fields) in list_handlers(host, location) {
        for fault in FIELD_FAULTS {
            if let Some(value) = fields.get(fault.name).filter(|value| (fault.matters)(value)) {
                add(format!("{} (`{}: {value}`)", fault.effect, fault.name), &event);
            }
        }
    }
    for (index, entry) in location.entries.iter().enumerate() {
        if location.entries.iter().take(index).any(|other| other.event == entry.event) {
            add(String::from("Pintle is installed more than once, and judges every call as often"), &entry.event);
        }
        LINE_FAULTS.iter().filter_map(|find| find(host, entry)).for_each(|fault| add(fault, &entry.event));
    }
    faults
}

/// Pintle's handlers in a settings file: the event, and the fields of the handler and of its group.
fn list_handlers(host: &HostDef, location: &InstallLocation) -> Vec<(String, Map<String, Value>)> {
    let Some(format) = host.install.form.handler_format() else { return Vec::new() };
    let document = SettingsDocument::read(&location.path);
    let events = document.value.get("hooks").and_then(Value::as_object).into_iter().flatten();
    let elements = events.flat_map(|(event, list)| list.as_array().into_iter().flatten().map(move |one| (event, one)));
    let is_own = |fields: &Map<String, Value>| {
        let command = fields.get(format.command).and_then(Value::as_str);
        command.is_some_and(|command| parse_own_command(command, host.name).is_some())
    };
    let mut handlers = Vec::new();
    for (event, element) in elements {
        let Some(group) = element.as_object() else { continue };
        let inner = match host.install.form {
            EntryFormat::Groups(_) => group.get("hooks").and_then(Value::as_array),
            _ => None,
        };
        let merged = |handler: &Map<String, Value>| -> Map<String, Value> {
            group.iter().chain(handler).map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        let fields: Vec<_> = match inner {
            Some(inner) => inner.iter().filter_map(Value::as_object).filter(|own| is_own(own)).map(merged).collect(),
            None => Some(group.clone()).filter(is_own).into_iter().collect(),
        };
        handlers.extend(fields.into_iter().map(|fields| (event.clone(), fields)));
    }
    handlers
}

fn is_true(value: &Value) -> bool {
    *value == Value::Bool(true)
}

fn is_false(value: &Value) -> bool {
    *value == Value::Bool(false)
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

fn filters(value: &Value) -> bool {
    is_set(value) && !value.as_str().is_some_and(|text| EVERYTHING.contains(&text))
}

fn is_other_type(value: &Value) -> bool {
    value != "command"
}

fn find_shadow(_host: &'static HostDef, entry: &InstalledEntry) -> Option<String> {
    let has = call_words(&entry.command).iter().any(|word| word == "--shadow");
    has.then(|| String::from("Pintle enforces nothing (`--shadow` in the line)"))
}

/// The agent must wait as long as `pintle install` makes it wait, and longer than the line itself takes.
fn find_short_timeout(host: &'static HostDef, entry: &InstalledEntry) -> Option<String> {
    let def: &'static HostEventDef = host.find_event(&entry.event)?;
    let given_ms = match (entry.timeout_ms, &host.install.form) {
        (0, EntryFormat::Programs) => return None,
        (0, _) => host.settings.command_ms,
        (given_ms, _) => given_ms,
    };
    let words = call_words(&entry.command);
    let mut after_option = words.iter().skip_while(|word| *word != "--deadline-ms").skip(1);
    let deadline = after_option.next().and_then(|word| word.parse().ok());
    let deadline_ms: u64 = deadline.unwrap_or_default();
    let needed_ms = written_timeout_ms(host, def);
    if given_ms <= deadline_ms {
        return Some(format!(
            "the agent gives up after {given_ms} ms and continues, before the line's own limit of {deadline_ms} ms"
        ));
    }
    (given_ms < needed_ms).then(|| {
        format!("the agent gives up after {given_ms} ms and continues; `pintle install` writes {needed_ms} ms")
    })
}
