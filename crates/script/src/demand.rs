//! The memory that a call may need in this process.

use pintle_contract::{CallLimits, Payload, measure_payload};
use serde_json::Value;

/// The memory that a call needs in addition to the script's own values: its input as script values, and its return
/// value.
const FORMS: u64 = 2;

/// The multiple of its memory limit that a call in this process may use: one operation may allocate all of the rest
/// while its operands still exist.
const SLACK: u64 = 2;

/// What the interpreter itself allocates for a call at most.
const INTERPRETER_BYTES: u64 = 1 << 20;

/// A call fits easily if it takes no more than this part of its memory limit.
const EASY_SHARE: u64 = 4;

/// Heavier payloads are not weighed completely.
const MOST_WEIGHED: usize = 1 << 30;

/// The maximum memory of a call, as a multiple of its input.
///
/// The interpreter checks its heap now and then, and one expression between two checks may allocate 64 times the input.
/// So a call whose input is too large for its script belongs in a worker process, even if the script's cost is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MemoryDemand(u64);

/// The weight of a payload, computed once for all hooks.
struct PayloadWeight(Option<usize>);

fn weight_of(payload: &Payload) -> Option<usize> {
    payload.cached_view("weight", |value| PayloadWeight(measure_payload(value, MOST_WEIGHED))).0
}

impl MemoryDemand {
    /// The demand of a script that allocates this multiple of its input.
    pub(crate) fn from_input_count(input_count: u64) -> Self {
        Self(input_count)
    }

    /// Whether a call with this payload stays below twice its memory limit.
    pub(crate) fn fits(self, payload: &Payload, limits: &CallLimits) -> bool {
        // A script that only checks for existence allocates nothing.
        self.0 == 0 || self.fits_weight_limit(weight_of(payload), limits)
    }

    /// Whether such a call stays far below its memory limit.
    pub(crate) fn fits_easily(self, payload: &Payload, limits: &CallLimits) -> bool {
        let weight = weight_of(payload);
        let limit = limits.memory_bytes.saturating_sub(INTERPRETER_BYTES) / EASY_SHARE;
        self.demand_of(weight).is_some_and(|takes| takes <= limit)
    }

    /// The same for a value.
    pub(crate) fn fits_value(self, value: &Value, limits: &CallLimits) -> bool {
        self.0 == 0 || self.fits_weight_limit(measure_payload(value, MOST_WEIGHED), limits)
    }

    fn fits_weight_limit(self, weight: Option<usize>, limits: &CallLimits) -> bool {
        self.demand_of(weight).is_some_and(|takes| takes <= limits.memory_bytes.saturating_mul(SLACK))
    }

    fn demand_of(self, weight: Option<usize>) -> Option<u64> {
        u64::try_from(weight?).ok()?.checked_mul(self.0.saturating_add(FORMS))
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
