//! The list of dialects. Adding one is a folder and a row here; the tests walk the rows.

use std::sync::Arc;

use pintle_contract::event::{CATALOGUE, EventDef, UnknownEvent};
use pintle_contract::{Codec, EventName, Profile, suggest_nearest};

use crate::{
    Artifact, ParseContext, ParsedProject, ai_harness, claude_code, cline, codex, copilot, cursor, docker_agent,
    gemini, harn, harness_framework, qwen,
};

/// Every dialect.
pub static DIALECTS: &[&Dialect] = &[
    NATIVE,
    &docker_agent::DIALECT,
    &harn::DIALECT,
    &harness_framework::DIALECT,
    &claude_code::DIALECT,
    &codex::DIALECT,
    &gemini::DIALECT,
    &qwen::DIALECT,
    &copilot::DIALECT,
    &cursor::DIALECT,
    &cline::DIALECT,
];

/// The dialect that Pintle's own hooks are written in, also those that are registered while running.
pub static NATIVE: &Dialect = &ai_harness::DIALECT;

/// One dialect.
#[derive(Debug)]
pub struct Dialect {
    /// Its name, such as `ai_harness`.
    pub name: &'static str,
    /// What it is, one sentence.
    pub description: &'static str,
    /// How the verdicts of one of its chains compose.
    pub profile: Profile,
    /// The events its documents name.
    pub events: &'static [EventMapping],
    /// Other spellings of single events.
    pub aliases: &'static [EventAlias],
    /// What becomes of the events of the catalogue that `events` does not name.
    pub others: UnmappedEvents,
    /// Makes its codec.
    pub codec: fn() -> Arc<dyn Codec>,
    /// Reads its files.
    pub load: fn(&[Artifact], &ParseContext<'_>) -> ParsedProject,
}

/// One event of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMapping {
    /// The name in the catalogue.
    pub canonical: &'static str,
    /// The name in the dialect.
    pub native: &'static str,
}

/// Another spelling of one event. A hook that subscribes under it is told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventAlias {
    /// The spelling.
    pub name: &'static str,
    /// The canonical event.
    pub canonical: &'static str,
}

/// What a dialect does with events that its documents do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmappedEvents {
    /// They can be subscribed to under their canonical names, as an addition.
    Accepted,
    /// They do not exist in it.
    Unsupported,
}

/// What a dialect makes of one event of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSupport {
    /// Its documents name it so.
    Native(&'static str),
    /// It is an addition of Pintle, under the canonical name.
    Addition,
    /// It does not exist in the dialect.
    Unsupported,
}

impl Dialect {
    /// What the dialect makes of an event of the catalogue.
    #[must_use]
    pub fn support(&self, row: &EventDef) -> EventSupport {
        match self.events.iter().find(|mapping| mapping.canonical == row.name) {
            Some(mapping) => EventSupport::Native(mapping.native),
            None if self.others == UnmappedEvents::Accepted => EventSupport::Addition,
            None => EventSupport::Unsupported,
        }
    }

    /// The canonical event of a name in this dialect.
    ///
    /// # Errors
    /// When the dialect has no such event; the nearest name of the dialect is suggested.
    pub fn event(&self, name: &str) -> Result<EventName, UnknownEvent> {
        let unknown = || UnknownEvent { name: name.to_owned(), suggestion: suggest_nearest(name, self.names()) };
        if let Some(alias) = self.aliases.iter().find(|alias| alias.name == name) {
            return EventName::parse(alias.canonical);
        }
        if let Some(mapping) = self.events.iter().find(|mapping| mapping.native == name) {
            return EventName::parse(mapping.canonical).map_err(|_| unknown());
        }
        let canonical = EventName::parse(name).map_err(|_| unknown())?;
        let known = self.support(canonical.def()) != EventSupport::Unsupported;
        known.then_some(canonical).ok_or_else(unknown)
    }

    /// Every name a hook may subscribe to; families end in `.*`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let of_row = |row: &&'static EventDef| match self.support(row) {
            EventSupport::Native(name) => Some(name),
            EventSupport::Addition => Some(row.name),
            EventSupport::Unsupported => None,
        };
        CATALOGUE.iter().filter_map(of_row).chain(self.aliases.iter().map(|alias| alias.name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_name_stands_twice() {
        let mut dialects = HashSet::new();
        for dialect in DIALECTS {
            assert!(dialects.insert(dialect.name), "{}", dialect.name);
            assert_eq!((dialect.codec)().dialect(), dialect.name);
            let mut names = HashSet::new();
            for name in dialect.names() {
                assert!(names.insert(name), "{}: {name}", dialect.name);
            }
            let canonical: HashSet<_> = dialect.events.iter().map(|mapping| mapping.canonical).collect();
            assert_eq!(canonical.len(), dialect.events.len(), "{}", dialect.name);
        }
    }

    #[test]
    fn every_mapping_and_alias_leads_to_the_catalogue() {
        for dialect in DIALECTS {
            for mapping in dialect.events {
                assert!(CATALOGUE.iter().any(|row| row.name == mapping.canonical), "{}", mapping.canonical);
            }
            for alias in dialect.aliases {
                assert_eq!(
                    dialect.event(alias.name).map(|name| name.as_str().to_owned()),
                    Ok(alias.canonical.to_owned())
                );
            }
        }
    }

    #[test]
    fn every_event_of_the_catalogue_is_mapped_or_unsupported() {
        for dialect in DIALECTS {
            for row in CATALOGUE {
                let name = row.family().map_or(row.name.to_owned(), |prefix| format!("{prefix}x"));
                match dialect.support(row) {
                    EventSupport::Native(_) | EventSupport::Addition => assert!(
                        dialect.names().any(|known| known == row.name
                            || dialect.event(known).is_ok_and(|event| event.as_str() == row.name)),
                        "{name}"
                    ),
                    EventSupport::Unsupported => assert!(dialect.event(&name).is_err(), "{name}"),
                }
            }
        }
    }
}
