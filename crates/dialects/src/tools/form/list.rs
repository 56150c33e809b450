//! Inputs that hold a list, each element of which is a call.

use serde_json::{Map, Value};

use super::part;
use crate::tools::{CannotCarry, Part, Tool, fields};

/// Names that differ: the agent's, and the canonical one.
type Names = &'static [(&'static str, &'static str)];

/// What an element of a list is.
#[derive(Debug, Clone, Copy)]
pub enum Element {
    /// A text, which is this canonical argument; an object is understood as well.
    Text(&'static str),
    /// An object of arguments; a text is understood as this canonical argument.
    Object(&'static str),
}

impl Element {
    /// The canonical argument that a bare text is.
    fn text_of(self) -> &'static str {
        match self {
            Self::Text(name) | Self::Object(name) => name,
        }
    }

    /// An element made of arguments under the agent's names and under canonical ones.
    fn write(self, host: Map<String, Value>, canonical: &Map<String, Value>) -> Value {
        match (self, canonical.len()) {
            (Self::Text(name), 1) => canonical.get(name).cloned().unwrap_or(Value::Object(host)),
            _ => Value::Object(host),
        }
    }
}

/// Arguments as the only element of an agent's list.
pub(super) fn native(tool: &Tool, key: &str, element: Element, shared: Names, given: &Map<String, Value>) -> Value {
    let is_shared = |name: &str| shared.iter().any(|(_, canonical)| *canonical == name);
    let split = given.iter().map(|(name, value)| (name.clone(), value.clone()));
    let (beside, own): (Map<_, _>, Map<_, _>) = split.partition(|(name, _)| is_shared(name));
    let mut input = fields::write(shared, &beside);
    input.insert(key.to_owned(), Value::Array(vec![element.write(fields::write(tool.fields, &own), &own)]));
    Value::Object(input)
}

/// The list of an input, and whether it was written as text.
pub(super) fn elements(input: &Value, key: &str) -> Option<(Vec<Value>, bool)> {
    match input.get(key)? {
        Value::Array(items) => Some((items.clone(), false)),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => Some((items, true)),
            _ => Some((vec![Value::from(text.clone())], true)),
        },
        _ => None,
    }
}

/// The call that one element is.
pub(super) fn element_part(tool: &Tool, element: Element, shared: Names, input: &Value, item: &Value) -> Part {
    let own = match item {
        Value::Object(item) => fields::read(tool.fields, item),
        Value::String(_) => Map::from_iter([(element.text_of().to_owned(), item.clone())]),
        // Neither a text nor an object: the guard sees what there is.
        _ => return part(tool, item.clone()),
    };
    let beside =
        shared.iter().filter_map(|(host, canonical)| Some(((*canonical).to_owned(), input.get(host)?.clone())));
    let mut args: Map<String, Value> = beside.collect();
    // What stands beside the list counts for every element: an element cannot hide it under the same name.
    for (name, value) in own {
        args.entry(name).or_insert(value);
    }
    part(tool, Value::Object(args))
}

/// A list as it stands in an input.
pub(super) struct List {
    pub(super) key: &'static str,
    pub(super) element: Element,
    pub(super) shared: Names,
    pub(super) items: Vec<Value>,
    pub(super) is_text: bool,
}

/// The input with the changed arguments of its elements.
pub(super) fn merge(tool: &Tool, input: &Value, list: &List, after: &[Part]) -> Result<Value, CannotCarry> {
    let Value::Object(input) = input else { return Err(CannotCarry(String::from("the input is no object"))) };
    let mut merged = input.clone();
    for (host, canonical) in list.shared {
        if !input.contains_key(*host) {
            continue;
        }
        let mut wanted = after.iter().map(|part| part.args.get(canonical));
        let first = wanted.next().flatten().cloned();
        if wanted.any(|other| other != first.as_ref()) {
            return Err(CannotCarry(format!("`{canonical}` is one for all of them")));
        }
        match first {
            Some(value) => merged.insert((*host).to_owned(), value),
            None => merged.shift_remove(*host),
        };
    }
    let items: Result<Vec<Value>, _> =
        list.items.iter().zip(after).map(|(item, part)| list.item(tool, input, item, part)).collect();
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

impl List {
    /// An element with the changed arguments of its part.
    fn item(&self, tool: &Tool, input: &Map<String, Value>, item: &Value, part: &Part) -> Result<Value, CannotCarry> {
        let Value::Object(args) = &part.args else { return Ok(part.args.clone()) };
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
                // A field that what stands beside the list hides is not the part's to take away.
                let hidden = fields::read(tool.fields, item);
                own.extend(hidden.into_iter().filter(|(name, _)| is_beside(name)));
                fields::put_back(tool.fields, item, &own).map(Value::Object)
            }
            Value::String(_) if own.len() == 1 && own.contains_key(self.element.text_of()) => {
                Ok(own.get(self.element.text_of()).cloned().unwrap_or_default())
            }
            _ => Ok(Value::Object(fields::write(tool.fields, &own))),
        }
    }
}
