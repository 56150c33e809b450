//! Decodes a JSON decision.

use pintle_contract::{format_key, read_leading_json, suggest_nearest};
use serde_json::{Map, Value};

use pintle_clients::program_output::MOST_UNKNOWN_FIELDS;
use pintle_clients::refusal::{
    ECHO, RefusalLevel, find_broken_refusal, find_refusal, nested_objects, refuses, strip_byte_order_mark, text_decides,
};

use super::FrameworkDecodeContext;

pub(super) const KEYS: [&str; 3] = ["continue", "decision", "message"];
/// Keys of other agents for a decision, which a hook written for them may use.
const FOREIGN: [&str; 3] = ["hookSpecificOutput", "permissionDecision", "permission_decision"];

/// The decision of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FrameworkDecision {
    /// No decision.
    Nothing,
    /// `{"continue": true}`.
    Continue,
    /// `{"decision": "ask"}`, with its message.
    Ask(String),
    /// `{"decision": "block"}`, with its message.
    Block(String),
}

/// The output of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrameworkOutput {
    pub(super) decision: FrameworkDecision,
    /// The text around the decision, trimmed.
    pub(super) surrounding_text: String,
    /// Warnings for the hook's author.
    pub(super) warnings: Vec<String>,
}

impl FrameworkOutput {
    /// Adds a decision. The most restrictive wins.
    fn add(&mut self, decision: FrameworkDecision) {
        let before = std::mem::replace(&mut self.decision, FrameworkDecision::Nothing);
        self.decision = before.stricter(decision);
    }
}

impl FrameworkDecision {
    fn refuse(level: RefusalLevel, message: String) -> Self {
        match level {
            RefusalLevel::Ask => Self::Ask(message),
            RefusalLevel::Deny => Self::Block(message),
        }
    }

    pub(super) fn is_block(&self) -> bool {
        matches!(self, Self::Ask(_) | Self::Block(_))
    }

    /// The more restrictive of two decisions.
    fn stricter(self, other: Self) -> Self {
        let rank = |decision: &Self| match decision {
            Self::Nothing => 0,
            Self::Continue => 1,
            Self::Ask(_) => 2,
            Self::Block(_) => 3,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Finds the decision in a hook's output, also after log lines. Of several decisions the most restrictive wins.
///
/// # Errors
/// If something that is meant to decide is invalid.
pub(super) fn find_decision(context: &FrameworkDecodeContext<'_>, text: &str) -> Result<FrameworkOutput, String> {
    let mut printed =
        FrameworkOutput { decision: FrameworkDecision::Nothing, surrounding_text: String::new(), warnings: Vec::new() };
    let mut rest = strip_byte_order_mark(text);
    if rest.trim_start().starts_with(['[', '"']) {
        for item in &nested_objects(rest) {
            read_object(context, item, &mut printed)?;
        }
        if printed.decision != FrameworkDecision::Nothing {
            printed
                .warnings
                .push(String::from("the hook printed its decision inside other JSON; print only the object"));
            return Ok(printed);
        }
    }
    // Once the rest does not mention a decision, no later part of it does.
    let mut may_mention = true;
    while let Some((before, candidate)) = next_line_with_brace(rest) {
        printed.surrounding_text.push_str(before);
        let (is_decision, length) = match read_leading_json::<Map<String, Value>>(candidate) {
            Some(Ok((object, length))) => (read_object(context, &object, &mut printed)?, length),
            // It may be an ambiguous decision.
            Some(Err(error)) if error.is_repeated_key() => {
                let reason = format!("the hook's output is ambiguous: {error}");
                printed.add(FrameworkDecision::Block(reason));
                (true, first_line(candidate))
            }
            Some(Err(_)) | None => {
                if let Some(refusal) =
                    find_broken_refusal(candidate).filter(|_| printed.surrounding_text.trim().is_empty())
                {
                    let warning = "the hook's output is not valid JSON; applied anyway, because it begins as a refusal";
                    printed.warnings.push(warning.to_owned());
                    printed.add(FrameworkDecision::refuse(refusal.level, refusal.reason));
                    return Ok(printed);
                }
                may_mention = may_mention && mentions_decision(candidate);
                if may_mention {
                    return Err(String::from("the hook's output looks like a decision but is not valid JSON"));
                }
                (false, first_line(candidate))
            }
        };
        let (taken, after) = candidate.split_at_checked(length).unwrap_or((candidate, ""));
        if !is_decision {
            printed.surrounding_text.push_str(taken);
        }
        rest = after;
    }
    printed.surrounding_text.push_str(rest);
    printed.surrounding_text = printed.surrounding_text.trim().to_owned();
    if printed.decision == FrameworkDecision::Nothing && text_decides(&printed.surrounding_text) {
        return Err(String::from("the hook's output looks like a decision but is not valid JSON"));
    }
    if printed.decision.is_block() && !printed.surrounding_text.is_empty() {
        printed.warnings.push(String::from("the hook printed more than its decision; print only the object"));
    }
    Ok(printed)
}

/// The text before the next line that starts with a brace, and the text from that brace on.
fn next_line_with_brace(text: &str) -> Option<(&str, &str)> {
    let mut index = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if line.trim_start().starts_with('{') {
            return text.split_at_checked(index + blank);
        }
        index += line.len();
    }
    None
}

fn first_line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// Whether text that is not JSON seems to be meant as a decision.
fn mentions_decision(text: &str) -> bool {
    ["\"decision\"", "\"continue\"", "'decision'"].iter().any(|word| text.contains(word))
}

/// Adds the decision of an object, and returns whether it is a decision at all.
fn read_object(
    context: &FrameworkDecodeContext<'_>,
    object: &Map<String, Value>,
    output: &mut FrameworkOutput,
) -> Result<bool, String> {
    if context.is_echo(object) {
        output.warnings.push(ECHO.to_owned());
        return Ok(false);
    }
    if read_foreign_refusal(object, output) {
        return Ok(true);
    }
    if let Some(key) = FOREIGN.iter().find(|key| object.contains_key(**key)) {
        return Err(format!("`{key}` belongs to another framework; write `\"decision\": \"block\"` and `\"message\"`"));
    }
    let is_decision = object.contains_key("decision") || object.contains_key("continue");
    if !is_decision {
        // A typo in a deciding key must not be treated as text.
        let slip = object
            .keys()
            .take(MOST_UNKNOWN_FIELDS)
            .find_map(|key| Some((key, suggest_nearest(key, ["decision", "continue"])?)));
        return slip.map_or(Ok(false), |(key, near)| {
            Err(format!("unknown key `{}`; did you mean `{near}`?", format_key(key)))
        });
    }
    let message = read_message(object, output)?;
    let goes_on = match object.get("continue") {
        None | Some(Value::Null) => None,
        Some(Value::Bool(goes_on)) => Some(*goes_on),
        Some(other) if refuses("continue", other) => Some(false),
        Some(_) => return Err(String::from("`continue` must be true or false")),
    };
    let decided = match object.get("decision") {
        None | Some(Value::Null) => FrameworkDecision::Continue,
        Some(Value::String(word)) => match word.as_str() {
            "block" => FrameworkDecision::Block(message.clone()),
            "ask" => FrameworkDecision::Ask(message.clone()),
            "allow" | "approve" | "continue" => {
                output.warnings.push(format!("`\"decision\": \"{word}\"` has no effect; write `\"continue\": true`"));
                FrameworkDecision::Continue
            }
            other if let Some(level) = find_refusal("decision", &Value::from(other)) => {
                let shown = format_key(other);
                output
                    .warnings
                    .push(format!("`{shown}` is treated as a refusal; write `block`, as this framework does"));
                FrameworkDecision::refuse(level, message.clone())
            }
            other => {
                let near = suggest_nearest(other, ["block", "ask"]).map(|near| format!("; did you mean `{near}`?"));
                return Err(format!("unknown decision `{}`{}", format_key(other), near.unwrap_or_default()));
            }
        },
        Some(other) if refuses("decision", other) => FrameworkDecision::Block(message.clone()),
        Some(_) => return Err(String::from("`decision` must be `block` or `ask`")),
    };
    let stopped = if goes_on == Some(false) { FrameworkDecision::Block(message) } else { FrameworkDecision::Nothing };
    output.add(decided);
    output.add(stopped);
    Ok(true)
}

/// Treats a deny in another framework's terms as a deny, because its author meant it.
fn read_foreign_refusal(object: &Map<String, Value>, output: &mut FrameworkOutput) -> bool {
    let mut others = object.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()) && *key != "reason");
    let near = |key: &str| suggest_nearest(key, ["decision", "continue"]);
    let refusal = |key: &str, value| find_refusal(key, value).or_else(|| find_refusal(near(key)?, value));
    let Some((key, refusal)) = others.find_map(|(key, value)| Some((key, refusal(key, value)?))) else {
        return false;
    };
    let inner = object.get("hookSpecificOutput").or_else(|| object.get("hook_specific_output"));
    let reasons = ["permissionDecisionReason", "permission_decision_reason", "reason", "message"];
    let said = |fields: &Value| reasons.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned));
    let own = || reasons.iter().find_map(|name| object.get(*name)?.as_str().map(str::to_owned));
    let message = inner.and_then(said).or_else(own).unwrap_or_default().trim().to_owned();
    output.warnings.push(format!(
        "`{}` is not a key of this framework; applied anyway, because it denies; \
         write `\"decision\": \"block\"` and `\"message\"`",
        format_key(key)
    ));
    output.add(FrameworkDecision::refuse(refusal, message));
    true
}

/// The explanation. Other frameworks call it `reason`.
fn read_message(object: &Map<String, Value>, output: &mut FrameworkOutput) -> Result<String, String> {
    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()) && *key != "reason");
    for key in unknown.take(MOST_UNKNOWN_FIELDS) {
        let shown = format_key(key);
        output.warnings.push(match suggest_nearest(key, KEYS) {
            Some(near) => format!("unknown key `{shown}`; did you mean `{near}`?"),
            None => format!("unknown key `{shown}`, which has no effect"),
        });
    }
    match object.get("message").or_else(|| object.get("reason")) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(message)) => Ok(message.trim().to_owned()),
        // An invalid explanation does not invalidate the decision.
        Some(other) => Ok(other.to_string()),
    }
}
