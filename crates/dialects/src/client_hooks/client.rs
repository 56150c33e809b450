//! An agent whose hooks are read: everything that is different about it, as data.

use std::borrow::Cow;

use super::decode::Word;
use super::load::Settings;
use super::row::Row;
use crate::{Alias, Mapping};

/// An agent whose hooks are read.
#[derive(Debug)]
pub struct Client {
    /// The dialect's name.
    pub name: &'static str,
    /// The agent's name for people.
    pub title: &'static str,
    /// Its events that the catalogue has.
    pub rows: &'static [Row],
    /// Its events that the catalogue does not have, and why.
    pub elsewhere: &'static [Elsewhere],
    /// How its files are read.
    pub settings: Settings,
    /// What a program's output can say.
    pub words: &'static [Word],
    /// Whether an output with an unknown word is no answer.
    pub strict: bool,
    /// Whether exit statuses mean anything.
    pub statuses: bool,
    /// What of the output is the answer.
    pub frame: fn(&str) -> Cow<'_, str>,
    /// The variables its programs see.
    pub environment: &'static [(&'static str, Variable)],
}

/// Events that the catalogue does not have.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere {
    /// Their names.
    pub names: &'static [&'static str],
    /// Why, for people.
    pub why: &'static str,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
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

impl Client {
    /// The row of an event by the agent's name of it.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

/// The output as it is.
pub fn whole(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

/// How many rows are the first of their event, or the others.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses a wrong index")]
pub const fn count(rows: &[Row], aliases: bool) -> usize {
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
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses a wrong index")]
pub const fn mappings<const N: usize>(rows: &[Row]) -> [Mapping; N] {
    let mut mappings = [Mapping { canonical: "", native: "" }; N];
    let (mut at, mut found) = (0, 0);
    while at < rows.len() {
        if !rows[at].is_alias {
            mappings[found] = Mapping { canonical: rows[at].canonical, native: rows[at].name };
            found += 1;
        }
        at += 1;
    }
    mappings
}

/// The names that are second ones of their event.
#[must_use]
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses a wrong index")]
pub const fn aliases<const N: usize>(rows: &[Row]) -> [Alias; N] {
    let mut aliases = [Alias { spelling: "", canonical: "" }; N];
    let (mut at, mut found) = (0, 0);
    while at < rows.len() {
        if rows[at].is_alias {
            aliases[found] = Alias { spelling: rows[at].name, canonical: rows[at].canonical };
            found += 1;
        }
        at += 1;
    }
    aliases
}
