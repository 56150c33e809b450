//! The messages of MCP: JSON-RPC 2.0, one object a line.

use pintle_host::contract::read_payload;
use serde_json::{Map, Value, json};

/// The error code for text that is not JSON.
const PARSE_ERROR: i64 = -32_700;
/// The error code for what is not a request.
const INVALID_REQUEST: i64 = -32_600;
/// The error code for arguments that do not fit.
const INVALID_PARAMS: i64 = -32_602;
/// The error code for what the hooks refused.
const REFUSED: i64 = -32_000;

/// The fields of a message that the protocol defines.
const FIELDS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// A message with its ID, if it is valid.
#[derive(Debug)]
pub(super) struct RpcMessage {
    pub(super) fields: Map<String, Value>,
    pub(super) kind: RpcKind,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RpcKind {
    /// A request, which is answered.
    Request(RpcId),
    /// A notification, which is not.
    Notification,
    /// The answer to a request.
    Answer(RpcId),
}

/// The ID of a request: the JSON text of a string or a whole number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RpcId(String);

/// Why a line is not passed on.
#[derive(Debug)]
pub(super) struct RpcProblem {
    code: i64,
    message: String,
}

/// What the answer to a request says.
#[derive(Debug)]
pub(super) enum RpcAnswer {
    Result(Value),
    Error(RpcProblem),
}

impl RpcId {
    pub(super) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(_) => Some(Self(value.to_string())),
            Value::Number(number) if number.is_i64() || number.is_u64() => Some(Self(number.to_string())),
            _ => None,
        }
    }

    /// The ID as JSON.
    fn to_json(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// The ID if it is a string.
    pub(super) fn as_text(&self) -> Option<String> {
        serde_json::from_str(&self.0).ok()
    }
}

impl RpcProblem {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { code: INVALID_REQUEST, message: message.into() }
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self { code: INVALID_PARAMS, message: message.into() }
    }

    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self { code: REFUSED, message: message.into() }
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }
}

impl RpcMessage {
    /// Reads a line strictly. What this reader and that of another program could understand differently is a problem: a key
    /// twice, or one whose letters differ in case only from one of the protocol.
    pub(super) fn parse(line: &[u8]) -> Result<Self, RpcProblem> {
        let value = read_payload(line)
            .map_err(|error| RpcProblem { code: PARSE_ERROR, message: format!("the message is not valid: {error}") })?;
        let Value::Object(fields) = value else {
            return Err(RpcProblem::invalid("the message is not a JSON object; batches are not passed on"));
        };
        let is_misspelt = |key: &String| FIELDS.iter().any(|field| field.eq_ignore_ascii_case(key) && field != key);
        if let Some(key) = fields.keys().find(|key| is_misspelt(key)) {
            return Err(RpcProblem::invalid(format!("the message has a field `{key}`")));
        }
        let kind = match (fields.get("method"), fields.get("id")) {
            (Some(Value::String(_)), None) => RpcKind::Notification,
            (Some(Value::String(_)), Some(id)) => RpcKind::Request(read_id(id)?),
            (None, Some(id)) if fields.contains_key("result") != fields.contains_key("error") => {
                RpcKind::Answer(read_id(id)?)
            }
            _ => return Err(RpcProblem::invalid("the message is neither a request nor an answer")),
        };
        Ok(Self { fields, kind })
    }

    pub(super) fn method(&self) -> &str {
        self.fields.get("method").and_then(Value::as_str).unwrap_or_default()
    }

    /// The parameters; none if they are not an object.
    pub(super) fn params(&self) -> Option<&Map<String, Value>> {
        self.fields.get("params")?.as_object()
    }

    /// The message as a line.
    pub(super) fn to_line(&self) -> Vec<u8> {
        to_line(&self.fields)
    }
}

fn read_id(id: &Value) -> Result<RpcId, RpcProblem> {
    RpcId::read(id).ok_or_else(|| RpcProblem::invalid("`id` is neither a text nor a whole number"))
}

fn to_line(message: &impl serde::Serialize) -> Vec<u8> {
    // A value whose keys are texts is always written.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The line that answers a request. Without an ID it answers what could not be read.
pub(super) fn write_answer(id: Option<&RpcId>, answer: RpcAnswer) -> Vec<u8> {
    let id = id.map(RpcId::to_json);
    to_line(&match answer {
        RpcAnswer::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        RpcAnswer::Error(RpcProblem { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    })
}

/// The line of a request of the proxy's own.
pub(super) fn write_request(id: &str, method: &str, params: &Value) -> Vec<u8> {
    to_line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_could_understand_differently_is_not_a_message() {
        for line in [
            "",
            "[]",
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}]",
            "{\"id\":1,\"id\":2,\"method\":\"a\"}",
            "{\"id\":1,\"method\":\"ping\",\"Method\":\"tools/call\"}",
            "{\"id\":1,\"method\":7}",
            "{\"id\":1.5,\"method\":\"a\"}",
            "{\"id\":null,\"method\":\"a\"}",
            "{\"id\":[1],\"result\":{}}",
            "{\"id\":1}",
            "{\"id\":1,\"result\":{},\"error\":{}}",
            "{\"id\":1,\"result\":{}} {}",
            "server started",
        ] {
            assert!(RpcMessage::parse(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn ids_keep_their_type() {
        let kind = |line: &str| RpcMessage::parse(line.as_bytes()).unwrap().kind;
        assert_ne!(kind("{\"id\":1,\"result\":{}}"), kind("{\"id\":\"1\",\"result\":{}}"));
        assert_eq!(kind("{\"id\":\"\\u0061\",\"result\":{}}"), kind("{\"id\":\"a\",\"error\":{}}"));
        let RpcKind::Answer(id) = kind("{\"id\":18446744073709551615,\"result\":{}}") else { panic!("an answer") };
        assert!(
            write_answer(Some(&id), RpcAnswer::Result(json!({})))
                .starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,")
        );
    }
}
