//! Merges the rewrites of hooks that saw the same payload; different rewrites of one field are a conflict.

use pintle_contract::{EventName, HookId, OutcomeReason, Rewrite};
use serde_json::{Map, Value};

use super::{messages, target};

/// The payload that one hook alone would produce, with its aliases in sync.
#[derive(Debug)]
pub(crate) struct RewriteProposal<'h> {
    /// The ordinal of the hook.
    pub(crate) ordinal: u32,
    /// The hook.
    pub(crate) hook: &'h HookId,
    /// The whole payload, which differs from the one that the hook received.
    pub(crate) value: Value,
}

/// The result of merging proposals.
#[derive(Debug, PartialEq)]
pub(crate) enum MergeResult {
    /// No hook rewrote.
    Unchanged,
    /// The merged payload. `producers` are the hooks that proposed exactly this payload.
    Changed {
        /// The payload.
        value: Value,
        /// The ordinals of the hooks.
        producers: Vec<u32>,
    },
    /// Two hooks rewrote one field differently; this denies.
    Conflict(Vec<OutcomeReason>),
}

/// Merges proposals in declared order.
///
/// The aliases in each proposal are already in sync, so two aliases of one value cannot be rewritten differently.
/// Rewrites of different fields are combined, equal rewrites of a field agree, and different ones are a conflict.
pub(crate) fn merge(event: &EventName, before: &Value, proposals: Vec<RewriteProposal<'_>>) -> MergeResult {
    let mut rest = proposals.into_iter();
    let Some(first) = rest.next() else {
        return MergeResult::Unchanged;
    };
    let others: Vec<RewriteProposal<'_>> = rest.collect();
    if others.iter().all(|other| other.value == first.value) {
        let producers = std::iter::once(first.ordinal).chain(others.iter().map(|other| other.ordinal)).collect();
        return MergeResult::Changed { value: first.value, producers };
    }
    let proposals: Vec<RewriteProposal<'_>> = std::iter::once(first).chain(others).collect();
    let joined = match before {
        Value::Object(have) => merge_fields(have, &proposals),
        _ => Err(explain_whole_conflict(&proposals)),
    };
    let mut value = match joined {
        Ok(fields) => Value::Object(fields),
        Err(reasons) => return MergeResult::Conflict(reasons),
    };
    if let Err(error) = event.def().normalize(before, &mut value) {
        return MergeResult::Conflict(first_last_conflict(&proposals, |first, last| {
            messages::incompatible_rewrites(first, last, &error.to_string())
        }));
    }
    let producers = proposals.iter().filter(|proposal| proposal.value == value).map(|one| one.ordinal).collect();
    MergeResult::Changed { value, producers }
}

/// Combines the changed fields of all proposals, or returns a reason for each pair of hooks that change a field
/// differently.
fn merge_fields(
    have: &Map<String, Value>,
    proposals: &[RewriteProposal<'_>],
) -> Result<Map<String, Value>, Vec<OutcomeReason>> {
    let mut changes: Vec<(&str, Option<&Value>, &RewriteProposal<'_>)> = Vec::new();
    let mut reasons = Vec::new();
    for proposal in proposals {
        let Value::Object(fields) = &proposal.value else {
            return Err(explain_whole_conflict(proposals));
        };
        let gone = have.keys().filter(|name| !fields.contains_key(*name)).map(|name| (name.as_str(), None));
        let set = fields.iter().map(|(name, value)| (name.as_str(), Some(value)));
        let mut clashes: Vec<(&RewriteProposal<'_>, Vec<&str>)> = Vec::new();
        for (name, value) in set.chain(gone).filter(|(name, value)| have.get(*name) != *value) {
            let Some((_, agreed, first)) = changes.iter().find(|(known, _, _)| *known == name) else {
                changes.push((name, value, proposal));
                continue;
            };
            if *agreed == value {
                continue;
            }
            match clashes.iter_mut().find(|(known, _)| known.ordinal == first.ordinal) {
                Some((_, names)) => names.push(name),
                None => clashes.push((first, vec![name])),
            }
        }
        reasons.extend(clashes.into_iter().map(|(first, names)| {
            OutcomeReason::new(
                proposal.hook.clone(),
                messages::conflicting_rewrites(&messages::join_names(&names), first.hook, proposal.hook),
            )
        }));
    }
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let mut fields = have.clone();
    for (name, value, _) in changes {
        match value {
            Some(value) => {
                fields.insert(name.to_owned(), value.clone());
            }
            None => {
                fields.shift_remove(name);
            }
        }
    }
    Ok(fields)
}

fn explain_whole_conflict(proposals: &[RewriteProposal<'_>]) -> Vec<OutcomeReason> {
    let first = proposals.first();
    let other = proposals.iter().find(|proposal| first.is_some_and(|first| first.value != proposal.value));
    first
        .zip(other)
        .map(|(first, other)| {
            OutcomeReason::new(
                other.hook.clone(),
                messages::conflicting_rewrites("the whole payload", first.hook, other.hook),
            )
        })
        .into_iter()
        .collect()
}

pub(super) fn first_last_conflict(
    proposals: &[RewriteProposal<'_>],
    text: impl Fn(&HookId, &HookId) -> String,
) -> Vec<OutcomeReason> {
    proposals
        .first()
        .zip(proposals.last())
        .map(|(first, last)| OutcomeReason::new(last.hook.clone(), text(first.hook, last.hook)))
        .into_iter()
        .collect()
}

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
