//! Helpers that read a parsed script.

use std::collections::BTreeSet;

use starlark::syntax::ast::{
    ArgumentP, AssignTargetP, AstArgument, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload, AstParameter, AstStmt,
    BinOp, ClauseP, DefP, Expr, ForClause, LambdaP, ParameterP, Stmt,
};

pub(crate) type ParameterNode = ParameterP<AstNoPayload>;
pub(crate) type ArgumentNode = ArgumentP<AstNoPayload>;
pub(crate) type DefNode = DefP<AstNoPayload>;
pub(super) type LambdaNode = LambdaP<AstNoPayload>;
pub(crate) type ClauseNode = ClauseP<AstNoPayload>;

/// The byte span of a node in the prepared text.
pub(crate) fn span_of<T>(node: &starlark::codemap::Spanned<T>) -> (usize, usize) {
    (node.span.begin().get() as usize, node.span.end().get() as usize)
}

/// Every expression of a statement, outermost first.
pub(crate) fn expressions_in(stmt: &AstStmt) -> Vec<&AstExpr> {
    let mut found = Vec::new();
    stmt.visit_expr(|expr| collect_expressions(expr, &mut found));
    found
}

/// An expression and everything in it, outermost first.
pub(crate) fn nested_expressions(expr: &AstExpr) -> Vec<&AstExpr> {
    let mut found = Vec::new();
    collect_expressions(expr, &mut found);
    found
}

fn collect_expressions<'a>(expr: &'a AstExpr, expressions: &mut Vec<&'a AstExpr>) {
    expressions.push(expr);
    expr.visit_expr(|inner| collect_expressions(inner, expressions));
}

/// A statement and all statements in it, outermost first.
pub(crate) fn statements_in(stmt: &AstStmt) -> Vec<&AstStmt> {
    fn collect<'a>(stmt: &'a AstStmt, statements: &mut Vec<&'a AstStmt>) {
        statements.push(stmt);
        stmt.visit_stmt(|inner| collect(inner, statements));
    }
    let mut found = Vec::new();
    collect(stmt, &mut found);
    found
}

/// The names that expressions read.
pub(crate) fn names_read<'a>(expressions: impl IntoIterator<Item = &'a AstExpr>) -> BTreeSet<&'a str> {
    expressions.into_iter().filter_map(identifier_name).collect()
}

/// The loops of a comprehension, outermost first; none for any other expression.
pub(crate) fn comprehension_loops(expr: &AstExpr) -> impl Iterator<Item = &ForClause> {
    let (first, rest) = match &expr.node {
        Expr::ListComprehension(_, first, rest) | Expr::DictComprehension(_, first, rest) => {
            (Some(&**first), rest.as_slice())
        }
        _ => (None, [].as_slice()),
    };
    let inner = rest.iter().filter_map(|clause| match clause {
        ClauseNode::For(each) => Some(each),
        ClauseNode::If(_) => None,
    });
    first.into_iter().chain(inner)
}

pub(crate) fn block_statements(stmt: &AstStmt) -> &[AstStmt] {
    match &stmt.node {
        Stmt::Statements(inner) => inner,
        _ => std::slice::from_ref(stmt),
    }
}

pub(crate) fn string_literal(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Literal(AstLiteral::String(text)) => Some(text),
        _ => None,
    }
}

pub(crate) fn identifier_name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}

/// Whether an expression is `True`, `False` or `None`.
pub(crate) fn is_constant_name(expr: &AstExpr) -> bool {
    matches!(identifier_name(expr), Some("True" | "False" | "None"))
}

/// The two values of which an expression is one: those of `a or b`, `a and b` and `a if condition else b`.
pub(super) fn alternatives(expr: &AstExpr) -> Option<[&AstExpr; 2]> {
    match &expr.node {
        Expr::Op(left, BinOp::And | BinOp::Or, right) => Some([left, right]),
        Expr::If(parts) => Some([&parts.1, &parts.2]),
        _ => None,
    }
}

pub(crate) fn is_comparison(op: BinOp) -> bool {
    is_ordering(op) || matches!(op, BinOp::Equal | BinOp::NotEqual | BinOp::In | BinOp::NotIn)
}

pub(super) fn is_ordering(op: BinOp) -> bool {
    matches!(op, BinOp::Less | BinOp::LessOrEqual | BinOp::Greater | BinOp::GreaterOrEqual)
}

/// The targets of an assignment, without the tuples around them.
pub(super) fn target_parts(target: &AstAssignTarget) -> Vec<&AstAssignTarget> {
    match &target.node {
        AssignTargetP::Tuple(parts) => parts.iter().flat_map(target_parts).collect(),
        _ => vec![target],
    }
}

/// The name that a target without parts binds.
pub(crate) fn target_name(target: &AstAssignTarget) -> Option<&str> {
    match &target.node {
        AssignTargetP::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}

/// The names that an assignment binds.
pub(super) fn target_names(target: &AstAssignTarget) -> Vec<&str> {
    target_parts(target).into_iter().filter_map(target_name).collect()
}

/// The names that an assignment or a loop itself binds.
pub(crate) fn assigned_names(stmt: &AstStmt) -> Vec<&str> {
    match &stmt.node {
        Stmt::Assign(assign) => target_names(&assign.lhs),
        Stmt::AssignModify(target, _, _) => target_names(target),
        Stmt::For(each) => target_names(&each.var),
        _ => Vec::new(),
    }
}

/// The values that the statements in a body return.
pub(super) fn returned_values(body: &AstStmt) -> Vec<&AstExpr> {
    let values = statements_in(body).into_iter().filter_map(|stmt| match &stmt.node {
        Stmt::Return(value) => value.as_ref(),
        _ => None,
    });
    values.collect()
}

/// Whether an argument is spread: `*rest` or `**named`.
pub(crate) fn is_spread(argument: &AstArgument) -> bool {
    matches!(argument.node, ArgumentNode::Args(_) | ArgumentNode::KwArgs(_))
}

/// Methods that dicts have and strings do not.
pub(crate) const DICT_METHODS: &[&str] =
    &["get", "items", "keys", "values", "pop", "popitem", "setdefault", "update", "clear"];
/// Methods that change lists and dicts.
const MUTATORS: &[&str] =
    &["append", "extend", "insert", "pop", "popitem", "remove", "clear", "setdefault", "update", "add", "discard"];

/// A call of a method.
#[derive(Clone, Copy)]
pub(crate) struct MethodCall<'a> {
    pub(crate) base: &'a AstExpr,
    pub(crate) method: &'a str,
    pub(crate) arguments: &'a [AstArgument],
}

impl<'a> MethodCall<'a> {
    pub(crate) fn from_expr(expr: &'a AstExpr) -> Option<Self> {
        let Expr::Call(callee, call) = &expr.node else { return None };
        let Expr::Dot(base, method) = &callee.node else { return None };
        Some(Self { base, method: &method.node, arguments: &call.args })
    }

    /// The same for a function of a text: `string.lower(text)` is a call of `text`.
    pub(super) fn from_text_expr(expr: &'a AstExpr) -> Option<Self> {
        let call = Self::from_expr(expr)?;
        match call.arguments.split_first() {
            Some((first, rest)) if identifier_name(call.base) == Some("string") => {
                Some(Self { base: first.expr(), arguments: rest, ..call })
            }
            _ => Some(call),
        }
    }

    /// Whether the method may change a list or a dict.
    pub(super) fn is_mutator(&self) -> bool {
        MUTATORS.contains(&self.method)
    }

    pub(crate) fn first_argument(&self) -> Option<&'a AstExpr> {
        self.arguments.first().map(|argument| argument.expr())
    }
}

/// A function of a script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionNode<'a> {
    pub(crate) parameters: &'a [AstParameter],
    pub(crate) body: ScriptFunctionBody<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum ScriptFunctionBody<'a> {
    /// The body of a `def`.
    Block(&'a AstStmt),
    /// The body of a `lambda`.
    Value(&'a AstExpr),
}

impl<'a> FunctionNode<'a> {
    pub(crate) fn from_def(def: &'a DefNode) -> Self {
        Self { parameters: &def.params, body: ScriptFunctionBody::Block(&def.body) }
    }

    pub(super) fn from_lambda(lambda: &'a LambdaNode) -> Self {
        Self { parameters: &lambda.params, body: ScriptFunctionBody::Value(&lambda.body) }
    }

    /// The span of its body.
    pub(super) fn span(&self) -> (usize, usize) {
        match self.body {
            ScriptFunctionBody::Block(stmt) => span_of(stmt),
            ScriptFunctionBody::Value(expr) => span_of(expr),
        }
    }

    pub(crate) fn parameter_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.parameters.iter().filter_map(|parameter| parameter.ident()).map(|name| name.ident.as_str())
    }

    /// The name of the parameter at a position, if it is plain.
    pub(crate) fn plain_parameter(&self, position: usize) -> Option<&'a str> {
        match &self.parameters.get(position)?.node {
            ParameterNode::Normal(name, _, _) => Some(&name.ident),
            _ => None,
        }
    }

    /// The parameters with defaults.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = (&'a str, &'a AstExpr)> + use<'a> {
        self.parameters.iter().filter_map(|parameter| match &parameter.node {
            ParameterNode::Normal(name, _, Some(default)) => Some((name.ident.as_str(), &**default)),
            _ => None,
        })
    }

    /// The values that it may return, and those of the functions in it.
    pub(crate) fn returned_values(&self) -> Vec<&'a AstExpr> {
        match self.body {
            ScriptFunctionBody::Block(stmt) => returned_values(stmt),
            ScriptFunctionBody::Value(expr) => vec![expr],
        }
    }

    /// The statements of its body, outermost first.
    pub(crate) fn statements(&self) -> Vec<&'a AstStmt> {
        match self.body {
            ScriptFunctionBody::Block(stmt) => statements_in(stmt),
            ScriptFunctionBody::Value(_) => Vec::new(),
        }
    }

    /// The expressions of its body that are in no other.
    pub(crate) fn outermost_expressions(&self) -> Vec<&'a AstExpr> {
        let mut found = Vec::new();
        match self.body {
            ScriptFunctionBody::Block(stmt) => stmt.visit_expr(|expr| found.push(expr)),
            ScriptFunctionBody::Value(expr) => found.push(expr),
        }
        found
    }
}
