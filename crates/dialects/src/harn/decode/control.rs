//! Decodes vetoes, permission decisions and rewrites.

use pintle_contract::{Effect, Failure, Rewrite, Verdict, VerdictKind};
use serde_json::{Map, Value};

use super::ReturnDecoder;
use super::tables::{ReturnTable, value_kind};
use crate::harn::event_def::HarnRewrite;

type ReturnFields = Map<String, Value>;

impl ReturnDecoder<'_> {
    /// Whether a table contains only a veto and its reason.
    pub(super) fn is_plain_veto(&self, entries: &[(String, Value)]) -> bool {
        let mut vetoes = false;
        let all = entries.iter().all(|(name, value)| match (name.as_str(), value) {
            ("deny", Value::String(_)) | ("block", Value::Bool(true)) => {
                vetoes = true;
                true
            }
            ("reason", Value::String(_)) => true,
            _ => false,
        });
        all && vetoes && self.def.veto
    }

    /// Decodes such a table, with the same result as [`ReturnDecoder::read_control`].
    pub(super) fn read_veto(&mut self, entries: Vec<(String, Value)>) {
        let (mut own, mut reason) = (None, None);
        for entry in entries {
            match entry {
                (name, Value::String(text)) if name == "deny" => own = Some(text),
                (_, Value::String(text)) => reason = Some(text),
                _ => {}
            }
        }
        let own = own.filter(|text| !text.trim().is_empty());
        self.deny(own.or(reason).unwrap_or_else(|| self.default_reason()));
    }

    /// The reason of a veto without one.
    fn default_reason(&self) -> String {
        format!("{} hook blocked the operation", self.def.name)
    }

    /// Decodes the control keys.
    pub(super) fn read_control(&mut self, mut fields: ReturnFields) -> Result<(), Failure> {
        for name in fields.keys() {
            if let Some(objection) = ReturnTable::explain_unsupported(name, self.def) {
                return Err(self.unexpected_value(&objection));
            }
        }
        let reason = self.read_text(fields.remove("reason"), "reason")?;
        let has_reason = reason.is_some();
        let decision = fields.remove("decision").map(|word| self.read_decision(&word)).transpose()?;
        if let Some(refusal) = self.read_refusal(&mut fields, reason.as_deref())? {
            self.deny(refusal);
            return Ok(());
        }
        let decided = decision.is_some();
        match decision {
            Some("allow") => self.verdict.kind = VerdictKind::Allow { reason: reason.clone().unwrap_or_default() },
            Some("deny") => {
                self.deny(reason.clone().unwrap_or_else(|| format!("{} hook denied the operation", self.def.name)));
                return Ok(());
            }
            // The user or the host's approver is about to be asked anyway.
            Some(_) => self.verdict.kind = VerdictKind::Ask { reason: reason.clone().unwrap_or_default() },
            None => {}
        }
        let acted = decided || fields.remove("block").is_some() | fields.remove("action").is_some();
        if has_reason && !acted && fields.is_empty() {
            if self.def.rewrites == Some(HarnRewrite::StepArguments) {
                self.deny(reason.unwrap_or_default());
                return Ok(());
            }
            return Err(self.unexpected_value("a table with only `reason`"));
        }
        match self.def.rewrites {
            Some(HarnRewrite::Arguments) => self.read_arguments(fields),
            Some(HarnRewrite::StepArguments) => self.read_step_arguments(fields),
            Some(HarnRewrite::Result) => self.read_result(fields),
            Some(HarnRewrite::Output) => self.read_output(fields),
            None => Ok(()),
        }
    }

    /// The reason of a veto, if there is one.
    fn read_refusal(&self, fields: &mut ReturnFields, reason: Option<&str>) -> Result<Option<String>, Failure> {
        let blocks = match fields.get("block") {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(other) => return Err(self.type_failure("block", other, "true or false")),
        };
        let denies = match fields.remove("deny") {
            None => None,
            Some(Value::Bool(true)) => Some(None),
            Some(Value::String(text)) => Some(Some(text)),
            Some(Value::Number(number)) => Some(Some(number.to_string())),
            Some(other) => return Err(self.type_failure("deny", &other, "the reason")),
        };
        let acts = match fields.get("action") {
            None => false,
            Some(Value::String(word)) if word == "deny" => true,
            Some(Value::String(word)) if word == "allow" => false,
            Some(other) => return Err(self.type_failure("action", other, "\"deny\" or \"allow\"")),
        };
        if !(blocks || denies.is_some() || acts) {
            return Ok(None);
        }
        let own = denies.flatten().filter(|text| !text.trim().is_empty());
        Ok(Some(own.or_else(|| reason.map(str::to_owned)).unwrap_or_else(|| self.default_reason())))
    }

    /// `allow`, `deny` or `ask`; letter case and spaces are ignored.
    fn read_decision(&self, word: &Value) -> Result<&'static str, Failure> {
        let Value::String(text) = word else {
            return Err(self.type_failure("decision", word, "\"allow\", \"deny\" or \"ask\""));
        };
        let plain = text.trim().to_lowercase();
        let known = ["allow", "deny", "ask"].into_iter().find(|known| *known == plain);
        known.ok_or_else(|| {
            self.unexpected_value(&format!("`decision` \"{text}\", which is not \"allow\", \"deny\" or \"ask\""))
        })
    }

    fn read_arguments(&mut self, mut fields: ReturnFields) -> Result<(), Failure> {
        match fields.remove("args") {
            None => Ok(()),
            Some(args @ Value::Object(_)) => {
                self.replace("args", args);
                Ok(())
            }
            Some(other) => Err(self.type_failure("args", &other, "a table")),
        }
    }

    fn read_step_arguments(&mut self, fields: ReturnFields) -> Result<(), Failure> {
        match self.single_entry(fields, "args")? {
            None => Ok(()),
            Some((_, args @ Value::Array(_))) => {
                self.replace("args", args);
                Ok(())
            }
            Some((name, other)) => Err(self.type_failure(&name, &other, "a list, the step's arguments in order")),
        }
    }

    fn read_output(&mut self, fields: ReturnFields) -> Result<(), Failure> {
        if let Some((_, output)) = self.single_entry(fields, "output")? {
            self.replace("output", output);
        }
        Ok(())
    }

    /// The single key of a table whose keys are synonyms.
    fn single_entry(&self, fields: ReturnFields, meant: &str) -> Result<Option<(String, Value)>, Failure> {
        let mut fields = fields.into_iter();
        match (fields.next(), fields.next()) {
            (Some((first, _)), Some((second, _))) => Err(self.unexpected_value(&format!(
                "a table with both `{first}` and `{second}`, which mean the same as `{meant}`"
            ))),
            (first, _) => Ok(first),
        }
    }

    fn read_result(&mut self, mut fields: ReturnFields) -> Result<(), Failure> {
        let result = fields.remove("result");
        let denial = fields.remove("denial").map(|denial| self.read_denial(denial)).transpose()?;
        let dropped = self.read_truncation(&mut fields)?;
        let Some(result) = result else {
            return match (denial, dropped) {
                (None, None) => Ok(()),
                (Some(_), _) => Err(self.failure("returned a denial without `result`, which is what the model sees")),
                (None, Some(_)) => Err(self.failure("returned `truncated` without `result`")),
            };
        };
        match result {
            Value::String(text) => self.replace("content", Value::String(text)),
            other => self.replace("result", other),
        }
        let mut facts = ReturnFields::new();
        if let Some(bytes) = dropped {
            facts.insert(String::from("truncated"), Value::Bool(true));
            facts.insert(String::from("dropped_bytes"), Value::from(bytes));
        }
        if let Some(denial) = denial {
            if facts.contains_key("truncated") {
                return Err(self.failure("returned a denial that is also truncated; denials cannot be truncated"));
            }
            self.replace("is_error", Value::Bool(true));
            facts.insert(String::from("denial"), denial);
        }
        if !facts.is_empty() {
            self.verdict.effects.push(Effect::Metadata(facts));
        }
        Ok(())
    }

    /// `{kind, message}`, the class of a denial.
    fn read_denial(&self, denial: Value) -> Result<Value, Failure> {
        let Value::Object(fields) = &denial else { return Err(self.type_failure("denial", &denial, "a table")) };
        if let Some(unknown) = fields.keys().find(|key| !matches!(key.as_str(), "kind" | "message")) {
            return Err(self.failure(&format!(
                "returned a denial with the unknown key `{unknown}`; its keys are `kind` and `message`"
            )));
        }
        match fields.get("kind") {
            Some(Value::String(kind)) if !kind.trim().is_empty() => {}
            _ => return Err(self.failure("returned a denial without `kind`, which must be a non-empty string")),
        }
        match fields.get("message") {
            None | Some(Value::String(_) | Value::Null) => Ok(denial),
            Some(other) => Err(self.type_failure("message", other, "a string")),
        }
    }

    /// The number of bytes that a truncated result lost.
    fn read_truncation(&self, fields: &mut ReturnFields) -> Result<Option<u64>, Failure> {
        let dropped = fields.remove("dropped_bytes");
        match fields.remove("truncated") {
            Some(Value::Bool(true)) => match dropped.as_ref().and_then(Value::as_u64) {
                Some(bytes) if bytes > 0 => Ok(Some(bytes)),
                _ => Err(self.failure("returned `truncated` without `dropped_bytes`, a whole number above 0")),
            },
            None | Some(Value::Bool(false)) if dropped.is_none() => Ok(None),
            None | Some(Value::Bool(false)) => Err(self.failure("returned `dropped_bytes` without `truncated: true`")),
            Some(other) => Err(self.type_failure("truncated", &other, "true or false")),
        }
    }

    fn read_text(&self, value: Option<Value>, name: &str) -> Result<Option<String>, Failure> {
        match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.type_failure(name, &other, "a string")),
        }
    }

    fn type_failure(&self, name: &str, value: &Value, wanted: &str) -> Failure {
        self.unexpected_value(&format!("a table whose `{name}` is {}, not {wanted}", value_kind(value)))
    }

    pub(super) fn deny(&mut self, reason: String) {
        self.verdict.kind = VerdictKind::Deny { reason };
    }

    /// Adds a field to the rewrite.
    pub(super) fn replace(&mut self, field: &str, value: Value) {
        let fields = match std::mem::replace(&mut self.verdict.kind, VerdictKind::Pass) {
            VerdictKind::Rewrite(Rewrite::Fields(mut fields)) => {
                fields.insert(field.to_owned(), value);
                fields
            }
            _ => Map::from_iter([(field.to_owned(), value)]),
        };
        self.verdict.kind = Verdict::rewrite(fields).kind;
    }
}
