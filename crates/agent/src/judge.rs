//! Language models that decide for hooks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pintle_host::contract::{Failure, FailureKind, JudgeRequest, ReceiveError};
use pintle_host::{CancelToken, Judge};

use crate::model::{Model, ModelError, ModelErrorKind, ModelMessage, ModelReply, ModelRequest, choose};
use crate::turn_context::ModelOpener;

/// The agent name of a judge's model requests, used by scripted models.
const JUDGE: &str = "judge";

/// Asks language models for the verdicts of hooks with a model.
///
/// A model is opened on first use and then kept. Names are written as in docker-agent (`openai/gpt-4o-mini`) or as on
/// the command line (`openai:gpt-4o-mini`, `script:FILE`).
pub struct ModelJudge {
    open: Box<ModelOpener>,
    models: Mutex<HashMap<String, Arc<dyn Model>>>,
    request_count: AtomicU64,
}

impl ModelJudge {
    /// Creates a judge that opens its models with `open`.
    #[must_use]
    pub fn new(open: Box<ModelOpener>) -> Self {
        Self { open, models: Mutex::default(), request_count: AtomicU64::new(0) }
    }

    /// The model with this name, as a user writes it.
    fn model(&self, typed: &str) -> Result<Arc<dyn Model>, Failure> {
        let fault = |reason: String| Failure::new(FailureKind::Error, reason);
        let mut models = self.models.lock();
        if let Some(model) = models.get(typed) {
            return Ok(Arc::clone(model));
        }
        let spec = choose(&to_typed_name(typed), None).map_err(|error| fault(error.to_string()))?;
        let model = (self.open)(&spec).map_err(|error| fault(error.message))?;
        models.insert(typed.to_owned(), Arc::clone(&model));
        Ok(model)
    }
}

impl Judge for ModelJudge {
    fn judge(&self, question: &JudgeRequest<'_>, cancel: &CancelToken) -> Result<String, Failure> {
        let started = Instant::now();
        let model = self.model(question.model)?;
        let number = self.request_count.fetch_add(1, Ordering::Relaxed);
        let request = build_request(question, number);
        let part = cancel.child_token();
        let (answers, answer) = cancel.channel();
        let asking = part.clone();
        // On its own thread, so that the deadline applies whatever the model does.
        let spawned = thread::Builder::new().name(String::from("pintle-judge")).spawn(move || {
            answers.send(model.complete(&request, &mut |_| {}, &asking));
        });
        spawned.map_err(|error| Failure::new(FailureKind::Error, format!("cannot start a thread: {error}")))?;
        let deadline = Duration::from_millis(question.timeout_ms);
        match answer.receive(Some(deadline.saturating_sub(started.elapsed()))) {
            Ok(reply) => decode_reply(question, reply),
            Err(ReceiveError::Disconnected) => {
                let message = format!("the model `{}` stopped without a reply", question.model);
                Err(Failure::new(FailureKind::Crash, message))
            }
            Err(ReceiveError::Cancelled) => {
                Err(Failure::new(FailureKind::Cancelled, "the host cancelled the model call"))
            }
            Err(ReceiveError::TimedOut) => {
                part.cancel();
                Err(Failure::new(FailureKind::Timeout, timeout_message(question)))
            }
        }
    }
}

impl std::fmt::Debug for ModelJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelJudge").finish_non_exhaustive()
    }
}

/// Converts a name to the form that [`choose`] reads: docker-agent separates provider and name by the first slash.
fn to_typed_name(typed: &str) -> String {
    match (typed.find('/'), typed.find(':')) {
        (Some(slash), colon) if colon.is_none_or(|colon| slash < colon) => typed.replacen('/', ":", 1),
        _ => typed.to_owned(),
    }
}

fn build_request(question: &JudgeRequest<'_>, number: u64) -> ModelRequest {
    let mut instruction = question.instruction.to_owned();
    if let Some((name, schema)) = question.schema {
        instruction.push_str(&format!("\n\nJSON Schema `{name}`:\n{schema}"));
    }
    ModelRequest {
        agent: String::from(JUDGE),
        conversation: format!("question {}", number.saturating_add(1)),
        messages: vec![ModelMessage::system(instruction), ModelMessage::user(question.prompt)],
        ..ModelRequest::default()
    }
}

fn decode_reply(question: &JudgeRequest<'_>, reply: Result<ModelReply, ModelError>) -> Result<String, Failure> {
    reply.map(|reply| reply.text).map_err(|error| {
        let kind = match error.kind {
            ModelErrorKind::Cancelled => FailureKind::Cancelled,
            ModelErrorKind::Retryable | ModelErrorKind::Fatal | ModelErrorKind::Script => FailureKind::Error,
        };
        Failure::new(kind, format!("the model `{}`: {}", question.model, error.message))
    })
}

fn timeout_message(question: &JudgeRequest<'_>) -> String {
    let span = match question.timeout_ms {
        ms if ms % 1_000 == 0 => format!("{} s", ms / 1_000),
        ms => format!("{ms} ms"),
    };
    format!("the model `{}` gave no reply within {span}", question.model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_as_in_either_world() {
        let cases = [
            ("openai/gpt-4o-mini", "openai:gpt-4o-mini"),
            ("ollama/llama3.2:3b", "ollama:llama3.2:3b"),
            ("openai/org/model", "openai:org/model"),
            ("script:judges/strict.yaml", "script:judges/strict.yaml"),
            ("openai:org/model", "openai:org/model"),
            ("gpt-4o", "gpt-4o"),
        ];
        for (typed, read) in cases {
            assert_eq!(to_typed_name(typed), read);
        }
    }
}
