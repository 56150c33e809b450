//! Tracks a payload through the functions of a script, to find the parts that are read.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AstArgument, AstExpr, BinOp, Expr, Stmt};

use super::super::ast::{
    ArgumentNode, FunctionNode, MethodCall, identifier_name, is_spread, string_literal, target_name,
};
use super::super::payload_reads::FieldSet;
use super::super::resolved::BoundNames;

/// The maximum depth of helper calls through which a payload is tracked.
const MAX_HELPERS: usize = 8;
/// The maximum number of helper calls that are tracked.
const MAX_FOLLOWED: usize = 500;
/// The maximum depth in the payload. Deeper values are read together with their parent.
const MAX_PATH: usize = 8;

/// The payload reads of a function's parameter, including calls of top-level functions.
pub(super) fn keys_of<'a>(
    names: &BoundNames<'a>,
    top_level: &BTreeMap<&'a str, FunctionNode<'a>>,
    function: FunctionNode<'a>,
    payload: &'a str,
) -> FieldSet {
    let mut reading = ReadTracker { names, top_level, root: PayloadNode::default(), followed_count: 0 };
    reading.follow_function(function, payload, &[], 0);
    reading.root.into_field_set()
}

/// A part of the payload.
enum PayloadNode<'a> {
    /// Only these keys are read; without any, only its existence is checked.
    Keys(BTreeMap<&'a str, PayloadNode<'a>>),
    /// All of it is read.
    All,
}

impl Default for PayloadNode<'_> {
    fn default() -> Self {
        Self::Keys(BTreeMap::new())
    }
}

impl<'a> PayloadNode<'a> {
    /// The node at a path; `None` if a node above it is read completely.
    fn node_at(&mut self, path: &[&'a str]) -> Option<&mut Self> {
        match (self, path) {
            (node, []) => Some(node),
            (Self::All, _) => None,
            (Self::Keys(keys), [first, rest @ ..]) => keys.entry(first).or_default().node_at(rest),
        }
    }

    fn into_field_set(self) -> FieldSet {
        match self {
            Self::All => FieldSet::All,
            Self::Keys(keys) if keys.is_empty() => FieldSet::None,
            Self::Keys(keys) => {
                FieldSet::Some(keys.into_iter().map(|(name, node)| (name.to_owned(), node.into_field_set())).collect())
            }
        }
    }
}

struct ReadTracker<'d, 'a> {
    names: &'d BoundNames<'a>,
    top_level: &'d BTreeMap<&'a str, FunctionNode<'a>>,
    root: PayloadNode<'a>,
    followed_count: usize,
}

/// The names of one function for parts of the payload.
struct AliasScope<'a> {
    paths: BTreeMap<&'a str, Vec<&'a str>>,
    /// The expressions that define such a name; the definition alone reads nothing.
    alias_definitions: Vec<&'a AstExpr>,
}

impl<'a> ReadTracker<'_, 'a> {
    /// Records that a part is read completely.
    fn mark_whole(&mut self, path: &[&'a str]) {
        if let Some(node) = self.root.node_at(path) {
            *node = PayloadNode::All;
        }
    }

    /// Tracks a function whose parameter `name` is the part at `path`.
    fn follow_function(&mut self, function: FunctionNode<'a>, name: &'a str, path: &[&'a str], depth: usize) {
        let bindings = BoundNames::in_function(&function);
        self.followed_count += 1;
        if bindings.contains(name) || depth > MAX_HELPERS || self.followed_count > MAX_FOLLOWED {
            return self.mark_whole(path);
        }
        let mut scope = AliasScope { paths: BTreeMap::from([(name, path.to_vec())]), alias_definitions: Vec::new() };
        for stmt in function.statements() {
            if let Stmt::Assign(assign) = &stmt.node
                && let Some(target) = target_name(&assign.lhs)
                && bindings.find(target).len() == 1
                && let Some(path) = scope.payload_path(&assign.rhs)
            {
                scope.paths.insert(target, path);
                scope.alias_definitions.push(&assign.rhs);
            }
        }
        for expr in function.outermost_expressions() {
            self.visit_expression(expr, &scope, depth);
        }
    }

    /// Records what an expression reads.
    fn visit_expression(&mut self, expr: &'a AstExpr, scope: &AliasScope<'a>, depth: usize) {
        if let Some(path) = scope.payload_path(expr) {
            let made = scope.alias_definitions.iter().any(|made| std::ptr::eq(*made, expr));
            match self.root.node_at(&path) {
                Some(node) if !made => *node = PayloadNode::All,
                // Defining a name only requires its existence; its uses show what is read.
                _ => {}
            }
            return self.visit_defaults(expr, scope, depth);
        }
        match &expr.node {
            Expr::Op(left, BinOp::In | BinOp::NotIn, right) => {
                if let (Some(key), Some(mut path)) = (string_literal(left), scope.payload_path(right)) {
                    path.push(key);
                    // Searching in a string or list reads all of it, which is included anyway.
                    self.root.node_at(&path);
                    return self.visit_defaults(right, scope, depth);
                }
            }
            Expr::Call(callee, call) => {
                if let Some(helper) = self.resolve_helper(callee, &call.args) {
                    return self.visit_helper_call(helper, &call.args, scope, depth);
                }
            }
            _ => {}
        }
        expr.visit_expr(|inner| self.visit_expression(inner, scope, depth));
    }

    /// The top-level function that a call always means, if its arguments are plain.
    fn resolve_helper(&self, callee: &AstExpr, arguments: &[AstArgument]) -> Option<FunctionNode<'a>> {
        let name = identifier_name(callee)?;
        let is_plain = self.names.find(name).len() == 1 && !arguments.iter().any(is_spread);
        self.top_level.get(name).copied().filter(|_| is_plain)
    }

    fn visit_helper_call(
        &mut self,
        helper: FunctionNode<'a>,
        arguments: &'a [AstArgument],
        scope: &AliasScope<'a>,
        depth: usize,
    ) {
        for (position, argument) in arguments.iter().enumerate() {
            let given = argument.node.expr();
            let parameter = match &argument.node {
                ArgumentNode::Positional(_) => helper.plain_parameter(position),
                _ => None,
            };
            match (parameter, scope.payload_path(given)) {
                (Some(parameter), Some(path)) => {
                    // An argument must exist, even if the function does not read it.
                    self.root.node_at(&path);
                    self.follow_function(helper, parameter, &path, depth + 1);
                    self.visit_defaults(given, scope, depth);
                }
                _ => self.visit_expression(given, scope, depth),
            }
        }
    }

    /// Records what the defaults in a path such as `payload.get("x", other)` read.
    fn visit_defaults(&mut self, expr: &'a AstExpr, scope: &AliasScope<'a>, depth: usize) {
        match &expr.node {
            Expr::Index(parts) => self.visit_defaults(&parts.0, scope, depth),
            Expr::Call(callee, call) => {
                if let Expr::Dot(base, _) = &callee.node {
                    self.visit_defaults(base, scope, depth);
                }
                call.args.iter().skip(1).for_each(|default| self.visit_expression(default.node.expr(), scope, depth));
            }
            _ => {}
        }
    }
}

impl<'a> AliasScope<'a> {
    /// The part of the payload that an expression stands for.
    fn payload_path(&self, expr: &'a AstExpr) -> Option<Vec<&'a str>> {
        let longer = |base: &'a AstExpr, key: &'a str| {
            let mut path = self.payload_path(base).filter(|path| path.len() < MAX_PATH)?;
            path.push(key);
            Some(path)
        };
        match &expr.node {
            Expr::Identifier(name) => self.paths.get(name.ident.as_str()).cloned(),
            Expr::Index(parts) => longer(&parts.0, string_literal(&parts.1)?),
            Expr::Call(..) => {
                let MethodCall { base, method, arguments } = MethodCall::from_expr(expr)?;
                let positional = |given: &AstArgument| matches!(given.node, ArgumentNode::Positional(_));
                let is_plain = matches!(arguments.len(), 1 | 2) && arguments.iter().all(positional);
                let key = string_literal(arguments.first()?.expr())?;
                if is_plain && method == "get" { longer(base, key) } else { None }
            }
            _ => None,
        }
    }
}
