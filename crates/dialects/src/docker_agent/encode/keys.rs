//! The keys of the object on standard input, in the order in which docker-agent writes them.
//!
//! A key with an empty value is omitted unless it says otherwise. The keys of a definition in
//! [`ROWS`](crate::docker_agent::ROWS) are in docker-agent's order, with Pintle's additions last.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pintle_contract::{Event, EventKind};
use serde_json::{Map, Value, json};

use super::DockerValue;
use crate::docker_agent::event_def::DockerAgentVersion;

/// One key of a hook's input.
#[derive(Debug)]
pub struct DockerKey {
    pub(crate) name: &'static str,
    /// The oldest version that sends it.
    pub(crate) since: DockerAgentVersion,
    /// Whether it is sent even if it is empty.
    keeps_empty: bool,
    source: DockerKeySource,
}

/// The source of a value.
#[derive(Debug)]
enum DockerKeySource {
    /// A field of the payload, unchanged.
    Field(&'static str),
    /// Computed from the event.
    Computed(for<'a> fn(&'a Event) -> Option<DockerValue<'a>>),
}

/// The first keys of the object.
#[derive(Debug)]
pub(crate) struct ObjectOpening {
    /// The session ID.
    pub(crate) session: for<'a> fn(&'a Event) -> Cow<'a, str>,
    pub(crate) cwd: for<'a> fn(&'a Event) -> &'a str,
    /// The agent's name.
    pub(crate) agent: for<'a> fn(&'a Event) -> &'a str,
    /// Whether the first version also sends the agent's name.
    pub(crate) agent_in_g1: bool,
}

impl DockerKey {
    const fn field(name: &'static str, field: &'static str) -> Self {
        Self { name, since: DockerAgentVersion::G1, keeps_empty: false, source: DockerKeySource::Field(field) }
    }

    const fn computed(name: &'static str, make: for<'a> fn(&'a Event) -> Option<DockerValue<'a>>) -> Self {
        Self { name, since: DockerAgentVersion::G1, keeps_empty: false, source: DockerKeySource::Computed(make) }
    }

    /// Marks a key that the first version does not send.
    const fn not_in_g1(self) -> Self {
        Self { since: DockerAgentVersion::Newest, ..self }
    }

    /// Marks a key that is sent even if it is empty.
    const fn with_empty(self) -> Self {
        Self { keeps_empty: true, ..self }
    }

    /// The payload field that holds the unchanged value.
    pub(crate) fn field_name(&self) -> Option<&'static str> {
        match self.source {
            DockerKeySource::Field(field) => Some(field),
            DockerKeySource::Computed(_) => None,
        }
    }

    /// The value; `None` if the key is omitted.
    pub(crate) fn value_for<'a>(&self, event: &'a Event) -> Option<DockerValue<'a>> {
        let given = match self.source {
            DockerKeySource::Field(field) => {
                event.payload.field(field).filter(|value| !value.is_null()).map(DockerValue::Json)
            }
            DockerKeySource::Computed(make) => make(event),
        };
        given.filter(|given| self.keeps_empty || !given.is_empty())
    }
}

/// The session ID of a run. A delegated agent's ID contains the whole session ID, so that children of different
/// sessions have different IDs.
fn session_of<'a>(event: &'a Event, run: &str) -> Cow<'a, str> {
    let session = event.origin.session.as_str();
    match (session, run) {
        (session, "") => Cow::Borrowed(session),
        ("", run) => Cow::Owned(run.to_owned()),
        (session, run) => Cow::Owned(format!("{session}.{run}")),
    }
}

/// An event of one agent in its session.
pub(crate) const PLAIN: ObjectOpening = ObjectOpening {
    session: |event| session_of(event, &event.origin.run),
    cwd: |event| &event.origin.cwd,
    agent: |event| &event.origin.agent,
    agent_in_g1: false,
};

/// The same, but the first version also sends the agent's name.
pub(crate) const NAMED: ObjectOpening = ObjectOpening { agent_in_g1: true, ..PLAIN };

/// An event about a sub-agent: session and agent are the child's.
pub(crate) const CHILD: ObjectOpening = ObjectOpening {
    session: |event| session_of(event, text(event, "id")),
    agent: |event| text(event, "agent"),
    agent_in_g1: true,
    ..PLAIN
};

/// An event before the session exists: the directory is the new worktree.
pub(crate) const WORKTREE: ObjectOpening =
    ObjectOpening { session: |_| Cow::Borrowed(""), cwd: |event| text(event, "path"), agent_in_g1: true, ..PLAIN };

/// The category of a tool.
pub(crate) const CATEGORY: &[DockerKey] = &[DockerKey::field("tool_category", "category").not_in_g1()];

/// The arguments of a call. Canonical shell calls have `command`, but docker-agent's hooks look for `cmd`.
fn tool_input(event: &Event) -> Option<DockerValue<'_>> {
    let args = event.payload.field("args").and_then(Value::as_object)?;
    let is_shell = event.payload.field("name").and_then(Value::as_str) == Some("shell");
    match args.get("command") {
        Some(command) if is_shell && event.payload.field("host").is_some() && !args.contains_key("cmd") => {
            let both = args.iter().map(|(name, value)| (name.as_str(), value)).chain([("cmd", command)]);
            let sorted: BTreeMap<&str, &Value> = both.collect();
            let made = sorted.into_iter().map(|(name, value)| (name.to_owned(), value.clone()));
            Some(DockerValue::Computed(Value::Object(made.collect())))
        }
        _ => Some(DockerValue::Sorted(args)),
    }
}

pub(crate) const CALL: &[DockerKey] = &[
    DockerKey::field("tool_name", "name"),
    DockerKey::computed("tool_use_id", |event| {
        let id = [text(event, "id"), text(event, "call_id")].into_iter().find(|id| !id.is_empty())?;
        Some(DockerValue::Text(Cow::Borrowed(id)))
    }),
    DockerKey::computed("tool_input", tool_input),
    DockerKey::field("tool_read_only", "read_only").not_in_g1(),
    DockerKey::field("safety_policy", "permission_mode").not_in_g1(),
];

pub(crate) const RESULT: &[DockerKey] =
    &[DockerKey::field("tool_response", "content").with_empty(), DockerKey::field("tool_error", "is_error")];

pub(crate) const SESSION_START: &[DockerKey] = &[DockerKey::field("source", "source")];

pub(crate) const PROMPT: &[DockerKey] = &[DockerKey::field("prompt", "prompt")];

pub(crate) const STEERING: &[DockerKey] = &[DockerKey::field("steering_messages", "messages")];

pub(crate) const TURN_END: &[DockerKey] = &[DockerKey::computed("reason", |event| {
    let reason = text(event, "reason");
    Some(DockerValue::Text(Cow::Borrowed(find_word(ITERATION_REASONS, reason).unwrap_or(reason))))
})];

pub(crate) const BEFORE_CALL: &[DockerKey] = &[
    DockerKey::computed("model_id", model_id),
    DockerKey::field("iteration", "iteration"),
    DockerKey::computed("messages", messages),
];

pub(crate) const AFTER_CALL: &[DockerKey] = &[
    DockerKey::computed("model_id", model_id),
    DockerKey::field("last_user_message", "last_user_message"),
    DockerKey::field("stop_response", "text"),
    DockerKey::computed("usage", usage).not_in_g1(),
    // Absent means no price is known; 0 is free.
    DockerKey::field("cost", "cost_usd").not_in_g1().with_empty(),
];

pub(crate) const PRE_COMPACT: &[DockerKey] = &[DockerKey::field("source", "source")];

pub(crate) const COMPACTION: &[DockerKey] = &[
    DockerKey::field("input_tokens", "input_tokens"),
    DockerKey::field("output_tokens", "output_tokens"),
    DockerKey::field("context_limit", "context_limit"),
    DockerKey::field("compaction_reason", "reason"),
];

/// Pintle's addition: the messages to summarize, so that a hook can write the summary itself.
pub(crate) const COMPACTED: &[DockerKey] = &[DockerKey::computed("messages", messages).not_in_g1()];

pub(crate) const COMPACTION_SUMMARY: &[DockerKey] = &[DockerKey::field("summary", "summary")];

pub(crate) const CHILD_END: &[DockerKey] = &[
    DockerKey::field("stop_response", "response"),
    DockerKey::computed("parent_session_id", |event| Some(DockerValue::Text((PLAIN.session)(event)))),
    // Pintle's addition: `completed` or `failed`.
    DockerKey::computed("status", |event| {
        let failed = event.payload.field("is_error") == Some(&Value::Bool(true));
        Some(DockerValue::Text(Cow::Borrowed(if failed { "failed" } else { "completed" })))
    })
    .not_in_g1(),
];

/// Pintle's addition: what the user is asked for.
pub(crate) const USER_INPUT: &[DockerKey] = &[DockerKey::field("reason", "reason").not_in_g1()];

pub(crate) const STOP: &[DockerKey] =
    &[DockerKey::field("last_user_message", "last_user_message"), DockerKey::field("stop_response", "response")];

pub(crate) const NOTIFICATION: &[DockerKey] =
    &[DockerKey::field("notification_level", "level"), DockerKey::field("notification_message", "message")];

pub(crate) const ERROR: &[DockerKey] = &[
    DockerKey::computed("notification_level", |_| Some(DockerValue::Text(Cow::Borrowed("error")))),
    DockerKey::field("notification_message", "message"),
];

pub(crate) const LIMIT: &[DockerKey] = &[
    DockerKey::computed("notification_level", |_| Some(DockerValue::Text(Cow::Borrowed("warning")))),
    DockerKey::field("notification_message", "message"),
];

pub(crate) const SESSION_END: &[DockerKey] = &[DockerKey::computed("reason", |event| {
    Some(DockerValue::Text(Cow::Borrowed(find_word(END_REASONS, text(event, "reason")).unwrap_or("other"))))
})];

pub(crate) const SWITCH: &[DockerKey] = &[
    DockerKey::field("from_agent", "from"),
    DockerKey::field("to_agent", "to"),
    DockerKey::computed("agent_switch_kind", |event| {
        let kind = text(event, "kind");
        Some(DockerValue::Text(Cow::Borrowed(find_word(SWITCH_KINDS, kind).unwrap_or(kind))))
    }),
    DockerKey::computed("from_agent_models", models),
];

pub(crate) const RESUME: &[DockerKey] = &[
    DockerKey::field("previous_max_iterations", "previous_max_iterations"),
    DockerKey::field("new_max_iterations", "new_max_iterations"),
];

pub(crate) const APPROVAL: &[DockerKey] = &[
    DockerKey::field("approval_decision", "decision"),
    DockerKey::computed("approval_source", |event| {
        let (decision, detail) = (text(event, "decision"), text(event, "detail"));
        Some(DockerValue::Text(Cow::Borrowed(find_approval_source(decision, detail).unwrap_or(detail))))
    }),
    DockerKey::field("safety_label", "safety_label").not_in_g1(),
];

pub(crate) const WORKTREE_FIELDS: &[DockerKey] = &[
    DockerKey::field("worktree_path", "path"),
    DockerKey::field("worktree_branch", "branch"),
    DockerKey::field("worktree_source_dir", "source_dir"),
];

/// Why a session ends, by the catalogue's values and by those that docker-agent documents; any other is `other`.
const END_REASONS: &[(&str, &str)] = &[("done", "stream_ended"), ("exit", "prompt_input_exit"), ("clear", "clear")];

/// Why an iteration ends, where the catalogue's value and docker-agent's differ.
const ITERATION_REASONS: &[(&str, &str)] = &[
    ("cancelled", "canceled"),
    ("blocked", "hook_blocked"),
    ("loop", "loop_detected"),
    ("forced_handoff", "force_handoff"),
];

/// What settled a tool call: the decision (empty for either), the catalogue's value of `detail`, and docker-agent's
/// value.
const APPROVAL_SOURCES: &[(&str, &str, &str)] = &[
    ("", EventKind::ToolTransform.name(), "tool_input_transform_deny"),
    ("", EventKind::ToolGuard.name(), "tool_guard_deny"),
    ("allow", EventKind::ToolPre.name(), "pre_tool_use_hook_allow"),
    ("deny", EventKind::ToolPre.name(), "pre_tool_use_hook_deny"),
    ("allow", EventKind::PermissionAsk.name(), "permission_request_hook_allow"),
    ("deny", EventKind::PermissionAsk.name(), "permission_request_hook_deny"),
    ("allow", "rule", "team_permissions_allow"),
    ("deny", "rule", "team_permissions_deny"),
    ("", "undeclared", "mode_legacy"),
    ("", "read_only", "readonly_hint"),
    ("", "balanced", "mode_balanced"),
    ("", "restricted", "mode_restricted"),
    ("", "autonomous", "yolo"),
    ("deny", "once", "user_rejected"),
    ("", "once", "user_approved"),
    ("", "tool", "user_approved_tool"),
    ("", "session", "user_approved_session"),
    ("", "earlier", "session_permissions_allow"),
    ("", "unavailable", "non_interactive_deny"),
    ("", "cancelled", "context_canceled"),
];

/// How the conversation moves to another agent, by the catalogue's values and by docker-agent's.
const SWITCH_KINDS: &[(&str, &str)] = &[
    ("delegation", "transfer_task"),
    ("delegation_return", "transfer_task_return"),
    ("handoff", "handoff"),
    ("forced_handoff", "force_handoff"),
];

/// The catalogue's value for a docker-agent value; `None` if they are the same.
pub(crate) fn canonical_word(key: &str, event: EventKind, theirs: &str) -> Option<&'static str> {
    let words = match (key, event) {
        ("reason", EventKind::IterationEnd) => ITERATION_REASONS,
        ("reason", _) => END_REASONS,
        ("agent_switch_kind", _) => SWITCH_KINDS,
        ("approval_source", _) => {
            let source = APPROVAL_SOURCES.iter().find(|(.., word)| *word == theirs);
            return source.map(|(_, canonical, _)| *canonical);
        }
        _ => return None,
    };
    words.iter().find(|(_, word)| *word == theirs).map(|(canonical, _)| *canonical)
}

fn find_approval_source(decision: &str, detail: &str) -> Option<&'static str> {
    let is_source = |(decided, basis, _): &&(&str, &str, &str)| *basis == detail && [decision, ""].contains(decided);
    APPROVAL_SOURCES.iter().find(is_source).map(|(.., word)| *word)
}

fn find_word(words: &[(&str, &'static str)], canonical: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == canonical).map(|(_, word)| *word)
}

fn text<'a>(event: &'a Event, field: &str) -> &'a str {
    event.payload.field(field).and_then(Value::as_str).unwrap_or_default()
}

fn model_id(event: &Event) -> Option<DockerValue<'_>> {
    let (provider, model) = (text(event, "provider"), text(event, "model"));
    Some(DockerValue::Text(if provider.is_empty() || model.is_empty() {
        Cow::Borrowed(model)
    } else {
        Cow::Owned(format!("{provider}/{model}"))
    }))
}

fn messages(event: &Event) -> Option<DockerValue<'_>> {
    event.payload.field("messages").and_then(Value::as_array).map(|messages| DockerValue::Messages(messages))
}

/// The token usage of the call; `None` if the provider reported none.
fn usage(event: &Event) -> Option<DockerValue<'_>> {
    let counts = event.payload.field("usage")?.as_object()?;
    let count = |name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or(0);
    if count("input_tokens") == 0 && count("output_tokens") == 0 {
        return None;
    }
    let mut usage = Map::new();
    for name in ["input_tokens", "output_tokens", "cached_input_tokens", "cached_write_tokens"] {
        usage.insert(name.to_owned(), json!(count(name)));
    }
    if count("reasoning_tokens") > 0 {
        usage.insert(String::from("reasoning_tokens"), json!(count("reasoning_tokens")));
    }
    Some(DockerValue::Computed(Value::Object(usage)))
}

fn models(event: &Event) -> Option<DockerValue<'_>> {
    let models = event.payload.field("from_models")?.as_array()?;
    let in_docker_agent = |model: &Value| {
        let keys =
            [("provider", "provider"), ("model", "model"), ("base_url", "base_url"), ("unload_api", "unload_url")];
        let given = keys.iter().filter_map(|(key, field)| Some(((*key).to_owned(), model.get(field)?.clone())));
        given.filter(|(_, value)| value.as_str().is_some_and(|text| !text.is_empty())).collect::<Value>()
    };
    Some(DockerValue::Computed(models.iter().map(in_docker_agent).collect()))
}
