//! Names of events.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{CATALOGUE, EventDef};
use crate::suggest_nearest;

/// The canonical name of an event: its definition in the catalogue and, for the families `custom.*` and `meta.*`, a
/// suffix.
#[derive(Clone)]
pub struct EventName {
    def: &'static EventDef,
    full: Option<Arc<str>>,
}

impl EventName {
    /// The name of a single event, which is not a family.
    #[must_use]
    pub fn from_def(row: &'static EventDef) -> Self {
        Self { def: row, full: None }
    }

    /// Parses a canonical name.
    ///
    /// The families `custom.` and `meta.` take a suffix of `[a-z0-9_]+`.
    ///
    /// # Errors
    /// When the catalogue has no event with this name.
    pub fn parse(name: &str) -> Result<Self, UnknownEvent> {
        let unknown = || UnknownEvent {
            name: name.to_owned(),
            suggestion: suggest_nearest(name, CATALOGUE.iter().map(|row| row.name)),
        };
        if let Some(row) = CATALOGUE.iter().find(|row| row.name == name && row.family().is_none()) {
            return Ok(Self::from_def(row));
        }
        let in_family = |row: &&&EventDef| row.family().is_some_and(|prefix| name.starts_with(prefix));
        let row: &'static EventDef = CATALOGUE.iter().find(in_family).ok_or_else(unknown)?;
        let suffix = row.family().and_then(|prefix| name.strip_prefix(prefix)).unwrap_or_default();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if suffix.is_empty() || !suffix.bytes().all(plain) {
            return Err(unknown());
        }
        Ok(Self { def: row, full: Some(Arc::from(name)) })
    }

    /// The event definition in the catalogue.
    #[must_use]
    pub fn def(&self) -> &'static EventDef {
        self.def
    }

    /// The full name, such as `tool.pre` or `custom.deploy`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.full.as_deref().unwrap_or(self.def.name)
    }
}

impl PartialEq for EventName {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.def, other.def) && self.full == other.full
    }
}

impl Eq for EventName {}

impl Hash for EventName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.def).hash(state);
        self.full.hash(state);
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
