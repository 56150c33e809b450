//! How an agent's files are laid out, as data.

use pintle_contract::Severity;

use crate::client_hooks::matcher::SecondNames;

/// How an agent's files are laid out.
#[derive(Debug)]
pub struct Settings {
    /// What stands below an event.
    pub layout: Layout,
    /// What a time-out is counted in.
    pub clock: Clock,
    /// The shell that reads command lines; `None` is `/bin/sh`.
    pub shell: Option<&'static str>,
    /// How long a command may take, in milliseconds.
    pub command_ms: u64,
    /// How long a server may take, in milliseconds.
    pub http_ms: u64,
    /// How long a model may take, in milliseconds.
    pub prompt_ms: u64,
    /// The words for kinds of handlers; the first one is meant where none is written.
    pub kinds: &'static [(&'static str, Kind)],
    /// The keys of a handler that mean something.
    pub keys: &'static [&'static str],
    /// The keys that are known and not carried over: why and what happens instead, and how bad that is.
    pub lost: &'static [(&'static str, Severity, &'static str)],
    /// The keys beside the events that are none.
    pub beside: &'static [&'static str],
    /// Second names of tools in matchers.
    pub second_names: SecondNames,
    /// The model that judges where a prompt names none.
    pub judge: &'static str,
}

/// What stands below an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Groups with a matcher and a list of handlers.
    Groups,
    /// Handlers, each with its matcher.
    Flat,
}

/// What a time-out is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Seconds.
    Seconds,
    /// Seconds, and milliseconds from 1000 on.
    SecondsOrMilliseconds,
    /// Milliseconds.
    Milliseconds,
}

/// A kind of handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A program.
    Command,
    /// A server.
    Http,
    /// A model.
    Prompt,
    /// Not carried over, and why.
    Lost(&'static str),
}

impl Settings {
    /// A time-out in milliseconds.
    #[must_use]
    pub fn milliseconds(&self, written: f64) -> u64 {
        let factor = match self.clock {
            Clock::Milliseconds => 1.0,
            Clock::SecondsOrMilliseconds if written >= 1000.0 => 1.0,
            Clock::Seconds | Clock::SecondsOrMilliseconds => 1000.0,
        };
        (written * factor).max(1.0) as u64
    }
}
