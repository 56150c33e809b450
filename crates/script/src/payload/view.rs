//! The payload as one call sees it.

use pintle_contract::{LazyPayload, LazyValue, Payload, PayloadKey};
use serde_json::{Map, Value as Json};
use starlark::collections::SmallMap;
use starlark::values::dict::Dict;
use starlark::values::{Heap, Value};

use super::shared::Shared;
use super::to_script;
use crate::analysis::{ArgumentsForm, Keys, Reads};

/// Values up to this many nodes are copied into the call's heap, which is cheaper than sharing them.
const SMALL_NODES: usize = 24;
/// Strings up to this length count as one node.
const SMALL_STRING_BYTES: usize = 4_096;

/// The payload for one call: a dictionary of its own with the fields the script reads.
///
/// A value that is small, or that the script may change, is copied into the heap of the call. A large value that the
/// script only reads is converted once a dispatch and shared. What the script cannot reach is not looked at.
///
/// # Errors
/// When a value that the script reads holds a number that is not finite or is nested too deeply.
pub(crate) fn payload_value<'v>(payload: &Payload, reads: &Reads, heap: Heap<'v>) -> Result<Value<'v>, String> {
    let view = View { payload, reads, heap };
    match (payload.value(), &reads.keys) {
        (Json::Object(fields), Keys::Some(names)) => {
            let named = names.iter().filter_map(|(name, keys)| Some((name.as_str(), fields.get(name)?, keys)));
            view.dict(names.len(), named.map(|(name, value, keys)| (name, view.field(fields, name, value, keys))))
        }
        (Json::Object(fields), Keys::All) => {
            let all = fields.iter().map(|(name, value)| (name.as_str(), view.field(fields, name, value, &Keys::All)));
            view.dict(fields.len(), all)
        }
        (Json::Object(_), Keys::None) => view.dict(0, []),
        (value, keys) => view.value(value, keys),
    }
}

/// The payload for one call, from its parts: those that the function reads are made, and no others.
///
/// # Errors
/// As [`payload_value`].
pub(crate) fn parts_value<'v>(parts: &LazyPayload<'_>, reads: &Reads, heap: Heap<'v>) -> Result<Value<'v>, String> {
    let view = View { payload: &parts.event().payload, reads, heap };
    view.table(parts, &reads.keys).map(|dict| heap.alloc(Dict::new(dict)))
}

struct View<'a, 'v> {
    /// The canonical payload, with which shared values are kept.
    payload: &'a Payload,
    reads: &'a Reads,
    heap: Heap<'v>,
}

type Fields<'v> = SmallMap<Value<'v>, Value<'v>>;

impl<'v> View<'_, 'v> {
    fn dict<'k>(
        &self,
        most: usize,
        entries: impl IntoIterator<Item = (&'k str, Result<Value<'v>, String>)>,
    ) -> Result<Value<'v>, String> {
        let mut fields = SmallMap::with_capacity(most);
        for (name, value) in entries {
            self.insert(&mut fields, name, value?)?;
        }
        Ok(self.heap.alloc(Dict::new(fields)))
    }

    fn insert(&self, fields: &mut Fields<'v>, name: &str, value: Value<'v>) -> Result<(), String> {
        let name = self.heap.alloc_str(name).to_value();
        fields.insert_hashed(name.get_hashed().map_err(|fault| fault.to_string())?, value);
        Ok(())
    }

    /// The keys of a table that are there and that are read.
    fn table(&self, parts: &LazyPayload<'_>, keys: &Keys) -> Result<Fields<'v>, String> {
        let mut fields = SmallMap::new();
        let mut take = |key: &PayloadKey, keys: &Keys| {
            if let Some(value) = self.part(key.value_for(parts.event()), parts, keys)? {
                self.insert(&mut fields, key.name, value)?;
            }
            Ok::<(), String>(())
        };
        match keys {
            Keys::None => {}
            Keys::All => parts.keys().try_for_each(|key| take(key, &Keys::All))?,
            Keys::Some(names) => names.iter().try_for_each(|(name, keys)| match parts.key(name) {
                Some(key) => take(key, keys),
                None => Ok(()),
            })?,
        }
        Ok(fields)
    }

    /// A part of a payload; `None` for one that is not there.
    fn part(&self, part: LazyValue<'_>, parts: &LazyPayload<'_>, keys: &Keys) -> Result<Option<Value<'v>>, String> {
        Ok(Some(match part {
            LazyValue::Absent => return Ok(None),
            LazyValue::Text(text) => self.heap.alloc(text),
            LazyValue::Number(number) => match i64::try_from(number) {
                Ok(number) => self.heap.alloc(number),
                Err(_) => to_script(&Json::from(number), self.heap)?,
            },
            LazyValue::Value(value) => self.value(value, keys)?,
            LazyValue::Computed(value) => to_script(&value, self.heap)?,
            LazyValue::Table(table) => {
                let inner = LazyPayload::new(parts.event(), [table, &[]]);
                if inner.is_empty() {
                    return Ok(None);
                }
                self.heap.alloc(Dict::new(self.table(&inner, keys)?))
            }
        }))
    }

    /// A field of a payload that is an object.
    fn field(&self, fields: &Map<String, Json>, name: &str, value: &Json, keys: &Keys) -> Result<Value<'v>, String> {
        if name == "arguments"
            && self.reads.arguments == ArgumentsForm::Dict
            && let Json::String(text) = value
        {
            if let Some(args @ Json::Object(_)) = fields.get("args") {
                return self.value(args, keys);
            }
            // The JSON text as the value it means, or as it is when it means none.
            if let Ok(decoded) = serde_json::from_str::<Json>(text) {
                return to_script(&decoded, self.heap);
            }
        }
        self.value(value, keys)
    }

    /// A value of the canonical payload, as far as it is read.
    fn value(&self, value: &Json, keys: &Keys) -> Result<Value<'v>, String> {
        match (value, keys) {
            (_, Keys::None) => Ok(Value::new_none()),
            (Json::Object(fields), Keys::Some(names)) => {
                let named = names.iter().filter_map(|(name, keys)| Some((name.as_str(), fields.get(name)?, keys)));
                self.dict(names.len(), named.map(|(name, value, keys)| (name, self.value(value, keys))))
            }
            (Json::String(text), _) if text.len() <= SMALL_STRING_BYTES => Ok(self.heap.alloc(text.as_str())),
            _ if self.reads.mutates || small(value, &mut 0) => to_script(value, self.heap),
            _ => {
                let shared = self.payload.cached_view("script", |_| Shared::default());
                Ok(self.heap.access_owned_frozen_value(&shared.part(value)?))
            }
        }
    }
}

/// Whether a value is cheap to copy. Looks at no more than [`SMALL_NODES`] nodes.
fn small(value: &Json, nodes: &mut usize) -> bool {
    *nodes += 1;
    *nodes <= SMALL_NODES
        && match value {
            Json::Null | Json::Bool(_) | Json::Number(_) => true,
            Json::String(text) => text.len() <= SMALL_STRING_BYTES,
            Json::Array(items) => items.len() <= SMALL_NODES && items.iter().all(|item| small(item, nodes)),
            Json::Object(fields) => fields.len() <= SMALL_NODES && fields.values().all(|field| small(field, nodes)),
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use starlark::environment::Module;

    use super::*;

    fn seen(payload: &Payload, reads: &Reads) -> Json {
        Module::with_temp_heap(|module| {
            super::super::from_script(payload_value(payload, reads, module.heap()).unwrap()).unwrap()
        })
    }

    fn some(names: &[&str]) -> Keys {
        Keys::Some(names.iter().map(|name| ((*name).to_owned(), Keys::All)).collect())
    }

    fn reads(keys: Keys, arguments: ArgumentsForm) -> Reads {
        Reads { keys, mutates: false, arguments }
    }

    #[test]
    fn only_what_is_read_is_converted() {
        let payload = Payload::new(json!({"name": "x", "bad": 1, "big": "y".repeat(4_000)}));
        let only = some(&["name", "absent"]);
        assert_eq!(seen(&payload, &reads(only, ArgumentsForm::Text)), json!({"name": "x"}));
        assert_eq!(seen(&payload, &reads(Keys::None, ArgumentsForm::Text)), json!({}));
        assert_eq!(&seen(&payload, &reads(Keys::All, ArgumentsForm::Text)), payload.value());
    }

    #[test]
    fn a_number_that_is_not_finite_matters_only_where_it_is_read() {
        let payload = Payload::new(serde_json::from_str(r#"{"name":"x","n":1e400}"#).unwrap());
        let name = reads(some(&["name"]), ArgumentsForm::Text);
        assert_eq!(seen(&payload, &name), json!({"name": "x"}));
        let all = reads(Keys::All, ArgumentsForm::Text);
        let refused = Module::with_temp_heap(|module| payload_value(&payload, &all, module.heap()).map(|_| ()));
        assert_eq!(refused, Err(String::from("`1e+400` is not a finite number")));
    }

    #[test]
    fn arguments_take_the_form_the_script_expects() {
        let text = r#"{"path":"a"}"#;
        let keys = || some(&["arguments"]);
        let both = Payload::new(json!({"arguments": text, "args": {"path": "b"}}));
        assert_eq!(seen(&both, &reads(keys(), ArgumentsForm::Text)), json!({"arguments": text}));
        assert_eq!(seen(&both, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": {"path": "b"}}));
        let alone = Payload::new(json!({"arguments": text}));
        assert_eq!(seen(&alone, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": {"path": "a"}}));
        let broken = Payload::new(json!({"arguments": "{"}));
        assert_eq!(seen(&broken, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": "{"}));
    }
}
