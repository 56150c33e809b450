//! Compiles plain scripts.

use std::collections::BTreeMap;
use std::sync::Arc;

use pintle_contract::LogLevel;
use serde_json::{Map, Number, Value as Json};
use starlark::syntax::ast::{AssignOp, AstExpr, AstLiteral, AstStmt, BinOp, Expr, Stmt};

use super::expression::{NativeComprehension, NativeExpression, TextSearch, UnaryOperation};
use super::{
    EffectKind, MAX_DEPTH, NativeEffect, NativeFunction, NativeReturn, NativeScript, NativeStatement, NativeTemplate,
};
use crate::analysis::{
    ArgumentNode, ClauseNode, FunctionNode, ResolvedScript, ScriptFunctionBody, assigned_names, block_statements,
    identifier_name, is_comparison, span_of, statements_in, string_literal, target_name,
};

impl NativeScript {
    /// Compiles a script whose entry point takes this number of arguments; `None` if any part of it is not plain.
    pub(crate) fn from_script(script: &ResolvedScript<'_>, entry: &str, parameter_count: usize) -> Option<Self> {
        let names = ModuleNames::read(script)?;
        let functions = names.functions.iter().map(|(_, function)| FunctionCompiler::compile(&names, function));
        let functions = functions.collect::<Option<Vec<_>>>()?;
        let entry = names
            .functions
            .iter()
            .position(|(name, function)| *name == entry && function.parameters.len() == parameter_count)?;
        let expression = if let Some(NativeFunction { slot_count: 2, body }) = functions.get(entry)
            && let [NativeStatement::Return(NativeReturn::Value(value))] = body.as_slice()
        {
            Some(value.clone())
        } else {
            None
        };
        Some(Self { functions, entry, expression })
    }
}

/// What the top level binds.
struct ModuleNames<'s, 'a> {
    script: &'s ResolvedScript<'a>,
    constants: BTreeMap<&'a str, Arc<Json>>,
    functions: Vec<(&'a str, FunctionNode<'a>)>,
}

impl<'s, 'a> ModuleNames<'s, 'a> {
    /// `None` if the top level does anything but bind each name once, to a literal or a function.
    fn read(script: &'s ResolvedScript<'a>) -> Option<Self> {
        if ["True", "False", "None"].into_iter().any(|name| script.binds(name)) {
            return None;
        }
        let mut names = Self { script, constants: BTreeMap::new(), functions: Vec::new() };
        for stmt in block_statements(script.root()) {
            let name = match &stmt.node {
                Stmt::Pass => continue,
                Stmt::Expression(expr) if string_literal(expr).is_some() => continue,
                Stmt::Assign(assign) if assign.ty.is_none() => {
                    let name = target_name(&assign.lhs)?;
                    if names.constants.insert(name, Arc::new(literal_value(&assign.rhs)?)).is_some() {
                        return None;
                    }
                    name
                }
                Stmt::Def(def) if def.return_type.is_none() => {
                    let name = def.name.ident.as_str();
                    let is_known = names.functions.iter().any(|(known, _)| *known == name);
                    names.functions.push((name, FunctionNode::from_def(def)));
                    if is_known || names.constants.contains_key(name) {
                        return None;
                    }
                    continue;
                }
                _ => return None,
            };
            if names.functions.iter().any(|(known, _)| *known == name) {
                return None;
            }
        }
        Some(names)
    }

    /// Whether a name of the language means what it means everywhere.
    fn is_builtin(&self, name: &str) -> bool {
        !self.script.binds(name)
    }

    fn function(&self, name: &str) -> Option<(usize, FunctionNode<'a>)> {
        let index = self.functions.iter().position(|(known, _)| *known == name)?;
        self.functions.get(index).map(|(_, function)| (index, *function))
    }
}

/// The compilation of one function.
struct FunctionCompiler<'m, 's, 'a> {
    module: &'m ModuleNames<'s, 'a>,
    locals: BTreeMap<&'a str, usize>,
    /// The names of the comprehensions around an expression, the outermost first.
    scoped: Vec<(&'a str, usize)>,
    slot_count: usize,
    depth: u32,
}

impl<'m, 's, 'a> FunctionCompiler<'m, 's, 'a> {
    fn compile(module: &'m ModuleNames<'s, 'a>, function: &FunctionNode<'a>) -> Option<NativeFunction> {
        let ScriptFunctionBody::Block(body) = function.body else { return None };
        let mut compiler = Self { module, locals: BTreeMap::new(), scoped: Vec::new(), slot_count: 0, depth: 0 };
        for position in 0..function.parameters.len() {
            compiler.add_local(function.plain_parameter(position)?);
        }
        if function.defaults().next().is_some() {
            return None;
        }
        statements_in(body).into_iter().flat_map(assigned_names).for_each(|name| compiler.add_local(name));
        let body = compiler.block(body)?;
        Some(NativeFunction { slot_count: compiler.slot_count, body })
    }

    fn add_local(&mut self, name: &'a str) {
        if !self.locals.contains_key(name) {
            self.locals.insert(name, self.slot_count);
            self.slot_count += 1;
        }
    }

    fn block(&mut self, stmt: &'a AstStmt) -> Option<Vec<NativeStatement>> {
        let mut body = Vec::new();
        for stmt in block_statements(stmt) {
            match &stmt.node {
                Stmt::Pass => {}
                Stmt::Expression(expr) if string_literal(expr).is_some() => {}
                Stmt::Statements(_) => body.extend(self.block(stmt)?),
                _ => body.push(self.statement(stmt)?),
            }
        }
        Some(body)
    }

    fn statement(&mut self, stmt: &'a AstStmt) -> Option<NativeStatement> {
        Some(match &stmt.node {
            Stmt::Break => NativeStatement::Break,
            Stmt::Continue => NativeStatement::Continue,
            Stmt::Return(value) => NativeStatement::Return(match value {
                Some(value) => self.returned(value)?,
                None => NativeReturn::Value(NativeExpression::Literal(Arc::new(Json::Null))),
            }),
            Stmt::Expression(expr) => NativeStatement::Effect(self.effect(expr)?),
            Stmt::Assign(assign) if assign.ty.is_none() => {
                NativeStatement::Assign(*self.locals.get(target_name(&assign.lhs)?)?, self.expression(&assign.rhs)?)
            }
            Stmt::AssignModify(target, op, value) => {
                let slot = *self.locals.get(target_name(target)?)?;
                let parts = Box::new([NativeExpression::Local(slot), self.expression(value)?]);
                NativeStatement::Assign(
                    slot,
                    match op {
                        AssignOp::Add => NativeExpression::Add(parts),
                        AssignOp::Subtract => NativeExpression::Subtract(parts),
                        _ => return None,
                    },
                )
            }
            Stmt::If(condition, body) => {
                NativeStatement::If(self.expression(condition)?, self.block(body)?, Vec::new())
            }
            Stmt::IfElse(condition, bodies) => {
                NativeStatement::If(self.expression(condition)?, self.block(&bodies.0)?, self.block(&bodies.1)?)
            }
            Stmt::For(each) => {
                let over = self.expression(&each.over)?;
                NativeStatement::For(*self.locals.get(target_name(&each.var)?)?, over, self.block(&each.body)?)
            }
            _ => return None,
        })
    }

    /// An effect whose reply is not used.
    fn effect(&mut self, expr: &'a AstExpr) -> Option<NativeEffect> {
        let Expr::Call(callee, _) = &expr.node else { return None };
        let arguments = positional_arguments(expr)?;
        let (namespace, function) = match &callee.node {
            Expr::Identifier(name) => (name.ident.as_str(), ""),
            Expr::Dot(base, function) => (identifier_name(base)?, function.node.as_str()),
            _ => return None,
        };
        let (kind, text) = match (namespace, function, arguments.as_slice()) {
            ("metrics", "incr", [name]) => (EffectKind::Increment(1), name),
            ("metrics", "incr", [name, amount]) => (EffectKind::Increment(literal_value(amount)?.as_i64()?), name),
            ("log", "" | "info", [text]) => (EffectKind::Log(LogLevel::Info), text),
            ("log", "warn", [text]) => (EffectKind::Log(LogLevel::Warn), text),
            _ => return None,
        };
        if !self.module.is_builtin(namespace) {
            return None;
        }
        Some(NativeEffect { kind, text: self.expression(text)?, span: span_of(expr) })
    }

    fn returned(&mut self, expr: &'a AstExpr) -> Option<NativeReturn> {
        match &expr.node {
            Expr::If(parts) => {
                let condition = self.expression(&parts.0)?;
                return Some(NativeReturn::If(
                    condition,
                    Box::new([self.returned(&parts.1)?, self.returned(&parts.2)?]),
                ));
            }
            Expr::Dict(_) => return Some(NativeReturn::Dict(self.template(expr)?)),
            Expr::Call(callee, _) => {
                if let Some(name) = identifier_name(callee) {
                    if self.module.function(name).is_some() {
                        let (function, arguments) = self.function_call(name, expr)?;
                        return Some(NativeReturn::Call(function, arguments));
                    }
                    if let Some(decision) = self.decision(name, expr) {
                        return Some(decision);
                    }
                }
            }
            _ => {}
        }
        self.expression(expr).map(NativeReturn::Value)
    }

    fn decision(&mut self, name: &str, call: &'a AstExpr) -> Option<NativeReturn> {
        if !self.module.is_builtin(name) {
            return None;
        }
        Some(match (name, positional_arguments(call)?.as_slice()) {
            ("allow", []) => NativeReturn::Allow,
            ("block", [reason]) => NativeReturn::Block(self.expression(reason)?),
            ("ask", [reason]) => NativeReturn::Ask(self.expression(reason)?),
            ("modify", [fields]) => NativeReturn::Modify(self.template(fields)?),
            _ => return None,
        })
    }

    fn template(&mut self, expr: &'a AstExpr) -> Option<NativeTemplate> {
        Some(match &expr.node {
            Expr::Dict(entries) => {
                let mut fields: Vec<(String, NativeTemplate)> = Vec::new();
                for (key, value) in entries {
                    let key = string_literal(key)?;
                    if fields.iter().any(|(known, _)| known == key) {
                        return None;
                    }
                    fields.push((key.to_owned(), self.template(value)?));
                }
                NativeTemplate::Dict(fields)
            }
            Expr::List(items) | Expr::Tuple(items) => {
                NativeTemplate::List(items.iter().map(|item| self.template(item)).collect::<Option<_>>()?)
            }
            _ => NativeTemplate::Value(self.expression(expr)?),
        })
    }

    fn function_call(&mut self, name: &str, call: &'a AstExpr) -> Option<(usize, Vec<NativeExpression>)> {
        if self.locals.contains_key(name) || self.scoped.iter().any(|(known, _)| *known == name) {
            return None;
        }
        let (index, function) = self.module.function(name)?;
        let arguments = positional_arguments(call)?;
        if arguments.len() != function.parameters.len() {
            return None;
        }
        let arguments = arguments.into_iter().map(|argument| self.expression(argument)).collect::<Option<_>>()?;
        Some((index, arguments))
    }

    fn expression(&mut self, expr: &'a AstExpr) -> Option<NativeExpression> {
        self.depth += 1;
        let compiled = if self.depth > MAX_DEPTH { None } else { self.compile_expression(expr) };
        self.depth -= 1;
        compiled
    }

    fn compile_expression(&mut self, expr: &'a AstExpr) -> Option<NativeExpression> {
        Some(match &expr.node {
            Expr::Identifier(name) => self.name(&name.ident)?,
            Expr::List(items) | Expr::Tuple(items) if literal_value(expr).is_none() => {
                NativeExpression::List(items.iter().map(|item| self.expression(item)).collect::<Option<_>>()?)
            }
            Expr::Index(parts) => NativeExpression::from_index(self.expression(&parts.0)?, self.expression(&parts.1)?),
            Expr::Slice(text, start, stop, None) => {
                let bound = |expr: &Option<Box<AstExpr>>| match expr {
                    Some(expr) => Some(Some(i32::try_from(literal_value(expr)?.as_i64()?).ok()?)),
                    None => Some(None),
                };
                let (start, stop) = (bound(start)?, bound(stop)?);
                NativeExpression::Slice(Box::new(self.expression(text)?), start, stop)
            }
            Expr::Not(inner) => NativeExpression::Not(Box::new(self.expression(inner)?)),
            Expr::If(parts) => NativeExpression::If(self.all_three([&parts.0, &parts.1, &parts.2])?),
            Expr::Op(left, BinOp::Percent, right) => self.percent(string_literal(left)?, right)?,
            Expr::Op(left, op, right) => {
                let parts = self.both(left, right)?;
                match op {
                    BinOp::And => NativeExpression::And(parts),
                    BinOp::Or => NativeExpression::Or(parts),
                    BinOp::In => NativeExpression::In(parts),
                    BinOp::NotIn => NativeExpression::Not(Box::new(NativeExpression::In(parts))),
                    BinOp::Add => NativeExpression::Add(parts),
                    BinOp::Subtract => NativeExpression::Subtract(parts),
                    _ if is_comparison(*op) => NativeExpression::Compare(*op, parts),
                    _ => return None,
                }
            }
            Expr::FString(text) => self.format(&text.node.format.node, text.node.expressions.iter().collect())?,
            Expr::ListComprehension(item, each, clauses) => {
                let over = self.expression(&each.over)?;
                let slot = self.slot_count;
                self.slot_count += 1;
                self.scoped.push((target_name(&each.var)?, slot));
                let mut conditions = Vec::new();
                for clause in clauses {
                    let ClauseNode::If(condition) = clause else { return None };
                    conditions.push(self.expression(condition)?);
                }
                let item = self.expression(item)?;
                self.scoped.pop();
                NativeExpression::Comprehension(Box::new(NativeComprehension { item, slot, over, conditions }))
            }
            Expr::Call(callee, _) => match &callee.node {
                Expr::Identifier(name) if self.module.function(&name.ident).is_some() => {
                    let (function, arguments) = self.function_call(&name.ident, expr)?;
                    NativeExpression::Call(function, arguments)
                }
                Expr::Identifier(name) => self.builtin_call(&name.ident, &positional_arguments(expr)?)?,
                Expr::Dot(base, method) => self.method_call(base, &method.node, &positional_arguments(expr)?)?,
                _ => return None,
            },
            _ => NativeExpression::from_literal(Arc::new(literal_value(expr)?)),
        })
    }

    fn both(&mut self, left: &'a AstExpr, right: &'a AstExpr) -> Option<Box<[NativeExpression; 2]>> {
        Some(Box::new([self.expression(left)?, self.expression(right)?]))
    }

    fn all_three(&mut self, parts: [&'a AstExpr; 3]) -> Option<Box<[NativeExpression; 3]>> {
        let [first, second, third] = parts;
        Some(Box::new([self.expression(first)?, self.expression(second)?, self.expression(third)?]))
    }

    fn name(&self, name: &str) -> Option<NativeExpression> {
        let scoped = self.scoped.iter().rev().find(|(known, _)| *known == name).map(|(_, slot)| slot);
        if let Some(slot) = scoped.or_else(|| self.locals.get(name)) {
            return Some(NativeExpression::Local(*slot));
        }
        let literal = match self.module.constants.get(name) {
            Some(constant) => Arc::clone(constant),
            None if !self.module.is_builtin(name) => return None,
            None => Arc::new(constant_value(name)?),
        };
        Some(NativeExpression::from_literal(literal))
    }

    fn builtin_call(&mut self, name: &str, arguments: &[&'a AstExpr]) -> Option<NativeExpression> {
        let [value] = arguments else { return None };
        if !self.module.is_builtin(name) {
            return None;
        }
        let operation = match name {
            "len" => UnaryOperation::Len,
            "any" => UnaryOperation::Any,
            "all" => UnaryOperation::All,
            "str" => return Some(NativeExpression::Format(vec![self.expression(value)?])),
            _ => return None,
        };
        Some(NativeExpression::Unary(operation, Box::new(self.expression(value)?)))
    }

    fn method_call(&mut self, base: &'a AstExpr, method: &str, arguments: &[&'a AstExpr]) -> Option<NativeExpression> {
        let none = || NativeExpression::Literal(Arc::new(Json::Null));
        let search = match (method, arguments) {
            ("startswith", [_]) => TextSearch::StartsWith,
            ("endswith", [_]) => TextSearch::EndsWith,
            ("find", [_]) => TextSearch::Find,
            ("split", [_]) => TextSearch::Split,
            ("get", [key]) => {
                return Some(NativeExpression::Get(Box::new([self.expression(base)?, self.expression(key)?, none()])));
            }
            ("get", [key, default]) => return Some(NativeExpression::Get(self.all_three([base, key, default])?)),
            ("replace", [old, new]) => return Some(NativeExpression::Replace(self.all_three([base, old, new])?)),
            ("format", values) => return self.format(string_literal(base)?, values.to_vec()),
            (_, []) => {
                let operation = match method {
                    "lower" => UnaryOperation::Lower,
                    "upper" => UnaryOperation::Upper,
                    "strip" => UnaryOperation::Strip,
                    "lstrip" => UnaryOperation::LeftStrip,
                    "rstrip" => UnaryOperation::RightStrip,
                    _ => return None,
                };
                return Some(NativeExpression::Unary(operation, Box::new(self.expression(base)?)));
            }
            _ => return None,
        };
        let [needle] = arguments else { return None };
        match &needle.node {
            Expr::Tuple(needles) => {
                let search = match search {
                    TextSearch::StartsWith => TextSearch::StartsWithAny,
                    TextSearch::EndsWith => TextSearch::EndsWithAny,
                    _ => return None,
                };
                let needles = needles.iter().map(|needle| self.expression(needle)).collect::<Option<_>>()?;
                let parts = Box::new([self.expression(base)?, NativeExpression::List(needles)]);
                Some(NativeExpression::Search(search, parts))
            }
            _ => Some(NativeExpression::Search(search, self.both(base, needle)?)),
        }
    }

    fn string(&self, text: &str) -> NativeExpression {
        NativeExpression::Literal(Arc::new(Json::from(text)))
    }

    /// A template of `format`, or of an f-string.
    fn format(&mut self, template: &str, values: Vec<&'a AstExpr>) -> Option<NativeExpression> {
        let mut pieces = vec![String::new()];
        let mut rest = template.chars();
        while let Some(char) = rest.next() {
            match (char, rest.as_str().chars().next()) {
                ('{', Some('}')) => {
                    pieces.push(String::new());
                    rest.next();
                    continue;
                }
                ('{', Some('{')) | ('}', Some('}')) => {
                    rest.next();
                }
                ('{' | '}', _) => return None,
                _ => {}
            }
            pieces.last_mut()?.push(char);
        }
        self.interleave(&pieces, &values)
    }

    /// `template % value`.
    fn percent(&mut self, template: &str, value: &'a AstExpr) -> Option<NativeExpression> {
        let mut pieces = vec![String::new()];
        let mut rest = template.chars();
        while let Some(char) = rest.next() {
            match (char, if char == '%' { rest.next() } else { None }) {
                ('%', Some('s')) => pieces.push(String::new()),
                ('%', Some('%')) => pieces.last_mut()?.push('%'),
                ('%', _) => return None,
                (char, _) => pieces.last_mut()?.push(char),
            }
        }
        match &value.node {
            Expr::Tuple(values) => self.interleave(&pieces, &values.iter().collect::<Vec<_>>()),
            _ => self.interleave(&pieces, &[value]),
        }
    }

    fn interleave(&mut self, pieces: &[String], values: &[&'a AstExpr]) -> Option<NativeExpression> {
        if pieces.len() != values.len() + 1 {
            return None;
        }
        let mut parts = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            parts.push(self.string(piece));
            if let Some(value) = values.get(index) {
                parts.push(self.expression(value)?);
            }
        }
        Some(NativeExpression::Format(parts))
    }
}

/// The arguments of a call, if all are positional.
fn positional_arguments(call: &AstExpr) -> Option<Vec<&AstExpr>> {
    let Expr::Call(_, call) = &call.node else { return None };
    let positional = call.args.iter().map(|argument| match &argument.node {
        ArgumentNode::Positional(argument) => Some(argument),
        _ => None,
    });
    positional.collect()
}

fn constant_value(name: &str) -> Option<Json> {
    Some(match name {
        "True" => Json::Bool(true),
        "False" => Json::Bool(false),
        "None" => Json::Null,
        _ => return None,
    })
}

/// The value of a literal; lists and tuples differ only in `==` and as text, which the interpreter decides.
fn literal_value(expr: &AstExpr) -> Option<Json> {
    Some(match &expr.node {
        Expr::Literal(AstLiteral::String(text)) => Json::String(text.node.clone()),
        Expr::Literal(AstLiteral::Int(int)) => Json::from(int.node.to_string().parse::<i64>().ok()?),
        Expr::Literal(AstLiteral::Float(float)) => Json::Number(Number::from_f64(float.node)?),
        Expr::Minus(inner) => match literal_value(inner)? {
            Json::Number(digits) => match digits.as_i64() {
                Some(int) => Json::from(int.checked_neg()?),
                None => Json::Number(Number::from_f64(-digits.as_f64()?)?),
            },
            _ => return None,
        },
        Expr::Identifier(name) => constant_value(&name.ident)?,
        Expr::List(items) | Expr::Tuple(items) => Json::Array(items.iter().map(literal_value).collect::<Option<_>>()?),
        Expr::Dict(entries) => {
            let mut fields = Map::new();
            for (key, value) in entries {
                if fields.insert(string_literal(key)?.to_owned(), literal_value(value)?).is_some() {
                    return None;
                }
            }
            Json::Object(fields)
        }
        _ => return None,
    })
}
