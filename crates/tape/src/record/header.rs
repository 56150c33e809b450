//! The header and the `hooks` records.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    CallLimits, Chain, DenyEffect, EnforcementMode, EventName, FailurePolicy, Handler, Hook, HookId, Layer, Location,
    Matcher, Profile, SourceFile, SourceTrust,
};
use serde::{Deserialize, Serialize};

use super::FORMAT;
use crate::line::digest_hex;

/// The first record: the writer of the tape and its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderRecord {
    /// The version of the format.
    pub format: u32,
    /// The version of Pintle that wrote it.
    pub pintle: String,
    /// The session.
    pub session: String,
    /// When the session began, in milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// Whether the whole session ran in shadow mode.
    pub shadow: bool,
}

/// Hooks that were loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooksRecord {
    /// Where they apply.
    pub scope: HookScope,
    /// The hooks, in declared order.
    pub hooks: Vec<LoadedHook>,
}

/// Where hooks apply, and their order within a configuration layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookScope {
    /// In the runtime, for every agent. Those of one layer are ordered as on the tape.
    Runtime,
    /// In one agent and its child agents, after the runtime's hooks of the same layer.
    Agent,
}

/// A loaded hook. Its texts are its own, or borrowed from the hook that it describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadedHook<S = String> {
    /// Its number, from 0 over all hooks of the tape.
    pub entry: u64,
    /// The number of its chain, from 0 over all chains of the tape.
    pub chain: u64,
    /// Its name.
    pub id: S,
    /// The canonical event.
    pub event: S,
    /// The event's name as the hook's author wrote it.
    pub event_alias: S,
    /// Its source, such as a path.
    pub source: S,
    /// The dialect of its source.
    pub dialect: S,
    /// The configuration layer that declares it.
    pub layer: Layer,
    /// How its chain composes verdicts.
    pub profile: Profile,
    /// The author's number for ordering.
    pub priority: i64,
    /// Whether its verdict is enforced.
    pub mode: EnforcementMode,
    /// Whether the user trusts its source.
    #[serde(default, skip_serializing_if = "SourceTrust::is_trusted")]
    pub source_trust: SourceTrust,
    /// Whether it can deny.
    pub guard: bool,
    /// What happens if it fails.
    pub on_failure: FailurePolicy,
    /// The effect of its deny.
    pub on_deny: DenyEffect,
    /// Whether a matcher error counts as a failure of the hook.
    pub strict_matcher: bool,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<S>,
    /// The line in its file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// SHA-256 of its file's text, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<S>,
}

impl HeaderRecord {
    /// Creates a header of the current format.
    pub fn new(session: impl Into<String>, started_ms: u64) -> Self {
        Self {
            format: FORMAT,
            pintle: String::from(env!("CARGO_PKG_VERSION")),
            session: session.into(),
            started_ms,
            shadow: false,
        }
    }

    /// Sets whether the whole session runs in shadow mode.
    #[must_use]
    pub fn with_shadow(mut self, shadow: bool) -> Self {
        self.shadow = shadow;
        self
    }
}

impl LoadedHook {
    /// Whether a text is that of the hook's file when it was loaded.
    #[must_use]
    pub fn was_loaded_from(&self, text: &str) -> bool {
        self.digest.as_deref() == Some(digest_hex(text.as_bytes()).as_str())
    }

    /// Creates a stub hook for the loaded one: it has the same position and rules, and runs something else. Duplicates
    /// are not detected again, since the tape says which hooks were called.
    #[must_use]
    pub fn to_stub_hook<S: Matcher + Handler + 'static>(&self, event: EventName, stand_in: Arc<S>) -> Hook {
        Hook {
            id: HookId::new(self.id.as_str()),
            event,
            event_alias: Arc::from(self.event_alias.as_str()),
            priority: self.priority,
            matcher: Some(Arc::clone(&stand_in) as Arc<dyn Matcher>),
            handler: stand_in,
            on_deny: self.on_deny,
            definition: None,
            guard: self.guard,
            on_failure: self.on_failure,
            strict_matcher: self.strict_matcher,
            mode: self.mode,
            source_trust: self.source_trust,
            tools: Vec::new(),
            limits: CallLimits::default(),
            location: self.location(),
        }
    }

    /// The location of the declaration, as far as messages about the hook need it.
    fn location(&self) -> Location {
        let file = |path: &String| Arc::new(SourceFile { path: PathBuf::from(path), text: String::new() });
        Location { file: self.path.as_ref().map(file), ..Location::default() }
    }

    /// Creates a chain with the rules of the recorded hook's chain, containing this hook.
    #[must_use]
    pub fn to_chain(&self, first: Arc<Hook>) -> Chain {
        Chain {
            source: Arc::from(self.source.as_str()),
            dialect: "tape",
            layer: self.layer,
            profile: self.profile,
            hooks: vec![first],
        }
    }
}

impl<'h, S: From<&'h str> + From<String>> LoadedHook<S> {
    /// Describes a hook of a chain, with its number and that of its chain.
    #[must_use]
    pub fn new(entry: u64, number: u64, chain: &'h Chain, hook: &'h Hook) -> Self {
        let path = |path: &'h Path| path.to_str().map_or_else(|| S::from(path.display().to_string()), S::from);
        Self {
            entry,
            chain: number,
            id: S::from(hook.id.as_str()),
            event: S::from(hook.event.as_str()),
            event_alias: S::from(&*hook.event_alias),
            source: S::from(&*chain.source),
            dialect: S::from(chain.dialect),
            layer: chain.layer,
            profile: chain.profile,
            priority: hook.priority,
            mode: hook.mode,
            source_trust: hook.source_trust,
            guard: hook.guard,
            on_failure: hook.on_failure,
            on_deny: hook.on_deny,
            strict_matcher: hook.strict_matcher,
            path: hook.location.path().map(path),
            line: hook.location.line_column().map(|(line, _)| line),
            digest: hook.location.file.as_ref().map(|file| S::from(digest_hex(file.text.as_bytes()))),
        }
    }
}
