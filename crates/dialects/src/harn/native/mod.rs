//! The native parts of a tool hook: denying calls, and cutting long results.

mod compact;

use pintle_contract::{Handler, HookCall, Verdict};
use serde_json::{Map, Value};

/// Denies every call with one reason.
#[derive(Debug)]
pub(super) struct DenyHandler {
    reason: String,
}

impl DenyHandler {
    pub(super) fn new(reason: String) -> Self {
        Self { reason }
    }
}

impl Handler for DenyHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn call(&self, _call: &HookCall<'_>) -> Verdict {
        Verdict::deny(self.reason.as_str())
    }
}

/// Cuts results in the middle.
#[derive(Debug)]
pub(super) struct MaxOutputHandler {
    limit_bytes: usize,
}

impl MaxOutputHandler {
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes: usize::try_from(limit_bytes).unwrap_or(usize::MAX) }
    }
}

impl Handler for MaxOutputHandler {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        let content = call.event.payload.field("content").and_then(Value::as_str).unwrap_or_default();
        if content.len() <= self.limit_bytes {
            return Verdict::pass();
        }
        let cut = compact::compact(content, self.limit_bytes);
        Verdict::rewrite(Map::from_iter([(String::from("content"), Value::from(cut))]))
    }
}
