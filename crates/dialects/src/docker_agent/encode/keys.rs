//! The keys of the object on standard input, in the order in which docker-agent writes them.
//!
//! A key is left out when its value is empty, unless it says otherwise. The keys of a row of
//! [`ROWS`](crate::docker_agent::ROWS) stand in the order of docker-agent's own list, with Pintle's additions last.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pintle_contract::Event;
use serde_json::{Map, Value, json};

use super::Given;
use crate::docker_agent::Compat;

/// One key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// The oldest version that sends it.
    pub(crate) since: Compat,
    /// Whether it is sent although it is empty.
    keeps_empty: bool,
    source: Source,
}

/// Where a value comes from.
#[derive(Debug)]
enum Source {
    /// A field of the payload, as it is.
    Field(&'static str),
    /// Made of the event.
    Made(for<'a> fn(&'a Event) -> Option<Given<'a>>),
}

/// How the object begins.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The session.
    pub(crate) session: for<'a> fn(&'a Event) -> Cow<'a, str>,
    /// The working directory.
    pub(crate) cwd: for<'a> fn(&'a Event) -> &'a str,
    /// The agent.
    pub(crate) agent: for<'a> fn(&'a Event) -> &'a str,
    /// Whether the first version sends the agent's name too.
    pub(crate) agent_in_g1: bool,
}

impl Key {
    const fn field(name: &'static str, field: &'static str) -> Self {
        Self { name, since: Compat::G1, keeps_empty: false, source: Source::Field(field) }
    }

    const fn made(name: &'static str, make: for<'a> fn(&'a Event) -> Option<Given<'a>>) -> Self {
        Self { name, since: Compat::G1, keeps_empty: false, source: Source::Made(make) }
    }

    /// A key that the first version does not send.
    const fn newer(self) -> Self {
        Self { since: Compat::Newest, ..self }
    }

    /// A key that is sent although it is empty.
    const fn kept(self) -> Self {
        Self { keeps_empty: true, ..self }
    }

    /// The field of the payload that holds the value as it is.
    pub(crate) fn field_name(&self) -> Option<&'static str> {
        match self.source {
            Source::Field(field) => Some(field),
            Source::Made(_) => None,
        }
    }

    /// The value, unless it is left out.
    pub(crate) fn of<'a>(&self, event: &'a Event) -> Option<Given<'a>> {
        let given = match self.source {
            Source::Field(field) => event.payload.field(field).filter(|value| !value.is_null()).map(Given::Json),
            Source::Made(make) => make(event),
        };
        given.filter(|given| self.keeps_empty || !given.is_empty())
    }
}

/// The session of a run: that of a delegated agent is named after the whole session, so that no two sessions have children
/// of the same name.
fn session_of<'a>(event: &'a Event, run: &str) -> Cow<'a, str> {
    let session = event.origin.session.as_str();
    match (session, run) {
        (session, "") => Cow::Borrowed(session),
        ("", run) => Cow::Owned(run.to_owned()),
        (session, run) => Cow::Owned(format!("{session}.{run}")),
    }
}

/// An event of one agent in its session.
pub(crate) const PLAIN: Opening = Opening {
    session: |event| session_of(event, &event.origin.run),
    cwd: |event| &event.origin.cwd,
    agent: |event| &event.origin.agent,
    agent_in_g1: false,
};

/// The same where the first version names the agent too.
pub(crate) const NAMED: Opening = Opening { agent_in_g1: true, ..PLAIN };

/// An event about a sub-agent: session and agent are the child's.
pub(crate) const CHILD: Opening = Opening {
    session: |event| session_of(event, text(event, "id")),
    agent: |event| text(event, "agent"),
    agent_in_g1: true,
    ..PLAIN
};

/// An event before there is a session: the directory is the new working tree.
pub(crate) const WORKTREE: Opening =
    Opening { session: |_| Cow::Borrowed(""), cwd: |event| text(event, "path"), agent_in_g1: true, ..PLAIN };

/// The group of a tool.
pub(crate) const CATEGORY: &[Key] = &[Key::field("tool_category", "category").newer()];

/// The arguments of a call. A shell command of another agent is called `command`, and docker-agent's hooks look for `cmd`.
fn tool_input(event: &Event) -> Option<Given<'_>> {
    let args = event.payload.field("args").and_then(Value::as_object)?;
    let is_shell = event.payload.field("name").and_then(Value::as_str) == Some("shell");
    match args.get("command") {
        Some(command) if is_shell && event.payload.field("host").is_some() && !args.contains_key("cmd") => {
            let both = args.iter().map(|(name, value)| (name.as_str(), value)).chain([("cmd", command)]);
            let sorted: BTreeMap<&str, &Value> = both.collect();
            let made = sorted.into_iter().map(|(name, value)| (name.to_owned(), value.clone()));
            Some(Given::Made(Value::Object(made.collect())))
        }
        _ => Some(Given::Sorted(args)),
    }
}

/// A tool call.
pub(crate) const CALL: &[Key] = &[
    Key::field("tool_name", "name"),
    Key::made("tool_use_id", |event| {
        let id = [text(event, "id"), text(event, "call_id")].into_iter().find(|id| !id.is_empty())?;
        Some(Given::Text(Cow::Borrowed(id)))
    }),
    Key::made("tool_input", tool_input),
    Key::field("tool_read_only", "read_only").newer(),
    Key::field("safety_policy", "permission_mode").newer(),
];

/// The result of a tool call.
pub(crate) const RESULT: &[Key] =
    &[Key::field("tool_response", "content").kept(), Key::field("tool_error", "is_error")];

pub(crate) const SESSION_START: &[Key] = &[Key::field("source", "source")];

pub(crate) const PROMPT: &[Key] = &[Key::field("prompt", "prompt")];

pub(crate) const STEERING: &[Key] = &[Key::field("steering_messages", "messages")];

pub(crate) const TURN_END: &[Key] = &[Key::field("reason", "reason")];

pub(crate) const BEFORE_CALL: &[Key] =
    &[Key::made("model_id", model_id), Key::field("iteration", "iteration"), Key::made("messages", messages)];

pub(crate) const AFTER_CALL: &[Key] = &[
    Key::made("model_id", model_id),
    Key::field("last_user_message", "last_user_message"),
    Key::field("stop_response", "text"),
    Key::made("usage", usage).newer(),
    // Absent is not priced; 0 is free.
    Key::field("cost", "cost_usd").newer().kept(),
];

pub(crate) const PRE_COMPACT: &[Key] = &[Key::field("source", "source")];

pub(crate) const COMPACTION: &[Key] = &[
    Key::field("input_tokens", "input_tokens"),
    Key::field("output_tokens", "output_tokens"),
    Key::field("context_limit", "context_limit"),
    Key::field("compaction_reason", "reason"),
];

/// An addition: what is about to be summed up, so that a hook can write the summary itself.
pub(crate) const COMPACTED: &[Key] = &[Key::made("messages", messages).newer()];

pub(crate) const COMPACTION_SUMMARY: &[Key] = &[Key::field("summary", "summary")];

pub(crate) const CHILD_END: &[Key] = &[
    Key::field("stop_response", "response"),
    Key::made("parent_session_id", |event| Some(Given::Text((PLAIN.session)(event)))),
    // An addition: `completed` or `failed`.
    Key::made("status", |event| {
        let failed = event.payload.field("is_error") == Some(&Value::Bool(true));
        Some(Given::Text(Cow::Borrowed(if failed { "failed" } else { "completed" })))
    })
    .newer(),
];

/// An addition: what the person is asked for.
pub(crate) const USER_INPUT: &[Key] = &[Key::field("reason", "reason").newer()];

pub(crate) const STOP: &[Key] =
    &[Key::field("last_user_message", "last_user_message"), Key::field("stop_response", "response")];

pub(crate) const NOTIFICATION: &[Key] =
    &[Key::field("notification_level", "level"), Key::field("notification_message", "message")];

pub(crate) const ERROR: &[Key] = &[
    Key::made("notification_level", |_| Some(Given::Text(Cow::Borrowed("error")))),
    Key::field("notification_message", "message"),
];

pub(crate) const LIMIT: &[Key] = &[
    Key::made("notification_level", |_| Some(Given::Text(Cow::Borrowed("warning")))),
    Key::field("notification_message", "message"),
];

pub(crate) const SESSION_END: &[Key] = &[Key::made("reason", |event| {
    Some(Given::Text(Cow::Borrowed(word(END_REASONS, text(event, "reason")).unwrap_or("other"))))
})];

pub(crate) const SWITCH: &[Key] = &[
    Key::field("from_agent", "from"),
    Key::field("to_agent", "to"),
    Key::made("agent_switch_kind", |event| {
        let kind = text(event, "kind");
        Some(Given::Text(Cow::Borrowed(word(SWITCH_KINDS, kind).unwrap_or(kind))))
    }),
    Key::made("from_agent_models", models),
];

pub(crate) const RESUME: &[Key] = &[
    Key::field("previous_max_iterations", "previous_max_iterations"),
    Key::field("new_max_iterations", "new_max_iterations"),
];

pub(crate) const APPROVAL: &[Key] = &[
    Key::field("approval_decision", "decision"),
    Key::field("approval_source", "detail"),
    Key::field("safety_label", "safety_label").newer(),
];

pub(crate) const WORKTREE_FIELDS: &[Key] = &[
    Key::field("worktree_path", "path"),
    Key::field("worktree_branch", "branch"),
    Key::field("worktree_source_dir", "source_dir"),
];

/// Why a session ends, in the catalogue's words and in those that docker-agent documents; any other is `other`.
const END_REASONS: &[(&str, &str)] = &[("done", "stream_ended"), ("exit", "prompt_input_exit"), ("clear", "clear")];

/// How the conversation goes to another agent, in the catalogue's words and in docker-agent's.
const SWITCH_KINDS: &[(&str, &str)] = &[
    ("delegation", "transfer_task"),
    ("delegation_return", "transfer_task_return"),
    ("handoff", "handoff"),
    ("forced_handoff", "force_handoff"),
];

/// The catalogue's word for one that docker-agent has of its own; `None` when they are the same.
pub(crate) fn canonical_word(key: &str, theirs: &str) -> Option<&'static str> {
    let words = match key {
        "reason" => END_REASONS,
        "agent_switch_kind" => SWITCH_KINDS,
        _ => return None,
    };
    words.iter().find(|(_, word)| *word == theirs).map(|(canonical, _)| *canonical)
}

fn word(words: &[(&str, &'static str)], canonical: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == canonical).map(|(_, word)| *word)
}

fn text<'a>(event: &'a Event, field: &str) -> &'a str {
    event.payload.field(field).and_then(Value::as_str).unwrap_or_default()
}

fn model_id(event: &Event) -> Option<Given<'_>> {
    let (provider, model) = (text(event, "provider"), text(event, "model"));
    Some(Given::Text(if provider.is_empty() || model.is_empty() {
        Cow::Borrowed(model)
    } else {
        Cow::Owned(format!("{provider}/{model}"))
    }))
}

fn messages(event: &Event) -> Option<Given<'_>> {
    event.payload.field("messages").and_then(Value::as_array).map(|messages| Given::Messages(messages))
}

/// The tokens of the call; nothing when the provider counted none.
fn usage(event: &Event) -> Option<Given<'_>> {
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
    Some(Given::Made(Value::Object(usage)))
}

fn models(event: &Event) -> Option<Given<'_>> {
    let models = event.payload.field("from_models")?.as_array()?;
    let in_docker_agent = |model: &Value| {
        let keys =
            [("provider", "provider"), ("model", "model"), ("base_url", "base_url"), ("unload_api", "unload_url")];
        let given = keys.iter().filter_map(|(key, field)| Some(((*key).to_owned(), model.get(field)?.clone())));
        given.filter(|(_, value)| value.as_str().is_some_and(|text| !text.is_empty())).collect::<Value>()
    };
    Some(Given::Made(models.iter().map(in_docker_agent).collect()))
}
