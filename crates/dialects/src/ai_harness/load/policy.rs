//! Reads `policy.yaml`: the packs that are on, and what the user says about their rules.

use pintle_contract::{
    BuiltinSpec, ByteSpan, EventKind, HandlerSpec, HookDeclaration, HookExample, Location, suggest_or_list,
};
use pintle_packs::{PackDef, PackSettingError, PackSettings, RuleDef, RuleSeverity, add_setting, pack_by_name, packs};
use serde_json::json;

use super::merge::{GatheredFiles, new_report};
use crate::Artifact;
use crate::ai_harness::codec::{PROFILE, codec};
use crate::document::{
    DocNode, FieldReader, FileReport, KeyTable, MapEntry, NodeKind, UnknownKeys, key, parse, skip_byte_order_mark,
};

pub(super) static POLICY: KeyTable<()> = KeyTable {
    title: "Policy file",
    about: "`policy.yaml` turns packs on: in `.harness/`, in your own directory of hooks, or in an organisation's. It is YAML without frontmatter, and an unknown key is an error. [Packs](../guide/packs.md) has examples.",
    start: || (),
    unknown: UnknownKeys::Refused,
    keys: &[
        key!("use": listed("list of texts", "required"), "The packs that are on; `pintle packs` lists them."),
        key!("rules": listed("mapping", "none"),
            "By rule, such as `git.force-push`: `off`, `warn`, `ask` or `deny`, or a mapping with `severity` and `allow`, a list of what the rule lets through."),
    ],
};

/// Reads the file. Every error in it is an error: a rule that does not load would guard nothing.
pub(super) fn read(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "");
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: artifact.file.text.len() };
    if let Ok(matter) = parse(&report, whole) {
        let mut fields = FieldReader::new(&report, "the policy", matter.as_ref(), report.first_line(whole));
        let uses = fields.list("use").unwrap_or_default();
        if uses.is_empty() {
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
        POLICY.read(&mut fields);
        POLICY.finish(fields);
    }
    gathered.findings.extend(report.into_diagnostics());
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
        if let Err(error) = add_setting(pack, &mut PackSettings::new(), &argument) {
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

/// The hook of a pack. `settings` are arguments of the built-in `pack`, such as `force-push=ask`.
#[must_use]
pub fn declare_pack(pack: &PackDef, settings: Vec<String>, location: Location) -> HookDeclaration {
    let arguments: Vec<String> = std::iter::once(pack.name.to_owned()).chain(settings).collect();
    let examples = refused_example(pack, &arguments, &location).into_iter().collect();
    let spec = BuiltinSpec { name: String::from("pack"), arguments, ..BuiltinSpec::default() };
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
    Some(HookExample { payload, expect: String::from("block"), location: location.clone() })
}
