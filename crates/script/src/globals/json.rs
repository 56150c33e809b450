//! `json`: encodes with sorted keys and escaped markup, and decodes.

use pintle_contract::check_json_text;
use serde_json::Value as Json;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::{Heap, Value};

use crate::call_state::{script_error, value_to_json as to_json};
use crate::payload::to_script;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("json", json);
}

#[starlark_module]
fn json(builder: &mut GlobalsBuilder) {
    fn encode<'v>(val: Value<'v>) -> starlark::Result<String> {
        let mut value = to_json("json.encode", val)?;
        value.sort_all_objects();
        Ok(escape_markup(&value.to_string()))
    }

    fn decode<'v>(s: Value<'v>, default: Option<Value<'v>>, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        // `arguments` may already be decoded, depending on the script's use of it.
        if DictRef::from_value(s).is_some() || ListRef::from_value(s).is_some() {
            return Ok(s);
        }
        let Some(text) = s.unpack_str() else {
            return default
                .ok_or_else(|| script_error(format_args!("json.decode: expected a string, not {}", s.get_type())));
        };
        let fits = check_json_text(text.as_bytes()).map_err(|error| error.to_string());
        let decoded = fits.and_then(|()| serde_json::from_str::<Json>(text).map_err(|error| error.to_string()));
        match decoded.and_then(|value| to_script(&value, heap)) {
            Ok(value) => Ok(value),
            Err(reason) => default.ok_or_else(|| script_error(format_args!("json.decode: {reason}"))),
        }
    }
}

/// Escapes markup and line separators inside strings, so that the text can be embedded in HTML and JavaScript.
fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(char),
        }
    }
    out
}
