//! Retries failed model calls.

use std::sync::Arc;

use pintle_host::contract::{DispatchId, RetrySpec};

use super::wire;
use crate::model::{Model, ModelError, ModelErrorKind, ModelReply, ModelRequest, ReplyDelta, is_context_overflow};
use crate::observer::AgentEvent;
use crate::recording;
use crate::turn_context::TurnContext;

/// A reply, and the fallback model that gave it, if any.
pub(crate) struct ModelAttempt {
    pub(crate) reply: ModelReply,
    pub(crate) fallback: Option<Arc<dyn Model>>,
}

/// Calls the model, retries errors that may pass, and then tries the fallback models.
///
/// A request that is too long is not sent to another model: the conversation is compacted first. `on_text` receives the
/// text as it arrives. `same_as` is the dispatch whose final payload is the request, if there is one.
pub(crate) fn complete(
    turn: &TurnContext,
    request: &ModelRequest,
    same_as: Option<DispatchId>,
    on_text: &dyn Fn(&str),
) -> Result<ModelAttempt, ModelError> {
    let agent = &turn.agent;
    let mut error = match try_model(turn, &**turn.model(), (request, same_as), on_text) {
        Ok(reply) => return Ok(ModelAttempt { reply, fallback: None }),
        Err(error) => error,
    };
    let (mut index, mut failed) = (0, turn.model().name().to_owned());
    while error.kind != ModelErrorKind::Cancelled && !is_context_overflow(&error.message) {
        let Some(opened) = agent.fallback(index) else { break };
        index += 1;
        let next = match opened {
            Ok(next) => next,
            Err(reason) => {
                turn.notify(AgentEvent::Notice { message: &reason });
                continue;
            }
        };
        let message = format!("model `{failed}` failed: {}; continuing with `{}`", error.message, next.name());
        turn.notify(AgentEvent::Notice { message: &message });
        next.name().clone_into(&mut failed);
        // A model name in the request belongs to the first model's provider.
        let request = ModelRequest { model: String::new(), ..request.clone() };
        error = match try_model(turn, &*next, (&request, same_as), on_text) {
            Ok(reply) => return Ok(ModelAttempt { reply, fallback: Some(next) }),
            Err(error) => error,
        };
    }
    Err(error)
}

fn try_model(
    turn: &TurnContext,
    model: &dyn Model,
    (request, same_as): (&ModelRequest, Option<DispatchId>),
    on_text: &dyn Fn(&str),
) -> Result<ModelReply, ModelError> {
    let (agent, cancel) = (&turn.agent, &turn.scope.cancel);
    let spec = turn.model_spec().map(|model| model.retry).unwrap_or_default();
    let mut retries = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(ModelError::cancelled());
        }
        let mut on = |delta: ReplyDelta| match delta {
            ReplyDelta::Text(text) => on_text(&text),
        };
        let clock = agent.shared.runtime.clock();
        let name = if request.model.is_empty() { model.name() } else { &request.model };
        let payload = || wire::request_to_value(request, model.name());
        let asked = recording::record_model_request(turn, &request.conversation, name, same_as, payload);
        if let Some(reason) = recording::recording_failure(turn) {
            return Err(ModelError::fatal(reason));
        }
        let began_us = clock.monotonic_us();
        let answer = model.complete(request, &mut on, cancel);
        recording::record_model_reply(turn, asked, clock.monotonic_us().saturating_sub(began_us), &answer);
        let error = match answer {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        if error.kind != ModelErrorKind::Retryable || retries >= spec.max_retries {
            return Err(error);
        }
        let delay_ms = delay_ms(&spec, retries);
        retries += 1;
        turn.notify(AgentEvent::Retried { message: &error.message, attempt: retries + 1, delay_ms });
        agent.shared.sleeper.sleep(delay_ms, cancel);
    }
}

/// The delay after this number of retries.
fn delay_ms(spec: &RetrySpec, retries: u32) -> u64 {
    let growth = spec.multiplier.max(1.0).powi(i32::try_from(retries).unwrap_or(i32::MAX));
    #[expect(clippy::cast_precision_loss, reason = "a delay need not be exact")]
    let wait = spec.initial_backoff_ms as f64 * growth;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float converts to the nearest integer"
    )]
    let wait = wait as u64;
    wait.min(spec.max_backoff_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_longest() {
        let spec = RetrySpec::default();
        let waits: Vec<u64> = (0..7).map(|retries| delay_ms(&spec, retries)).collect();
        assert_eq!(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(delay_ms(&spec, u32::MAX), 8_000);
        let shrinking = RetrySpec { multiplier: 0.0, ..spec };
        assert_eq!(delay_ms(&shrinking, 3), 250);
    }
}
