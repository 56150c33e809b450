//! Inputs with a text in which every address is fetched.

use serde_json::{Map, Value};

use super::merge_plain;
use crate::vocabulary::{CanonicalCall, ToolMapping, UnmappableArguments};

/// The canonical argument for an address.
const URL: &str = "url";
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// The call for each address: the one in its own argument, and each one in the text.
pub(super) fn to_calls(plain: CanonicalCall, key: &str) -> Vec<CanonicalCall> {
    let Value::Object(args) = &plain.args else { return vec![plain] };
    let given = args.get(URL);
    let text = args.get(key).and_then(Value::as_str).unwrap_or_default();
    let found = find_addresses(text).into_iter().filter(|address| given.and_then(Value::as_str) != Some(address));
    let of_address = |address: &str| {
        let mut args = args.clone();
        args.insert(URL.to_owned(), Value::from(address));
        CanonicalCall { args: Value::Object(args), ..plain.clone() }
    };
    let found: Vec<CanonicalCall> = found.map(of_address).collect();
    match (given, found.is_empty()) {
        (None, true) => vec![plain],
        (None, false) => found,
        (Some(_), _) => std::iter::once(plain.clone()).chain(found).collect(),
    }
}

/// The addresses in a text, each once: from the scheme to the next white space.
fn find_addresses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let lower = word.to_ascii_lowercase();
        let mut starts: Vec<usize> =
            SCHEMES.iter().flat_map(|scheme| lower.match_indices(scheme).map(|(index, _)| index)).collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).copied().chain([word.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let Some(address) = word.get(*start..end) else { continue };
            // With and without trailing punctuation: either may be fetched.
            let bare =
                address.trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '\'', ')', ']', '}', '>', '`', '*']);
            for address in [address, bare] {
                if !found.contains(&address) {
                    found.push(address);
                }
            }
        }
    }
    found
}

/// The input with changed arguments. An address in the text is changed by changing the text.
pub(super) fn merge(
    tool: &ToolMapping,
    input: &Value,
    key: &str,
    after: &[CanonicalCall],
) -> Result<Value, UnmappableArguments> {
    let before = to_calls(super::plain_call(tool, input), key);
    let is_own = |index: usize| index == 0 && input.get(URL).is_some();
    let mut wanted: Option<Map<String, Value>> = None;
    for (index, (was, now)) in before.iter().zip(after).enumerate() {
        let Value::Object(args) = &now.args else {
            return Err(UnmappableArguments(String::from("the arguments must remain an object")));
        };
        let mut args = args.clone();
        if !is_own(index) {
            if was.args.get(URL) != args.get(URL) {
                return Err(UnmappableArguments(format!("to change an address in `{key}`, change `{key}`")));
            }
            args.shift_remove(URL);
            if let Some(own) = wanted.as_ref().and_then(|wanted| wanted.get(URL)) {
                args.insert(URL.to_owned(), own.clone());
            }
        }
        match &wanted {
            Some(wanted) if *wanted != args => {
                return Err(UnmappableArguments(format!(
                    "one call fetches all addresses in `{key}`, so their other arguments must be the same"
                )));
            }
            _ => wanted = Some(args),
        }
    }
    let args = Value::Object(wanted.unwrap_or_default());
    let whole = CanonicalCall::new(tool.canonical, args);
    merge_plain(tool, input, std::slice::from_ref(&whole))
}
