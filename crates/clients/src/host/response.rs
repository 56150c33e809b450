//! Builds a response.

use pintle_contract::Decision;
use pintle_contract::event::json_to_text;
use serde_json::{Map, Value};

use crate::event_def::ClientEventDef;

/// The inputs of a response writer other than the decision.
#[derive(Debug, Clone, Copy)]
pub struct ResponseContext<'a> {
    /// The event definition.
    pub event_def: &'static ClientEventDef,
    /// The payload as the host sent it; null if it could not be read.
    pub payload: &'a Value,
}

/// A response builder: fields at the top level, and those of the event's `hookSpecificOutput`.
#[derive(Debug)]
pub struct HookJsonResponse {
    event: &'static str,
    top_fields: Map<String, Value>,
    event_fields: Map<String, Value>,
}

impl HookJsonResponse {
    /// Starts the response to an event.
    #[must_use]
    pub fn new(context: &ResponseContext<'_>) -> Self {
        Self { event: context.event_def.name, top_fields: Map::new(), event_fields: Map::new() }
    }

    /// Adds a top-level field, if there is a value.
    #[must_use]
    pub fn with_top_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.top_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Adds a field of the event, if there is a value.
    #[must_use]
    pub fn with_event_field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.event_fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Ends the run with its reason, if it must end.
    #[must_use]
    pub fn with_run_end(self, decision: &HostDecision) -> Self {
        let ended = decision.stop.as_deref();
        self.with_top_field("continue", ended.map(|_| false)).with_top_field("stopReason", ended)
    }

    /// Adds the notices for the user, if there are any.
    #[must_use]
    pub fn with_notice(self, decision: &HostDecision) -> Self {
        self.with_top_field("systemMessage", decision.notice_text())
    }

    /// Adds the context for the model, if there is any.
    #[must_use]
    pub fn with_context(self, decision: &HostDecision) -> Self {
        self.with_event_field("additionalContext", decision.context_text())
    }

    /// The response, status 0. Without fields it is empty.
    #[must_use]
    pub fn into_response(mut self) -> HostResponse {
        if !self.event_fields.is_empty() {
            let mut specific = Map::new();
            specific.insert(String::from("hookEventName"), Value::from(self.event));
            specific.append(&mut self.event_fields);
            self.top_fields.insert(String::from("hookSpecificOutput"), Value::Object(specific));
        }
        HostResponse::json(&Value::Object(self.top_fields))
    }

    /// The denying response of an event whose field `decision` can be `block`.
    #[must_use]
    pub fn into_block(self, reason: &str) -> HostResponse {
        self.with_top_field("decision", Some("block")).with_top_field("reason", Some(reason)).into_denial(reason)
    }

    /// The response to the start of a session. A denied session starts anyway: the reason is a notice for the user.
    #[must_use]
    pub fn into_start(self, decision: &HostDecision) -> HostResponse {
        if !decision.is_denied() {
            return self.with_context(decision).into_response();
        }
        let notices = decision.notice_text().map(|text| format!("\n{text}")).unwrap_or_default();
        self.with_top_field("systemMessage", Some(format!("{}{notices}", decision.reason))).into_response()
    }

    /// The denying response: the reason is also on standard error, and the status is 2, so that a host that reads only
    /// one of them denies as well.
    #[must_use]
    pub fn into_denial(self, reason: &str) -> HostResponse {
        self.into_response().with_stderr(reason).with_exit_code(2)
    }
}

/// The combined decision of all hooks on one host call. It is fitted to the host before it is written, so that
/// everything in it can be expressed.
#[derive(Debug, Clone, PartialEq)]
pub struct HostDecision {
    /// The decision that the host must enforce.
    pub decision: Decision,
    /// The reason, for the model; never empty with [`Decision::Deny`] and [`Decision::Ask`].
    pub reason: String,
    /// Whether a hook explicitly allowed the action, so that the user need not be asked.
    pub is_approved: bool,
    /// The host's complete input with all rewrites, if there were any: a tool's arguments in the host's form.
    pub input: Option<Value>,
    /// The replacement of the tool's result, if hooks changed it.
    pub output: Option<Value>,
    /// Context for the model, in order and without duplicates.
    pub context: Vec<String>,
    /// The reason to end the run, if it must end.
    pub stop: Option<String>,
    /// Notices for the user, in order: of hooks, of dropped actions, of hooks that failed open, and of shadow mode.
    pub notices: Vec<String>,
}

impl Default for HostDecision {
    fn default() -> Self {
        Self {
            decision: Decision::Allow,
            reason: String::new(),
            is_approved: false,
            input: None,
            output: None,
            context: Vec::new(),
            stop: None,
            notices: Vec::new(),
        }
    }
}

impl HostDecision {
    /// Allows, without any texts.
    #[must_use]
    pub fn pass() -> Self {
        Self::default()
    }

    /// Denies, with a reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Deny, reason: reason.into(), ..Self::default() }
    }

    /// A denial instead of this decision, which a host could not obey; its notices and the end of the run stay.
    #[must_use]
    pub fn denied_instead(&self, reason: &str) -> Self {
        Self { notices: self.notices.clone(), stop: self.stop.clone(), ..Self::deny(reason) }
    }

    /// Whether the action is denied.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.decision == Decision::Deny
    }

    /// The permission decision by the names that most clients have; `None` without an opinion.
    #[must_use]
    pub fn permission_word(&self) -> Option<&'static str> {
        match self.decision {
            Decision::Deny => Some("deny"),
            Decision::Ask => Some("ask"),
            Decision::Allow => self.is_approved.then_some("allow"),
        }
    }

    /// The reason of the permission decision, if there is one.
    #[must_use]
    pub fn permission_reason(&self) -> Option<&str> {
        Some(self.reason.as_str()).filter(|reason| self.permission_word().is_some() && !reason.is_empty())
    }

    /// The answer to a request for permission, in the fields that Claude Code introduced; `None` without an opinion.
    #[must_use]
    pub fn permission_answer(&self) -> Option<Value> {
        let word = self.permission_word().filter(|word| *word != "ask")?;
        let denied = self.is_denied();
        let fields = [
            ("behavior", Some(Value::from(word))),
            ("message", denied.then(|| Value::from(self.reason.as_str()))),
            ("interrupt", (denied && self.stop.is_some()).then_some(Value::Bool(true))),
            ("updatedInput", self.input.clone().filter(|_| !denied)),
        ];
        Some(fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// The replacement of a tool's result: the reason of a denial, otherwise the changed result.
    #[must_use]
    pub fn result_replacement(&self) -> Option<Value> {
        if self.is_denied() { Some(Value::from(self.reason.as_str())) } else { self.output.clone() }
    }

    /// The replacement as a text that is never blank, for hosts that ignore a blank text.
    #[must_use]
    pub fn result_replacement_text(&self) -> Option<String> {
        let text = json_to_text(&self.result_replacement()?);
        Some(if text.trim().is_empty() { String::from("[removed by a hook]") } else { text })
    }

    /// The context as one text, if there is any.
    #[must_use]
    pub fn context_text(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.context.join("\n\n"))
    }

    /// The notices as one text, if there are any.
    #[must_use]
    pub fn notice_text(&self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.join("\n"))
    }
}

/// The response to a host: exactly these bytes and this exit status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostResponse {
    /// Standard output: empty, one JSON document, or plain text if the host expects that.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status: 0, or 2 if the host treats that as a denial. Any other status means that nothing was decided.
    pub exit_code: u8,
}

impl HostResponse {
    /// An empty response, which allows.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// A JSON document on standard output, status 0. An empty object allows.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        let stdout = match value.as_object() {
            Some(fields) if fields.is_empty() => String::new(),
            _ => value.to_string(),
        };
        Self { stdout, ..Self::default() }
    }

    /// The response with a text on standard error.
    #[must_use]
    pub fn with_stderr(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.stderr = format!("{text}\n");
        }
        self
    }

    /// The response with another exit status.
    #[must_use]
    pub fn with_exit_code(mut self, exit_code: u8) -> Self {
        self.exit_code = exit_code;
        self
    }
}
