//! Asking a collector.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, StatusCode, Url};

use crate::FleetError;
use crate::http::{HttpAnswer, address_below, new_client, parse_address, send};
use crate::protocol::{BATCH_PATH, BatchRefusal, StoredEnd};
use crate::token::MachineToken;

/// How long a collector may take for a batch.
const BATCH_PATIENCE: Duration = Duration::from_secs(120);

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
        let secret = "the token of the machine belongs in its file";
        let base = parse_address(collector, "collector", "the token and the tapes", secret)?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.as_str()))
            .map_err(|_| FleetError::invalid_input("the token cannot be sent"))?;
        authorization.set_sensitive(true);
        let (client, url) = (new_client(BATCH_PATIENCE)?, address_below(&base, BATCH_PATH));
        Ok(Self { client, url, authorization })
    }

    /// Sends a batch. Only an answer that can be nothing else means that it is stored.
    pub(super) async fn send(&self, body: Vec<u8>) -> BatchAnswer {
        let request = self.client.post(self.url.clone());
        let request = request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let HttpAnswer { status, body: text, .. } = match send(request).await {
            Ok(answer) => answer,
            Err(reason) => return BatchAnswer::Failed(reason),
        };
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
