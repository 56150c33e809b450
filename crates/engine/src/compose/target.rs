//! What a rewrite makes of a payload, by the event's row of the catalogue.

use pintle_contract::event::{RewriteTarget, check_rewrite};
use pintle_contract::{EventName, Rewrite, check_payload, suggest_nearest};
use serde_json::{Map, Value};

use super::messages;

/// A rewrite, applied.
#[derive(Debug, PartialEq)]
pub(crate) struct AppliedRewrite {
    /// The new payload, settled; `None` when it equals the one before, which is no rewrite.
    pub(crate) value: Option<Value>,
    /// What of the rewrite the event does not allow, as warnings.
    pub(crate) ignored: Vec<String>,
}

/// Applies a rewrite.
///
/// - Fields rewrite an object: named fields replace, the others stay. Where the whole payload is the target and is no
///   object (a message that is a string), the fields become the payload, and the row's `settle` says whether that
///   makes sense.
/// - A whole rewrite replaces. Where only fields are the target, it replaces those: a target field it lacks is gone,
///   a field outside the target stays.
/// - What equals the payload before is no rewrite and earns no warning.
///
/// The error says why the rewrite makes no sense; the verdict is then a failure.
pub(crate) fn apply(event: &EventName, before: &Value, rewrite: Rewrite) -> Result<AppliedRewrite, String> {
    let row = event.def();
    let mut ignored = Vec::new();
    let after = match row.target {
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
                return Err(format!("the payload of `{event}` is no object here, so no field of it can be rewritten"));
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
    (row.normalize)(before, &mut after)?;
    check_rewrite(event, before, &after)?;
    // What a host fired is its own affair; no hook makes it larger than hooks are asked about.
    if let Err(fault) = check_payload(&after)
        && check_payload(before).is_ok()
    {
        return Err(messages::too_large(&fault));
    }
    Ok(AppliedRewrite { value: (after != *before).then_some(after), ignored })
}

/// The object with fields replaced, or `None` when they are what they were; only then is nothing copied.
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
