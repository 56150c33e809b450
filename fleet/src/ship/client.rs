//! Asking a collector.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};

use crate::FleetError;
use crate::error::error_chain;
use crate::protocol::{BATCH_PATH, BatchRefusal, StoredEnd};
use crate::store::is_loopback;
use crate::token::MachineToken;

/// How long to wait for a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// How long a collector may take for a batch.
const BATCH_PATIENCE: Duration = Duration::from_secs(120);

/// The most bytes of an answer that are read.
const MOST_ANSWER_BYTES: usize = 64 << 10;

/// The most characters of what a collector says that are shown.
const MOST_REASON_CHARS: usize = 300;

/// A collector, as a machine sees it.
pub(super) struct CollectorClient {
    client: Client,
    url: Url,
    authorization: HeaderValue,
}

/// What happened to a batch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BatchAnswer {
    /// It is stored, and the tape up to this line.
    Stored(StoredEnd),
    /// The tape is stored up to another line.
    OtherEnd(StoredEnd),
    /// It has too many bytes.
    TooLarge(String),
    /// This tape is refused, however often it is sent.
    Refused(String),
    /// The token is refused.
    Unauthorised,
    /// Whether it is stored is not known, or it is not: it can be sent again.
    Failed(String),
}

impl CollectorClient {
    pub(super) fn new(collector: &str, token: &MachineToken) -> Result<Self, FleetError> {
        let invalid = |reason: &str| {
            FleetError::invalid_input(format!("the address of the collector is invalid: {reason}"))
                .help("write it as `https://HOST` or `https://HOST:PORT`")
        };
        let base = Url::parse(collector).map_err(|error| invalid(&error.to_string()))?;
        let host = base.host_str().ok_or_else(|| invalid("it names no host"))?;
        if !base.username().is_empty() || base.password().is_some() {
            return Err(invalid("it has a user; the token of the machine belongs in its file"));
        }
        match base.scheme() {
            "https" => {}
            "http" if is_loopback(host) => {}
            "http" => return Err(invalid("`http` would send the token and the tapes unencrypted to another machine")),
            _ => return Err(invalid("it does not begin with `https://`")),
        }
        let path = format!("{}{BATCH_PATH}", base.path().trim_end_matches('/'));
        let mut url = base;
        url.set_path(&path);
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.as_str()))
            .map_err(|_| FleetError::invalid_input("the token cannot be sent"))?;
        authorization.set_sensitive(true);
        let unusable = |error: &dyn std::error::Error| {
            FleetError::failure(format!("connections cannot be made: {}", error_chain(error)))
                .help("name a file with certificates in `SSL_CERT_FILE`")
        };
        // Another program may have chosen already, with the same effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The token is for this address only.
        let client = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_PATIENCE)
            .timeout(BATCH_PATIENCE)
            .user_agent(concat!("pintle-fleet/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| unusable(&error))?;
        Ok(Self { client, url, authorization })
    }

    /// Sends a batch. Only an answer that can be nothing else means that it is stored.
    pub(super) async fn send(&self, body: Vec<u8>) -> BatchAnswer {
        let request = self.client.post(self.url.clone());
        let request = request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => return BatchAnswer::Failed(error_chain(&error)),
        };
        let status = response.status();
        let mut text = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(more)) if text.len() + more.len() <= MOST_ANSWER_BYTES => text.extend_from_slice(&more),
                Ok(None) => break,
                Ok(Some(_)) => return BatchAnswer::Failed(format!("its answer ({status}) is too long")),
                Err(error) => return BatchAnswer::Failed(error_chain(&error)),
            }
        }
        let end = || serde_json::from_slice::<StoredEnd>(&text);
        // Only a collector answers so; a proxy between has pages of its own.
        let refusal = serde_json::from_slice::<BatchRefusal>(&text).ok().map(|refusal| {
            refusal
                .error
                .chars()
                .filter(|character| !character.is_control())
                .take(MOST_REASON_CHARS)
                .collect::<String>()
        });
        match (status, refusal) {
            (StatusCode::OK, _) => end().map_or_else(|_| unknown_answer(status), BatchAnswer::Stored),
            (StatusCode::CONFLICT, _) => end().map_or_else(|_| unknown_answer(status), BatchAnswer::OtherEnd),
            (StatusCode::PAYLOAD_TOO_LARGE, reason) => BatchAnswer::TooLarge(reason.unwrap_or_default()),
            (StatusCode::UNAUTHORIZED, Some(_)) => BatchAnswer::Unauthorised,
            (StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY, Some(reason)) => {
                BatchAnswer::Refused(reason)
            }
            (status, Some(reason)) => BatchAnswer::Failed(format!("{status}: {reason}")),
            (status, None) => unknown_answer(status),
        }
    }
}

fn unknown_answer(status: StatusCode) -> BatchAnswer {
    BatchAnswer::Failed(format!("{status}, which is not an answer of a collector"))
}
