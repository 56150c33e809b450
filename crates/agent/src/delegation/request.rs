//! Delegation requests.

use pintle_host::event::DelegationPre;
use serde_json::{Map, Value};

/// A request to another agent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DelegationRequest {
    /// The agent's name; empty if only this request describes it.
    pub(super) agent: String,
    pub(super) task: String,
    pub(super) model: Option<String>,
    /// Names of the delegating agent's tools, or complete tools with a script.
    pub(super) tools: Vec<Value>,
    pub(super) system_prompt: Option<String>,
    /// Source of a script `run(result)`.
    pub(super) verify: Option<String>,
    pub(super) max_verify_retries: Option<u32>,
}

impl DelegationRequest {
    /// Parses the arguments of the `delegate` tool, or the request of a hook.
    pub(super) fn from_value(value: &Value) -> Result<Self, String> {
        let fields = match value {
            Value::Object(fields) => fields.clone(),
            // A hook may pass only the task.
            Value::String(task) => Map::from_iter([(String::from("task"), Value::String(task.clone()))]),
            _ => return Err(String::from("a delegation request must be a dict with `task`, or a string")),
        };
        let is_said = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        if fields.get("hooks").is_some_and(is_said) {
            return Err(String::from("a request cannot contain hooks: leave `hooks` out, the project's hooks apply"));
        }
        let text =
            |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        let task =
            text("task").or_else(|| text("prompt")).ok_or("`task` is required; describe what the agent has to do")?;
        Ok(Self {
            agent: text("agent").unwrap_or_default(),
            task,
            model: text("model"),
            tools: fields.get("tools").and_then(Value::as_array).cloned().unwrap_or_default(),
            system_prompt: text("system_prompt"),
            verify: text("verify"),
            max_verify_retries: fields.get("max_verify_retries").and_then(Value::as_u64).map(|retries| {
                // The upper bound keeps a delegation from going on forever.
                u32::try_from(retries).unwrap_or(u32::MAX).min(10)
            }),
        })
    }

    /// A request with only an agent and a task.
    pub(super) fn for_agent(agent: &str, task: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            task: task.to_owned(),
            model: None,
            tools: Vec::new(),
            system_prompt: None,
            verify: None,
            max_verify_retries: None,
        }
    }

    pub(super) fn from_payload(payload: DelegationPre) -> Self {
        Self {
            agent: payload.agent,
            task: payload.prompt,
            model: payload.model,
            tools: payload.tools,
            system_prompt: payload.system_prompt,
            verify: payload.verify,
            max_verify_retries: payload.max_verify_retries,
        }
    }

    pub(super) fn to_payload(&self, id: &str, parent_id: Option<String>, depth: u32) -> DelegationPre {
        DelegationPre {
            id: id.to_owned(),
            parent_id,
            agent: self.agent.clone(),
            prompt: self.task.clone(),
            task: self.task.clone(),
            depth,
            model: self.model.clone(),
            tools: self.tools.clone(),
            system_prompt: self.system_prompt.clone(),
            verify: self.verify.clone(),
            max_verify_retries: self.max_verify_retries,
            host: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_brings_no_hooks() {
        let read = |hooks: Value| DelegationRequest::from_value(&json!({"task": "a", "hooks": hooks})).map(drop);
        for hooks in [json!(["guard"]), json!([{"event": "tool.pre"}]), json!({}), json!("guard"), json!(false)] {
            assert!(read(hooks.clone()).is_err_and(|reason| reason.contains("leave `hooks` out")), "{hooks}");
        }
        assert_eq!((read(json!([])), read(Value::Null)), (Ok(()), Ok(())));
    }

    #[test]
    fn a_request_needs_a_task_under_either_name() {
        let task = |value: Value| DelegationRequest::from_value(&value).map(|request| request.task);
        assert_eq!(task(json!({"task": "a"})), Ok(String::from("a")));
        assert_eq!(task(json!({"prompt": "b", "agent": "x"})), Ok(String::from("b")));
        assert_eq!(task(json!("c")), Ok(String::from("c")));
        for value in [json!({}), json!({"task": ""}), json!({"task": 1}), json!([])] {
            assert!(task(value).is_err());
        }
    }

    #[test]
    fn a_request_survives_the_way_to_the_hooks_and_back() {
        let request = DelegationRequest::from_value(&json!({
            "agent": "reviewer", "task": "look", "model": "small", "tools": ["read"], "system_prompt": "be kind",
            "verify": "def run(result): return True", "max_verify_retries": 1,
        }))
        .unwrap();
        let payload = request.to_payload("delegation_1", None, 1);
        assert_eq!((payload.prompt.as_str(), payload.depth), ("look", 1));
        assert_eq!(DelegationRequest::from_payload(payload), request);
    }
}
