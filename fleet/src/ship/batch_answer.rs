//! Sending a batch, and what the answer means.

use reqwest::StatusCode;

use crate::client::CollectorClient;
use crate::protocol::{BATCH_PATH, StoredEnd};

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

/// Sends a batch. Only an answer that can be nothing else means that it is stored.
pub(super) async fn send_batch(client: &CollectorClient, body: Vec<u8>) -> BatchAnswer {
    let answer = match client.post(BATCH_PATH, body).await {
        Ok(answer) => answer,
        Err(reason) => return BatchAnswer::Failed(reason),
    };
    match (answer.status, answer.refusal()) {
        (StatusCode::OK, _) => answer.read().map_or_else(BatchAnswer::Failed, BatchAnswer::Stored),
        (StatusCode::CONFLICT, _) => answer.read().map_or_else(BatchAnswer::Failed, BatchAnswer::OtherEnd),
        (StatusCode::PAYLOAD_TOO_LARGE, reason) => BatchAnswer::TooLarge(reason.unwrap_or_default()),
        (StatusCode::UNAUTHORIZED, Ok(_)) => BatchAnswer::Unauthorised,
        (StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY, Ok(reason)) => {
            BatchAnswer::Refused(reason)
        }
        (status, Ok(reason)) => BatchAnswer::Failed(format!("{status}: {reason}")),
        (_, Err(reason)) => BatchAnswer::Failed(reason),
    }
}
