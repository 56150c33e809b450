//! Lists the hooks that a real call would load.

use std::path::PathBuf;

use pintle_host::contract::{EnforcementMode, HookDeclaration, HookExample};
use pintle_host::{Chain, Hook, Layer, LoadedRuntime, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::looks_back;

/// The verdicts of an example that are refusals.
const REFUSALS: [&str; 3] = ["block", "deny", "ask"];

/// The codes of warnings that a hook can never run.
const DEAD_HOOKS: [&str; 2] = ["dead_matcher", "unreachable_hook"];

/// The most examples of one hook: another one may refuse the first before it is called.
const MOST_EXAMPLES: usize = 3;

/// What a real call would load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CanaryHooks {
    /// The hooks that run, in their order.
    pub(crate) hooks: Vec<CanaryHook>,
    /// The hooks of projects that do not run because they are not trusted.
    pub(crate) untrusted: Vec<CanaryUntrusted>,
    /// The errors and warnings about hook files.
    pub(crate) diagnostics: Vec<CanaryDiagnostic>,
}

/// A loaded hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CanaryHook {
    pub(crate) name: String,
    pub(crate) event: String,
    pub(crate) layer: Layer,
    /// The file of the hook, otherwise the source that registers it.
    pub(crate) source: PathBuf,
    /// The line of the hook, from 1.
    pub(crate) line: Option<usize>,
    /// Whether it can deny.
    pub(crate) is_guard: bool,
    pub(crate) mode: EnforcementMode,
    /// Whether its script names what only a readable conversation can answer.
    #[serde(default)]
    pub(crate) looks_back: bool,
    /// The payloads of its first examples that it must refuse.
    pub(crate) refused_examples: Vec<Value>,
}

/// A hook that does not run because its project is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CanaryUntrusted {
    pub(crate) hook: String,
    pub(crate) project: PathBuf,
    pub(crate) is_guard: bool,
    /// Whether its events are denied.
    pub(crate) is_denied: bool,
}

/// An error or a warning about a hook file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CanaryDiagnostic {
    pub(crate) is_error: bool,
    /// Whether it says that a hook can never run.
    #[serde(default)]
    pub(crate) is_about_dead_hook: bool,
    pub(crate) message: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) line: Option<usize>,
    pub(crate) help: Option<String>,
}

impl CanaryHooks {
    /// The hooks of a runtime.
    pub(crate) fn from_runtime(built: &LoadedRuntime) -> Self {
        let untrusted = built.projects.iter().flat_map(|project| {
            project.untrusted_hooks.iter().map(|hook| CanaryUntrusted {
                hook: hook.hook.clone(),
                project: project.folder().to_owned(),
                is_guard: hook.is_guard,
                is_denied: hook.is_denied,
            })
        });
        let untrusted: Vec<CanaryUntrusted> = untrusted.collect();
        // What denies in the place of an untrusted hook is not one of the user's hooks.
        let stands_in = |hook: &Hook| untrusted.iter().any(|other| other.hook == hook.id.as_str());
        let set = built.runtime.hooks();
        let hooks = set.hooks().filter(|(_, hook)| !stands_in(hook));
        let hooks = hooks.map(|(chain, hook)| CanaryHook::new(chain, hook, built.declarations())).collect();
        let told = built.diagnostics.iter().filter(|diagnostic| diagnostic.severity > Severity::Note);
        let diagnostics = told.map(|diagnostic| CanaryDiagnostic {
            is_error: diagnostic.severity == Severity::Error,
            is_about_dead_hook: DEAD_HOOKS.contains(&diagnostic.code),
            message: diagnostic.message.clone(),
            path: diagnostic.location.path().map(PathBuf::from),
            line: diagnostic.location.line_column().map(|(line, _)| line),
            help: diagnostic.help.clone(),
        });
        let diagnostics = diagnostics.collect();
        Self { hooks, untrusted, diagnostics }
    }

    /// Whether a hook does not load.
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.is_error)
    }
}

impl CanaryHook {
    fn new<'d>(chain: &Chain, hook: &Hook, declarations: impl IntoIterator<Item = &'d HookDeclaration>) -> Self {
        let is_of_hook =
            |declared: &&HookDeclaration| declared.name == hook.id.as_str() && declared.location == hook.location;
        let declared = declarations.into_iter().find(is_of_hook);
        let examples = declared.map(|declared| declared.examples.as_slice());
        let is_refused = |example: &&HookExample| REFUSALS.contains(&example.expect.as_str());
        let refused = examples.unwrap_or_default().iter().filter(is_refused).take(MOST_EXAMPLES);
        Self {
            name: hook.id.to_string(),
            event: hook.event.to_string(),
            layer: chain.layer,
            source: hook.location.path().map_or_else(|| PathBuf::from(&*chain.source), PathBuf::from),
            line: hook.location.line_column().map(|(line, _)| line),
            is_guard: hook.guard,
            mode: hook.mode,
            looks_back: declared.is_some_and(|declared| looks_back(&declared.handler)),
            refused_examples: refused.map(|example| example.payload.clone()).collect(),
        }
    }

    /// Whether it can refuse something: a guard that is enforced.
    pub(crate) fn can_refuse(&self) -> bool {
        self.is_guard && self.mode == EnforcementMode::Enforce
    }
}
