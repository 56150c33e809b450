//! The decisions that a hook's script can return: whether it can deny, and whether it can rewrite.
//!
//! Anything that the text does not show is assumed possible. A decision may come from data, a helper or a server: a
//! returned value is harmless only if the text shows that it is one of the few values without a decision.

use starlark::syntax::ast::{AstExpr, Expr};

use super::ast::{alternatives, identifier_name, is_comparison, is_constant_name, returned_values, string_literal};
use super::resolved::{BoundNames, NameBinding, ResolvedScript};
use crate::language::{ScriptKind, ScriptPowers};

/// Names with which a script can deny: the decisions themselves, `fail`, which denies if failures deny, and the actions
/// of dict decisions.
const REFUSING: &[&str] = &["block", "ask", "deny", "fail"];

/// The decisions in a hook's return values.
pub(super) fn powers_of(script: &ResolvedScript<'_>) -> ScriptPowers {
    let mut found = ScriptPowers::default();
    for expr in &script.expressions {
        let word = identifier_name(expr).or_else(|| string_literal(expr)).unwrap_or_default();
        found.can_deny |= REFUSING.contains(&word);
        found.can_rewrite |= word == "modify";
    }
    let mut tracker = ReturnTracker { names: &script.names, open_names: Vec::new() };
    found.union(tracker.function_powers(ScriptKind::Hook.entry_point()))
}

/// Tracks the return values of functions.
struct ReturnTracker<'s, 'a> {
    names: &'s BoundNames<'a>,
    /// The functions and variables that are being tracked.
    open_names: Vec<&'a str>,
}

impl<'a> ReturnTracker<'_, 'a> {
    /// The decisions of the values that a name may return or be.
    fn named_powers(&mut self, name: &'a str, values: Vec<&'a AstExpr>, fresh: bool) -> ScriptPowers {
        self.open_names.push(name);
        let found = values
            .into_iter()
            .fold(ScriptPowers::default(), |found, value| found.union(self.value_powers(value, fresh)));
        self.open_names.pop();
        found
    }

    /// The decisions that a function of the module returns, if its name is unambiguous.
    fn function_powers(&mut self, name: &'a str) -> ScriptPowers {
        let [NameBinding::Function(def)] = *self.names.find(name) else { return ScriptPowers::ALL };
        if self.open_names.contains(&name) {
            // Its return values are counted where it was first found.
            return ScriptPowers::default();
        }
        self.named_powers(name, returned_values(&def.body), true)
    }

    /// The decisions of a returned value. A dict with a name may be changed after it was created, so `fresh` says
    /// whether it is returned where it is written.
    fn value_powers(&mut self, value: &'a AstExpr, fresh: bool) -> ScriptPowers {
        if let Some([one, other]) = alternatives(value) {
            return self.value_powers(one, fresh).union(self.value_powers(other, fresh));
        }
        match &value.node {
            Expr::Literal(_) | Expr::Not(_) => ScriptPowers::default(),
            Expr::Op(_, op, _) if is_comparison(*op) => ScriptPowers::default(),
            Expr::Identifier(_) if is_constant_name(value) => ScriptPowers::default(),
            Expr::Identifier(name) => self.variable_powers(&name.ident),
            Expr::Dict(entries) if fresh => dictionary_powers(entries),
            Expr::Call(callee, _) => match identifier_name(callee) {
                Some(name) if self.names.contains(name) => self.function_powers(name),
                Some(name) => action_powers(name),
                None => ScriptPowers::ALL,
            },
            _ => ScriptPowers::ALL,
        }
    }

    /// The decisions of a variable that only ever contains decisions, which are never changed.
    fn variable_powers(&mut self, name: &'a str) -> ScriptPowers {
        let values: Option<Vec<&AstExpr>> = self.names.find(name).iter().map(NameBinding::value).collect();
        match values.filter(|values| !values.is_empty() && !self.open_names.contains(&name)) {
            Some(values) => self.named_powers(name, values, false),
            None => ScriptPowers::ALL,
        }
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
    action.flatten().map_or(ScriptPowers::ALL, action_powers)
}

/// The decision of an action, or of the built-in with its name.
fn action_powers(action: &str) -> ScriptPowers {
    match action {
        "allow" | "delegate" => ScriptPowers::default(),
        "modify" => ScriptPowers { can_deny: false, can_rewrite: true },
        "block" | "ask" => ScriptPowers { can_deny: true, can_rewrite: false },
        _ => ScriptPowers::ALL,
    }
}

#[cfg(test)]
mod tests {
    use starlark::syntax::AstModule;

    use super::*;
    use crate::language::dialect;

    fn describe_powers(text: &str) -> String {
        let ScriptPowers { can_deny: refuses, can_rewrite: rewrites } =
            powers_of(&ResolvedScript::new(&AstModule::parse("t", text.to_owned(), &dialect()).unwrap()));
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
