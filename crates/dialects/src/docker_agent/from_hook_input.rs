//! Converts the standard input of a docker-agent hook back to the event's payload, so that users can test hooks with
//! it.

use pintle_contract::{EventKind, EventName};
use serde_json::{Map, Value, json};

use super::encode::{chat, keys};
use super::event_def::{DockerEventDef, ROWS};

/// Keys whose value is in the payload under another name; the first name that the event has is used.
const RENAMED: &[(&str, &[&str])] = &[
    ("tool_use_id", &["id", "call_id"]),
    ("tool_input", &["args"]),
    ("usage", &["usage"]),
    ("reason", &["reason"]),
    ("agent_switch_kind", &["kind"]),
    ("approval_source", &["detail"]),
];

/// Converts the object that a hook received to the payload of the event; `None` if it is not such an object, or belongs
/// to another event.
///
/// Users may omit anything when they type it, including the event's name; a key that only such objects have is then
/// enough to recognize it. Missing payload fields are left to [`EventName::complete`].
#[must_use]
pub fn payload_from_hook_input(event: &EventName, object: &Value) -> Option<Value> {
    let given = object.as_object()?;
    let name = given.get("hook_event_name").map(|name| name.as_str().unwrap_or_default());
    let def = ROWS.iter().find(|def| name.is_none_or(|name| def.name == name) && def.canonical == event.kind())?;
    if name.is_none() && !is_foreign(event, def, given) {
        return None;
    }
    let schema = event.def().schema();
    let is_field = |name: &str| schema.get("properties").is_some_and(|fields| fields.get(name).is_some());
    let mut payload = Map::new();
    for key in def.keys.iter().copied().flatten() {
        let Some(value) = given.get(key.name) else { continue };
        match (key.field_name(), key.name) {
            (Some(field), _) => {
                payload.insert(field.to_owned(), value.clone());
            }
            (None, "model_id") => read_model(value, &mut payload),
            (None, "messages") => read_messages(value, &mut payload),
            (None, "from_agent_models") => read_agent_models(value, &mut payload),
            (None, name) => {
                let known = RENAMED.iter().find(|(renamed, _)| *renamed == name).map_or(&[][..], |(_, fields)| fields);
                if let Some(field) = known.iter().find(|field| is_field(field)) {
                    let word = value.as_str().and_then(|word| keys::canonical_word(name, event.kind(), word));
                    payload.insert((*field).to_owned(), word.map_or_else(|| value.clone(), Value::from));
                }
            }
        }
    }
    read_opening(def, given, &mut payload);
    Some(Value::Object(payload))
}

/// The example payload of an event under this dialect's name; its tool is one of this dialect.
#[must_use]
pub fn example_payload(name: &str, mut payload: Value) -> Value {
    let is_call = ROWS.iter().any(|def| def.name == name) && payload.get("args").is_some();
    if let Some(fields) = payload.as_object_mut().filter(|_| is_call) {
        fields.insert(String::from("name"), Value::from("shell"));
        let args = json!({"cmd": "ls -la"});
        if fields.contains_key("arguments") {
            fields.insert(String::from("arguments"), Value::from(args.to_string()));
        }
        fields.insert(String::from("args"), args);
    }
    payload
}

/// Whether an object has a key that hooks of this dialect receive and the event's payload does not have.
fn is_foreign(event: &EventName, def: &DockerEventDef, arguments: &Map<String, Value>) -> bool {
    let schema = event.def().schema();
    let is_field = |name: &str| schema.get("properties").is_some_and(|fields| fields.get(name).is_some());
    def.keys.iter().copied().flatten().any(|key| arguments.contains_key(key.name) && !is_field(key.name))
}

/// Reads the first keys. A sub-agent's end has the child where other events have the agent itself.
fn read_opening(def: &DockerEventDef, arguments: &Map<String, Value>, payload: &mut Map<String, Value>) {
    if def.canonical == EventKind::DelegationPost {
        for (key, field) in [("session_id", "id"), ("agent_name", "agent")] {
            if let Some(value) = arguments.get(key) {
                // The child's session ID starts with its parent's.
                let own = value.as_str().and_then(|name| name.rsplit('.').next()).filter(|_| field == "id");
                payload.insert(field.to_owned(), own.map_or_else(|| value.clone(), Value::from));
            }
        }
    }
}

/// Reads a model: `provider/model`, or only its name.
fn read_model(value: &Value, payload: &mut Map<String, Value>) {
    let Some(text) = value.as_str() else { return };
    let (provider, model) = text.split_once('/').map_or((None, text), |(provider, model)| (Some(provider), model));
    if let Some(provider) = provider {
        payload.insert(String::from("provider"), Value::from(provider));
    }
    payload.insert(String::from("model"), Value::from(model));
}

fn read_messages(value: &Value, payload: &mut Map<String, Value>) {
    let all: Option<Vec<Value>> =
        value.as_array().and_then(|items| items.iter().map(|item| chat::to_canonical(item.clone()).ok()).collect());
    if let Some(all) = all {
        payload.insert(String::from("messages"), Value::Array(all));
    }
}

/// Reads the models of the agent that had the conversation before.
fn read_agent_models(value: &Value, payload: &mut Map<String, Value>) {
    let mut models = value.clone();
    for model in models.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if let Some(url) = model.remove("unload_api") {
            model.insert(String::from("unload_url"), url);
        }
    }
    payload.insert(String::from("from_models"), models);
}

#[cfg(test)]
mod tests {
    use pintle_testkit::{catalogue_payload, plain_event};
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_hook_got_is_the_payload_again() {
        let event = EventName::parse("tool.pre").unwrap();
        let object = json!({
            "session_id": "s", "cwd": "/w", "hook_event_name": "pre_tool_use", "agent_name": "root",
            "tool_name": "shell", "tool_use_id": "call_7", "tool_input": {"cmd": "ls"}, "safety_policy": "strict",
        });
        let wanted = json!({"name": "shell", "id": "call_7", "args": {"cmd": "ls"}, "permission_mode": "strict"});
        assert_eq!(payload_from_hook_input(&event, &object), Some(wanted));
        let typed = json!({"tool_name": "shell", "tool_input": {"cmd": "ls"}});
        assert_eq!(payload_from_hook_input(&event, &typed), Some(json!({"name": "shell", "args": {"cmd": "ls"}})));
        for other in [json!({"name": "shell"}), json!([1]), json!({"hook_event_name": "stop"})] {
            assert_eq!(payload_from_hook_input(&event, &other), None, "{other}");
        }
    }

    #[test]
    fn reasons_and_approvals_have_their_own_words_both_ways() {
        let codec = (super::super::DIALECT.codec)();
        let cases = [
            (
                "permission.reply",
                "on_tool_approval_decision",
                "approval_source",
                "allow tool.pre",
                "pre_tool_use_hook_allow",
            ),
            (
                "permission.reply",
                "on_tool_approval_decision",
                "approval_source",
                "deny tool.pre",
                "pre_tool_use_hook_deny",
            ),
            ("permission.reply", "on_tool_approval_decision", "approval_source", "deny rule", "team_permissions_deny"),
            ("permission.reply", "on_tool_approval_decision", "approval_source", "deny restricted", "mode_restricted"),
            ("permission.reply", "on_tool_approval_decision", "approval_source", "allow once", "user_approved"),
            ("permission.reply", "on_tool_approval_decision", "approval_source", "deny once", "user_rejected"),
            ("permission.reply", "on_tool_approval_decision", "approval_source", "deny cancelled", "context_canceled"),
            ("iteration.end", "turn_end", "reason", "forced_handoff", "force_handoff"),
            ("iteration.end", "turn_end", "reason", "steered", "steered"),
        ];
        for (canonical, name, key, fact, word) in cases {
            let event = EventName::parse(canonical).unwrap();
            let payload = match fact.split_once(' ') {
                Some((decision, detail)) => json!({"decision": decision, "detail": detail}),
                None => json!({"reason": fact}),
            };
            let fired = plain_event(canonical, payload.clone());
            let object = codec.encode(&fired, name).unwrap();
            assert_eq!(object[key], word, "{fact}");
            assert_eq!(payload_from_hook_input(&event, &object), Some(payload), "{fact}");
        }
    }

    #[test]
    fn every_event_takes_back_what_its_hooks_got() {
        for def in ROWS {
            let event = EventName::from(def.canonical);
            let example = plain_event(def.canonical.name(), catalogue_payload(def.canonical.name()));
            let object = (super::super::DIALECT.codec)().encode(&example, def.name).unwrap();
            let mut again = payload_from_hook_input(&event, &object).unwrap_or_else(|| panic!("{}", def.name));
            event.complete(&mut again).unwrap_or_else(|error| panic!("{}: {error}", def.name));
            let fired = plain_event(def.canonical.name(), again);
            let encoded = (super::super::DIALECT.codec)().encode(&fired, def.name).unwrap();
            assert_eq!(encoded, object, "{}", def.name);
        }
    }
}
