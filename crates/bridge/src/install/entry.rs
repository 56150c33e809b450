//! What is put into a host's file.

use serde_json::{Value, json};

use super::{Form, Handler, InstallFault, Options, line};
use crate::Host;

/// One entry of ours: an event and what runs there.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The host's event.
    pub event: String,
    /// The command line.
    pub command: String,
    /// How long the host waits, in milliseconds.
    pub timeout_ms: u64,
}

/// A handler of ours in a settings file: the event and the handler as it stands there.
pub(super) type Placed = (String, Value);

/// The entries that a host gets.
pub(super) fn entries(host: &'static Host, options: &Options) -> Result<Vec<Entry>, InstallFault> {
    let rows = line::rows(host, &options.events).map_err(InstallFault::Event)?;
    let entry = |row| {
        let (command, timeout_ms) = line::line(host, row, options);
        Entry { event: String::from(row.name), command, timeout_ms }
    };
    Ok(rows.into_iter().map(|row: &'static crate::Row| entry(row)).collect())
}

/// An entry as a handler of a settings file.
pub(super) fn placed(handler: &Handler, entry: &Entry) -> Placed {
    (entry.event.clone(), (handler.of)(&entry.command, entry.timeout_ms))
}

/// A handler as an element of its event's list.
pub(super) fn element(form: &Form, handler: &Value) -> Value {
    match form {
        Form::Groups(_) => json!({"hooks": [handler]}),
        Form::Flat(_) | Form::Programs => handler.clone(),
    }
}
