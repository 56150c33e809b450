//! The syntax tree of a template.

use serde_json::Value;

use super::functions::TemplateFunction;

/// A node of a template.
#[derive(Debug)]
pub(super) enum TemplateNode {
    /// Literal text.
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

/// A condition with its branches.
#[derive(Debug)]
pub(super) struct ConditionalNode {
    pub(super) condition: PipelineNode,
    pub(super) then_nodes: Vec<TemplateNode>,
    pub(super) else_nodes: Vec<TemplateNode>,
}

/// Commands, each of which gets the value of the previous one as its last argument.
#[derive(Debug)]
pub(super) struct PipelineNode {
    /// The variables that it sets; two only in a `range`.
    pub(super) variables: Vec<String>,
    /// Whether the variables already exist.
    pub(super) is_assignment: bool,
    pub(super) commands: Vec<PipelineCommand>,
}

/// A function with its arguments, or one value.
#[derive(Debug)]
pub(super) enum PipelineCommand {
    Call(&'static TemplateFunction, Vec<TemplateOperand>),
    Value(TemplateOperand),
}

/// A value and the chain of fields that are read from it.
#[derive(Debug)]
pub(super) struct TemplateOperand {
    pub(super) base: OperandBase,
    pub(super) fields: Vec<String>,
}

/// The origin of a value.
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
