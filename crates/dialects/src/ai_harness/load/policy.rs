//! Reads policy files: the packs that are on, what the user says about their rules, and rules of the user's own.

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

use super::merge::{GatheredFiles, new_report};
use super::policy_rules::{PolicyRuleDraft, RULE_KEYS, declare_rules, read_rules};
use crate::ai_harness::codec::{PROFILE, codec};
use crate::document::{
    DocNode, FieldReader, FileReport, KeyTable, MapEntry, NodeKind, UnknownKeys, key, parse, skip_byte_order_mark,
};
use crate::{Artifact, ArtifactKind};

pub(super) static POLICY: KeyTable<()> = KeyTable {
    title: "Policy file",
    about: "`policy.yaml` turns packs on and has rules of your own: in `.harness/`, in your own directory of hooks, or in an organisation's. It is YAML without frontmatter, and an unknown key is an error. [Packs](../guide/packs.md) and [A rule of your own](../guide/own-rules.md) have examples.",
    start: || (),
    unknown: UnknownKeys::Refused,
    keys: &[
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

/// Reads the file. Every error in it is an error: a rule that does not load would guard nothing.
pub(super) fn read(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "");
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: artifact.file.text.len() };
    if let Ok(matter) = parse(&report, whole) {
        let mut fields = FieldReader::new(&report, "the policy", matter.as_ref(), report.first_line(whole));
        let uses = fields.list("use").unwrap_or_default();
        let drafts = read_rules(&mut fields, &artifact.name);
        let has_rules = RULE_KEYS.iter().any(|(key, _)| fields.key_span(key).is_some());
        if uses.is_empty() && !has_rules {
            let help = suggest_or_list("", packs().iter().map(|pack| pack.name), "write `use:` with some of");
            report.value_error("no_packs", "`use` does not name a pack, so nothing is guarded", fields.span(), help);
        }
        let rules = fields.node("rules").and_then(DocNode::entries).unwrap_or_default();
        let used: Vec<(&DocNode, &'static PackDef)> = uses.iter().filter_map(|node| find_pack(&report, node)).collect();
        for entry in rules {
            check_rule(&report, entry, &used);
        }
        for (node, pack) in used {
            gathered.packs.push(declare_pack(pack, settings_of(rules, pack), report.location(node.span)));
        }
        let first_rule = fields.key_span("deny").or(fields.key_span("ask")).or(fields.key_span("warn"));
        let location = report.location(first_rule.unwrap_or(fields.span()));
        gathered.packs.extend(declare_rules(&artifact.name, &drafts, location));
        let place = report.location(fields.key_span("allow").unwrap_or(fields.span()));
        let exceptions = drafts.into_iter().filter(|draft| draft.spec.severity.is_none());
        let argument = |draft: PolicyRuleDraft| format!("{EXCEPTION_ARGUMENT}{}", json!(draft.spec));
        gathered.exceptions.extend(exceptions.map(|draft| (argument(draft), place.clone())));
        POLICY.read(&mut fields);
        POLICY.finish(fields);
    }
    gathered.findings.extend(report.into_diagnostics());
}

/// The rules of a policy file: what `deny`, `ask`, `warn` and `allow` say, in their order, and what is wrong in the file.
/// `name` is its name without the extension.
#[must_use]
pub fn read_policy(file: &Arc<SourceFile>, name: &str) -> (Vec<PolicyRuleSpec>, Vec<Diagnostic>) {
    let artifact = Artifact { role: ArtifactKind::Policy, name: name.to_owned(), file: Arc::clone(file) };
    let report = new_report(&artifact, "");
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: file.text.len() };
    let drafts = parse(&report, whole).map(|matter| {
        let mut fields = FieldReader::new(&report, "the policy", matter.as_ref(), report.first_line(whole));
        read_rules(&mut fields, name)
    });
    let specs = drafts.into_iter().flatten().map(|draft| draft.spec).collect();
    (specs, report.into_diagnostics())
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
            (other, _) => arguments.push((format!("{other} is not a key of a rule"), field.key_span)),
        }
    }
    arguments
}

/// Reports what is wrong with an entry of `rules`.
fn check_rule(report: &FileReport, entry: &MapEntry, used: &[(&DocNode, &'static PackDef)]) {
    let name = entry.key.split_once('.').map_or("", |(name, _)| name);
    let Some((_, pack)) = used.iter().find(|(_, pack)| pack.name == name) else {
        let message = format!("`{}` is not a rule of a pack that `use` names", entry.key);
        let names =
            used.iter().flat_map(|(_, pack)| pack.rules.iter().map(|rule| format!("{}.{}", pack.name, rule.id)));
        let names: Vec<String> = names.collect();
        let help = suggest_or_list(&entry.key, names.iter().map(String::as_str), "the rules are");
        report.value_error("unknown_rule", message, entry.key_span, help);
        return;
    };
    for (argument, span) in arguments_of(entry) {
        if let Err(error) = add_setting(pack, &mut PackSettings::default(), &argument) {
            let span = if matches!(error, PackSettingError::UnknownRule { .. }) { entry.key_span } else { span };
            report.value_error("bad_rule", error, span, None);
        }
    }
}

/// The settings of the entries of `rules` about a pack, as arguments.
fn settings_of(rules: &[MapEntry], pack: &PackDef) -> Vec<String> {
    let of_pack = rules.iter().filter(|entry| entry.key.split_once('.').is_some_and(|(name, _)| name == pack.name));
    of_pack.flat_map(arguments_of).map(|(argument, _)| argument).collect()
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
