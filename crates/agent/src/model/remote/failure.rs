//! Explains failed model calls to the user, with the next step.

use genai::webc::StreamTimeout;
use pintle_host::innermost_text;
use serde_json::Value;

use super::RemoteModel;
use super::call::ProviderCallError;
use crate::model::error::{ModelError, ModelErrorKind};

/// The maximum length of a provider's error text that is shown, in characters.
const SHOWN_CHARS: usize = 300;

/// Explains a failure to the user, and decides whether a retry can help.
pub(super) fn explain(model: &RemoteModel, error: ProviderCallError) -> ModelError {
    let (kind, reason) = match error {
        ProviderCallError::Cancelled => return ModelError::cancelled(),
        ProviderCallError::Runtime(reason) => {
            (ModelErrorKind::Fatal, format!("could not be called: {reason}; try again later"))
        }
        ProviderCallError::IncompleteStream => {
            let reason = "ended its answer before the reply was whole; check that `base_url` is an address of its API";
            (ModelErrorKind::Retryable, String::from(reason))
        }
        ProviderCallError::Provider(error) => explain_provider_error(model, &error),
    };
    let mut message = format!("the model `{}` of `{}` {reason}", model.name, model.provider.name);
    if let Some(key) = model.key.as_deref().filter(|key| key.len() >= 8) {
        message = message.replace(key, "[key]");
    }
    ModelError { kind, message }
}

fn explain_provider_error(model: &RemoteModel, error: &genai::Error) -> (ModelErrorKind, String) {
    match error {
        genai::Error::HttpError { status, body, .. } => explain_status(model, status.as_u16(), body),
        genai::Error::WebStream { error, .. } => explain_stream_error(model, error.as_ref()),
        genai::Error::WebModelCall { webc_error, .. } => match webc_error {
            genai::webc::Error::ResponseFailedStatus { status, body, .. } => {
                explain_status(model, status.as_u16(), body)
            }
            other => (ModelErrorKind::Retryable, format!("could not be reached: {}", to_one_line(&other.to_string()))),
        },
        genai::Error::ChatResponse { body, .. } => explain_stream_event(body),
        genai::Error::StreamParse { serde_error, .. } => (
            ModelErrorKind::Fatal,
            format!("sent a reply that cannot be read ({serde_error}); check `base_url` and the provider"),
        ),
        other => (ModelErrorKind::Fatal, format!("could not be called: {}", to_one_line(&other.to_string()))),
    }
}

/// An error of the connection or the HTTP client.
fn explain_stream_error(
    model: &RemoteModel,
    error: &(dyn std::error::Error + Send + Sync + 'static),
) -> (ModelErrorKind, String) {
    if let Some(inner) = error.downcast_ref::<genai::Error>() {
        return explain_provider_error(model, inner);
    }
    let silence = model.timeouts.silence_ms;
    if error.downcast_ref::<StreamTimeout>().is_some() {
        return (ModelErrorKind::Retryable, format!("sent nothing for {silence} ms"));
    }
    let mut reason = error.to_string();
    if let Some(http) = error.downcast_ref::<reqwest::Error>() {
        if http.is_timeout() {
            return (
                ModelErrorKind::Retryable,
                format!("could not be reached within {} ms", model.timeouts.connect_ms),
            );
        }
        reason = innermost_text(http);
    }
    (
        ModelErrorKind::Retryable,
        format!("could not be reached: {}; check the network and `base_url`", to_one_line(&reason)),
    )
}

/// A response with an error status.
fn explain_status(model: &RemoteModel, status: u16, body: &str) -> (ModelErrorKind, String) {
    let said = provider_error_text(body);
    let key = model.key_variable.as_deref();
    match status {
        408 | 425 | 429 | 500..=599 => (ModelErrorKind::Retryable, format!("answered {status}{said}")),
        401 | 403 => {
            let next = match key {
                Some(variable) => format!("check the key in `{variable}`"),
                None => {
                    String::from("set `api_key_env`, or `token_key` in a docker-agent file, to the variable of its key")
                }
            };
            (ModelErrorKind::Fatal, format!("answered {status}{said}; {next}"))
        }
        404 => (ModelErrorKind::Fatal, format!("answered 404{said}; check the model's name and `base_url`")),
        300..=399 => (
            ModelErrorKind::Fatal,
            format!("answered {status}, a redirect, which is not followed; set `base_url` to the right address"),
        ),
        413 => (ModelErrorKind::Fatal, format!("answered 413{said}; send less, with a smaller history window")),
        _ => (
            ModelErrorKind::Fatal,
            format!("answered {status}{said}; check the request, such as the model's name, its tools and `max_tokens`"),
        ),
    }
}

/// An error in the middle of a stream.
fn explain_stream_event(body: &Value) -> (ModelErrorKind, String) {
    let details = body.get("error").unwrap_or(body);
    let kind = details.get("type").or_else(|| details.get("code")).and_then(Value::as_str).unwrap_or_default();
    let for_good = ["invalid", "authentication", "permission", "not_found", "too_large", "context_length", "billing"];
    let kind =
        if for_good.iter().any(|word| kind.contains(word)) { ModelErrorKind::Fatal } else { ModelErrorKind::Retryable };
    (kind, format!("failed in the middle of its reply{}", provider_error_text(&body.to_string())))
}

/// The provider's error text from an error body.
fn provider_error_text(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let found = parsed.as_ref().and_then(|body| {
        // Gemini sometimes wraps its errors in a list.
        let body = body.get(0).unwrap_or(body);
        let details = body.get("error").unwrap_or(body);
        details.get("message").unwrap_or(details).as_str().map(str::to_owned)
    });
    let text = to_one_line(&found.unwrap_or_else(|| body.to_owned()));
    if text.is_empty() { text } else { format!(": {text}") }
}

fn to_one_line(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut start: String = flat.chars().take(SHOWN_CHARS).collect();
    if start.len() < flat.len() {
        start.push('…');
    }
    start.trim_end_matches('.').to_owned()
}
