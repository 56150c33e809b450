//! Reads one hook. A docker-agent key without a line here is not read.

use pintle_contract::{BuiltinSpec, CommandSpec, HandlerSpec, HookDeclaration, JudgeSpec, SandboxSpec};

use super::declare::{DEFAULT_TIMEOUT_MS, DockerHookDraft, HookNaming};
use super::entry::EntryContext;
use super::strict::{StrictFieldReader, scalar_text};
use super::{BlockPath, lint, node_location, policy};
use crate::docker_agent::DockerAgentVersion;
use crate::document::DocNode;
use crate::words::ENFORCEMENT_MODES;

/// The keys of a hook.
pub(super) const KEYS: [&str; 17] = [
    "type",
    "name",
    "command",
    "args",
    "timeout",
    "env",
    "working_dir",
    "on_error",
    "strict_output",
    "model",
    "prompt",
    "schema",
    "shell",
    "keep",
    "sandbox",
    "mode",
    "files",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DockerHookKind {
    /// A shell command.
    Command,
    /// A hook that ships with Pintle.
    Builtin,
    /// A model that judges.
    Model,
}

/// Reads one hook; `None` if it is invalid, which is reported.
pub(super) fn read(context: &EntryContext<'_>, path: BlockPath, node: &DocNode) -> Option<HookDeclaration> {
    let wanted = "hook event must be a hook or a list of hooks";
    let mut fields = StrictFieldReader::new(context.report, path, node, wanted)?;
    let own_name = fields.text("name");
    let kind = read_kind(&mut fields);
    let handler = read_handler(&mut fields, kind, context.compat);
    let timeout_ms = read_timeout(&mut fields, context.compat);
    let on_error = policy::read(&mut fields, context.def, context.compat);
    let strict_output =
        context.compat == DockerAgentVersion::Newest && fields.boolean("strict_output").unwrap_or(false);
    let mode = fields.choice("mode", &ENFORCEMENT_MODES, "mode must be enforce or shadow").unwrap_or_default();
    let files = fields.texts("files");
    let command = fields.node("command").and_then(scalar_text);
    if let Some(kind) = kind {
        lint::check(&mut fields, context.def, kind, context.compat);
    }
    let place = fields.path.trim_start_matches("hooks.").to_owned();
    fields.finish(|key| help_for_misplaced_key(key, context));
    let draft = DockerHookDraft {
        matcher: context.matcher.clone(),
        timeout_ms: timeout_ms?,
        on_error,
        strict_output,
        mode,
        files,
        ..DockerHookDraft::new(context.def, context.compat, handler?, node_location(context.report, node))
    };
    draft.declare(&HookNaming { author_name: own_name.as_deref(), command: command.as_deref(), path: &place })
}

/// The help for a key that belongs to an entry with a matcher.
fn help_for_misplaced_key(key: &str, context: &EntryContext<'_>) -> Option<String> {
    let name = context.def.name;
    match key {
        "matcher" | "hooks" if !context.def.matcher => {
            Some(format!("{name} does not take a matcher; list its hooks directly below it"))
        }
        "matcher" | "hooks" | "preempt_yolo" => Some(format!("`{key}` belongs to the entry, next to `hooks:`")),
        _ => None,
    }
}

fn read_kind(fields: &mut StrictFieldReader<'_>) -> Option<DockerHookKind> {
    let Some(node) = fields.node("type") else {
        let help = Some(String::from("write `type: command`, `type: builtin` or `type: model`"));
        fields.report_fault("missing_field", "type is required", fields.mapping, help);
        return None;
    };
    match scalar_text(node).as_deref() {
        Some("command") => Some(DockerHookKind::Command),
        Some("builtin") => Some(DockerHookKind::Builtin),
        Some("model") => Some(DockerHookKind::Model),
        other => {
            let message = format!(
                "unsupported hook type '{}' (supported: 'command', 'builtin', 'model')",
                other.unwrap_or(node.describe())
            );
            let http = String::from("write `type: builtin` and `command: http_post`");
            fields.report_fault("bad_value", &message, node, (other == Some("http")).then_some(http));
            None
        }
    }
}

/// Reads the handler. Every field is read, so that it is known whatever the type is.
fn read_handler(
    fields: &mut StrictFieldReader<'_>,
    kind: Option<DockerHookKind>,
    compat: DockerAgentVersion,
) -> Option<HandlerSpec> {
    let command = fields.text("command").unwrap_or_default();
    let arguments = fields.texts("args");
    let environment = fields.pairs("env");
    let directory = fields.text("working_dir").filter(|directory| !directory.is_empty());
    let model = fields.text("model").unwrap_or_default();
    let prompt = fields.text("prompt").unwrap_or_default();
    let schema = fields.text("schema").filter(|schema| !schema.is_empty());
    let shell = fields.text("shell");
    let keep = fields.boolean("keep").unwrap_or(false);
    let sandbox = read_sandbox(fields);
    let expands = compat == DockerAgentVersion::Newest;
    let missing = |message: &str, help: &str| {
        fields.report_fault("missing_field", message, fields.mapping, Some(help.to_owned()));
    };
    match kind? {
        DockerHookKind::Command if command.trim().is_empty() => {
            missing("command is required for command hooks", "write `command: |`, and the shell script below it");
            None
        }
        DockerHookKind::Command => {
            let arguments = None;
            let spec = CommandSpec {
                command,
                arguments,
                shell,
                environment,
                directory,
                expands,
                keep,
                sandbox,
                binding: None,
            };
            Some(HandlerSpec::Command(spec))
        }
        DockerHookKind::Builtin if command.trim().is_empty() => {
            missing("command must name the builtin to invoke", "write, for example, `command: add_date`");
            None
        }
        DockerHookKind::Builtin => {
            let name = command.trim().to_owned();
            Some(HandlerSpec::Builtin(BuiltinSpec { name, arguments, environment, directory, expands }))
        }
        DockerHookKind::Model => {
            if model.trim().is_empty() {
                missing(
                    "model is required for model hooks (e.g. 'openai/gpt-4o-mini')",
                    "write `model: provider/name`",
                );
            }
            if prompt.trim().is_empty() {
                missing("prompt is required for model hooks", "write `prompt: |`, and the prompt below it");
            }
            let whole = !model.trim().is_empty() && !prompt.trim().is_empty();
            whole.then_some(HandlerSpec::Model(JudgeSpec { model, prompt, schema }))
        }
    }
}

fn read_sandbox(fields: &mut StrictFieldReader<'_>) -> Option<SandboxSpec> {
    let mut inner = fields.fields("sandbox")?;
    let read_only = inner.boolean("read_only").unwrap_or(false);
    let no_network = inner.boolean("network") == Some(false);
    inner.finish(|_| None);
    Some(SandboxSpec { read_only, no_network })
}

/// Reads the timeout in milliseconds; `None` if it is invalid, which is reported.
fn read_timeout(fields: &mut StrictFieldReader<'_>, compat: DockerAgentVersion) -> Option<u64> {
    let Some(node) = fields.node("timeout") else { return Some(DEFAULT_TIMEOUT_MS) };
    let seconds =
        scalar_text(node).and_then(|text| text.trim().parse::<f64>().ok()).filter(|seconds| seconds.is_finite());
    let Some(seconds) = seconds else {
        let help = Some(String::from("write only digits, for example `timeout: 10`"));
        fields.report_fault("bad_value", "timeout must be a number of seconds", node, help);
        return None;
    };
    if seconds < 0.0 && compat == DockerAgentVersion::Newest {
        fields.report_fault(
            "bad_value",
            "timeout must not be negative",
            node,
            Some(String::from("remove it to use the default of 60 seconds")),
        );
        return None;
    }
    if seconds <= 0.0 {
        return Some(DEFAULT_TIMEOUT_MS);
    }
    // A fraction of a millisecond is rounded up; a value too large for the type means no limit.
    Some(((seconds * 1000.0) as u64).max(1))
}
