//! Trying a failed model call again.

use std::fmt::Debug;
use std::time::Duration;

use pintle::{Cancel, RetrySpec};

use crate::model::{Delta, Model, ModelError, ModelErrorKind, ModelReply, ModelRequest};
use crate::observe::Happening;
use crate::turn::Turn;

/// Lets time pass between two tries. An argument, so that tests need not wait.
pub trait Sleeper: Send + Sync + Debug {
    /// Waits, or returns early when the flag is raised.
    fn sleep(&self, duration_ms: u64, cancel: &Cancel);
}

/// Really waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealSleeper;

impl Sleeper for RealSleeper {
    fn sleep(&self, duration_ms: u64, cancel: &Cancel) {
        const STEP_MS: u64 = 20;
        let mut left_ms = duration_ms;
        while left_ms > 0 && !cancel.is_cancelled() {
            let step_ms = left_ms.min(STEP_MS);
            std::thread::sleep(Duration::from_millis(step_ms));
            left_ms -= step_ms;
        }
    }
}

/// Calls the model, and again after an error that may pass.
pub(super) fn complete(turn: &Turn, request: &ModelRequest) -> Result<ModelReply, ModelError> {
    let (agent, cancel) = (&turn.agent, &turn.scope.cancel);
    let spec = agent.spec.model.as_ref().map(|model| model.retry).unwrap_or_default();
    let model: &dyn Model = &*agent.model;
    let mut retries = 0;
    loop {
        if cancel.is_cancelled() {
            return Err(ModelError::cancelled());
        }
        let mut on = |delta: Delta| match delta {
            Delta::Text(text) => turn.tell(Happening::Text { text: &text }),
        };
        let error = match model.complete(request, &mut on, cancel) {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        if error.kind != ModelErrorKind::Retryable || retries >= spec.max_retries {
            return Err(error);
        }
        let delay_ms = delay_ms(&spec, retries);
        retries += 1;
        turn.tell(Happening::Retried { message: &error.message, attempt: retries + 1, delay_ms });
        agent.shared.sleeper.sleep(delay_ms, cancel);
    }
}

/// How long to wait after so many retries.
fn delay_ms(spec: &RetrySpec, retries: u32) -> u64 {
    let growth = spec.multiplier.max(1.0).powi(i32::try_from(retries).unwrap_or(i32::MAX));
    #[expect(clippy::cast_precision_loss, reason = "a wait need not be exact")]
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
