//! Describes the installed entries in a host's file.

use serde_json::{Value, json};

use super::{EntryFormat, HandlerFormat, InstallError, InstallOptions, InstalledEntry, line};
use crate::HostDef;

/// An installed handler in a settings file: its event and its JSON.
pub(super) type PlacedHandler = (String, Value);

/// The entries for a host.
pub(super) fn entries_for(
    host: &'static HostDef,
    options: &InstallOptions,
) -> Result<Vec<InstalledEntry>, InstallError> {
    let rows = line::selected_events(host, &options.events).map_err(InstallError::UnknownEvent)?;
    let entry = |def| {
        let (command, timeout_ms) = line::command_line(host, def, options);
        InstalledEntry { event: String::from(def.name), command, timeout_ms }
    };
    Ok(rows.into_iter().map(|def: &'static crate::HostEventDef| entry(def)).collect())
}

/// An entry as a handler of a settings file.
pub(super) fn to_placed_handler(handler: &HandlerFormat, entry: &InstalledEntry) -> PlacedHandler {
    (entry.event.clone(), (handler.build)(&entry.command, entry.timeout_ms))
}

/// A handler as an element of its event's list.
pub(super) fn to_list_element(form: &EntryFormat, handler: &Value) -> Value {
    match form {
        EntryFormat::Groups(_) => json!({"hooks": [handler]}),
        EntryFormat::Flat(_) | EntryFormat::Programs | EntryFormat::Module { .. } => handler.clone(),
    }
}
