//! The modules of code that Pintle installs in agents that run no hook commands: a part that is the same in all, and one
//! of each agent.

use pintle_contract::event::json_to_text;
use pintle_contract::{Decision, EventKind};
use pintle_tools::ToolVocabulary;
use serde_json::{Value, json};

use crate::event_def::unchanged_context;
use crate::host::{HookJsonResponse, HostDecision, HostEventKind, HostResponse, HostSupport, ResponseContext};
use crate::install::InstalledEntry;
use crate::matcher::MatcherSyntax;
use crate::{ClientDef, ClientEventDef, ClientKey, PayloadStyle};

/// What every module has: the table, how a command is run, and what is an answer.
const SHARED: &str = include_str!("plugin.js");
/// The line in whose place the table is.
const TABLE: &str = "//HOOKS\n";

/// The module of an agent with these entries, one a line.
pub(crate) fn write_module(host: &ClientDef, entries: &[InstalledEntry], body: &str) -> String {
    let line = |entry: &InstalledEntry| {
        let is_guard = host.find_event(&entry.event).is_some_and(|def| def.is_guard);
        let hook = json!({"command": entry.command, "timeoutMs": entry.timeout_ms, "guard": is_guard});
        format!("  {}: {hook},\n", json!(entry.event))
    };
    let shared = SHARED.replacen(TABLE, &entries.iter().map(line).collect::<String>(), 1);
    let (title, name) = (host.title, host.name);
    format!(
        "// Pintle's hooks for {title}. `pintle install {name}` writes this file, and `pintle uninstall {name}` removes it.\n\
         const AGENT = {};\n{shared}\n{body}",
        json!(name)
    )
}

/// The shape of a module's payloads, with the keys of its context.
pub(crate) const fn module_style(
    tools: &'static ToolVocabulary,
    read_keys: &'static [&'static [ClientKey]],
) -> PayloadStyle {
    PayloadStyle {
        base: &[],
        tools,
        matcher: MatcherSyntax::Expression,
        response: |_| Value::Null,
        read_keys,
        adjust_context: unchanged_context,
    }
}

/// What the events of a module have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModuleEvents {
    pub(crate) style: &'static PayloadStyle,
    /// What is supported at an event that can only be observed.
    pub(crate) support: &'static HostSupport,
}

impl ModuleEvents {
    /// An event that waits for no permission.
    pub(crate) const fn event(
        self,
        name: &'static str,
        kind: HostEventKind,
        fires: &'static [EventKind],
        read_keys: &'static [ClientKey],
    ) -> ClientEventDef {
        ClientEventDef { name, kind, fires, read_keys, ..ClientEventDef::observe_only(self.style) }
            .answered(self.support, write_answer)
    }

    /// An event that waits for permission.
    pub(crate) const fn guard(
        self,
        name: &'static str,
        kind: HostEventKind,
        fires: &'static [EventKind],
        read_keys: &'static [ClientKey],
    ) -> ClientEventDef {
        ClientEventDef { is_guard: true, ..self.event(name, kind, fires, read_keys) }
    }
}

/// The event's name in a module's payload.
pub(crate) fn event_name(payload: &Value) -> Option<&str> {
    payload.get("hook").and_then(Value::as_str)
}

/// Writes a decision as the modules read it: one JSON object and status 0. An event that waits for permission always has
/// a decision.
pub(crate) fn write_answer(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let word = match decision.decision {
        Decision::Deny => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Allow => context.event_def.is_guard.then_some("allow"),
    };
    // A prompt is a text, and a call has arguments.
    let (prompt, args) = match &decision.input {
        Some(Value::String(text)) => (Some(text.as_str()), None),
        changed => (None, changed.clone()),
    };
    HookJsonResponse::new(context)
        .with_top_field("decision", word)
        .with_top_field("reason", Some(decision.reason.as_str()).filter(|_| decision.decision != Decision::Allow))
        .with_top_field("args", args)
        .with_top_field("prompt", prompt)
        .with_top_field("output", decision.output.as_ref().map(json_to_text))
        .with_top_field("stop", decision.stop.as_deref())
        .with_top_field("context", decision.context_text())
        .with_top_field("notice", decision.notice_text())
        .into_response()
}
