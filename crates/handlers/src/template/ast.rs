//! What a template is made of.

use serde_json::Value;

use super::functions::TemplateFunction;

/// A piece of a template.
#[derive(Debug)]
pub(super) enum TemplateNode {
    /// Text that stays as it is.
    Text(String),
    /// A value that is printed, or a variable that is set.
    Print(PipelineNode),
    /// `if`.
    If(ConditionalNode),
    /// `with`.
    With(ConditionalNode),
    /// `range`.
    Range(ConditionalNode),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// A condition and what follows from it.
#[derive(Debug)]
pub(super) struct ConditionalNode {
    pub(super) condition: PipelineNode,
    pub(super) then_nodes: Vec<TemplateNode>,
    pub(super) else_nodes: Vec<TemplateNode>,
}

/// Commands, of which each gets the value of the one before as its last argument.
#[derive(Debug)]
pub(super) struct PipelineNode {
    /// The variables that it sets; two only in a `range`.
    pub(super) variables: Vec<String>,
    /// Whether the variables exist already.
    pub(super) is_assignment: bool,
    pub(super) commands: Vec<PipelineCommand>,
}

/// A function with its arguments, or one value.
#[derive(Debug)]
pub(super) enum PipelineCommand {
    Call(&'static TemplateFunction, Vec<TemplateOperand>),
    Value(TemplateOperand),
}

/// A value and the fields that are taken of it, one of the other.
#[derive(Debug)]
pub(super) struct TemplateOperand {
    pub(super) base: OperandBase,
    pub(super) fields: Vec<String>,
}

/// Where a value comes from.
#[derive(Debug)]
pub(super) enum OperandBase {
    /// `.`.
    Dot,
    /// `$name`; empty for `$`, the whole input.
    Variable(String),
    /// A literal; `nil` is null.
    Literal(Value),
    /// A pipeline in parentheses, or a function without arguments.
    Pipeline(Box<PipelineNode>),
}
