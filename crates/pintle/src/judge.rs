//! Language models that judge for hooks.

use std::fmt;

use pintle_host::contract::{self, Failure, FailureKind};
use pintle_host::{CancelToken, Judge};
use serde_json::Value;

/// A request to a language model, for a hook whose verdict comes from a model.
#[derive(Debug)]
pub struct JudgeRequest<'a> {
    request: contract::JudgeRequest<'a>,
    cancel: &'a CancelToken,
}

impl<'a> JudgeRequest<'a> {
    /// The model as the hook's author wrote it, such as `openai/gpt-4o-mini`.
    #[must_use]
    pub fn model(&self) -> &'a str {
        self.request.model
    }

    /// The system prompt.
    #[must_use]
    pub fn instruction(&self) -> &'a str {
        self.request.instruction
    }

    /// The prompt.
    #[must_use]
    pub fn prompt(&self) -> &'a str {
        self.request.prompt
    }

    /// The name and JSON Schema of the reply; `None` for a text.
    #[must_use]
    pub fn schema(&self) -> Option<(&'a str, &'a Value)> {
        self.request.schema
    }

    /// The time limit of the reply, in milliseconds. A later reply is dropped.
    #[must_use]
    pub fn timeout_ms(&self) -> u64 {
        self.request.timeout_ms
    }

    /// Whether the reply is no longer needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// A judge of the program, as the runtime calls it.
pub(crate) struct ProgramJudge(pub(crate) Box<JudgeFn>);

type JudgeFn = dyn Fn(&JudgeRequest<'_>) -> Result<String, String> + Send + Sync;

impl Judge for ProgramJudge {
    fn judge(&self, question: &contract::JudgeRequest<'_>, cancel: &CancelToken) -> Result<String, Failure> {
        (self.0)(&JudgeRequest { request: *question, cancel }).map_err(|why| Failure::new(FailureKind::Error, why))
    }
}

impl fmt::Debug for ProgramJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgramJudge")
    }
}
