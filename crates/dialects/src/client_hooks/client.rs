//! The definition of a client, as data.

use std::borrow::Cow;

use super::decode::OutputField;
use super::event_def::ClientEventDef;
use super::load::SettingsFormat;
use crate::{EventAlias, EventMapping};

/// A coding agent whose hook files Pintle reads.
#[derive(Debug)]
pub struct ClientDef {
    /// The name of the dialect.
    pub name: &'static str,
    /// The client's display name.
    pub title: &'static str,
    /// The client's events that the catalogue has.
    pub events: &'static [ClientEventDef],
    /// The client's events that the catalogue does not have, and why.
    pub unmapped_events: &'static [UnmappedClientEvents],
    /// The format of its settings files.
    pub settings: SettingsFormat,
    /// The fields that a hook's output can have.
    pub output_fields: &'static [OutputField],
    /// Whether an unknown field makes an output invalid.
    pub strict: bool,
    /// Whether exit codes have a meaning.
    pub statuses: bool,
    /// Extracts the JSON answer from a program's output.
    pub extract_answer: fn(&str) -> Cow<'_, str>,
    /// The environment variables of its hook programs.
    pub environment: &'static [(&'static str, EnvVariable)],
}

/// Events that the catalogue does not have.
#[derive(Debug, Clone, Copy)]
pub struct UnmappedClientEvents {
    /// The names of the events.
    pub names: &'static [&'static str],
    /// Why the catalogue does not have them, for diagnostics.
    pub reason: &'static str,
}

/// The value of an environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvVariable {
    /// The project directory.
    Project,
    /// The session ID.
    Session,
    /// The working directory.
    Directory,
    /// The directory of the plugin that declares the hook; absent for other hooks.
    Plugin,
    /// A fixed value.
    Fixed(&'static str),
}

impl ClientDef {
    /// The definition of an event by the client's name.
    #[must_use]
    pub fn event_def(&self, name: &str) -> Option<&'static ClientEventDef> {
        self.events.iter().find(|def| def.name == name)
    }
}

/// Returns the output unchanged.
pub fn unchanged_output(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// The number of definitions that are the first of their event, or that are aliases.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn count_events(rows: &[ClientEventDef], aliases: bool) -> usize {
    let (mut index, mut found) = (0, 0);
    while index < rows.len() {
        if rows[index].is_alias == aliases {
            found += 1;
        }
        index += 1;
    }
    found
}

/// The canonical and native names of the events.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn mappings<const N: usize>(rows: &[ClientEventDef]) -> [EventMapping; N] {
    let mut mappings = [EventMapping { canonical: "", native: "" }; N];
    let (mut index, mut found) = (0, 0);
    while index < rows.len() {
        if !rows[index].is_alias {
            mappings[found] = EventMapping { canonical: rows[index].canonical, native: rows[index].name };
            found += 1;
        }
        index += 1;
    }
    mappings
}

/// The definitions that are aliases of their event.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn aliases<const N: usize>(rows: &[ClientEventDef]) -> [EventAlias; N] {
    let mut aliases = [EventAlias { name: "", canonical: "" }; N];
    let (mut index, mut found) = (0, 0);
    while index < rows.len() {
        if rows[index].is_alias {
            aliases[found] = EventAlias { name: rows[index].name, canonical: rows[index].canonical };
            found += 1;
        }
        index += 1;
    }
    aliases
}
