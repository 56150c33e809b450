//! `parallel/merge`: all see the same payload, the severest wins, rewrites are laid over each other in declared order.

use pintle_contract::{Payload, Rewrite};
use serde_json::{Map, Value};

use super::{ask_at_once, split};
use crate::compose::{Answered, Voter};
use crate::dispatch::run::Run;

pub(super) fn run(run: &mut Run<'_>, end: u32) {
    let mut laid = Map::new();
    let mut whole = None;
    let mut makers: Vec<Voter<'_>> = Vec::new();
    for (voter, verdict) in ask_at_once(run, end) {
        let Some(opened) = run.tally.open(voter, verdict) else { continue };
        let (rewrite, said) = split(opened);
        if let Some(rewrite) = rewrite {
            makers.push(voter);
            match rewrite {
                Rewrite::Fields(fields) => lay(&mut laid, fields),
                Rewrite::Whole(value) => whole = whole.or(Some(value)),
            }
        }
        if let Some(said) = said {
            run.take(voter, Answered { said, rewrite: None });
        }
    }
    let Some(last) = makers.last().copied() else { return };
    // A deny wins over every rewrite, and what is denied is not rewritten.
    if run.tally.is_denied() {
        return;
    }
    let rewrite = whole.map_or(Rewrite::Fields(laid), Rewrite::Whole);
    let event = run.event().clone();
    if let Ok(Some(value)) = run.noting(|run| run.tally.rewritten(last, rewrite, &event)) {
        let producers = makers.iter().map(|voter| voter.position.ordinal).collect();
        run.change(Payload::new(value), end, producers);
    }
}

/// Objects are merged, the last one wins a key; of anything else the first one stays.
fn lay(laid: &mut Map<String, Value>, fields: Map<String, Value>) {
    for (name, value) in fields {
        match (laid.get_mut(&name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (Some(_), _) => {}
            (None, value) => {
                laid.insert(name, value);
            }
        }
    }
}
