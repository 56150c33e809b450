//! The handler of webhooks: payload to a server, response to a verdict.

use std::sync::Arc;
use std::thread;

use pintle_contract::{
    CallLimits, CancelToken, Codec, CommandOutput, Failure, FailureKind, Handler, HandlerOutput, HookCall,
    HookInfluence, LimitKind, Verdict,
};
use serde_json::Value;

use super::header::HeaderTemplate;
use crate::hook_input::{InputTerminator, encode_input};
use crate::http::{HttpErrorCause, HttpGateway};

/// A hook that calls a server.
#[derive(Debug)]
pub(super) struct WebhookHandler {
    pub(super) server: Arc<WebhookServer>,
    /// Whether the response is ignored.
    pub(super) is_background: bool,
    pub(super) codec: Arc<dyn Codec>,
}

/// The server of a webhook.
#[derive(Debug)]
pub(super) struct WebhookServer {
    pub(super) gateway: HttpGateway,
    pub(super) url: String,
    /// Only the host, for messages: the rest of a URL is often a key.
    pub(super) host: String,
    pub(super) headers: Vec<HeaderTemplate>,
}

impl Handler for WebhookHandler {
    fn kind(&self) -> &'static str {
        "http"
    }

    fn may_wait(&self) -> bool {
        !self.is_background
    }

    fn needs_order(&self) -> bool {
        false
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        match self.is_background {
            true => HookInfluence::Observes,
            false => self.codec.influence(event_alias).min(HookInfluence::MayChange),
        }
    }

    fn acts_outside(&self) -> bool {
        true
    }

    fn call(&self, call: &HookCall<'_>) -> Verdict {
        if call.cancel.is_cancelled() {
            return Verdict::failed(Failure::new(FailureKind::Cancelled, "the call was cancelled"));
        }
        let body = match encode_input(&*self.codec, call, InputTerminator::Unterminated) {
            Ok(body) => body,
            Err(failure) => return Verdict::failed(failure),
        };
        if self.is_background {
            return self.send_in_background(body, call.limits);
        }
        match self.server.post_event(&body, call.limits, call.cancel) {
            Ok(answer) => self.codec.decode(call.event, &call.hook.event_alias, HandlerOutput::Process(answer)),
            Err(failure) => Verdict::failed(failure),
        }
    }
}

impl WebhookHandler {
    /// Posts the event in the background.
    fn send_in_background(&self, body: Arc<[u8]>, limits: &CallLimits) -> Verdict {
        let (server, limits) = (Arc::clone(&self.server), *limits);
        let posting = move || drop(server.post_event(&body, &limits, &CancelToken::default()));
        match thread::Builder::new().name(String::from("background")).spawn(posting) {
            Ok(_) => Verdict::pass(),
            Err(error) => {
                let message = format!("cannot call `{}` in the background: {error}", self.server.host);
                Verdict::failed(Failure::new(FailureKind::Error, message))
            }
        }
    }
}

impl WebhookServer {
    /// Posts the event and waits for the response. Only a status from 200 to 299 is a success.
    fn post_event(&self, body: &[u8], limits: &CallLimits, cancel: &CancelToken) -> Result<CommandOutput, Failure> {
        let known = |name: &str| crate::process::variable(name);
        let json = (String::from("Content-Type"), String::from("application/json"));
        let own = self.headers.iter().map(|header| header.expand(&known));
        let headers: Vec<(String, String)> =
            std::iter::once(json).chain(own.filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))).collect();
        let host = &self.host;
        let body = String::from_utf8_lossy(body);
        let asked = self.gateway.request_until("POST", &self.url, &headers, Some(&body), limits.timeout_ms, cancel);
        let response = asked.map_err(|error| request_failure(host, error.cause()))?;
        let status = response.get("status").and_then(Value::as_u64).unwrap_or_default();
        if !(200..300).contains(&status) {
            return Err(Failure::new(FailureKind::Error, format!("`{host}` answered with status {status}")));
        }
        let text = response.get("body").and_then(Value::as_str).unwrap_or_default();
        if u64::try_from(text.len()).is_ok_and(|length| length > limits.output_bytes) {
            let message = format!("the response of `{host}` has more than {} bytes", limits.output_bytes);
            return Err(Failure::new(FailureKind::Limit(LimitKind::Output), message));
        }
        Ok(CommandOutput { exit_code: Some(0), stdout: text.as_bytes().to_vec(), ..CommandOutput::default() })
    }
}

/// The failure of a request, without the URL.
fn request_failure(host: &str, cause: &HttpErrorCause) -> Failure {
    let kind = match cause {
        HttpErrorCause::Cancelled => FailureKind::Cancelled,
        HttpErrorCause::TimedOut { .. } => FailureKind::Timeout,
        _ => FailureKind::Error,
    };
    Failure::new(kind, format!("the request to `{host}` failed: {cause}"))
}
