//! Requests of hooks to a collector.

use reqwest::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::client::CollectorClient;

/// Why a request has no answer, as the end of a sentence about the collector.
pub(super) enum CollectorFailure {
    /// The collector is not there, or cannot answer now.
    Away(String),
    /// It refuses the request.
    Refused(String),
}

impl CollectorFailure {
    pub(super) fn into_reason(self) -> String {
        match self {
            Self::Away(reason) | Self::Refused(reason) => reason,
        }
    }
}

/// Sends a request, and reads what is answered.
pub(super) async fn request<A: DeserializeOwned>(
    client: &CollectorClient,
    path: &str,
    body: &impl Serialize,
) -> Result<A, CollectorFailure> {
    let body =
        serde_json::to_vec(body).map_err(|error| CollectorFailure::Refused(format!("was asked nothing: {error}")))?;
    let away = |reason: String| {
        CollectorFailure::Away(format!("does not answer ({reason}); check that `pintle-fleet collect` runs there"))
    };
    let answer = client.post(path, body).await.map_err(away)?;
    match (answer.status, answer.refusal()) {
        (StatusCode::OK, _) => answer.read().map_err(away),
        (status, Ok(reason)) if status.is_client_error() => {
            Err(CollectorFailure::Refused(format!("refuses it: {reason}")))
        }
        (status, Ok(reason)) => Err(away(format!("{status}: {reason}"))),
        (_, Err(reason)) => Err(away(reason)),
    }
}
