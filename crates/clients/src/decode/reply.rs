//! Reads a printed JSON object, field by field.

use pintle_contract::{format_key, suggest_nearest};
use serde_json::{Map, Value};

use super::ClientDecodeContext;
use super::FieldChoice;
use super::FieldMeaning;
use super::OutputField;
use crate::program_output::{MOST_UNKNOWN_FIELDS, describe_kind};
use crate::refusal::{ECHO, RefusalLevel, find_refusal, key_letters};

/// The keys of the reason in the answers of other agents.
const REASON_KEYS: [&str; 6] =
    ["message", "userMessage", "agentMessage", "user_message", "agent_message", "errorMessage"];

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
    /// Reads an object.
    pub(super) fn read(context: &ClientDecodeContext<'_>, object: &Map<String, Value>) -> Self {
        let mut reply = Self::default();
        reply.add(context, object);
        reply
    }

    /// Reads an object beside those that were read before. Null fields are treated as absent. What repeats the hook's input
    /// does not answer.
    pub(super) fn add(&mut self, context: &ClientDecodeContext<'_>, object: &Map<String, Value>) {
        let mut reply = Self::default();
        reply.read_level(context, object, false);
        if reply.denies() && context.is_echo(object) {
            return self.warnings.push(ECHO.to_owned());
        }
        if let Some(told) = reply.reason_for_user.take() {
            match reply.denies() {
                true if reply.reason.is_empty() => reply.reason = told,
                true => {}
                false => reply.notices.push(told),
            }
        }
        // The Harness Framework and others name the reason in their own ways.
        if reply.denies() && reply.reason.is_empty() && reply.permission_reason.is_empty() {
            let text = |name: &&str| object.get(*name).and_then(Value::as_str).filter(|text| !text.is_empty());
            reply.reason = REASON_KEYS.iter().find_map(text).unwrap_or_default().to_owned();
        }
        self.join(reply);
    }

    /// Takes over what another object says; of two decisions the stricter one counts.
    fn join(&mut self, other: Self) {
        let text = |own: &mut String, other: String| {
            if own.is_empty() {
                *own = other
            }
        };
        self.may_continue = match (self.may_continue, other.may_continue) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (own, other) => own.or(other),
        };
        self.decision = self.decision.stricter(other.decision);
        self.permission = self.permission.stricter(other.permission);
        text(&mut self.stop_reason, other.stop_reason);
        text(&mut self.reason, other.reason);
        text(&mut self.permission_reason, other.permission_reason);
        self.contexts.extend(other.contexts);
        self.notices.extend(other.notices);
        self.warnings.extend(other.warnings);
        self.faults.extend(other.faults);
        self.input = other.input.or(self.input.take());
        self.output = other.output.or(self.output.take());
        self.followup = self.followup.take().or(other.followup);
    }

    /// Gives nothing away: an answer among other output may restrict and add, not allow.
    pub(super) fn without_allow(mut self) -> Self {
        for choice in [&mut self.decision, &mut self.permission] {
            *choice = choice.filter(|choice| !matches!(choice, FieldChoice::Allow | FieldChoice::AllowInput));
        }
        self
    }

    /// Whether it denies or asks.
    pub(super) fn denies(&self) -> bool {
        let against = |choice| matches!(choice, Some(FieldChoice::Deny | FieldChoice::Ask));
        self.may_continue == Some(false) || against(self.decision) || against(self.permission)
    }

    fn read_level(&mut self, context: &ClientDecodeContext<'_>, object: &Map<String, Value>, inside: bool) {
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let words = context.codec.client.output_fields;
            let letters = key_letters(name);
            let known = words.iter().find(|word| word.name == name && word.is_nested == inside);
            let elsewhere = || words.iter().find(|word| word.name == name);
            let alike = || words.iter().find(|word| word.is_nested == inside && key_letters(word.name) == letters);
            if let Some(word) = known {
                self.read_field(context, word, value);
            } else if let Some(word) = elsewhere().or_else(alike) {
                self.read_misplaced(context, word, name, value);
            } else {
                self.read_unknown(context, name, value, inside);
            }
        }
    }

    /// Handles a known field at the wrong level or in other letters. If it restricts, it is applied.
    fn read_misplaced(&mut self, context: &ClientDecodeContext<'_>, field: &OutputField, name: &str, value: &Value) {
        let is_alike = field.name != name;
        let message = match (is_alike, field.is_nested) {
            (true, _) => format!("unknown field `{}`; did you mean `{}`?", format_key(name), field.name),
            (false, true) => format!("`{name}` belongs inside `hookSpecificOutput`"),
            (false, false) => format!("`{name}` belongs next to, not inside, `hookSpecificOutput`"),
        };
        let mut other = Self::default();
        if field.can_restrict() || matches!(field.meaning, FieldMeaning::Reason | FieldMeaning::PermissionReason) {
            other.read_field(context, field, value);
        }
        // The reason, in case another field denies.
        if self.reason.is_empty() {
            self.reason = std::mem::take(&mut other.reason) + &std::mem::take(&mut other.permission_reason);
        }
        if other.denies() {
            self.decision = self.decision.stricter(other.decision);
            self.permission = self.permission.stricter(other.permission);
            self.may_continue = self.may_continue.or(other.may_continue);
            return self.warnings.push(format!("{message}; applied anyway, because it denies"));
        }
        let is_slip = is_alike && field.can_restrict() && context.def.can_deny();
        match (context.codec.client.strict || is_slip, is_alike) {
            (true, _) => self.faults.push(message),
            (false, true) => self.warnings.push(message),
            (false, false) => self.warnings.push(format!("{message} and has no effect here")),
        }
    }

    fn read_unknown(&mut self, context: &ClientDecodeContext<'_>, name: &str, value: &Value, inside: bool) {
        self.unknown_count += 1;
        if self.unknown_count > MOST_UNKNOWN_FIELDS {
            return self.faults.push(format!("more than {MOST_UNKNOWN_FIELDS} unknown fields"));
        }
        let here = context.codec.client.output_fields.iter().filter(|word| word.is_nested == inside);
        let near = suggest_nearest(name, here.map(|word| word.name));
        let shown = format_key(name);
        let message = match near {
            Some(near) => format!("unknown field `{shown}`; did you mean `{near}`?"),
            None => format!("unknown field `{shown}`"),
        };
        // A misspelt key holds a word, or is that of the object with the decision.
        let is_level = near.is_some_and(|near| {
            let mut fields = context.codec.client.output_fields.iter();
            fields.any(|field| field.name == near && matches!(field.meaning, FieldMeaning::Specific))
        });
        let is_word = !value.is_array() && (is_level || !value.is_object());
        // A value that denies in another agent's terms, or under a misspelt key, also denies here.
        let refusal = || find_refusal(name, value).or_else(|| find_refusal(near?, value).filter(|_| is_word));
        if context.def.is_gate() && self.apply(refusal(), &message) {
            return;
        }
        let slip = is_word
            && near.is_some_and(|near| {
                context.codec.client.output_fields.iter().any(|word| word.name == near && word.can_restrict())
            });
        // A typo in a deciding key must not be treated as an answer without an opinion.
        match context.codec.client.strict || (slip && context.def.can_deny()) {
            true => self.faults.push(message),
            false => self.warnings.push(message),
        }
    }

    fn read_field(&mut self, context: &ClientDecodeContext<'_>, output_field: &OutputField, value: &Value) {
        let text = value.as_str();
        let wanted = match (output_field.meaning, value) {
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
                return self.read_level(context, inner, true);
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
                    self.warnings.push(format!("`{}` is not supported: {reason}", output_field.name));
                }
                return;
            }
            (FieldMeaning::Continue | FieldMeaning::Cancel | FieldMeaning::Review, _) => "true or false",
            (FieldMeaning::Specific | FieldMeaning::Behavior | FieldMeaning::Input, _) => "an object",
            _ => "a string",
        };
        let Some(text) = text.filter(|_| wanted == "a string") else {
            let message = format!("`{}` must be {wanted}, not {}", output_field.name, describe_kind(value));
            let refusal = output_field.can_restrict().then(|| find_refusal(output_field.name, value)).flatten();
            if !self.apply(refusal, &message) {
                self.faults.push(message);
            }
            return;
        };
        self.read_text(context, output_field, text);
    }

    fn read_text(&mut self, context: &ClientDecodeContext<'_>, field: &OutputField, text: &str) {
        let owned = || text.to_owned();
        match field.meaning {
            FieldMeaning::Decision(choices) => {
                let choice = self.read_choice(field, choices, text);
                self.decision = choice.or(self.decision);
            }
            FieldMeaning::Permission(choices) => {
                let choice = self.read_choice(field, choices, text);
                self.permission = choice.or(self.permission);
            }
            FieldMeaning::Reason => self.reason = owned(),
            FieldMeaning::ReasonOrNotice => self.reason_for_user = Some(owned()).filter(|text| !text.is_empty()),
            FieldMeaning::PermissionReason => self.permission_reason = owned(),
            FieldMeaning::StopReason => self.stop_reason = owned(),
            FieldMeaning::Context => self.contexts.push(owned()),
            FieldMeaning::Notice => self.notices.push(owned()),
            FieldMeaning::Followup => self.followup = Some(owned()).filter(|text| !text.is_empty()),
            FieldMeaning::EventName if !text.eq_ignore_ascii_case(context.def.name) => {
                let said = format_key(text);
                self.warnings.push(format!("`{}` says `{said}`, but the event is `{}`", field.name, context.def.name));
            }
            _ => {}
        }
    }

    /// The decision that a value stands for. An unknown value is an error, but another agent's value for asking or
    /// denying is applied.
    fn read_choice(&mut self, field: &OutputField, choices: &[(&str, FieldChoice)], text: &str) -> Option<FieldChoice> {
        if let Some((_, choice)) = choices.iter().find(|(known, _)| *known == text) {
            return Some(*choice);
        }
        let known: Vec<String> = choices.iter().map(|(field, _)| format!("`{field}`")).collect();
        let message = format!("`{}` must be {}, not `{}`", field.name, known.join(" or "), format_key(text));
        // `decision` has the words of every agent, `off` and `no` among them.
        if !self.apply(find_refusal("decision", &Value::from(text)), &message) {
            self.faults.push(message);
        }
        None
    }

    /// Applies what denies although it is not as the client documents it, and says so.
    fn apply(&mut self, refusal: Option<RefusalLevel>, message: &str) -> bool {
        let Some(refusal) = refusal else { return false };
        let choice = if refusal == RefusalLevel::Ask { FieldChoice::Ask } else { FieldChoice::Deny };
        self.decision = self.decision.stricter(Some(choice));
        let what = if choice == FieldChoice::Ask { "restricts" } else { "denies" };
        self.warnings.push(format!("{message}; applied anyway, because it {what}"));
        true
    }

    fn read_behavior(&mut self, inner: &Map<String, Value>) {
        let text = |name: &str| inner.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("behavior") {
            "allow" => self.permission = Some(FieldChoice::Allow),
            "deny" => self.permission = Some(FieldChoice::Deny),
            other => {
                let message = format!("`behavior` must be `allow` or `deny`, not `{}`", format_key(other));
                if !self.apply(find_refusal("behavior", &Value::from(other)), &message) {
                    self.faults.push(message);
                }
            }
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
