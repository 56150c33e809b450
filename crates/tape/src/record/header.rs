//! The first record of a tape.

use pintle_contract::{Chain, FailurePolicy, Hook, Layer, Mode, Profile};
use serde::{Deserialize, Serialize};

use super::FORMAT;
use crate::line::digest;

/// The first record: who wrote the tape, and for which session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub format: u32,
    /// The version of Pintle that wrote it.
    pub pintle: String,
    /// The session.
    pub session: String,
    /// When the session began, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// Whether the whole session ran in shadow mode.
    pub shadow: bool,
}

/// Hooks that were loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// The hooks, in declared order.
    pub hooks: Vec<HookEntry>,
}

/// One hook that was loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookEntry {
    /// Its name.
    pub id: String,
    /// The canonical event.
    pub event: String,
    /// Where it comes from, such as a path.
    pub source: String,
    /// The dialect of its source.
    pub dialect: String,
    /// Who put it there.
    pub layer: Layer,
    /// How its chain composes.
    pub profile: Profile,
    /// The author's number for ordering.
    pub priority: i64,
    /// Whether its verdict is enforced.
    pub mode: Mode,
    /// Whether it can deny.
    pub guard: bool,
    /// What a failure of it means.
    pub on_failure: FailurePolicy,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in its file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// SHA-256 of its file's text, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Header {
    /// A header of the current format.
    pub fn new(session: impl Into<String>, started_ms: u64) -> Self {
        Self {
            format: FORMAT,
            pintle: String::from(env!("CARGO_PKG_VERSION")),
            session: session.into(),
            started_ms,
            shadow: false,
        }
    }

    /// Says whether the whole session runs in shadow mode.
    #[must_use]
    pub fn with_shadow(mut self, shadow: bool) -> Self {
        self.shadow = shadow;
        self
    }
}

impl Loaded {
    /// Describes the hooks of chains, in their order.
    #[must_use]
    pub fn new<'a>(chains: impl IntoIterator<Item = &'a Chain>) -> Self {
        let entries = |chain: &'a Chain| chain.hooks.iter().map(move |hook| HookEntry::new(chain, hook));
        Self { hooks: chains.into_iter().flat_map(entries).collect() }
    }
}

impl HookEntry {
    /// Describes a hook of a chain.
    #[must_use]
    pub fn new(chain: &Chain, hook: &Hook) -> Self {
        Self {
            id: hook.id.to_string(),
            event: hook.event.to_string(),
            source: chain.source.to_string(),
            dialect: String::from(chain.dialect),
            layer: chain.layer,
            profile: chain.profile,
            priority: hook.priority,
            mode: hook.mode,
            guard: hook.guard,
            on_failure: hook.on_failure,
            path: hook.location.path().map(|path| path.display().to_string()),
            line: hook.location.line_column().map(|(line, _)| line),
            digest: hook.location.file.as_ref().map(|file| digest(file.text.as_bytes())),
        }
    }
}
