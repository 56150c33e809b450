//! An agent whose hooks are read: everything that is different about it, as data.

use std::borrow::Cow;

use super::decode::OutputField;
use super::event_def::ClientEventDef;
use super::load::SettingsFormat;
use crate::{EventAlias, EventMapping};

/// An agent whose hooks are read.
#[derive(Debug)]
pub struct ClientDef {
    /// The dialect's name.
    pub name: &'static str,
    /// The agent's name for people.
    pub title: &'static str,
    /// Its events that the catalogue has.
    pub events: &'static [ClientEventDef],
    /// Its events that the catalogue does not have, and why.
    pub unmapped_events: &'static [UnmappedClientEvents],
    /// How its files are read.
    pub settings: SettingsFormat,
    /// What a program's output can say.
    pub output_fields: &'static [OutputField],
    /// Whether an output with an unknown word is no answer.
    pub strict: bool,
    /// Whether exit statuses mean anything.
    pub statuses: bool,
    /// What of the output is the answer.
    pub extract_answer: fn(&str) -> Cow<'_, str>,
    /// The variables its programs see.
    pub environment: &'static [(&'static str, EnvVariable)],
}

/// Events that the catalogue does not have.
#[derive(Debug, Clone, Copy)]
pub struct UnmappedClientEvents {
    /// Their names.
    pub names: &'static [&'static str],
    /// Why, for people.
    pub reason: &'static str,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvVariable {
    /// The project's folder.
    Project,
    /// The session.
    Session,
    /// The working directory.
    Directory,
    /// The folder of the plugin that the hook came with; absent for others.
    Plugin,
    /// Always the same.
    Fixed(&'static str),
}

impl ClientDef {
    /// The row of an event by the agent's name of it.
    #[must_use]
    pub fn event_def(&self, name: &str) -> Option<&'static ClientEventDef> {
        self.events.iter().find(|row| row.name == name)
    }
}

/// The output as it is.
pub fn unchanged_output(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// How many rows are the first of their event, or the others.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn count_events(rows: &[ClientEventDef], aliases: bool) -> usize {
    let (mut at, mut found) = (0, 0);
    while at < rows.len() {
        if rows[at].is_alias == aliases {
            found += 1;
        }
        at += 1;
    }
    found
}

/// The names of the events in the catalogue and in the agent.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn mappings<const N: usize>(rows: &[ClientEventDef]) -> [EventMapping; N] {
    let mut mappings = [EventMapping { canonical: "", native: "" }; N];
    let (mut at, mut found) = (0, 0);
    while at < rows.len() {
        if !rows[at].is_alias {
            mappings[found] = EventMapping { canonical: rows[at].canonical, native: rows[at].name };
            found += 1;
        }
        at += 1;
    }
    mappings
}

/// The names that are second ones of their event.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
pub const fn aliases<const N: usize>(rows: &[ClientEventDef]) -> [EventAlias; N] {
    let mut aliases = [EventAlias { name: "", canonical: "" }; N];
    let (mut at, mut found) = (0, 0);
    while at < rows.len() {
        if rows[at].is_alias {
            aliases[found] = EventAlias { name: rows[at].name, canonical: rows[at].canonical };
            found += 1;
        }
        at += 1;
    }
    aliases
}
