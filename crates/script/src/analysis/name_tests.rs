//! What a script asks about a tool's name.
//!
//! Only texts that are compared with the tool's name count: `action == "create"` is not about a tool, although an agent
//! has one of that name.

use std::collections::BTreeSet;

use pintle_contract::{NameTest, NameTestKind, ScriptTexts};
use starlark::syntax::ast::{AstArgument, AstExpr, BinOp, Expr};

use super::ast::{MethodCall, alternatives, identifier_name, is_ordering, string_literal};
use super::name_values::{NameValues, ValueSearch};
use super::resolved::ResolvedScript;

/// Parameters and variables of these names are taken to hold a tool's name.
const NAMES: [&str; 3] = ["name", "tool", "tool_name"];

/// Fields of a payload whose own `name` is not the tool's.
const OTHER_RECORDS: [&str; 2] = ["args", "arguments"];

/// Built-in functions whose result tells nothing about the text of a name.
const WITHOUT_TEXT: [&str; 11] =
    ["allow", "any", "all", "ask", "block", "bool", "delegate", "fail", "len", "modify", "type"];

/// The string literals of a module, and what it asks about the tool's name.
pub(super) fn texts_of(script: &ResolvedScript<'_>) -> ScriptTexts {
    let values = NameValues::new(script);
    let mut reader =
        TestReader { values: &values, search: ValueSearch::default(), tests: BTreeSet::new(), has_unknown: false };
    let mut all: Vec<String> = Vec::new();
    for expr in &script.expressions {
        reader.read(expr);
        if let Some(text) =
            string_literal(expr).filter(|text| !text.is_empty() && !all.iter().any(|known| known == text))
        {
            all.push(text.to_owned());
        }
    }
    let has_unknown_tests = reader.has_unknown || reader.search.is_cut;
    ScriptTexts { name_tests: reader.tests.into_iter().collect(), has_unknown_tests, all, ..ScriptTexts::default() }
}

/// What the value of an expression has of the tool's name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum NameContent {
    #[default]
    Nothing,
    /// The name as it is.
    Whole,
    /// The name in another case.
    WholeInAnyCase,
    /// A part of it, or the name together with something else.
    Part,
}

struct TestReader<'s, 'a> {
    values: &'s NameValues<'s, 'a>,
    search: ValueSearch<'a>,
    tests: BTreeSet<NameTest>,
    has_unknown: bool,
}

impl<'a> TestReader<'_, 'a> {
    fn read(&mut self, expr: &'a AstExpr) {
        match &expr.node {
            Expr::Op(left, BinOp::Equal | BinOp::NotEqual, right) => {
                self.add_tests(left, right, &[NameTestKind::Is]);
                self.add_tests(right, left, &[NameTestKind::Is]);
            }
            Expr::Op(left, BinOp::In | BinOp::NotIn, right) => {
                self.add_tests(left, right, &[NameTestKind::Is, NameTestKind::IsWithin]);
                self.add_tests(right, left, &[NameTestKind::Contains]);
            }
            Expr::Op(left, op, right) if is_ordering(*op) => {
                self.add_tests(left, right, &[NameTestKind::IsRelatedTo]);
                self.add_tests(right, left, &[NameTestKind::IsRelatedTo]);
            }
            Expr::Index(parts) => self.add_tests(&parts.1, &parts.0, &[NameTestKind::Is]),
            Expr::Call(..) => {
                if let Some(call) = MethodCall::from_text_expr(expr) {
                    self.read_method(call);
                }
            }
            _ => {}
        }
    }

    fn read_method(&mut self, call: MethodCall<'a>) {
        let MethodCall { base, method, arguments } = call;
        let Some(first) = arguments.first().map(|argument| argument.expr()) else { return };
        let second = arguments.get(1).map(|argument| argument.expr());
        match (method, second) {
            ("startswith", _) => self.add_tests(base, first, &[NameTestKind::StartsWith]),
            ("endswith", _) => self.add_tests(base, first, &[NameTestKind::EndsWith]),
            ("contains_any", _) => self.add_tests(base, first, &[NameTestKind::Contains]),
            ("find" | "rfind" | "index" | "rindex" | "count", _) => {
                self.add_tests(base, first, &[NameTestKind::Contains]);
                self.add_tests(first, base, &[NameTestKind::Is, NameTestKind::IsWithin]);
            }
            ("get" | "pop" | "setdefault", _) => self.add_tests(first, base, &[NameTestKind::Is]),
            ("match" | "search" | "findall" | "find_all", Some(text)) => {
                self.add_tests(text, first, &[NameTestKind::Matches]);
            }
            ("contains" | "intersect" | "diff", Some(second)) => {
                self.add_tests(first, second, &[NameTestKind::Is]);
                self.add_tests(second, first, &[NameTestKind::Is]);
            }
            _ => {}
        }
    }

    /// Adds the tests of an expression against the texts of another, if the first has the tool's name.
    fn add_tests(&mut self, tested: &'a AstExpr, against: &'a AstExpr, kinds: &[NameTestKind]) {
        self.search.restart();
        let content = NameFlow { values: self.values }.content_of(tested, &mut self.search);
        if content == NameContent::Nothing {
            return;
        }
        self.search.restart();
        let mut texts = BTreeSet::new();
        self.values.collect_texts(against, &mut self.search, &mut texts);
        texts.remove("");
        self.has_unknown |= self.search.reads_outside;
        for text in texts {
            let is_one_name = text.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
            for kind in kinds {
                let kind = match kind {
                    NameTestKind::IsWithin if is_one_name => continue,
                    NameTestKind::Is if content == NameContent::Part => NameTestKind::IsRelatedTo,
                    kind => *kind,
                };
                let ignores_case = content == NameContent::WholeInAnyCase;
                self.tests.insert(NameTest { kind, text: text.clone(), ignores_case });
            }
        }
    }
}

/// How the tool's name flows through a script.
struct NameFlow<'s, 'a> {
    values: &'s NameValues<'s, 'a>,
}

impl<'a> NameFlow<'_, 'a> {
    fn content_of(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>) -> NameContent {
        search.enter(|search| match &expr.node {
            Expr::Identifier(name) => {
                let own = if NAMES.contains(&name.ident.as_str()) { NameContent::Whole } else { NameContent::Nothing };
                if !search.is_new(&name.ident) {
                    return own;
                }
                let values = self.values.values_of(&name.ident).iter();
                values.map(|value| self.content_of(value, search)).fold(own, Ord::max)
            }
            Expr::Index(parts) if self.is_name_key(&parts.1, search) && !self.is_other_record(&parts.0, 0) => {
                NameContent::Whole
            }
            Expr::Index(parts) => self.part_of(&parts.0, search),
            Expr::Slice(base, ..) => self.part_of(base, search),
            Expr::Call(callee, call) => self.content_of_call(expr, callee, &call.args, search),
            Expr::If(_) | Expr::Op(_, BinOp::Or | BinOp::And, _) => {
                let values = alternatives(expr).into_iter().flatten();
                values.fold(NameContent::Nothing, |content, value| content.max(self.content_of(value, search)))
            }
            Expr::Op(left, BinOp::Add | BinOp::Percent | BinOp::Multiply, right) => {
                self.part_of(left, search).max(self.part_of(right, search))
            }
            Expr::Op(..) | Expr::Lambda(_) | Expr::Literal(_) | Expr::Not(_) => NameContent::Nothing,
            _ => self.part_of_any(expr, search),
        })
    }

    fn content_of_call(
        &self,
        expr: &'a AstExpr,
        callee: &'a AstExpr,
        arguments: &'a [AstArgument],
        search: &mut ValueSearch<'a>,
    ) -> NameContent {
        let first = arguments.first().map(|argument| argument.expr());
        let mut content = NameContent::Nothing;
        for value in self.values.results_of(callee, search) {
            content = content.max(self.content_of(value, search));
        }
        match identifier_name(callee) {
            Some("str") => return first.map_or(content, |first| content.max(self.content_of(first, search))),
            Some(name) if WITHOUT_TEXT.contains(&name) => return content,
            _ => {}
        }
        if let Some(MethodCall { base, method, arguments }) = MethodCall::from_text_expr(expr) {
            return content.max(match method {
                "get" | "pop"
                    if first.is_some_and(|key| self.is_name_key(key, search)) && !self.is_other_record(base, 0) =>
                {
                    NameContent::Whole
                }
                "items" | "values" if self.is_payload(base) => NameContent::Whole,
                "strip" | "lstrip" | "rstrip" | "trim" => self.content_of(base, search),
                "lower" | "upper" | "title" | "capitalize" => self.content_in_any_case(base, search),
                "startswith" | "endswith" | "find" | "rfind" | "index" | "rindex" | "count" | "match" | "search"
                | "contains_any" | "contains" => NameContent::Nothing,
                // What a table has for the name is not the name.
                "get" | "pop" => self.part_of(base, search),
                _ => arguments
                    .iter()
                    .fold(self.part_of(base, search), |part, argument| part.max(self.part_of(argument.expr(), search))),
            });
        }
        // What the script's own functions do with a name shows in their results.
        if content != NameContent::Nothing || !self.values.functions_of(callee, search).is_empty() {
            return content;
        }
        arguments.iter().fold(content, |part, argument| part.max(self.part_of(argument.expr(), search)))
    }

    fn content_in_any_case(&self, base: &'a AstExpr, search: &mut ValueSearch<'a>) -> NameContent {
        match self.content_of(base, search) {
            NameContent::Whole => NameContent::WholeInAnyCase,
            content => content,
        }
    }

    fn part_of(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>) -> NameContent {
        match self.content_of(expr, search) {
            NameContent::Nothing => NameContent::Nothing,
            _ => NameContent::Part,
        }
    }

    fn part_of_any(&self, expr: &'a AstExpr, search: &mut ValueSearch<'a>) -> NameContent {
        let mut content = NameContent::Nothing;
        expr.visit_expr(|inner| content = content.max(self.part_of(inner, search)));
        content
    }

    fn is_name_key(&self, key: &'a AstExpr, search: &mut ValueSearch<'a>) -> bool {
        let mut texts = BTreeSet::new();
        search.ask_aside(|search| self.values.collect_texts(key, search, &mut texts));
        texts.contains("name")
    }

    /// Whether an expression may be the payload of the event.
    fn is_payload(&self, expr: &'a AstExpr) -> bool {
        let is_own = |name: &str| name == "payload" || self.values.is_parameter(name);
        identifier_name(expr).is_some_and(|name| {
            is_own(name) || self.values.values_of(name).iter().any(|value| identifier_name(value).is_some_and(is_own))
        }) && !self.is_other_record(expr, 0)
    }

    /// Whether an expression is a record with a `name` of its own.
    fn is_other_record(&self, expr: &'a AstExpr, depth: usize) -> bool {
        let is_other_key = |key| string_literal(key).is_some_and(|key| OTHER_RECORDS.contains(&key));
        match &expr.node {
            Expr::Index(parts) => is_other_key(&parts.1),
            Expr::Call(..) => MethodCall::from_expr(expr)
                .is_some_and(|call| call.method == "get" && call.first_argument().is_some_and(is_other_key)),
            Expr::Identifier(name) if depth < 8 => {
                let values = self.values.values_of(&name.ident);
                !values.is_empty() && values.iter().all(|value| self.is_other_record(value, depth + 1))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use starlark::syntax::AstModule;

    use super::ResolvedScript;
    use crate::language::dialect;

    fn describe(module: &str) -> String {
        let ast = AstModule::parse("h", module.to_owned(), &dialect()).unwrap();
        let texts = super::texts_of(&ResolvedScript::new(&ast));
        let tests = texts.name_tests.iter().map(|test| {
            let case = if test.ignores_case { "~" } else { "" };
            format!("{:?}{case} {}", test.kind, test.text)
        });
        tests.chain(texts.has_unknown_tests.then(|| String::from("?"))).collect::<Vec<_>>().join(", ")
    }

    fn handle(before: &str, body: &str) -> String {
        describe(&format!("{before}\ndef handle(event, payload):\n    {body}\n"))
    }

    #[test]
    fn every_way_to_ask_about_the_name_is_seen() {
        for (before, condition, expected) in [
            ("", r#"payload["name"] == "Bash""#, "Is Bash"),
            ("", r#""Bash" != payload.get("name", "")"#, "Is Bash"),
            ("", r#"payload["name"].lower() in ("bash", "sh")"#, "Is~ bash, Is~ sh"),
            ("SHELLS = [\"Bash\", \"run\"]", r#"payload["name"] in SHELLS"#, "Is Bash, Is run"),
            ("TABLE = {\"Write\": 1}", r#"TABLE[payload["name"]]"#, "Is Write"),
            ("TABLE = {\"Write\": 1}", r#"TABLE.get(payload["name"])"#, "Is Write"),
            ("", r#"re.match("^(Bash|Write)$", payload["name"])"#, "Matches ^(Bash|Write)$"),
            ("", r#"payload["name"].startswith("fs.")"#, "StartsWith fs."),
            ("", r#"payload["name"].startswith(("Ba", "Wr"))"#, "StartsWith Ba, StartsWith Wr"),
            ("", r#"payload["name"].endswith("ash")"#, "EndsWith ash"),
            ("", r#""Bash" in payload["name"]"#, "Contains Bash"),
            ("", r#"payload["name"].find("Bash") >= 0"#, "Contains Bash"),
            ("", r#"payload["name"] in "Bash Write""#, "Is Bash Write, IsWithin Bash Write"),
            ("", r#"payload["name"] in "Bash Write".split(" ")"#, "Is Bash, Is Write"),
            ("SHELL = \"Bash\"", r#"payload["name"] == SHELL"#, "Is Bash"),
            ("", r#"payload["name"] == "Ba" + "sh""#, "Is Bash"),
            ("A = [\"Bash\"]\nB = [\"Write\"]", r#"payload["name"] in A + B"#, "Is Bash, Is Write"),
            ("A = [\"Bash\"]\nA.append(\"Write\")", r#"payload["name"] in A"#, "Is Bash, Is Write"),
            ("A = [\"Bash\"]", r#"any([payload["name"] == x for x in A])"#, "Is Bash"),
            ("def f(x):\n    return x == \"Bash\"", r#"f(payload["name"])"#, "Is Bash"),
            ("def f(tested, known):\n    return tested in known", r#"f(payload["name"], known = ["Bash"])"#, "Is Bash"),
            ("def f(p):\n    return p[\"name\"]", r#"f(payload) == "Bash""#, "Is Bash"),
            ("def f():\n    return [\"Bash\"]", r#"payload["name"] in f()"#, "Is Bash"),
            ("f = lambda n: n == \"Bash\"", r#"f(payload["name"])"#, "Is Bash"),
            (
                "def is_a(known):\n    return lambda n: n == known\nf = is_a(\"Bash\")",
                r#"f(payload["name"])"#,
                "Is Bash",
            ),
            ("T = {\"f\": lambda n: n == \"Bash\"}", r#"T["f"](payload["name"])"#, "Is Bash"),
            ("T = {\"shells\": [\"Bash\"]}", r#"payload["name"] in T["shells"]"#, "Is Bash, Is shells"),
            ("", r#"str(payload["name"]) == ("Bash" if event else "sh")"#, "Is Bash, Is sh"),
            ("", r#"(payload["name"] or "") == "Bash""#, "Is Bash"),
            ("", r#"payload["name"].split("_")[0] == "run""#, "IsRelatedTo run"),
            ("", r#"payload["name"][:2] == "Ba""#, "IsRelatedTo Ba"),
            ("", r#""%s!" % payload["name"] == "Bash!""#, "IsRelatedTo Bash!"),
            ("", r#"(payload["name"], 1) == ("Bash", 1)"#, "IsRelatedTo Bash"),
            ("KEY = \"name\"", r#"payload[KEY] == "Bash""#, "Is Bash"),
            ("", r#"[v for k, v in payload.items() if k == "name" and v == "Bash"]"#, "Is Bash, Is name"),
            ("", r#"payload["name"] in json.decode(fs.read(payload["cwd"]))"#, "?"),
            ("", r#"payload["name"] == payload["args"]["tool"]"#, ""),
            ("", r#"payload["name"] == "".join(["Ba", "sh"])"#, "Is Bash"),
            ("T = dict(Bash = 1)", r#"payload["name"] in T"#, "Is Bash"),
            (
                "L = [\"Bash\", \"sh\"]",
                r#"re.match("^(" + string.join(L, "|") + ")$", payload["name"])"#,
                "Matches ^(Bash|sh)$",
            ),
            ("", r#"string.lower(payload["name"]) == "bash""#, "Is~ bash"),
            ("", r#"string.contains_any(payload["name"], ["as", "sh"])"#, "Contains as, Contains sh"),
            ("", r#"payload["name"] in string.split("Bash,sh", ",")"#, "Is Bash, Is sh"),
            ("", r#"set.contains(set.new(["Bash"]), payload["name"])"#, "Is Bash"),
            ("def f(**given):\n    return given[\"n\"] == \"Bash\"", r#"f(n = payload["name"])"#, "IsRelatedTo Bash"),
            ("def f(*given):\n    return given[0] == \"Bash\"", r#"f(payload["name"])"#, "IsRelatedTo Bash"),
        ] {
            assert_eq!(handle(before, &format!("return {condition}")), expected, "{condition}");
        }
        let rebound = "called = payload[\"name\"]\n    same = called\n    return same == \"Read\"";
        assert_eq!(handle("", rebound), "Is Read");
        let each = "for shell in [\"Bash\"]:\n        if payload[\"name\"] == shell:\n            return block(\"no\")";
        assert_eq!(handle("", each), "Is Bash");
        let pairs = "for shell, why in [(\"Bash\", \"a\"), (\"sh\", \"b\")]:\n        if payload[\"name\"] == shell:\n            return block(why)";
        assert_eq!(handle("", pairs), "Is Bash, Is a, Is b, Is sh");
        let unpacked =
            "n, args = payload[\"name\"], payload[\"args\"]\n    return n == \"Bash\" and args == \"create\"";
        assert_eq!(handle("", unpacked), "Is Bash");
    }

    #[test]
    fn other_texts_are_not_taken_for_names() {
        for condition in [
            r#"payload["args"].get("action") == "create""#,
            r#"payload["args"]["path"].startswith("run_")"#,
            r#"payload["args"].get("view") in ["view", "edit"]"#,
            r#"payload["args"]["name"] == "create""#,
            r#"block("no " + payload["name"]) == "create""#,
            r#"metrics.incr("create." + payload["name"]) > 3"#,
            r#"payload["name"]"#,
            r#"payload["name"] == """#,
        ] {
            assert_eq!(handle("", &format!("return {condition}")), "", "{condition}");
        }
        assert_eq!(handle("", "args = payload[\"args\"]\n    return args[\"name\"] == \"create\""), "");
    }

    #[test]
    fn a_script_of_any_shape_is_read_in_bounded_time() {
        let mut chain = String::from("v0 = [\"Bash\"]\n");
        for index in 1..3_000 {
            chain.push_str(&format!("v{index} = v{} + v{}\n", index - 1, index - 1));
        }
        assert_eq!(handle(&chain, "return payload[\"name\"] in v2999"), "?");
        let doubled = chain.replace("[\"Bash\"]", "\"Bash\"");
        assert_eq!(handle(&doubled, "return payload[\"name\"] in v2999"), "?");
        assert_eq!(handle(&doubled, "return payload[\"name\"] == v1"), "Is BashBash");
        let circle = "def f(x):\n    return g(x)\ndef g(x):\n    return f(x) + [\"Bash\"]";
        assert_eq!(handle(circle, "return payload[\"name\"] in f(1)"), "Is Bash");
    }
}
