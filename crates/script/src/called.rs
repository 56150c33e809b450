//! Checks the tools that a hook's script calls against its `tools`.

use pintle_contract::{Diagnostic, ScriptSource};
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AstExpr, Expr};

use crate::analysis::{ArgumentNode, expressions_in, identifier_name, span_of, string_literal};
use crate::compile::try_on_large_stack;
use crate::finding::{FindingCode, ScriptFinding};
use crate::language::ScriptKind;
use crate::load::parse;

/// The function with which scripts call tools.
const CALL: &str = "call_tool";

/// The line that a hook needs to call one more tool.
#[must_use]
pub fn tool_header_line(tools: &[String], name: &str) -> String {
    let all: Vec<&str> = tools.iter().map(String::as_str).chain([name]).collect();
    format!("tools: [{}]", all.join(", "))
}

/// Finds calls of tools that are not in a hook's `tools`, and listed tools that are never called.
///
/// `name` is the hook's name. A script that cannot be parsed is reported elsewhere.
#[must_use]
pub fn check_calls(name: &str, text: &ScriptSource, tools: &[String]) -> Vec<Diagnostic> {
    // Only scripts that contain the word, if only in a string or a comment, need to be parsed.
    if tools.is_empty() && !text.text.contains(CALL) {
        return Vec::new();
    }
    let found = try_on_large_stack(&[&text.text], || {
        let (source, parsed) = parse(name, text, ScriptKind::Hook);
        Some(find_call_problems(name, &parsed.ok()?, tools).iter().map(|finding| finding.locate(&source)).collect())
    });
    found.flatten().unwrap_or_default()
}

fn find_call_problems(name: &str, ast: &AstModule, tools: &[String]) -> Vec<ScriptFinding> {
    let (mut findings, mut called, mut mentions) = (Vec::new(), Vec::new(), 0_usize);
    let mut first = None;
    for expr in expressions_in(ast.statement()) {
        if is_call_tool(expr) || identifier_name(expr) == Some("getattr") {
            mentions += 1;
            first.get_or_insert(span_of(expr));
        }
        let Some(tool) = called_tool(expr) else { continue };
        if let Some(literal) = string_literal(tool) {
            called.push(literal);
            if tools.iter().all(|known| known != literal) {
                let message = format!("hook `{name}` calls the tool `{literal}`, which is not in its `tools`");
                let line = tool_header_line(tools, literal);
                let help = format!("write `{line}` in the hook; trusting the project then covers it");
                findings.push(ScriptFinding::error(FindingCode::UnnamedTool, message, Some(span_of(tool))).help(help));
            }
        }
    }
    // Each literal call mentions the function once.
    let tells = mentions == called.len();
    if tools.is_empty() && !tells {
        let message = format!("hook `{name}` calls tools but has no `tools`, so every call is denied");
        let help = "list the tools that it may call, for example `tools: [NAME]`";
        findings.push(ScriptFinding::warning(FindingCode::UnnamedTool, message, first).help(help));
    }
    let unused = tools.iter().filter(|tool| tells && !called.contains(&tool.as_str()));
    findings.extend(unused.map(|tool| {
        let message = format!("hook `{name}` lists the tool `{tool}` but never calls it");
        let help = format!(
            "`tools` lists the tools that the script calls; to match one tool write \
             `when: payload[\"name\"] == \"{tool}\"`"
        );
        ScriptFinding::warning(FindingCode::UnnamedTool, message, None).help(help)
    }));
    findings
}

fn is_call_tool(expr: &AstExpr) -> bool {
    matches!(&expr.node, Expr::Dot(_, member) if member.node == CALL)
}

/// The tool's name in `meta.call_tool(name, ..)`.
fn called_tool(expr: &AstExpr) -> Option<&AstExpr> {
    let Expr::Call(callee, arguments) = &expr.node else { return None };
    if !is_call_tool(callee) {
        return None;
    }
    arguments.args.iter().enumerate().find_map(|(index, argument)| match &argument.node {
        ArgumentNode::Positional(value) if index == 0 => Some(value),
        ArgumentNode::Named(key, value) if key.node == "name" => Some(value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_script_calls_is_held_against_what_it_may_call() {
        let check = |body: &str, tools: &[&str]| {
            let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
            let text = format!("def handle(event, payload):\n  {body}\n  return allow()\n");
            let found = check_calls("h", &ScriptSource::without_file(text), &tools);
            found
                .into_iter()
                .map(|found| format!("{}: {}", found.severity, found.message))
                .collect::<Vec<_>>()
                .join("; ")
        };
        let refused = "error: hook `h` calls the tool `b`, which is not in its `tools`";
        let unnamed = "warning: hook `h` calls tools but has no `tools`, so every call is denied";
        let unused = "warning: hook `h` lists the tool `a` but never calls it";
        let cases: &[(&str, &[&str], &str)] = &[
            ("meta.call_tool(\"b\", {})", &["b"], ""),
            ("meta.call_tool(name=\"b\")", &["b"], ""),
            ("meta.call_tool(\"b\")", &[], refused),
            ("meta.call_tool(arguments={}, name=\"b\")", &[], refused),
            ("meta.call_tool(\"a\"); meta.call_tool(\"b\")", &["a"], refused),
            ("meta.call_tool(payload[\"x\"])", &["a"], ""),
            ("meta.call_tool(payload[\"x\"])", &[], unnamed),
            ("call = meta.call_tool\n  call(\"b\")", &[], unnamed),
            ("log.info(\"call_tool\")", &[], ""),
            ("log.info(\"call_tool\")", &["a"], unused),
            ("m = meta\n  m.call_tool(\"b\")", &[], refused),
            ("getattr(meta, \"call_tool\")(\"b\")", &[], unnamed),
        ];
        for (body, tools, expected) in cases {
            assert_eq!(check(body, tools), *expected, "{body} {tools:?}");
        }
        assert_eq!(tool_header_line(&[String::from("a")], "b"), "tools: [a, b]");
        assert!(
            check_calls("h", &ScriptSource::without_file("def handle(event, payload:\n  meta.call_tool(\"b\")"), &[])
                .is_empty()
        );
    }
}
