//! Builds the verdict of a hook's output for its event.

use pintle_contract::{Effect, Rewrite, Verdict, VerdictKind, format_key};
use serde_json::{Map, Value};

use super::output::DockerHookOutput;
use super::{DockerDecodeContext, bad_output};
use crate::docker_agent::encode::chat;
use crate::docker_agent::event_def::DockerAgentVersion;
use crate::docker_agent::event_def::{ContextReader, DockerRewrite, PermissionWords};
use pintle_clients::program_output::limit_warnings;

/// The values of `permission_decision`.
const WORDS: [&str; 3] = ["allow", "ask", "deny"];

/// Builds the verdict of an output.
pub(super) fn build_verdict(context: &DockerDecodeContext<'_>, mut output: DockerHookOutput) -> Verdict {
    let mut warnings = std::mem::take(&mut output.warnings);
    for word in describe_unknown_fields(&output) {
        match context.codec.compat {
            DockerAgentVersion::Newest => return bad_output(word),
            DockerAgentVersion::G1 => warnings.push(format!("{word}; `compat: g1` ignores it")),
        }
    }
    if let Some(reason) = explain_ignored_refusal(context, &output) {
        return bad_output(reason);
    }
    warnings.extend(warn_without_effect(context, &output));
    let mut verdict = decode_decision(context, &output, &mut warnings);
    // A denied event is not rewritten.
    if !matches!(verdict.kind, VerdictKind::Deny { .. }) {
        match decode_rewrite(context, &mut output) {
            Ok(Some(rewrite)) => verdict = verdict.with_rewrite(rewrite),
            Ok(None) => {}
            Err(reason) => return bad_output(format!("invalid hook output: {reason}")),
        }
    }
    verdict.effects = decode_effects(context, output);
    verdict.warnings = limit_warnings(warnings);
    verdict
}

/// Explains why a deny that the event does not support is invalid, if another field would have blocked.
fn explain_ignored_refusal(context: &DockerDecodeContext<'_>, output: &DockerHookOutput) -> Option<String> {
    let is_deaf = context.def.decisions == PermissionWords::Nothing && context.def.can_block;
    let word = output.text("permission_decision");
    let is_unheard = matches!(word, "deny" | "ask") && is_deaf && output.blocking_texts().is_none();
    (is_unheard && context.codec.compat == DockerAgentVersion::Newest).then(|| {
        format!(
            "`permission_decision` has no effect on {}; write `\"decision\": \"block\"` and a `reason`",
            context.name()
        )
    })
}

/// Messages for deciding fields with unknown values, with the known values.
fn describe_unknown_fields(output: &DockerHookOutput) -> impl Iterator<Item = String> {
    let kinds = [
        ("decision", &["block"][..], "`block`, or omit it"),
        ("permission_decision", &WORDS, "`allow`, `ask` or `deny`"),
    ];
    kinds.into_iter().filter_map(|(key, known, help)| {
        let word = output.text(key);
        let is_unknown = !word.is_empty() && !known.contains(&word);
        is_unknown.then(|| format!("unknown {key} `{}`; write {help}", format_key(word)))
    })
}

/// The decision of the output.
fn decode_decision(
    context: &DockerDecodeContext<'_>,
    output: &DockerHookOutput,
    warnings: &mut Vec<String>,
) -> Verdict {
    let def = context.def;
    let reason = output.text("permission_decision_reason");
    let mut blockers = output.blocking_texts();
    if blockers.is_some() && !def.can_block {
        if context.codec.compat == DockerAgentVersion::Newest {
            warnings.push(format!("{} hook wants to block, but this event cannot block", context.name()));
        }
        blockers = None;
    }
    let permission = output.text("permission_decision");
    if permission == "deny" && def.decisions != PermissionWords::Nothing {
        blockers.get_or_insert_default().push(reason);
    }
    if let Some(texts) = blockers {
        let said: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        return Verdict::deny(said.join("\n"));
    }
    match (permission, def.decisions) {
        ("allow", PermissionWords::All | PermissionWords::AllowDeny) => Verdict::allow(reason),
        ("ask", PermissionWords::All) => Verdict::ask(reason),
        ("allow" | "ask", PermissionWords::Deny) => {
            warnings.push(format!("only `deny` has an effect on {}", context.name()));
            Verdict::pass()
        }
        _ => Verdict::pass(),
    }
}

/// A warning for each key that has no effect on this event.
fn warn_without_effect(context: &DockerDecodeContext<'_>, output: &DockerHookOutput) -> Vec<String> {
    // One message about blocking covers all of these.
    let blocking = |name: &str| matches!(name, "decision" | "reason" | "stop_reason");
    let told = |value: &Value| *value != Value::Bool(false) && value.as_str() != Some("");
    let idle = output
        .values
        .iter()
        .filter(|(key, value)| !(key.has_effect)(context.def) && !blocking(key.name) && told(value));
    idle.map(|(key, _)| match key.name {
        "suppress_output" => String::from("`suppress_output` has no effect on any event"),
        name => format!("`{name}` has no effect on {}", context.name()),
    })
    .collect()
}

fn decode_rewrite(context: &DockerDecodeContext<'_>, output: &mut DockerHookOutput) -> Result<Option<Rewrite>, String> {
    let (field, value) = match context.def.rewrites {
        None => return Ok(None),
        Some(DockerRewrite::Input) => match output.take("updated_input") {
            Some(Value::Object(patch)) if !patch.is_empty() => ("args", Value::Object(patch_arguments(context, patch))),
            _ => return Ok(None),
        },
        Some(DockerRewrite::Messages) => match output.take("updated_messages") {
            Some(Value::Array(messages)) if !messages.is_empty() => {
                ("messages", Value::Array(messages.into_iter().map(chat::to_canonical).collect::<Result<_, _>>()?))
            }
            _ => return Ok(None),
        },
        Some(DockerRewrite::Response) => match output.take("updated_tool_response") {
            Some(Value::String(text)) => ("content", Value::String(text)),
            Some(value) => ("result", value),
            None => return Ok(None),
        },
    };
    Ok(Some(Rewrite::Fields([(field.to_owned(), value)].into_iter().collect())))
}

/// Merges a patch into the arguments: other keys stay. The first version replaces the arguments with the patch.
fn patch_arguments(context: &DockerDecodeContext<'_>, patch: Map<String, Value>) -> Map<String, Value> {
    if context.codec.compat == DockerAgentVersion::G1 {
        return patch;
    }
    let mut arguments = context.event.payload.field("args").and_then(Value::as_object).cloned().unwrap_or_default();
    arguments.extend(patch);
    arguments
}

/// The effects that come with the decision.
fn decode_effects(context: &DockerDecodeContext<'_>, mut output: DockerHookOutput) -> Vec<Effect> {
    let mut texts = Vec::new();
    if let Some(Value::String(text)) = output.take("additional_context") {
        texts.push(text);
    }
    if let Some(Value::Array(items)) = output.take("instruction_context") {
        texts.extend(items.iter().filter_map(instruction_text));
    }
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    let mut effects: Vec<Effect> = match context.def.context {
        ContextReader::NoReader => Vec::new(),
        ContextReader::Model => texts.map(Effect::Context).collect(),
        ContextReader::User => texts.map(Effect::Notice).collect(),
    };
    if let Some(Value::String(text)) = output.take("system_message").filter(|text| *text != "") {
        effects.push(Effect::Notice(text));
    }
    if let Some(Value::String(text)) = output.take("summary").filter(|text| context.def.summary && *text != "") {
        effects.push(Effect::Summary(text));
    }
    if let Some(Value::Object(facts)) = output.take("metadata").filter(|_| context.def.metadata)
        && !facts.is_empty()
    {
        effects.push(Effect::Metadata(facts));
    }
    effects
}

/// The text of a keyed item, unless the item is marked as removed or unavailable.
fn instruction_text(item: &Value) -> Option<String> {
    let set = |flag: &str| item.get(flag) == Some(&Value::Bool(true));
    if set("removed") || set("unavailable") {
        return None;
    }
    item.get("content").and_then(Value::as_str).map(str::to_owned)
}
