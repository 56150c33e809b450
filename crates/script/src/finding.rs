//! Findings about a script, as spans of its prepared text, and their conversion to diagnostics.

use pintle_contract::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

use crate::source::PreparedSource;

/// One finding about a script. Unlike a [`Diagnostic`] it can be sent from a worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFinding {
    /// The severity.
    pub severity: Severity,
    /// The rule that found it.
    pub code: FindingCode,
    /// The message: lower case, one line, no full stop.
    pub message: String,
    /// The byte range in the prepared text; `None` is the whole script.
    pub span: Option<(usize, usize)>,
    /// The next step.
    pub help: Option<String>,
}

/// The stable short names of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingCode {
    /// The source is too large or nested too deeply to be parsed.
    Limit,
    /// The source does not parse.
    Syntax,
    /// A name or attribute that does not exist.
    UnknownName,
    /// A built-in that this kind of script does not have.
    Unavailable,
    /// A tool that the script calls but does not list, or lists but does not call.
    UnnamedTool,
    /// The entry point is missing, is not a function, or takes other arguments.
    EntryPoint,
    /// A field that a payload, or a part of it, does not have.
    UnknownField,
    /// An argument that a tool does not have.
    UnknownArgument,
    /// A word that a field never is.
    UnknownWord,
    /// A decision that is not returned.
    UnusedDecision,
    /// A returned value that is not a decision.
    NotADecision,
    /// A decision with the wrong arguments.
    BadDecision,
    /// A decision that the event does not have.
    NoEffect,
    /// A hook without a refusal that is ever reached.
    NeverRefuses,
    /// A regular expression that does not compile.
    BadPattern,
    /// A finding of the linter.
    Lint,
    /// Loading the script raised an error.
    Load,
    /// A call raised an error.
    Runtime,
    /// An interpretation of the script that its author should know.
    #[serde(rename = "reading")]
    Interpretation,
}

impl FindingCode {
    /// The name that diagnostics carry.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "script_limit",
            Self::Syntax => "script_syntax",
            Self::UnknownName => "unknown_name",
            Self::Unavailable => "unavailable_builtin",
            Self::UnnamedTool => "unnamed_tool",
            Self::EntryPoint => "entry_point",
            Self::UnknownField => "unknown_field",
            Self::UnknownArgument => "unknown_argument",
            Self::UnknownWord => "unknown_word",
            Self::UnusedDecision => "unused_decision",
            Self::NotADecision => "not_a_decision",
            Self::BadDecision => "bad_decision",
            Self::NoEffect => "no_effect",
            Self::NeverRefuses => "never_refuses",
            Self::BadPattern => "bad_pattern",
            Self::Lint => "script_lint",
            Self::Load => "script_load",
            Self::Runtime => "script_error",
            Self::Interpretation => "script_reading",
        }
    }
}

impl ScriptFinding {
    pub(crate) fn error(code: FindingCode, message: impl Into<String>, span: Option<(usize, usize)>) -> Self {
        Self { severity: Severity::Error, code, message: to_one_line(message.into()), span, help: None }
    }

    pub(crate) fn warning(code: FindingCode, message: impl Into<String>, span: Option<(usize, usize)>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, span) }
    }

    pub(crate) fn note(code: FindingCode, message: impl Into<String>, span: Option<(usize, usize)>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message, span) }
    }

    /// The finding in a text that starts `offset` bytes into the parsed one. A span before it becomes the whole text.
    pub(crate) fn shifted_by(mut self, offset: usize) -> Self {
        self.span = self.span.and_then(|(start, end)| Some((start.checked_sub(offset)?, end.checked_sub(offset)?)));
        self
    }

    /// The interpreter crashed.
    pub(crate) fn interpreter_crash() -> Self {
        Self::error(FindingCode::Load, "the interpreter crashed while loading the script", None)
            .help("simplify the script; it may build a very large value while it is loaded")
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The diagnostic at the location in the script's file.
    #[must_use]
    pub(crate) fn locate(&self, source: &PreparedSource) -> Diagnostic {
        Diagnostic {
            severity: self.severity,
            code: self.code.name(),
            message: source.restore_names(&self.message),
            location: source.location(self.span),
            help: self.help.as_deref().map(|help| source.restore_names(help)),
        }
    }
}

/// Messages of the interpreter may have several lines; diagnostics have one.
pub(crate) fn to_one_line(text: String) -> String {
    if !text.contains('\n') {
        return text;
    }
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
