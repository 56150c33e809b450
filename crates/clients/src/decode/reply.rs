//! Reads a printed JSON object, field by field.

use pintle_contract::{format_key, suggest_nearest};
use serde_json::{Map, Value};

use super::ClientDecodeContext;
use super::output_field::{FieldChoice, FieldMeaning, OutputField};
use crate::program_output::{MOST_UNKNOWN_FIELDS, describe_kind};
use crate::refusal::{RefusalLevel, find_refusal};

/// The fields of a printed object.
#[derive(Debug, Default)]
pub(super) struct ClientHookOutput {
    /// `false` asks the agent to stop.
    pub(super) may_continue: Option<bool>,
    pub(super) stop_reason: String,
    /// The decision to block, and the decision on the user's behalf.
    pub(super) decision: Option<FieldChoice>,
    pub(super) permission: Option<FieldChoice>,
    pub(super) reason: String,
    pub(super) permission_reason: String,
    pub(super) contexts: Vec<String>,
    pub(super) notices: Vec<String>,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) output: Option<Value>,
    pub(super) followup: Option<String>,
    /// Warnings for the hook's author.
    pub(super) warnings: Vec<String>,
    /// Why the object is invalid.
    pub(super) faults: Vec<String>,
    /// A reason that is also for the user.
    reason_for_user: Option<String>,
    /// The number of unknown fields.
    unknown_count: usize,
}

impl ClientHookOutput {
    /// Reads an object. Null fields are treated as absent.
    pub(super) fn read(asked: &ClientDecodeContext<'_>, object: &Map<String, Value>) -> Self {
        let mut reply = Self::default();
        reply.read_level(asked, object, false);
        if let Some(told) = reply.reason_for_user.take() {
            match reply.denies() {
                true if reply.reason.is_empty() => reply.reason = told,
                true => {}
                false => reply.notices.push(told),
            }
        }
        // The Harness Framework names the reason `message`.
        if reply.denies() && reply.reason.is_empty() && reply.permission_reason.is_empty() {
            reply.reason = object.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        reply
    }

    /// Whether it denies or asks.
    pub(super) fn denies(&self) -> bool {
        let against = |choice| matches!(choice, Some(FieldChoice::Deny | FieldChoice::Ask));
        self.may_continue == Some(false) || against(self.decision) || against(self.permission)
    }

    fn read_level(&mut self, asked: &ClientDecodeContext<'_>, object: &Map<String, Value>, inside: bool) {
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let words = asked.codec.client.output_fields;
            let named = || words.iter().filter(|word| word.name == name);
            match (named().find(|word| word.is_nested == inside), named().next()) {
                (Some(word), _) => self.read_field(asked, word, value),
                (None, Some(word)) => self.read_misplaced(asked, word, value),
                (None, None) => self.read_unknown(asked, name, value, inside),
            }
        }
    }

    /// Handles a known field at the wrong level. If it restricts, it is applied.
    fn read_misplaced(&mut self, asked: &ClientDecodeContext<'_>, word: &OutputField, value: &Value) {
        let place = if word.is_nested { "belongs inside" } else { "belongs next to, not inside," };
        let message = format!("`{}` {place} `hookSpecificOutput`", word.name);
        let mut other = Self::default();
        let is_reason = matches!(word.meaning, FieldMeaning::Reason | FieldMeaning::PermissionReason);
        if is_reason || (word.can_restrict() && !matches!(word.meaning, FieldMeaning::Specific)) {
            other.read_field(asked, word, value);
        }
        // The reason, in case another field denies.
        if self.reason.is_empty() {
            self.reason = std::mem::take(&mut other.reason) + &std::mem::take(&mut other.permission_reason);
        }
        if other.denies() {
            self.decision = self.decision.stricter(other.decision);
            self.permission = self.permission.stricter(other.permission);
            self.may_continue = self.may_continue.or(other.may_continue);
            self.warnings.push(format!("{message}; applied anyway, because it denies"));
        } else if asked.codec.client.strict {
            self.faults.push(message);
        } else {
            self.warnings.push(format!("{message} and has no effect here"));
        }
    }

    fn read_unknown(&mut self, asked: &ClientDecodeContext<'_>, name: &str, value: &Value, inside: bool) {
        self.unknown_count += 1;
        if self.unknown_count > MOST_UNKNOWN_FIELDS {
            return self.faults.push(format!("more than {MOST_UNKNOWN_FIELDS} unknown fields"));
        }
        let here = asked.codec.client.output_fields.iter().filter(|word| word.is_nested == inside);
        let near = suggest_nearest(name, here.map(|word| word.name));
        let shown = format_key(name);
        let message = match near {
            Some(near) => format!("unknown field `{shown}`; did you mean `{near}`?"),
            None => format!("unknown field `{shown}`"),
        };
        // A value that denies in another agent's terms also denies here.
        if asked.def.is_gate()
            && let Some(refusal) = find_refusal(name, value)
        {
            let choice = if refusal == RefusalLevel::Ask { FieldChoice::Ask } else { FieldChoice::Deny };
            self.decision = self.decision.stricter(Some(choice));
            return self.warnings.push(format!("{message}; applied anyway, because it denies"));
        }
        let slip = near.is_some_and(|near| {
            asked.codec.client.output_fields.iter().any(|word| word.name == near && word.can_restrict())
        });
        // A typo in a deciding key must not be treated as an answer without an opinion.
        match asked.codec.client.strict || (slip && asked.def.can_deny()) {
            true => self.faults.push(message),
            false => self.warnings.push(message),
        }
    }

    fn read_field(&mut self, asked: &ClientDecodeContext<'_>, word: &OutputField, value: &Value) {
        let text = value.as_str();
        let wanted = match (word.meaning, value) {
            (FieldMeaning::Continue, Value::Bool(goes_on)) => {
                return self.may_continue = Some(*goes_on);
            }
            (FieldMeaning::Cancel, Value::Bool(cancels)) => {
                return self.decision = cancels.then_some(FieldChoice::Deny).or(self.decision);
            }
            (FieldMeaning::Review, Value::Bool(asks)) => {
                return self.permission = asks.then_some(FieldChoice::Ask).or(self.permission);
            }
            (FieldMeaning::Specific, Value::Object(inner)) => {
                return self.read_level(asked, inner, true);
            }
            (FieldMeaning::Behavior, Value::Object(inner)) => return self.read_behavior(inner),
            (FieldMeaning::Input, Value::Object(input)) => return self.input = Some(input.clone()),
            (FieldMeaning::Output(field), value) => {
                let text = field.and_then(|field| value.get(field));
                return self.output = Some(text.unwrap_or(value).clone());
            }
            (FieldMeaning::NotCarriedOver(""), _) => return,
            (FieldMeaning::NotCarriedOver(reason), value) => {
                // A flag that is off has no effect.
                if *value != Value::Bool(false) {
                    self.warnings.push(format!("`{}` is not supported: {reason}", word.name));
                }
                return;
            }
            (FieldMeaning::Continue | FieldMeaning::Cancel | FieldMeaning::Review, _) => "true or false",
            (FieldMeaning::Specific | FieldMeaning::Behavior | FieldMeaning::Input, _) => "an object",
            _ => "a string",
        };
        let Some(text) = text.filter(|_| wanted == "a string") else {
            return self.faults.push(format!("`{}` must be {wanted}, not {}", word.name, describe_kind(value)));
        };
        self.read_text(asked, word, text);
    }

    fn read_text(&mut self, asked: &ClientDecodeContext<'_>, word: &OutputField, text: &str) {
        let owned = || text.to_owned();
        match word.meaning {
            FieldMeaning::Decision(choices) => {
                let choice = self.read_choice(word, choices, text);
                self.decision = choice.or(self.decision);
            }
            FieldMeaning::Permission(choices) => {
                let choice = self.read_choice(word, choices, text);
                self.permission = choice.or(self.permission);
            }
            FieldMeaning::Reason => self.reason = owned(),
            FieldMeaning::ReasonOrNotice => self.reason_for_user = Some(owned()).filter(|text| !text.is_empty()),
            FieldMeaning::PermissionReason => self.permission_reason = owned(),
            FieldMeaning::StopReason => self.stop_reason = owned(),
            FieldMeaning::Context => self.contexts.push(owned()),
            FieldMeaning::Notice => self.notices.push(owned()),
            FieldMeaning::Followup => self.followup = Some(owned()).filter(|text| !text.is_empty()),
            FieldMeaning::EventName if !text.eq_ignore_ascii_case(asked.def.name) => {
                let said = format_key(text);
                self.warnings.push(format!("`{}` says `{said}`, but the event is `{}`", word.name, asked.def.name));
            }
            _ => {}
        }
    }

    /// The decision that a value stands for. An unknown value is an error, but another agent's value for asking or
    /// denying is applied.
    fn read_choice(&mut self, word: &OutputField, choices: &[(&str, FieldChoice)], text: &str) -> Option<FieldChoice> {
        if let Some((_, choice)) = choices.iter().find(|(known, _)| *known == text) {
            return Some(*choice);
        }
        let known: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("`{}` must be {}, not `{}`", word.name, known.join(" or "), format_key(text));
        let foreign = match text {
            "deny" | "block" => Some(FieldChoice::Deny),
            "ask" | "defer" => Some(FieldChoice::Ask),
            _ => None,
        };
        match foreign {
            Some(_) => self.warnings.push(format!("{message}; applied anyway, because it restricts")),
            None => self.faults.push(message),
        }
        foreign
    }

    fn read_behavior(&mut self, inner: &Map<String, Value>) {
        let text = |name: &str| inner.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("behavior") {
            "allow" => self.permission = Some(FieldChoice::Allow),
            "deny" => self.permission = Some(FieldChoice::Deny),
            other => self.faults.push(format!("`behavior` must be `allow` or `deny`, not `{}`", format_key(other))),
        }
        self.permission_reason = text("message").to_owned();
        if let Some(Value::Object(input)) = inner.get("updatedInput") {
            self.input = Some(input.clone());
        }
        if inner.get("interrupt") == Some(&Value::Bool(true)) {
            self.warnings
                .push(String::from("`interrupt` is not supported: the call is denied and the agent continues"));
        }
        if inner.get("updatedPermissions").is_some_and(|list| !list.is_null()) {
            self.warnings.push(String::from(
                "`updatedPermissions` is not supported: the session's permission rules stay unchanged",
            ));
        }
    }
}

/// The more restrictive of two choices.
trait StricterChoice {
    fn stricter(self, other: Self) -> Self;
}

impl StricterChoice for Option<FieldChoice> {
    fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Some(FieldChoice::Deny), _) | (_, Some(FieldChoice::Deny)) => Some(FieldChoice::Deny),
            (Some(FieldChoice::Ask), _) | (_, Some(FieldChoice::Ask)) => Some(FieldChoice::Ask),
            (own, other) => own.or(other),
        }
    }
}
