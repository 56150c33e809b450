//! The limits of one hook call.

use serde::{Deserialize, Serialize};

/// The limits of one hook call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    /// A hook's timeout: the time limit in milliseconds of wall time, set by its `timeout_ms`. Each kind of handler
    /// enforces it. Default 5,000.
    pub timeout_ms: u64,
    /// The maximum number of script steps: calls and loop iterations. Default 1,000,000.
    pub steps: u64,
    /// The maximum memory in bytes that a script may allocate. Default 64 MiB.
    pub memory_bytes: u64,
    /// The maximum depth of nested calls in a script. Default 100.
    pub call_depth: u32,
    /// The maximum size in bytes of what a hook prints or returns. Default 1 MiB.
    pub output_bytes: u64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { timeout_ms: 5_000, steps: 1_000_000, memory_bytes: 64 << 20, call_depth: 100, output_bytes: 1 << 20 }
    }
}
