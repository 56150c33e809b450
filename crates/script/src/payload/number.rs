//! Numbers of JSON text, with any size and precision.

use num_bigint::BigInt;
use serde_json::Number;

/// The maximum number of digits of an integer: parsing and printing take quadratic time.
const MAX_DIGITS: usize = 4_096;

/// A number as a script value.
#[derive(Debug, PartialEq)]
pub(super) enum ScriptNumber {
    /// An integer, even if the text wrote it as a float.
    Int(i64),
    /// A number with a fraction, or a very large one written as a float.
    Float(f64),
    /// An integer beyond 64 bits.
    Big(BigInt),
}

/// Parses a number.
///
/// # Errors
/// If it is not finite: the interpreter panics on `1e400`.
pub(super) fn parse_number(digits: &Number) -> Result<ScriptNumber, String> {
    if let Some(whole) = digits.as_i64() {
        return Ok(ScriptNumber::Int(whole));
    }
    let text = digits.as_str();
    if text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        if text.len() > MAX_DIGITS {
            return Err(format!("a number of {} digits has more than {MAX_DIGITS}", text.len()));
        }
        return text.parse().map(ScriptNumber::Big).map_err(|_| format!("`{text}` is not a number"));
    }
    match digits.as_f64() {
        Some(float) if float.is_finite() => Ok(from_float(float)),
        _ => Err(format!("`{}` is not a finite number", text.chars().take(40).collect::<String>())),
    }
}

/// A float without a fraction becomes an integer, as long as floats represent integers exactly.
fn from_float(float: f64) -> ScriptNumber {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.fract() == 0.0 && float.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        return ScriptNumber::Int(float as i64);
    }
    ScriptNumber::Float(float)
}

/// A float as a JSON number: without a fraction if it has none.
pub(super) fn float_to_json(float: f64) -> Result<Number, String> {
    match from_float(float) {
        ScriptNumber::Int(int) => Ok(Number::from(int)),
        _ => Number::from_f64(float).ok_or_else(|| format!("`{float}` is not a finite number")),
    }
}
