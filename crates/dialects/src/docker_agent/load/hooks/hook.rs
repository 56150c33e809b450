//! Reads one hook. A docker-agent key without a line here is not read.

use pintle_contract::{
    BuiltinSpec, CommandSpec, EnforcementMode, HandlerSpec, HookDeclaration, JudgeSpec, SandboxSpec,
};

use super::declare::{DEFAULT_TIMEOUT_MS, DockerHookDraft, read_policy};
use super::entry::EntryContext;
use super::{BlockPath, lint, node_location, scalar_text};
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::document::{DocNode, FieldReader, KeyTable, UnknownKeys, key};
use crate::words::{ENFORCEMENT_MODES, read_failure_words};

/// The keys of a hook that mean the same in every type and version.
#[derive(Debug, Default)]
pub(in crate::docker_agent::load) struct DockerHookKeys {
    name: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    working_dir: Option<String>,
    model: Option<String>,
    prompt: Option<String>,
    schema: Option<String>,
    shell: Option<String>,
    keep: bool,
    sandbox: Option<SandboxSpec>,
    mode: EnforcementMode,
    files: Vec<String>,
}

pub(in crate::docker_agent::load) static HOOK: KeyTable<DockerHookKeys> = KeyTable {
    title: "Hook",
    about: "An item of an event's list, or of `hooks` of an entry with a matcher.",
    start: DockerHookKeys::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("type": listed("`command`, `builtin`, `model`", "required"), "What the hook is."),
        key!(name?: text, "by its place", "The hook's name in messages and on the tape."),
        key!(command?: text, "required", "The shell command, or the name of a built-in."),
        key!(args: texts, "The arguments of a built-in."),
        key!("timeout": listed("number", "60"), "Time limit of one call, in seconds."),
        key!(env: pairs, "Environment variables of a command or a built-in, in addition to the agent's."),
        key!(working_dir?: text, "the agent's", "The directory in which a command or a built-in runs."),
        key!("on_error": listed("`warn`, `ignore`, `block`", "by event"), "What a failed hook does."),
        key!("onFailure": listed("`block`, `continue`", "by event"), "Claude Code's word for `on_error`."),
        key!("failClosed": listed("true or false", "false"), "Cursor's word for `on_error: block`."),
        key!("strict_output": listed("true or false", "false"), "Whether output that is not valid is a failure."),
        key!(model?: text, "required", "The model of a model hook: `provider/name`."),
        key!(prompt?: text, "required", "The prompt of a model hook; templates insert fields of the event."),
        key!(schema?: text, "none",
            "What a model answers: with `pre_tool_use_decision` it decides, otherwise its text is context."),
        key!(shell?: text, "the system's", "The shell of a command."),
        key!(keep: boolean, "Whether the program of a command keeps running between calls."),
        key!("sandbox": with(read_sandbox, "mapping", "none"), "Confines the program of a command, as below."),
        key!(mode: choice(&ENFORCEMENT_MODES),
            "In `shadow` the hook is called and its verdict recorded, but not enforced."),
        key!("evaluator": refused("write the check as a hook with `type: model`")),
        key!("evaluator_policy": refused("write the check as a hook with `type: model`, whose decision applies")),
        key!("routing_policy": refused("remove it, and list the agents that may take over under `handoffs`")),
        key!(files: texts,
            "Files and globs that belong to the hook, so that trust covers them too. A directory stands for everything in it."),
    ],
};

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
    let mut fields = FieldReader::at_path(context.report, path, node, wanted)?;
    let keys = HOOK.read(&mut fields);
    let kind = read_kind(&mut fields);
    let timeout_ms = read_timeout(&mut fields, context.compat);
    let on_error = read_policy(&mut fields, context.def, context.compat);
    let by_other_words = read_failure_words(&mut fields).filter(|_| context.def.can_block);
    let on_error = on_error.or(by_other_words);
    let strict_output =
        context.compat == DockerAgentVersion::Newest && fields.boolean("strict_output").unwrap_or(false);
    let command = fields.node("command").and_then(scalar_text);
    let place = fields.path().trim_start_matches("hooks.").to_owned();
    let (name, mode, files) = (keys.name.clone(), keys.mode, keys.files.clone());
    let handler = choose_handler(&fields, kind, keys, context.compat);
    if let Some(kind) = kind {
        lint::check(&mut fields, context.def, kind, context.compat);
    }
    fields.finish_advising(|key| help_for_misplaced_key(key, context));
    let draft = DockerHookDraft {
        matcher: context.matcher.clone(),
        timeout_ms: timeout_ms?,
        on_error,
        strict_output,
        mode,
        files,
        ..DockerHookDraft::new(context.def, context.compat, handler?, node_location(context.report, node))
    };
    Some(draft.declare(name.as_deref(), command.as_deref(), &place))
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

fn read_kind(fields: &mut FieldReader<'_>) -> Option<DockerHookKind> {
    let Some(node) = fields.node("type") else {
        let help = "write `type: command`, `type: builtin` or `type: model`";
        fields.report_fault("missing_field", "type is required", fields.span(), help);
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
            let help = match other {
                Some("http") => Some("write `type: builtin` and `command: http_post`"),
                Some("evaluator") => {
                    Some("evaluators are not supported yet; write the check as a hook with `type: model`")
                }
                _ => None,
            };
            fields.report_fault("bad_value", message, node.span, help.map(str::to_owned));
            None
        }
    }
}

/// The handler of a hook. What its type needs and is missing is reported.
fn choose_handler(
    fields: &FieldReader<'_>,
    kind: Option<DockerHookKind>,
    keys: DockerHookKeys,
    version: DockerAgentVersion,
) -> Option<HandlerSpec> {
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let command = keys.command.unwrap_or_default();
    let directory = filled(keys.working_dir);
    let expands = version == DockerAgentVersion::Newest;
    let missing = |message: &str, help: &str| {
        fields.report_fault("missing_field", message, fields.span(), help);
    };
    match kind? {
        DockerHookKind::Command if command.trim().is_empty() => {
            missing("command is required for command hooks", "write `command: |`, and the shell script below it");
            None
        }
        DockerHookKind::Command => Some(HandlerSpec::Command(CommandSpec {
            command,
            arguments: None,
            shell: keys.shell,
            environment: keys.env,
            directory,
            expands,
            keep: keys.keep,
            sandbox: keys.sandbox,
            binding: None,
        })),
        DockerHookKind::Builtin if command.trim().is_empty() => {
            missing("command must name the builtin to invoke", "write, for example, `command: add_date`");
            None
        }
        DockerHookKind::Builtin => Some(HandlerSpec::Builtin(BuiltinSpec {
            name: command.trim().to_owned(),
            arguments: keys.args,
            environment: keys.env,
            directory,
            expands,
        })),
        DockerHookKind::Model => {
            let (model, prompt) = (keys.model.unwrap_or_default(), keys.prompt.unwrap_or_default());
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
            whole.then(|| HandlerSpec::Model(JudgeSpec { model, prompt, schema: filled(keys.schema) }))
        }
    }
}

/// `sandbox` of a hook.
#[derive(Debug)]
pub(in crate::docker_agent::load) struct SandboxKeys {
    read_only: bool,
    network: bool,
}

pub(in crate::docker_agent::load) static SANDBOX: KeyTable<SandboxKeys> = KeyTable {
    title: "sandbox",
    about: "How the program of a command is confined.",
    start: || SandboxKeys { read_only: false, network: true },
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(read_only: boolean, "Whether it may only read files."),
        key!(network: boolean, "Whether it may use the network."),
    ],
};

fn read_sandbox(fields: &mut FieldReader<'_>, hook: &mut DockerHookKeys) {
    let own = fields.fields("sandbox").map(|own| SANDBOX.read_whole(own));
    hook.sandbox = own.map(|own| SandboxSpec { read_only: own.read_only, no_network: !own.network });
}

/// The longest timeout that can be meant.
const LONGEST_TIMEOUT_SECONDS: f64 = 86_400.0;

/// Reads the timeout in milliseconds; `None` if it is invalid, which is reported.
fn read_timeout(fields: &mut FieldReader<'_>, version: DockerAgentVersion) -> Option<u64> {
    let Some(node) = fields.node("timeout") else { return Some(DEFAULT_TIMEOUT_MS) };
    let seconds =
        scalar_text(node).and_then(|text| text.trim().parse::<f64>().ok()).filter(|seconds| seconds.is_finite());
    let Some(seconds) = seconds else {
        let help = "write only digits, for example `timeout: 10`";
        fields.report_fault("bad_value", "timeout must be a number of seconds", node.span, help);
        return None;
    };
    if seconds < 0.0 && version == DockerAgentVersion::Newest {
        fields.report_fault(
            "bad_value",
            "timeout must not be negative",
            node.span,
            "remove it to use the default of 60 seconds",
        );
        return None;
    }
    if seconds <= 0.0 {
        return Some(DEFAULT_TIMEOUT_MS);
    }
    if seconds > LONGEST_TIMEOUT_SECONDS {
        let help = "write a number of seconds that the agent should wait for the hook";
        fields.report().warning(
            "long_timeout",
            "timeout is more than a day, which is as good as none",
            node.span,
            help,
        );
    }
    // A fraction of a millisecond is rounded up; a value too large for the type means no limit.
    Some(((seconds * 1000.0) as u64).max(1))
}
