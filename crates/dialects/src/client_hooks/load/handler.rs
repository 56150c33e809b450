//! One handler.

mod carried;
mod command;
mod http;
mod prompt;

use std::sync::Arc;

use pintle_contract::{
    Codec, EnforcementMode, EventName, FailurePolicy, HandlerSpec, HookDeclaration, MatcherSpec, Profile, Severity,
};
use serde_json::json;

use super::document::Whole;
use super::settings::Kind;
use super::{Source, tell};
use crate::client_hooks::codec::ClientCodec;
use crate::client_hooks::matcher::{Condition, Pattern, Wanted};
use crate::client_hooks::row::Row;
use crate::document::{self, Node};
use carried::Carried;

/// What the handlers of a list have in common.
#[derive(Debug, Clone)]
pub(super) struct Around<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) whole: &'a Whole,
    pub(super) row: &'static Row,
    pub(super) profile: Profile,
    pub(super) pattern: Option<Pattern>,
}

/// What every handler may say.
#[derive(Debug)]
struct Options {
    name: Option<String>,
    timeout_ms: u64,
    background: bool,
    on_error: Option<FailurePolicy>,
    needs_answer: bool,
    needs_json: bool,
    condition: Option<Condition>,
    files: Vec<String>,
}

/// The longest name that is made of what a hook runs, in letters.
const LONGEST_NAME: usize = 60;

/// Reads one handler: a declaration for each event of the catalogue that its event is. Nothing when it cannot be carried
/// over, which is told.
pub(super) fn read(around: &Around<'_>, path: &str, node: &Node) -> Vec<HookDeclaration> {
    let Around { source, row, .. } = around;
    if !matches!(node.kind, document::Kind::Map(_)) {
        let message = format!("the hook {path} must be an object, not {}", node.describe());
        let help = Some(String::from("write `{\"type\": \"command\", \"command\": \"..\"}`"));
        source.report.value_error("wrong_type", &message, node.span, help);
        return Vec::new();
    }
    let mut carried = Carried::new(around, path, node);
    let Some(kind) = kind(&mut carried) else { return Vec::new() };
    let spec = match kind {
        Kind::Command => command::read(&mut carried).map(HandlerSpec::Command),
        Kind::Http => http::read(&mut carried, around.whole).map(HandlerSpec::Http),
        Kind::Prompt => prompt::read(&mut carried, source.client.settings.judge).map(HandlerSpec::Model),
        Kind::Lost(_) => None,
    };
    let options = options(&mut carried, kind, row);
    carried.finish();
    let (Some(handler), Some(options)) = (spec, options) else { return Vec::new() };
    // Otherwise asking the hooks would be one of the hooks.
    if matches!(&handler, HandlerSpec::Command(spec) if command::is_own(&spec.command)) {
        return Vec::new();
    }
    let is_off = |name: &str| around.whole.disabled.iter().any(|disabled| disabled == name);
    let runs = runs(&handler);
    if is_off(&runs) || options.name.as_deref().is_some_and(is_off) {
        return Vec::new();
    }
    let names = std::iter::once(row.canonical).chain(row.also.iter().copied());
    names.filter_map(|name| declare(around, node, &options, handler.clone(), &runs, name)).collect()
}

/// The kind of a handler; `None` for one that is not carried over, or that cannot be told, which is reported.
fn kind(carried: &mut Carried<'_>) -> Option<Kind> {
    let kinds = carried.client().settings.kinds;
    let Some(node) = carried.fields.node("type") else { return kinds.first().map(|(_, kind)| *kind) };
    let words: Vec<(&str, Kind)> = kinds.to_vec();
    let kind = carried.fields.choice("type", &words)?;
    if let Kind::Lost(why) = kind {
        let word = node.as_text().unwrap_or_default();
        let what = format!("the `{word}` hook of `{}`", carried.row().name);
        tell::lost(carried.source(), Severity::Warning, &what, why, carried.place());
        return None;
    }
    Some(kind)
}

/// What stands beside the kind's own fields. `None` when the hook never runs, which is told.
fn options(carried: &mut Carried<'_>, kind: Kind, row: &'static Row) -> Option<Options> {
    let settings = &carried.client().settings;
    let written = carried.number("timeout").or_else(|| carried.number("timeoutSec"));
    let default_ms = match kind {
        Kind::Http => settings.http_ms,
        Kind::Prompt => settings.prompt_ms,
        Kind::Command | Kind::Lost(_) => settings.command_ms,
    };
    let timeout_ms = written.map_or(row.timeout_ms.unwrap_or(default_ms), |written| settings.milliseconds(written));
    let wakes = carried.boolean("asyncRewake");
    let background = carried.boolean("async").or(wakes).unwrap_or(false);
    let on_error = carried.choice("onFailure", &[("block", FailurePolicy::Closed), ("continue", FailurePolicy::Open)]);
    let needs_answer = carried.boolean("failClosed").unwrap_or(false);
    let condition = match carried.text("if") {
        None => None,
        Some(_) if !row.is_tool => {
            let message = format!("`if` is for tool calls, so a hook on `{}` that has one never runs", row.name);
            carried.idle("misplaced_key", message, "if", "remove the condition");
            return None;
        }
        Some(text) => condition(carried, &text),
    };
    // A server that answers with a page, such as that of a proxy, has not answered.
    let needs_json = kind == Kind::Http && on_error == Some(FailurePolicy::Closed);
    let on_error = if needs_answer { Some(FailurePolicy::Closed) } else { on_error };
    let files = carried.fields.texts("files");
    Some(Options {
        name: carried.text("name"),
        timeout_ms,
        background,
        on_error,
        needs_answer,
        needs_json,
        condition,
        files,
    })
}

fn condition(carried: &mut Carried<'_>, text: &str) -> Option<Condition> {
    match Condition::new(text) {
        Ok(condition) => {
            if !condition.is_understood() {
                let message =
                    format!("what is in the brackets of `{text}` means nothing here; every call of the tool fits");
                carried.idle("bad_condition", message, "if", "leave the brackets out");
            }
            Some(condition)
        }
        Err(why) => {
            let message = format!("the condition `{text}` cannot be read: {why}; the hook is asked every time");
            carried.idle("bad_condition", message, "if", "write a tool and what it is for, as in `Bash(git *)`");
            None
        }
    }
}

fn declare(
    around: &Around<'_>,
    node: &Node,
    options: &Options,
    handler: HandlerSpec,
    runs: &str,
    canonical: &str,
) -> Option<HookDeclaration> {
    let Around { source, row, .. } = *around;
    let Options { timeout_ms, background, on_error, needs_answer, needs_json, .. } = *options;
    let condition = options.condition.as_ref().map(Condition::written);
    let definition = json!([definition(&handler), condition, timeout_ms, background, needs_answer]);
    let wanted = Wanted {
        row,
        pattern: around.pattern.clone(),
        condition: options.condition.clone(),
        second_names: source.client.settings.second_names,
    };
    let codec: Arc<dyn Codec> = Arc::new(ClientCodec { needs_answer, needs_json, ..source.codec.clone() });
    Some(HookDeclaration {
        name: options.name.clone().unwrap_or_else(|| runs.to_owned()),
        event: EventName::parse(canonical).ok()?,
        event_alias: Arc::from(row.name),
        priority: 0,
        matcher: wanted.into_matcher().map(MatcherSpec::Compiled),
        handler,
        on_error,
        default_on_error: if row.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Open },
        on_deny: row.on_deny,
        profile: around.profile,
        definition: Some(Arc::from(definition.to_string())),
        mode: EnforcementMode::Enforce,
        timeout_ms: Some(timeout_ms),
        background,
        files: options.files.clone(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: source.report.location(tell::first_line(source, node.span)),
        codec,
    })
}

/// What makes a handler another one.
fn definition(handler: &HandlerSpec) -> serde_json::Value {
    match handler {
        HandlerSpec::Command(spec) => {
            json!(["command", spec.command, spec.arguments, spec.shell, spec.environment, spec.directory])
        }
        HandlerSpec::Http(spec) => json!(["http", spec.url, spec.headers, spec.allowed_environment]),
        HandlerSpec::Model(spec) => json!(["prompt", spec.model, spec.prompt]),
        _ => serde_json::Value::Null,
    }
}

/// What a handler runs, in one short line for people.
fn runs(handler: &HandlerSpec) -> String {
    let text = match handler {
        HandlerSpec::Command(spec) => {
            let arguments = spec.arguments.iter().flatten().map(String::as_str);
            std::iter::once(spec.command.as_str()).chain(arguments).collect::<Vec<_>>().join(" ")
        }
        HandlerSpec::Http(spec) => spec.url.clone(),
        HandlerSpec::Model(spec) => prompt::question(&spec.prompt),
        _ => String::new(),
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let short: String = line.chars().take(LONGEST_NAME).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
