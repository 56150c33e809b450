//! Mutants: the same script with one small change, such as a condition that is negated.
//!
//! Tests that pass for a script and for its mutant do not notice what was changed. Each mutant is a text that parses, and no
//! two are the same; their order is that of the text.

use std::collections::BTreeSet;

use pintle_contract::{Location, ScriptSource};
use starlark::syntax::ast::{ArgumentP, AstExpr, AstLiteral, AstStmt, BinOp, ClauseP, Expr, Stmt};

use crate::analysis::{block_statements, identifier_name, is_constant_name, span_of, string_literal};
use crate::compile::try_on_large_stack;
use crate::language::ScriptKind;
use crate::load::{parse, parse_prepared};
use crate::source::PreparedSource;
use crate::when::parse_expression;

/// What a decision is replaced with.
const ALLOW: &str = "allow()";

/// A script with one small change.
#[derive(Debug, Clone)]
pub struct ScriptMutant {
    /// The changed script.
    pub source: ScriptSource,
    /// Where the change is in the script's file.
    pub location: Location,
    /// The text that was replaced.
    pub replaced: String,
    /// The text in its place.
    pub replacement: String,
    /// What is changed, in a few words.
    pub change: String,
    /// Whether it is outside of functions, in what is run when the script is loaded.
    pub is_top_level: bool,
}

/// The mutants of a script or a plugin; none if it does not parse.
#[must_use]
pub fn script_mutants(name: &str, text: &ScriptSource, script_kind: ScriptKind) -> Vec<ScriptMutant> {
    let made = try_on_large_stack(&[&text.text], || {
        let (source, Ok(ast)) = parse(name, text, script_kind) else { return Vec::new() };
        let mut edits = EditCollector { text: &source.text, edits: BTreeSet::new(), is_top_level: true };
        edits.block(ast.statement(), None);
        let parses = |changed: &str| {
            let (source, refusal) = PreparedSource::new(name, &ScriptSource::without_file(changed));
            refusal.is_none() && parse_prepared(&source, script_kind).is_ok()
        };
        apply_edits(&source, text, edits.edits, 0, parses)
    });
    made.unwrap_or_default()
}

/// The mutants of a `when`; none if it does not parse.
#[must_use]
pub fn when_mutants(name: &str, expression: &ScriptSource) -> Vec<ScriptMutant> {
    let made = try_on_large_stack(&[&expression.text], || {
        let (source, Some(ast), text) = parse_expression(name, expression) else { return Vec::new() };
        let offset = text.find(&source.text).unwrap_or_default();
        let mut edits = EditCollector { text: &text, edits: BTreeSet::new(), is_top_level: false };
        if let Some(Stmt::Def(def)) = block_statements(ast.statement()).last().map(|stmt| &stmt.node)
            && let Some(Stmt::Return(Some(returned))) = block_statements(&def.body).last().map(|stmt| &stmt.node)
        {
            edits.condition(returned);
            edits.expression(returned);
        }
        let parses = |changed: &str| parse_expression(name, &ScriptSource::without_file(changed)).1.is_some();
        apply_edits(&source, expression, edits.edits, offset, parses)
    });
    made.unwrap_or_default()
}

/// A change of a text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TextEdit {
    span: (usize, usize),
    replacement: String,
    /// What is left out, if that says more than what is replaced.
    dropped: Option<String>,
    is_top_level: bool,
}

fn apply_edits(
    source: &PreparedSource,
    origin: &ScriptSource,
    edits: BTreeSet<TextEdit>,
    offset: usize,
    parses: impl Fn(&str) -> bool,
) -> Vec<ScriptMutant> {
    let apply = |TextEdit { span, replacement, dropped, is_top_level }: TextEdit| {
        let (start, end) = (span.0.checked_sub(offset)?, span.1.checked_sub(offset)?);
        let (before, replaced, after) =
            (source.text.get(..start)?, source.text.get(start..end)?, source.text.get(end..)?);
        let changed = source.restore_names(&format!("{before}{replacement}{after}"));
        let replaced = source.restore_names(replaced);
        let change = match (dropped, replacement.as_str()) {
            (Some(dropped), _) => format!("without `{dropped}`"),
            (None, "pass") => format!("without `{replaced}`"),
            (None, other) => format!("`{replaced}` is `{other}`"),
        };
        (replaced != replacement && parses(&changed)).then(|| ScriptMutant {
            source: ScriptSource { text: changed.into(), ..origin.clone() },
            location: source.location(Some((start, end))),
            replaced,
            replacement,
            change,
            is_top_level,
        })
    };
    edits.into_iter().filter_map(apply).collect()
}

/// Collects what can be changed in a parsed script.
struct EditCollector<'t> {
    text: &'t str,
    edits: BTreeSet<TextEdit>,
    /// Whether what is read is outside of functions.
    is_top_level: bool,
}

impl EditCollector<'_> {
    fn add(&mut self, span: (usize, usize), replacement: impl Into<String>, dropped: Option<String>) {
        let (replacement, is_top_level) = (replacement.into(), self.is_top_level);
        self.edits.insert(TextEdit { span, replacement, dropped, is_top_level });
    }

    fn replace(&mut self, expr: &AstExpr, replacement: impl Into<String>) {
        self.add(span_of(expr), replacement, None);
    }

    fn remove(&mut self, stmt: &AstStmt) {
        self.add(span_of(stmt), "pass", None);
    }

    fn source_of(&self, expr: &AstExpr) -> &str {
        let (start, end) = span_of(expr);
        self.text.get(start..end).unwrap_or_default()
    }

    /// The statements of a block. `last` is the last statement of the function, behind which nothing follows.
    fn block(&mut self, stmt: &AstStmt, last: Option<(usize, usize)>) {
        block_statements(stmt).iter().for_each(|stmt| self.statement(stmt, last));
    }

    fn statement(&mut self, stmt: &AstStmt, last: Option<(usize, usize)>) {
        match &stmt.node {
            Stmt::Statements(_) => self.block(stmt, last),
            Stmt::Break | Stmt::Continue => self.remove(stmt),
            Stmt::Return(returned) => {
                // Without the last statement, a function returns nothing: that is what changing its value is about.
                if last != Some(span_of(stmt)) {
                    self.remove(stmt);
                }
                if let Some(expr) = returned {
                    self.decision(expr);
                    self.expression(expr);
                }
            }
            Stmt::Expression(expr) if matches!(expr.node, Expr::Literal(_)) => {}
            Stmt::Expression(expr) => {
                self.remove(stmt);
                self.expression(expr);
            }
            Stmt::AssignModify(_, _, expr) => {
                self.remove(stmt);
                self.expression(expr);
            }
            Stmt::Assign(assign) => self.expression(&assign.rhs),
            Stmt::If(condition, body) => {
                self.condition(condition);
                self.expression(condition);
                self.block(body, last);
            }
            Stmt::IfElse(condition, bodies) => {
                self.condition(condition);
                self.expression(condition);
                self.block(&bodies.0, last);
                self.block(&bodies.1, last);
            }
            Stmt::For(each) => {
                self.replace(&each.over, "[]");
                self.expression(&each.over);
                self.block(&each.body, None);
            }
            Stmt::Def(def) => {
                let was_top_level = std::mem::replace(&mut self.is_top_level, false);
                self.block(&def.body, block_statements(&def.body).last().map(span_of));
                self.is_top_level = was_top_level;
            }
            Stmt::Pass | Stmt::Load(_) => {}
        }
    }

    /// A decision that is returned becomes its opposite.
    fn decision(&mut self, expr: &AstExpr) {
        if let Expr::Call(callee, _) = &expr.node {
            match identifier_name(callee) {
                Some("block" | "ask" | "modify" | "deny") => self.replace(expr, ALLOW),
                Some("allow") => self.replace(expr, "block(\"mutant\")"),
                _ => {}
            }
        }
        if let Expr::If(parts) = &expr.node {
            self.decision(&parts.1);
            self.decision(&parts.2);
        }
    }

    /// Negates a condition that no other edit negates.
    fn condition(&mut self, expr: &AstExpr) {
        match &expr.node {
            Expr::Op(_, BinOp::And | BinOp::Or | BinOp::Equal | BinOp::NotEqual | BinOp::In | BinOp::NotIn, _)
            | Expr::Not(_)
            | Expr::Literal(_) => {}
            _ if is_constant_name(expr) => {}
            _ => {
                let negated = format!("not ({})", self.source_of(expr));
                self.replace(expr, negated);
            }
        }
    }

    fn expression(&mut self, expr: &AstExpr) {
        match &expr.node {
            Expr::Op(left, op, right) => {
                self.operator(expr, left, *op, right);
                self.expression(left);
                self.expression(right);
            }
            Expr::Not(inner) => {
                let inner_text = format!("({})", self.source_of(inner));
                self.replace(expr, inner_text);
                self.expression(inner);
            }
            Expr::If(parts) => {
                self.condition(&parts.0);
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.expression(part));
            }
            Expr::Literal(AstLiteral::Int(int)) => {
                if let Ok(number) = int.node.to_string().parse::<i64>() {
                    self.replace(expr, number.saturating_add(1).to_string());
                }
            }
            Expr::Literal(AstLiteral::String(text)) if !text.node.is_empty() => self.replace(expr, "\"\""),
            Expr::Literal(_) => {}
            Expr::Identifier(name) => match name.ident.as_str() {
                "True" => self.replace(expr, "False"),
                "False" => self.replace(expr, "True"),
                _ => {}
            },
            Expr::List(items) => self.items(expr, items, ["[", "]"]),
            Expr::Tuple(items) if items.len() > 1 => self.items(expr, items, ["(", ",)"]),
            Expr::Dict(entries) => {
                let spans: Vec<_> = entries.iter().map(|(key, value)| (span_of(key).0, span_of(value).1)).collect();
                self.drop_each(expr, &spans, ["{", "}"]);
                entries.iter().for_each(|(_, value)| self.expression(value));
            }
            Expr::ListComprehension(item, each, clauses) => {
                self.expression(item);
                self.expression(&each.over);
                self.clauses(clauses);
            }
            Expr::DictComprehension(entry, each, clauses) => {
                self.expression(&entry.1);
                self.expression(&each.over);
                self.clauses(clauses);
            }
            Expr::Call(callee, call) => {
                self.expression(callee);
                call.args.iter().for_each(|argument| match &argument.node {
                    ArgumentP::Positional(argument) | ArgumentP::Named(_, argument) => self.expression(argument),
                    ArgumentP::Args(_) | ArgumentP::KwArgs(_) => {}
                });
            }
            // The text of a format is part of its expression.
            Expr::FString(text) => text.node.expressions.iter().for_each(|inner| self.expression(inner)),
            other => other.visit_expr(|inner| self.expression(inner)),
        }
    }

    fn clauses(&mut self, clauses: &[crate::analysis::ClauseNode]) {
        for clause in clauses {
            match clause {
                ClauseP::For(each) => self.expression(&each.over),
                ClauseP::If(condition) => {
                    self.condition(condition);
                    self.expression(condition);
                }
            }
        }
    }

    fn operator(&mut self, expr: &AstExpr, left: &AstExpr, op: BinOp, right: &AstExpr) {
        let has_number = [left, right].iter().any(|side| matches!(side.node, Expr::Literal(AstLiteral::Int(_))));
        let (written, other) = match op {
            BinOp::And => ("and", "or"),
            BinOp::Or => ("or", "and"),
            BinOp::Equal => ("==", "!="),
            BinOp::NotEqual => ("!=", "=="),
            BinOp::Less => ("<", "<="),
            BinOp::LessOrEqual => ("<=", "<"),
            BinOp::Greater => (">", ">="),
            BinOp::GreaterOrEqual => (">=", ">"),
            BinOp::In => ("in", "not in"),
            BinOp::NotIn => ("not in", "in"),
            BinOp::Add if has_number => ("+", "-"),
            BinOp::Subtract if has_number => ("-", "+"),
            _ => return,
        };
        let (start, end) = (span_of(left).1, span_of(right).0);
        let between = self.text.get(start..end).unwrap_or_default();
        if let Some(at) = between.find(written) {
            self.add((start + at, start + at + written.len()), other, None);
        }
        if matches!(op, BinOp::And | BinOp::Or) {
            for (kept, dropped) in [(left, right), (right, left)] {
                let [kept, dropped] = [kept, dropped].map(|side| self.source_of(side).to_owned());
                self.add(span_of(expr), format!("({kept})"), Some(dropped));
            }
        }
    }

    /// The items of a list: one is left out, those that are not texts are changed.
    fn items(&mut self, expr: &AstExpr, items: &[AstExpr], brackets: [&str; 2]) {
        let spans: Vec<_> = items.iter().map(span_of).collect();
        self.drop_each(expr, &spans, brackets);
        items.iter().filter(|item| string_literal(item).is_none()).for_each(|item| self.expression(item));
    }

    /// Leaves out each entry of a list: where it is, if that leaves a list.
    fn drop_each(&mut self, expr: &AstExpr, spans: &[(usize, usize)], [open, close]: [&str; 2]) {
        let text_at = |(start, end): (usize, usize)| self.text.get(start..end).unwrap_or_default();
        let without_comments = |text: &str| text.lines().filter_map(|line| line.split('#').next()).collect::<String>();
        let mut edits = Vec::new();
        for (index, span) in spans.iter().enumerate() {
            let next = spans.get(index + 1).map(|next| (span.0, next.0, (span.1, next.0)));
            let before = index.checked_sub(1).and_then(|index| spans.get(index));
            let before = before.map(|before| (before.1, span.1, (before.1, span.0)));
            let in_place = next
                .or(before)
                .filter(|(.., between)| without_comments(text_at(*between)).trim() == "," && close != ",)");
            let edit = match in_place {
                Some((start, end, _)) => ((start, end), String::new()),
                None => {
                    let kept = spans.iter().filter(|other| *other != span).map(|other| text_at(*other));
                    (span_of(expr), format!("{open}{}{close}", kept.collect::<Vec<_>>().join(", ")))
                }
            };
            edits.push((edit.0, edit.1, Some(text_at(*span).to_owned())));
        }
        edits.into_iter().for_each(|(span, replacement, dropped)| self.add(span, replacement, dropped));
    }
}
