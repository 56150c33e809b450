//! Decodes reminders and other effects.

use pintle_contract::{Effect, Failure};
use serde_json::{Map, Value};

use super::tables::{ReturnTable, value_kind};
use super::{HarnRewrite, MAX_DEPTH, ReturnDecoder, reminder};

/// The schema of a hook's receipt for queued background work.
const RECEIPT: &str = "harn.context_maintenance.job_receipt.v1";
/// The synonymous keys for the output of a step.
const OUTPUTS: [&str; 3] = ["output", "result", "modify"];

impl ReturnDecoder<'_> {
    /// Decodes a table: reminders, then control keys. `nil` is treated as absent, except for the output of a step,
    /// which may be empty.
    pub(super) fn read_table(&mut self, mut fields: Map<String, Value>, depth: u8) -> Result<(), Failure> {
        let gives_nothing = self.is_empty_result(&fields);
        fields.retain(|_, value| !value.is_null());
        if fields.get("schema").and_then(Value::as_str) == Some(RECEIPT) {
            return Ok(());
        }
        let is_bare = fields.contains_key("body")
            && !fields.keys().any(|key| ReturnTable::is_control(key) || matches!(key.as_str(), "reminder" | "effects"));
        if is_bare {
            return self.read_reminder(Value::Object(fields));
        }
        let then = fields.remove("then");
        let reminder = fields.remove("reminder");
        let effects = fields.remove("effects");
        let has_effects = reminder.is_some() || effects.is_some();
        if let Some(spec) = reminder {
            self.read_reminder(spec)?;
        }
        match effects {
            None => {}
            Some(Value::Array(effects)) => {
                effects.into_iter().try_for_each(|effect| self.read_effect(effect, depth))?
            }
            Some(effect) => self.read_effect(effect, depth)?,
        }
        let Some(then) = then else {
            if gives_nothing {
                fields.insert(String::from("output"), Value::Null);
            }
            return self.read_control(fields);
        };
        if !has_effects {
            return Err(self.unexpected_value("a table with `then` and no `reminder`"));
        }
        if let Some(key) = fields.keys().next() {
            return Err(self.unexpected_value(&format!("a table with both `then` and `{key}`")));
        }
        self.check_depth(depth).and_then(|depth| self.read_value(then, depth))
    }

    /// Whether a table sets the output of a step to `nil`.
    fn is_empty_result(&self, fields: &Map<String, Value>) -> bool {
        let mut outputs = OUTPUTS.iter().filter_map(|name| fields.get(*name)).peekable();
        self.def.rewrites == Some(HarnRewrite::Output) && outputs.peek().is_some() && outputs.all(Value::is_null)
    }

    /// Decodes one effect of a list: a reminder in any of its forms, then its `then`.
    pub(super) fn read_effect(&mut self, effect: Value, depth: u8) -> Result<(), Failure> {
        let Value::Object(mut fields) = effect else {
            return Err(self.unexpected_value(&format!("a list with {} in it, not a reminder", value_kind(&effect))));
        };
        let is_typed = match fields.remove("type") {
            None => false,
            Some(Value::String(kind)) if kind == "reminder" => true,
            Some(other) => {
                return Err(self.unexpected_value(&format!("an effect of type {other}; the only type is \"reminder\"")));
            }
        };
        if is_typed {
            let spec = fields.remove("spec").unwrap_or_else(|| Value::Object(std::mem::take(&mut fields)));
            if let Some(key) = fields.keys().next() {
                return Err(self.unexpected_value(&format!("an effect with both `spec` and `{key}`")));
            }
            return self.read_reminder(spec);
        }
        if !["reminder", "body", "effects"].iter().any(|key| fields.contains_key(*key)) {
            return Err(self.unexpected_value("a list with a table in it that is not a reminder"));
        }
        self.check_depth(depth).and_then(|depth| self.read_table(fields, depth))
    }

    fn check_depth(&self, depth: u8) -> Result<u8, Failure> {
        if depth < MAX_DEPTH {
            return Ok(depth + 1);
        }
        Err(self.failure(&format!("returned effects nested more than {MAX_DEPTH} deep")))
    }

    fn read_reminder(&mut self, spec: Value) -> Result<(), Failure> {
        let read = reminder::read(spec).map_err(|error| self.failure(&format!("returned a bad reminder: {error}")))?;
        self.verdict.warnings.extend(read.warning);
        self.verdict.effects.push(Effect::Reminder(read.reminder));
        Ok(())
    }
}
