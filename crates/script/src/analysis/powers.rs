//! The decisions that a hook's script can return: whether it can deny, and whether it can rewrite.
//!
//! Anything that the text does not show is assumed possible. A decision may come from data, a helper or a server: a
//! returned value is harmless only if the text shows that it is one of the few values without a decision.

use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::ast::{identifier_name, string_literal, visit_expressions, visit_statements};
use super::bound_names::{BoundNames, NameBinding};
use crate::language::{ScriptKind, ScriptPowers};

/// Names with which a script can deny: the decisions themselves, `fail`, which denies if failures deny, and the actions
/// of dict decisions.
const REFUSING: &[&str] = &["block", "ask", "deny", "fail"];

/// The decisions in a hook's return values.
pub(super) fn powers_of(ast: &AstModule) -> ScriptPowers {
    let root = ast.statement();
    let mut found = ScriptPowers::default();
    visit_expressions(root, &mut |expr| {
        let word = identifier_name(expr).or_else(|| string_literal(expr)).unwrap_or_default();
        found.can_deny |= REFUSING.contains(&word);
        found.can_rewrite |= word == "modify";
    });
    found.union(ReturnTracker::new(root).function_powers(ScriptKind::Hook.entry_point()))
}

/// Tracks the return values of functions.
struct ReturnTracker<'a> {
    bound: BoundNames<'a>,
    /// The functions that are being tracked.
    open_functions: Vec<&'a str>,
}

impl<'a> ReturnTracker<'a> {
    fn new(root: &'a AstStmt) -> Self {
        Self { bound: BoundNames::in_statement(root), open_functions: Vec::new() }
    }

    /// The decisions that a function of the module returns, if its name is unambiguous.
    fn function_powers(&mut self, name: &'a str) -> ScriptPowers {
        let [NameBinding::Function(def)] = *self.bound.find(name) else { return ScriptPowers::ALL };
        if self.open_functions.contains(&name) {
            // Its return values are counted where it was first found.
            return ScriptPowers::default();
        }
        self.open_functions.push(name);
        let mut found = ScriptPowers::default();
        let mut values = Vec::new();
        visit_statements(&def.body, &mut |stmt| {
            if let Stmt::Return(Some(value)) = &stmt.node {
                values.push(value);
            }
        });
        for value in values {
            found = found.union(self.value_powers(value, true));
        }
        self.open_functions.pop();
        found
    }

    /// The decisions of a returned value. A dict with a name may be changed after it was created, so `fresh` says
    /// whether it is returned where it is written.
    fn value_powers(&mut self, value: &'a AstExpr, fresh: bool) -> ScriptPowers {
        match &value.node {
            Expr::Literal(_) | Expr::Not(_) => ScriptPowers::default(),
            Expr::Op(_, op, _) if is_comparison(*op) => ScriptPowers::default(),
            Expr::Op(left, BinOp::And | BinOp::Or, right) => {
                self.value_powers(left, fresh).union(self.value_powers(right, fresh))
            }
            Expr::If(parts) => self.value_powers(&parts.1, fresh).union(self.value_powers(&parts.2, fresh)),
            Expr::Identifier(name) if matches!(name.ident.as_str(), "None" | "True" | "False") => {
                ScriptPowers::default()
            }
            Expr::Identifier(name) => self.variable_powers(&name.ident),
            Expr::Dict(entries) if fresh => dictionary_powers(entries),
            Expr::Call(callee, _) => match identifier_name(callee) {
                Some(name) if self.bound.contains(name) => self.function_powers(name),
                Some("allow" | "delegate") => ScriptPowers::default(),
                Some("modify") => ScriptPowers { can_deny: false, can_rewrite: true },
                Some("block" | "ask") => ScriptPowers { can_deny: true, can_rewrite: false },
                _ => ScriptPowers::ALL,
            },
            _ => ScriptPowers::ALL,
        }
    }

    /// The decisions of a variable that only ever contains decisions, which are never changed.
    fn variable_powers(&mut self, name: &'a str) -> ScriptPowers {
        let values: Option<Vec<&AstExpr>> = self.bound.find(name).iter().map(NameBinding::value).collect();
        let Some(values) = values.filter(|values| !values.is_empty() && !self.open_functions.contains(&name)) else {
            return ScriptPowers::ALL;
        };
        self.open_functions.push(name);
        let mut found = ScriptPowers::default();
        for value in values {
            found = found.union(self.value_powers(value, false));
        }
        self.open_functions.pop();
        found
    }
}

/// A dict literal decides by its single literal `action`.
fn dictionary_powers(entries: &[(AstExpr, AstExpr)]) -> ScriptPowers {
    let mut action = None;
    for (key, value) in entries {
        match string_literal(key) {
            None => return ScriptPowers::ALL,
            Some("action") if action.is_some() => return ScriptPowers::ALL,
            Some("action") => action = Some(string_literal(value)),
            Some(_) => {}
        }
    }
    match action.flatten() {
        Some("allow" | "delegate") => ScriptPowers::default(),
        Some("modify") => ScriptPowers { can_deny: false, can_rewrite: true },
        Some("block" | "ask") => ScriptPowers { can_deny: true, can_rewrite: false },
        _ => ScriptPowers::ALL,
    }
}

fn is_comparison(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Equal
            | BinOp::NotEqual
            | BinOp::Less
            | BinOp::Greater
            | BinOp::LessOrEqual
            | BinOp::GreaterOrEqual
            | BinOp::In
            | BinOp::NotIn
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::dialect;

    fn describe_powers(text: &str) -> String {
        let ScriptPowers { can_deny: refuses, can_rewrite: rewrites } =
            powers_of(&AstModule::parse("t", text.to_owned(), &dialect()).unwrap());
        format!("{}{}", if refuses { "refuses " } else { "" }, if rewrites { "rewrites" } else { "" }).trim().to_owned()
    }

    /// The body of `handle`, and the decisions that it may return.
    #[test]
    fn a_decision_that_the_text_does_not_show_may_be_any() {
        let all = "refuses rewrites";
        let cases = [
            ("return allow()", ""),
            ("return", ""),
            ("log.info(\"x\")", ""),
            ("return None if payload else allow()", ""),
            ("return \"text\"", ""),
            ("return \"rm\" in payload[\"name\"]", ""),
            ("return {\"action\": \"allow\", \"why\": payload[\"name\"]}", ""),
            ("return delegate(payload)", ""),
            ("return modify({\"args\": {}})", "rewrites"),
            ("return {\"action\": \"modify\", \"args\": {}}", "rewrites"),
            ("x = allow()\n  if payload:\n    x = modify({})\n  return x", "rewrites"),
            ("return block(\"no\")", "refuses"),
            ("return {\"action\": \"block\"}", "refuses"),
            ("x = block\n  return x(\"no\")", all),
            // Data decides.
            ("return json.decode(http.post(\"http://p\", \"x\")[\"body\"])", all),
            ("return json.decode(\"{\\\"action\\\": \\\"bl\" + \"ock\\\"}\")", all),
            ("return {\"action\": \"bl\" + \"ock\"}", all),
            ("return {\"act\" + \"ion\": \"x\"}", all),
            ("return {\"action\": payload[\"action\"]}", all),
            ("return {\"action\": \"allow\", \"act\" + \"ion\": \"x\"}", all),
            ("return dict(action = \"x\")", all),
            ("return {k: v for k, v in payload.items()}", all),
            ("return {\"action\": \"allow\"} | payload", all),
            ("d = {\"action\": \"allow\"}\n  d[\"action\"] = payload[\"x\"]\n  return d", all),
            ("d = {\"action\": \"allow\"}\n  d.update(payload)\n  return d", all),
            ("return payload", all),
            ("return payload.get(\"verdict\") or allow()", all),
            ("return cache.get(\"verdict\")", all),
            ("return [allow][0]()", all),
            ("return (lambda: payload)()", all),
            ("return [payload][0]", all),
            ("for x in [payload]:\n    return x", all),
            ("x, y = payload[\"a\"], 1\n  return x", all),
            ("if payload:\n    fail(\"no\")", "refuses"),
            ("return {}", all),
        ];
        for (body, expected) in cases {
            assert_eq!(describe_powers(&format!("def handle(event, payload):\n  {body}\n")), expected, "{body}");
        }
    }

    #[test]
    fn helpers_are_followed_and_unknown_ones_are_not_trusted() {
        let handle = "def handle(event, payload):\n  return check(payload)\n";
        let cases = [
            ("def check(p):\n  return allow()\n", ""),
            ("def check(p):\n  if p:\n    return check(p)\n  return modify(p)\n", "rewrites"),
            ("def check(p):\n  return json.decode(p[\"x\"])\n", "refuses rewrites"),
            ("def deep(p):\n  return p\ndef check(p):\n  return deep(p)\n", "refuses rewrites"),
            ("check = [lambda p: p][0]\n", "refuses rewrites"),
            ("def check(p):\n  return allow()\ncheck = len\n", "refuses rewrites"),
        ];
        for (helper, expected) in cases {
            assert_eq!(describe_powers(&format!("{helper}{handle}")), expected, "{helper}");
        }
        // The names of decisions may be rebound.
        let renamed =
            "allow = lambda: {\"action\": VERB}\nVERB = \"b\"\ndef handle(event, payload):\n  return allow()\n";
        assert_eq!(describe_powers(renamed), "refuses rewrites");
        assert_eq!(describe_powers("def made():\n  return handle\nhandle = lambda e, p: None\n"), "refuses rewrites");
    }
}
