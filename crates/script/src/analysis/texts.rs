//! The texts that an expression of a script may have.

use std::collections::BTreeSet;

use starlark::syntax::ast::{AstExpr, BinOp, Expr};

use super::ast::{MethodCall, identifier_name, string_literal};
use super::name_values::{NameValues, ValueSearch};

/// Namespaces of functions whose results the text of the script does not show.
const OUTSIDE: [&str; 8] = ["base64", "env", "exec", "fs", "http", "meta", "os", "transcript"];

/// The size of a text that is put together from others; longer ones are not a tool's name.
const MAX_TEXT_BYTES: usize = 4_096;

impl<'a> NameValues<'_, 'a> {
    /// Adds the string literals that an expression may have in its value.
    pub(super) fn collect_texts(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>, texts: &mut BTreeSet<String>) {
        search.enter(|search| {
            if let Some(text) = self.constant_text(expr, search) {
                texts.insert(text);
                return;
            }
            match &expr.node {
                Expr::Identifier(name) if search.is_new(&name.ident) => {
                    self.values_of(&name.ident).iter().for_each(|value| self.collect_texts(value, search, texts));
                }
                Expr::Identifier(_) | Expr::Lambda(_) => {}
                Expr::Index(parts) => self.collect_texts(&parts.0, search, texts),
                Expr::Call(callee, call) => {
                    for value in self.results_of(callee, search) {
                        self.collect_texts(value, search, texts);
                    }
                    let Some(MethodCall { base, method, arguments }) = MethodCall::from_text_expr(expr) else {
                        let is_table = identifier_name(callee) == Some("dict");
                        texts.extend(
                            call.args
                                .iter()
                                .filter(|_| is_table)
                                .filter_map(|argument| argument.name())
                                .map(str::to_owned),
                        );
                        call.args.iter().for_each(|argument| self.collect_texts(argument.expr(), search, texts));
                        return;
                    };
                    if method.ends_with("split") || method == "splitlines" {
                        let mut whole = BTreeSet::new();
                        self.collect_texts(base, search, &mut whole);
                        let separator =
                            arguments.first().and_then(|argument| self.constant_text(argument.expr(), search));
                        texts.extend(whole.iter().flat_map(|text| split(text, separator.as_deref())));
                        return;
                    }
                    search.reads_outside |= identifier_name(base).is_some_and(|name| OUTSIDE.contains(&name));
                    self.collect_texts(base, search, texts);
                    // The key of a table is no part of its values.
                    let arguments = arguments.get(usize::from(method == "get")..).unwrap_or_default();
                    arguments.iter().for_each(|argument| self.collect_texts(argument.expr(), search, texts));
                }
                _ => expr.visit_expr(|inner| self.collect_texts(inner, search, texts)),
            }
        });
    }

    /// The text that an expression always has, if it is short.
    fn constant_text(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>) -> Option<String> {
        search.enter(|search| {
            let text = match &expr.node {
                Expr::Literal(_) => string_literal(expr).map(str::to_owned),
                Expr::Identifier(name) => match self.values_of(&name.ident) {
                    [value] => self.constant_text(value, search),
                    _ => None,
                },
                Expr::Op(left, BinOp::Add, right) => {
                    Some(self.constant_text(left, search)? + &self.constant_text(right, search)?)
                }
                Expr::Call(..) => {
                    let MethodCall { base, method, arguments } = MethodCall::from_text_expr(expr)?;
                    let (true, [argument]) = (method == "join", arguments) else { return None };
                    // `string.join` has the list first.
                    let (list, separator) = match self.constant_list(base, search) {
                        Some(list) => (list, self.constant_text(argument.expr(), search)?),
                        None => (self.constant_list(argument.expr(), search)?, self.constant_text(base, search)?),
                    };
                    Some(list.join(&separator))
                }
                _ => None,
            };
            text.filter(|text| text.len() <= MAX_TEXT_BYTES)
        })
    }

    fn constant_list(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>) -> Option<Vec<String>> {
        search.enter(|search| match &expr.node {
            Expr::List(items) | Expr::Tuple(items) => {
                items.iter().map(|item| self.constant_text(item, search)).collect()
            }
            Expr::Identifier(name) => match self.values_of(&name.ident) {
                [value] => self.constant_list(value, search),
                _ => None,
            },
            _ => None,
        })
    }
}

fn split(text: &str, separator: Option<&str>) -> Vec<String> {
    match separator.filter(|separator| !separator.is_empty()) {
        Some(separator) => text.split(separator).map(str::to_owned).collect(),
        None => text.split_whitespace().map(str::to_owned).collect(),
    }
}
