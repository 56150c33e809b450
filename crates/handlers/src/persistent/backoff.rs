//! Delays restarts of a crashed program.

use std::time::{Duration, Instant};

/// The first pause.
const FIRST: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);

/// Pauses that double with each failure. The caller provides the time.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    pause: Option<Duration>,
    retry_at: Option<Instant>,
}

impl Backoff {
    /// Whether another attempt may be made.
    pub(super) fn may_retry(&self, now: Instant) -> bool {
        self.retry_at.is_none_or(|until| now >= until)
    }

    /// Records a failure.
    pub(super) fn record_failure(&mut self, now: Instant) {
        let pause = self.pause.map_or(FIRST, |pause| (pause * 2).min(LONGEST));
        self.pause = Some(pause);
        self.retry_at = Some(now + pause);
    }

    /// Records a successful call, which resets the pause.
    pub(super) fn record_success(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute_and_an_answer_ends_them() {
        let mut backoff = Backoff::default();
        let mut now = Instant::now();
        assert!(backoff.may_retry(now));
        for pause_ms in [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000] {
            backoff.record_failure(now);
            assert!(!backoff.may_retry(now + Duration::from_millis(pause_ms - 1)), "{pause_ms}");
            now += Duration::from_millis(pause_ms);
            assert!(backoff.may_retry(now), "{pause_ms}");
        }
        backoff.record_success();
        backoff.record_failure(now);
        assert!(backoff.may_retry(now + FIRST));
    }
}
