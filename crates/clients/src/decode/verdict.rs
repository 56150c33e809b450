//! Builds the verdict of a decoded output for its event.

use pintle_contract::{Effect, Rewrite, Verdict, VerdictKind};
use serde_json::{Map, Value};

use super::FieldChoice;
use super::reply::ClientHookOutput;
use super::{ClientDecodeContext, bad_output};
use crate::EncodeContext;
use crate::event_def::{BlockEffect, InputRewrite, StopEffect};
use crate::program_output::limit_warnings;
use crate::refusal::{BrokenRefusal, RefusalLevel};

/// Denies with a reason, as the event defines it.
pub(super) fn deny_with_reason(context: &ClientDecodeContext<'_>, reason: &str) -> Verdict {
    match context.def.block {
        BlockEffect::Deny => Verdict::deny(reason),
        BlockEffect::NotifyModel if reason.is_empty() => Verdict::pass(),
        BlockEffect::NotifyModel => Verdict::pass().with_effect(Effect::Context(reason.to_owned())),
        BlockEffect::ReplaceResult => {
            let fields = [("content", Value::from(reason)), ("is_error", Value::Bool(true))];
            Verdict::rewrite(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        }
        BlockEffect::Ignored => {
            let warning = format!("a hook on `{}` cannot block", context.def.name);
            Verdict::pass().with_warning(if reason.is_empty() { warning } else { format!("{warning}: {reason}") })
        }
    }
}

/// The verdict of a refusal without an answer.
pub(super) fn refuse(context: &ClientDecodeContext<'_>, refusal: &BrokenRefusal) -> Verdict {
    match refusal.level {
        RefusalLevel::Deny => deny_with_reason(context, &refusal.reason),
        RefusalLevel::Ask => Verdict::ask(refusal.reason.as_str()),
    }
}

/// Builds the verdict of an output.
pub(super) fn build_verdict(context: &ClientDecodeContext<'_>, mut reply: ClientHookOutput) -> Verdict {
    if let Some(error) = reply.faults.first()
        && !reply.denies()
    {
        return bad_output(format!("invalid hook output: {error}"));
    }
    reply.warnings.append(&mut reply.faults);
    let (contexts, notices) = (std::mem::take(&mut reply.contexts), std::mem::take(&mut reply.notices));
    let warnings = std::mem::take(&mut reply.warnings);
    let mut verdict = apply_decision(context, reply);
    verdict.warnings.extend(limit_warnings(warnings));
    let contexts: Vec<String> = contexts.into_iter().filter(|text| !text.is_empty()).collect();
    match context.def.context {
        true => verdict.effects.extend(contexts.into_iter().map(Effect::Context)),
        false if contexts.is_empty() => {}
        false => verdict.warnings.push(format!("a hook on `{}` cannot add context for the model", context.def.name)),
    }
    let notices = notices.into_iter().filter(|text| !text.is_empty());
    verdict.effects.extend(notices.map(Effect::Notice));
    verdict
}

fn apply_decision(context: &ClientDecodeContext<'_>, reply: ClientHookOutput) -> Verdict {
    let def = context.def;
    if reply.may_continue == Some(false) {
        match def.stop {
            StopEffect::Deny => {
                return Verdict::deny(first_non_empty([&reply.stop_reason, &reply.permission_reason, &reply.reason]));
            }
            // The agent may stop, so the stop is not blocked.
            StopEffect::AllowStop => return Verdict::pass(),
            // The client does not know it here; whoever wrote it did not mean to go on.
            StopEffect::Ignored if def.is_gate() && def.block == BlockEffect::Deny => {
                let reason = first_non_empty([&reply.stop_reason, &reply.permission_reason, &reply.reason]);
                let warning = format!("`continue` has no meaning on `{}`; applied anyway, because it denies", def.name);
                return Verdict::deny(reason).with_warning(warning);
            }
            StopEffect::Ignored => {}
        }
    }
    let mut verdict = choose_decision(context, &reply);
    if reply.may_continue == Some(false) {
        verdict.warnings.push(format!("`continue: false` has no effect on `{}`", def.name));
    }
    let is_open = !matches!(verdict.kind, VerdictKind::Deny { .. });
    if let Some(message) = reply.followup.filter(|_| is_open) {
        return Verdict { kind: VerdictKind::Deny { reason: message }, ..verdict };
    }
    if let Some(input) = reply.input.filter(|_| is_open) {
        verdict = match def.input {
            InputRewrite::Unchanged => {
                verdict.with_warning(format!("a hook on `{}` cannot change the tool input", def.name))
            }
            _ => add_input(context, verdict, input),
        };
    }
    if let Some(output) = reply.output.filter(|_| is_open && def.block != BlockEffect::Ignored || def.output) {
        verdict = match (def.output, matches!(verdict.kind, VerdictKind::Rewrite(_))) {
            (false, _) => verdict.with_warning(format!("a hook on `{}` cannot change the tool result", def.name)),
            // Replacing the result with an error is the more restrictive of the two.
            (true, true) => verdict,
            (true, false) => {
                let field = if output.is_string() { "content" } else { "result" };
                verdict.with_rewrite(Rewrite::Fields(Map::from_iter([(field.to_owned(), output)])))
            }
        };
    }
    verdict
}

/// The verdict of the decision fields; the most restrictive wins.
fn choose_decision(context: &ClientDecodeContext<'_>, reply: &ClientHookOutput) -> Verdict {
    let def = context.def;
    let choices = [reply.permission, reply.decision];
    let says = |choice| choices.contains(&Some(choice));
    let reason = if reply.permission.is_some() {
        first_non_empty([&reply.permission_reason, &reply.reason, ""])
    } else {
        first_non_empty([&reply.reason, &reply.permission_reason, ""])
    };
    if says(FieldChoice::Deny) {
        let by_block = first_non_empty([&reply.reason, &reply.permission_reason, ""]);
        return match def.permission {
            true => Verdict::deny(if reply.permission == Some(FieldChoice::Deny) { reason } else { by_block }),
            false => deny_with_reason(context, by_block),
        };
    }
    if says(FieldChoice::Ask) {
        return match def.permission || def.block == BlockEffect::Deny {
            true => Verdict::ask(reason),
            false => Verdict::pass().with_warning(format!("a hook on `{}` cannot ask the user", def.name)),
        };
    }
    let allows = says(FieldChoice::Allow) || (says(FieldChoice::AllowInput) && reply.input.is_some());
    if allows && def.permission { Verdict::allow(reason) } else { Verdict::pass() }
}

fn first_non_empty(texts: [&str; 3]) -> &str {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// Adds the hook's rewrite of the tool input.
fn add_input(decode_context: &ClientDecodeContext<'_>, verdict: Verdict, input: Map<String, Value>) -> Verdict {
    let context = EncodeContext {
        event: decode_context.event,
        event_alias: decode_context.def.name,
        style: decode_context.def.style,
    };
    let before = context.tool_input();
    let input = match (decode_context.def.input, before) {
        (InputRewrite::Merge, Value::Object(own)) => {
            let mut merged = own.clone();
            merged.extend(input);
            merged
        }
        _ => input,
    };
    let input = Value::Object(input);
    if input == *before {
        return verdict;
    }
    verdict.with_rewrite(Rewrite::Fields(Map::from_iter([(String::from("args"), input)])))
}
