//! Tool calls, and what tools return.

use std::fmt;

use pintle_host::lifecycle::ToolCallRequest;
use pintle_host::tools;
use serde_json::Value;

/// A tool call that an agent wants to make, in the agent's own words.
#[derive(Clone)]
pub struct ToolCall(pub(crate) ToolCallRequest);

impl ToolCall {
    /// A call of a tool. `id` is the agent's ID of the call; `name` and `args` are in the words of Pintle's own loop, such as
    /// `shell` or `read_file`, unless [`ToolCall::vocabulary`] names others.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        let name = name.into();
        let vocabulary = tools::own_vocabulary(&name, &args);
        Self(ToolCallRequest::new(id, vocabulary, name, args))
    }

    /// Sets whose words the call is in. Default: those of Pintle's own loop.
    #[must_use]
    pub fn vocabulary(mut self, vocabulary: ToolVocabulary) -> Self {
        self.0.vocabulary = vocabulary.0;
        self
    }

    /// Sets the directory to which relative paths refer. Default: that of the [`Origin`](crate::Origin).
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<String>) -> Self {
        self.0.cwd = Some(dir.into());
        self
    }

    /// Sets the arguments as the model wrote them, which may be JSON that does not fit the tool. Default: those of the call,
    /// as JSON.
    #[must_use]
    pub fn arguments_text(mut self, text: impl Into<String>) -> Self {
        self.0.arguments = Some(text.into());
        self
    }

    /// Sets the permission mode of the session, which hooks can read, such as `plan`.
    #[must_use]
    pub fn permission_mode(mut self, mode: impl Into<String>) -> Self {
        self.0.permission_mode = Some(mode.into());
        self
    }

    /// Says whether the tool declares itself read-only.
    #[must_use]
    pub fn read_only(mut self, is_read_only: bool) -> Self {
        self.0.read_only = Some(is_read_only);
        self
    }

    /// The agent's ID of the call.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The name of the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The arguments.
    #[must_use]
    pub fn args(&self) -> &Value {
        &self.0.args
    }

    /// An argument.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.0.args.get(name)
    }

    /// The result of the call, for [`Runtime::conclude_tool_call`](crate::Runtime::conclude_tool_call).
    #[must_use]
    pub fn result(&self, content: &str) -> ToolOutput {
        ToolOutput(pintle_host::event::ToolResult::from_content(self.id(), self.name(), content, false))
    }

    /// The result of a call that failed.
    #[must_use]
    pub fn error(&self, message: &str) -> ToolOutput {
        ToolOutput(pintle_host::event::ToolResult::from_content(self.id(), self.name(), message, true))
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, args) = (self.name(), self.args());
        f.debug_struct("ToolCall").field("id", &self.id()).field("name", &name).field("args", args).finish()
    }
}

/// What a tool returned, as the model receives it. [`ToolCall::result`] and [`ToolCall::error`] create it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput(pub(crate) pintle_host::event::ToolResult);

impl ToolOutput {
    /// The text for the model.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.0.content
    }

    /// Takes the text out.
    #[must_use]
    pub fn into_content(self) -> String {
        self.0.content
    }

    /// Whether the tool failed, or a hook withheld its result.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.is_error
    }
}

/// The names that an agent has for its tools and their arguments.
#[derive(Clone, Copy)]
pub struct ToolVocabulary(&'static tools::ToolVocabulary);

impl ToolVocabulary {
    /// Pintle's own: `shell`, `read`, `write`, `edit` and the others of the tool reference.
    pub const PINTLE: Self = Self(&tools::PINTLE);
    /// Claude Code's: `Bash`, `Read`, `Edit`.
    pub const CLAUDE: Self = Self(&tools::CLAUDE);

    /// The vocabulary with a name, such as `codex` or `gemini`; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        tools::VOCABULARIES.iter().find(|vocabulary| vocabulary.name == name).map(|vocabulary| Self(vocabulary))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The names of all vocabularies.
    pub fn names() -> impl Iterator<Item = &'static str> {
        tools::VOCABULARIES.iter().map(|vocabulary| vocabulary.name)
    }
}

impl fmt::Debug for ToolVocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolVocabulary({:?})", self.name())
    }
}
