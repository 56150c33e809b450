//! Resolves the events of the merged hooks.

use std::sync::Arc;

use pintle_contract::{
    Codec, Diagnostic, EventKind, EventName, HandlerSpec, HookDeclaration, MatcherSpec, did_you_mean,
};

use super::hook::HookDraft;
use crate::ai_harness::codec::{NAMES, codec};

/// The placeholder event of a hook without a valid event, so that its script is still compiled and its errors are
/// reported.
const STAND_IN: EventKind = EventKind::ToolPre;

/// The `meta.*` events that are fired. Any plain name after the dot is valid, so a typo there is not an error.
const META_EVENTS: [&str; 4] = ["meta.register_tool", "meta.register_hook", "meta.register_agent", "meta.call_tool"];

/// Converts drafts to declarations. Those without a known event go to `unplaced`.
///
/// `owner` prefixes the messages; it is empty for a project's own list.
pub(super) fn declare(
    owner: &str,
    drafts: Vec<HookDraft>,
    unplaced: &mut Vec<HookDeclaration>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<HookDeclaration> {
    let codec = codec();
    let mut declared = Vec::with_capacity(drafts.len());
    for (index, mut draft) in drafts.into_iter().enumerate() {
        let known = draft.event.take().and_then(|(spelling, location)| match NAMES.find(&spelling) {
            Ok(event) => Some((event, spelling)),
            Err(_) => {
                let message = format!("{owner}hooks[{index}].event \"{spelling}\" is invalid");
                findings.push(Diagnostic::error("unknown_event", message, location).help(suggest_event(&spelling)));
                None
            }
        });
        match known {
            Some((event, spelling)) => {
                findings.extend(check_never_fired(&event, &spelling, &draft));
                declared.push(build_declaration(draft, event, spelling, &codec));
            }
            None => {
                unplaced.push(build_declaration(draft, STAND_IN.into(), STAND_IN.to_string(), &codec));
            }
        }
    }
    declared
}

fn build_declaration(
    draft: HookDraft,
    event: EventName,
    event_alias: String,
    codec: &Arc<dyn Codec>,
) -> HookDeclaration {
    let handler = draft.script.map_or(HandlerSpec::None, HandlerSpec::Script);
    HookDeclaration {
        event_alias: Arc::from(event_alias),
        priority: draft.priority,
        matcher: draft.when.map(MatcherSpec::Expression),
        on_error: draft.on_error,
        mode: draft.mode,
        timeout_ms: draft.timeout_ms,
        files: draft.files,
        tools: draft.tools,
        examples: draft.examples,
        ..HookDeclaration::new(draft.name, event, handler, draft.location, Arc::clone(codec))
    }
}

/// Warns of a guard on an event that is never fired.
fn check_never_fired(event: &EventName, event_alias: &str, draft: &HookDraft) -> Option<Diagnostic> {
    let name = event.as_str();
    if !name.starts_with("meta.") || META_EVENTS.contains(&name) {
        return None;
    }
    let known = META_EVENTS.into_iter().chain(NAMES.aliases.iter().map(|alias| alias.name));
    let help = did_you_mean(event_alias, known)
        .unwrap_or_else(|| format!("the `meta.` events are {}", META_EVENTS.join(", ")));
    Some(
        Diagnostic::warning(
            "unfired_event",
            format!("no event named `{event_alias}` is ever fired"),
            draft.location.clone(),
        )
        .help(help),
    )
}

/// Suggests a replacement for an unknown event.
pub(super) fn suggest_event(event_alias: &str) -> String {
    let trimmed = event_alias.trim();
    if trimmed.is_empty() {
        return String::from("add a line such as `event: tool.pre`");
    }
    if trimmed != event_alias && NAMES.find(trimmed).is_ok() {
        return String::from("remove the spaces around it");
    }
    if event_alias.starts_with("custom.") || event_alias.starts_with("meta.") {
        return String::from("use lower-case letters, digits and `_` after `custom.` and `meta.`");
    }
    match NAMES.find(trimmed).err().and_then(|unknown| unknown.suggestion) {
        Some(near) => format!("did you mean `{near}`?"),
        None => String::from("`pintle events` lists the events"),
    }
}
