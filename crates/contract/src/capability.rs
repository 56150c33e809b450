//! What somebody's hooks and tools can reach outside of the sandbox, which takes the consent of whoever runs them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that a hook or a tool can do beyond judging an event.
///
/// A hook that has none of these needs nobody's consent: whatever it answers, it can do no harm but refuse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Runs a program: the command as written, its arguments behind it.
    Command(String),
    /// Connects to a host, by its name or its address as written.
    Host(String),
    /// Asks a language model, by its name as people write it.
    Model(String),
    /// Calls tools, by their name or by what calls them.
    Tool(String),
    /// Does something else, in words that go on after "it", such as `keeps snapshots of the files`.
    Effect(String),
}

/// In words that go on after "it".
impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "runs `{command}`"),
            Self::Host(host) => write!(f, "connects to {host}"),
            Self::Model(model) => write!(f, "asks the model {model}"),
            Self::Tool(tool) => write!(f, "calls tools by `{tool}`"),
            Self::Effect(effect) => f.write_str(effect),
        }
    }
}

/// What becomes of the guards of a project that nobody agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UntrustedGuardPolicy {
    /// What they guard is denied.
    Deny,
    /// They are passed over.
    Skip,
}

impl UntrustedGuardPolicy {
    /// The words for them, as settings have them.
    pub const WORDS: [(&'static str, Self); 2] = [("deny", Self::Deny), ("skip", Self::Skip)];
}
