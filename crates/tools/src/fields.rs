//! Maps argument names.

use serde_json::{Map, Value};

use super::vocabulary::UnmappableArguments;

/// Names that differ: the native one and the canonical one.
type FieldNames = [(&'static str, &'static str)];

/// The canonical name of each field of an input. A mapped name takes precedence over a field that happens to have it; a
/// field whose name is taken is not mapped and stays in the native input.
fn match_fields<'a>(names: &FieldNames, input: &'a Map<String, Value>) -> Vec<(&'a str, Option<&'a str>)> {
    let mut claimed: Vec<(&str, &'static str)> = Vec::new();
    for (host, canonical) in names {
        if input.contains_key(*host) && !claimed.iter().any(|(_, taken)| taken == canonical) {
            claimed.push((host, canonical));
        }
    }
    let of = |key: &'a str| -> Option<&'a str> {
        if let Some((_, canonical)) = claimed.iter().find(|(host, _)| *host == key) {
            return Some(canonical);
        }
        (!claimed.iter().any(|(_, taken)| *taken == key)).then_some(key)
    };
    input.keys().map(|key| (key.as_str(), of(key))).collect()
}

/// An input under canonical names.
pub(super) fn to_canonical(names: &FieldNames, input: &Map<String, Value>) -> Map<String, Value> {
    let claimed = match_fields(names, input).into_iter().zip(input.values());
    claimed.filter_map(|((_, canonical), value)| Some((canonical?.to_owned(), value.clone()))).collect()
}

/// Merges changed canonical arguments into the native input: unchanged fields stay, removed ones are removed, and new
/// ones come last.
pub(super) fn merge_back(
    names: &FieldNames,
    input: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<Map<String, Value>, UnmappableArguments> {
    let claimed = match_fields(names, input);
    let mut merged = Map::new();
    for ((host, canonical), value) in claimed.iter().zip(input.values()) {
        match canonical {
            Some(canonical) => {
                if let Some(now) = after.get(*canonical) {
                    merged.insert((*host).to_owned(), now.clone());
                }
            }
            None => {
                merged.insert((*host).to_owned(), value.clone());
            }
        }
    }
    for (canonical, value) in after {
        if claimed.iter().any(|(_, claim)| *claim == Some(canonical.as_str())) {
            continue;
        }
        let host = native_name(names, canonical);
        if merged.contains_key(host) {
            return Err(UnmappableArguments(format!("the native call has no field for the argument `{canonical}`")));
        }
        merged.insert(host.to_owned(), value.clone());
    }
    Ok(merged)
}

/// Canonical arguments under native names.
pub(super) fn to_native(names: &FieldNames, args: &Map<String, Value>) -> Map<String, Value> {
    args.iter().map(|(canonical, value)| (native_name(names, canonical).to_owned(), value.clone())).collect()
}

fn native_name<'a>(names: &FieldNames, canonical: &'a str) -> &'a str {
    names.iter().find(|(_, name)| *name == canonical).map_or(canonical, |(host, _)| host)
}
