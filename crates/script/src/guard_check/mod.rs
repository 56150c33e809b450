//! Checks whether a hook can guard at all: what it reads of its event, which words it compares, and what it returns.
//!
//! Only `pintle validate` asks for it: nothing here decides how a hook runs.

mod guard_results;
mod name_sources;
mod payload_flow;
mod returned_values;
mod value_shape;

use std::collections::BTreeMap;

use pintle_contract::{Diagnostic, EventName, NameTestKind, ScriptSource};
use serde_json::Value;
use starlark::syntax::ast::{AstExpr, Expr, Stmt};

use self::guard_results::check_results;
use self::payload_flow::{HookPart, PayloadFlow};
use crate::analysis::{
    FunctionNode, MethodCall, ResolvedScript, block_statements, identifier_name, name_tests_of, span_of,
    string_literal, target_name,
};
use crate::compile::try_on_large_stack;
use crate::finding::{FindingCode, ScriptFinding};
use crate::globals::find_pattern_fault;
use crate::language::ScriptKind;
use crate::load::parse;
use crate::when::parse_expression;

/// The scripts of one hook, and what its event and its tools have.
pub struct GuardScripts<'a> {
    /// The name of the hook.
    pub name: &'a str,
    /// The event.
    pub event: &'a EventName,
    /// The event as the hook's author wrote it.
    pub event_alias: &'a str,
    /// The condition.
    pub when: Option<&'a ScriptSource>,
    /// The script.
    pub script: Option<&'a ScriptSource>,
    /// The function of the script that takes the event; `None` for a script with `handle(event, payload)`.
    pub function: Option<EventFunction<'a>>,
    /// The known argument of these tools that is meant by a name which no tool has; `None` for any other name.
    pub nearest_argument: &'a (dyn Fn(&[String], &str) -> Option<&'static str> + Sync),
}

/// A function that takes the event as one value, and returns values that its dialect understands.
pub struct EventFunction<'a> {
    /// The name of the function in the script; `None` if it has none.
    pub name: Option<&'a str>,
    /// The schema of what the function takes; `None` if it is not known.
    pub payload: Option<&'static Value>,
    /// Why the dialect refuses a returned value; `None` if it accepts the value.
    pub find_return_fault: &'a (dyn Fn(&Value) -> Option<String> + Sync),
}

impl GuardScripts<'_> {
    fn script_kind(&self) -> ScriptKind {
        if self.function.is_some() { ScriptKind::Plugin } else { ScriptKind::Hook }
    }

    /// The name of the function that is called with the event.
    fn entry_point(&self) -> Option<&str> {
        self.function.as_ref().map_or(Some(ScriptKind::Hook.entry_point()), |function| function.name)
    }
}

/// Finds what keeps a hook from guarding. Scripts that do not compile are reported where they are compiled.
#[must_use]
pub fn check_guard(question: &GuardScripts<'_>) -> Vec<Diagnostic> {
    let texts: Vec<&str> = [question.when, question.script].into_iter().flatten().map(|text| &*text.text).collect();
    try_on_large_stack(&texts, || check_at(question)).unwrap_or_default()
}

fn check_at(question: &GuardScripts<'_>) -> Vec<Diagnostic> {
    let script = question.script.map(|text| parse(question.name, text, question.script_kind()));
    let when = question.when.map(|text| parse_expression(question.name, text));
    let script_ast = script.as_ref().and_then(|(_, parsed)| parsed.as_ref().ok());
    let when_ast = when.as_ref().and_then(|(_, parsed, _)| parsed.as_ref());
    let resolved = script_ast.map(ResolvedScript::new);
    let condition = when_ast.map(ResolvedScript::new);
    let mut findings: Vec<(HookPart, ScriptFinding)> = Vec::new();
    for (part, script) in [(HookPart::When, &condition), (HookPart::Script, &resolved)] {
        let patterns = script.iter().flat_map(check_patterns);
        findings.extend(patterns.map(|finding| (part, finding)));
    }
    let mut tools: Vec<String> = Vec::new();
    for script in [&condition, &resolved].into_iter().flatten() {
        let named = name_tests_of(script).into_iter().filter(|test| test.kind == NameTestKind::Is);
        tools.extend(named.map(|test| test.text));
    }
    let mut texts: BTreeMap<HookPart, &str> = BTreeMap::new();
    texts.extend(script.as_ref().map(|(source, _)| (HookPart::Script, source.text.as_str())));
    let when_text = when.as_ref().map(|(_, _, text)| text.as_str());
    texts.extend(when_text.map(|text| (HookPart::When, text)));
    let mut flow = PayloadFlow::new(question, resolved.as_ref(), tools, texts);
    if let Some(entry) = condition.as_ref().and_then(only_function) {
        flow.read_entry(entry, HookPart::When);
    }
    if let Some(script) = &resolved {
        let functions = script.top_level_functions().unwrap_or_default();
        if let Some(entry) = question.entry_point().and_then(|name| functions.get(name)) {
            flow.read_entry(*entry, HookPart::Script);
        }
        findings.extend(check_results(question, script).into_iter().map(|finding| (HookPart::Script, finding)));
    }
    findings.extend(flow.into_findings());
    let offset = when.as_ref().map_or(0, |(source, _, text)| text.find(source.text.as_str()).unwrap_or_default());
    let located = findings.into_iter().filter_map(|(part, finding)| match part {
        HookPart::Script => Some(finding.locate(&script.as_ref()?.0)),
        HookPart::When => Some(finding.shifted_by(offset).locate(&when.as_ref()?.0)),
    });
    located.collect()
}

/// The function of a module that has only one.
fn only_function<'a>(script: &ResolvedScript<'a>) -> Option<FunctionNode<'a>> {
    block_statements(script.root()).iter().find_map(|stmt| match &stmt.node {
        Stmt::Def(def) => Some(FunctionNode::from_def(def)),
        _ => None,
    })
}

/// Reports the patterns that do not compile.
fn check_patterns(script: &ResolvedScript<'_>) -> Vec<ScriptFinding> {
    let mut findings = Vec::new();
    for expr in &script.expressions {
        let Some(call) = MethodCall::from_expr(expr).filter(|call| identifier_name(call.base) == Some("re")) else {
            continue;
        };
        if script.binds("re") {
            break;
        }
        let Some((pattern, at)) = call.first_argument().and_then(|first| find_literal(script, first)) else { continue };
        if let Some(fault) = find_pattern_fault(pattern) {
            let message = format!("the pattern of `re.{}` does not compile: {fault}", call.method);
            let finding = ScriptFinding::error(FindingCode::BadPattern, message, Some(span_of(at)));
            findings.push(finding.help("patterns have the syntax of RE2: no look-around and no back-references"));
        }
    }
    findings
}

/// The text that an expression is, and where it is written.
fn find_literal<'a>(script: &ResolvedScript<'a>, expr: &'a AstExpr) -> Option<(&'a str, &'a AstExpr)> {
    if let Expr::Identifier(name) = &expr.node {
        let module = block_statements(script.root()).iter();
        let mut values = module.filter_map(|stmt| match &stmt.node {
            Stmt::Assign(assign) if target_name(&assign.lhs) == Some(name.ident.as_str()) => Some(&assign.rhs),
            _ => None,
        });
        return match (values.next(), values.next()) {
            (Some(only), None) => string_literal(only).map(|text| (text, only)),
            _ => None,
        };
    }
    string_literal(expr).map(|text| (text, expr))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(script: &str) -> Vec<&'static str> {
        let (event, script) = (EventName::parse("tool.pre").unwrap(), ScriptSource::without_file(script));
        let found = check_guard(&GuardScripts {
            name: "h",
            event: &event,
            event_alias: "tool.pre",
            when: None,
            script: Some(&script),
            function: None,
            nearest_argument: &|_, _| None,
        });
        found.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_script_of_any_shape_is_read_in_bounded_time() {
        let mut chain = String::from("def handle(event, payload):\n    v0 = payload[\"operations\"]\n");
        for index in 1..1_000 {
            chain.push_str(&format!("    v{index} = v{} + v{}\n", index - 1, index - 1));
        }
        chain.push_str(
            "    for op in v999:\n        if op[\"knd\"]:\n            return block(\"no\")\n    return allow()\n",
        );
        assert_eq!(codes_of(&chain), ["unknown_field"]);
        let words: Vec<String> = (0..20_000).map(|number| format!("\"w{number}\"")).collect();
        let list = words.join(", ");
        let many = format!(
            "W = [{list}]\ndef handle(event, payload):\n    return block(\"no\") if payload[\"kind\"] in W else allow()\n"
        );
        assert!(codes_of(&many).len() < 2);
        let circle = "def a(p):\n    return b(p)\ndef b(p):\n    return a(p) or p[\"nmae\"]\ndef handle(event, payload):\n    return a(payload)\n";
        assert!(codes_of(circle).len() < 2);
    }

    #[test]
    fn a_line_that_is_right_for_one_caller_is_not_reported() {
        let helper = "def kind(record):\n    return record.get(\"place\")\ndef handle(event, payload):\n    for op in payload[\"operations\"]:\n        if kind(op) or kind(payload):\n            return block(\"no\")\n    return allow()\n";
        assert_eq!(codes_of(helper), Vec::<&str>::new());
        assert_eq!(codes_of(&helper.replace("kind(op) or ", "")), ["unknown_field"]);
    }
}
