//! The payload as one call receives it.

use pintle_contract::{LazyPayload, LazyValue, Payload, PayloadKey};
use serde_json::{Map, Value as Json};
use starlark::collections::SmallMap;
use starlark::values::dict::Dict;
use starlark::values::{Heap, Value};

use super::frozen::FrozenParts;
use super::{check_depth, to_script};
use crate::analysis::{ArgumentsForm, FieldSet, PayloadReads};

/// Values up to this number of nodes are copied into the call's heap, which is cheaper than sharing them.
const SMALL_NODES: usize = 24;
/// Strings up to this length count as one node.
const SMALL_STRING_BYTES: usize = 4_096;

/// The payload for one call: its own dict with the fields that the script reads.
///
/// A value that is small, or that the script may change, is copied into the heap of the call. A large value that the
/// script only reads is converted once for each dispatch and shared. Fields that the script cannot access are not
/// converted.
///
/// # Errors
/// If a value that the script reads contains a number that is not finite or is nested too deeply.
pub(crate) fn payload_value<'v>(payload: &Payload, reads: &PayloadReads, heap: Heap<'v>) -> Result<Value<'v>, String> {
    let view = PayloadView { payload, reads, heap };
    match (payload.value(), &reads.keys) {
        (Json::Object(fields), FieldSet::Some(names)) => {
            let named = names.iter().filter_map(|(name, keys)| Some((name.as_str(), fields.get(name)?, keys)));
            view.build_dict(
                names.len(),
                named.map(|(name, value, keys)| (name, view.convert_field(fields, name, value, keys))),
            )
        }
        (Json::Object(fields), FieldSet::All) => {
            let all = fields
                .iter()
                .map(|(name, value)| (name.as_str(), view.convert_field(fields, name, value, &FieldSet::All)));
            view.build_dict(fields.len(), all)
        }
        (Json::Object(_), FieldSet::None) => view.build_dict(0, []),
        (value, keys) => view.convert_value(value, keys),
    }
}

/// The payload for one call, from its lazy parts: only those that the function reads are computed.
///
/// # Errors
/// As [`payload_value`].
pub(crate) fn parts_value<'v>(
    parts: &LazyPayload<'_>,
    reads: &PayloadReads,
    heap: Heap<'v>,
) -> Result<Value<'v>, String> {
    let view = PayloadView { payload: &parts.event().payload, reads, heap };
    view.build_table(parts, &reads.keys).map(|dict| heap.alloc(Dict::new(dict)))
}

struct PayloadView<'a, 'v> {
    /// The canonical payload, with which shared values are stored.
    payload: &'a Payload,
    reads: &'a PayloadReads,
    heap: Heap<'v>,
}

type ViewFields<'v> = SmallMap<Value<'v>, Value<'v>>;

impl<'v> PayloadView<'_, 'v> {
    fn build_dict<'k>(
        &self,
        most: usize,
        entries: impl IntoIterator<Item = (&'k str, Result<Value<'v>, String>)>,
    ) -> Result<Value<'v>, String> {
        let mut fields = SmallMap::with_capacity(most);
        for (name, value) in entries {
            self.insert_field(&mut fields, name, value?)?;
        }
        Ok(self.heap.alloc(Dict::new(fields)))
    }

    fn insert_field(&self, fields: &mut ViewFields<'v>, name: &str, value: Value<'v>) -> Result<(), String> {
        let name = self.heap.alloc_str(name).to_value();
        fields.insert_hashed(name.get_hashed().map_err(|error| error.to_string())?, value);
        Ok(())
    }

    /// The present keys of a table that are read.
    fn build_table(&self, parts: &LazyPayload<'_>, keys: &FieldSet) -> Result<ViewFields<'v>, String> {
        let mut fields = SmallMap::new();
        let mut take = |key: &PayloadKey, keys: &FieldSet| {
            if let Some(value) = self.convert_part(key.value_for(parts.event()), parts, keys)? {
                self.insert_field(&mut fields, key.name, value)?;
            }
            Ok::<(), String>(())
        };
        match keys {
            FieldSet::None => {}
            FieldSet::All => parts.keys().try_for_each(|key| take(key, &FieldSet::All))?,
            FieldSet::Some(names) => names.iter().try_for_each(|(name, keys)| match parts.key(name) {
                Some(key) => take(key, keys),
                None => Ok(()),
            })?,
        }
        Ok(fields)
    }

    /// Converts a part of a payload; `None` if it is absent.
    fn convert_part(
        &self,
        lazy_value: LazyValue<'_>,
        parts: &LazyPayload<'_>,
        keys: &FieldSet,
    ) -> Result<Option<Value<'v>>, String> {
        Ok(Some(match lazy_value {
            LazyValue::Absent => return Ok(None),
            LazyValue::Text(text) => self.heap.alloc(text),
            LazyValue::Number(number) => match i64::try_from(number) {
                Ok(number) => self.heap.alloc(number),
                Err(_) => to_script(&Json::from(number), self.heap)?,
            },
            LazyValue::Value(value) => self.convert_value(value, keys)?,
            LazyValue::Computed(value) => to_script(&value, self.heap)?,
            LazyValue::Table(table) => {
                let inner = LazyPayload::new(parts.event(), [table, &[]]);
                if inner.is_empty() {
                    return Ok(None);
                }
                self.heap.alloc(Dict::new(self.build_table(&inner, keys)?))
            }
        }))
    }

    /// Converts a field of a payload that is an object.
    fn convert_field(
        &self,
        fields: &Map<String, Json>,
        name: &str,
        value: &Json,
        keys: &FieldSet,
    ) -> Result<Value<'v>, String> {
        if name == "arguments"
            && self.reads.arguments == ArgumentsForm::Dict
            && let Json::String(text) = value
        {
            if let Some(args @ Json::Object(_)) = fields.get("args") {
                return self.convert_value(args, keys);
            }
            // The decoded JSON text, or the text itself if it is not valid JSON.
            if let Ok(decoded) = serde_json::from_str::<Json>(text) {
                return to_script(&decoded, self.heap);
            }
        }
        self.convert_value(value, keys)
    }

    /// Converts a value of the canonical payload, as far as it is read.
    fn convert_value(&self, value: &Json, keys: &FieldSet) -> Result<Value<'v>, String> {
        match (value, keys) {
            (_, FieldSet::None) => Ok(Value::new_none()),
            (Json::Object(fields), FieldSet::Some(names)) => {
                let named = names.iter().filter_map(|(name, keys)| Some((name.as_str(), fields.get(name)?, keys)));
                self.build_dict(names.len(), named.map(|(name, value, keys)| (name, self.convert_value(value, keys))))
            }
            (Json::String(text), _) if text.len() <= SMALL_STRING_BYTES => Ok(self.heap.alloc(text.as_str())),
            _ if self.reads.may_mutate || is_small(value, &mut 0) => to_script(value, self.heap),
            _ => {
                let shared = self.payload.cached_view("script", |_| FrozenParts::default());
                Ok(self.heap.access_owned_frozen_value(&shared.frozen_part(value)?))
            }
        }
    }
}

/// Whether [`payload_value`] succeeds for a script that reads arguments as text.
pub(crate) fn can_be_read(payload: &Payload, reads: &PayloadReads) -> bool {
    match (payload.value(), &reads.keys) {
        // The payload itself is a dict of its own, which counts as no level.
        (Json::Object(fields), FieldSet::All) => fields.values().all(|value| has_values(value, &FieldSet::All)),
        (value, keys) => has_values(value, keys),
    }
}

fn has_values(value: &Json, keys: &FieldSet) -> bool {
    match (value, keys) {
        (_, FieldSet::None) | (Json::String(_), _) => true,
        (Json::Object(fields), FieldSet::Some(names)) => {
            names.iter().all(|(name, keys)| fields.get(name).is_none_or(|value| has_values(value, keys)))
        }
        _ => check_depth(value, 0).is_ok(),
    }
}

/// Whether a value is cheap to copy. Visits at most [`SMALL_NODES`] nodes.
fn is_small(value: &Json, nodes: &mut usize) -> bool {
    *nodes += 1;
    *nodes <= SMALL_NODES
        && match value {
            Json::Null | Json::Bool(_) | Json::Number(_) => true,
            Json::String(text) => text.len() <= SMALL_STRING_BYTES,
            Json::Array(items) => items.len() <= SMALL_NODES && items.iter().all(|item| is_small(item, nodes)),
            Json::Object(fields) => fields.len() <= SMALL_NODES && fields.values().all(|field| is_small(field, nodes)),
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use starlark::environment::Module;

    use super::*;

    fn view_payload(payload: &Payload, reads: &PayloadReads) -> Json {
        Module::with_temp_heap(|module| {
            super::super::to_json(payload_value(payload, reads, module.heap()).unwrap()).unwrap()
        })
    }

    fn field_set(names: &[&str]) -> FieldSet {
        FieldSet::Some(names.iter().map(|name| ((*name).to_owned(), FieldSet::All)).collect())
    }

    fn payload_reads(keys: FieldSet, arguments: ArgumentsForm) -> PayloadReads {
        PayloadReads { keys, may_mutate: false, arguments }
    }

    #[test]
    fn only_what_is_read_is_converted() {
        let payload = Payload::new(json!({"name": "x", "bad": 1, "big": "y".repeat(4_000)}));
        let only = field_set(&["name", "absent"]);
        assert_eq!(view_payload(&payload, &payload_reads(only, ArgumentsForm::Text)), json!({"name": "x"}));
        assert_eq!(view_payload(&payload, &payload_reads(FieldSet::None, ArgumentsForm::Text)), json!({}));
        assert_eq!(&view_payload(&payload, &payload_reads(FieldSet::All, ArgumentsForm::Text)), payload.value());
    }

    #[test]
    fn a_number_that_is_not_finite_matters_only_where_it_is_read() {
        let payload = Payload::new(serde_json::from_str(r#"{"name":"x","n":1e400}"#).unwrap());
        let name = payload_reads(field_set(&["name"]), ArgumentsForm::Text);
        assert_eq!(view_payload(&payload, &name), json!({"name": "x"}));
        let all = payload_reads(FieldSet::All, ArgumentsForm::Text);
        let refused = Module::with_temp_heap(|module| payload_value(&payload, &all, module.heap()).map(|_| ()));
        assert_eq!(refused, Err(String::from("`1e+400` is not a finite number")));
    }

    #[test]
    fn arguments_take_the_form_the_script_expects() {
        let text = r#"{"path":"a"}"#;
        let keys = || field_set(&["arguments"]);
        let both = Payload::new(json!({"arguments": text, "args": {"path": "b"}}));
        assert_eq!(view_payload(&both, &payload_reads(keys(), ArgumentsForm::Text)), json!({"arguments": text}));
        assert_eq!(
            view_payload(&both, &payload_reads(keys(), ArgumentsForm::Dict)),
            json!({"arguments": {"path": "b"}})
        );
        let alone = Payload::new(json!({"arguments": text}));
        assert_eq!(
            view_payload(&alone, &payload_reads(keys(), ArgumentsForm::Dict)),
            json!({"arguments": {"path": "a"}})
        );
        let broken = Payload::new(json!({"arguments": "{"}));
        assert_eq!(view_payload(&broken, &payload_reads(keys(), ArgumentsForm::Dict)), json!({"arguments": "{"}));
    }
}
