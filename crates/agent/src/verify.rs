//! Verify scripts: `run(result)` decides whether a result is accepted.

use pintle_host::ScriptTool;
use pintle_host::contract::{CallId, EffectCaller, Failure, FailureKind};
use serde_json::Value;

use crate::turn_context::TurnContext;

/// The time limit of a verify script.
const TIMEOUT_MS: u64 = 60_000;

/// What a verify script may return.
const UNREADABLE: &str =
    "it must return allow(), block(reason), a dict with `verified`, the same as JSON text, or True or False";

/// The result of a verify script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VerifyResult {
    pub(crate) is_verified: bool,
    /// Why the result is not accepted; never empty in that case.
    pub(crate) reason: String,
}

/// Runs a verify script.
///
/// # Errors
/// When the script crashes or its return value is not a verdict.
pub(crate) fn run(script: &ScriptTool, result: Value, turn: &TurnContext, owner: &str) -> Result<VerifyResult, String> {
    let runtime = &turn.agent.shared.runtime;
    let effects = runtime.effects(&turn.origin, &turn.scope);
    let caller = EffectCaller::new(CallId(0), owner);
    let answer = script.run(result, &effects, caller, &turn.scope.cancel, TIMEOUT_MS);
    answer
        .map_err(|failure| failure_text(&failure))
        .and_then(|answer| parse_verdict(&answer))
        .map_err(|reason| format!("verify script error: {reason}"))
}

/// Why a script failed. The kind of a plain error is left out; the kind of an exceeded limit is named.
pub(crate) fn failure_text(failure: &Failure) -> String {
    match failure.kind {
        FailureKind::Error => failure.message.clone(),
        _ => failure.to_string(),
    }
}

/// Parses a return value: `{"verified": bool, "reason": text}` as a dict or as JSON text, or a boolean.
fn parse_verdict(answer: &Value) -> Result<VerifyResult, String> {
    let fields = match answer {
        Value::Bool(verified) => return Ok(build_result(*verified, "")),
        Value::Object(fields) => fields.clone(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Bool(verified)) => return Ok(build_result(verified, "")),
            Ok(Value::Object(fields)) => fields,
            // Starlark's spelling of the booleans.
            _ if text.trim() == "True" => return Ok(build_result(true, "")),
            _ if text.trim() == "False" => return Ok(build_result(false, "")),
            _ => {
                return Err(String::from(UNREADABLE));
            }
        },
        _ => {
            return Err(String::from(UNREADABLE));
        }
    };
    match fields.get("verified") {
        Some(Value::Bool(verified)) => {
            Ok(build_result(*verified, fields.get("reason").and_then(Value::as_str).unwrap_or_default()))
        }
        _ => Err(String::from("the returned dict must set `verified` to True or False")),
    }
}

fn build_result(verified: bool, reason: &str) -> VerifyResult {
    let reason = match reason.trim() {
        "" if !verified => String::from("verifier returned verified=false with no reason"),
        reason => reason.to_owned(),
    };
    VerifyResult { is_verified: verified, reason }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_documented_form_is_read_and_every_other_one_fails() {
        let no_reason = "verifier returned verified=false with no reason";
        let cases = [
            (json!(true), Some((true, ""))),
            (json!(false), Some((false, no_reason))),
            (json!("True"), Some((true, ""))),
            (json!("false"), Some((false, no_reason))),
            (json!({"verified": true}), Some((true, ""))),
            (json!({"verified": false, "reason": "no tests"}), Some((false, "no tests"))),
            (json!("{\"verified\": false, \"reason\": \"no tests\"}"), Some((false, "no tests"))),
            (json!({"verified": "yes"}), None),
            (json!({"ok": true}), None),
            (json!("looks good"), None),
            (json!(1), None),
            (json!(null), None),
        ];
        for (answer, expected) in cases {
            let expected = expected.map(|(verified, reason): (bool, &str)| (verified, reason.to_owned()));
            assert_eq!(
                parse_verdict(&answer).ok().map(|verdict| (verdict.is_verified, verdict.reason)),
                expected,
                "{answer}"
            );
        }
    }
}
