//! `hash`, `crypto`, `base64`, `url`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_contract::to_hex;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::{Heap, Value};

use crate::call_state::script_error;
use crate::payload::to_display;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("hash", hash);
    builder.namespace("crypto", crypto);
    builder.namespace("base64", base64_texts);
    builder.namespace("url", url_parts);
}

#[starlark_module]
fn hash(builder: &mut GlobalsBuilder) {
    fn sha256(text: &str) -> starlark::Result<String> {
        Ok(to_hex(&Sha256::digest(text.as_bytes())))
    }
}

#[starlark_module]
fn crypto(builder: &mut GlobalsBuilder) {
    fn hmac_sha256(key: &str, msg: &str) -> starlark::Result<String> {
        Ok(to_hex(&hmac_sha256_bytes(key.as_bytes(), msg.as_bytes())))
    }
}

/// RFC 2104 over SHA-256.
fn hmac_sha256_bytes(key: &[u8], message: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 64;
    let mut block = if key.len() > BLOCK { Sha256::digest(key).to_vec() } else { key.to_vec() };
    block.resize(BLOCK, 0);
    let keyed = |pad: u8| Sha256::new_with_prefix(block.iter().map(|byte| byte ^ pad).collect::<Vec<_>>());
    let inner = keyed(0x36).chain_update(message).finalize();
    keyed(0x5c).chain_update(inner).finalize().to_vec()
}

#[starlark_module]
fn base64_texts(builder: &mut GlobalsBuilder) {
    fn encode(s: &str) -> starlark::Result<String> {
        Ok(STANDARD.encode(s))
    }

    fn decode(s: &str) -> starlark::Result<String> {
        let bytes = STANDARD.decode(s).map_err(|error| script_error(format_args!("base64.decode: {error}")))?;
        String::from_utf8(bytes).map_err(|_| script_error("base64.decode: the decoded bytes are not UTF-8 text"))
    }
}

#[starlark_module]
fn url_parts(builder: &mut GlobalsBuilder) {
    fn parse<'v>(s: &str, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        let url = url::Url::parse(s).map_err(|error| script_error(format_args!("url.parse: {error}")))?;
        let mut parts = Map::new();
        let mut part = |name: &str, value: Json| parts.insert(name.to_owned(), value);
        let host = url.host_str().unwrap_or_default();
        part("scheme", Json::from(url.scheme()));
        part("host", Json::from(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))));
        part("hostname", Json::from(host));
        part("port", Json::from(url.port().map_or_else(String::new, |port| port.to_string())));
        part("path", Json::from(url.path()));
        part("raw_query", Json::from(url.query().unwrap_or_default()));
        part("fragment", Json::from(url.fragment().unwrap_or_default()));
        let mut query: Map<String, Json> = Map::new();
        for (name, value) in url.query_pairs() {
            if let Json::Array(values) = query.entry(name).or_insert_with(|| Json::Array(Vec::new())) {
                values.push(Json::from(value.into_owned()));
            }
        }
        part("query", Json::Object(query));
        part("string", Json::from(url.as_str()));
        if !url.username().is_empty() {
            part("username", Json::from(url.username()));
        }
        if let Some(password) = url.password() {
            part("password", Json::from(password));
        }
        Ok(heap.alloc(Json::Object(parts)))
    }

    fn encode<'v>(params: Value<'v>) -> starlark::Result<String> {
        if let Some(text) = params.unpack_str() {
            return Ok(url::form_urlencoded::byte_serialize(text.as_bytes()).collect());
        }
        let Some(dict) = DictRef::from_value(params) else {
            return Err(script_error("url.encode: params must be a dict or a string"));
        };
        let mut pairs = Vec::new();
        for (name, value) in dict.iter() {
            match ListRef::from_value(value) {
                Some(values) => pairs.extend(values.iter().map(|value| (to_display(name), to_display(value)))),
                None => pairs.push((to_display(name), to_display(value))),
            }
        }
        pairs.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hmac_is_that_of_rfc_4231() {
        let made = to_hex(&hmac_sha256_bytes(b"Jefe", b"what do ya want for nothing?"));
        assert_eq!(made, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
