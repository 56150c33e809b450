//! What one call of a hook may use.

use serde::{Deserialize, Serialize};

/// Bounds on one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallLimits {
    /// Wall time. A hook's `timeout_ms` sets it. Default 5,000.
    pub timeout_ms: u64,
    /// Steps of a script: calls and loop turns. Default 1,000,000.
    pub steps: u64,
    /// Memory a script may allocate in one call. Default 64 MiB.
    pub memory_bytes: u64,
    /// Nested calls in a script. Default 100.
    pub call_depth: u32,
    /// What a hook may print or return. Default 1 MiB.
    pub output_bytes: u64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { timeout_ms: 5_000, steps: 1_000_000, memory_bytes: 64 << 20, call_depth: 100, output_bytes: 1 << 20 }
    }
}
