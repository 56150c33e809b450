//! The eight points at which a host asks its interceptors.

use serde_json::{Map, Value};

use super::verdict::{HostError, HostFault};

/// The version of the format, which every context names.
pub const SPEC: &str = "agent-hooks/0.1";

/// A point in the life of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterceptionPoint {
    /// The session starts.
    AgentStartup,
    /// A request of the user arrived.
    Input,
    /// The model is about to be asked.
    PreModelCall,
    /// The model answered.
    PostModelCall,
    /// A tool is about to be called.
    PreToolCall,
    /// A tool returned.
    PostToolCall,
    /// The answer is about to be returned.
    Output,
    /// The session is over.
    AgentShutdown,
}

impl InterceptionPoint {
    /// All points, in the order of an agent's life.
    pub const ALL: [Self; 8] = [
        Self::AgentStartup,
        Self::Input,
        Self::PreModelCall,
        Self::PostModelCall,
        Self::PreToolCall,
        Self::PostToolCall,
        Self::Output,
        Self::AgentShutdown,
    ];

    /// The point with a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == name)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgentStartup => "agent_startup",
            Self::Input => "input",
            Self::PreModelCall => "pre_model_call",
            Self::PostModelCall => "post_model_call",
            Self::PreToolCall => "pre_tool_call",
            Self::PostToolCall => "post_tool_call",
            Self::Output => "output",
            Self::AgentShutdown => "agent_shutdown",
        }
    }

    /// The fields of its contexts beside those of every context, with their required parts. No parts are the whole value.
    pub(super) const fn fields(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::AgentStartup => &[("agent_init", &["tools_registered"])],
            Self::Input => &[("input", &["content", "role"])],
            Self::PreModelCall => &[("model", &["id"]), ("messages", &[])],
            Self::PostModelCall => &[("model", &["id"]), ("response", &["content", "tool_calls", "finish_reason"])],
            Self::PreToolCall => &[("tool_call", &["id", "name", "args"])],
            Self::PostToolCall => &[("tool_call", &["id", "name", "args"]), ("tool_result", &["value", "is_error"])],
            Self::Output => &[("output", &["content"])],
            Self::AgentShutdown => &[("summary", &["reason"])],
        }
    }

    /// The field, or the part of one, that shows the same as `target`.
    const fn target_field(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::AgentStartup => ("agent_init", None),
            Self::Input => ("input", None),
            Self::PreModelCall => ("messages", None),
            Self::PostModelCall => ("response", None),
            Self::PreToolCall => ("tool_call", Some("args")),
            Self::PostToolCall => ("tool_result", Some("value")),
            Self::Output => ("output", None),
            Self::AgentShutdown => ("summary", None),
        }
    }

    /// Whether the two places of a context that show the target show the same.
    pub(super) fn shows_one_target(self, context: &Map<String, Value>) -> bool {
        let (field, part) = self.target_field();
        let shown = context.get(field).and_then(|shown| part.map_or(Some(shown), |part| shown.get(part)));
        shown == context.get("target")
    }

    /// Replaces the target in a context, wherever it shows it.
    pub(super) fn set_target(self, context: &mut Map<String, Value>, target: Value) {
        let (field, part) = self.target_field();
        match (part, context.get_mut(field)) {
            (Some(part), Some(Value::Object(fields))) => {
                fields.insert(part.to_owned(), target.clone());
            }
            (Some(_), _) => {}
            (None, _) => {
                context.insert(field.to_owned(), target.clone());
            }
        }
        context.insert(String::from("target"), target);
    }

    /// Whether interceptors may change the target.
    #[must_use]
    pub const fn permits_transform(self) -> bool {
        !matches!(self, Self::AgentStartup | Self::AgentShutdown)
    }
}

/// The point of a context that has everything that a context must have.
///
/// # Errors
/// With what is missing. No value is repeated: it may be a secret.
pub(super) fn validate_context(context: &Map<String, Value>) -> Result<InterceptionPoint, HostFault> {
    let missing =
        |field: &str| HostFault::new(HostError::ContextInvalid, &format!("`{field}` is missing or not valid"));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let part = |field: &str, part: &str| context.get(field).and_then(|value| value.get(part));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let spec = text(context.get("spec"));
    let version = spec.as_deref().and_then(|spec| spec.strip_prefix("agent-hooks/")?.split_once('.'));
    version.filter(|(major, minor)| is_number(major) && is_number(minor)).ok_or_else(|| missing("spec"))?;
    let point = text(context.get("interception_point")).and_then(|name| InterceptionPoint::by_name(&name));
    let point = point.ok_or_else(|| missing("interception_point"))?;
    context.get("timestamp").and_then(Value::as_str).ok_or_else(|| missing("timestamp"))?;
    context.get("sequence").and_then(Value::as_u64).ok_or_else(|| missing("sequence"))?;
    text(part("agent", "id")).ok_or_else(|| missing("agent.id"))?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let framework = text(part("agent", "framework")).filter(|name| name.bytes().all(is_plain));
    framework.ok_or_else(|| missing("agent.framework"))?;
    text(part("session", "id")).ok_or_else(|| missing("session.id"))?;
    context.get("target").ok_or_else(|| missing("target"))?;
    for (field, parts) in point.fields() {
        let value = context.get(*field).ok_or_else(|| missing(field))?;
        if let Some(name) = parts.iter().find(|name| value.get(**name).is_none()) {
            return Err(missing(&format!("{field}.{name}")));
        }
    }
    Ok(point)
}
