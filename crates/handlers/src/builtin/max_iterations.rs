//! `max_iterations`: the most model calls of one turn (docker-agent behaviour, section 4.2).

use pintle_contract::Verdict;

use super::{Asked, Builtin, Made};

/// Denies a model call whose number is above the limit. It counts nothing itself: the event carries the number.
#[derive(Debug)]
struct MaxIterations {
    /// `None` limits nothing.
    most: Option<u64>,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    let most = match arguments.first().map(|written| (written, written.trim().parse::<u64>())) {
        Some((_, Ok(most))) if most > 0 => Some(most),
        Some((written, _)) => {
            doubts.push(format!("`{written}` is no whole number above 0, so nothing is limited"));
            None
        }
        None => {
            doubts.push(String::from("no number is given, so nothing is limited"));
            None
        }
    };
    Ok(Box::new(MaxIterations { most }))
}

impl Builtin for MaxIterations {
    fn call(&self, asked: &Asked<'_>) -> Verdict {
        let iteration = asked.field("iteration").and_then(serde_json::Value::as_u64);
        match (self.most, iteration) {
            (Some(most), Some(iteration)) if iteration > most => Verdict::deny(format!(
                "Agent terminated: max_iterations builtin reached its limit of {most} model call(s)."
            )),
            _ => Verdict::pass(),
        }
    }
}
