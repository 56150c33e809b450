//! Lays the rewrites of hooks that saw the same payload over each other.

use pintle_contract::{EventName, Rewrite};
use serde_json::{Map, Value};

use super::merge::{MergeResult, RewriteProposal, first_last_conflict};
use super::{messages, target};

/// What one hook wants the payload to become.
#[derive(Debug)]
pub(crate) struct RequestedRewrite<'h> {
    /// What the hook would make of the payload alone.
    pub(crate) proposal: RewriteProposal<'h>,
    /// How it said so.
    pub(crate) rewrite: Rewrite,
}

/// Lays rewrites over each other, given in declared order; each makes sense alone.
///
/// Objects are merged key by key, and the last hook that names a key wins it. Of anything else, and of rewrites of the
/// whole payload, the first one stays. What does not fit together in the end is a conflict.
pub(crate) fn overlay_rewrites(event: &EventName, before: &Value, wishes: Vec<RequestedRewrite<'_>>) -> MergeResult {
    let mut fields = Map::new();
    let mut whole = None;
    let mut proposals = Vec::new();
    for RequestedRewrite { proposal, rewrite } in wishes {
        proposals.push(proposal);
        match rewrite {
            Rewrite::Fields(more) => overlay_fields(&mut fields, more),
            Rewrite::Whole(value) => whole = whole.or(Some(value)),
        }
    }
    let rewrite = whole.map_or(Rewrite::Fields(fields), Rewrite::Whole);
    match target::apply(event, before, rewrite) {
        Ok(applied) => applied.value.map_or(MergeResult::Unchanged, |value| {
            let producers =
                proposals.iter().filter(|proposal| proposal.value == value).map(|one| one.ordinal).collect();
            MergeResult::Changed { value, producers }
        }),
        Err(why) => MergeResult::Conflict(first_last_conflict(&proposals, |first, last| {
            messages::incompatible_rewrites(first, last, &why)
        })),
    }
}

/// Whether laying a rewrite over a payload changes nothing of it: the hook has what it wished for.
pub(crate) fn is_already_applied(payload: &Value, rewrite: &Rewrite) -> bool {
    match rewrite {
        Rewrite::Whole(value) => value == payload,
        Rewrite::Fields(fields) => fields.iter().all(|(name, wished)| match (payload.get(name), wished) {
            (Some(Value::Object(have)), Value::Object(keys)) => {
                keys.iter().all(|(key, value)| have.get(key) == Some(value))
            }
            (have, wished) => have == Some(wished),
        }),
    }
}

fn overlay_fields(laid: &mut Map<String, Value>, fields: Map<String, Value>) {
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
