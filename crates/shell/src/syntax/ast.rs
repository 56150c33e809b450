//! The syntax tree of a command line.

use std::rc::Rc;

/// Commands that run one after another, and why the rest could not be read.
#[derive(Debug, Default)]
pub(crate) struct ShellScript {
    pub(crate) pipelines: Vec<Pipeline>,
    /// Why the text behind the last pipeline could not be parsed.
    pub(crate) fault: Option<&'static str>,
}

/// Commands whose output is the input of the next one.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub(crate) commands: Vec<Command>,
}

/// A simple or compound command.
#[derive(Debug)]
pub(crate) enum Command {
    Simple(SimpleCommand),
    /// Commands in `( )` or `{ }`; `true` for a subshell.
    Group(Vec<Pipeline>, bool, Vec<Redirect>),
    /// Branches that may each run: of `if`, `case`, `while` without a variable.
    Branches(Vec<Vec<Pipeline>>, Vec<Redirect>),
    /// `for NAME in WORDS`; `None` for the arguments of the script.
    For(String, Option<Vec<Word>>, Vec<Pipeline>, Vec<Redirect>),
    Function(String, Rc<Command>),
    /// The words of `[[ … ]]`, or the text of `(( … ))`.
    Test(Vec<Word>),
}

/// A program with its arguments, or assignments alone.
#[derive(Debug, Default)]
pub(crate) struct SimpleCommand {
    pub(crate) assignments: Vec<(String, Vec<Word>)>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
}

/// A redirection of a command's input or output.
#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The file, the text of a here-document, or the number of a file descriptor.
    pub(crate) target: Word,
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
    /// `>&`, `<&` with a file descriptor.
    Duplicate,
}

/// A word before expansion.
#[derive(Debug, Default, Clone)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<WordPiece>,
}

impl Word {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { pieces: vec![WordPiece::Literal(text.into())] }
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
    Variable(Expansion),
    /// `$( … )` or backticks.
    Substitution(Rc<ShellScript>, bool),
    /// `<( … )`, or `>( … )` if `true`.
    Process(Rc<ShellScript>, bool),
    /// `$(( … ))`: a number.
    Arithmetic,
}

/// An expansion of a variable.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    pub(crate) name: String,
    /// The operator and its words, such as `:-` or `#`; empty for a plain variable.
    pub(crate) operator: String,
    pub(crate) operand: Word,
    pub(crate) quoted: bool,
    /// `${!NAME}`: the name is the value of another variable.
    pub(crate) indirect: bool,
}
