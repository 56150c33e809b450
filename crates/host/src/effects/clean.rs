//! Redaction of effect requests on the tape: the values of secret variables and headers.
//!
//! The engine's decisions do not depend on these values, so a replay stays exact. A live replay compares the redacted
//! requests, and scripts receive the placeholder.

use pintle_contract::{EffectReply, EffectRequest};
use pintle_handlers::secrets::{MARKER, is_secret};
use serde_json::Value;

/// The request as it is recorded; `None` if it contains nothing to redact.
pub(crate) fn redact_request(request: &EffectRequest) -> Option<EffectRequest> {
    let EffectRequest::Http { method, url, headers, body, timeout_ms } = request else { return None };
    let clean = |(name, value): &(String, String)| {
        let value = if is_secret(name, value) { String::from(MARKER) } else { value.clone() };
        (name.clone(), value)
    };
    let cleaned: Vec<(String, String)> = headers.iter().map(clean).collect();
    (cleaned != *headers).then(|| EffectRequest::Http {
        method: method.clone(),
        url: url.clone(),
        headers: cleaned,
        body: body.clone(),
        timeout_ms: *timeout_ms,
    })
}

/// The reply as it is recorded; `None` if it contains nothing to redact.
pub(crate) fn redact_reply(request: &EffectRequest, reply: &EffectReply) -> Option<EffectReply> {
    let (EffectRequest::Host { fact, key: Some(key) }, EffectReply::Value(Value::String(value))) = (request, reply)
    else {
        return None;
    };
    let is_kept = fact == "env" && !value.is_empty() && is_secret(key, value);
    is_kept.then(|| EffectReply::Value(Value::from(MARKER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_or_header_that_is_secret_is_not_on_the_tape() {
        let env = |key: &str| EffectRequest::Host { fact: String::from("env"), key: Some(String::from(key)) };
        let said = |value: &str| EffectReply::Value(Value::from(value));
        assert_eq!(redact_reply(&env("BOT_TOKEN"), &said("t0k")), Some(said(MARKER)));
        assert_eq!(redact_reply(&env("DATABASE_URL"), &said("postgres://me:pw@db/x")), Some(said(MARKER)));
        assert_eq!(redact_reply(&env("HOME_URL"), &said("https://a.example/x:y@z")), None);
        assert_eq!(redact_reply(&env("BOT_TOKEN"), &said("")), None, "an empty one tells that it is not set");
        assert_eq!(redact_reply(&env("LANG"), &said("C")), None);
        let http = |value: &str| EffectRequest::Http {
            method: String::from("GET"),
            url: String::from("https://a.example"),
            headers: vec![
                (String::from("Authorization"), String::from(value)),
                (String::from("Accept"), String::from("*/*")),
            ],
            body: None,
            timeout_ms: 1,
        };
        assert_eq!(redact_request(&http("Bearer abc")), Some(http(MARKER)));
        assert_eq!(redact_request(&http(MARKER)), None);
    }
}
