//! Inputs with a list, each element of which is a call.

use serde_json::{Map, Value};

use super::build_call;
use crate::fields;
use crate::vocabulary::{CanonicalCall, ToolMapping, UnmappableArguments};

/// Names that differ: the native one and the canonical one.
type ListFieldNames = &'static [(&'static str, &'static str)];

/// The form of a list element.
#[derive(Debug, Clone, Copy)]
pub enum ListElement {
    /// A string, which is this canonical argument; an object is also accepted.
    Text(&'static str),
    /// An object of arguments; a string is accepted as this canonical argument.
    Object(&'static str),
}

impl ListElement {
    /// The canonical argument for a bare string.
    fn text_argument(self) -> &'static str {
        match self {
            Self::Text(name) | Self::Object(name) => name,
        }
    }

    /// An element with native and canonical arguments.
    fn to_native(self, host: Map<String, Value>, canonical: &Map<String, Value>) -> Value {
        match (self, canonical.len()) {
            (Self::Text(name), 1) => canonical.get(name).cloned().unwrap_or(Value::Object(host)),
            _ => Value::Object(host),
        }
    }
}

/// Arguments as the only element of a native list.
pub(super) fn wrap_arguments(
    tool: &ToolMapping,
    key: &str,
    element: ListElement,
    names: ListFieldNames,
    arguments: &Map<String, Value>,
) -> Value {
    let is_shared = |name: &str| names.iter().any(|(_, canonical)| *canonical == name);
    let split = arguments.iter().map(|(name, value)| (name.clone(), value.clone()));
    let (beside, own): (Map<_, _>, Map<_, _>) = split.partition(|(name, _)| is_shared(name));
    let mut input = fields::to_native(names, &beside);
    input.insert(key.to_owned(), Value::Array(vec![element.to_native(fields::to_native(tool.fields, &own), &own)]));
    Value::Object(input)
}

/// The list of an input, and whether it was written as JSON text.
pub(super) fn read_elements(input: &Value, key: &str) -> Option<(Vec<Value>, bool)> {
    match input.get(key)? {
        Value::Array(items) => Some((items.clone(), false)),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => Some((items, true)),
            _ => Some((vec![Value::from(text.clone())], true)),
        },
        _ => None,
    }
}

/// The call for one element.
pub(super) fn element_call(
    tool: &ToolMapping,
    element: ListElement,
    names: ListFieldNames,
    input: &Value,
    item: &Value,
) -> CanonicalCall {
    let own = match item {
        Value::Object(item) => fields::to_canonical(tool.fields, item),
        Value::String(_) => Map::from_iter([(element.text_argument().to_owned(), item.clone())]),
        // Neither a string nor an object: the guard receives it unchanged.
        _ => return build_call(tool, item.clone()),
    };
    let beside = names.iter().filter_map(|(host, canonical)| Some(((*canonical).to_owned(), input.get(host)?.clone())));
    let mut args: Map<String, Value> = beside.collect();
    // Fields next to the list apply to every element, and an element cannot hide them with a field of its own.
    for (name, value) in own {
        args.entry(name).or_insert(value);
    }
    build_call(tool, Value::Object(args))
}

/// A list in an input.
pub(super) struct ListInput {
    pub(super) key: &'static str,
    pub(super) element: ListElement,
    pub(super) shared: ListFieldNames,
    pub(super) items: Vec<Value>,
    pub(super) is_text: bool,
}

/// The input with the changed arguments of its elements.
pub(super) fn merge(
    tool: &ToolMapping,
    input: &Value,
    list: &ListInput,
    after: &[CanonicalCall],
) -> Result<Value, UnmappableArguments> {
    let Value::Object(input) = input else {
        return Err(UnmappableArguments(String::from("the input is not an object")));
    };
    let mut merged = input.clone();
    for (host, canonical) in list.shared {
        if !input.contains_key(*host) {
            continue;
        }
        let mut wanted = after.iter().map(|part| part.args.get(canonical));
        let first = wanted.next().flatten().cloned();
        if wanted.any(|other| other != first.as_ref()) {
            return Err(UnmappableArguments(format!("`{canonical}` must be the same for all elements")));
        }
        match first {
            Some(value) => merged.insert((*host).to_owned(), value),
            None => merged.shift_remove(*host),
        };
    }
    let items: Result<Vec<Value>, _> =
        list.items.iter().zip(after).map(|(item, part)| list.merge_item(tool, input, item, part)).collect();
    let items = Value::Array(items?);
    let was_one =
        !matches!(input.get(list.key), Some(Value::String(text)) if serde_json::from_str::<Vec<Value>>(text).is_ok());
    let value = match &items {
        _ if !list.is_text => items,
        Value::Array(only) if was_one => match only.as_slice() {
            [Value::String(text)] => Value::from(text.clone()),
            _ => Value::from(items.to_string()),
        },
        _ => Value::from(items.to_string()),
    };
    merged.insert(list.key.to_owned(), value);
    Ok(Value::Object(merged))
}

impl ListInput {
    /// An element with the changed arguments of its call.
    fn merge_item(
        &self,
        tool: &ToolMapping,
        input: &Map<String, Value>,
        item: &Value,
        call: &CanonicalCall,
    ) -> Result<Value, UnmappableArguments> {
        let Value::Object(args) = &call.args else { return Ok(call.args.clone()) };
        let is_beside =
            |name: &str| self.shared.iter().any(|(host, canonical)| *canonical == name && input.contains_key(*host));
        let own: Map<String, Value> = args
            .iter()
            .filter(|(name, _)| !is_beside(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        match item {
            Value::Object(item) => {
                let mut own = own;
                // The call cannot remove a field that is hidden by one next to the list.
                let hidden = fields::to_canonical(tool.fields, item);
                own.extend(hidden.into_iter().filter(|(name, _)| is_beside(name)));
                fields::merge_back(tool.fields, item, &own).map(Value::Object)
            }
            Value::String(_) if own.len() == 1 && own.contains_key(self.element.text_argument()) => {
                Ok(own.get(self.element.text_argument()).cloned().unwrap_or_default())
            }
            _ => Ok(Value::Object(fields::to_native(tool.fields, &own))),
        }
    }
}
