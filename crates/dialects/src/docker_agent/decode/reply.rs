//! Decodes a model's reply.

use pintle_contract::{Effect, Verdict, format_key, read_json};
use serde_json::{Map, Value};

use super::output::DockerHookOutput;
use super::{DockerDecodeContext, bad_output, verdict};
use crate::docker_agent::event_def::ContextReader;
use pintle_clients::refusal::{refuses, text_refuses};

/// The only schema of a reply.
pub(crate) const DECISION_SCHEMA: &str = "pre_tool_use_decision";

/// Decodes a reply: context for the model without a schema, otherwise a decision.
pub(super) fn decode(context: &DockerDecodeContext<'_>, reply: &str) -> Verdict {
    match context.codec.schema.as_deref() {
        None => match (reply.trim(), context.def.context) {
            ("", _) => bad_output("empty model reply"),
            (text, ContextReader::Model) => Verdict::pass().with_effect(Effect::Context(text.to_owned())),
            (text, ContextReader::User) => Verdict::pass().with_effect(Effect::Notice(text.to_owned())),
            (text, ContextReader::NoReader) if context.def.can_block && text_refuses(text) => {
                bad_output("the model seems to deny, but its reply is ignored; add `schema: pre_tool_use_decision`")
            }
            (_, ContextReader::NoReader) => {
                Verdict::pass().with_warning(format!("the model's reply has no effect on {}", context.name()))
            }
        },
        Some(DECISION_SCHEMA) => {
            match parse_judgement(reply).and_then(|object| DockerHookOutput::read(context, object)) {
                Ok(output) => verdict::build_verdict(context, output),
                Err(reason) => bad_output(reason),
            }
        }
        Some(other) => {
            bad_output(format!("model hook: unknown schema \"{other}\"; the only schema is `{DECISION_SCHEMA}`"))
        }
    }
}

/// The output that a judge's reply stands for. A code fence and text around the object are ignored.
fn parse_judgement(reply: &str) -> Result<Map<String, Value>, String> {
    if reply.trim().is_empty() {
        return Err(String::from("empty model reply"));
    }
    let object = match (reply.find('{'), reply.rfind('}')) {
        (Some(first), Some(last)) => reply.get(first..=last),
        _ => None,
    };
    let object = object.ok_or("no JSON object in reply")?;
    let fields: Map<String, Value> =
        read_json(object).map_err(|error| format!("the model's reply is not JSON: {error}"))?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let decision = text("decision").trim().to_lowercase();
    if !["allow", "ask", "deny"].contains(&decision.as_str()) {
        return Err(format!("invalid decision \"{}\" (want allow|ask|deny)", format_key(text("decision"))));
    }
    let mut others = fields.iter().filter(|(key, _)| !matches!(key.as_str(), "decision" | "reason"));
    if let Some((key, _)) = others.find(|(key, value)| decision != "deny" && refuses(key, value)) {
        return Err(format!("the decision is `{decision}`, but `{}` denies", format_key(key)));
    }
    let reason = match text("reason").trim() {
        "" => "no reason provided",
        reason => reason,
    };
    let notice = format!("🤖 model judge: {decision} — {reason}");
    let specific = [("permission_decision", decision.as_str()), ("permission_decision_reason", reason)];
    let specific = specific.into_iter().map(|(key, text)| (key.to_owned(), Value::from(text))).collect::<Value>();
    Ok([("hook_specific_output", specific), ("system_message", Value::from(notice))]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect())
}
