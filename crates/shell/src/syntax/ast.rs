//! The syntax tree of a command line.

use std::rc::Rc;

/// Whose rules a text is read by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum GrammarKind {
    #[default]
    Bash,
    Zsh,
}

/// Commands that run one after another, and why the rest could not be read.
#[derive(Debug, Default)]
pub(crate) struct ShellScript {
    pub(crate) pipelines: Vec<BashPipeline>,
    /// Why the text behind the last pipeline could not be parsed.
    pub(crate) fault: Option<&'static str>,
    /// Whether zsh reads the text otherwise.
    pub(crate) is_other_in_zsh: bool,
}

/// Commands whose output is the input of the next one.
#[derive(Debug, Default)]
pub(crate) struct BashPipeline {
    pub(crate) commands: Vec<BashCommand>,
    /// Whether it runs after the pipeline in front of it.
    pub(crate) link: PipelineLink,
    /// `!`: it fails if its last command succeeds.
    pub(crate) is_negated: bool,
    /// `&`: it runs in a shell of its own, and so does what `&&` and `||` link to it.
    pub(crate) is_background: bool,
    /// `coproc`: other commands read what it prints.
    pub(crate) is_coprocess: bool,
    /// Where it begins in the text, in bytes.
    pub(crate) offset: usize,
}

impl BashPipeline {
    pub(crate) fn new(commands: Vec<BashCommand>) -> Self {
        Self { commands, ..Self::default() }
    }
}

/// When a pipeline runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PipelineLink {
    #[default]
    Always,
    /// `&&`.
    AfterSuccess,
    /// `||`.
    AfterFailure,
}

/// A branch of `if` or `case`.
#[derive(Debug, Default)]
pub(crate) struct BashBranch {
    /// What runs before it is known whether the body does.
    pub(crate) condition: Vec<BashPipeline>,
    pub(crate) body: Vec<BashPipeline>,
    /// `;&`: the body of the next branch follows.
    pub(crate) falls_through: bool,
}

/// A simple or compound command.
#[derive(Debug)]
pub(crate) enum BashCommand {
    Simple(SimpleCommand),
    /// Commands in `( )` or `{ }`; `true` for a subshell.
    Group(Vec<BashPipeline>, bool, Vec<BashRedirect>),
    /// `while` and `until`: the condition and the body.
    While(Vec<BashPipeline>, Vec<BashPipeline>, Vec<BashRedirect>),
    /// `if` and `case`: one branch runs, or none of them unless the last one is an `else`.
    Branches(Vec<BashBranch>, bool, Vec<BashRedirect>),
    /// `for NAME in WORDS`; `None` for the arguments of the script.
    For(String, Option<Vec<BashWord>>, Vec<BashPipeline>, Vec<BashRedirect>),
    /// A function; in zsh it may have several names.
    Function(Vec<String>, Rc<BashCommand>),
    /// The words of `[[ … ]]`, the expression of `(( … ))`, or the word and the patterns of a `case`.
    Test(Vec<BashWord>, Vec<BashRedirect>),
}

/// A program with its arguments, or assignments alone.
#[derive(Debug, Default)]
pub(crate) struct SimpleCommand {
    pub(crate) assignments: Vec<BashAssignment>,
    /// The arrays that its program sets: `declare NAME=(values)`.
    pub(crate) declared: Vec<BashAssignment>,
    pub(crate) words: Vec<BashWord>,
    pub(crate) redirects: Vec<BashRedirect>,
}

/// Builtins whose arguments may be assignments.
const DECLARING: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

impl SimpleCommand {
    /// Whether the arguments of its program may be assignments.
    pub(crate) fn is_declaring(&self) -> bool {
        self.words.first().and_then(BashWord::as_literal).is_some_and(|name| DECLARING.contains(&name))
    }
}

/// `NAME=value`, or `NAME=(values)`.
#[derive(Debug, Default)]
pub(crate) struct BashAssignment {
    pub(crate) name: String,
    pub(crate) words: Vec<BashWord>,
    /// `NAME[1]=value`: the other elements stay.
    pub(crate) subscript: Option<BashWord>,
    /// `NAME=(values)`.
    pub(crate) is_array: bool,
    /// `+=`: it is added to the value before.
    pub(crate) is_added: bool,
}

/// A redirection of a command's input or output.
#[derive(Debug)]
pub(crate) struct BashRedirect {
    pub(crate) kind: RedirectKind,
    /// The number or the variable in front of it; empty for the usual one.
    pub(crate) descriptor: String,
    /// The file, the text of a here-document, or the number of a file descriptor.
    pub(crate) target: BashWord,
    /// Whether other redirections of its descriptor, or a pipe, get or give the text as well, as in zsh.
    pub(crate) is_shared: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Input,
    /// `>`, `>|`, `&>`.
    Output,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
    /// `<<`, `<<<`: the target is the text itself.
    Text,
    /// `>&` with a file descriptor.
    Duplicate,
    /// `<&` with a file descriptor.
    DuplicateInput,
}

/// A word before expansion.
#[derive(Debug, Default, Clone)]
pub(crate) struct BashWord {
    pub(crate) pieces: Vec<WordPiece>,
}

impl BashWord {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { pieces: vec![WordPiece::Literal(text.into())] }
    }

    /// `(( … ))` with this expression.
    pub(crate) fn into_test(self, redirects: Vec<BashRedirect>) -> BashCommand {
        BashCommand::Test(vec![Self { pieces: vec![WordPiece::Arithmetic(self)] }], redirects)
    }

    /// Whether it begins with `NAME=`.
    pub(crate) fn is_assignment(&self) -> bool {
        let Some(WordPiece::Literal(text)) = self.pieces.first() else { return false };
        let name = text.split('=').next().unwrap_or_default();
        name.len() < text.len()
            && !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || "_+".contains(letter))
    }

    /// Whether it is the subscript of all elements.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.pieces.as_slice(), [WordPiece::Literal(text) | WordPiece::Quoted(text)] if matches!(text.as_str(), "@" | "*"))
    }

    /// The text of a word without expansions and quotes.
    pub(crate) fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [WordPiece::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Debug, Clone)]
pub(crate) enum WordPiece {
    /// Unquoted text, in which `*`, `{a,b}` and a leading `~` have their meaning.
    Literal(String),
    /// Quoted text.
    Quoted(String),
    /// `$NAME` or `${NAME…}`.
    Variable(Box<VariableExpansion>),
    /// `$( … )` or backticks.
    Substitution(Rc<ShellScript>, bool),
    /// `<( … )`, or `>( … )` if `true`.
    Process(Rc<ShellScript>, bool),
    /// The value of a PowerShell expression; a word that is nothing else may come to several arguments.
    #[cfg(feature = "powershell")]
    Value(Rc<ShellScript>),
    /// `$(( … ))`: a number, with its expression.
    Arithmetic(BashWord),
    /// Code that selects the files of a pattern; it adds no text.
    Selection(Rc<ShellScript>),
}

/// An expansion of a variable.
#[derive(Debug, Clone, Default)]
pub(crate) struct VariableExpansion {
    pub(crate) name: String,
    /// The operator and its words, such as `:-` or `#`; empty for a plain variable.
    pub(crate) operator: String,
    pub(crate) operand: BashWord,
    pub(crate) quoted: bool,
    /// `${NAME[2]}`: which element.
    pub(crate) subscript: Option<BashWord>,
    /// `${!NAME}`: the name is the value of another variable.
    pub(crate) indirect: bool,
    /// What zsh has in front of the name: the letters in `( )`, and `=`, `~`, `^` or `+`.
    pub(crate) flags: String,
    /// What is in place of the name, as in `${${NAME}:h}`.
    pub(crate) inner: Option<BashWord>,
}
