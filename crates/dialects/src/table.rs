//! The table of dialects. Adding a dialect takes a directory and a row here; the tests iterate over the rows.

use std::sync::Arc;

use pintle_contract::event::{CATALOGUE, EventDef, UnknownEvent};
use pintle_contract::{Codec, EventKind, EventName, Profile, suggest_nearest};

use crate::{
    Artifact, CLIENT_DIALECTS, ParseContext, ParsedProject, ai_harness, docker_agent, harn, harness_framework,
};

/// The dialects of the four systems.
const SYSTEMS: &[&Dialect] =
    &[&ai_harness::DIALECT, &docker_agent::DIALECT, &harn::DIALECT, &harness_framework::DIALECT];

/// Every dialect: those of the systems, then those of the clients.
pub static DIALECTS: &[&Dialect] = &ALL;

const ALL: [&Dialect; SYSTEMS.len() + CLIENT_DIALECTS.len()] = all();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
const fn all<const N: usize>() -> [&'static Dialect; N] {
    let mut all = [SYSTEMS[0]; N];
    let mut index = 0;
    while index < N {
        let at = index.wrapping_sub(SYSTEMS.len());
        all[index] = if index < SYSTEMS.len() { SYSTEMS[index] } else { CLIENT_DIALECTS[at] };
        index += 1;
    }
    all
}

/// The dialect of Pintle's own hooks, including those that are registered at run time.
pub static NATIVE: &Dialect = &ai_harness::DIALECT;

/// The definition of a dialect.
#[derive(Debug)]
pub struct Dialect {
    /// Its name, such as `ai_harness`.
    pub name: &'static str,
    /// A one-sentence description.
    pub description: &'static str,
    /// How the verdicts of its hooks are composed.
    pub profile: Profile,
    /// The events that its documentation names.
    pub events: &'static [EventMapping],
    /// Event aliases.
    pub aliases: &'static [EventAlias],
    /// How the catalogue's events that are not in `events` are treated.
    pub unmapped: UnmappedEvents,
    /// Creates its codec.
    pub codec: fn() -> Arc<dyn Codec>,
    /// Loads its files.
    pub load: fn(&[Artifact], &ParseContext<'_>) -> ParsedProject,
}

/// One event of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMapping {
    /// The event in the catalogue.
    pub canonical: EventKind,
    /// The name in the dialect.
    pub native: &'static str,
}

/// The canonical and native names of a table of definitions, computed at compile time.
macro_rules! event_mappings {
    ($rows:expr) => {{
        #[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
        const MAPPINGS: [$crate::EventMapping; $rows.len()] = {
            let mut mappings =
                [$crate::EventMapping { canonical: pintle_contract::EventKind::Custom, native: "" }; $rows.len()];
            let mut index = 0;
            while index < $rows.len() {
                mappings[index] = $crate::EventMapping { canonical: $rows[index].canonical, native: $rows[index].name };
                index += 1;
            }
            mappings
        };
        MAPPINGS
    }};
}

pub(crate) use event_mappings;

/// An alias of an event. A hook that subscribes under it receives that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventAlias {
    /// The alias.
    pub name: &'static str,
    /// The canonical event.
    pub canonical: &'static str,
}

/// How a dialect treats events that its documentation does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmappedEvents {
    /// Hooks can subscribe to them by their canonical names, as an addition.
    Accepted,
    /// The dialect does not have them.
    Unsupported,
}

/// How a dialect supports an event of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSupport {
    /// Its documentation names it so.
    Native(&'static str),
    /// An addition of Pintle's, under the canonical name.
    Addition,
    /// The dialect does not have it.
    Unsupported,
}

impl Dialect {
    /// How the dialect supports an event of the catalogue.
    #[must_use]
    pub fn support(&self, def: &EventDef) -> EventSupport {
        match self.events.iter().find(|mapping| mapping.canonical.name() == def.name) {
            Some(mapping) => EventSupport::Native(mapping.native),
            None if self.unmapped == UnmappedEvents::Accepted => EventSupport::Addition,
            None => EventSupport::Unsupported,
        }
    }

    /// The canonical event for a name in this dialect.
    ///
    /// # Errors
    /// If the dialect has no such event; the nearest name of the dialect is suggested.
    pub fn event(&self, name: &str) -> Result<EventName, UnknownEvent> {
        let unknown = || UnknownEvent { name: name.to_owned(), suggestion: suggest_nearest(name, self.names()) };
        if let Some(alias) = self.aliases.iter().find(|alias| alias.name == name) {
            return EventName::parse(alias.canonical);
        }
        let is_named = |mapping: &&EventMapping| mapping.native == name && mapping.canonical.def().family().is_none();
        if let Some(mapping) = self.events.iter().find(is_named) {
            return Ok(mapping.canonical.into());
        }
        let canonical = EventName::parse(name).map_err(|_| unknown())?;
        let known = self.support(canonical.def()) != EventSupport::Unsupported;
        known.then_some(canonical).ok_or_else(unknown)
    }

    /// Every name that a hook can subscribe to; families end in `.*`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let of_row = |def: &&'static EventDef| match self.support(def) {
            EventSupport::Native(name) => Some(name),
            EventSupport::Addition => Some(def.name),
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
    fn every_client_with_hook_files_is_a_dialect() {
        let named: Vec<_> = pintle_clients::CLIENTS.iter().filter_map(|client| client.dialect).collect();
        let dialects: Vec<_> = CLIENT_DIALECTS.iter().map(|dialect| dialect.name).collect();
        assert_eq!(dialects, named);
    }

    #[test]
    fn every_mapping_and_alias_leads_to_the_catalogue() {
        for dialect in DIALECTS {
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
            for def in CATALOGUE {
                let name = def.family().map_or(def.name.to_owned(), |prefix| format!("{prefix}x"));
                match dialect.support(def) {
                    EventSupport::Native(_) | EventSupport::Addition => assert!(
                        dialect.names().any(|known| known == def.name
                            || dialect.event(known).is_ok_and(|event| event.as_str() == def.name)),
                        "{name}"
                    ),
                    EventSupport::Unsupported => assert!(dialect.event(&name).is_err(), "{name}"),
                }
            }
        }
    }
}
