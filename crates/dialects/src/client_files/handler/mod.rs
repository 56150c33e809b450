//! Reads one handler.

mod command;
mod fields;
mod http;
mod prompt;

use std::sync::Arc;

use pintle_contract::{Codec, EventKind, FailurePolicy, HandlerSpec, HookDeclaration, MatcherSpec, Profile, Severity};
use serde_json::json;

use super::document::FileOptions;
use super::{ClientSource, diagnostics};
use crate::document::DocNode;
use crate::words::read_failure_words;
use fields::HandlerFields;
use pintle_clients::ClientCodec;
use pintle_clients::ClientEventDef;
use pintle_clients::ClientHandlerKind;
use pintle_clients::matcher::{ClientMatcher, PermissionCondition, SubjectPattern};

/// The context that the handlers of a list share.
#[derive(Debug, Clone)]
pub(super) struct HandlerContext<'a> {
    pub(super) source: &'a ClientSource<'a>,
    pub(super) file_options: &'a FileOptions,
    pub(super) def: &'static ClientEventDef,
    pub(super) profile: Profile,
    pub(super) pattern: Option<SubjectPattern>,
}

/// The options that every handler may have.
#[derive(Debug)]
struct HandlerOptions {
    name: Option<String>,
    timeout_ms: u64,
    background: bool,
    on_error: Option<FailurePolicy>,
    needs_answer: bool,
    needs_json: bool,
    condition: Option<PermissionCondition>,
    files: Vec<String>,
}

/// A timeout below this is too short for any program.
const SUSPICIOUS_TIMEOUT_MS: u64 = 100;
/// The maximum length of a name derived from the command, in characters.
const LONGEST_NAME: usize = 60;

/// Reads one handler: one declaration for each catalogue event of its event. Empty if it is not supported, which is
/// reported.
pub(super) fn read(context: &HandlerContext<'_>, path: &str, node: &DocNode) -> Vec<HookDeclaration> {
    let HandlerContext { source, def: row, .. } = context;
    let help = "write `{\"type\": \"command\", \"command\": \"..\"}`";
    if source.report.entries(format_args!("the hook {path}"), "an object", node, help).is_none() {
        return Vec::new();
    }
    let mut carried = HandlerFields::new(context, path, node);
    let Some(kind) = read_kind(&mut carried) else { return Vec::new() };
    let spec = match kind {
        ClientHandlerKind::Command => {
            command::read(&mut carried, &context.file_options.environment).map(HandlerSpec::Command)
        }
        ClientHandlerKind::Http => http::read(&mut carried, context.file_options).map(HandlerSpec::Http),
        ClientHandlerKind::Prompt => prompt::read(&mut carried, source.client.settings.judge).map(HandlerSpec::Model),
        ClientHandlerKind::NotCarriedOver(_) => None,
    };
    let options = read_options(&mut carried, kind, row);
    carried.finish();
    let (Some(handler), Some(options)) = (spec, options) else { return Vec::new() };
    // Skips Pintle's own commands: otherwise dispatching the hooks would be one of the hooks.
    if matches!(&handler, HandlerSpec::Command(spec) if command::is_pintle_command(&spec.command)) {
        return Vec::new();
    }
    let is_off = |name: &str| context.file_options.disabled.iter().any(|disabled| disabled == name);
    let runs = describe_command(&handler);
    if is_off(&runs) || options.name.as_deref().is_some_and(is_off) {
        return Vec::new();
    }
    let kinds = row.canonical.into_iter().chain(row.also_canonical.iter().copied());
    kinds.map(|kind| declare(context, node, &options, handler.clone(), &runs, kind)).collect()
}

/// The kind of a handler; `None` if it is unsupported or unknown, which is reported.
fn read_kind(fields: &mut HandlerFields<'_>) -> Option<ClientHandlerKind> {
    let kinds = fields.client().settings.kinds;
    let Some(node) = fields.fields.node("type") else { return kinds.first().map(|(_, kind)| *kind) };
    let words: Vec<(&str, ClientHandlerKind)> = kinds.to_vec();
    let kind = fields.fields.choice("type", &words)?;
    if let ClientHandlerKind::NotCarriedOver(reason) = kind {
        let word = node.as_text().unwrap_or_default();
        let what = format!("the `{word}` hook of `{}`", fields.def().name);
        diagnostics::not_carried_over(fields.source(), Severity::Warning, &what, reason, fields.first_line());
        return None;
    }
    Some(kind)
}

/// Reads the options that all kinds share. `None` if the hook can never run, which is reported.
fn read_options(
    fields: &mut HandlerFields<'_>,
    kind: ClientHandlerKind,
    def: &'static ClientEventDef,
) -> Option<HandlerOptions> {
    let settings = &fields.client().settings;
    let written = fields.number("timeout").or_else(|| fields.number("timeoutSec"));
    let default_ms = match kind {
        ClientHandlerKind::Http => settings.http_ms,
        ClientHandlerKind::Prompt => settings.prompt_ms,
        ClientHandlerKind::Command | ClientHandlerKind::NotCarriedOver(_) => settings.command_ms,
    };
    // No client means that the hook has no time.
    let written = written.filter(|written| *written > 0.0).map(|written| settings.to_milliseconds(written));
    let timeout_ms = written.unwrap_or(def.timeout_ms.unwrap_or(default_ms));
    if timeout_ms < SUSPICIOUS_TIMEOUT_MS {
        let key = if fields.fields.node("timeout").is_some() { "timeout" } else { "timeoutSec" };
        let message = format!("the hook has only {timeout_ms} ms; it is then ended, and has failed");
        fields.warn_no_effect("short_timeout", message, key, "leave it out to use the default");
    }
    let wakes = fields.boolean("asyncRewake");
    let background = fields.boolean("async").or(wakes).unwrap_or(false);
    let on_error = read_failure_words(&mut fields.fields);
    // Cursor's hooks must answer then, too.
    let needs_answer = fields.boolean("failClosed").unwrap_or(false);
    let condition = match fields.text("if") {
        None => None,
        Some(_) if !def.is_tool => {
            let message = format!("`if` applies to tool calls only, so a hook with `if` on `{}` never runs", def.name);
            fields.warn_no_effect("misplaced_key", message, "if", "remove the condition");
            return None;
        }
        Some(text) => read_condition(fields, &text),
    };
    // An HTML page, such as a proxy's error page, is not an answer.
    let needs_json = kind == ClientHandlerKind::Http && on_error == Some(FailurePolicy::Closed);
    let files = fields.fields.texts("files");
    Some(HandlerOptions {
        name: fields.text("name"),
        timeout_ms,
        background,
        on_error,
        needs_answer,
        needs_json,
        condition,
        files,
    })
}

fn read_condition(fields: &mut HandlerFields<'_>, text: &str) -> Option<PermissionCondition> {
    match PermissionCondition::new(text) {
        Ok(condition) => {
            if !condition.has_known_subject() {
                let message = format!(
                    "Pintle ignores the part of `{text}` in parentheses; the condition matches every call of the tool"
                );
                fields.warn_no_effect("bad_condition", message, "if", "remove the parentheses");
            }
            Some(condition)
        }
        Err(reason) => {
            let message = format!("the condition `{text}` is invalid: {reason}; the hook runs every time");
            fields.warn_no_effect(
                "bad_condition",
                message,
                "if",
                "write a tool name and a pattern, for example `Bash(git *)`",
            );
            None
        }
    }
}

fn declare(
    context: &HandlerContext<'_>,
    node: &DocNode,
    options: &HandlerOptions,
    handler: HandlerSpec,
    runs: &str,
    kind: EventKind,
) -> HookDeclaration {
    let HandlerContext { source, def: row, .. } = *context;
    let HandlerOptions { timeout_ms, background, on_error, needs_answer, needs_json, .. } = *options;
    let condition = options.condition.as_ref().map(PermissionCondition::text);
    let definition = json!([handler_definition(&handler), condition, timeout_ms, background, needs_answer]);
    let wanted = ClientMatcher {
        def: row,
        pattern: context.pattern.clone(),
        condition: options.condition.clone(),
        alternate_names: source.client.settings.alternate_names,
    };
    let codec: Arc<dyn Codec> = Arc::new(ClientCodec { needs_answer, needs_json, ..source.codec.clone() });
    let name = options.name.clone().unwrap_or_else(|| runs.to_owned());
    let location = source.report.location(source.report.first_line(node.span));
    HookDeclaration {
        event_alias: Arc::from(row.name),
        matcher: wanted.into_matcher().map(MatcherSpec::Compiled),
        on_error,
        default_on_error: if row.fails_closed { FailurePolicy::Closed } else { FailurePolicy::Open },
        on_deny: row.on_deny,
        profile: context.profile,
        definition: Some(Arc::from(definition.to_string())),
        timeout_ms: Some(timeout_ms),
        background,
        files: options.files.clone(),
        ..HookDeclaration::new(name, kind.into(), handler, location, codec)
    }
}

/// What distinguishes one handler from another.
fn handler_definition(handler: &HandlerSpec) -> serde_json::Value {
    match handler {
        HandlerSpec::Command(spec) => {
            json!(["command", spec.command, spec.arguments, spec.shell, spec.environment, spec.directory])
        }
        HandlerSpec::Http(spec) => json!(["http", spec.url, spec.headers, spec.allowed_environment]),
        HandlerSpec::Model(spec) => json!(["prompt", spec.model, spec.prompt]),
        _ => serde_json::Value::Null,
    }
}

/// A one-line description of what a handler runs.
fn describe_command(handler: &HandlerSpec) -> String {
    let text = match handler {
        HandlerSpec::Command(spec) => {
            let arguments = spec.arguments.iter().flatten().map(String::as_str);
            std::iter::once(spec.command.as_str()).chain(arguments).collect::<Vec<_>>().join(" ")
        }
        HandlerSpec::Http(spec) => spec.url.clone(),
        HandlerSpec::Model(spec) => prompt::convert_prompt(&spec.prompt),
        _ => String::new(),
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let short: String = line.chars().take(LONGEST_NAME).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
