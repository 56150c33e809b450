//! The format of a client's settings file, as data.

use pintle_contract::Severity;

use crate::matcher::AlternateNames;

/// The format of a client's settings files.
#[derive(Debug)]
pub struct SettingsFormat {
    /// The structure below an event.
    pub layout: HookLayout,
    /// The unit of timeouts.
    pub clock: TimeUnit,
    /// The shell for command lines; `None` is `/bin/sh`.
    pub shell: Option<&'static str>,
    /// The default timeout of a command, in milliseconds.
    pub command_ms: u64,
    /// The default timeout of an HTTP request, in milliseconds.
    pub http_ms: u64,
    /// The default timeout of a model, in milliseconds.
    pub prompt_ms: u64,
    /// The values of `type`; the first one is the default.
    pub kinds: &'static [(&'static str, ClientHandlerKind)],
    /// The supported keys of a handler, in groups.
    pub keys: &'static [&'static [&'static str]],
    /// The keys that are known but not supported: the severity, the reason and what happens instead.
    pub not_carried_over: &'static [(&'static str, Severity, &'static str)],
    /// Keys next to the events that are not events.
    pub non_event_keys: &'static [&'static str],
    /// Alternate tool names in matchers.
    pub alternate_names: AlternateNames,
    /// The default model of a prompt handler.
    pub judge: &'static str,
}

/// The structure below an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookLayout {
    /// Groups with a matcher and a list of handlers.
    Groups,
    /// Handlers, each with its matcher.
    Flat,
}

/// The unit of timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Seconds below 1000, milliseconds from 1000 on.
    SecondsOrMilliseconds,
    /// Milliseconds.
    Milliseconds,
}

/// A kind of handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientHandlerKind {
    /// A command.
    Command,
    /// An HTTP request.
    Http,
    /// A prompt for a model.
    Prompt,
    /// Not supported, and why.
    NotCarriedOver(&'static str),
}

/// The keys of an HTTP request.
pub(crate) const HTTP_KEYS: &[&str] = &["url", "headers", "allowedEnvVars"];

/// The keys of a prompt for a model.
pub(crate) const PROMPT_KEYS: &[&str] = &["prompt", "model"];

impl SettingsFormat {
    /// Every supported key of a handler.
    pub fn handler_keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.keys.iter().copied().flatten().copied()
    }

    /// What most clients have in common, to be completed.
    pub const COMMON: Self = Self {
        layout: HookLayout::Groups,
        clock: TimeUnit::Seconds,
        shell: None,
        command_ms: 60_000,
        http_ms: 60_000,
        prompt_ms: 60_000,
        kinds: &[("command", ClientHandlerKind::Command)],
        keys: &[&["type", "command"]],
        not_carried_over: &[],
        non_event_keys: &[],
        alternate_names: &[],
        judge: "anthropic/claude-haiku-4-5",
    };

    /// Converts a timeout to milliseconds.
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
