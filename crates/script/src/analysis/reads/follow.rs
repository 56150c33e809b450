//! Following a payload through the functions of a script, to see which parts of it are looked at.

use std::collections::BTreeMap;

use starlark::syntax::ast::{AssignTargetP, AstArgument, AstExpr, AstNoPayload, BinOp, CallArgsP, Expr, Stmt};

use super::super::Keys;
use super::super::names::target_names;
use super::super::walk::{Argument, Clause, identifier, inside, statements, string};
use super::{Body, Function, Functions};

/// How deep a payload is followed through helper functions.
const MAX_HELPERS: usize = 8;
/// How many calls of helper functions are followed.
const MAX_FOLLOWED: usize = 500;
/// How deep a payload is looked into. What is deeper is read with what it is in.
const MAX_PATH: usize = 8;

/// What a function reads of a parameter, with the help of the top-level functions.
pub(super) fn keys_of(functions: &Functions<'_>, function: &Function<'_>, payload: &str) -> Keys {
    let mut reading = Reading { functions, root: Node::default(), followed: 0 };
    reading.follow(function, payload, &[], 0);
    reading.root.keys()
}

/// A part of the payload.
enum Node<'a> {
    /// These keys of it are looked at; without any, only whether it is there.
    Keys(BTreeMap<&'a str, Node<'a>>),
    /// All of it.
    Whole,
}

impl Default for Node<'_> {
    fn default() -> Self {
        Self::Keys(BTreeMap::new())
    }
}

impl<'a> Node<'a> {
    /// The node of a path; `None` when something above it is read whole.
    fn at(&mut self, path: &[&'a str]) -> Option<&mut Self> {
        match (self, path) {
            (node, []) => Some(node),
            (Self::Whole, _) => None,
            (Self::Keys(keys), [first, rest @ ..]) => keys.entry(first).or_default().at(rest),
        }
    }

    fn keys(self) -> Keys {
        match self {
            Self::Whole => Keys::All,
            Self::Keys(keys) if keys.is_empty() => Keys::None,
            Self::Keys(keys) => {
                Keys::Some(keys.into_iter().map(|(name, node)| (name.to_owned(), node.keys())).collect())
            }
        }
    }
}

struct Reading<'d, 'a> {
    functions: &'d Functions<'a>,
    root: Node<'a>,
    followed: usize,
}

/// The names of one function that stand for parts of the payload.
struct Scope<'a> {
    paths: BTreeMap<&'a str, Vec<&'a str>>,
    /// Where such a name is made: this alone reads nothing.
    made: Vec<&'a AstExpr>,
}

impl<'d, 'a> Reading<'d, 'a> {
    /// Notes that a part is looked at as a whole.
    fn whole(&mut self, path: &[&'a str]) {
        if let Some(node) = self.root.at(path) {
            *node = Node::Whole;
        }
    }

    /// Reads a function whose parameter `name` holds the part at `path`.
    fn follow(&mut self, function: &Function<'a>, name: &str, path: &[&'a str], depth: usize) {
        let bindings = bindings(function.body);
        self.followed += 1;
        let parameter = function.parameters.iter().flatten().find(|parameter| **parameter == name);
        let (Some(parameter), false) = (parameter, bindings.contains_key(name)) else { return self.whole(path) };
        if depth > MAX_HELPERS || self.followed > MAX_FOLLOWED {
            return self.whole(path);
        }
        let mut scope = Scope { paths: BTreeMap::from([(*parameter, path.to_vec())]), made: Vec::new() };
        if let Body::Block(stmt) = function.body {
            statements(stmt, &mut |stmt| {
                if let Stmt::Assign(assign) = &stmt.node
                    && let AssignTargetP::Identifier(target) = &assign.lhs.node
                    && bindings.get(target.ident.as_str()) == Some(&1)
                    && let Some(path) = scope.path(&assign.rhs)
                {
                    scope.paths.insert(&target.ident, path);
                    scope.made.push(&assign.rhs);
                }
            });
        }
        for expr in function.body.outermost() {
            self.read(expr, &scope, depth);
        }
    }

    /// Notes what an expression reads.
    fn read(&mut self, expr: &'a AstExpr, scope: &Scope<'a>, depth: usize) {
        if let Some(path) = scope.path(expr) {
            let made = scope.made.iter().any(|made| std::ptr::eq(*made, expr));
            match self.root.at(&path) {
                Some(node) if !made => *node = Node::Whole,
                // A name is made: it is there, and what is read of it shows where the name is used.
                _ => {}
            }
            return self.defaults(expr, scope, depth);
        }
        match &expr.node {
            Expr::Op(left, BinOp::In | BinOp::NotIn, right) => {
                if let (Some(key), Some(mut path)) = (string(left), scope.path(right)) {
                    path.push(key);
                    // A text or list is looked through instead, and is always there whole.
                    self.root.at(&path);
                    return self.defaults(right, scope, depth);
                }
            }
            Expr::Call(callee, call) => {
                if let Some(helper) = self.helper(callee, call) {
                    return self.call(helper, &call.args, scope, depth);
                }
            }
            _ => {}
        }
        expr.visit_expr(|inner| self.read(inner, scope, depth));
    }

    /// The top-level function that a call means, when its arguments are given one by one.
    fn helper(&self, callee: &AstExpr, call: &CallArgsP<AstNoPayload>) -> Option<&'d Function<'a>> {
        let single = |given: &AstArgument| matches!(given.node, Argument::Positional(_) | Argument::Named(..));
        self.functions.meant(identifier(callee)?).filter(|_| call.args.iter().all(single))
    }

    fn call(&mut self, helper: &Function<'a>, arguments: &'a [AstArgument], scope: &Scope<'a>, depth: usize) {
        for (position, argument) in arguments.iter().enumerate() {
            let given = argument.node.expr();
            let parameter = match &argument.node {
                Argument::Positional(_) => helper.parameters.get(position).copied().flatten(),
                _ => None,
            };
            match (parameter, scope.path(given)) {
                (Some(parameter), Some(path)) => {
                    // What is handed over is there, also when the function does not look at it.
                    self.root.at(&path);
                    self.follow(helper, parameter, &path, depth + 1);
                    self.defaults(given, scope, depth);
                }
                _ => self.read(given, scope, depth),
            }
        }
    }

    /// Notes what the defaults in a path such as `payload.get("x", other)` read.
    fn defaults(&mut self, expr: &'a AstExpr, scope: &Scope<'a>, depth: usize) {
        match &expr.node {
            Expr::Index(parts) => self.defaults(&parts.0, scope, depth),
            Expr::Call(callee, call) => {
                if let Expr::Dot(base, _) = &callee.node {
                    self.defaults(base, scope, depth);
                }
                call.args.iter().skip(1).for_each(|default| self.read(default.node.expr(), scope, depth));
            }
            _ => {}
        }
    }
}

impl<'a> Scope<'a> {
    /// The part of the payload that an expression stands for.
    fn path(&self, expr: &'a AstExpr) -> Option<Vec<&'a str>> {
        let longer = |base: &'a AstExpr, key: &'a str| {
            let mut path = self.path(base).filter(|path| path.len() < MAX_PATH)?;
            path.push(key);
            Some(path)
        };
        match &expr.node {
            Expr::Identifier(name) => self.paths.get(name.ident.as_str()).cloned(),
            Expr::Index(parts) => longer(&parts.0, string(&parts.1)?),
            Expr::Call(callee, call) => {
                let Expr::Dot(base, method) = &callee.node else { return None };
                let positional = |given: &AstArgument| matches!(given.node, Argument::Positional(_));
                let plain = matches!(call.args.len(), 1 | 2) && call.args.iter().all(positional);
                let key = string(call.args.first()?.node.expr())?;
                if plain && method.node == "get" { longer(base, key) } else { None }
            }
            _ => None,
        }
    }
}

/// The names that a body binds, and how often; those of functions in it count too.
pub(super) fn bindings(body: Body<'_>) -> BTreeMap<&str, usize> {
    let mut names = Vec::new();
    if let Body::Block(stmt) = body {
        statements(stmt, &mut |stmt| match &stmt.node {
            Stmt::Def(def) => {
                names.push(def.name.ident.as_str());
                names.extend(def.params.iter().filter_map(|param| param.ident()).map(|name| name.ident.as_str()));
            }
            Stmt::Assign(assign) => names.extend(target_names(&assign.lhs)),
            Stmt::AssignModify(target, _, _) => names.extend(target_names(target)),
            Stmt::For(each) => names.extend(target_names(&each.var)),
            _ => {}
        });
    }
    for outermost in body.outermost() {
        inside(outermost, &mut |expr| {
            let (first, rest) = match &expr.node {
                Expr::Lambda(lambda) => {
                    names
                        .extend(lambda.params.iter().filter_map(|param| param.ident()).map(|name| name.ident.as_str()));
                    return;
                }
                Expr::ListComprehension(_, first, rest) => (first, rest),
                Expr::DictComprehension(_, first, rest) => (first, rest),
                _ => return,
            };
            names.extend(target_names(&first.var));
            for clause in rest {
                if let Clause::For(each) = clause {
                    names.extend(target_names(&each.var));
                }
            }
        });
    }
    let mut counted = BTreeMap::new();
    for name in names {
        *counted.entry(name).or_insert(0) += 1;
    }
    counted
}
