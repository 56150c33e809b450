//! The trait that turns declarations into runnable handlers and matchers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    CallReads, Capability, Diagnostic, Handler, HookDeclaration, LoadedPlugin, Matcher, ScriptSource, ToolSpec,
};

/// Builds handlers and matchers from declarations.
///
/// The loader knows what the user declared; only the handlers crate knows how to run it. The `pintle` crate connects
/// the two with this trait. Building compiles everything, so a broken script or pattern is a diagnostic at load time
/// and never silently fails to match later.
pub trait HandlerFactory {
    /// Builds the handler of a declaration.
    ///
    /// Without a handler there is at least one error diagnostic. A working handler may come with warnings.
    fn build_handler(&self, declaration: &HookDeclaration) -> BuiltHandler;

    /// Builds the matcher of a declaration; without a matcher the hook matches every dispatch of its event.
    fn build_matcher(&self, declaration: &HookDeclaration) -> BuiltMatcher;

    /// Builds the handlers and matchers of declarations, in their order. Default: one after the other.
    fn build_all(&self, declarations: &[HookDeclaration]) -> Vec<(BuiltHandler, BuiltMatcher)> {
        declarations.iter().map(|hook| (self.build_handler(hook), self.build_matcher(hook))).collect()
    }

    /// Compiles a tool's scripts and returns errors and warnings.
    fn check_tool(&self, tool: &ToolSpec) -> Vec<Diagnostic>;

    /// Runs the top level of a plugin and returns what it registered. Default: an error diagnostic.
    fn load_plugin(&self, name: &str, module: &ScriptSource) -> LoadedPlugin {
        let message = format!("plugin `{name}` cannot be loaded: no script support is available");
        let diagnostics = vec![Diagnostic::error("plugin_load", message, module.location.clone())];
        LoadedPlugin { registrations: Vec::new(), diagnostics }
    }

    /// Compiles a verify script and returns errors and warnings. `owner` names the agent or delegation that it belongs
    /// to.
    fn check_verify(&self, owner: &str, script: &ScriptSource) -> Vec<Diagnostic>;

    /// Checks for tools that a hook's script calls without permission, in an agent that must not modify itself.
    /// Default: no check; such calls are denied when they are made.
    fn check_calls(&self, _declaration: &HookDeclaration) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Finds what keeps a hook's scripts from guarding, such as a field that its event does not have, for a host that
    /// checks hooks and runs none. Default: no check.
    fn check_guard(&self, _declaration: &HookDeclaration) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// The capabilities of a hook: what it could do beyond returning a decision. An empty list needs no trust, so an
    /// implementation that cannot know must not return one. Default: one capability that stands for anything.
    fn capabilities(&self, _declaration: &HookDeclaration) -> Vec<Capability> {
        vec![Capability::Effect(String::from("can do anything"))]
    }
}

/// Sends one request to a language model, for hooks whose verdict comes from a model.
pub trait Judge: Send + Sync + std::fmt::Debug {
    /// Sends the request and waits for the complete reply.
    ///
    /// # Errors
    /// With a one-line message when the model does not exist, cannot be reached, refuses, or exceeds `timeout_ms`.
    fn judge(&self, question: &JudgeRequest<'_>, cancel: &crate::CancelToken) -> Result<String, crate::Failure>;
}

/// The request to a [`Judge`].
#[derive(Debug, Clone, Copy)]
pub struct JudgeRequest<'a> {
    /// The model as the user wrote it, such as `openai/gpt-4o-mini`.
    pub model: &'a str,
    /// The system prompt: what the model's task is.
    pub instruction: &'a str,
    /// The prompt.
    pub prompt: &'a str,
    /// The name and JSON Schema of the reply; `None` for free text.
    pub schema: Option<(&'a str, &'a serde_json::Value)>,
    /// The time limit of the reply, in milliseconds.
    pub timeout_ms: u64,
}

/// A handler built from a declaration.
#[derive(Debug, Default)]
pub struct BuiltHandler {
    /// The handler; `None` if the declaration cannot run.
    pub handler: Option<Arc<dyn Handler>>,
    /// Whether the handler can deny, for example a script that uses `block`; see [`Hook::guard`](crate::Hook::guard).
    pub guard: bool,
    /// The string literals of its script.
    pub texts: ScriptTexts,
    /// The diagnostics of building it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A matcher built from a declaration.
#[derive(Debug, Default)]
pub struct BuiltMatcher {
    /// The matcher; `None` if the hook always matches, or if building failed with an error diagnostic.
    pub matcher: Option<Arc<dyn Matcher>>,
    /// The string literals of its script.
    pub texts: ScriptTexts,
    /// The diagnostics of building it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The string literals of a script. They show in whose words it is written: which tools it asks about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptTexts {
    /// What the script asks about the tool's name.
    pub name_tests: Vec<NameTest>,
    /// Whether it also asks something about the tool's name that its text does not show.
    pub has_unknown_tests: bool,
    /// What the script may read of a call's `paths` and `operations`.
    pub call_reads: CallReads,
    /// Whether the script may read the text of a call's arguments, or the call as its caller made it.
    pub reads_call_text: bool,
    /// The arguments of a call that the script reads; any literal, if the text does not show which.
    pub arguments: Vec<String>,
    /// All literals.
    pub all: Vec<String>,
}

impl ScriptTexts {
    /// Adds the literals of another part of the hook.
    pub fn extend(&mut self, other: Self) {
        self.name_tests.extend(other.name_tests);
        self.has_unknown_tests |= other.has_unknown_tests;
        self.call_reads |= other.call_reads;
        self.reads_call_text |= other.reads_call_text;
        self.arguments.extend(other.arguments);
        self.all.extend(other.all);
    }
}

/// A question of a script about the tool's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NameTest {
    /// What the script asks.
    pub kind: NameTestKind,
    /// The text that the name is compared with.
    pub text: String,
    /// Whether the script changes the case of the name first.
    pub ignores_case: bool,
}

/// How a tool's name is compared with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NameTestKind {
    /// It is the text: `name == "Bash"`.
    Is,
    /// It starts with the text.
    StartsWith,
    /// It ends with the text.
    EndsWith,
    /// It contains the text.
    Contains,
    /// It is a part of the text: `name in "Bash, Write"`.
    IsWithin,
    /// It matches the text, which is a regular expression.
    Matches,
    /// A part of the name, or the name with something else, is the text: `name.split("_")[0] == "run"`.
    IsRelatedTo,
}
