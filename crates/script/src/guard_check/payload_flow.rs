//! Follows a payload through `when` and the functions of a script, and checks what is read of it.
//!
//! What a script reads is known only where its text shows it: every doubt makes a value open, and nothing is said about
//! an open one. A line that several callers reach is wrong only if it is wrong for each of them.

use std::collections::{BTreeMap, BTreeSet};

use pintle_contract::suggest_nearest;
use starlark::syntax::ast::{AssignTargetP, AstArgument, AstExpr, AstLiteral, BinOp, Expr, Stmt};

use super::GuardScripts;
use super::name_sources::{NameSource, NameSources, collect_expression_sources, collect_statement_sources};
use super::value_shape::{FieldRead, ValueShape, WordLiteral};
use crate::analysis::{
    ArgumentNode, ClauseNode, DICT_METHODS, FunctionNode, MethodCall, ResolvedScript, block_statements,
    identifier_name, nested_expressions, span_of, string_literal,
};
use crate::finding::{FindingCode, ScriptFinding};

/// The maximum depth of calls that are followed.
const MAX_DEPTH: usize = 8;
/// The maximum number of calls that are followed. A script with more is not judged.
const MAX_FOLLOWED: usize = 400;
/// The maximum number of expressions that are visited, some of them several times.
const MAX_VISITS: usize = 50_000;

/// Fields of a call's part that only a hook in another vocabulary than the caller's hears.
const PART_FIELDS: &[&str] = &["part", "parts", "native"];
/// Fields with the arguments of a tool call.
const ARGUMENT_FIELDS: &[&str] = &["args", "arguments"];

/// Which text of a hook an expression is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HookPart {
    When,
    Script,
}

/// What a check found at one place. A place that is right for one caller is not reported.
#[derive(Debug)]
enum SiteFinding {
    Right,
    Wrong(ScriptFinding),
}

pub(super) struct PayloadFlow<'a> {
    question: &'a GuardScripts<'a>,
    payload: ValueShape<'a>,
    functions: BTreeMap<&'a str, FunctionNode<'a>>,
    module: NameSources<'a>,
    /// The fields that the script writes itself.
    written: BTreeSet<&'a str>,
    /// The tools that the hook names.
    tools: Vec<String>,
    sites: BTreeMap<(HookPart, usize, usize), SiteFinding>,
    texts: BTreeMap<HookPart, &'a str>,
    followed_count: usize,
    visit_count: usize,
    /// How often a name was found to depend on itself.
    cycle_count: usize,
    /// How many alternatives, such as `payload.get("a") or payload.get("b")`, the current expression is in.
    fallback_depth: usize,
    is_cut: bool,
}

/// One function while it is read.
struct FlowScope<'a> {
    part: HookPart,
    parameters: BTreeMap<&'a str, ValueShape<'a>>,
    sources: NameSources<'a>,
    /// The names that were looked up; absent while they are.
    shapes: BTreeMap<&'a str, Option<ValueShape<'a>>>,
    depth: usize,
}

impl<'a> PayloadFlow<'a> {
    pub(super) fn new(
        question: &'a GuardScripts<'a>,
        script: Option<&ResolvedScript<'a>>,
        tools: Vec<String>,
        texts: BTreeMap<HookPart, &'a str>,
    ) -> Self {
        let functions = script.and_then(ResolvedScript::top_level_functions).unwrap_or_default();
        let mut module = NameSources::new();
        let mut written = BTreeSet::new();
        if let Some(script) = script {
            let outer = block_statements(script.root()).iter().filter(|stmt| !matches!(stmt.node, Stmt::Def(_)));
            for stmt in outer {
                collect_statement_sources(stmt, &mut module);
            }
            written = fields_written(script);
        }
        let payload = match &question.function {
            Some(function) => function.payload.map_or_else(ValueShape::open, ValueShape::of_schema),
            None => ValueShape::of_schema(question.event.def().schema()),
        };
        Self {
            question,
            payload,
            functions,
            module,
            written,
            tools,
            sites: BTreeMap::new(),
            texts,
            followed_count: 0,
            visit_count: 0,
            cycle_count: 0,
            fallback_depth: 0,
            is_cut: false,
        }
    }

    /// Reads `when`, or the entry point of the script.
    pub(super) fn read_entry(&mut self, function: FunctionNode<'a>, part: HookPart) {
        let event = match self.question.event.def().family() {
            Some(_) => ValueShape::open(),
            None => ValueShape {
                known_words: vec![self.question.event.as_str(), self.question.event_alias],
                ..ValueShape::default()
            },
        };
        let payload = self.payload.clone();
        let given = match (part, &self.question.function) {
            (HookPart::Script, Some(_)) => vec![payload],
            _ => vec![event, payload],
        };
        let mut parameters = BTreeMap::new();
        for (position, shape) in given.into_iter().enumerate() {
            if let Some(name) = function.plain_parameter(position) {
                parameters.insert(name, shape);
            }
        }
        self.read_function(function, parameters, part, 0);
    }

    /// The findings of each part.
    pub(super) fn into_findings(self) -> Vec<(HookPart, ScriptFinding)> {
        if self.is_cut {
            return Vec::new();
        }
        let wrong = self.sites.into_iter().filter_map(|((part, ..), site)| match site {
            SiteFinding::Right => None,
            SiteFinding::Wrong(finding) => Some((part, finding)),
        });
        wrong.collect()
    }

    /// Reads a function, and gives what it returns.
    fn read_function(
        &mut self,
        function: FunctionNode<'a>,
        parameters: BTreeMap<&'a str, ValueShape<'a>>,
        part: HookPart,
        depth: usize,
    ) -> ValueShape<'a> {
        self.followed_count += 1;
        if depth > MAX_DEPTH || self.followed_count > MAX_FOLLOWED {
            self.is_cut = true;
            return ValueShape::open();
        }
        let mut sources = NameSources::new();
        for stmt in function.statements() {
            collect_statement_sources(stmt, &mut sources);
        }
        for expr in function.outermost_expressions().into_iter().flat_map(nested_expressions) {
            collect_expression_sources(expr, &mut sources);
        }
        let mut scope = FlowScope { part, parameters, sources, shapes: BTreeMap::new(), depth };
        for expr in function.outermost_expressions() {
            self.shape_of(expr, &mut scope);
        }
        let returned = function.returned_values();
        returned.into_iter().fold(ValueShape::default(), |all, value| all.or(self.shape_of(value, &mut scope)))
    }

    /// What an expression is; checks everything in it.
    fn shape_of(&mut self, expr: &'a AstExpr, scope: &mut FlowScope<'a>) -> ValueShape<'a> {
        self.visit_count += 1;
        if self.is_cut || self.visit_count > MAX_VISITS {
            self.is_cut = true;
            return ValueShape::open();
        }
        match &expr.node {
            Expr::Identifier(name) => self.shape_of_name(&name.ident, scope),
            Expr::Literal(AstLiteral::String(text)) => ValueShape::word(word_of(text, expr, scope)),
            Expr::Tuple(items) | Expr::List(items) => {
                let all = items.iter().fold(ValueShape::default(), |all, item| all.or(self.shape_of(item, scope)));
                ValueShape::list(all)
            }
            Expr::Dict(entries) => {
                let mut keys = ValueShape::default();
                for (key, value) in entries {
                    keys = keys.or(self.shape_of(key, scope));
                    self.shape_of(value, scope);
                }
                if entries.is_empty() {
                    return ValueShape::default();
                }
                ValueShape { items: Some(Box::new(keys)), ..ValueShape::open() }
            }
            Expr::Index(parts) => {
                let base = self.shape_of(&parts.0, scope);
                match string_literal(&parts.1) {
                    Some(key) => self.read_field(&base, &parts.0, key, &parts.1, FieldUse::Index, scope),
                    None => {
                        self.shape_of(&parts.1, scope);
                        if base.is_list() { base.item() } else { ValueShape::open() }
                    }
                }
            }
            Expr::Slice(base, from, to, step) => {
                for bound in [from, to, step].into_iter().flatten() {
                    self.shape_of(bound, scope);
                }
                let base = self.shape_of(base, scope);
                if base.is_list() { base } else { ValueShape::open() }
            }
            Expr::Dot(base, member) => {
                let shape = self.shape_of(base, scope);
                self.check_member(&shape, base, &member.node, span_of(member), scope);
                ValueShape::open()
            }
            Expr::Call(callee, call) => self.shape_of_call(expr, callee, &call.args, scope),
            Expr::Op(left, BinOp::Or, right) => {
                self.fallback_depth += 1;
                let left = self.shape_of(left, scope);
                self.fallback_depth -= 1;
                left.or(self.shape_of(right, scope))
            }
            Expr::Op(left, BinOp::And, right) => {
                let left = self.shape_of(left, scope);
                left.or(self.shape_of(right, scope))
            }
            Expr::Op(left, BinOp::Equal | BinOp::NotEqual, right) => {
                let (one, other) = (self.shape_of(left, scope), self.shape_of(right, scope));
                self.check_comparison((left, &one), &other, scope);
                self.check_comparison((right, &other), &one, scope);
                ValueShape::open()
            }
            Expr::Op(left, BinOp::In | BinOp::NotIn, right) => {
                let (one, other) = (self.shape_of(left, scope), self.shape_of(right, scope));
                self.check_membership((left, &one), (right, &other), scope);
                ValueShape::open()
            }
            Expr::Op(left, BinOp::Add, right) => {
                let (one, other) = (self.shape_of(left, scope), self.shape_of(right, scope));
                if one.is_list() && other.is_list() { one.or(other) } else { ValueShape::open() }
            }
            Expr::If(parts) => {
                self.shape_of(&parts.0, scope);
                let one = self.shape_of(&parts.1, scope);
                one.or(self.shape_of(&parts.2, scope))
            }
            Expr::ListComprehension(item, first, clauses) => {
                self.shape_of(&first.over, scope);
                for clause in clauses {
                    match clause {
                        ClauseNode::For(each) => self.shape_of(&each.over, scope),
                        ClauseNode::If(condition) => self.shape_of(condition, scope),
                    };
                }
                ValueShape::list(self.shape_of(item, scope))
            }
            _ => {
                expr.visit_expr(|inner| {
                    self.shape_of(inner, scope);
                });
                ValueShape::open()
            }
        }
    }

    fn shape_of_name(&mut self, name: &'a str, scope: &mut FlowScope<'a>) -> ValueShape<'a> {
        if name == "None" {
            return ValueShape::default();
        }
        if let Some(known) = scope.shapes.get(name) {
            // A name that depends on itself is what its other values are.
            self.cycle_count += usize::from(known.is_none());
            return known.clone().unwrap_or_default();
        }
        let cycles_before = self.cycle_count;
        scope.shapes.insert(name, None);
        let parameter = scope.parameters.get(name).cloned();
        let own = scope.sources.get(name).cloned();
        let shape = match (parameter, own) {
            (None, None) => self.shape_of_global(name, scope.depth),
            (parameter, own) => own
                .unwrap_or_default()
                .into_iter()
                .fold(parameter.unwrap_or_default(), |all, source| all.or(self.shape_of_source(source, scope))),
        };
        let is_partial =
            self.cycle_count > cycles_before && scope.shapes.values().filter(|known| known.is_none()).count() > 1;
        match is_partial {
            true => scope.shapes.remove(name),
            false => scope.shapes.insert(name, Some(shape.clone())),
        };
        shape
    }

    fn shape_of_global(&mut self, name: &'a str, depth: usize) -> ValueShape<'a> {
        let sources = self.module.get(name).cloned().filter(|_| depth < MAX_DEPTH);
        let Some(sources) = sources else { return ValueShape::open() };
        let mut scope = FlowScope {
            part: HookPart::Script,
            parameters: BTreeMap::new(),
            sources: BTreeMap::new(),
            shapes: BTreeMap::from([(name, None)]),
            depth: depth + 1,
        };
        sources.into_iter().fold(ValueShape::default(), |all, source| all.or(self.shape_of_source(source, &mut scope)))
    }

    fn shape_of_source(&mut self, source: NameSource<'a>, scope: &mut FlowScope<'a>) -> ValueShape<'a> {
        match source {
            NameSource::Value(value) => self.shape_of(value, scope),
            NameSource::ItemOf(list) => self.shape_of(list, scope).item(),
            NameSource::Unclear => ValueShape::open(),
        }
    }

    fn shape_of_call(
        &mut self,
        expr: &'a AstExpr,
        callee: &'a AstExpr,
        arguments: &'a [AstArgument],
        scope: &mut FlowScope<'a>,
    ) -> ValueShape<'a> {
        if let Some(call) = MethodCall::from_expr(expr) {
            return self.shape_of_method(call, scope);
        }
        let name = identifier_name(callee);
        let helper = name.filter(|name| !scope.sources.contains_key(name) && !scope.parameters.contains_key(name));
        if let Some(helper) = helper.and_then(|name| self.functions.get(name)).copied() {
            return self.follow_call(helper, arguments, scope);
        }
        let mut shapes = arguments.iter().map(|argument| self.shape_of(argument.expr(), scope)).collect::<Vec<_>>();
        self.shape_of(callee, scope);
        match (name, shapes.as_mut_slice()) {
            // The text of a record has no fields.
            (Some("str"), [only]) if only.is_arguments || matches!(only.read_field(""), FieldRead::Missing(_)) => {
                ValueShape::open()
            }
            (Some("list" | "sorted" | "reversed" | "tuple" | "str"), [only]) => std::mem::take(only),
            _ => ValueShape::open(),
        }
    }

    fn follow_call(
        &mut self,
        helper: FunctionNode<'a>,
        arguments: &'a [AstArgument],
        scope: &mut FlowScope<'a>,
    ) -> ValueShape<'a> {
        let mut parameters: BTreeMap<&str, ValueShape<'_>> = BTreeMap::new();
        let mut is_spread = false;
        for (position, argument) in arguments.iter().enumerate() {
            let shape = self.shape_of(argument.expr(), scope);
            match &argument.node {
                ArgumentNode::Positional(_) => {
                    if let Some(name) = helper.plain_parameter(position) {
                        parameters.insert(name, shape);
                    }
                }
                ArgumentNode::Named(name, _) => {
                    parameters.insert(&name.node, shape);
                }
                ArgumentNode::Args(_) | ArgumentNode::KwArgs(_) => is_spread = true,
            }
        }
        for name in
            helper.parameter_names().filter(|name| is_spread || !parameters.contains_key(name)).collect::<Vec<_>>()
        {
            let default = helper.defaults().find(|(parameter, _)| !is_spread && *parameter == name);
            let shape = default.map_or_else(ValueShape::open, |(_, value)| self.shape_of(value, scope));
            parameters.insert(name, shape);
        }
        self.read_function(helper, parameters, HookPart::Script, scope.depth + 1)
    }

    fn shape_of_method(&mut self, call: MethodCall<'a>, scope: &mut FlowScope<'a>) -> ValueShape<'a> {
        let MethodCall { base, method, arguments } = call;
        let shape = self.shape_of(base, scope);
        let first = call.first_argument();
        if method == "get"
            && let Some((first, key)) = first.and_then(|first| Some((first, string_literal(first)?)))
        {
            let default = arguments.get(1).map(|default| self.shape_of(default.expr(), scope));
            let has_other = default.as_ref().is_some_and(ValueShape::may_be_more_than_empty);
            self.fallback_depth += usize::from(has_other);
            let found = self.read_field(&shape, base, key, first, FieldUse::Get, scope);
            self.fallback_depth -= usize::from(has_other);
            return found.or(default.unwrap_or_default());
        }
        let given: Vec<ValueShape<'_>> =
            arguments.iter().map(|argument| self.shape_of(argument.expr(), scope)).collect();
        self.check_member(&shape, base, method, span_of(base), scope);
        match (method, first) {
            ("parse", _) if identifier_name(base) == Some("shell") => {
                let tool_call = pintle_contract::EventKind::ToolPre.def().schema();
                ValueShape::list_of_definition(tool_call, "Operation")
            }
            ("lower" | "strip", None) => shape,
            ("startswith" | "endswith", Some(_)) => {
                let fits = |word: &str, part: &str| match method {
                    "startswith" => word.starts_with(part),
                    _ => word.ends_with(part),
                };
                if let (Some(known), Some(given)) = (shape.closed_words(), given.first()) {
                    let parts = if given.words.is_empty() { given.item().words } else { given.words.clone() };
                    let fits_any = |part: &WordLiteral<'_>| known.iter().any(|word| fits(word, part.text));
                    let (possible, impossible) = parts.into_iter().partition(fits_any);
                    self.note_words((base, method_verb(method)), &known, possible, impossible, scope);
                }
                ValueShape::open()
            }
            _ => ValueShape::open(),
        }
    }

    /// What a field is; checks that there is one.
    fn read_field(
        &mut self,
        base: &ValueShape<'a>,
        base_expr: &'a AstExpr,
        key: &'a str,
        key_expr: &'a AstExpr,
        how: FieldUse,
        scope: &FlowScope<'a>,
    ) -> ValueShape<'a> {
        if base.is_arguments {
            self.check_argument(key, key_expr, scope);
            return ValueShape::open();
        }
        let is_call = self.question.event.def().is_about_tool_call();
        let (message, help) = match base.read_field(key) {
            FieldRead::Found(_) if is_call && ARGUMENT_FIELDS.contains(&key) => {
                self.note(scope.part, key_expr, None);
                return ValueShape { is_arguments: true, ..ValueShape::open() };
            }
            FieldRead::Found(shape) => {
                self.note(scope.part, key_expr, None);
                return shape;
            }
            FieldRead::Missing(_) if self.written.contains(key) || (is_call && PART_FIELDS.contains(&key)) => {
                self.note(scope.part, key_expr, None);
                return ValueShape::open();
            }
            FieldRead::Missing(fields) => {
                let help = field_help(key, &fields, self.question);
                (format!("{} has no field `{key}`", self.name_of(base_expr, scope)), help)
            }
            // A part of a text.
            FieldRead::NoRecord(_) if how == FieldUse::Test => {
                self.note(scope.part, key_expr, None);
                return ValueShape::open();
            }
            FieldRead::NoRecord(what) => {
                let help = match what {
                    "a list" => String::from("read the field of each item, in a loop"),
                    _ => format!("`pintle events {}` shows what each field is", self.question.event),
                };
                (format!("{} is {what}, so it has no field `{key}`", self.name_of(base_expr, scope)), help)
            }
            FieldRead::Unknown => {
                self.note(scope.part, key_expr, None);
                return ValueShape::open();
            }
        };
        // What an alternative gives is used instead, and a test for a field may be meant for other versions.
        let is_tolerated = how == FieldUse::Test || (how == FieldUse::Get && self.fallback_depth > 0);
        let at = Some(span_of(key_expr));
        let finding = match is_tolerated {
            true => ScriptFinding::warning(FindingCode::UnknownField, message, at),
            false => ScriptFinding::error(FindingCode::UnknownField, message, at),
        };
        self.note(scope.part, key_expr, Some(finding.help(help)));
        ValueShape::open()
    }

    /// Checks that `base.member` is not meant as a field.
    fn check_member(
        &mut self,
        base: &ValueShape<'a>,
        base_expr: &'a AstExpr,
        member: &str,
        span: (usize, usize),
        scope: &FlowScope<'a>,
    ) {
        let is_payload = identifier_name(base_expr) == Some("payload");
        // Compiling `when` reports it there.
        if DICT_METHODS.contains(&member) || (is_payload && scope.part == HookPart::When) {
            return;
        }
        let name = self.name_of(base_expr, scope);
        let (message, help) = match base.read_field(member) {
            FieldRead::Found(_) => (
                format!("{name} is a dict, so `.{member}` does not exist"),
                format!("write `{}[\"{member}\"]`", self.text_of(base_expr, scope)),
            ),
            FieldRead::Missing(fields) => (
                format!("{name} is a dict, so `.{member}` does not exist, and it has no field `{member}`"),
                match suggest_nearest(member, fields) {
                    Some(near) => format!("write `{}[\"{near}\"]`", self.text_of(base_expr, scope)),
                    None => String::from("`pintle events` lists the fields of each event"),
                },
            ),
            FieldRead::NoRecord(_)
                if identifier_name(base_expr) == Some("event") && !TEXT_METHODS.contains(&member) =>
            {
                (
                    format!("`event` is the name of the event, so `.{member}` does not exist"),
                    format!("the fields are in the payload: `payload[\"{member}\"]`"),
                )
            }
            _ => return,
        };
        let finding = ScriptFinding::error(FindingCode::UnknownField, message, Some(span)).help(help);
        self.note_at(scope.part, span, Some(finding));
    }

    /// Checks the name of an argument of a tool. Tools may have arguments that Pintle does not know; only what is nearly
    /// the name of a known one is told.
    fn check_argument(&mut self, key: &str, key_expr: &'a AstExpr, scope: &FlowScope<'a>) {
        let near = (self.question.nearest_argument)(&self.tools, key);
        let Some(near) = near.filter(|_| !self.written.contains(key)) else { return };
        let message = match self.tools.as_slice() {
            [tool] => format!("`{tool}` has no argument `{key}`"),
            _ => format!("no tool has an argument `{key}`"),
        };
        let finding = ScriptFinding::warning(FindingCode::UnknownArgument, message, Some(span_of(key_expr)));
        let finding = finding.help(format!("did you mean `{near}`?"));
        self.note(scope.part, key_expr, Some(finding));
    }

    /// Checks `subject == other`.
    fn check_comparison(
        &mut self,
        (subject_expr, subject): (&'a AstExpr, &ValueShape<'a>),
        other: &ValueShape<'a>,
        scope: &FlowScope<'a>,
    ) {
        if other.is_open || !other.known_words.is_empty() || other.items.is_some() {
            return;
        }
        self.check_words((subject_expr, subject), &other.words, scope);
    }

    /// Checks `item in list`, `key in record` and `part in text`.
    fn check_membership(
        &mut self,
        (item_expr, item): (&'a AstExpr, &ValueShape<'a>),
        (list_expr, list): (&'a AstExpr, &ValueShape<'a>),
        scope: &FlowScope<'a>,
    ) {
        if let Some(items) = &list.items {
            let is_plain = !items.is_open && items.known_words.is_empty();
            if is_plain && !items.words.is_empty() {
                self.check_words((item_expr, item), &items.words, scope);
                return;
            }
        }
        let Some(word) = string_literal(item_expr).map(|text| word_of(text, item_expr, scope)) else { return };
        if list.is_list() {
            let item = list.item();
            if let Some(known) = item.closed_words() {
                let (possible, impossible) = vec![word].into_iter().partition(|word| known.contains(&word.text));
                self.note_words((list_expr, "never has"), &known, possible, impossible, scope);
            }
        } else if let Some(known) = list.closed_words() {
            let is_part = |word: &WordLiteral<'_>| known.iter().any(|known| known.contains(word.text));
            let (possible, impossible) = vec![word].into_iter().partition(is_part);
            self.note_words((list_expr, "never contains"), &known, possible, impossible, scope);
        } else {
            self.read_field(list, list_expr, word.text, item_expr, FieldUse::Test, scope);
        }
    }

    /// Checks that a value may be one of the words that it is compared with.
    fn check_words(
        &mut self,
        (subject_expr, subject): (&'a AstExpr, &ValueShape<'a>),
        words: &[WordLiteral<'a>],
        scope: &FlowScope<'a>,
    ) {
        if let Some(known) = subject.closed_words() {
            let is_possible = |word: &WordLiteral<'_>| word.text.is_empty() || known.contains(&word.text);
            let (possible, impossible) = words.iter().copied().partition(is_possible);
            return self.note_words((subject_expr, "is never"), &known, possible, impossible, scope);
        }
        let Some(usual) = subject.usual_words() else { return };
        for word in words.iter().filter(|word| word.text.len() > 3 && !usual.contains(&word.text)) {
            let Some(near) = suggest_nearest(word.text, usual.iter().copied()) else { continue };
            let message = format!("{} is not known to be `{}`", self.name_of(subject_expr, scope), word.text);
            let finding = ScriptFinding::warning(FindingCode::UnknownWord, message, Some(word.span));
            self.note_at(word.part, word.span, Some(finding.help(format!("did you mean `{near}`?"))));
        }
    }

    /// Notes which words a value cannot be.
    fn note_words(
        &mut self,
        (subject, verb): (&'a AstExpr, &str),
        known: &[&str],
        possible: Vec<WordLiteral<'a>>,
        impossible: Vec<WordLiteral<'a>>,
        scope: &FlowScope<'a>,
    ) {
        let is_dead = possible.is_empty();
        for word in possible {
            self.note_at(word.part, word.span, None);
        }
        for word in impossible {
            let message = format!("{} {verb} `{}`", self.name_of(subject, scope), word.text);
            let finding = match is_dead {
                true => ScriptFinding::error(FindingCode::UnknownWord, message, Some(word.span)),
                false => ScriptFinding::warning(FindingCode::UnknownWord, message, Some(word.span)),
            };
            self.note_at(word.part, word.span, Some(finding.help(word_help(word.text, known))));
        }
    }

    fn note(&mut self, part: HookPart, expr: &AstExpr, finding: Option<ScriptFinding>) {
        self.note_at(part, span_of(expr), finding);
    }

    fn note_at(&mut self, part: HookPart, (start, end): (usize, usize), finding: Option<ScriptFinding>) {
        let site = self.sites.entry((part, start, end));
        match finding {
            None => {
                site.insert_entry(SiteFinding::Right);
            }
            Some(finding) => {
                site.or_insert(SiteFinding::Wrong(finding));
            }
        }
    }

    /// An expression as its author wrote it.
    fn text_of(&self, expr: &AstExpr, scope: &FlowScope<'a>) -> &'a str {
        let (start, end) = span_of(expr);
        self.texts.get(&scope.part).and_then(|text| text.get(start..end)).unwrap_or_default()
    }

    /// How messages call a value.
    fn name_of(&self, expr: &AstExpr, scope: &FlowScope<'a>) -> String {
        match self.text_of(expr, scope) {
            "payload" => format!("the payload of `{}`", self.question.event),
            text if text.contains('\n') || text.chars().count() > 60 => String::from("this value"),
            text => format!("`{text}`"),
        }
    }
}

/// How a field is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldUse {
    /// `payload["x"]`, which fails without the field.
    Index,
    /// `payload.get("x")`.
    Get,
    /// `"x" in payload`.
    Test,
}

/// Methods of texts.
const TEXT_METHODS: &[&str] = &[
    "capitalize",
    "codepoints",
    "count",
    "elems",
    "endswith",
    "find",
    "format",
    "index",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
    "upper",
];

fn method_verb(method: &str) -> &'static str {
    if method == "startswith" { "never starts with" } else { "never ends with" }
}

fn field_help(key: &str, fields: &[&str], question: &GuardScripts<'_>) -> String {
    if let Some(near) = suggest_nearest(key, fields.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if question.function.is_some() {
        return format!("its keys are {}", fields.join(", "));
    }
    let def = question.event.def();
    let elsewhere = match key {
        "tool_name" | "tool" | "toolName" if fields.contains(&"name") => Some("name"),
        "tool_input" | "input" | "toolArgs" | "tool_args" if fields.contains(&"args") => Some("args"),
        "command" if fields.contains(&"args") => Some("args\"][\"command"),
        _ => def.aliases.iter().find(|(_, other)| *other == key).map(|(own, _)| *own),
    };
    if let Some(own) = elsewhere {
        return format!("write `payload[\"{own}\"]`");
    }
    match fields.len() {
        0..=12 => format!("its fields are {}", fields.join(", ")),
        _ => format!("`pintle events {}` lists the fields", question.event),
    }
}

fn word_help(word: &str, known: &[&str]) -> String {
    let mut known: Vec<&str> = known.iter().copied().filter(|known| !known.is_empty()).collect();
    known.dedup();
    match suggest_nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it is one of {}", known.join(", ")),
    }
}

/// A literal of a function.
fn word_of<'a>(text: &'a str, expr: &'a AstExpr, scope: &FlowScope<'a>) -> WordLiteral<'a> {
    WordLiteral { text, part: scope.part, span: span_of(expr) }
}

/// The fields that a script writes into records.
fn fields_written<'a>(script: &ResolvedScript<'a>) -> BTreeSet<&'a str> {
    let mut fields = BTreeSet::new();
    for stmt in &script.statements {
        let target = match &stmt.node {
            Stmt::Assign(assign) => &assign.lhs,
            Stmt::AssignModify(target, ..) => target,
            _ => continue,
        };
        if let AssignTargetP::Index(parts) = &target.node {
            fields.extend(string_literal(&parts.1));
        }
    }
    let calls = script.expressions.iter().filter_map(|expr| MethodCall::from_expr(expr));
    for call in calls.filter(|call| matches!(call.method, "setdefault" | "update" | "pop")) {
        let literals = call.arguments.iter().flat_map(|argument| nested_expressions(argument.expr()));
        fields.extend(literals.filter_map(string_literal));
    }
    fields
}
