//! Reads the rules of a user's own in a policy file: `deny`, `ask`, `warn` and `allow`.

use pintle_clients::CLIENTS;
use pintle_contract::{
    BuiltinSpec, EventKind, HandlerSpec, HookDeclaration, HookExample, Location, OperationKind, OperationTag,
    suggest_nearest, suggest_or_list,
};
use pintle_packs::{OperationSubject, PolicyRule, PolicyRuleSpec, RULE_SUBJECTS, RuleSeverity, RuleSubject};
use pintle_tools::tool_names;
use serde_json::{Value, json};

use crate::ai_harness::codec::{PROFILE, codec};
use crate::document::{DocNode, FieldReader, FileReport, MapEntry, NodeKind};

/// The keys with rules, and what their rules do.
pub(crate) const RULE_KEYS: [(&str, Option<RuleSeverity>); 4] = [
    ("deny", Some(RuleSeverity::Deny)),
    ("ask", Some(RuleSeverity::Ask)),
    ("warn", Some(RuleSeverity::Warn)),
    ("allow", None),
];

/// The keys of a rule beside what it is about, and what they mean.
pub(crate) const CONDITIONS: [(&str, &str); 8] = [
    ("except", "What the rule is not about."),
    ("tools", "The tools whose calls the rule is about."),
    ("agents", "The agents whose calls the rule is about."),
    ("reason", "Why; the model and the user read it."),
    ("instead", "What to do instead; the model reads it."),
    ("name", "The name of the rule. Default: what it is about."),
    ("stops", "Command lines that the rule must stop; `pintle test` and `pintle validate` run them."),
    ("passes", "Command lines that the rule must not stop."),
];

/// The keys of what an operation is, and what they mean.
pub(crate) const OPERATION_KEYS: [(&str, &str); 8] = [
    ("path", "Paths: `infra/**` in the project, `*.pem` at any depth of it, `~/notes`, `/etc`."),
    ("host", "Hosts: `example.com`, `*.example.com`, `https://example.com/a/*`."),
    ("target", "What it is done to, whatever that is."),
    ("inside", "Places or paths that it is inside of: `project`, `home`, `temporary`, `system`."),
    ("outside", "Places or paths that it is outside of."),
    ("action", "Actions of this kind, such as `force_push`."),
    ("tags", "What else is known of it, such as `secret`."),
    ("except", "What the rule is not about."),
];

/// The keys of a table of keys and meanings.
fn keys_of(table: &'static [(&'static str, &'static str)]) -> impl Iterator<Item = &'static str> + Clone {
    table.iter().map(|(key, _)| *key)
}

/// A rule of a file, with its examples.
#[derive(Debug)]
pub(super) struct PolicyRuleDraft {
    pub(super) spec: PolicyRuleSpec,
    stops: Vec<(String, Location)>,
    passes: Vec<(String, Location)>,
}

/// Reads the rules of a file. `file_name` is its name without the extension. What cannot be used is reported.
pub(super) fn read_rules(fields: &mut FieldReader<'_>, file_name: &str) -> Vec<PolicyRuleDraft> {
    let report = fields.report();
    let mut drafts: Vec<PolicyRuleDraft> = Vec::new();
    for (key, severity) in RULE_KEYS {
        let Some(node) = fields.node(key).filter(|node| !node.is_null()) else { continue };
        for item in node.items().unwrap_or(std::slice::from_ref(node)) {
            let Some(mut draft) = RuleReader { report, key, severity }.read(item) else { continue };
            draft.spec.name = unique_name(file_name, &draft.spec, &drafts);
            drafts.push(draft);
        }
    }
    drafts
}

/// The full name of a rule: as the file says, otherwise by what it is about.
fn unique_name(file_name: &str, spec: &PolicyRuleSpec, others: &[PolicyRuleDraft]) -> String {
    let name = match (spec.name.as_str(), &spec.subject) {
        ("", RuleSubject::Run(patterns)) => patterns.first().cloned().unwrap_or_default(),
        ("", RuleSubject::Call) => format!("tool {}", spec.tools.first().map_or("", String::as_str)),
        ("", RuleSubject::Operation(subject)) => {
            let lists = [&subject.targets, &subject.inside, &subject.actions];
            let first = lists.iter().find_map(|list| list.first()).cloned();
            let outside = || subject.outside.first().map(|place| format!("outside {place}"));
            format!("{} {}", subject.word(), first.or_else(outside).unwrap_or_default())
        }
        (name, _) => name.to_owned(),
    };
    let full = format!("{}.{}", slug(file_name), slug(&name));
    let is_taken = |name: &String| others.iter().any(|other| other.spec.name == *name);
    if !is_taken(&full) {
        return full;
    }
    (2..).map(|number| format!("{full}-{number}")).find(|name| !is_taken(name)).unwrap_or(full)
}

/// A name of lower-case letters, digits and hyphens.
fn slug(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.take(6).collect::<Vec<_>>().join("-").to_ascii_lowercase();
    if name.is_empty() { String::from("rule") } else { name }
}

/// Reads one rule.
struct RuleReader<'r> {
    report: &'r FileReport,
    /// The key whose rules it is among.
    key: &'static str,
    severity: Option<RuleSeverity>,
}

impl RuleReader<'_> {
    fn read(&self, node: &DocNode) -> Option<PolicyRuleDraft> {
        let errors = self.report.error_count();
        let line = self.report.location(node.span).line_column().map_or(0, |(line, _)| line);
        let mut spec = PolicyRuleSpec { severity: self.severity, line, ..PolicyRuleSpec::default() };
        let (mut stops, mut passes) = (Vec::new(), Vec::new());
        match (&node.kind, node.entries()) {
            // A text is a command.
            (NodeKind::Scalar(_), _) => spec.subject = RuleSubject::Run(self.texts(node)),
            (_, Some(entries)) => {
                self.read_subject(entries, node, &mut spec);
                for entry in entries {
                    let value = &entry.value;
                    match entry.key.as_str() {
                        "agents" => {
                            spec.agents =
                                self.names(value, "agent", CLIENTS.iter().map(|client| client.name).chain(["pintle"]));
                        }
                        "tools" => spec.tools = self.names(value, "tool", tool_names()),
                        "reason" => spec.reason = self.text(entry),
                        "instead" => spec.instead = self.text(entry),
                        "name" => spec.name = self.text(entry),
                        "stops" => stops = self.examples(value),
                        "passes" => passes = self.examples(value),
                        _ => {}
                    }
                }
            }
            _ => {
                let help = "write a command, or a mapping such as `{delete: {outside: project}}`";
                self.report.wrong_type(format!("a rule of `{}`", self.key), "a text or a mapping", node, help);
            }
        }
        if self.report.error_count() > errors {
            return None;
        }
        if let Err(error) = PolicyRule::compile(spec.clone(), None) {
            let span = find_text(node, &error.text).unwrap_or(node).span;
            self.report.value_error("bad_rule", error, span, None);
            return None;
        }
        Some(PolicyRuleDraft { spec, stops, passes })
    }

    /// Reads what a rule is about: one of `run`, `tool` and the operations.
    fn read_subject(&self, entries: &[MapEntry], node: &DocNode, spec: &mut PolicyRuleSpec) {
        let subject_of = |key: &str| RULE_SUBJECTS.iter().find(|(word, _)| *word == key);
        let is_subject =
            |entry: &&MapEntry| matches!(entry.key.as_str(), "run" | "tool") || subject_of(&entry.key).is_some();
        let words = || RULE_SUBJECTS.iter().map(|(word, _)| *word).chain(["run", "tool"]);
        for entry in entries.iter().filter(|entry| !is_subject(entry)) {
            if keys_of(&CONDITIONS).all(|key| key != entry.key) {
                let help = suggest_or_list(&entry.key, words().chain(keys_of(&CONDITIONS)), "a rule has");
                let message = format!("`{}` is not a key of a rule", entry.key);
                self.report.value_error("unknown_key", message, entry.key_span, help);
            }
        }
        let mut subjects = entries.iter().filter(is_subject);
        let Some(entry) = subjects.next() else {
            if entries.iter().any(|entry| keys_of(&CONDITIONS).all(|key| key != entry.key)) {
                return;
            }
            let help = suggest_or_list("", words(), "write one of");
            let message = format!("a rule of `{}` does not say what it is about", self.key);
            self.report.value_error("bad_rule", message, self.report.first_line(node.span), help);
            return;
        };
        if let Some(other) = subjects.next() {
            let message = format!("a rule is about one thing, but this one has `{}` and `{}`", entry.key, other.key);
            self.report.value_error("bad_rule", message, other.key_span, "write two rules");
        }
        let except = entries.iter().find(|entry| entry.key == "except");
        match (entry.key.as_str(), subject_of(&entry.key)) {
            ("run", _) => spec.subject = RuleSubject::Run(self.texts(&entry.value)),
            ("tool", _) => {
                spec.subject = RuleSubject::Call;
                spec.tools = self.names(&entry.value, "tool", tool_names());
            }
            (_, Some((_, kinds))) => {
                let mut subject = self.read_operation(entry, kinds);
                if let Some(except) = except {
                    subject.except.extend(self.texts(&except.value));
                }
                spec.subject = RuleSubject::Operation(subject);
                return;
            }
            _ => {}
        }
        if let Some(except) = except {
            let message = format!("`except` has no meaning with `{}`", entry.key);
            let help = "write an `allow` for it, which lets it through";
            self.report.value_error("bad_rule", message, except.key_span, help);
        }
        let tools = entries.iter().find(|entry| entry.key == "tools");
        if let Some(tools) = tools.filter(|_| entry.key == "tool") {
            self.report.value_error("bad_rule", "`tool` and `tools` say the same", tools.key_span, "remove one");
        }
    }

    fn read_operation(&self, entry: &MapEntry, kinds: &[OperationKind]) -> OperationSubject {
        let is_named = kinds.iter().any(|kind| {
            use OperationKind::{Delete, Download, Move, Permission, Read, Upload, Write};
            matches!(kind, Delete | Download | Move | Permission | Read | Upload | Write)
        });
        let mut subject = OperationSubject { kinds: kinds.to_vec(), ..OperationSubject::default() };
        let Some(fields) = entry.value.entries() else {
            let texts = self.texts(&entry.value);
            match is_named {
                true => subject.targets = texts,
                false => subject.actions = texts.into_iter().filter(|text| text != "any").collect(),
            }
            return subject;
        };
        for field in fields {
            let value = &field.value;
            match field.key.as_str() {
                "path" | "host" | "target" => subject.targets.extend(self.texts(value)),
                "inside" => subject.inside = self.texts(value),
                "outside" => subject.outside = self.texts(value),
                "action" => subject.actions = self.texts(value),
                "except" => subject.except = self.texts(value),
                "tags" => subject.tags = self.tags(value),
                other => {
                    let help = suggest_or_list(other, keys_of(&OPERATION_KEYS), "it has");
                    let message = format!("`{other}` is not a key of `{}`", entry.key);
                    self.report.value_error("unknown_key", message, field.key_span, help);
                }
            }
        }
        if fields.is_empty() {
            let help = "write what it is about, or `any`";
            self.report.value_error("bad_rule", format!("`{}` is empty", entry.key), entry.key_span, help);
        }
        subject
    }

    fn tags(&self, node: &DocNode) -> Vec<OperationTag> {
        let read = |text: String| match serde_json::from_value(Value::from(text.as_str())) {
            Ok(tag) => Some(tag),
            Err(_) => {
                let help = "the tags are those of operations: `pintle events tool.pre` lists them";
                self.report.value_error("bad_rule", format!("`{text}` is not a tag"), node.span, help);
                None
            }
        };
        self.texts(node).into_iter().filter_map(read).collect()
    }

    /// Names, with a warning about those that look like a slip.
    fn names<'n>(&self, node: &DocNode, subject: &str, known: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
        let nodes = self.nodes(node);
        for (name, place) in &nodes {
            let near = suggest_nearest(name, known.clone());
            if let Some(near) = near.filter(|_| !name.contains('*') && !known.clone().any(|known| known == name)) {
                let message = format!("no {subject} that Pintle knows is named `{name}`, so the rule may find nothing");
                self.report.warning("unknown_name", message, place.span, format!("did you mean `{near}`?"));
            }
        }
        nodes.into_iter().map(|(name, _)| name).collect()
    }

    /// A text, or a list of texts. None at all is reported.
    fn texts(&self, node: &DocNode) -> Vec<String> {
        self.nodes(node).into_iter().map(|(text, _)| text).collect()
    }

    fn nodes<'n>(&self, node: &'n DocNode) -> Vec<(String, &'n DocNode)> {
        let items = node.items().unwrap_or(std::slice::from_ref(node));
        if items.is_empty() {
            self.report.value_error(
                "bad_rule",
                "the list is empty, so the rule finds nothing",
                node.span,
                "write a text",
            );
        }
        let text = |item: &'n DocNode| match &item.kind {
            NodeKind::Scalar(scalar) if !item.is_null() => Some((scalar.text.clone(), item)),
            _ => {
                self.report.wrong_type("this", "a text", item, "write it in quotes");
                None
            }
        };
        items.iter().filter_map(text).collect()
    }

    fn text(&self, entry: &MapEntry) -> String {
        match &entry.value.kind {
            NodeKind::Scalar(scalar) if !entry.value.is_null() => scalar.text.clone(),
            _ => {
                self.report.wrong_type(format!("`{}`", entry.key), "a text", &entry.value, "write it in quotes");
                String::new()
            }
        }
    }

    fn examples(&self, node: &DocNode) -> Vec<(String, Location)> {
        self.nodes(node).into_iter().map(|(text, item)| (text, self.report.location(item.span))).collect()
    }
}

/// The part of a rule that is this text.
fn find_text<'n>(node: &'n DocNode, text: &str) -> Option<&'n DocNode> {
    match &node.kind {
        NodeKind::Scalar(scalar) => (scalar.text == text).then_some(node),
        NodeKind::List(items) => items.iter().find_map(|item| find_text(item, text)),
        NodeKind::Map(entries) => entries.iter().find_map(|entry| find_text(&entry.value, text)),
    }
}

/// The hook of the rules of a file; `None` if it only has exceptions.
pub(super) fn declare_rules(
    file_name: &str,
    drafts: &[PolicyRuleDraft],
    location: Location,
) -> Option<HookDeclaration> {
    let rules: Vec<&PolicyRuleDraft> = drafts.iter().filter(|draft| draft.spec.severity.is_some()).collect();
    if rules.is_empty() {
        return None;
    }
    let arguments = rules.iter().map(|draft| json!(draft.spec).to_string()).collect();
    let spec = BuiltinSpec { name: String::from("rules"), arguments, ..BuiltinSpec::default() };
    let (name, event) = (format!("rules:{}", slug(file_name)), EventKind::ToolPre.into());
    let hook = HookDeclaration::new(name, event, HandlerSpec::Builtin(spec), location, codec());
    Some(HookDeclaration { profile: PROFILE, examples: rules.into_iter().flat_map(examples_of).collect(), ..hook })
}

fn examples_of(draft: &PolicyRuleDraft) -> impl Iterator<Item = HookExample> {
    let expected = match draft.spec.severity {
        Some(RuleSeverity::Deny) => "block",
        Some(RuleSeverity::Ask) => "ask",
        Some(RuleSeverity::Warn) | None => "allow",
    };
    let is_found = draft.spec.severity > Some(RuleSeverity::Warn);
    let rule = is_found.then(|| format!("[{}]", draft.spec.name));
    let example = |expected: &'static str, reason: Option<String>| {
        move |(command, location): &(String, Location)| HookExample {
            payload: json!({"name": "shell", "args": {"command": command}}),
            expect: String::from(expected),
            reason: reason.clone(),
            location: location.clone(),
            ..HookExample::default()
        }
    };
    draft.stops.iter().map(example(expected, rule)).chain(draft.passes.iter().map(example("allow", None)))
}
