//! Asking a collector.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::FleetError;
use crate::http::{HttpAnswer, address_below, new_client, parse_address, send, shown_reason};
use crate::protocol::CollectorRefusal;
use crate::token::MachineToken;

/// A collector, as a machine sees it.
pub(crate) struct CollectorClient {
    client: Client,
    base: Url,
    authorization: HeaderValue,
}

/// What a collector, or something between, has answered.
pub(crate) struct CollectorAnswer {
    pub(crate) status: StatusCode,
    body: Vec<u8>,
}

impl CollectorClient {
    /// A client that waits this long for an answer.
    pub(crate) fn new(collector: &str, token: &MachineToken, patience: Duration) -> Result<Self, FleetError> {
        let secret = "the token of the machine belongs in its file";
        let base = parse_address(collector, "collector", "the token and what follows it", secret)?;
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.as_str()))
            .map_err(|_| FleetError::invalid_input("the token cannot be sent"))?;
        authorization.set_sensitive(true);
        Ok(Self { client: new_client(patience)?, base, authorization })
    }

    /// Posts a body to a path.
    ///
    /// # Errors
    /// Why it is not answered, for users.
    pub(crate) async fn post(&self, path: &str, body: Vec<u8>) -> Result<CollectorAnswer, String> {
        let request = self.client.post(address_below(&self.base, path));
        let request = request.header(AUTHORIZATION, self.authorization.clone());
        let HttpAnswer { status, body, .. } = send(request.header(CONTENT_TYPE, "application/json").body(body)).await?;
        Ok(CollectorAnswer { status, body })
    }
}

impl CollectorAnswer {
    /// What it says.
    ///
    /// # Errors
    /// When it says something else, for users.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_slice(&self.body)
            .map_err(|_| format!("{}, which is not an answer of a collector", self.status))
    }

    /// Why something is refused. Only a collector answers so; a proxy between has pages of its own.
    pub(crate) fn refusal(&self) -> Result<String, String> {
        let refusal: CollectorRefusal = self.read()?;
        Ok(shown_reason(&refusal.error))
    }
}
