//! What calls of the runtime return, and how values cross.

use napi::bindgen_prelude::{Error, Result, Status};
use napi_derive::napi;
use serde_json::{Number, Value};

use crate::calls::{JsToolCall, JsToolOutput};

/// An error about an argument, to which `lib/` gives its class.
pub(crate) fn invalid(message: String) -> Error {
    Error::new(Status::InvalidArg, message)
}

/// The value of a JSON text that `lib/` has made.
///
/// # Errors
/// If it has half of a surrogate pair, or is nested too deeply.
pub(crate) fn parse_json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| invalid(format!("this cannot be JSON: {error}")))
}

/// The JSON text of a value, from which JavaScript gets the same value.
///
/// # Errors
/// With the number that JavaScript would round.
pub(crate) fn exact_text(value: &Value) -> std::result::Result<String, String> {
    match find_inexact(value) {
        None => Ok(value.to_string()),
        Some(number) => Err(describe_inexact(number)),
    }
}

fn describe_inexact(number: &Number) -> String {
    format!("the number {number} has more digits than JavaScript can hold")
}

fn find_inexact(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => (!is_exact(number)).then_some(number),
        Value::Array(items) => items.iter().find_map(find_inexact),
        Value::Object(fields) => fields.values().find_map(find_inexact),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

/// Whether JavaScript has the number itself, and not one beside it.
fn is_exact(number: &Number) -> bool {
    const SAFE: i64 = 1 << 53;
    if number.as_i64().is_some_and(|number| (-SAFE..=SAFE).contains(&number)) {
        return true;
    }
    let shortest = number.as_f64().filter(|double| double.is_finite()).map(|double| format!("{double:e}"));
    shortest.is_some_and(|shortest| decimal_parts(&shortest) == decimal_parts(&number.to_string()))
}

/// The digits of a decimal number without zeros around them, and the power of ten of the last one. Zero has neither.
fn decimal_parts(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) =
        mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa.trim_start_matches('-'), ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let cut = digits.len() - kept.len();
    let significant = kept.trim_start_matches('0').to_owned();
    if significant.is_empty() {
        return (significant, 0);
    }
    let exponent = exponent.trim_start_matches('+').parse::<i64>().unwrap_or(i64::MAX / 2);
    let places = i64::try_from(cut).unwrap_or_default() - i64::try_from(fraction.len()).unwrap_or_default();
    (significant, exponent.saturating_add(places))
}

/// Why a step must not be taken.
#[napi(object, js_name = "RefusalFields", object_from_js = false)]
pub struct JsRefusal {
    pub text: String,
    pub event: String,
    pub reason: String,
    pub hooks: Vec<String>,
    pub stops_run: bool,
}

impl From<pintle::Refusal> for JsRefusal {
    fn from(refusal: pintle::Refusal) -> Self {
        Self {
            text: refusal.to_string(),
            event: refusal.event().to_owned(),
            reason: refusal.reason().to_owned(),
            hooks: refusal.hooks().map(str::to_owned).collect(),
            stops_run: refusal.stops_run(),
        }
    }
}

/// The result of a step: one of its fields, and the next message with the text of an answer.
#[napi(object, js_name = "StepResult", object_from_js = false)]
#[derive(Default)]
pub struct JsStepResult {
    pub refusal: Option<JsRefusal>,
    pub text: Option<String>,
    pub next_message: Option<String>,
    /// A payload, as JSON.
    pub json: Option<String>,
    pub call: Option<JsToolCall>,
    pub output: Option<JsToolOutput>,
    pub outcome: Option<JsOutcome>,
    /// Why the result cannot be passed to JavaScript.
    pub fault: Option<String>,
    /// Why a call cannot be, which must then not run.
    pub call_fault: Option<String>,
}

impl<T: Into<Self>> From<std::result::Result<T, pintle::Refusal>> for JsStepResult {
    fn from(result: std::result::Result<T, pintle::Refusal>) -> Self {
        match result {
            Ok(result) => result.into(),
            Err(refusal) => Self { refusal: Some(refusal.into()), ..Self::default() },
        }
    }
}

impl From<String> for JsStepResult {
    fn from(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }
}

impl From<Value> for JsStepResult {
    fn from(payload: Value) -> Self {
        match exact_text(&payload) {
            Ok(text) => Self { json: Some(text), ..Self::default() },
            Err(fault) => Self { fault: Some(fault), ..Self::default() },
        }
    }
}

impl From<pintle::ToolCall> for JsStepResult {
    fn from(call: pintle::ToolCall) -> Self {
        match find_inexact(call.args()) {
            None => Self { call: Some(JsToolCall(call)), ..Self::default() },
            Some(number) => Self { call_fault: Some(describe_inexact(number)), ..Self::default() },
        }
    }
}

impl From<pintle::ToolOutput> for JsStepResult {
    fn from(output: pintle::ToolOutput) -> Self {
        Self { output: Some(JsToolOutput(output)), ..Self::default() }
    }
}

impl From<pintle::Outcome> for JsStepResult {
    fn from(outcome: pintle::Outcome) -> Self {
        Self { outcome: Some(JsOutcome(outcome)), ..Self::default() }
    }
}

impl From<pintle::ReviewedAnswer> for JsStepResult {
    fn from(answer: pintle::ReviewedAnswer) -> Self {
        let next_message = answer.next_message().map(str::to_owned);
        Self { text: Some(answer.text().to_owned()), next_message, ..Self::default() }
    }
}

/// The result of firing an event.
#[napi(js_name = "Outcome")]
pub struct JsOutcome(pintle::Outcome);

#[napi]
impl JsOutcome {
    #[napi(getter)]
    pub fn decision(&self) -> &'static str {
        match self.0.decision() {
            pintle::Decision::Allow => "allow",
            pintle::Decision::Ask => "ask",
            // What a later version adds must not pass as an allow.
            _ => "deny",
        }
    }

    #[napi(getter)]
    pub fn is_allowed(&self) -> bool {
        self.0.is_allowed()
    }

    /// JSON.
    #[napi(getter)]
    pub fn payload(&self) -> Result<String> {
        exact_text(self.0.payload()).map_err(invalid)
    }

    #[napi(getter)]
    pub fn is_rewritten(&self) -> bool {
        self.0.is_rewritten()
    }

    #[napi(getter)]
    pub fn reason(&self) -> String {
        self.0.reason()
    }

    #[napi(getter)]
    pub fn reason_for_model(&self) -> String {
        self.0.reason_for_model()
    }

    #[napi(getter)]
    pub fn stop_reason(&self) -> Option<String> {
        self.0.stop_reason()
    }

    #[napi(getter)]
    pub fn approved_by(&self) -> Option<&str> {
        self.0.approved_by()
    }

    #[napi(getter)]
    pub fn context(&self) -> Vec<&str> {
        self.0.context().collect()
    }

    #[napi(getter)]
    pub fn notices(&self) -> Vec<&str> {
        self.0.notices().collect()
    }

    #[napi(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.0.warnings().collect()
    }

    #[napi(getter)]
    pub fn hooks_called(&self) -> u32 {
        self.0.hooks_called()
    }
}
