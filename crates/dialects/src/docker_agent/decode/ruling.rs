//! What an output means on an event (docker-agent behaviour, sections 1.1, 2.3 and 3.5).

use pintle_contract::{Effect, Rewrite, Verdict, VerdictKind, format_key};
use serde_json::{Map, Value};

use super::output::Output;
use super::{Asked, bad};
use crate::docker_agent::Compat;
use crate::docker_agent::encode::chat;
use crate::docker_agent::row::{Context, Decisions, Rewrites};
use crate::printed::bounded;

/// The words of `permission_decision`.
const WORDS: [&str; 3] = ["allow", "ask", "deny"];

/// The verdict that an output stands for.
pub(super) fn rule(asked: &Asked<'_>, mut output: Output) -> Verdict {
    let mut warnings = std::mem::take(&mut output.warnings);
    for word in unknown_words(&output) {
        match asked.codec.compat {
            Compat::Newest => return bad(word),
            Compat::G1 => warnings.push(format!("{word}, and `compat: g1` passes over it")),
        }
    }
    if let Some(why) = unheard_refusal(asked, &output) {
        return bad(why);
    }
    warnings.extend(without_effect(asked, &output));
    let mut verdict = decided(asked, &output, &mut warnings);
    // What is denied is not rewritten, whatever the rewrite is.
    if !matches!(verdict.kind, VerdictKind::Deny { .. }) {
        match rewrite(asked, &mut output) {
            Ok(Some(rewrite)) => verdict = verdict.with_rewrite(rewrite),
            Ok(None) => {}
            Err(why) => return bad(format!("invalid hook output: {why}")),
        }
    }
    verdict.effects = effects(asked, output);
    verdict.warnings = bounded(warnings);
    verdict
}

/// Why a refusal that the event does not listen to is no answer, where another spelling of it would have blocked.
fn unheard_refusal(asked: &Asked<'_>, output: &Output) -> Option<String> {
    let is_deaf = asked.row.decisions == Decisions::Nothing && asked.row.blocks;
    let word = output.text("permission_decision");
    let is_unheard = matches!(word, "deny" | "ask") && is_deaf && output.blocks().is_none();
    (is_unheard && asked.codec.compat == Compat::Newest).then(|| {
        format!(
            "`permission_decision` has no effect on {}; write `\"decision\": \"block\"` and a `reason`",
            asked.name()
        )
    })
}

/// What is said of each word that decides nothing, and the words that do.
fn unknown_words(output: &Output) -> impl Iterator<Item = String> {
    let kinds = [
        ("decision", &["block"][..], "`block`, or leave it out"),
        ("permission_decision", &WORDS, "`allow`, `ask` or `deny`"),
    ];
    kinds.into_iter().filter_map(|(key, known, help)| {
        let word = output.text(key);
        let is_unknown = !word.is_empty() && !known.contains(&word);
        is_unknown.then(|| format!("unknown {key} `{}`; write {help}", format_key(word)))
    })
}

/// What is said about going on.
fn decided(asked: &Asked<'_>, output: &Output, warnings: &mut Vec<String>) -> Verdict {
    let row = asked.row;
    let reason = output.text("permission_decision_reason");
    let mut blockers = output.blocks();
    if blockers.is_some() && !row.blocks {
        if asked.codec.compat == Compat::Newest {
            warnings.push(format!("{} hook wants to block, but this event cannot block", asked.name()));
        }
        blockers = None;
    }
    let permission = output.text("permission_decision");
    if permission == "deny" && row.decisions != Decisions::Nothing {
        blockers.get_or_insert_default().push(reason);
    }
    if let Some(texts) = blockers {
        let said: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        return Verdict::deny(said.join("\n"));
    }
    match (permission, row.decisions) {
        ("allow", Decisions::All | Decisions::AllowDeny) => Verdict::allow(reason),
        ("ask", Decisions::All) => Verdict::ask(reason),
        ("allow" | "ask", Decisions::Deny) => {
            warnings.push(format!("only `deny` has an effect on {}", asked.name()));
            Verdict::pass()
        }
        _ => Verdict::pass(),
    }
}

/// A warning for each key that is there and does nothing on this event.
fn without_effect(asked: &Asked<'_>, output: &Output) -> Vec<String> {
    // Of these it is said in one sentence that the event cannot block.
    let blocking = |name: &str| matches!(name, "decision" | "reason" | "stop_reason");
    let told = |value: &Value| *value != Value::Bool(false) && value.as_str() != Some("");
    let idle =
        output.values.iter().filter(|(key, value)| !(key.works)(asked.row) && !blocking(key.name) && told(value));
    idle.map(|(key, _)| match key.name {
        "suppress_output" => String::from("`suppress_output` has no effect on any event"),
        name => format!("`{name}` has no effect on {}", asked.name()),
    })
    .collect()
}

fn rewrite(asked: &Asked<'_>, output: &mut Output) -> Result<Option<Rewrite>, String> {
    let (field, value) = match asked.row.rewrites {
        None => return Ok(None),
        Some(Rewrites::Input) => match output.take("updated_input") {
            Some(Value::Object(patch)) if !patch.is_empty() => ("args", Value::Object(patched(asked, patch))),
            _ => return Ok(None),
        },
        Some(Rewrites::Messages) => match output.take("updated_messages") {
            Some(Value::Array(messages)) if !messages.is_empty() => {
                ("messages", Value::Array(messages.into_iter().map(chat::canonical).collect::<Result<_, _>>()?))
            }
            _ => return Ok(None),
        },
        Some(Rewrites::Response) => match output.take("updated_tool_response") {
            Some(Value::String(text)) => ("content", Value::String(text)),
            Some(value) => ("result", value),
            None => return Ok(None),
        },
    };
    Ok(Some(Rewrite::Fields([(field.to_owned(), value)].into_iter().collect())))
}

/// The arguments with a patch over them: untouched keys stay. The first version knew only the patch.
fn patched(asked: &Asked<'_>, patch: Map<String, Value>) -> Map<String, Value> {
    if asked.codec.compat == Compat::G1 {
        return patch;
    }
    let mut arguments = asked.event.payload.field("args").and_then(Value::as_object).cloned().unwrap_or_default();
    arguments.extend(patch);
    arguments
}

/// What comes with the decision.
fn effects(asked: &Asked<'_>, mut output: Output) -> Vec<Effect> {
    let mut texts = Vec::new();
    if let Some(Value::String(text)) = output.take("additional_context") {
        texts.push(text);
    }
    if let Some(Value::Array(items)) = output.take("instruction_context") {
        texts.extend(items.iter().filter_map(instruction));
    }
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    let mut effects: Vec<Effect> = match asked.row.context {
        Context::Nobody => Vec::new(),
        Context::Model => texts.map(Effect::Context).collect(),
        Context::Person => texts.map(Effect::Notice).collect(),
    };
    if let Some(Value::String(text)) = output.take("system_message").filter(|text| *text != "") {
        effects.push(Effect::Notice(text));
    }
    if let Some(Value::String(text)) = output.take("summary").filter(|text| asked.row.summary && *text != "") {
        effects.push(Effect::Summary(text));
    }
    if let Some(Value::Object(facts)) = output.take("metadata").filter(|_| asked.row.metadata)
        && !facts.is_empty()
    {
        effects.push(Effect::Metadata(facts));
    }
    effects
}

/// The text of a keyed item, unless it says that something is gone.
fn instruction(item: &Value) -> Option<String> {
    let set = |flag: &str| item.get(flag) == Some(&Value::Bool(true));
    if set("removed") || set("unavailable") {
        return None;
    }
    item.get("content").and_then(Value::as_str).map(str::to_owned)
}
