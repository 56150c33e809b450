//! `completion.post`.

use super::prelude::*;

/// The event definition of `completion.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "The model responded; the response is about to enter the conversation.",
    subject: Some("finish_reason"),
    target: RewriteTarget::Fields(&["choices", "text", "finish_reason", "usage"]),
    deny_means: "The response does not enter the conversation and the turn fails: `completion blocked: <reason>`.",
    context: ContextScope::Call,
    texts: &["text", "finish_reason"],
    normalize,
    ..EventDef::rewrite("completion.post")
};

/// The payload of `completion.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompletionPost {
    /// The provider's ID of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model that responded.
    pub model: String,
    /// The choices of the response, in OpenAI's chat format; Pintle uses the first one.
    pub choices: Vec<CompletionChoice>,
    /// The tokens used by this model call.
    pub usage: TokenUsage,
    /// Why the model stopped; the same as in the first choice.
    pub finish_reason: String,
    /// The text of the first choice; empty if it only calls tools.
    pub text: String,
    /// How long the model call took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The cost of the call in US dollars; absent if the model has no price, 0 if it is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The provider of the model; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The user's most recent message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_user_message: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

/// Keeps `text` and `finish_reason` equal to the first choice. If a hook changed them and not `choices`, the first
/// choice is updated from them.
fn normalize(event: &'static str, before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
    let fields = require_object(event, after)?;
    require_lists(fields, &["choices"])?;
    let choices_changed = fields.get("choices") != before.get("choices");
    for (name, place, key) in [("text", "/0/message", "content"), ("finish_reason", "/0", "finish_reason")] {
        let named = fields.get(name).cloned().unwrap_or_default();
        let named_changed = Some(&named) != before.get(name);
        let choices = fields.get_mut("choices");
        let Some(Value::Object(choice)) = choices.and_then(|choices| choices.pointer_mut(place)) else { continue };
        if named_changed && !choices_changed {
            choice.insert(key.to_owned(), named);
            continue;
        }
        let text = match choice.get(key) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            // A list of content parts has no single text.
            Some(_) => continue,
        };
        fields.insert(name.to_owned(), Value::String(text));
    }
    sync_usage(event, before, after)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_and_the_first_choice_follow_each_other() {
        let before = ROW.example();
        let said = |text: &str, reason: &str| json!([{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}]);
        let silent = json!([{"index": 0, "message": {"role": "assistant"}, "finish_reason": "tool_calls"}]);
        let cases = [
            (json!({"text": "Redacted."}), "Redacted.", "stop", said("Redacted.", "stop")),
            (json!({"finish_reason": "length"}), "Done.", "length", said("Done.", "length")),
            (json!({"choices": said("New.", "stop")}), "New.", "stop", said("New.", "stop")),
            (json!({"choices": said("New.", "stop"), "text": "Old."}), "New.", "stop", said("New.", "stop")),
            (json!({"choices": silent}), "", "tool_calls", silent.clone()),
        ];
        for (rewrite, text, finish_reason, choices) in cases {
            let mut after = before.clone();
            for (name, value) in rewrite.as_object().unwrap() {
                after[name] = value.clone();
            }
            ROW.normalize(&before, &mut after).unwrap();
            let mut expected = before.clone();
            expected["text"] = json!(text);
            expected["finish_reason"] = json!(finish_reason);
            expected["choices"] = choices;
            assert_eq!(after, expected, "{rewrite}");
        }
    }
}
