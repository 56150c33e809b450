//! Plays a conversation to a complete agent: the turns of its main conversation in order, and harmless answers to its
//! side requests.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::wire::WireFormat;
use super::{ReceivedRequest, ScriptedReply, ServerAnswer};

/// The reply after all turns are used up.
pub const LAST_WORDS: &str = "That is all.";

/// Whether a request belongs to the main conversation: it offers tools. Requests for titles, summaries and checks do
/// not.
#[must_use]
pub fn is_main(request: &ReceivedRequest) -> bool {
    let offered = request.body.get("tools").and_then(Value::as_array);
    offered.is_some_and(|tools| tools.iter().any(offers_function))
}

/// Whether a tool can be called. Gemini's search in side requests is offered alone and cannot.
fn offers_function(tool: &Value) -> bool {
    let declares = |field| tool.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    tool.get("name").is_some() || tool.get("function").is_some() || declares("functionDeclarations")
}

/// The answers of a server that plays these turns.
pub(super) fn play_turns(turns: Vec<ScriptedReply>) -> impl Fn(&ReceivedRequest) -> ServerAnswer + Send + Sync {
    let left = Mutex::new(turns.into_iter());
    move |request| {
        if WireFormat::from_path(&request.path).is_none() {
            return ServerAnswer::Body(answer_other_path(&request.path));
        }
        if !is_main(request) {
            return ServerAnswer::Reply(ScriptedReply::from_text(answer_side_request(&request.body)));
        }
        let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
        ServerAnswer::Reply(next.unwrap_or_else(|| ScriptedReply::from_text(LAST_WORDS)))
    }
}

/// The answer to requests that call no model: counting, lists of models, telemetry.
fn answer_other_path(path: &str) -> Value {
    let path = path.split('?').next().unwrap_or_default();
    if path.ends_with("/count_tokens") {
        json!({"input_tokens": 10})
    } else if path.ends_with(":countTokens") {
        json!({"totalTokens": 10})
    } else if path.ends_with("/models") {
        json!({"object": "list", "data": [{"id": "test", "object": "model"}], "models": []})
    } else {
        json!({})
    }
}

/// The answer to a side request: JSON that fits the request's schema if it has one, otherwise a few words.
fn answer_side_request(body: &Value) -> String {
    let schema = [
        "/generationConfig/responseJsonSchema",
        "/generationConfig/responseSchema",
        "/output_config/format/schema",
        "/text/format/schema",
        "/response_format/json_schema/schema",
    ];
    let schema = schema.iter().find_map(|place| body.pointer(place));
    schema.map_or_else(|| String::from("A test"), |schema| example_value(schema).to_string())
}

/// The simplest value that fits a schema. Of an `enum` it is the last value, which in the agents' own schemas means
/// idle.
fn example_value(schema: &Value) -> Value {
    if let Some(last) = schema.get("enum").and_then(Value::as_array).and_then(|choices| choices.last()) {
        return last.clone();
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("string").to_ascii_lowercase();
    match kind.as_str() {
        "object" => {
            let fields = schema.get("properties").and_then(Value::as_object);
            fields.into_iter().flatten().map(|(name, field)| (name.clone(), example_value(field))).collect()
        }
        "array" => json!([]),
        "boolean" => json!(false),
        "number" | "integer" => json!(1),
        _ => json!("test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_request(path: &str, body: Value) -> ReceivedRequest {
        ReceivedRequest { method: String::from("POST"), path: path.to_owned(), headers: Vec::new(), body }
    }

    #[test]
    fn turns_go_to_requests_with_tools_and_others_get_harmless_answers() {
        let answer = play_turns(vec![ScriptedReply::from_text("the first turn")]);
        let text = |request: &ReceivedRequest| match answer(request) {
            ServerAnswer::Reply(reply) => reply.text,
            ServerAnswer::Body(value) => value.to_string(),
            other => format!("{other:?}"),
        };
        let tools = json!([{"name": "Bash"}]);
        let schema = json!({"type": "object", "properties": {"next": {"type": "string", "enum": ["model", "user"]}}});
        let cases = [
            (new_request("/v1/messages?beta=true", json!({"messages": []})), "A test"),
            (new_request("/v1/messages/count_tokens", json!({})), r#"{"input_tokens":10}"#),
            (
                new_request(
                    "/v1beta/models/m:generateContent",
                    json!({"generationConfig": {"responseJsonSchema": schema}}),
                ),
                r#"{"next":"user"}"#,
            ),
            (new_request("/v1/messages?beta=true", json!({"tools": tools})), "the first turn"),
            (new_request("/v1/responses", json!({"tools": tools})), LAST_WORDS),
            (new_request("/telemetry", json!({"tools": tools})), "{}"),
        ];
        for (request, said) in cases {
            assert_eq!(text(&request), said, "{}", request.path);
        }
    }
}
