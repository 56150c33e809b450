//! Names of events.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{CATALOGUE, EventDef, EventKind};
use crate::suggest_nearest;

impl EventKind {
    /// The canonical name of the event; the name of a family ends in `.*`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.def().name
    }

    /// The kind of the event with this canonical name; `None` if the catalogue has no such event.
    ///
    /// The families `custom.` and `meta.` take a suffix of `[a-z0-9_]+`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_single = |kind: &&Self| kind.name() == name && kind.def().family().is_none();
        let is_in_family = |kind: &&Self| {
            let suffix = kind.def().family().and_then(|prefix| name.strip_prefix(prefix));
            suffix.is_some_and(|suffix| !suffix.is_empty() && suffix.bytes().all(plain))
        };
        Self::ALL.iter().find(is_single).or_else(|| Self::ALL.iter().find(is_in_family)).copied()
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The canonical name of an event: its kind and, for the families `custom.*` and `meta.*`, a suffix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventName {
    kind: EventKind,
    /// The name of an event of a family.
    full: Option<Arc<str>>,
}

impl EventName {
    /// Parses a canonical name.
    ///
    /// # Errors
    /// When the catalogue has no event with this name.
    pub fn parse(name: &str) -> Result<Self, UnknownEvent> {
        let kind = EventKind::from_name(name).ok_or_else(|| UnknownEvent {
            name: name.to_owned(),
            suggestion: suggest_nearest(name, CATALOGUE.iter().map(|row| row.name)),
        })?;
        Ok(Self { kind, full: kind.def().family().map(|_| Arc::from(name)) })
    }

    /// The kind of the event.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        self.kind
    }

    /// The event definition in the catalogue.
    #[must_use]
    pub const fn def(&self) -> &'static EventDef {
        self.kind.def()
    }

    /// The full name, such as `tool.pre` or `custom.deploy`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.full.as_deref().unwrap_or(self.kind.name())
    }
}

/// The name of a single event. The kind of a family gives its event `custom.event` or `meta.event`; its other names are
/// [parsed](EventName::parse).
impl From<EventKind> for EventName {
    fn from(kind: EventKind) -> Self {
        let full = kind.def().family().map(|prefix| Arc::from(format!("{prefix}event")));
        Self { kind, full }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl Serialize for EventName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The error for a name that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The name that was given.
    pub name: String,
    /// The most similar event name; `None` if no name is similar enough.
    pub suggestion: Option<&'static str>,
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown event `{}`", self.name)?;
        match self.suggestion {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownEvent {}
