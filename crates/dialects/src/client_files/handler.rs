//! Reads one handler.

use std::sync::Arc;

use pintle_clients::matcher::{ClientMatcher, PermissionCondition, SubjectPattern};
use pintle_clients::{ClientCodec, ClientDef, ClientEventDef, ClientHandlerKind};
use pintle_contract::{
    ByteSpan, Codec, CommandSpec, EventKind, FailurePolicy, HandlerSpec, HookDeclaration, HttpSpec, JudgeSpec,
    MatcherSpec, Profile, Severity,
};
use serde_json::json;

use super::events::FileOptions;
use super::{ClientSource, not_carried_over};
use crate::document::{DocNode, FieldReader};
use crate::words::read_failure_words;

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
            read_command(&mut carried, &context.file_options.environment).map(HandlerSpec::Command)
        }
        ClientHandlerKind::Http => read_http(&mut carried, context.file_options).map(HandlerSpec::Http),
        ClientHandlerKind::Prompt => read_prompt(&mut carried, source.client.settings.judge).map(HandlerSpec::Model),
        ClientHandlerKind::NotCarriedOver(_) => None,
    };
    let options = read_options(&mut carried, kind, row);
    carried.finish();
    let (Some(handler), Some(options)) = (spec, options) else { return Vec::new() };
    // Skips Pintle's own commands: otherwise dispatching the hooks would be one of the hooks.
    if matches!(&handler, HandlerSpec::Command(spec) if is_pintle_command(&spec.command)) {
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
        not_carried_over(fields.source(), Severity::Warning, &what, reason, fields.first_line());
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
        HandlerSpec::Model(spec) => convert_prompt(&spec.prompt),
        _ => String::new(),
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let short: String = line.chars().take(LONGEST_NAME).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

/// The fields of one handler. A key that the client does not have is unknown, even if another client has it.
#[derive(Debug)]
struct HandlerFields<'a> {
    context: &'a HandlerContext<'a>,
    node: &'a DocNode,
    fields: FieldReader<'a>,
}

impl<'a> HandlerFields<'a> {
    fn new(context: &'a HandlerContext<'a>, path: &str, node: &'a DocNode) -> Self {
        let fields = FieldReader::new(context.source.report, format!("the hook {path}"), Some(node), node.span);
        Self { context, node, fields }
    }

    fn client(&self) -> &'static ClientDef {
        self.context.source.client
    }

    fn source(&self) -> &'a ClientSource<'a> {
        self.context.source
    }

    fn def(&self) -> &'static ClientEventDef {
        self.context.def
    }

    fn first_line(&self) -> ByteSpan {
        self.context.source.report.first_line(self.node.span)
    }

    fn has_key(&self, key: &str) -> bool {
        self.client().settings.handler_keys().any(|known| known == key)
    }

    fn text(&mut self, key: &'static str) -> Option<String> {
        self.has_key(key).then(|| self.fields.text(key)).flatten()
    }

    fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let is_there = self.has_key(key) && self.node.get(key).is_some_and(|node| !node.is_null());
        is_there.then(|| self.fields.texts(key))
    }

    fn pairs(&mut self, key: &'static str) -> Vec<(String, String)> {
        if self.has_key(key) { self.fields.pairs(key) } else { Vec::new() }
    }

    fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.has_key(key).then(|| self.fields.boolean(key)).flatten()
    }

    fn number(&mut self, key: &'static str) -> Option<f64> {
        self.has_key(key).then(|| self.fields.number(key, 0.0..=86_400_000.0)).flatten()
    }

    /// Reports a field that has no effect, at its key.
    fn warn_no_effect(&self, code: &'static str, message: String, key: &str, help: &str) {
        self.source().report.warning(code, message, self.key_span(key), help);
    }

    fn key_span(&self, key: &str) -> ByteSpan {
        let mut entries = self.node.entries().unwrap_or_default().iter();
        entries.find(|entry| entry.key == key).map_or(self.node.span, |entry| entry.key_span)
    }

    /// Reports unsupported and unknown keys, such as a misspelt key in a hook file of a client.
    fn finish(mut self) {
        for (key, severity, reason) in self.client().settings.not_carried_over {
            if self.fields.node(key).is_some_and(|node| !node.is_null() && node.as_boolean() != Some(false)) {
                let (what, span) = (format!("`{key}`"), self.key_span(key));
                not_carried_over(self.source(), *severity, &what, reason, span);
            }
        }
        for key in self.client().settings.handler_keys() {
            self.fields.node(key);
        }
        self.fields.finish();
    }
}

/// The key for this system's own command line, as in VS Code.
const OF_THIS_SYSTEM: &str = if cfg!(target_os = "macos") {
    "osx"
} else if cfg!(windows) {
    "windows"
} else {
    "linux"
};

/// Reads the handler; `None` if the command is missing, which is reported. `shared` are the variables of the file, which
/// its own override.
fn read_command(handler_fields: &mut HandlerFields<'_>, shared: &[(String, String)]) -> Option<CommandSpec> {
    let environment = shared.iter().cloned().chain(handler_fields.pairs("env")).collect();
    let directory = handler_fields.text("cwd");
    let shell = handler_fields.text("shell").map(|word| match word.as_str() {
        "powershell" => String::from("pwsh"),
        _ => word,
    });
    let arguments = handler_fields.texts("args");
    let own = handler_fields.text(OF_THIS_SYSTEM);
    let lines = ["exec", "bash", "command", "powershell"].map(|key| (key, handler_fields.text(key)));
    let written = lines.into_iter().filter_map(|(key, text)| Some((key, text.filter(|text| !text.trim().is_empty())?)));
    let found = own.map(|text| ("command", text)).or_else(|| written.into_iter().next());
    let Some((key, command)) = found else {
        let fields = &handler_fields.fields;
        let message = format!("a command hook on `{}` needs a `command`", handler_fields.def().name);
        let help = "write `\"command\": \"..\"`";
        fields.report().value_error("missing_field", message, handler_fields.first_line(), help);
        return None;
    };
    let shell = match key {
        "bash" => Some(String::from("bash")),
        "powershell" => Some(String::from("pwsh")),
        _ => shell.or_else(|| handler_fields.client().settings.shell.map(str::to_owned)),
    };
    // With an argument list no shell is used; a program alone has an empty list.
    let arguments = if key == "exec" { Some(arguments.unwrap_or_default()) } else { arguments };
    let shell = shell.filter(|_| arguments.is_none());
    Some(CommandSpec { command, arguments, shell, environment, directory, ..CommandSpec::default() })
}

/// Whether a command line is Pintle's own, which would dispatch the hooks that are just being read.
pub(super) fn is_pintle_command(command: &str) -> bool {
    let mut rests = command.match_indices("pintle").filter_map(|(index, word)| command.get(index + word.len()..));
    // `pintle-hook` takes the same arguments.
    rests.any(|rest| {
        let rest = rest.strip_prefix("-hook").unwrap_or(rest);
        let rest = rest.strip_prefix(".exe").unwrap_or(rest);
        rest.trim_start_matches(['\'', '"']).starts_with(" hook ")
    })
}

/// Reads the handler; `None` if it has no URL or the file itself forbids it, which is reported.
fn read_http(fields: &mut HandlerFields<'_>, options: &FileOptions) -> Option<HttpSpec> {
    let headers = fields.pairs("headers");
    let mut allowed_environment = fields.texts("allowedEnvVars").unwrap_or_default();
    if let Some(allowed) = &options.variables {
        allowed_environment.retain(|name| allowed.contains(name));
    }
    let Some(url) = fields.text("url").filter(|url| !url.trim().is_empty()) else {
        let message = format!("an http hook on `{}` needs a `url`", fields.def().name);
        let help = "write `\"url\": \"https://..\"`";
        fields.fields.report().value_error("missing_field", message, fields.first_line(), help);
        return None;
    };
    if let Some(allowed) = &options.addresses
        && !allowed.iter().any(|pattern| matches_url(pattern, &url))
    {
        let message = String::from("the address is not in this file's `allowedHttpHookUrls`, so the hook never runs");
        fields.source().report.warning("switched_off", message, fields.first_line(), None);
        return None;
    }
    Some(HttpSpec { url, headers, allowed_environment })
}

/// Whether a URL matches a pattern in which `*` matches anything.
fn matches_url(pattern: &str, url: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = url.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        last = Some(piece);
        match rest.find(piece) {
            Some(index) => rest = rest.get(index + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    match last {
        None => rest.is_empty(),
        Some(last) => url.ends_with(last),
    }
}

/// The placeholder for the payload in a prompt.
const ARGUMENTS: &str = "$ARGUMENTS";
/// The same placeholder in a judge's template.
const PAYLOAD: &str = "{{ toJSON . }}";

/// Two literal opening braces in the author's prompt.
const BRACES: &str = "{{ \"{{\" }}";

/// Reads the handler; `None` if it has no prompt, which is reported.
fn read_prompt(fields: &mut HandlerFields<'_>, default_model: &str) -> Option<JudgeSpec> {
    let question = fields.text("prompt").unwrap_or_default();
    if question.trim().is_empty() {
        let message = format!("a prompt hook on `{}` needs a `prompt`", fields.def().name);
        let help = "write `\"prompt\": \"..\"`";
        fields.fields.report().value_error("missing_field", message, fields.first_line(), help);
    }
    let model = match fields.text("model") {
        None => default_model.to_owned(),
        Some(model) if model.contains('/') => model,
        Some(model) => {
            let provider = default_model.split('/').next().unwrap_or_default();
            format!("{provider}/{model}")
        }
    };
    let plain = question.replace("{{", BRACES);
    let prompt = match plain.contains(ARGUMENTS) {
        true => plain.replace(ARGUMENTS, PAYLOAD),
        false => format!("{plain}\n\n{PAYLOAD}"),
    };
    let is_asked = !question.trim().is_empty();
    is_asked.then(|| JudgeSpec { model, prompt, schema: Some(String::from("ok_decision")) })
}

/// Restores the prompt as its author wrote it, or nearly so.
fn convert_prompt(prompt: &str) -> String {
    prompt.replace(PAYLOAD, ARGUMENTS).replace(BRACES, "{{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_pintle_installs_are_known() {
        for (line, wanted) in [
            ("pintle hook claude PreToolUse", true),
            ("o=$('/opt/my tools/pintle' hook claude PreToolUse); s=$?", true),
            ("\"/usr/bin/pintle\" hook codex", true),
            ("pintle validate", false),
            ("./pintle-guard.sh hook x", false),
            ("echo hook", false),
        ] {
            assert_eq!(is_pintle_command(line), wanted, "{line}");
        }
    }
}
