//! Reads policy files: the packs that are on, what the user says about their rules, and rules of the user's own.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    BuiltinSpec, ByteSpan, Diagnostic, EventKind, HandlerSpec, HookDeclaration, HookExample, Location, SourceFile,
    suggest_or_list,
};
use pintle_packs::{
    EXCEPTION_ARGUMENT, PackDef, PackSettingError, PackSettings, PolicyRuleSpec, RuleDef, RuleSeverity, add_setting,
    pack_by_name, packs,
};
use serde_json::json;

use super::merge::GatheredFiles;
use super::policy_base::{PolicyBase, read_bases, read_policy_fields};
use super::policy_rules::{PolicyRuleDraft, RULE_KEYS, declare_rules, read_rules};
use crate::Artifact;
use crate::ai_harness::codec::{PROFILE, codec};
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, MapEntry, NodeKind, UnknownKeys, key};

/// The version of the format.
const POLICY_VERSION: u64 = 1;
/// The version of this Pintle.
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) static POLICY: KeyTable<()> = KeyTable {
    title: "Policy file",
    about: "`policy.yaml` turns packs on and has rules of your own: in `.harness/`, in your own directory of hooks, or in an organisation's. It is YAML without frontmatter, and an unknown key is an error. [Packs](../guide/packs.md) and [A rule of your own](../guide/own-rules.md) have examples.",
    start: || (),
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("version": with(check_version, "1", "1"), "The version of the format."),
        key!("requires": with(check_requires, "range of versions", "any"),
            "The versions of Pintle that the policy was written for, such as `>=0.1, <0.3`. With another one, nothing loads."),
        key!("extends": listed("path, or list", "none"),
            "Policy files that this one builds on, as below. It adds to their packs, rules and exceptions, and its `rules` count over theirs."),
        key!("use": listed("list of texts", "none"), "The packs that are on; `pintle packs` lists them. A file without it has rules of its own."),
        key!("rules": listed("mapping", "none"),
            "By rule, such as `git.force-push`: `off`, `warn`, `ask` or `deny`, or a mapping with `severity` and `allow`, a list of what the rule lets through."),
        key!("deny": listed("list of rules", "none"), "Rules of your own that deny a call."),
        key!("ask": listed("list of rules", "none"), "Rules of your own that ask the user."),
        key!("warn": listed("list of rules", "none"), "Rules of your own that only notify the user."),
        key!("allow": listed("list of rules", "none"),
            "What the packs and rules of this directory's policy files let through."),
    ],
};

/// What a policy file and those that it extends turn on.
#[derive(Debug, Default)]
struct PolicyDraft {
    /// The packs, each with its settings, of which later ones count, and the place that turns it on.
    packs: Vec<(&'static PackDef, Vec<String>, Location)>,
    rules: Vec<HookDeclaration>,
    /// What is let through, as arguments of these, and where the file says so.
    exceptions: Vec<(String, Location)>,
    /// The files that were read.
    read: Vec<PathBuf>,
    /// The names of their rules' hooks, each of which is another one.
    names: Vec<String>,
    /// Whether a file is missing, so that it is not known which packs are on.
    is_incomplete: bool,
    findings: Vec<Diagnostic>,
}

/// Reads the file and, before it, those that it extends. Every error in one is an error: a rule that does not load would
/// guard nothing.
pub(super) fn read(artifact: &Artifact, bases: &[&Artifact], gathered: &mut GatheredFiles) {
    let mut draft = PolicyDraft::default();
    draft.add_file(artifact, bases, &mut Vec::new());
    gathered.packs.extend(draft.packs.into_iter().map(|(pack, settings, place)| declare_pack(pack, settings, place)));
    gathered.packs.extend(draft.rules);
    gathered.exceptions.extend(draft.exceptions);
    gathered.findings.extend(draft.findings);
}

impl PolicyDraft {
    /// `extending` are the files that lead to this one.
    fn add_file(&mut self, artifact: &Artifact, bases: &[&Artifact], extending: &mut Vec<PathBuf>) {
        self.read.push(artifact.file.path.clone());
        let own_name = self.find_free_name(&artifact.name);
        self.names.push(own_name.clone());
        let (_, findings) = read_policy_fields(&artifact.file, |report, mut fields| {
            extending.push(artifact.file.path.clone());
            for (base, span) in read_bases(&mut fields) {
                self.add_base(&base, (report, span), bases, extending);
            }
            extending.pop();
            self.add_fields(report, fields, &own_name);
        });
        self.findings.extend(findings);
    }

    /// The name, with a number if another file of this policy has it.
    fn find_free_name(&self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.names.contains(name)).unwrap_or_default()
    }

    fn add_base(
        &mut self,
        base: &PolicyBase,
        (report, span): (&FileReport, ByteSpan),
        bases: &[&Artifact],
        extending: &mut Vec<PathBuf>,
    ) {
        let path = base.file(&report.file().path);
        let Some(artifact) = bases.iter().find(|known| known.file.path == path) else {
            self.is_incomplete = true;
            return report_missing(base, &path, report, span);
        };
        if extending.contains(&path) {
            let help = "remove one of the items of `extends`";
            report.value_error("bad_base", format!("`{}` extends itself", path.display()), span, help);
        } else if !self.read.contains(&path) {
            self.add_file(artifact, bases, extending);
        }
    }

    fn add_fields(&mut self, report: &FileReport, mut fields: FieldReader<'_>, name: &str) {
        let uses = fields.list("use");
        // A `use` that is not a list is reported as that.
        let is_misread = uses.is_none() && fields.node("use").is_some_and(|node| !node.is_null());
        let uses = uses.unwrap_or_default();
        let drafts = read_rules(&mut fields, name);
        let has_rules = RULE_KEYS.iter().any(|(key, _)| fields.key_span(key).is_some());
        if uses.is_empty() && !is_misread && !has_rules && fields.key_span("extends").is_none() {
            let help = suggest_or_list("", packs().iter().map(|pack| pack.name), "write `use:` with some of");
            report.value_error("no_packs", "`use` does not name a pack, so nothing is guarded", fields.span(), help);
        }
        for (node, pack) in uses.iter().filter_map(|node| find_pack(report, node)) {
            if self.packs.iter().all(|(known, ..)| known.name != pack.name) {
                self.packs.push((pack, Vec::new(), report.location(node.span)));
            }
        }
        let help = "write a pack's rule and what it does, such as `git.force-push: ask`; a rule of your own is an item of `deny` or `ask`";
        // All its lines may be comments.
        let node = fields.node("rules").filter(|node| !node.is_null());
        let rules = node.and_then(|node| report.entries("rules", "a mapping", node, help)).unwrap_or_default();
        let used: Vec<&PackDef> = self.packs.iter().map(|(pack, ..)| *pack).collect();
        // Which packs are on is not known without the files that are missing.
        let is_sound = |entry: &&MapEntry| self.is_incomplete || check_rule(report, entry, &used);
        let rules: Vec<&MapEntry> = rules.iter().filter(is_sound).collect();
        for (pack, settings, _) in &mut self.packs {
            settings.extend(settings_of(&rules, pack));
        }
        let first_rule = fields.key_span("deny").or(fields.key_span("ask")).or(fields.key_span("warn"));
        let location = report.location(first_rule.unwrap_or(fields.span()));
        self.rules.extend(declare_rules(name, &drafts, location));
        let place = report.location(fields.key_span("allow").unwrap_or(fields.span()));
        let exceptions = drafts.into_iter().filter(|draft| draft.spec.severity.is_none());
        let argument = |draft: PolicyRuleDraft| format!("{EXCEPTION_ARGUMENT}{}", json!(draft.spec));
        self.exceptions.extend(exceptions.map(|draft| (argument(draft), place.clone())));
        POLICY.read(&mut fields);
        POLICY.finish(fields);
    }
}

fn report_missing(base: &PolicyBase, path: &Path, report: &FileReport, span: ByteSpan) {
    let path = path.display();
    match base.is_remote() {
        true => {
            let message = format!("what this extends has not been fetched: there is no `{path}`");
            report.value_error("not_fetched", message, span, "run `pintle fetch`, which reads it and puts it there");
        }
        false => {
            let message = format!("`{path}` does not exist, or cannot be read");
            report.value_error("bad_base", message, span, "write the path relative to the directory of this file");
        }
    }
}

fn check_version(fields: &mut FieldReader<'_>, _: &mut ()) {
    if fields.integer::<u64>("version", 1..=u64::MAX).is_some_and(|version| version != POLICY_VERSION) {
        let message = format!("this Pintle reads policy files of version {POLICY_VERSION}");
        let place = fields.span_of("version");
        fields.report_fault("policy_version", message, place, String::from("use a newer Pintle"));
    }
}

fn check_requires(fields: &mut FieldReader<'_>, _: &mut ()) {
    let Some(text) = fields.text("requires") else { return };
    let place = fields.span_of("requires");
    match is_in_range(OWN_VERSION, &text) {
        Some(true) => {}
        Some(false) => {
            let message = format!("this policy is for Pintle {text}, and this is {OWN_VERSION}");
            let help = "install a Pintle of that range, or change `requires` after trying the policy with this one";
            fields.report_fault("other_version", message, place, help);
        }
        None => {
            let help = "write a range of versions, such as `>=0.1, <0.3`";
            fields.report_fault("bad_version", format!("`{text}` is not a range of versions"), place, help);
        }
    }
}

/// Whether a version is in a range: bounds with `>=`, `>`, `<=`, `<` or `=`, and commas between them. Only the numbers that a
/// bound has are compared, so `<=0.2` includes `0.2.9`. `None` if the text is not a range.
fn is_in_range(version: &str, range: &str) -> Option<bool> {
    let numbers = |text: &str| text.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u64>>>();
    // What follows the numbers is a release before them, and counts as they do.
    let own = numbers(version.split(['-', '+']).next()?)?;
    let is_within = |bound: &str| {
        let bound = bound.trim();
        let (wanted, text): (&[Ordering], &str) =
            BOUNDS.iter().find_map(|(sign, wanted)| Some((*wanted, bound.strip_prefix(sign)?)))?;
        let limit = numbers(text.trim())?;
        let compared = own.get(..limit.len())?.cmp(&limit);
        Some(wanted.contains(&compared))
    };
    range.split(',').map(is_within).try_fold(true, |all, within| Some(within? && all))
}

/// The signs of a bound, longer ones first, and how a version in the range compares with it.
const BOUNDS: [(&str, &[Ordering]); 5] = [
    (">=", &[Ordering::Greater, Ordering::Equal]),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">", &[Ordering::Greater]),
    ("<", &[Ordering::Less]),
    ("=", &[Ordering::Equal]),
];

/// The rules of a policy file: what `deny`, `ask`, `warn` and `allow` say, in their order, and what is wrong in the file.
/// `name` is its name without the extension.
#[must_use]
pub fn read_policy(file: &Arc<SourceFile>, name: &str) -> (Vec<PolicyRuleSpec>, Vec<Diagnostic>) {
    let (drafts, findings) = read_policy_fields(file, |_, mut fields| {
        // Only their mistakes count here.
        let _ = read_bases(&mut fields);
        read_rules(&mut fields, name)
    });
    (drafts.into_iter().flatten().map(|draft| draft.spec).collect(), findings)
}

fn find_pack<'n>(report: &FileReport, node: &'n DocNode) -> Option<(&'n DocNode, &'static PackDef)> {
    let name = node.as_text().unwrap_or_default();
    match pack_by_name(name) {
        Ok(pack) => Some((node, pack)),
        Err(error) => {
            report.value_error("unknown_pack", &error.message, node.span, Some(error.help));
            None
        }
    }
}

/// The settings of an entry of `rules`, as arguments of the built-in `pack`.
fn arguments_of(entry: &MapEntry) -> Vec<(String, ByteSpan)> {
    let rule = entry.key.split_once('.').map_or(entry.key.as_str(), |(_, rule)| rule);
    // `off` without quotes is a boolean in YAML.
    let word = |node: &DocNode| match &node.kind {
        NodeKind::Scalar(scalar) if scalar.text.eq_ignore_ascii_case("false") => String::from("off"),
        NodeKind::Scalar(scalar) => scalar.text.clone(),
        _ => node.describe().to_owned(),
    };
    let Some(fields) = entry.value.entries() else {
        return vec![(format!("{rule}={}", word(&entry.value)), entry.value.span)];
    };
    let mut arguments = Vec::new();
    for field in fields {
        match (field.key.as_str(), field.value.items()) {
            ("severity", _) => arguments.push((format!("{rule}={}", word(&field.value)), field.value.span)),
            ("allow", Some(items)) => {
                arguments.extend(items.iter().map(|item| (format!("{rule}:allow={}", word(item)), item.span)));
            }
            ("allow", None) => arguments.push((format!("{rule}:allow={}", word(&field.value)), field.value.span)),
            // It is reported.
            _ => {}
        }
    }
    arguments
}

/// The keys of an entry of `rules` that is a mapping.
const SETTING_KEYS: [&str; 2] = ["severity", "allow"];

/// Reports what is wrong with an entry of `rules`. Returns whether nothing is.
fn check_rule(report: &FileReport, entry: &MapEntry, used: &[&PackDef]) -> bool {
    let (name, _) = entry.key.split_once('.').unwrap_or_default();
    let Some(pack) = used.iter().find(|pack| pack.name == name) else {
        let message = format!("`{}` is not a rule of a pack that `use` names", entry.key);
        let fields = entry.value.entries().unwrap_or_default();
        let own = fields.iter().find(|field| RULE_KEYS.iter().any(|(key, _)| *key == field.key && *key != "allow"));
        let help = own.map_or_else(|| suggest_rule(&entry.key, used), |own| suggest_own_rule(&entry.key, &own.key));
        report.value_error("unknown_rule", message, entry.key_span, help);
        return false;
    };
    let fields = entry.value.entries().unwrap_or_default();
    let mut is_sound = true;
    for field in fields.iter().filter(|field| !SETTING_KEYS.contains(&field.key.as_str())) {
        let help = suggest_or_list(&field.key, SETTING_KEYS, "the keys are");
        report.value_error("unknown_key", format!("`{}` is not a key of a rule", field.key), field.key_span, help);
        is_sound = false;
    }
    for allowed in fields.iter().filter(|field| field.key == "allow") {
        let items = allowed.value.items().unwrap_or(std::slice::from_ref(&allowed.value));
        for item in items.iter().filter(|item| !matches!(item.kind, NodeKind::Scalar(_))) {
            report.wrong_type("what `allow` lets through", "a path", item, "write each path after a `- ` of its own");
            is_sound = false;
        }
    }
    for (argument, span) in arguments_of(entry) {
        if let Err(error) = add_setting(pack, &mut PackSettings::default(), &argument) {
            let span = if matches!(error, PackSettingError::UnknownRule { .. }) { entry.key_span } else { span };
            report.value_error("bad_rule", error, span, None);
            is_sound = false;
        }
    }
    is_sound
}

/// How a rule of one's own is written that was written like a setting of a pack's rule.
fn suggest_own_rule(name: &str, severity: &str) -> String {
    format!("a rule of your own is an item of `{severity}`, beside `use`: `- name: {name}`, then what it is about")
}

/// What to write for a name that no rule of the packs that are on has.
fn suggest_rule(key: &str, used: &[&PackDef]) -> String {
    let full_name = |pack: &PackDef, id: &str| format!("{}.{id}", pack.name);
    let has_rule = |pack: &PackDef, id: &str| pack.rules.iter().any(|rule| rule.id == id);
    let (name, id) = key.split_once('.').unwrap_or(("", key));
    if let Some(pack) = used.iter().find(|pack| name.is_empty() && has_rule(pack, id)) {
        return format!("write `{}`", full_name(pack, id));
    }
    if let Some(pack) = packs().iter().find(|pack| (name.is_empty() || pack.name == name) && has_rule(pack, id)) {
        return format!("add `{}` to `use`, and write `{}`", pack.name, full_name(pack, id));
    }
    let names = used.iter().flat_map(|pack| pack.rules.iter().map(|rule| full_name(pack, rule.id)));
    let names: Vec<String> = names.collect();
    suggest_or_list(key, names.iter().map(String::as_str), "the rules are")
}

/// The settings of the entries of `rules` about a pack, as arguments.
fn settings_of(rules: &[&MapEntry], pack: &PackDef) -> Vec<String> {
    let of_pack = rules.iter().filter(|entry| entry.key.split_once('.').is_some_and(|(name, _)| name == pack.name));
    of_pack.flat_map(|entry| arguments_of(entry)).map(|(argument, _)| argument).collect()
}

/// Adds what the policy files of a directory let through to the hooks of their packs and rules.
pub(super) fn add_exceptions(
    hooks: &mut [HookDeclaration],
    exceptions: &[(String, Location)],
    findings: &mut Vec<Diagnostic>,
) {
    if let (true, Some((_, location))) = (hooks.is_empty(), exceptions.first()) {
        let message = "`allow` has no effect: no pack and no rule is on in this directory";
        let help = "an `allow` is for what the policy files of its own directory refuse; write it beside them";
        findings.push(Diagnostic::warning("dead_exception", message, location.clone()).help(help));
    }
    for hook in hooks {
        if let HandlerSpec::Builtin(spec) = &mut hook.handler {
            spec.arguments.extend(exceptions.iter().map(|(argument, _)| argument.clone()));
        }
    }
}

/// The built-in that judges calls by a pack.
const PACK_BUILTIN: &str = "pack";

/// The arguments of a handler that judges calls by a pack: its name and its settings. Everything that such a handler says
/// is in Pintle's own words, wherever the hook is declared.
#[must_use]
pub fn pack_arguments(handler: &HandlerSpec) -> Option<&[String]> {
    match handler {
        HandlerSpec::Builtin(spec) if spec.name == PACK_BUILTIN => Some(&spec.arguments),
        _ => None,
    }
}

/// The hook of a pack. `settings` are arguments of the built-in `pack`, such as `force-push=ask`.
#[must_use]
pub fn declare_pack(pack: &PackDef, settings: Vec<String>, location: Location) -> HookDeclaration {
    let arguments: Vec<String> = std::iter::once(pack.name.to_owned()).chain(settings).collect();
    let examples = refused_example(pack, &arguments, &location).into_iter().collect();
    let spec = BuiltinSpec { name: String::from(PACK_BUILTIN), arguments, ..BuiltinSpec::default() };
    let event = EventKind::ToolPre.into();
    let hook =
        HookDeclaration::new(format!("pack:{}", pack.name), event, HandlerSpec::Builtin(spec), location, codec());
    HookDeclaration { profile: PROFILE, examples, ..hook }
}

/// A call that the pack denies, of a rule that the user left as it is.
fn refused_example(pack: &PackDef, arguments: &[String], location: &Location) -> Option<HookExample> {
    let is_changed = |rule: &RuleDef| {
        arguments.iter().any(|argument| argument.strip_prefix(rule.id).is_some_and(|rest| rest.starts_with(['=', ':'])))
    };
    let mut rules = pack.rules.iter().filter(|rule| rule.severity == RuleSeverity::Deny && !is_changed(rule));
    let payload = json!({"name": "shell", "args": {"command": rules.next()?.stops.first()?}});
    let expect = String::from("block");
    Some(HookExample { payload, expect, location: location.clone(), ..HookExample::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_a_bound_on_each_side_or_one() {
        for (range, expected) in [
            (">=0.1", Some(true)),
            (">=0.1, <0.2", Some(true)),
            (">=0.1.3, <1", Some(true)),
            (">0.1", Some(false)),
            (">0.1.2", Some(true)),
            ("<=0.1", Some(true)),
            ("<0.1", Some(false)),
            ("= 0.1.3", Some(true)),
            ("=0.1.4", Some(false)),
            ("<0.1, >=0.1", Some(false)),
            ("0.1", None),
            ("^0.1", None),
            (">=", None),
            (">=0.x", None),
            (">=0.1,", None),
            (">=0.1.2.3", None),
            ("", None),
        ] {
            assert_eq!(is_in_range("0.1.3", range), expected, "{range}");
        }
        assert_eq!(is_in_range("0.2.0-rc.1", ">=0.2"), Some(true));
    }
}
