//! What a template is made of.

use serde_json::Value;

use super::functions::Function;

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Node {
    /// Text that stays as it is.
    Text(String),
    /// A value that is printed, or a variable that is set.
    Print(Pipeline),
    /// `if`.
    If(Branch),
    /// `with`.
    With(Branch),
    /// `range`.
    Range(Branch),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// A condition and what follows from it.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) condition: Pipeline,
    pub(super) then: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

/// Commands, of which each gets the value of the one before as its last argument.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// The variables that it sets; two only in a `range`.
    pub(super) variables: Vec<String>,
    /// Whether the variables exist already.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
}

/// A function with its arguments, or one value.
#[derive(Debug)]
pub(super) enum Command {
    Call(&'static Function, Vec<Operand>),
    Value(Operand),
}

/// A value and the fields that are taken of it, one of the other.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) base: Base,
    pub(super) fields: Vec<String>,
}

/// Where a value comes from.
#[derive(Debug)]
pub(super) enum Base {
    /// `.`.
    Dot,
    /// `$name`; empty for `$`, the whole input.
    Variable(String),
    /// A literal; `nil` is null.
    Literal(Value),
    /// A pipeline in parentheses, or a function without arguments.
    Pipeline(Box<Pipeline>),
}
