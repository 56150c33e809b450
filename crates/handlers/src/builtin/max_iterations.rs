//! `max_iterations`: limits the number of model calls in one turn.

use pintle_contract::Verdict;

use super::{BuiltinCall, BuiltinHook, BuiltinResult};

/// Denies a model call whose number is above the limit. It does not count: the event contains the number.
#[derive(Debug)]
struct MaxIterations {
    /// The limit; `None` for no limit.
    max_iterations: Option<u64>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    let most = match arguments.first().map(|written| (written, written.trim().parse::<u64>())) {
        Some((_, Ok(most))) if most > 0 => Some(most),
        Some((written, _)) => {
            doubts.push(format!("`{written}` is not a positive integer, so there is no limit"));
            None
        }
        None => {
            doubts.push(String::from("no number is given, so there is no limit"));
            None
        }
    };
    Ok(Box::new(MaxIterations { max_iterations: most }))
}

impl BuiltinHook for MaxIterations {
    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let iteration = call.field("iteration").and_then(serde_json::Value::as_u64);
        match (self.max_iterations, iteration) {
            (Some(most), Some(iteration)) if iteration > most => Verdict::deny(format!(
                "Agent terminated: max_iterations builtin reached its limit of {most} model call(s)."
            )),
            _ => Verdict::pass(),
        }
    }
}
