//! What a hook returned as a verdict: the return-value protocol (Harn, Return-value protocol; Harn behaviour, sections
//! 1.2, 1.3, 1.5 and 1.7).
//!
//! One protocol holds for every event; what an event does not support is a failure that names hook, event and shape.

mod control;
mod effect;
mod reminder;
mod shape;
mod tables;

use pintle_contract::{Event, Failure, FailureKind, FunctionOutput, Verdict};
use serde_json::Value;

use super::row::{self, Rewrites, Row};

/// How deep `then` may stand in `then`.
const MAX_DEPTH: u8 = 32;

/// Reads what a hook returned. Total: any value gives some verdict. `hook` is the hook's name, for what is said of a
/// value that cannot be read.
#[must_use]
pub fn decode(event: &Event, _spelling: &str, hook: &str, returned: FunctionOutput) -> Verdict {
    let Some(row) = row::of_event(event) else { return Verdict::pass() };
    let mut reading = Reading { row, hook, verdict: Verdict::pass() };
    let read = match returned {
        FunctionOutput::Value(value) => reading.value(value, 0),
        FunctionOutput::Table(entries) if reading.is_plain_veto(&entries) => {
            reading.veto(entries);
            Ok(())
        }
        FunctionOutput::Table(entries) => reading.value(Value::Object(entries.into_iter().collect()), 0),
        FunctionOutput::Other { type_name, .. } => Err(reading.fault(&format!("a {type_name}"))),
    };
    match read {
        Ok(()) => reading.verdict,
        Err(failure) => Verdict::failed(failure),
    }
}

/// One answer while it is read.
struct Reading<'a> {
    row: &'static Row,
    hook: &'a str,
    verdict: Verdict,
}

impl Reading<'_> {
    fn value(&mut self, value: Value, depth: u8) -> Result<(), Failure> {
        match value {
            Value::Null | Value::Bool(true) => Ok(()),
            Value::Bool(false) if self.row.veto => {
                self.deny(format!("{} hook returned false", self.row.name));
                Ok(())
            }
            Value::String(text) if self.row.rewrites == Some(Rewrites::Result) => {
                self.replace("content", Value::String(text));
                Ok(())
            }
            Value::String(text) if self.row.word == Some(text.as_str()) => Ok(()),
            Value::Array(effects) => effects.into_iter().try_for_each(|effect| self.effect(effect, depth)),
            Value::Object(fields) => self.table(fields, depth),
            other => Err(self.fault(shape::of(&other))),
        }
    }

    /// A failure because of what was returned: who, when, what, and what would have been right.
    fn fault(&self, shape: &str) -> Failure {
        let accepted = shape::accepted(self.row);
        self.failure(&format!("returned {shape}; it must return {accepted}"))
    }

    /// A failure with the hook's name and its event in front.
    fn failure(&self, what: &str) -> Failure {
        // A hook may be called by its place and its event, which is said once.
        let own = self.hook.strip_suffix(self.row.name).map_or(self.hook, str::trim_end);
        let hook = if own.is_empty() { "without a name" } else { own };
        Failure::new(FailureKind::BadOutput, format!("hook {hook} ({}) {what}", self.row.name))
    }
}

#[cfg(test)]
mod tests;
