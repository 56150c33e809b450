//! The definition of a dialect. It names none of them.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use pintle_contract::event::{CATALOGUE, EventDef, UnknownEvent};
use pintle_contract::{Codec, Event, EventKind, EventName, Profile, suggest_nearest};

use crate::{Artifact, ParseContext, ParsedProject};

/// The definition of a dialect.
#[derive(Debug)]
pub struct Dialect {
    /// Its name, such as `ai_harness`.
    pub name: &'static str,
    /// A one-sentence description.
    pub description: &'static str,
    /// How the verdicts of its hooks are composed.
    pub profile: Profile,
    /// The names of its events.
    pub events: LazyLock<EventNames>,
    /// Creates its codec.
    pub codec: fn() -> Arc<dyn Codec>,
    /// Loads its files.
    pub load: fn(&[Artifact], &ParseContext<'_>) -> ParsedProject,
}

/// The names of the events in a dialect.
#[derive(Debug, Clone, Copy)]
pub struct EventNames {
    /// The events that the dialect's documentation names.
    pub mappings: &'static [EventMapping],
    /// Event aliases.
    pub aliases: &'static [EventAlias],
    /// How the catalogue's events that are not in `mappings` are treated.
    pub unmapped: UnmappedEvents,
}

/// One event of a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMapping {
    /// The event in the catalogue.
    pub canonical: EventKind,
    /// The name in the dialect.
    pub native: &'static str,
}

/// An event of a dialect. What only the events of that dialect have is beside it, and is read as if it were a part.
#[derive(Debug)]
pub struct DialectEvent<K: 'static, X> {
    /// The event's name in the dialect.
    pub name: &'static str,
    /// The event in the catalogue.
    pub canonical: EventKind,
    /// The keys of the payload in addition to those of every event, in order.
    pub keys: &'static [K],
    /// What only the events of this dialect have.
    pub extras: X,
}

/// A row of a dialect's table of events.
pub(crate) const fn event<K, X>(
    name: &'static str,
    canonical: EventKind,
    keys: &'static [K],
    extras: X,
) -> DialectEvent<K, X> {
    DialectEvent { name, canonical, keys, extras }
}

impl<K, X> DialectEvent<K, X> {
    /// The event with a name.
    pub(crate) fn by_name<'r>(rows: &'r [Self], name: &str) -> Option<&'r Self> {
        rows.iter().find(|def| def.name == name)
    }

    /// The event for one of the catalogue.
    pub(crate) fn for_event<'r>(rows: &'r [Self], event: &Event) -> Option<&'r Self> {
        rows.iter().find(|def| def.canonical == event.name.kind())
    }
}

impl<K, X> Deref for DialectEvent<K, X> {
    type Target = X;

    fn deref(&self) -> &X {
        &self.extras
    }
}

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

impl EventNames {
    /// The events of a dialect that has no others. They are collected once, for the rest of the process.
    pub(crate) fn only(
        mappings: impl Iterator<Item = EventMapping>,
        aliases: impl Iterator<Item = EventAlias>,
    ) -> Self {
        let (mappings, aliases) = (mappings.collect::<Vec<_>>().leak(), aliases.collect::<Vec<_>>().leak());
        Self { mappings, aliases, unmapped: UnmappedEvents::Unsupported }
    }

    /// The events of a dialect that has no others, by its table.
    pub(crate) fn of_rows<K, X>(rows: &'static [DialectEvent<K, X>]) -> Self {
        let mapping = |def: &DialectEvent<K, X>| EventMapping { canonical: def.canonical, native: def.name };
        Self::only(rows.iter().map(mapping), std::iter::empty())
    }

    /// How the dialect supports an event of the catalogue.
    #[must_use]
    pub fn support(&self, def: &EventDef) -> EventSupport {
        match self.mappings.iter().find(|mapping| mapping.canonical.name() == def.name) {
            Some(mapping) => EventSupport::Native(mapping.native),
            None if self.unmapped == UnmappedEvents::Accepted => EventSupport::Addition,
            None => EventSupport::Unsupported,
        }
    }

    /// The canonical event for a name in this dialect.
    ///
    /// # Errors
    /// If the dialect has no such event; the nearest name of the dialect is suggested.
    pub fn find(&self, name: &str) -> Result<EventName, UnknownEvent> {
        let unknown = || UnknownEvent { name: name.to_owned(), suggestion: suggest_nearest(name, self.names()) };
        if let Some(alias) = self.aliases.iter().find(|alias| alias.name == name) {
            return EventName::parse(alias.canonical);
        }
        let is_named = |mapping: &&EventMapping| mapping.native == name && mapping.canonical.def().family().is_none();
        if let Some(mapping) = self.mappings.iter().find(is_named) {
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
