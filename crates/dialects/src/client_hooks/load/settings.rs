//! How an agent's files are laid out, as data.

use pintle_contract::Severity;

use crate::client_hooks::matcher::AlternateNames;

/// How an agent's files are laid out.
#[derive(Debug)]
pub struct SettingsFormat {
    /// What stands below an event.
    pub layout: HookLayout,
    /// What a time-out is counted in.
    pub clock: TimeUnit,
    /// The shell that reads command lines; `None` is `/bin/sh`.
    pub shell: Option<&'static str>,
    /// How long a command may take, in milliseconds.
    pub command_ms: u64,
    /// How long a server may take, in milliseconds.
    pub http_ms: u64,
    /// How long a model may take, in milliseconds.
    pub prompt_ms: u64,
    /// The words for kinds of handlers; the first one is meant where none is written.
    pub kinds: &'static [(&'static str, ClientHandlerKind)],
    /// The keys of a handler that mean something.
    pub keys: &'static [&'static str],
    /// The keys that are known and not carried over: why and what happens instead, and how bad that is.
    pub not_carried_over: &'static [(&'static str, Severity, &'static str)],
    /// The keys beside the events that are none.
    pub non_event_keys: &'static [&'static str],
    /// Second names of tools in matchers.
    pub alternate_names: AlternateNames,
    /// The model that judges where a prompt names none.
    pub judge: &'static str,
}

/// What stands below an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookLayout {
    /// Groups with a matcher and a list of handlers.
    Groups,
    /// Handlers, each with its matcher.
    Flat,
}

/// What a time-out is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Seconds, and milliseconds from 1000 on.
    SecondsOrMilliseconds,
    /// Milliseconds.
    Milliseconds,
}

/// A kind of handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientHandlerKind {
    /// A program.
    Command,
    /// A server.
    Http,
    /// A model.
    Prompt,
    /// Not carried over, and why.
    NotCarriedOver(&'static str),
}

impl SettingsFormat {
    /// A time-out in milliseconds.
    #[must_use]
    pub fn to_milliseconds(&self, written: f64) -> u64 {
        let factor = match self.clock {
            TimeUnit::Milliseconds => 1.0,
            TimeUnit::SecondsOrMilliseconds if written >= 1000.0 => 1.0,
            TimeUnit::Seconds | TimeUnit::SecondsOrMilliseconds => 1000.0,
        };
        (written * factor).max(1.0) as u64
    }
}
