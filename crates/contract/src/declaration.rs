//! Hooks as a dialect read them: what the user wrote, not yet compiled.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::{
    Codec, DenyEffect, EnforcementMode, EventName, FailurePolicy, FunctionSpec, Handler, Location, Matcher, Profile,
    SourceTrust,
};

/// One hook as declared in a file.
#[derive(Debug, Clone)]
pub struct HookDeclaration {
    /// The hook's name.
    pub name: String,
    /// The canonical event.
    pub event: EventName,
    /// The event's name as written.
    pub event_alias: Arc<str>,
    /// The author's number for ordering; lower runs first.
    pub priority: i64,
    /// What it wants to see; `None` is everything.
    pub matcher: Option<MatcherSpec>,
    /// What runs.
    pub handler: HandlerSpec,
    /// What a failure means when the author said so.
    pub on_error: Option<FailurePolicy>,
    /// What a failure means otherwise, as the dialect documents it for this event.
    pub default_on_error: FailurePolicy,
    /// What a deny of the hook means.
    pub on_deny: DenyEffect,
    /// How the hook composes with the others of its source and event.
    pub profile: Profile,
    /// The whole definition as text, when the dialect runs a hook that is defined twice only once.
    pub definition: Option<Arc<str>>,
    /// Whether the verdict is enforced.
    pub mode: EnforcementMode,
    /// Wall time for one call, when the author said so.
    pub timeout_ms: Option<u64>,
    /// Whether nobody waits for its answer. Such a hook decides nothing, so it is no guard. Default: no.
    pub background: bool,
    /// Files that belong to it and that nothing else of it names: paths and globs below the project. Default: none.
    pub files: Vec<String>,
    /// The tools that its script may call; those of the whole agent where that may change itself. Default: none.
    pub tools: Vec<String>,
    /// Whether the user trusts it. Default: yes; loading a project says otherwise.
    pub source_trust: SourceTrust,
    /// Worked examples, run by `pintle test`.
    pub examples: Vec<HookExample>,
    /// Where it was declared.
    pub location: Location,
    /// How its handler is spoken to.
    pub codec: Arc<dyn Codec>,
}

/// What a hook wants to see.
#[derive(Debug, Clone)]
pub enum MatcherSpec {
    /// A Starlark expression over `event` and `payload`.
    Expression(ScriptSource),
    /// A regular expression that the whole subject has to match, such as `shell|edit_file`.
    Pattern {
        /// The expression, without the anchors.
        text: Arc<str>,
        /// Where it was written.
        location: Location,
    },
    /// One that the dialect compiled.
    Compiled(Arc<dyn Matcher>),
}

/// What a hook runs.
#[derive(Debug, Clone)]
pub enum HandlerSpec {
    /// Nothing: a placeholder that always passes.
    None,
    /// A Starlark module with an entry point.
    Script(ScriptSource),
    /// A program that reads the payload and prints its answer.
    Command(CommandSpec),
    /// A server that is sent the payload and answers.
    Http(HttpSpec),
    /// Something that Pintle brings along.
    Builtin(BuiltinSpec),
    /// A model that judges.
    Model(JudgeSpec),
    /// A function of a Starlark module.
    Function(FunctionSpec),
    /// Something in this process that is ready to run, such as a closure of the host program.
    Native(Arc<dyn Handler>),
}

/// A program to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandSpec {
    /// Shell text; with `arguments` the program itself.
    pub command: String,
    /// The program's arguments: then no shell reads anything. `None` is shell text. Default: `None`.
    pub arguments: Option<Vec<String>>,
    /// The shell; `None` is `/bin/sh`, whatever the user's own shell is. It gets `-c` and the text.
    pub shell: Option<String>,
    /// Variables besides those that Pintle itself has; they replace.
    pub environment: Vec<(String, String)>,
    /// The working directory; a relative one is below [`Origin::cwd`](crate::Origin::cwd), `None` is that itself.
    pub directory: Option<String>,
    /// Whether `${env.NAME}` is expanded in `environment`, and `~`, `$NAME`, `${NAME}` and `${env.NAME}` in `directory`.
    pub expands: bool,
    /// Whether one process answers many calls, a line of JSON each.
    pub keep: bool,
    /// What the program is kept from; `None` is nothing.
    pub sandbox: Option<SandboxSpec>,
    /// The files that it was loaded with, where these are all that it may run. Default: it may run whatever it names.
    pub binding: Option<Arc<CommandBinding>>,
}

/// The files that a command of a project was loaded with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandBinding {
    /// The project's folder, without links in its path.
    pub project_dir: PathBuf,
    /// The files without links in their paths, each with its digest.
    pub files: BTreeMap<PathBuf, String>,
    /// Whether they are all that it names, so that in another folder it must name the same. Else they are its programs.
    pub is_complete: bool,
}

/// A server to ask: the payload is posted to it as JSON, and what it answers is read as what a program prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpSpec {
    /// The address, as written.
    pub url: String,
    /// Headers besides `Content-Type`; `$NAME` and `${NAME}` in their values are variables of `allowed_environment`.
    pub headers: Vec<(String, String)>,
    /// The variables that headers may hold; every other one is empty.
    pub allowed_environment: Vec<String>,
}

/// What a program is kept from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SandboxSpec {
    /// Whether it may only read files. What is left to write to is `/dev/null` and its own pipes.
    pub read_only: bool,
    /// Whether it has no network.
    pub no_network: bool,
}

/// Something that Pintle brings along, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuiltinSpec {
    /// Its name, such as `add_date`.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// As for [`CommandSpec::environment`].
    pub environment: Vec<(String, String)>,
    /// As for [`CommandSpec::directory`].
    pub directory: Option<String>,
    /// As for [`CommandSpec::expands`].
    pub expands: bool,
}

/// A model that judges an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgeSpec {
    /// The model as people write it, such as `openai/gpt-4o-mini`.
    pub model: String,
    /// The template of the question, over the payload as the dialect encodes it.
    pub prompt: String,
    /// What the reply has to be, such as `pre_tool_use_decision`; `None` is any text.
    pub schema: Option<String>,
}

/// Starlark source and where it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptSource {
    /// The source, with the file's indentation removed.
    pub text: Arc<str>,
    /// The place of the value in its file.
    pub location: Location,
    /// The line of the file, from 1, that holds the first line of `text`.
    pub first_line: usize,
    /// Characters that stand before each line of `text` in the file.
    pub indent: usize,
}

impl ScriptSource {
    /// Source that stands in no file.
    pub fn without_file(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), location: Location::default(), first_line: 1, indent: 0 }
    }
}

/// One worked example of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct HookExample {
    /// The payload that is fired.
    pub payload: Value,
    /// What the hook is expected to say: `allow`, `block`, `modify`, `ask`.
    pub expect: String,
    /// Where it was declared.
    pub location: Location,
}
