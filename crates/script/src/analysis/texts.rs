//! The tool names that a script asks about.
//!
//! Only texts that are compared with the tool's name count: `action == "create"` is not about a tool, although an agent
//! has one of that name.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::ScriptTexts;
use starlark::syntax::ast::{AssignTarget, AstExpr, AstStmt, BinOp, Expr, Stmt};

use super::ast::{ArgumentNode, identifier_name, string_literal, visit_expressions, visit_statements};

/// Parameters and variables of these names are taken to hold a tool's name.
const NAMES: [&str; 3] = ["name", "tool", "tool_name"];

/// The string literals of a module.
pub(super) fn texts_of(root: &AstStmt) -> ScriptTexts {
    let mut reader = TextReader::default();
    visit_statements(root, &mut |stmt| reader.bind(stmt));
    visit_expressions(root, &mut |expr| reader.read(expr));
    reader.texts
}

#[derive(Default)]
struct TextReader<'a> {
    /// The variables that hold the tool's name.
    names: BTreeSet<&'a str>,
    /// The lists and tables that are variables, by name.
    lists: BTreeMap<&'a str, &'a AstExpr>,
    texts: ScriptTexts,
}

impl<'a> TextReader<'a> {
    fn bind(&mut self, stmt: &'a AstStmt) {
        let Stmt::Assign(assign) = &stmt.node else { return };
        let AssignTarget::Identifier(target) = &assign.lhs.node else { return };
        let target = target.node.ident.as_str();
        match &assign.rhs.node {
            Expr::List(_) | Expr::Tuple(_) | Expr::Dict(_) => drop(self.lists.insert(target, &assign.rhs)),
            _ if self.is_tool_name(&assign.rhs) => drop(self.names.insert(target)),
            _ => {}
        }
    }

    fn read(&mut self, expr: &'a AstExpr) {
        match &expr.node {
            Expr::Literal(_) => add(&mut self.texts.all, string_literal(expr)),
            Expr::Op(left, BinOp::Equal | BinOp::NotEqual | BinOp::In | BinOp::NotIn, right) => {
                if self.is_tool_name(left) {
                    self.add_compared(right);
                }
                if self.is_tool_name(right) {
                    self.add_compared(left);
                }
            }
            Expr::Index(parts) if self.is_tool_name(&parts.1) => self.add_compared(&parts.0),
            Expr::Call(callee, call) => {
                let arguments: Vec<&'a AstExpr> =
                    call.args.iter().filter_map(|argument| positional(&argument.node)).collect();
                let Expr::Dot(base, method) = &callee.node else { return };
                match (method.node.as_str(), arguments.as_slice()) {
                    ("startswith", [prefix, ..]) if self.is_tool_name(base) => {
                        add(&mut self.texts.prefixes, string_literal(prefix));
                    }
                    ("get", [key, ..]) if self.is_tool_name(key) => self.add_compared(base),
                    ("match" | "search", [pattern, text]) if self.is_tool_name(text) => {
                        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
                        for word in string_literal(pattern).into_iter().flat_map(|text| text.split(|c| !is_word(c))) {
                            add(&mut self.texts.compared, Some(word));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Adds the texts of a literal, a list, the keys of a table, or a variable with one of these.
    fn add_compared(&mut self, expr: &'a AstExpr) {
        let expr = identifier_name(expr).and_then(|name| self.lists.get(name)).copied().unwrap_or(expr);
        match &expr.node {
            Expr::List(items) | Expr::Tuple(items) => {
                items.iter().for_each(|item| add(&mut self.texts.compared, string_literal(item)));
            }
            Expr::Dict(items) => items.iter().for_each(|(key, _)| add(&mut self.texts.compared, string_literal(key))),
            _ => add(&mut self.texts.compared, string_literal(expr)),
        }
    }

    /// `payload["name"]`, `payload.get("name")`, or a variable with the tool's name; also in lower case.
    fn is_tool_name(&self, expr: &AstExpr) -> bool {
        match &expr.node {
            Expr::Index(parts) => string_literal(&parts.1) == Some("name"),
            Expr::Identifier(name) => {
                let name = name.ident.as_str();
                NAMES.contains(&name) || self.names.contains(name)
            }
            Expr::Call(callee, call) => match &callee.node {
                Expr::Dot(base, method) if matches!(method.node.as_str(), "lower" | "upper" | "strip") => {
                    self.is_tool_name(base)
                }
                Expr::Dot(_, method) if method.node == "get" => {
                    call.args.first().and_then(|argument| positional(&argument.node)).and_then(string_literal)
                        == Some("name")
                }
                _ => false,
            },
            _ => false,
        }
    }
}

fn positional(argument: &ArgumentNode) -> Option<&AstExpr> {
    match argument {
        ArgumentNode::Positional(expr) => Some(expr),
        _ => None,
    }
}

fn add(texts: &mut Vec<String>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty())
        && !texts.iter().any(|known| known == text)
    {
        texts.push(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::ScriptSource;

    use crate::compile::{ScriptKind, compile};

    #[test]
    fn only_texts_that_are_compared_with_the_tools_name_are_names() {
        for (body, compared, prefixes) in [
            (r#"return payload["name"] == "Bash""#, "Bash", ""),
            (r#"return "Bash" != payload.get("name", "")"#, "Bash", ""),
            (r#"return payload["name"].lower() in ("bash", "sh")"#, "bash sh", ""),
            (r#"return payload["name"] in SHELLS"#, "Bash run_command", ""),
            (r#"return TABLE[payload["name"]]"#, "Write", ""),
            (r#"return TABLE.get(payload["name"])"#, "Write", ""),
            ("called = payload[\"name\"]\n    return called == \"Read\"", "Read", ""),
            (r#"return is_shell(payload["name"])"#, "shell", ""),
            (r#"return re.match("^(Bash|Write)$", payload["name"])"#, "Bash Write", ""),
            (r#"return payload["name"].startswith("fs.")"#, "", "fs."),
            (r#"return payload["args"].get("action") == "create""#, "", ""),
            (r#"return payload["args"]["path"].startswith("run_")"#, "", ""),
            (r#"return payload["args"].get("view") in ["view", "edit"]"#, "", ""),
        ] {
            let helper =
                if body.contains("is_shell") { "def is_shell(tool):\n    return tool == \"shell\"\n" } else { "" };
            let text = format!(
                "SHELLS = [\"Bash\", \"run_command\"]\nTABLE = {{\"Write\": 1}}\n{helper}def handle(event, payload):\n    {body}\n"
            );
            let texts = compile("h", &ScriptSource::without_file(text), ScriptKind::Hook).texts;
            assert_eq!(
                (texts.compared.join(" "), texts.prefixes.join(" ")),
                (compared.to_owned(), prefixes.to_owned()),
                "{body}"
            );
        }
    }
}
