//! Waiting longer after each failure.

use std::time::Duration;

/// How long to wait before something is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffPolicy {
    /// The wait after the first failure, in milliseconds.
    pub first_ms: u64,
    /// The longest wait, in milliseconds.
    pub longest_ms: u64,
}

impl Default for BackoffPolicy {
    fn default() -> Self {
        Self { first_ms: 250, longest_ms: 60_000 }
    }
}

impl BackoffPolicy {
    /// The wait after the last of some failures in a row, from 1: twice as long each time, of which a random number takes
    /// up to half away, so that machines that failed together do not come again together.
    #[must_use]
    pub fn delay(&self, failure_count: u32, random: u64) -> Duration {
        let doubled = 1_u64.checked_shl(failure_count.saturating_sub(1)).unwrap_or(u64::MAX);
        let whole_ms = self.first_ms.saturating_mul(doubled).min(self.longest_ms);
        let half_ms = whole_ms / 2;
        Duration::from_millis(whole_ms - random.checked_rem(half_ms.saturating_add(1)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_doubles_up_to_a_limit_and_a_random_part_of_it_is_left_out() {
        let policy = BackoffPolicy { first_ms: 100, longest_ms: 1_000 };
        for (failures, random, expected_ms) in [
            (1, 0, 100),
            (2, 0, 200),
            (4, 0, 800),
            (5, 0, 1_000),
            (90, 0, 1_000),
            (1, 50, 50),
            (1, 51, 100),
            (2, 99, 101),
        ] {
            let delay = policy.delay(failures, random);
            assert_eq!(delay, Duration::from_millis(expected_ms), "{failures} {random}");
        }
        let none = BackoffPolicy { first_ms: 0, longest_ms: 0 };
        assert_eq!(none.delay(3, 7), Duration::ZERO);
    }
}
