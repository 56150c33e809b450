//! Hooks as the user declared them, before they are compiled.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    Codec, DenyEffect, EnforcementMode, EventName, FailurePolicy, FunctionSpec, Handler, Location, Matcher, Profile,
    SourceTrust,
};

/// One hook as declared in a file.
#[derive(Debug, Clone)]
pub struct HookDeclaration {
    /// The name of the hook.
    pub name: String,
    /// The canonical event.
    pub event: EventName,
    /// The event alias: the event's name as written.
    pub event_alias: Arc<str>,
    /// The author's number for ordering; lower runs first.
    pub priority: i64,
    /// The condition for the hook to run; `None` matches every dispatch.
    pub matcher: Option<MatcherSpec>,
    /// What the hook runs.
    pub handler: HandlerSpec,
    /// The failure policy that the author wrote, if any.
    pub on_error: Option<FailurePolicy>,
    /// The failure policy that applies otherwise, as the dialect documents it for this event.
    pub default_on_error: FailurePolicy,
    /// What a deny of the hook does.
    pub on_deny: DenyEffect,
    /// How the hook's verdict is combined with others of its source and event.
    pub profile: Profile,
    /// The complete definition as text, if the dialect runs a hook that is defined twice only once.
    pub definition: Option<Arc<str>>,
    /// Whether the verdict is enforced.
    pub mode: EnforcementMode,
    /// The time limit of one call in milliseconds, if the author wrote one.
    pub timeout_ms: Option<u64>,
    /// Whether the hook runs without waiting for its output. Such a hook cannot decide anything, so it is not a guard.
    /// Default: false.
    pub background: bool,
    /// Files that belong to the hook in addition to those it names: paths and globs below the project. Default: none.
    pub files: Vec<String>,
    /// The tools that the hook's script may call; in an agent that may modify itself, all of the agent's tools.
    /// Default: none.
    pub tools: Vec<String>,
    /// Whether the user trusts the hook. Default: trusted; loading a project sets it otherwise.
    pub source_trust: SourceTrust,
    /// Examples, run by `pintle test`.
    pub examples: Vec<HookExample>,
    /// Where it was declared.
    pub location: Location,
    /// Encodes the handler's input and decodes its output.
    pub codec: Arc<dyn Codec>,
}

impl HookDeclaration {
    /// A hook with the defaults of every option: it matches every dispatch and is enforced.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        event: EventName,
        handler: HandlerSpec,
        location: Location,
        codec: Arc<dyn Codec>,
    ) -> Self {
        Self {
            name: name.into(),
            event_alias: Arc::from(event.as_str()),
            default_on_error: event.def().on_failure,
            event,
            priority: 0,
            matcher: None,
            handler,
            on_error: None,
            on_deny: DenyEffect::default(),
            profile: Profile::SequentialFirstDeny,
            definition: None,
            mode: EnforcementMode::default(),
            timeout_ms: None,
            background: false,
            files: Vec::new(),
            tools: Vec::new(),
            source_trust: SourceTrust::default(),
            examples: Vec::new(),
            location,
            codec,
        }
    }
}

/// The condition under which a hook runs.
#[derive(Debug, Clone)]
pub enum MatcherSpec {
    /// A Starlark expression over `event` and `payload`.
    Expression(ScriptSource),
    /// A regular expression that must match the whole subject, such as `shell|edit_file`.
    Pattern {
        /// The regular expression, without anchors.
        text: Arc<str>,
        /// Where it was written.
        location: Location,
    },
    /// A matcher that the dialect compiled.
    Compiled(Arc<dyn Matcher>),
}

/// What a hook runs.
#[derive(Debug, Clone)]
pub enum HandlerSpec {
    /// Nothing: a placeholder that always passes.
    None,
    /// A Starlark module with an entry point.
    Script(ScriptSource),
    /// A program that reads the payload and prints its output.
    Command(CommandSpec),
    /// A server that receives the payload and responds.
    Http(HttpSpec),
    /// A handler built into Pintle.
    Builtin(BuiltinSpec),
    /// A language model that returns a verdict.
    Model(JudgeSpec),
    /// A function of a Starlark module.
    Function(FunctionSpec),
    /// A handler in this process, such as a closure of the host program.
    Native(Arc<dyn Handler>),
}

/// A program that a hook runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandSpec {
    /// The shell text; if `arguments` is set, the program.
    pub command: String,
    /// The program's arguments, which run it without a shell. Default: `None`, so `command` is shell text.
    pub arguments: Option<Vec<String>>,
    /// The shell, which is called with `-c` and the text; `None` is `/bin/sh`, whatever the user's login shell is.
    pub shell: Option<String>,
    /// Environment variables that are added to Pintle's own and override them.
    pub environment: Vec<(String, String)>,
    /// The working directory, absolute or relative to [`Origin::cwd`](crate::Origin::cwd); `None` is
    /// [`Origin::cwd`](crate::Origin::cwd) itself.
    pub directory: Option<String>,
    /// Whether `${env.NAME}` is expanded in `environment`, and `~`, `$NAME`, `${NAME}` and `${env.NAME}` in
    /// `directory`.
    pub expands: bool,
    /// Whether one persistent process handles many calls, with one line of JSON each.
    pub keep: bool,
    /// The restrictions on the program; `None` is unrestricted.
    pub sandbox: Option<SandboxSpec>,
    /// The files that the command was loaded with, if it may only run these. Default: `None`, it may run any file that
    /// it names.
    pub binding: Option<Arc<CommandBinding>>,
}

/// The files that a project's command was loaded with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandBinding {
    /// The project directory, with symbolic links resolved.
    pub project_dir: PathBuf,
    /// The files, with symbolic links resolved, and the digest of each.
    pub files: BTreeMap<PathBuf, String>,
    /// Whether these are all the files that the command names, so that in another directory it must name the same ones.
    /// Otherwise they are only its programs.
    pub is_complete: bool,
}

/// A server that a hook calls: the payload is posted as JSON, and the response is read like the output of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpSpec {
    /// The URL, as written.
    pub url: String,
    /// Headers in addition to `Content-Type`; `$NAME` and `${NAME}` in their values are replaced by variables of
    /// `allowed_environment`.
    pub headers: Vec<(String, String)>,
    /// The environment variables that headers may contain; all others are empty.
    pub allowed_environment: Vec<String>,
}

/// The restrictions on a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SandboxSpec {
    /// Whether the program may only read files. It can still write to `/dev/null` and its own pipes.
    pub read_only: bool,
    /// Whether the program is denied network access.
    pub no_network: bool,
}

/// A handler built into Pintle, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuiltinSpec {
    /// The name of the builtin, such as `add_date`.
    pub name: String,
    /// The arguments of the builtin.
    pub arguments: Vec<String>,
    /// Environment variables, as in [`CommandSpec::environment`].
    pub environment: Vec<(String, String)>,
    /// The working directory, as in [`CommandSpec::directory`].
    pub directory: Option<String>,
    /// Whether variables are expanded, as in [`CommandSpec::expands`].
    pub expands: bool,
}

/// A language model that returns a verdict on an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgeSpec {
    /// The model as the user wrote it, such as `openai/gpt-4o-mini`.
    pub model: String,
    /// The template of the prompt, over the payload as the dialect encodes it.
    pub prompt: String,
    /// The name of the schema that the reply must match, such as `pre_tool_use_decision`; `None` accepts any text.
    pub schema: Option<String>,
}

/// Starlark source, with its position in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptSource {
    /// The source, with the file's indentation removed.
    pub text: Arc<str>,
    /// The position of the source in its file.
    pub location: Location,
    /// The line of the file, from 1, that contains the first line of `text`.
    pub first_line: usize,
    /// The number of characters before each line of `text` in the file.
    pub indent: usize,
}

impl ScriptSource {
    /// Creates source that is not in a file.
    pub fn without_file(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), location: Location::default(), first_line: 1, indent: 0 }
    }
}

/// One example of a hook: a payload, and what the hook must decide about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookExample {
    /// The payload that is fired.
    pub payload: Value,
    /// The expected verdict: `allow`, `block`, `modify` or `ask`.
    pub expect: String,
    /// A text that the reason must contain.
    pub reason: Option<String>,
    /// Fields of the payload, or arguments of the call, as they must be after the rewrite.
    pub rewrite: Option<Map<String, Value>>,
    /// A text that the context for the model must contain.
    pub context: Option<String>,
    /// Metrics that the hook must have counted or set, with their values.
    pub metrics: Option<Map<String, Value>>,
    /// A text that a line which the hook logs must contain.
    pub log: Option<String>,
    /// Where it was declared.
    pub location: Location,
}
