//! Applies a rewrite to a payload, as the event's definition permits.

use pintle_contract::event::{RewriteTarget, check_rewrite};
use pintle_contract::{EventName, Rewrite, check_payload, suggest_nearest};
use serde_json::{Map, Value};

use super::messages;

/// The result of applying a rewrite.
#[derive(Debug, PartialEq)]
pub(crate) struct AppliedRewrite {
    /// The new payload, with its aliases in sync; `None` if it is unchanged.
    pub(crate) value: Option<Value>,
    /// Warnings for the parts of the rewrite that the event does not permit.
    pub(crate) ignored: Vec<String>,
}

/// Applies a rewrite.
///
/// - Fields rewrite an object: named fields are replaced, the others stay. If the whole payload is the rewrite target
///   and it is not an object (a message that is a string), the fields become the payload, and the definition's
///   `normalize` decides whether that is valid.
/// - A whole rewrite replaces the payload. If only some fields are the rewrite target, it replaces those: a target
///   field that it omits is removed, and a field outside the target stays.
/// - A rewrite that equals the payload is not a rewrite and causes no warning.
///
/// The error says why the rewrite is invalid; the verdict is then a failure.
pub(crate) fn apply(event: &EventName, before: &Value, rewrite: Rewrite) -> Result<AppliedRewrite, String> {
    let def = event.def();
    let mut ignored = Vec::new();
    let after = match def.target {
        RewriteTarget::Nothing => {
            if has_changes(before, &rewrite) {
                ignored.push(messages::no_target(event));
            }
            None
        }
        RewriteTarget::Whole => match (rewrite, before) {
            (Rewrite::Fields(fields), Value::Object(have)) => replace_fields(have, fields),
            (Rewrite::Fields(fields), _) => Some(Value::Object(fields)),
            (Rewrite::Whole(value), _) => (value != *before).then_some(value),
        },
        RewriteTarget::Fields(allowed) => {
            let Value::Object(have) = before else {
                return Err(format!("the payload of `{event}` is not an object, so its fields cannot be rewritten"));
            };
            let (mut fields, whole) = match rewrite {
                Rewrite::Fields(fields) => (fields, false),
                Rewrite::Whole(Value::Object(fields)) => (fields, true),
                Rewrite::Whole(_) => return Err(format!("the payload of `{event}` must stay an object")),
            };
            fields.retain(|name, value| {
                let known = allowed.contains(&name.as_str());
                if !known && have.get(name) != Some(value) {
                    let near = suggest_nearest(name, allowed.iter().copied());
                    ignored.push(messages::not_in_target(event, name, allowed, near));
                }
                known
            });
            let gone: Vec<&str> = allowed
                .iter()
                .copied()
                .filter(|name| whole && have.contains_key(*name) && !fields.contains_key(*name))
                .collect();
            let after = replace_fields(have, fields);
            if gone.is_empty() { after } else { Some(remove_fields(after, have, &gone)) }
        }
    };
    let Some(mut after) = after else {
        return Ok(AppliedRewrite { value: None, ignored });
    };
    def.normalize(before, &mut after).map_err(|error| error.to_string())?;
    check_rewrite(event, before, &after).map_err(|error| error.to_string())?;
    // The host may fire a payload above the limit, but a rewrite must not exceed it.
    if let Err(error) = check_payload(&after)
        && check_payload(before).is_ok()
    {
        return Err(messages::too_large(&error));
    }
    Ok(AppliedRewrite { value: (after != *before).then_some(after), ignored })
}

/// The object with fields replaced; `None`, without a copy, if nothing changes.
fn replace_fields(have: &Map<String, Value>, fields: Map<String, Value>) -> Option<Value> {
    if fields.iter().all(|(name, value)| have.get(name) == Some(value)) {
        return None;
    }
    let mut after = have.clone();
    after.extend(fields);
    Some(Value::Object(after))
}

fn remove_fields(after: Option<Value>, have: &Map<String, Value>, gone: &[&str]) -> Value {
    let mut after = after.unwrap_or_else(|| Value::Object(have.clone()));
    if let Value::Object(fields) = &mut after {
        for name in gone {
            fields.shift_remove(*name);
        }
    }
    after
}

fn has_changes(before: &Value, rewrite: &Rewrite) -> bool {
    match rewrite {
        Rewrite::Fields(fields) => fields.iter().any(|(name, value)| before.get(name) != Some(value)),
        Rewrite::Whole(value) => value != before,
    }
}
