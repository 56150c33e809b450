//! Checks names: unknown names with the nearest known one, built-ins that the kind of script does not have, and the
//! entry point.

use std::collections::BTreeSet;

use pintle_contract::suggest_nearest;
use starlark::syntax::ast::{AstExpr, AstStmt, AstString, Expr, Stmt};

use super::ast::{ParameterNode, block_statements, span_of, target_names};
use super::resolved::ResolvedScript;
use crate::finding::{FindingCode, ScriptFinding};
use crate::globals;
use crate::language::ScriptKind;
use crate::load;
use crate::source::{ASSERT_ALIAS, PreparedSource};

/// The functions that create a hook's decision; plugins return values instead.
const DECISIONS: &[&str] = &["allow", "block", "ask", "modify", "delegate"];

/// The help for built-ins that hooks cannot have.
const BY_TOOL: &str = "hooks cannot access the system, so that no agent can misuse them; write `tools: [NAME]` in \
                       the hook and call `meta.call_tool(\"NAME\", {..})`, which runs under the same hooks";

/// Checks all names of a script.
pub(super) fn check_names(
    source: &PreparedSource,
    script: &ResolvedScript<'_>,
    script_kind: ScriptKind,
) -> Vec<ScriptFinding> {
    let globals = globals::names_for_kind(script_kind);
    let findings = script.expressions.iter().filter_map(|expr| match &expr.node {
        Expr::Identifier(name) if !script.binds(&name.ident) && !globals.contains(name.ident.as_str()) => {
            Some(unknown_name(&name.ident, expr, script_kind, script, globals))
        }
        Expr::Dot(base, member) => check_member(base, member, script_kind, script),
        _ => None,
    });
    findings.chain(check_entry_point(source, script.root(), script_kind)).collect()
}

/// Checks that a namespace has a member.
pub(crate) fn check_member(
    base: &AstExpr,
    member: &AstString,
    script_kind: ScriptKind,
    script: &ResolvedScript<'_>,
) -> Option<ScriptFinding> {
    if root_name(base).is_none_or(|root| script.binds(root)) {
        return None;
    }
    let path = dotted_path(base)?;
    let members = globals::namespace_members(&path, script_kind);
    (!members.is_empty() && !members.contains(&member.node.as_str()))
        .then(|| unknown_member(&path, &member.node, span_of(member), script_kind, &members))
}

/// Built-ins that may wait.
const WAITING: &[&str] = &["http", "sleep", "meta", "emit", "events", "exec", "fs"];

/// Whether a script that reads these names uses a built-in that may wait.
pub(super) fn may_wait(used: &BTreeSet<&str>) -> bool {
    WAITING.iter().any(|name| used.contains(name))
}

/// The namespaces and functions whose results do not depend on other calls, and whose use other calls do not notice.
const ORDER_FREE: &[&str] = &[
    "allow", "ask", "base64", "block", "crypto", "env", "fs", "hash", "http", "json", "math", "modify", "now", "re",
    "set", "shell", "sleep", "string", "time", "url", "validate",
];

/// Whether a script that reads these names uses a built-in that may keep state, such as a counter, or act on the session.
pub(super) fn needs_order(used: &BTreeSet<&str>) -> bool {
    let roots = globals::catalogue().iter().map(|builtin| builtin.name.split('.').next().unwrap_or_default());
    roots.filter(|root| !ORDER_FREE.contains(root)).any(|root| used.contains(root))
}

/// The first name of `a.b`.
fn root_name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        Expr::Identifier(name) => Some(&name.ident),
        Expr::Dot(base, _) => root_name(base),
        _ => None,
    }
}

/// `a.b` as a string, if it consists only of names.
fn dotted_path(expr: &AstExpr) -> Option<String> {
    match &expr.node {
        Expr::Identifier(name) => Some(name.ident.clone()),
        Expr::Dot(base, member) => Some(format!("{}.{}", dotted_path(base)?, member.node)),
        _ => None,
    }
}

fn unknown_name(
    name: &str,
    expr: &AstExpr,
    script_kind: ScriptKind,
    script: &ResolvedScript<'_>,
    globals: &BTreeSet<&str>,
) -> ScriptFinding {
    if let Some(finding) = withheld_builtin(name, span_of(expr), script_kind) {
        return finding;
    }
    let bound = script.bound_names();
    let known = bound.iter().chain(globals).copied().filter(|name| *name != ASSERT_ALIAS);
    unlike_known_names(name, span_of(expr), known)
}

/// The finding for a name that nothing has, with the nearest known one.
pub(crate) fn unlike_known_names<'k>(
    name: &str,
    span: (usize, usize),
    known: impl Iterator<Item = &'k str>,
) -> ScriptFinding {
    let message = match suggest_nearest(name, known) {
        Some(near) => format!("unknown name `{name}`; did you mean `{near}`?"),
        None => format!("unknown name `{name}`"),
    };
    let finding = ScriptFinding::error(FindingCode::UnknownName, message, Some(span));
    match name {
        "tool_name" => finding.help("the tool's name is `payload[\"name\"]`"),
        "deny" | "reject" | "refuse" | "forbid" => finding.help("say `block(\"why\")`"),
        "approve" | "accept" | "permit" => finding.help("say `allow()`"),
        "rewrite" | "replace" | "transform" => finding.help("say `modify({..})` with the fields that change"),
        "isinstance" => finding.help("use `type(value) == \"string\"`"),
        "to_string" => finding.help("use `str(value)`"),
        "nil" | "null" => finding.help("use `None`"),
        _ => finding,
    }
}

/// A built-in that other kinds of scripts have.
fn withheld_builtin(name: &str, span: (usize, usize), script_kind: ScriptKind) -> Option<ScriptFinding> {
    let elsewhere = globals::catalogue().iter().any(|builtin| builtin.name.split('.').next() == Some(name));
    if !elsewhere {
        return None;
    }
    let (message, help) = match script_kind {
        _ if globals::REGISTRATIONS.contains(&name) => (
            format!("only plugins have `{name}`"),
            "call it at the top level of a plugin (a `*.star` file); tools call `meta.register_hook`",
        ),
        ScriptKind::Plugin if DECISIONS.contains(&name) => (
            format!("plugins have no `{name}`"),
            "return the decision, for example `{\"block\": True, \"reason\": \"..\"}` or `{\"deny\": \"..\"}`; \
             None lets the event pass",
        ),
        ScriptKind::Hook | ScriptKind::Plugin => (format!("hooks deliberately have no `{name}`"), BY_TOOL),
        _ => (
            format!("{} scripts have no `{name}`", script_kind.noun_phrase()),
            "only hooks decide; return the result instead",
        ),
    };
    Some(ScriptFinding::error(FindingCode::Unavailable, message, Some(span)).help(help))
}

fn unknown_member(
    path: &str,
    member: &str,
    span: (usize, usize),
    script_kind: ScriptKind,
    members: &[&'static str],
) -> ScriptFinding {
    let full = format!("{path}.{member}");
    if matches!(script_kind, ScriptKind::Hook | ScriptKind::Plugin)
        && globals::catalogue().iter().any(|builtin| builtin.name == full)
    {
        let help =
            if path == "meta" { "only tools can register; hooks decide about the registration" } else { BY_TOOL };
        return ScriptFinding::error(
            FindingCode::Unavailable,
            format!("hooks deliberately have no `{full}`"),
            Some(span),
        )
        .help(help);
    }
    let message = match nearest_member(member, members) {
        Some(near) => format!("`{path}` has no `{member}`; did you mean `{near}`?"),
        None => format!("`{path}` has no `{member}`; its members are {}", members.join(", ")),
    };
    ScriptFinding::error(FindingCode::UnknownName, message, Some(span))
}

/// The member that was probably meant: a misspelling, or a longer or shorter form.
fn nearest_member(written: &str, members: &[&'static str]) -> Option<&'static str> {
    let related = |member: &&str| member.len() > 2 && (written.starts_with(*member) || member.starts_with(written));
    suggest_nearest(written, members.iter().copied()).or_else(|| members.iter().copied().find(related))
}

/// Checks the entry point, as far as the text shows.
fn check_entry_point(source: &PreparedSource, root: &AstStmt, script_kind: ScriptKind) -> Option<ScriptFinding> {
    if script_kind == ScriptKind::Plugin {
        return None;
    }
    let wanted = script_kind.entry_point();
    let mut other = None;
    for stmt in block_statements(root) {
        match &stmt.node {
            Stmt::Def(def) if def.name.ident == wanted => {
                return check_arity(&def.params, script_kind, span_of(&def.name));
            }
            Stmt::Def(def) => {
                let near = matches!(def.name.ident.as_str(), "run" | "main" | "handle" | "handler" | "hook");
                if near {
                    other = Some((def.name.ident.clone(), span_of(&def.name)));
                }
            }
            // `handle = something`: loading the script shows whether it can be called.
            Stmt::Assign(assign) if target_names(&assign.lhs).contains(&wanted) => return None,
            _ => {}
        }
    }
    let call = format!("def {wanted}({}):", script_kind.parameters().join(", "));
    let finding = load::missing_entry_point(source, script_kind, wanted);
    Some(match other {
        Some((name, at)) => ScriptFinding { span: Some(at), ..finding }.help(format!(
            "the script defines `{name}`, but the entry point of a {} is `{call}`",
            script_kind.noun_phrase()
        )),
        None => finding.help(format!("write `{call}`")),
    })
}

fn check_arity(
    parameters: &[starlark::syntax::ast::AstParameter],
    script_kind: ScriptKind,
    span: (usize, usize),
) -> Option<ScriptFinding> {
    let wanted = script_kind.parameters();
    let (mut least, mut most) = (0, Some(0_usize));
    for parameter in parameters {
        match &parameter.node {
            ParameterNode::Normal(_, _, default) => {
                least += usize::from(default.is_none());
                most = most.map(|most| most + 1);
            }
            ParameterNode::Args(..) => most = None,
            ParameterNode::NoArgs => break,
            ParameterNode::KwArgs(..) | ParameterNode::Slash => {}
        }
    }
    if least <= wanted.len() && most.is_none_or(|most| most >= wanted.len()) {
        return None;
    }
    let call = format!("def {}({}):", script_kind.entry_point(), wanted.join(", "));
    let plural = if wanted.len() == 1 { "argument" } else { "arguments" };
    let message =
        format!("`{}` is called with {} {plural}: {}", script_kind.entry_point(), wanted.len(), wanted.join(", "));
    Some(ScriptFinding::error(FindingCode::EntryPoint, message, Some(span)).help(format!("write `{call}`")))
}

#[cfg(test)]
mod tests {
    use starlark::syntax::AstModule;

    use super::super::ast::{expressions_in, names_read};
    use super::*;
    use crate::language::dialect;

    #[test]
    fn the_order_of_calls_matters_where_a_script_keeps_or_shares_something() {
        for (body, wanted) in [
            ("return block(\"no\")", false),
            ("sleep(5)", false),
            ("return allow() if http.get(\"https://a.example\") else None", false),
            ("return block(time.now() + fs.read(\"a\"))", false),
            ("metrics.incr(\"calls\")", true),
            ("count = metrics\n  count.incr(\"calls\")", true),
            ("return cache.get(\"x\")", true),
            ("ctx.set(\"x\", 1)", true),
            ("log(\"x\")", true),
            ("print(\"x\")", true),
            ("emit(\"custom.x\")", true),
            ("return meta.call_tool(\"shell\", {})", true),
            ("return random(1, 2)", true),
        ] {
            let text = format!("def handle(event, payload):\n  {body}\n");
            let ast = AstModule::parse("t", text, &dialect()).unwrap();
            assert_eq!(needs_order(&names_read(expressions_in(ast.statement()))), wanted, "{body}");
        }
    }
}
