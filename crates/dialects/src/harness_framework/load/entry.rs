//! Reads one entry of an event.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{FailurePolicy, HandlerSpec, HookDeclaration, MatcherSpec, Profile, suggest_or_list};
use pintle_tools::CLAUDE;
use serde_json::{Map, Value};

use super::{FrameworkSettingsFile, header, program};
use crate::document::{DocNode, FieldReader, to_json};
use crate::harness_framework::codec::{FrameworkCodec, FrameworkMatcher};
use crate::harness_framework::event_def::{FrameworkEventDef, TOOL_NAME};
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES, read_failure_words};

/// The default timeout of a hook.
const DEFAULT_TIMEOUT_MS: u64 = 5_000;
/// A timeout below this was probably meant in seconds.
const SUSPICIOUS_TIMEOUT_MS: u64 = 100;
/// The fields of every payload.
const BASE: [&str; 3] = ["session_id", "transcript_path", "hook_event_name"];

/// Reads one entry; `None` if it is invalid, which is reported.
pub(super) fn read(
    settings: &FrameworkSettingsFile<'_>,
    framework_event_def: &'static FrameworkEventDef,
    node: &DocNode,
) -> Option<HookDeclaration> {
    let report = settings.report;
    let errors = report.error_count();
    let mut fields =
        FieldReader::new(report, format!("an entry of {}", framework_event_def.name), Some(node), node.span);
    let path = fields.text("path").filter(|path| !path.trim().is_empty());
    let timeout_ms = read_timeout(&mut fields);
    let wanted = read_conditions(settings, framework_event_def, fields.node("matcher"));
    let on_error = fields.choice("on_error", &FAILURE_POLICIES).or_else(|| read_failure_words(&mut fields));
    let mode = fields.choice("mode", &ENFORCEMENT_MODES).unwrap_or_default();
    let place = fields.span_of("path");
    fields.finish();
    let Some(path) = path.filter(|_| report.error_count() == errors) else {
        if report.error_count() == errors {
            let help = "write `\"path\": \"hooks/Name.ts\"`, relative to the directory of this file";
            report.value_error(
                "missing_field",
                format!("an entry of {} has no path", framework_event_def.name),
                node.span,
                help,
            );
        }
        return None;
    };
    let file = settings.root.join(&path);
    let script = program::read(settings, &file, &path, place);
    let header = script.head.as_deref().map(|head| header::read(&file, head)).unwrap_or_default();
    if let Some(head) = &script.head {
        header::check(
            report,
            &header,
            &header::HeaderExpectation {
                file: &file,
                head,
                def: framework_event_def,
                conditions: wanted.as_ref(),
                place,
            },
        );
    }
    let name = header.name().map_or_else(|| stem(&file), str::to_owned);
    let codec = Arc::new(FrameworkCodec { hook: Arc::from(name.as_str()) });
    let event = framework_event_def.canonical.into();
    Some(HookDeclaration {
        event_alias: Arc::from(framework_event_def.name),
        matcher: wanted.map(|wanted| {
            MatcherSpec::Compiled(Arc::new(FrameworkMatcher {
                event_alias: framework_event_def.name,
                expected_fields: wanted,
            }))
        }),
        on_error,
        default_on_error: FailurePolicy::Open,
        profile: Profile::ParallelStrictest,
        mode,
        timeout_ms: Some(timeout_ms),
        ..HookDeclaration::new(name, event, HandlerSpec::Command(script.command), report.location(node.span), codec)
    })
}

/// The name of a script without its extensions: `Name` of `Name.hook.ts`.
pub(super) fn stem(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name,
    }
}

fn read_timeout(fields: &mut FieldReader<'_>) -> u64 {
    let Some(node) = fields.node("timeout") else { return DEFAULT_TIMEOUT_MS };
    let number = node.as_number();
    if number == Some(0.0) {
        return DEFAULT_TIMEOUT_MS;
    }
    let Some(given) = number.filter(|number| number.is_finite() && *number > 0.0) else {
        let shown = number.map_or_else(|| node.describe().to_owned(), |number| format!("`{number}`"));
        let message = format!("timeout must be a number of milliseconds above 0, not {shown}");
        let help = "write, for example, `\"timeout\": 5000`, which is also the default";
        fields.report().value_error("bad_value", message, node.span, help);
        return DEFAULT_TIMEOUT_MS;
    };
    // A value too large for the type means no limit, and a fraction of a millisecond is rounded up.
    let timeout_ms = given.ceil() as u64;
    if timeout_ms < SUSPICIOUS_TIMEOUT_MS {
        let message =
            format!("the hook has only {timeout_ms} ms; it is then killed, and its failure does not block the event");
        let help = format!("the timeout is in milliseconds; did you mean `{}`?", timeout_ms.saturating_mul(1_000));
        fields.report().warning("short_timeout", message, node.span, help);
    }
    timeout_ms
}

/// The conditions of a matcher; `None` if there are none.
fn read_conditions(
    settings: &FrameworkSettingsFile<'_>,
    def: &FrameworkEventDef,
    node: Option<&DocNode>,
) -> Option<Map<String, Value>> {
    let node = node.filter(|node| !node.is_null())?;
    let report = settings.report;
    let help = "write the conditions: `{\"tool_name\": \"Bash\"}`";
    for entry in report.entries("matcher", "an object", node, help)? {
        let known = BASE.into_iter().chain(def.keys.iter().map(|key| key.name));
        if !known.clone().any(|field| field == entry.key) {
            let help = suggest_or_list(&entry.key, known, &format!("the fields of {} are", def.name));
            let message = format!("the payload of {} has no field `{}`, so the hook never fires", def.name, entry.key);
            report.warning("dead_matcher", message, entry.key_span, help);
        } else if entry.key == TOOL_NAME {
            check_tool_name(settings, &entry.value);
        }
    }
    match to_json(node) {
        Ok(Value::Object(wanted)) => Some(wanted).filter(|wanted| !wanted.is_empty()),
        Ok(_) => None,
        Err(error) => {
            report.value_error("bad_value", "matcher contains a number that is too large", error.span, None);
            None
        }
    }
}

/// Reports a name that no tool has.
fn check_tool_name(settings: &FrameworkSettingsFile<'_>, node: &DocNode) {
    let Some(name) = node.as_text() else { return };
    let help = match CLAUDE.suggest(name) {
        _ if name.contains(['|', '*', '(']) => {
            String::from("a condition tests equality; write a list for several tools")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            match CLAUDE.tools.iter().find(|tool| tool.canonical == name).and_then(|tool| tool.native_names.first()) {
                Some(host) => format!("in this framework it is named `{host}`"),
                None => return,
            }
        }
    };
    let message = format!("no tool is named `{name}`, so the hook never fires");
    settings.report.warning("dead_matcher", message, node.span, help);
}
