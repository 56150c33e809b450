//! The codec of Harn hooks.

use std::sync::Arc;

use pintle_contract::{
    Codec, CommandOutput, Event, Failure, FailureKind, FunctionOutput, HandlerOutput, HookInfluence, LazyPayload,
    Verdict, read_json,
};
use serde_json::Value;

use super::{DIALECT, HarnEventDef, ROWS, decode, encode};
use crate::DialectEvent;

/// The codec of a hook without a name.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(HarnCodec::default())
}

/// The codec of one hook, with the hook's name for error messages.
#[derive(Debug, Clone, Default)]
pub(super) struct HarnCodec {
    hook: Arc<str>,
}

impl HarnCodec {
    pub(super) fn for_hook(hook: &str) -> Self {
        Self { hook: Arc::from(hook) }
    }
}

impl Codec for HarnCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn event_filter(&self, event_alias: &str) -> Option<fn(&Event) -> bool> {
        // The catalogue's event follows every call; Harn's only calls whose tool ran, here including failed ones.
        (event_alias == "PostToolUse").then_some(|event| event.payload.field("executed") != Some(&Value::Bool(false)))
    }

    fn can_deny(&self, event_alias: &str) -> bool {
        DialectEvent::by_name(ROWS, event_alias).is_some_and(|def| def.veto)
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        DialectEvent::by_name(ROWS, event_alias).map_or(HookInfluence::Observes, HarnEventDef::influence)
    }

    fn payload_schema(&self, event_alias: &str) -> Option<&'static Value> {
        encode::payload_schema(event_alias)
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(encode::encode(event, event_alias))
    }

    fn lazy_payload<'a>(&self, event: &'a Event, _event_alias: &str) -> Option<LazyPayload<'a>> {
        encode::lazy_payload(event)
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        let returned = match answer {
            HandlerOutput::Returned(returned) => returned,
            HandlerOutput::Process(process) => match parse_stdout(&process) {
                Ok(value) => FunctionOutput::Value(value),
                Err(failure) => return Verdict::failed(failure),
            },
            HandlerOutput::Text(text) => FunctionOutput::Value(Value::String(text)),
            HandlerOutput::Script(script) => {
                FunctionOutput::Other { type_name: String::from("decision"), printed: format!("{script:?}") }
            }
        };
        decode::decode(event, event_alias, &self.hook, returned)
    }
}

/// Parses the output of a function that runs in another program: one JSON value, or nothing.
fn parse_stdout(process: &CommandOutput) -> Result<Value, Failure> {
    if process.exit_code != Some(0) {
        let told = String::from_utf8_lossy(&process.stderr);
        let last = told.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no error output");
        return Err(Failure::new(FailureKind::Error, format!("the handler's program failed: {last}")));
    }
    let text = String::from_utf8_lossy(&process.stdout);
    let text = text.trim();
    if text.is_empty() {
        return Ok(Value::Null);
    }
    read_json(text).map_err(|error| {
        if error.is_repeated_key() {
            return Failure::new(FailureKind::BadOutput, format!("invalid output of the handler's program: {error}"));
        }
        let shown: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
        Failure::new(FailureKind::BadOutput, format!("the handler's program printed `{shown}`, which is not JSON"))
    })
}

#[cfg(test)]
mod tests {
    use pintle_contract::VerdictKind;
    use pintle_testkit::plain_event;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_program_prints_is_what_its_function_returned() {
        let event = plain_event("prompt.submit", json!({"prompt": "x"}));
        let said = |exit_code, stdout: &str, stderr: &str| {
            let process = CommandOutput {
                exit_code,
                stdout: stdout.as_bytes().to_vec(),
                stderr: stderr.as_bytes().to_vec(),
                ..CommandOutput::default()
            };
            codec().decode(&event, "UserPromptSubmit", HandlerOutput::Process(process)).kind
        };
        assert_eq!(said(Some(0), "null\n", ""), VerdictKind::Pass);
        assert_eq!(said(Some(0), "", ""), VerdictKind::Pass);
        let denied = said(Some(0), "{\"block\": true, \"reason\": \"no\"}\n", "");
        assert_eq!(denied, VerdictKind::Deny { reason: String::from("no") });
        let told = |said| match said {
            VerdictKind::Failed(failure) => failure.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            told(said(Some(1), "", "a\nHARN-NAM-002: no\n")),
            "error: the handler's program failed: HARN-NAM-002: no"
        );
        assert_eq!(
            told(said(Some(0), "hello", "")),
            "bad output: the handler's program printed `hello`, which is not JSON"
        );
    }

    #[test]
    fn only_vetoable_events_have_guards_and_unexecuted_calls_are_skipped() {
        let codec = codec();
        for def in ROWS {
            assert_eq!(codec.can_deny(def.name), def.veto, "{}", def.name);
            assert_eq!(codec.event_filter(def.name).is_some(), def.name == "PostToolUse", "{}", def.name);
        }
    }
}
