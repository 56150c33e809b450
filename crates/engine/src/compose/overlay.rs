//! Merges the rewrites of hooks that saw the same payload; the last hook wins.

use pintle_contract::{EventName, Rewrite};
use serde_json::{Map, Value};

use super::merge::{MergeResult, RewriteProposal, first_last_conflict};
use super::{messages, target};

/// The rewrite that one hook requests.
#[derive(Debug)]
pub(crate) struct RequestedRewrite<'h> {
    /// The payload that the hook alone would produce.
    pub(crate) proposal: RewriteProposal<'h>,
    /// The rewrite as the hook returned it.
    pub(crate) rewrite: Rewrite,
}

/// Merges rewrites in declared order; each of them is valid by itself.
///
/// Objects are merged key by key, and the last hook that names a key wins it. For any other value, and for rewrites of
/// the whole payload, the first one wins. If the merged payload is not valid, the result is a conflict.
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
        Err(reason) => MergeResult::Conflict(first_last_conflict(&proposals, |first, last| {
            messages::incompatible_rewrites(first, last, &reason)
        })),
    }
}

/// Whether the payload already has everything that the rewrite would set.
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
