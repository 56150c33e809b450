//! The payload as one call sees it.

use pintle_contract::Payload;
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
const SMALL_STRING_BYTES: usize = 512;

/// The payload for one call: a dictionary of its own with the fields the script reads.
///
/// A field that is small, or that the script may change, is copied into the heap of the call. A large field that the
/// script only reads is converted once a dispatch and shared. Fields that the script cannot reach are not looked at.
///
/// # Errors
/// When a field that the script reads holds a number that is not finite or is nested too deeply.
pub(crate) fn payload_value<'v>(payload: &Payload, reads: &Reads, heap: Heap<'v>) -> Result<Value<'v>, String> {
    let Json::Object(fields) = payload.value() else {
        return whole(payload, reads, heap);
    };
    let view = View { payload, fields, reads, heap };
    match &reads.keys {
        Keys::None => Ok(heap.alloc(Dict::new(SmallMap::new()))),
        Keys::All => view.dict(fields.iter().map(|(key, value)| (key.as_str(), value))),
        Keys::Some(names) => {
            view.dict(names.iter().filter_map(|name| Some((name.as_str(), fields.get(name.as_str())?))))
        }
    }
}

/// A payload that is no object.
fn whole<'v>(payload: &Payload, reads: &Reads, heap: Heap<'v>) -> Result<Value<'v>, String> {
    let value = payload.value();
    if matches!(reads.keys, Keys::None) {
        return Ok(Value::new_none());
    }
    if reads.mutates || small(value, &mut 0) {
        return to_script(value, heap);
    }
    let shared = payload.view("script", Shared::new);
    shared.whole(value).map(|frozen| heap.access_owned_frozen_value(frozen))
}

struct View<'a, 'v> {
    payload: &'a Payload,
    fields: &'a Map<String, Json>,
    reads: &'a Reads,
    heap: Heap<'v>,
}

impl<'v> View<'_, 'v> {
    fn dict<'k>(&self, entries: impl Iterator<Item = (&'k str, &'k Json)>) -> Result<Value<'v>, String> {
        let mut dict = SmallMap::new();
        for (key, value) in entries {
            let value = self.field(key, value)?;
            let key = self.heap.alloc_str(key).to_value();
            dict.insert_hashed(key.get_hashed().map_err(|fault| fault.to_string())?, value);
        }
        Ok(self.heap.alloc(Dict::new(dict)))
    }

    fn field(&self, key: &str, value: &Json) -> Result<Value<'v>, String> {
        if key == "arguments"
            && self.reads.arguments == ArgumentsForm::Dict
            && let Json::String(text) = value
        {
            return match self.fields.get("args") {
                Some(args @ Json::Object(_)) => self.plain("args", args),
                _ => self.decoded(text, value),
            };
        }
        self.plain(key, value)
    }

    /// The JSON text of `arguments` as the value it means, or as it is when it means none.
    fn decoded(&self, text: &str, value: &Json) -> Result<Value<'v>, String> {
        match serde_json::from_str::<Json>(text) {
            Ok(decoded) => to_script(&decoded, self.heap),
            Err(_) => self.plain("arguments", value),
        }
    }

    fn plain(&self, key: &str, value: &Json) -> Result<Value<'v>, String> {
        if self.reads.mutates || small(value, &mut 0) {
            return to_script(value, self.heap);
        }
        let position = self.fields.keys().position(|name| name == key).unwrap_or(usize::MAX);
        let shared = self.payload.view("script", Shared::new);
        shared.field(position, value).map(|frozen| self.heap.access_owned_frozen_value(frozen))
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

    fn reads(keys: Keys, arguments: ArgumentsForm) -> Reads {
        Reads { keys, mutates: false, arguments }
    }

    #[test]
    fn only_what_is_read_is_converted() {
        let payload = Payload::new(json!({"name": "x", "bad": 1, "big": "y".repeat(4_000)}));
        let only = Keys::Some(vec![String::from("name"), String::from("absent")]);
        assert_eq!(seen(&payload, &reads(only, ArgumentsForm::Text)), json!({"name": "x"}));
        assert_eq!(seen(&payload, &reads(Keys::None, ArgumentsForm::Text)), json!({}));
        assert_eq!(&seen(&payload, &reads(Keys::All, ArgumentsForm::Text)), payload.value());
    }

    #[test]
    fn a_number_that_is_not_finite_matters_only_where_it_is_read() {
        let payload = Payload::new(serde_json::from_str(r#"{"name":"x","n":1e400}"#).unwrap());
        let name = reads(Keys::Some(vec![String::from("name")]), ArgumentsForm::Text);
        assert_eq!(seen(&payload, &name), json!({"name": "x"}));
        let all = reads(Keys::All, ArgumentsForm::Text);
        let refused = Module::with_temp_heap(|module| payload_value(&payload, &all, module.heap()).map(|_| ()));
        assert_eq!(refused, Err(String::from("`1e+400` is not a finite number")));
    }

    #[test]
    fn arguments_take_the_form_the_script_expects() {
        let text = r#"{"path":"a"}"#;
        let keys = || Keys::Some(vec![String::from("arguments")]);
        let both = Payload::new(json!({"arguments": text, "args": {"path": "b"}}));
        assert_eq!(seen(&both, &reads(keys(), ArgumentsForm::Text)), json!({"arguments": text}));
        assert_eq!(seen(&both, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": {"path": "b"}}));
        let alone = Payload::new(json!({"arguments": text}));
        assert_eq!(seen(&alone, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": {"path": "a"}}));
        let broken = Payload::new(json!({"arguments": "{"}));
        assert_eq!(seen(&broken, &reads(keys(), ArgumentsForm::Dict)), json!({"arguments": "{"}));
    }
}
