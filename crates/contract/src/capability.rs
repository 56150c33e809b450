//! Capabilities: what hooks and tools could do beyond returning a decision.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that a hook or tool could do beyond returning a decision.
///
/// A hook without capabilities does not need the user's trust: whatever it returns, the most it can do is deny.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Runs a program: the command as written, followed by its arguments.
    Command(String),
    /// Connects to a host: its name or address as written.
    Host(String),
    /// Calls a language model: its name as written.
    Model(String),
    /// Calls tools: their name, or the function that calls them.
    Tool(String),
    /// Does something else, as a phrase that follows "it", such as `keeps snapshots of the files`.
    Effect(String),
}

/// Formats as a phrase that follows "it".
impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "runs `{command}`"),
            Self::Host(host) => write!(f, "connects to {host}"),
            Self::Model(model) => write!(f, "calls the model {model}"),
            Self::Tool(tool) => write!(f, "calls tools by `{tool}`"),
            Self::Effect(effect) => f.write_str(effect),
        }
    }
}

/// What happens to the guards of an untrusted project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UntrustedGuardPolicy {
    /// The events that they guard are denied.
    Deny,
    /// The guards are skipped.
    Skip,
}

impl UntrustedGuardPolicy {
    /// The names of the policies in settings.
    pub const WORDS: [(&'static str, Self); 2] = [("deny", Self::Deny), ("skip", Self::Skip)];
}
