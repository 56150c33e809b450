//! Decodes a hook's return value into a verdict.
//!
//! Every event uses the same return-value protocol. A value that the event does not support is a failure that names
//! hook, event and value.

mod control;
mod effect;
mod reminder;
mod tables;

use pintle_contract::{Event, Failure, FailureKind, FunctionOutput, Verdict};
use serde_json::Value;

use self::tables::{accepted_values, value_kind};
use super::event_def;
use super::event_def::{HarnEventDef, HarnRewrite};

/// The maximum nesting depth of `then`.
const MAX_DEPTH: u8 = 32;

/// Decodes a hook's return value. Total: every value gives a verdict. `hook` is the hook's name, for error messages.
#[must_use]
pub fn decode(event: &Event, _event_alias: &str, hook: &str, output: FunctionOutput) -> Verdict {
    let Some(row) = event_def::for_event(event) else { return Verdict::pass() };
    let mut reading = ReturnDecoder { def: row, hook, verdict: Verdict::pass() };
    let read = match output {
        FunctionOutput::Value(value) => reading.read_value(value, 0),
        FunctionOutput::Table(entries) if reading.is_plain_veto(&entries) => {
            reading.read_veto(entries);
            Ok(())
        }
        FunctionOutput::Table(entries) => reading.read_value(Value::Object(entries.into_iter().collect()), 0),
        FunctionOutput::Other { type_name, .. } => Err(reading.unexpected_value(&format!("a {type_name}"))),
    };
    match read {
        Ok(()) => reading.verdict,
        Err(failure) => Verdict::failed(failure),
    }
}

/// The decoder of one return value.
struct ReturnDecoder<'a> {
    def: &'static HarnEventDef,
    hook: &'a str,
    verdict: Verdict,
}

impl ReturnDecoder<'_> {
    fn read_value(&mut self, value: Value, depth: u8) -> Result<(), Failure> {
        match value {
            Value::Null | Value::Bool(true) => Ok(()),
            Value::Bool(false) if self.def.veto => {
                self.deny(format!("{} hook returned false", self.def.name));
                Ok(())
            }
            Value::String(text) if self.def.rewrites == Some(HarnRewrite::Result) => {
                self.replace("content", Value::String(text));
                Ok(())
            }
            Value::String(text) if self.def.empty_word == Some(text.as_str()) => Ok(()),
            Value::Array(effects) => effects.into_iter().try_for_each(|effect| self.read_effect(effect, depth)),
            Value::Object(fields) => self.read_table(fields, depth),
            other => Err(self.unexpected_value(value_kind(&other))),
        }
    }

    /// A failure because of an unexpected value, with the accepted values.
    fn unexpected_value(&self, shape: &str) -> Failure {
        let accepted = accepted_values(self.def);
        self.failure(&format!("returned {shape}; it must return {accepted}"))
    }

    /// A failure, prefixed with the hook's name and its event.
    fn failure(&self, action: &str) -> Failure {
        // A hook's name may end with its event, which is then written once.
        let own = self.hook.strip_suffix(self.def.name).map_or(self.hook, str::trim_end);
        let hook = if own.is_empty() { "without a name" } else { own };
        Failure::new(FailureKind::BadOutput, format!("hook {hook} ({}) {action}", self.def.name))
    }
}

#[cfg(test)]
mod tests;
