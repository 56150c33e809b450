//! The language of scripts, and the kinds of them.

use serde::{Deserialize, Serialize};
use starlark::syntax::{Dialect, DialectTypes};

/// The language of hooks: standard Starlark without `load`, with f-strings and keyword-only arguments.
pub(crate) fn dialect() -> Dialect {
    Dialect {
        enable_load: false,
        enable_f_strings: true,
        enable_keyword_only_arguments: true,
        enable_types: DialectTypes::Disable,
        enable_top_level_stmt: false,
        ..Dialect::Standard
    }
}

/// The kind of a script, which determines its entry point and built-ins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScriptKind {
    /// A hook: `handle(event, payload)`.
    Hook,
    /// A tool: `run(args)`.
    Tool,
    /// A verification: `run(result)`.
    Verify,
    /// A plugin: its top level registers functions, each of which takes the event. It has no entry point.
    Plugin,
}

impl ScriptKind {
    /// The name of the entry point; empty for plugins.
    #[must_use]
    pub fn entry_point(self) -> &'static str {
        match self {
            Self::Hook => "handle",
            Self::Tool | Self::Verify => "run",
            Self::Plugin => "",
        }
    }

    /// The parameters of the entry point.
    #[must_use]
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Hook => &["event", "payload"],
            Self::Tool => &["args"],
            Self::Verify => &["result"],
            Self::Plugin => &["event"],
        }
    }

    pub(crate) fn noun_phrase(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Tool => "tool",
            Self::Verify => "verify",
            Self::Plugin => "plugin",
        }
    }
}

/// Where a script may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptPlacement {
    /// In this process: its cost is bounded by its input.
    InProcess,
    /// In a worker process, which may die. Such a script is not even loaded here, because loading evaluates it.
    Worker,
}

/// The decisions that a script can return, as far as its text shows; anything else is assumed possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScriptPowers {
    /// Whether it can deny or ask; see [`Hook::guard`](pintle_contract::Hook::guard).
    pub can_deny: bool,
    /// Whether it can rewrite the event's payload.
    pub can_rewrite: bool,
}

impl ScriptPowers {
    /// The powers of a script that may return any decision.
    pub(crate) const ALL: Self = Self { can_deny: true, can_rewrite: true };

    pub(crate) fn union(self, other: Self) -> Self {
        Self { can_deny: self.can_deny || other.can_deny, can_rewrite: self.can_rewrite || other.can_rewrite }
    }
}
