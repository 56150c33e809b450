//! How much memory a call may take in this process.

use pintle_contract::{CallLimits, Payload, measure_payload};
use serde_json::Value;

/// What a call takes beside what its script makes: its input as values of the script, and what it returns.
const FORMS: u64 = 2;

/// How many times its limit a call in this process may take: one operation may make all of what is left, and what it is
/// made of is still there.
const SLACK: u64 = 2;

/// Payloads that weigh more are not weighed to the end.
const MOST_WEIGHED: usize = 1 << 30;

/// How much memory a call takes at the most, as a multiple of its input.
///
/// The interpreter looks at its heap now and then, and one expression between two looks may make 64 times the input. So a
/// call whose input is too large for its script belongs in a worker process, whatever the script is otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MemoryDemand(u64);

/// What a payload weighs, worked out once for all hooks.
struct PayloadWeight(Option<usize>);

impl MemoryDemand {
    /// That of a script that makes so many inputs.
    pub(crate) fn from_input_count(made: u64) -> Self {
        Self(made)
    }

    /// Whether a call with this payload keeps to twice its memory limit.
    pub(crate) fn fits(self, payload: &Payload, limits: &CallLimits) -> bool {
        // Nothing is made of what is only looked at.
        self.0 == 0
            || self.fits_weight_limit(
                payload.cached_view("weight", |value| PayloadWeight(measure_payload(value, MOST_WEIGHED))).0,
                limits,
            )
    }

    /// The same for a value.
    pub(crate) fn fits_value(self, value: &Value, limits: &CallLimits) -> bool {
        self.0 == 0 || self.fits_weight_limit(measure_payload(value, MOST_WEIGHED), limits)
    }

    fn fits_weight_limit(self, weight: Option<usize>, limits: &CallLimits) -> bool {
        let takes = weight.and_then(|weight| u64::try_from(weight).ok()?.checked_mul(self.0.saturating_add(FORMS)));
        takes.is_some_and(|takes| takes <= limits.memory_bytes.saturating_mul(SLACK))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_fits_by_its_script_its_input_and_its_limit() {
        let payload = |bytes: usize| Payload::new(json!("x".repeat(bytes)));
        for (made, bytes, memory_bytes, fits) in [
            (0, 100_000, 1_000, true),
            (1, 1_000, 4_000, true),
            (1, 10_000, 4_000, false),
            (64, 100, 4_400, true),
            (64, 101, 4_300, false),
        ] {
            let limits = CallLimits { memory_bytes, ..CallLimits::default() };
            let (demand, payload) = (MemoryDemand::from_input_count(made), payload(bytes));
            assert_eq!(demand.fits(&payload, &limits), fits, "{made} {bytes}");
            assert_eq!(demand.fits_value(payload.value(), &limits), fits, "{made} {bytes}");
        }
    }
}
