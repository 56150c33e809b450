//! The codec of a dialect, which travels with each of its hooks.

use std::fmt::Debug;

use serde_json::Value;

use crate::{Answer, Event, Verdict};

/// Translates between the canonical event and what one dialect's handlers expect and answer.
///
/// The engine never names a dialect: it holds handlers, and a handler holds its codec.
pub trait Codec: Send + Sync + Debug {
    /// The dialect's name, such as `ai_harness`.
    fn dialect(&self) -> &'static str;

    /// The payload as the dialect's handlers expect it, or `None` when the canonical payload is already that
    /// (then nothing is copied).
    fn encode(&self, event: &Event) -> Option<Value>;

    /// Reads an answer as a verdict. Total: any answer gives some verdict, never a panic.
    fn decode(&self, event: &Event, answer: Answer) -> Verdict;
}
