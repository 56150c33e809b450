//! Hooks as a dialect read them: what the user wrote, not yet compiled.

use std::sync::Arc;

use serde_json::Value;

use crate::{Codec, EventName, FailurePolicy, Location, Mode};

/// One hook as declared in a file.
#[derive(Debug, Clone)]
pub struct HookDeclaration {
    /// The hook's name.
    pub name: String,
    /// The canonical event.
    pub event: EventName,
    /// The event's name as written.
    pub spelling: Arc<str>,
    /// The author's number for ordering; lower runs first.
    pub priority: i64,
    /// What it wants to see; `None` is everything.
    pub matcher: Option<MatcherSpec>,
    /// What runs.
    pub handler: HandlerSpec,
    /// What a failure means when the author said so.
    pub on_error: Option<FailurePolicy>,
    /// What a failure means otherwise, as the dialect documents it for this event.
    pub default_on_error: FailurePolicy,
    /// Whether the verdict is enforced.
    pub mode: Mode,
    /// Wall time for one call, when the author said so.
    pub timeout_ms: Option<u64>,
    /// Worked examples, run by `pintle test`.
    pub examples: Vec<HookExample>,
    /// Where it was declared.
    pub location: Location,
    /// How its handler is spoken to.
    pub codec: Arc<dyn Codec>,
}

/// What a hook wants to see.
#[derive(Debug, Clone)]
pub enum MatcherSpec {
    /// A Starlark expression over `event` and `payload`.
    Expression(ScriptText),
}

/// What a hook runs.
#[derive(Debug, Clone)]
pub enum HandlerSpec {
    /// Nothing: a placeholder that always passes.
    None,
    /// A Starlark module with an entry point.
    Script(ScriptText),
}

/// Starlark source and where it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptText {
    /// The source, with the file's indentation removed.
    pub text: Arc<str>,
    /// The place of the value in its file.
    pub location: Location,
    /// The line of the file, from 1, that holds the first line of `text`.
    pub first_line: usize,
    /// Characters that stand before each line of `text` in the file.
    pub indent: usize,
}

impl ScriptText {
    /// Source that stands in no file.
    pub fn bare(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), location: Location::default(), first_line: 1, indent: 0 }
    }
}

/// One worked example of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct HookExample {
    /// The payload that is fired.
    pub payload: Value,
    /// What the hook is expected to say: `allow`, `block`, `modify`, `ask`.
    pub expect: String,
    /// Where it was declared.
    pub location: Location,
}
