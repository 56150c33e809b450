//! The kit's process: what the interceptors and the approver in it answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use pintle_host::dialects::agent_hooks::{HostError, HostFault, InterceptorHost};
use serde_json::{Map, Value, json};

use super::{InputLines, write_line};

/// Asks the kit's process in lines of JSON, each answered by a line with the same `id`.
#[derive(Debug)]
pub(super) struct KitPeer {
    lines: InputLines,
    next_id: AtomicU64,
}

impl KitPeer {
    pub(super) fn new(lines: &InputLines) -> Self {
        Self { lines: Arc::clone(lines), next_id: AtomicU64::new(0) }
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&self, question: &str, argument: Value, limit_ms: Option<u64>) -> Result<Value, PeerError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let lines = self.lines.lock();
        write_line(&json!({"id": id, "ask": question, "argument": argument}));
        let deadline = limit_ms.and_then(|limit_ms| Instant::now().checked_add(Duration::from_millis(limit_ms)));
        loop {
            let line = match deadline {
                None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => lines.recv_timeout(deadline.saturating_duration_since(Instant::now())),
            };
            let line = line.map_err(|error| match error {
                RecvTimeoutError::Timeout => PeerError::TimedOut,
                RecvTimeoutError::Disconnected => PeerError::Failed(String::from("the kit has ended")),
            })?;
            let answer: Value = serde_json::from_slice(&line).map_err(|error| PeerError::Failed(error.to_string()))?;
            // A late answer to an earlier question.
            if answer.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return match (answer.get("value"), answer.get("error").and_then(Value::as_str)) {
                (Some(value), None) => Ok(value.clone()),
                (_, error) => Err(PeerError::Failed(error.unwrap_or("no `value`").to_owned())),
            };
        }
    }
}

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum PeerError {
    TimedOut,
    Failed(String),
}

impl PeerError {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::TimedOut => String::from("timeout"),
            Self::Failed(error) => error,
        }
    }
}

impl InterceptorHost for KitPeer {
    fn intercept(
        &self,
        binding: usize,
        context: &Map<String, Value>,
        timeout_ms: Option<u64>,
    ) -> Result<Value, HostFault> {
        let argument = json!({"binding": binding, "context": context});
        self.ask("intercept", argument, timeout_ms).map_err(|error| match error {
            PeerError::TimedOut => HostFault::new(HostError::InterceptorTimeout, ""),
            PeerError::Failed(error) => HostFault::new(HostError::InterceptorFailed, &error),
        })
    }

    fn resolve(&self, request: Value, timeout_ms: Option<u64>) -> Result<Value, String> {
        self.ask("resolve", request, timeout_ms).map_err(PeerError::into_text)
    }

    fn redact(&self, context: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        match self.ask("redact", json!(context), None).map_err(PeerError::into_text)? {
            Value::Object(context) => Ok(context),
            _ => Err(String::from("the redacted context is not an object")),
        }
    }

    fn identify(&self, provider: &str, context: &Map<String, Value>) -> Result<String, String> {
        let identity = self.ask("identify", json!({"provider": provider, "context": context}), None);
        let identity = identity.map_err(PeerError::into_text)?;
        identity.as_str().map(str::to_owned).ok_or_else(|| String::from("the identity is not a text"))
    }
}
