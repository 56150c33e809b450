//! The identity of a context: a SHA-256 over its required fields, in the canonical form of RFC 8785.

use pintle_contract::to_hex;
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

use super::point::InterceptionPoint;
use super::verdict::{HostError, HostFault};

/// The name of the provider of these identities.
pub const JCS_SHA256: &str = "jcs-sha256";

/// The largest integer that a double represents exactly, in decimal digits.
const MAX_INTEGER: &str = "9007199254740991";

/// The deepest nesting that has an identity.
const MAX_DEPTH: usize = 128;

/// What of a context every identity covers. An empty list is the whole value.
const REQUIRED: [(&str, &[&str]); 7] = [
    ("spec", &[]),
    ("interception_point", &[]),
    ("timestamp", &[]),
    ("sequence", &[]),
    ("agent", &["id", "framework"]),
    ("session", &["id"]),
    ("target", &[]),
];

/// The identity of a context.
///
/// # Errors
/// If a required field has a value without a canonical form, such as an integer beyond 2^53 - 1.
pub fn identify_context(context: &Map<String, Value>) -> Result<String, HostFault> {
    let point = context.get("interception_point").and_then(Value::as_str).and_then(InterceptionPoint::by_name);
    let point = point.ok_or_else(|| fault("`interception_point` is not one of the eight points"))?;
    let mut preimage = Map::new();
    for (key, parts) in REQUIRED.iter().chain(point.fields()) {
        let Some(value) = context.get(*key) else { continue };
        let value = match value {
            Value::Object(fields) if !parts.is_empty() => {
                let kept = fields.iter().filter(|(name, _)| parts.contains(&name.as_str()));
                Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            other => other.clone(),
        };
        preimage.insert((*key).to_owned(), value);
    }
    let text = canonical_json(&Value::Object(preimage))?;
    Ok(format!("sha256:{}", to_hex(&Sha256::digest(text.as_bytes()))))
}

/// The canonical form of a value by RFC 8785.
///
/// # Errors
/// If a part of it has none.
pub fn canonical_json(value: &Value) -> Result<String, HostFault> {
    let mut text = String::new();
    write_value(&mut text, value, 1)?;
    Ok(text)
}

fn write_value(text: &mut String, value: &Value, depth: usize) -> Result<(), HostFault> {
    if depth > MAX_DEPTH {
        return Err(fault(&format!("the context is nested more than {MAX_DEPTH} levels deep")));
    }
    match value {
        Value::Number(number) => text.push_str(&canonical_number(number)?),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(text, item, depth + 1)?;
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_by(|(first, _), (second, _)| first.encode_utf16().cmp(second.encode_utf16()));
            text.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_value(text, value, depth + 1)?;
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
    Ok(())
}

/// A number as ECMAScript prints it.
fn canonical_number(number: &Number) -> Result<String, HostFault> {
    let written = number.to_string();
    if !written.contains(['.', 'e', 'E']) {
        let digits = written.trim_start_matches('-');
        if digits.len() > MAX_INTEGER.len() || digits.len() == MAX_INTEGER.len() && digits > MAX_INTEGER {
            return Err(fault("an integer exceeds 2^53 - 1; write large numbers as strings"));
        }
        return Ok(if digits == "0" { String::from("0") } else { written });
    }
    let double = written.parse::<f64>().ok().filter(|double| double.is_finite());
    let double = double.ok_or_else(|| fault("a number is out of range"))?;
    if double == 0.0 {
        return Ok(String::from("0"));
    }
    let shortest = format!("{:e}", double.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    let exponent = exponent.parse::<i32>().unwrap_or_default();
    let (count, point) = (i32::try_from(digits.len()).unwrap_or_default(), exponent + 1);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let split = |at: i32| digits.split_at(usize::try_from(at).unwrap_or_default().min(digits.len()));
    let text = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if (1..=21).contains(&point) {
        let (whole, fraction) = split(point);
        format!("{whole}.{fraction}")
    } else if (-5..=0).contains(&point) {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = split(1);
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{first}{dot}{rest}e{exponent:+}")
    };
    Ok(if double < 0.0 { format!("-{text}") } else { text })
}

fn fault(detail: &str) -> HostFault {
    HostFault::new(HostError::ContextInvalid, detail)
}
