//! Builds declarations from hook drafts.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{
    Codec, DenyEffect, EnforcementMode, EventName, FailurePolicy, HandlerSpec, HookDeclaration, Location, MatcherSpec,
    Profile, did_you_mean,
};
use serde_json::{Value, json};

use crate::docker_agent::codec::DockerAgentCodec;
use crate::docker_agent::event_def::{DockerAgentVersion, DockerEventDef};
use crate::document::{FieldReader, FileReport};

/// The default timeout of a call.
pub(super) const DEFAULT_TIMEOUT_MS: u64 = 60_000;
/// The maximum length of a command that is used as the hook's name, in characters.
const LONGEST_NAME: usize = 60;

/// A hook as read from a file.
#[derive(Debug)]
pub(super) struct DockerHookDraft {
    pub(super) def: &'static DockerEventDef,
    pub(super) compat: DockerAgentVersion,
    pub(super) matcher: Option<MatcherSpec>,
    pub(super) handler: HandlerSpec,
    pub(super) timeout_ms: u64,
    pub(super) on_error: Option<FailurePolicy>,
    pub(super) strict_output: bool,
    pub(super) mode: EnforcementMode,
    pub(super) files: Vec<String>,
    pub(super) location: Location,
}

/// A hook's name: the author's, otherwise a command of one short line, otherwise its path in the file.
fn choose_name(author_name: Option<&str>, command: Option<&str>, path: &str) -> String {
    let fits = |text: &&str| !text.is_empty() && !text.contains('\n') && text.chars().count() <= LONGEST_NAME;
    let text = command.map(str::trim).filter(fits);
    author_name.filter(|name| !name.is_empty()).or(text).unwrap_or(path).to_owned()
}

impl DockerHookDraft {
    /// A hook with the defaults of its event.
    pub(super) fn new(
        docker_event_def: &'static DockerEventDef,
        version: DockerAgentVersion,
        handler: HandlerSpec,
        location: Location,
    ) -> Self {
        Self {
            def: docker_event_def,
            compat: version,
            matcher: None,
            handler,
            timeout_ms: DEFAULT_TIMEOUT_MS,
            on_error: None,
            strict_output: false,
            mode: EnforcementMode::Enforce,
            files: Vec::new(),
            location,
        }
    }

    /// Builds the declaration. `command` is the hook's command, or the built-in's name, and `path` is where it is in the
    /// file.
    pub(super) fn declare(self, author_name: Option<&str>, command: Option<&str>, path: &str) -> HookDeclaration {
        let event = EventName::from(self.def.canonical);
        let definition = Arc::from(self.definition(author_name).to_string());
        let schema = match &self.handler {
            HandlerSpec::Model(spec) => spec.schema.as_deref().map(Arc::from),
            _ => None,
        };
        let codec: Arc<dyn Codec> =
            Arc::new(DockerAgentCodec { compat: self.compat, strict_output: self.strict_output, schema });
        HookDeclaration {
            event_alias: Arc::from(self.def.name),
            matcher: self.matcher,
            on_error: self.on_error,
            default_on_error: default_policy(self.def, self.compat),
            on_deny: if self.def.name == "post_tool_use" { DenyEffect::StopRun } else { DenyEffect::DenyEvent },
            profile: match (self.compat, self.def.rewrites) {
                (DockerAgentVersion::G1, _) => Profile::ParallelMerge,
                (DockerAgentVersion::Newest, Some(_)) => Profile::SequentialRunAll,
                (DockerAgentVersion::Newest, None) => Profile::ParallelStrictest,
            },
            definition: Some(definition),
            mode: self.mode,
            timeout_ms: Some(self.timeout_ms),
            files: self.files,
            ..HookDeclaration::new(choose_name(author_name, command, path), event, self.handler, self.location, codec)
        }
    }

    /// What identifies the hook: everything that was written, or for the first version only what runs.
    fn definition(&self, own_name: Option<&str>) -> Value {
        let matcher = match &self.matcher {
            Some(MatcherSpec::Pattern { text, .. }) => &**text,
            _ => "",
        };
        let (kind, command, arguments, handler) = match &self.handler {
            HandlerSpec::Command(spec) => {
                let sandbox = spec.sandbox.map(|sandbox| [sandbox.read_only, sandbox.no_network]);
                let environment = sort_environment(&spec.environment);
                let handler = json!([spec.shell, environment, spec.directory, spec.keep, sandbox]);
                ("command", Some(&spec.command), &[][..], handler)
            }
            HandlerSpec::Builtin(spec) => {
                let handler = json!([sort_environment(&spec.environment), spec.directory]);
                ("builtin", Some(&spec.name), spec.arguments.as_slice(), handler)
            }
            HandlerSpec::Model(spec) => ("model", None, &[][..], json!([spec.model, spec.prompt, spec.schema])),
            _ => ("model", None, &[][..], Value::Null),
        };
        if self.compat == DockerAgentVersion::G1 {
            return json!([matcher, kind, command, arguments]);
        }
        let on_error = self.on_error.unwrap_or(default_policy(self.def, self.compat));
        let options = json!([own_name, self.timeout_ms, on_error, self.strict_output, self.mode]);
        json!([matcher, kind, command, arguments, handler, options])
    }
}

fn sort_environment(environment: &[(String, String)]) -> Vec<&(String, String)> {
    let mut pairs: Vec<_> = environment.iter().collect();
    pairs.sort();
    pairs
}

/// Warns of hooks that the first version treats as duplicates although they may differ.
pub(super) fn warn_duplicates(report: &FileReport, declared: &[HookDeclaration]) {
    let mut known: HashMap<(&str, &str, Option<&str>), &HookDeclaration> = HashMap::new();
    for hook in declared {
        let key = (hook.event.as_str(), &*hook.event_alias, hook.definition.as_deref());
        let Some(first) = known.get(&key) else {
            known.insert(key, hook);
            continue;
        };
        let line = first.location.line_column().map_or(0, |(line, _)| line);
        let message = format!(
            "hook `{}` is skipped: `compat: g1` treats it as the hook at line {line}, which has the same type, \
             command and args",
            hook.name
        );
        report.warning("repeated_hook", message, hook.location.span, "remove one of the two");
    }
}

/// The author's policy for failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnErrorPolicy {
    Warn,
    Ignore,
    Block,
}

const WORDS: &[(&str, OnErrorPolicy)] =
    &[("warn", OnErrorPolicy::Warn), ("ignore", OnErrorPolicy::Ignore), ("block", OnErrorPolicy::Block)];

/// The default policy.
pub(super) fn default_policy(def: &DockerEventDef, version: DockerAgentVersion) -> FailurePolicy {
    match version {
        _ if def.fails_closed => FailurePolicy::Closed,
        DockerAgentVersion::Newest => FailurePolicy::Open,
        // The first version only logs the failure.
        DockerAgentVersion::G1 => FailurePolicy::Ignored,
    }
}

/// Reads `on_error`. `None` if it is absent or has no effect.
pub(super) fn read_policy(
    fields: &mut FieldReader<'_>,
    def: &DockerEventDef,
    version: DockerAgentVersion,
) -> Option<FailurePolicy> {
    let node = fields.node("on_error")?;
    let text = fields.text("on_error")?;
    let chosen = WORDS.iter().find(|(word, _)| *word == text).map(|(_, chosen)| *chosen);
    let chosen = match (chosen, version) {
        (Some(chosen), _) => chosen,
        (None, DockerAgentVersion::Newest) => {
            let help = did_you_mean(&text, WORDS.iter().map(|(word, _)| *word));
            let message = format!("on_error must be warn, ignore, or block, not `{text}`");
            fields.report_fault("bad_value", message, node.span, help);
            return None;
        }
        (None, DockerAgentVersion::G1) => {
            let message = format!("{}: unknown value `{text}` for `on_error`", fields.path());
            let help = "`compat: g1` treats it as warn; write warn, ignore, or block";
            fields.report().warning("bad_value", message, node.span, help);
            OnErrorPolicy::Warn
        }
    };
    if def.fails_closed {
        if chosen != OnErrorPolicy::Block {
            let message = format!("{}: a failed hook of {} always blocks the call", fields.path(), def.name);
            fields.report().warning("no_effect", message, node.span, "remove `on_error`");
        }
        return None;
    }
    match (chosen, version) {
        (OnErrorPolicy::Block, _) if def.can_block => Some(FailurePolicy::Closed),
        (OnErrorPolicy::Block, DockerAgentVersion::Newest) => {
            let help = "write `on_error: warn`, or omit it";
            let message = format!("hooks.{}: on_error block is not supported by this event", def.name);
            fields.report().error("bad_value", message, node.span, help);
            None
        }
        (OnErrorPolicy::Ignore, _) => Some(FailurePolicy::Ignored),
        (OnErrorPolicy::Warn, DockerAgentVersion::Newest) => Some(FailurePolicy::Open),
        (OnErrorPolicy::Warn | OnErrorPolicy::Block, DockerAgentVersion::G1) => Some(FailurePolicy::Ignored),
    }
}
