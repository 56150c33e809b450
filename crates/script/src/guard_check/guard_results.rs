//! Checks what the entry point of a hook does with its decisions.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::event::{EventClass, RewriteTarget};
use pintle_contract::{DELEGATING_EVENTS, suggest_nearest};
use starlark::syntax::ast::{AstArgument, AstExpr, AstLiteral, AstStmt, BinOp, Expr, Stmt};

use super::returned_values::{find_certain_fault, is_accepted_dict};
use super::{EventFunction, GuardScripts};
use crate::analysis::{
    FunctionNode, ResolvedScript, ScriptFunctionBody, block_statements, expressions_in, identifier_name, is_comparison,
    is_spread, names_read, nested_expressions, span_of, string_literal, target_name,
};
use crate::finding::{FindingCode, ScriptFinding};
use crate::globals;
use crate::language::ScriptKind;

/// The functions that give a decision, and the actions of a dict that decides.
const DECISIONS: &[&str] = &["allow", "block", "ask", "modify", "delegate"];
/// Those of them that refuse.
const REFUSALS: &[&str] = &["block", "ask"];
/// What a hook can do without a decision, or to decide by a failure.
const DOING: &[&str] = &[
    "log",
    "metrics",
    "cache",
    "ctx",
    "emit",
    "print",
    "http",
    "meta",
    "transcript",
    "notify_file_edited",
    "fail",
    "assert_",
    "sleep",
];

/// Checks the results of a hook's script.
pub(super) fn check_results(question: &GuardScripts<'_>, script: &ResolvedScript<'_>) -> Vec<ScriptFinding> {
    let Some(functions) = script.top_level_functions() else { return Vec::new() };
    let entry = question.entry_point().and_then(|name| functions.get(name)).copied();
    let Some(entry) = entry else { return Vec::new() };
    let read_names = names_read(script.expressions.iter().copied());
    let (deciding, findings) = (BTreeSet::new(), Vec::new());
    let mut reader = ResultReader { question, script, functions, read_names, deciding, findings };
    reader.find_deciding_functions();
    if let ScriptFunctionBody::Block(body) = entry.body {
        reader.read_statement(body);
        // Functions of other dialects decide by the values that they return alone.
        match question.function {
            None => reader.check_refusals(body),
            Some(_) => reader.check_returned_refusals(&entry, body),
        }
    }
    if question.function.is_none() {
        reader.check_decisions();
    }
    reader.findings
}

struct ResultReader<'q, 'a> {
    question: &'q GuardScripts<'q>,
    script: &'q ResolvedScript<'a>,
    functions: BTreeMap<&'a str, FunctionNode<'a>>,
    /// The names that the script reads.
    read_names: BTreeSet<&'a str>,
    /// The functions of the script that always give a decision or nothing, and at least one decision.
    deciding: BTreeSet<&'a str>,
    findings: Vec<ScriptFinding>,
}

impl<'a> ResultReader<'_, 'a> {
    fn find_deciding_functions(&mut self) {
        for _ in 0..3 {
            let found = self.functions.iter().filter(|(_, function)| {
                let values = function.returned_values();
                values.iter().any(|value| self.is_decision(value))
                    && values.iter().all(|value| self.is_decision(value) || identifier_name(value) == Some("None"))
            });
            self.deciding = found.map(|(name, _)| *name).collect();
        }
    }

    fn is_decision(&self, value: &'a AstExpr) -> bool {
        let function = self.question.function.as_ref();
        self.decision_name(value).is_some() || function.is_some_and(|function| is_accepted_dict(value, function))
    }

    /// The function whose decision a call gives.
    fn decision_name(&self, expr: &'a AstExpr) -> Option<&'a str> {
        let Expr::Call(callee, _) = &expr.node else { return None };
        let name = identifier_name(callee)?;
        let has_decisions = self.question.function.is_none();
        let is_builtin = has_decisions && DECISIONS.contains(&name) && !self.script.binds(name);
        (is_builtin || self.deciding.contains(name)).then_some(name)
    }

    /// Checks a statement of the entry point and those in it.
    fn read_statement(&mut self, stmt: &'a AstStmt) {
        match &stmt.node {
            Stmt::Def(_) => return,
            Stmt::Expression(expr) => self.check_unused(expr),
            Stmt::Assign(assign) => {
                let name = target_name(&assign.lhs);
                if name.is_some_and(|name| !self.read_names.contains(name)) {
                    self.check_unused(&assign.rhs);
                }
            }
            Stmt::Return(Some(value)) => self.check_returned(value),
            _ => {}
        }
        stmt.visit_stmt(|inner| self.read_statement(inner));
    }

    /// A decision that is not returned decides nothing.
    fn check_unused(&mut self, expr: &'a AstExpr) {
        if let Expr::Op(_, BinOp::And | BinOp::Or, right) = &expr.node {
            return self.check_unused(right);
        }
        let Some(name) = self.decision_name(expr) else { return };
        let message = format!("the decision of `{name}(..)` is not returned, so it decides nothing");
        let at = Some(span_of(expr));
        let finding = match name {
            "allow" => ScriptFinding::warning(FindingCode::UnusedDecision, message, at),
            _ => ScriptFinding::error(FindingCode::UnusedDecision, message, at),
        };
        self.findings.push(finding.help(format!("write `return {name}(..)`")));
    }

    fn check_returned(&mut self, value: &'a AstExpr) {
        match &value.node {
            // The value on the left ends the evaluation only if it is false, or true, as its author wants.
            Expr::Op(_, BinOp::And | BinOp::Or, right) => return self.check_returned(right),
            Expr::If(parts) => {
                self.check_returned(&parts.1);
                return self.check_returned(&parts.2);
            }
            _ => {}
        }
        if let Some(function) = &self.question.function {
            return self.check_value(value, function);
        }
        let Some((what, is_refusal)) = self.describe_other(value, 0) else { return };
        let message = format!("{what} is not a decision, so the event passes");
        let help = if is_refusal { "write `return block(\"why\")`" } else { "write `return allow()`" };
        let at = Some(span_of(value));
        let finding = match is_refusal {
            true => ScriptFinding::error(FindingCode::NotADecision, message, at),
            false => ScriptFinding::warning(FindingCode::NotADecision, message, at),
        };
        self.findings.push(finding.help(help));
    }

    /// Checks that the dialect of a function accepts what it returns.
    fn check_value(&mut self, value: &'a AstExpr, function: &EventFunction<'_>) {
        let Some(fault) = find_certain_fault(value, function) else { return };
        let (message, help) = fault.split_once("; ").unwrap_or((&fault, "return None to let the event pass"));
        let finding = ScriptFinding::error(FindingCode::NotADecision, message, Some(span_of(value)));
        self.findings.push(finding.help(help));
    }

    /// What a value is that is certainly not a decision, and whether it is probably meant as a refusal.
    fn describe_other(&self, value: &'a AstExpr, depth: usize) -> Option<(String, bool)> {
        match &value.node {
            Expr::Literal(AstLiteral::String(text)) => {
                let is_passing =
                    matches!(text.node.to_ascii_lowercase().as_str(), "allow" | "ok" | "pass" | "continue" | "");
                Some((format!("the text \"{}\"", shorten(&text.node)), !is_passing))
            }
            Expr::Literal(_) => Some((String::from("a number"), true)),
            Expr::Tuple(_) | Expr::List(_) | Expr::ListComprehension(..) => Some((String::from("a list"), true)),
            Expr::FString(_) => Some((String::from("a text"), true)),
            Expr::Not(_) => Some((String::from("True or False"), true)),
            Expr::Op(_, op, _) if is_comparison(*op) => Some((String::from("True or False"), true)),
            Expr::Dict(entries) => self.describe_dict(entries),
            Expr::Identifier(name) => match name.ident.as_str() {
                "False" => Some((String::from("False"), true)),
                "True" => Some((String::from("True"), false)),
                known if DECISIONS.contains(&known) && !self.script.binds(known) => {
                    Some((format!("`{known}` without a call"), known != "allow"))
                }
                _ => None,
            },
            Expr::Call(callee, _) => {
                let name = identifier_name(callee)?;
                if matches!(name, "any" | "all" | "bool" | "len" | "str") && !self.script.binds(name) {
                    return Some((format!("the result of `{name}(..)`"), true));
                }
                let function = self.functions.get(name).filter(|_| depth < 4)?;
                let values = function.returned_values();
                let others: Option<Vec<_>> = values.iter().map(|value| self.describe_other(value, depth + 1)).collect();
                let (_, is_refusal) =
                    others.filter(|others| !others.is_empty())?.into_iter().max_by_key(|(_, no)| *no)?;
                Some((format!("the result of `{name}(..)`"), is_refusal))
            }
            _ => None,
        }
    }

    fn describe_dict(&self, entries: &'a [(AstExpr, AstExpr)]) -> Option<(String, bool)> {
        let literal: Option<Vec<&str>> = entries.iter().map(|(key, _)| string_literal(key)).collect();
        let keys = literal?;
        let Some(position) = keys.iter().position(|key| *key == "action") else {
            return Some((String::from("a dict without `action`"), true));
        };
        let action = entries.get(position).and_then(|(_, value)| string_literal(value))?;
        (!DECISIONS.contains(&action)).then(|| {
            let near = suggest_nearest(action, DECISIONS.iter().copied());
            let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            (format!("the action `{action}`{near}"), true)
        })
    }

    /// Checks the calls of decisions: their arguments, and whether the event has them.
    fn check_decisions(&mut self) {
        let def = self.question.event.def();
        let is_report = def.class == EventClass::Observe;
        for expr in self.script.expressions.clone() {
            let Expr::Call(callee, call) = &expr.node else { continue };
            let Some(name) =
                identifier_name(callee).filter(|name| DECISIONS.contains(name) && !self.script.binds(name))
            else {
                continue;
            };
            let is_without = match name {
                "block" | "ask" => is_report,
                "modify" => def.target == RewriteTarget::Nothing,
                "delegate" => !DELEGATING_EVENTS.contains(&self.question.event.kind()),
                _ => false,
            };
            if is_without {
                let message = format!("`{name}` has no effect at `{}`", self.question.event);
                let help = format!("`pintle events {}` shows what hooks can do there", self.question.event);
                let finding = ScriptFinding::warning(FindingCode::NoEffect, message, Some(span_of(expr)));
                self.findings.push(finding.help(help));
            }
            self.check_arguments(name, expr, &call.args);
            if name == "modify" && !is_without {
                self.check_modified(&call.args);
            }
        }
    }

    fn check_arguments(&mut self, name: &str, expr: &'a AstExpr, arguments: &'a [AstArgument]) {
        let wanted = usize::from(name != "allow");
        if arguments.len() == wanted || arguments.iter().any(is_spread) {
            return;
        }
        let (message, help) = match name {
            "allow" => (String::from("`allow` takes no argument"), String::from("write `allow()`")),
            "block" | "ask" => (
                format!("`{name}` takes one argument, the reason"),
                format!("write `{name}(\"why, and what to do instead\")`"),
            ),
            _ => (format!("`{name}` takes one argument"), format!("write `{name}({{\"field\": value}})`")),
        };
        let finding = ScriptFinding::error(FindingCode::BadDecision, message, Some(span_of(expr)));
        self.findings.push(finding.help(help));
    }

    /// Checks the fields of `modify({..})`.
    fn check_modified(&mut self, arguments: &'a [AstArgument]) {
        let [only] = arguments else { return };
        let Expr::Dict(entries) = &only.expr().node else { return };
        let def = self.question.event.def();
        let fields = def.schema().get("properties").and_then(serde_json::Value::as_object);
        let names = || fields.into_iter().flat_map(|fields| fields.keys()).map(String::as_str);
        for (key_expr, _) in entries {
            let Some(key) = string_literal(key_expr) else { continue };
            if def.aliases.iter().any(|(_, other)| *other == key) {
                continue;
            }
            let at = Some(span_of(key_expr));
            let is_known = fields.is_none_or(|fields| fields.is_empty() || fields.contains_key(key));
            let finding = match def.target {
                _ if !is_known => {
                    let message = format!("the payload of `{}` has no field `{key}`", self.question.event);
                    let finding = ScriptFinding::error(FindingCode::UnknownField, message, at);
                    match suggest_nearest(key, names()) {
                        Some(near) => finding.help(format!("did you mean `{near}`?")),
                        None => finding.help(format!("`pintle events {}` lists the fields", self.question.event)),
                    }
                }
                RewriteTarget::Fields(targets) if !targets.contains(&key) => {
                    let message = format!("hooks cannot change `{key}` at `{}`", self.question.event);
                    let finding = ScriptFinding::warning(FindingCode::NoEffect, message, at);
                    finding.help(format!("they can change {}", targets.join(", ")))
                }
                _ => continue,
            };
            self.findings.push(finding);
        }
    }

    /// Checks that a guard can refuse: that some statement which is reached does more than allow.
    fn check_refusals(&mut self, body: &'a AstStmt) {
        let class = self.question.event.def().class;
        let used = names_read(self.script.expressions.iter().copied());
        let refuses = |names: &BTreeSet<&str>| REFUSALS.iter().any(|name| names.contains(name));
        if self.script.expressions.iter().any(|expr| string_literal(expr) == Some("action")) {
            return;
        }
        if refuses(&used) {
            let mut reached = Vec::new();
            collect_reached(body, &mut reached);
            let mut names: BTreeSet<&str> = BTreeSet::new();
            let mut next: Vec<&str> = names_read(reached).into_iter().collect();
            while let Some(name) = next.pop() {
                if names.insert(name)
                    && let Some(function) = self.functions.get(name)
                {
                    match function.body {
                        ScriptFunctionBody::Block(stmt) => next.extend(names_read(expressions_in(stmt))),
                        ScriptFunctionBody::Value(_) => {}
                    }
                }
            }
            // A name of the module may hold a function or a decision.
            let is_clear = names.iter().all(|name| !self.script.binds(name) || self.is_plain_name(name));
            if is_clear && !refuses(&names) {
                let lost = self
                    .script
                    .expressions
                    .iter()
                    .find(|expr| identifier_name(expr).is_some_and(|name| REFUSALS.contains(&name)));
                let message = "the only refusal is in a part of the script that is never reached";
                let at = lost.map(|expr| span_of(*expr));
                let finding = ScriptFinding::error(FindingCode::NeverRefuses, message, at);
                self.findings.push(finding.help("a `return` before it, or a condition that is never true, hides it"));
            }
            return;
        }
        let known = globals::names_for_kind(ScriptKind::Hook);
        if used.iter().any(|name| !known.contains(name) && !self.script.binds(name)) {
            // What an unknown name is meant to do is not known.
            return;
        }
        let does_something = used.iter().any(|name| DOING.contains(name) || matches!(*name, "modify" | "delegate"));
        if class == EventClass::Guard && !does_something && self.findings.is_empty() {
            let message = "the hook never refuses and does nothing else";
            let finding = ScriptFinding::warning(FindingCode::NeverRefuses, message, Some(span_of(body)));
            self.findings.push(finding.help("return `block(\"why\")` where the call must not happen"));
        }
    }

    /// Checks that a guard whose values decide returns one that may refuse, or does something else.
    fn check_returned_refusals(&mut self, node: &FunctionNode<'a>, stmt: &'a AstStmt) {
        let gives_nothing = |value: &&AstExpr| match &value.node {
            Expr::Dict(entries) => entries.is_empty(),
            _ => matches!(identifier_name(value), Some("None" | "True")),
        };
        let known = globals::names_for_kind(ScriptKind::Plugin);
        let does = |name: &str| DOING.contains(&name) || globals::REGISTRATIONS.contains(&name);
        // What a method does with a value that the script has made can be seen nowhere else.
        let is_idle = |expr: &&AstExpr| match &expr.node {
            Expr::Call(callee, _) => match &callee.node {
                Expr::Dot(..) => names_read(nested_expressions(callee)).iter().all(|name| !does(name)),
                _ => identifier_name(callee).is_some_and(|name| known.contains(name) && !does(name)),
            },
            _ => true,
        };
        let class = self.question.event.def().class;
        let is_silent = self.findings.is_empty() && node.returned_values().iter().all(gives_nothing);
        if class == EventClass::Guard && is_silent && expressions_in(stmt).iter().all(is_idle) {
            let message = "the hook never refuses and does nothing else";
            let finding = ScriptFinding::warning(FindingCode::NeverRefuses, message, Some(span_of(stmt)));
            self.findings.push(finding.help("return a value that denies where the call must not happen"));
        }
    }

    /// Whether a name of the script is a parameter, a variable of a function or a function.
    fn is_plain_name(&self, name: &str) -> bool {
        let module = block_statements(self.script.root()).iter();
        let assigned = module.filter_map(|stmt| match &stmt.node {
            Stmt::Assign(assign) => target_name(&assign.lhs).map(|name| (name, &assign.rhs)),
            _ => None,
        });
        assigned
            .filter(|(assigned, _)| *assigned == name)
            .all(|(_, value)| !matches!(value.node, Expr::Call(..) | Expr::Lambda(_) | Expr::Identifier(_)))
    }
}

/// Collects the expressions of the statements that may be reached; gives whether what follows the statement is.
fn collect_reached<'a>(stmt: &'a AstStmt, reached: &mut Vec<&'a AstExpr>) -> bool {
    let mut add = |expr: &'a AstExpr| reached.extend(nested_expressions(expr));
    match &stmt.node {
        Stmt::Statements(inner) => inner.iter().all(|stmt| collect_reached(stmt, reached)),
        Stmt::Return(value) => {
            value.iter().for_each(add);
            false
        }
        Stmt::If(condition, then) => {
            add(condition);
            if is_false(condition) {
                return true;
            }
            collect_reached(then, reached) || !is_true(condition)
        }
        Stmt::IfElse(condition, branches) => {
            add(condition);
            let then = !is_false(condition) && collect_reached(&branches.0, reached);
            let other = !is_true(condition) && collect_reached(&branches.1, reached);
            then || other
        }
        Stmt::For(each) => {
            add(&each.over);
            collect_reached(&each.body, reached);
            true
        }
        Stmt::Break | Stmt::Continue => false,
        _ => {
            reached.extend(expressions_in(stmt));
            true
        }
    }
}

fn is_false(condition: &AstExpr) -> bool {
    match &condition.node {
        Expr::Not(inner) => is_true(inner),
        Expr::List(items) | Expr::Tuple(items) => items.is_empty(),
        Expr::Literal(AstLiteral::String(text)) => text.node.is_empty(),
        Expr::Op(left, BinOp::And, right) => is_false(left) || is_false(right),
        Expr::Op(left, BinOp::Or, right) => is_false(left) && is_false(right),
        _ => matches!(identifier_name(condition), Some("False" | "None")) || is_contradiction(condition),
    }
}

fn is_true(condition: &AstExpr) -> bool {
    match &condition.node {
        Expr::Not(inner) => is_false(inner),
        _ => identifier_name(condition) == Some("True"),
    }
}

/// Whether two texts are compared that are different.
fn is_contradiction(condition: &AstExpr) -> bool {
    let Expr::Op(left, BinOp::Equal, right) = &condition.node else { return false };
    matches!((string_literal(left), string_literal(right)), (Some(one), Some(other)) if one != other)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
