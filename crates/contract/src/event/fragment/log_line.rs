//! A log line of a hook.

use serde::{Deserialize, Serialize};

/// A log line that a hook wrote during the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LogLine {
    /// How urgent the line is: `info` or `warn`.
    pub level: String,
    /// The name of the hook that wrote the line.
    pub hook: String,
    /// The text of the line.
    pub message: String,
}
