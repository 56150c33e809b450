//! A printed object, word by word.

use pintle_contract::{format_key, suggest_nearest};
use serde_json::{Map, Value};

use super::Asked;
use super::word::{Choice, Means, Word};
use crate::printed::{MOST_UNKNOWN_FIELDS, kind};
use crate::refusal::{Refusal, find_refusal};

/// What an object says.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// `false` is a wish to stop.
    pub(super) goes_on: Option<bool>,
    pub(super) stop_reason: String,
    /// What is chosen by a block, and in the person's place.
    pub(super) decision: Option<Choice>,
    pub(super) permission: Option<Choice>,
    pub(super) reason: String,
    pub(super) permission_reason: String,
    pub(super) contexts: Vec<String>,
    pub(super) notices: Vec<String>,
    pub(super) input: Option<Map<String, Value>>,
    pub(super) output: Option<Value>,
    pub(super) followup: Option<String>,
    /// What the hook's author should know.
    pub(super) warnings: Vec<String>,
    /// Why the object is no answer.
    pub(super) faults: Vec<String>,
    /// A reason that is for the person too.
    told: Option<String>,
    /// How many fields there are that nobody reads.
    unknown: usize,
}

impl Reply {
    /// Reads an object. Null counts as absent.
    pub(super) fn read(asked: &Asked<'_>, object: &Map<String, Value>) -> Self {
        let mut reply = Self::default();
        reply.level(asked, object, false);
        if let Some(told) = reply.told.take() {
            match reply.is_against() {
                true if reply.reason.is_empty() => reply.reason = told,
                true => {}
                false => reply.notices.push(told),
            }
        }
        // What the Harness Framework calls it.
        if reply.is_against() && reply.reason.is_empty() && reply.permission_reason.is_empty() {
            reply.reason = object.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        reply
    }

    /// Whether it speaks against what the event is about.
    pub(super) fn is_against(&self) -> bool {
        let against = |choice| matches!(choice, Some(Choice::Deny | Choice::Ask));
        self.goes_on == Some(false) || against(self.decision) || against(self.permission)
    }

    fn level(&mut self, asked: &Asked<'_>, object: &Map<String, Value>, inside: bool) {
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let words = asked.codec.client.words;
            let named = || words.iter().filter(|word| word.name == name);
            match (named().find(|word| word.inside == inside), named().next()) {
                (Some(word), _) => self.word(asked, word, value),
                (None, Some(word)) => self.misplaced(asked, word, value),
                (None, None) => self.unknown(asked, name, value, inside),
            }
        }
    }

    /// A word that stands where its author did not mean it to. What it holds back is held back.
    fn misplaced(&mut self, asked: &Asked<'_>, word: &Word, value: &Value) {
        let place = if word.inside { "belongs inside" } else { "stands beside, not inside," };
        let message = format!("`{}` {place} `hookSpecificOutput`", word.name);
        let mut other = Self::default();
        let is_reason = matches!(word.means, Means::Reason | Means::PermissionReason);
        if is_reason || (word.decides() && !matches!(word.means, Means::Specific)) {
            other.word(asked, word, value);
        }
        // Why, in case it is a refusal.
        if self.reason.is_empty() {
            self.reason = std::mem::take(&mut other.reason) + &std::mem::take(&mut other.permission_reason);
        }
        if other.is_against() {
            self.decision = self.decision.max_against(other.decision);
            self.permission = self.permission.max_against(other.permission);
            self.goes_on = self.goes_on.or(other.goes_on);
            self.warnings.push(format!("{message}; it counts all the same, because it refuses"));
        } else if asked.codec.client.strict {
            self.faults.push(message);
        } else {
            self.warnings.push(format!("{message}, and has no effect here"));
        }
    }

    fn unknown(&mut self, asked: &Asked<'_>, name: &str, value: &Value, inside: bool) {
        self.unknown += 1;
        if self.unknown > MOST_UNKNOWN_FIELDS {
            return self.faults.push(format!("more than {MOST_UNKNOWN_FIELDS} unknown fields"));
        }
        let here = asked.codec.client.words.iter().filter(|word| word.inside == inside);
        let near = suggest_nearest(name, here.map(|word| word.name));
        let shown = format_key(name);
        let message = match near {
            Some(near) => format!("unknown field `{shown}`; did you mean `{near}`?"),
            None => format!("unknown field `{shown}`"),
        };
        // What refuses in a word of another agent does so here.
        if asked.row.is_gate()
            && let Some(refusal) = find_refusal(name, value)
        {
            let choice = if refusal == Refusal::Ask { Choice::Ask } else { Choice::Deny };
            self.decision = self.decision.max_against(Some(choice));
            return self.warnings.push(format!("{message}; it counts all the same, because it refuses"));
        }
        let slip =
            near.is_some_and(|near| asked.codec.client.words.iter().any(|word| word.name == near && word.decides()));
        // A slip in a word that decides must not pass as an answer that says nothing.
        match asked.codec.client.strict || (slip && asked.row.guards()) {
            true => self.faults.push(message),
            false => self.warnings.push(message),
        }
    }

    fn word(&mut self, asked: &Asked<'_>, word: &Word, value: &Value) {
        let text = value.as_str();
        let wanted = match (word.means, value) {
            (Means::Continue, Value::Bool(goes_on)) => return self.goes_on = Some(*goes_on),
            (Means::Cancel, Value::Bool(cancels)) => {
                return self.decision = cancels.then_some(Choice::Deny).or(self.decision);
            }
            (Means::Review, Value::Bool(asks)) => {
                return self.permission = asks.then_some(Choice::Ask).or(self.permission);
            }
            (Means::Specific, Value::Object(inner)) => return self.level(asked, inner, true),
            (Means::Behavior, Value::Object(inner)) => return self.behavior(inner),
            (Means::Input, Value::Object(input)) => return self.input = Some(input.clone()),
            (Means::Output(field), value) => {
                let text = field.and_then(|field| value.get(field));
                return self.output = Some(text.unwrap_or(value).clone());
            }
            (Means::Lost(""), _) => return,
            (Means::Lost(why), value) => {
                // A flag that is off asks for nothing.
                if *value != Value::Bool(false) {
                    self.warnings.push(format!("`{}` is not carried over: {why}", word.name));
                }
                return;
            }
            (Means::Continue | Means::Cancel | Means::Review, _) => "true or false",
            (Means::Specific | Means::Behavior | Means::Input, _) => "an object",
            _ => "a string",
        };
        let Some(text) = text.filter(|_| wanted == "a string") else {
            return self.faults.push(format!("`{}` must be {wanted}, not {}", word.name, kind(value)));
        };
        self.text(asked, word, text);
    }

    fn text(&mut self, asked: &Asked<'_>, word: &Word, text: &str) {
        let owned = || text.to_owned();
        match word.means {
            Means::Decision(choices) => {
                let choice = self.choice(word, choices, text);
                self.decision = choice.or(self.decision);
            }
            Means::Permission(choices) => {
                let choice = self.choice(word, choices, text);
                self.permission = choice.or(self.permission);
            }
            Means::Reason => self.reason = owned(),
            Means::ReasonOrNotice => self.told = Some(owned()).filter(|text| !text.is_empty()),
            Means::PermissionReason => self.permission_reason = owned(),
            Means::StopReason => self.stop_reason = owned(),
            Means::Context => self.contexts.push(owned()),
            Means::Notice => self.notices.push(owned()),
            Means::Followup => self.followup = Some(owned()).filter(|text| !text.is_empty()),
            Means::EventName if !text.eq_ignore_ascii_case(asked.row.name) => {
                let said = format_key(text);
                self.warnings.push(format!("`{}` says `{said}`, and the event is `{}`", word.name, asked.row.name));
            }
            _ => {}
        }
    }

    /// What a word chooses. One that nobody knows is a fault, but what asks or refuses in another agent's word does so here.
    fn choice(&mut self, word: &Word, choices: &[(&str, Choice)], text: &str) -> Option<Choice> {
        if let Some((_, choice)) = choices.iter().find(|(known, _)| *known == text) {
            return Some(*choice);
        }
        let known: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
        let message = format!("`{}` must be {}, not `{}`", word.name, known.join(" or "), format_key(text));
        let foreign = match text {
            "deny" | "block" => Some(Choice::Deny),
            "ask" | "defer" => Some(Choice::Ask),
            _ => None,
        };
        match foreign {
            Some(_) => self.warnings.push(format!("{message}; it counts all the same, because it holds back")),
            None => self.faults.push(message),
        }
        foreign
    }

    fn behavior(&mut self, inner: &Map<String, Value>) {
        let text = |name: &str| inner.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("behavior") {
            "allow" => self.permission = Some(Choice::Allow),
            "deny" => self.permission = Some(Choice::Deny),
            other => self.faults.push(format!("`behavior` must be `allow` or `deny`, not `{}`", format_key(other))),
        }
        self.permission_reason = text("message").to_owned();
        if let Some(Value::Object(input)) = inner.get("updatedInput") {
            self.input = Some(input.clone());
        }
        if inner.get("interrupt") == Some(&Value::Bool(true)) {
            self.warnings
                .push(String::from("`interrupt` is not carried over: the call is refused and the agent goes on"));
        }
        if inner.get("updatedPermissions").is_some_and(|list| !list.is_null()) {
            self.warnings.push(String::from("`updatedPermissions` is not carried over: the rules of the session stay"));
        }
    }
}

/// The severer of two choices.
trait Severer {
    fn max_against(self, other: Self) -> Self;
}

impl Severer for Option<Choice> {
    fn max_against(self, other: Self) -> Self {
        match (self, other) {
            (Some(Choice::Deny), _) | (_, Some(Choice::Deny)) => Some(Choice::Deny),
            (Some(Choice::Ask), _) | (_, Some(Choice::Ask)) => Some(Choice::Ask),
            (own, other) => own.or(other),
        }
    }
}
