//! The hooks of one event: a flat list, or entries with a matcher.

use std::sync::Arc;

use pintle_contract::{HookDeclaration, Location, MatcherSpec};
use regex::Regex;

use super::strict::{Strict, first_line, word};
use super::{Path, fault, hook, warn};
use crate::docker_agent::row::PREEMPT;
use crate::docker_agent::{Compat, Row};
use crate::document::{Kind, Node, Report};

/// What the hooks of a list have in common.
#[derive(Debug, Clone)]
pub(super) struct Around<'a> {
    pub(super) report: &'a Report,
    pub(super) row: &'static Row,
    pub(super) compat: Compat,
    pub(super) matcher: Option<MatcherSpec>,
}

/// Reads the hooks of an event.
pub(super) fn read(report: &Report, row: &'static Row, node: &Node, compat: Compat) -> Vec<HookDeclaration> {
    let path = format!("hooks.{}", row.name);
    let wanted = if row.matcher {
        "hook event must be a matcher or a list of matchers"
    } else {
        "hook event must be a hook or a list of hooks"
    };
    let around = Around { report, row, compat, matcher: None };
    let mut declared = Vec::new();
    for (index, item) in items(&around, &path, node, wanted).iter().enumerate() {
        let path = format!("{path}[{index}]");
        match row.matcher {
            true => declared.extend(matched(&around, path, item, wanted)),
            false => declared.extend(hook::read(&around, path, item)),
        }
    }
    declared
}

/// The items of a list; a single mapping stands for a list of one.
fn items<'n>(around: &Around<'_>, path: &str, node: &'n Node, wanted: &str) -> &'n [Node] {
    match &node.kind {
        Kind::List(items) => items,
        Kind::Map(_) if around.compat == Compat::Newest => std::slice::from_ref(node),
        Kind::Map(_) => {
            let help = Some(String::from("write `- ` before it, or remove `compat: g1`"));
            fault(around.report, "wrong_type", path, "`compat: g1` takes only a list here", node, help);
            &[]
        }
        Kind::Scalar(_) if node.is_null() => &[],
        Kind::Scalar(_) => {
            fault(around.report, "wrong_type", path, &format!("{wanted}, not {}", node.describe()), node, None);
            &[]
        }
    }
}

/// Reads one entry with a matcher.
fn matched(around: &Around<'_>, path: Path, node: &Node, wanted: &str) -> Vec<HookDeclaration> {
    let Some(mut fields) = Strict::new(around.report, path, node, wanted) else { return Vec::new() };
    let matcher = matcher(around, &mut fields);
    let row = lane(around, &mut fields);
    let list = fields.node("hooks");
    let path = fields.path.clone();
    if list.is_none_or(|list| matches!(&list.kind, Kind::List(items) if items.is_empty())) {
        let help = String::from("write `hooks:` and below it `- type: command`");
        fields.fault("missing_field", "at least one hook is required", list.unwrap_or(node), Some(help));
    }
    fields.finish(|key| {
        let of_hook = hook::KEYS.contains(&key);
        of_hook.then(|| format!("`{key}` belongs to a hook: write it in the list below `hooks:`"))
    });
    let Some(list) = list else { return Vec::new() };
    // The hooks of an entry that is left out are read all the same, so that one run tells of their faults as well.
    let is_left_out = matcher.is_err();
    let around = Around { row, matcher: matcher.unwrap_or_default(), ..around.clone() };
    let hooks = items(&around, &format!("{path}.hooks"), list, "hooks must be a hook or a list of hooks");
    let read = |(index, item)| hook::read(&around, format!("{path}.hooks[{index}]"), item);
    let mut declared: Vec<HookDeclaration> = hooks.iter().enumerate().filter_map(read).collect();
    if is_left_out {
        declared.clear();
    }
    declared
}

/// The lane that the entry's hooks are on.
fn lane(around: &Around<'_>, fields: &mut Strict<'_>) -> &'static Row {
    let preempts = match around.compat {
        Compat::Newest => fields.boolean("preempt_yolo").unwrap_or(false),
        // The first version has no such key.
        Compat::G1 => false,
    };
    if preempts && around.row.name != PREEMPT.name {
        let help = Some(String::from("remove it, or move the entry to `pre_tool_use`"));
        let node = fields.node("preempt_yolo").unwrap_or(fields.whole);
        fields.fault("misplaced_key", "preempt_yolo is only valid on pre_tool_use", node, help);
        return around.row;
    }
    if preempts { &PREEMPT } else { around.row }
}

/// The entry's matcher.
///
/// # Errors
/// When the entry has to be left out.
fn matcher(around: &Around<'_>, fields: &mut Strict<'_>) -> Result<Option<MatcherSpec>, ()> {
    let Some(node) = fields.node("matcher") else { return Ok(None) };
    let Some(text) = word(node) else {
        fields.fault("wrong_type", &format!("matcher must be a string, not {}", node.describe()), node, None);
        return Err(());
    };
    if text.is_empty() || text == "*" {
        return Ok(None);
    }
    if around.compat == Compat::G1 && Regex::new(&text).is_err() {
        let message = format!("{}: the matcher `{text}` is no regular expression", fields.path);
        let help = "under `compat: g1` the whole entry is left out, and its guards with it; mend the matcher";
        warn(around.report, "bad_matcher", message, node.span, Some(help.to_owned()));
        return Err(());
    }
    let location = Location::new(Arc::clone(around.report.file()), first_line(around.report, node.span));
    Ok(Some(MatcherSpec::Pattern { text: Arc::from(text), location }))
}
