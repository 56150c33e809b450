//! What events say about a tool call beside its name and arguments.

use serde::{Deserialize, Serialize};

use super::HostPayload;
use crate::{Operation, ToolKind};

/// What events say about a tool call beside its name and arguments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallFacts {
    /// The vocabulary of `name` and `args`, such as `claude`: that of the agent that makes the call, or the hook's own
    /// if it is written in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<String>,
    /// What the tool is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    /// The tool's name in every vocabulary, the caller's own first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The absolute path of the directory that relative paths refer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The absolute path of the project; absent if no hook reads paths or operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The paths that the call names; absent if no hook reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<CallPath>>,
    /// What the call would do, found before it is done; absent if no hook reads it. What cannot be known is an operation
    /// of the kind `unknown`, with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<Operation>>,
    /// The files with code that were read for the operations, such as scripts that the call runs; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_files: Vec<CodeFile>,
    /// The end of the user's pause of self-protection, in milliseconds since 1970; absent if it is not paused, or if no
    /// hook reads operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_ends_at_ms: Option<u64>,
    /// The tool's category, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool declares itself read-only. Pintle does not verify the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The session's permission mode, by the host's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// A file with code that a call runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CodeFile {
    /// The absolute path, with symbolic links resolved.
    pub path: String,
    /// The digest of what was read of it: `sha256:` and the hex SHA-256.
    pub digest: String,
}

/// A path that a tool call names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallPath {
    /// The path as written.
    pub written: String,
    /// The absolute path, with symbolic links resolved as far as the path exists.
    pub absolute: String,
    /// The path relative to the project; absent outside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<String>,
    /// Whether the path is inside the project.
    pub inside: bool,
    /// What the call does there: `read`, `write`, `edit`, `delete`, `move`, `list` or `search`.
    pub access: ToolKind,
}
