//! Asking a collector.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use serde::de::DeserializeOwned;

use crate::FleetError;
use crate::error::error_chain;
use crate::protocol::CollectorRefusal;
use crate::store::is_loopback;
use crate::token::MachineToken;

/// How long to wait for a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read.
const MOST_ANSWER_BYTES: usize = 64 << 10;

/// The most characters of what a collector says that are shown.
const MOST_REASON_CHARS: usize = 300;

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
            "http" => {
                return Err(invalid("`http` would send the token and what follows it unencrypted to another machine"));
            }
            _ => return Err(invalid("it does not begin with `https://`")),
        }
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
            .timeout(patience)
            .user_agent(concat!("pintle-fleet/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| unusable(&error))?;
        Ok(Self { client, base, authorization })
    }

    /// Posts a body to a path.
    ///
    /// # Errors
    /// Why it is not answered, for users.
    pub(crate) async fn post(&self, path: &str, body: Vec<u8>) -> Result<CollectorAnswer, String> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        let request = self.client.post(url).header(AUTHORIZATION, self.authorization.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(body);
        let mut response = request.send().await.map_err(|error| error_chain(&error))?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(more) = response.chunk().await.map_err(|error| error_chain(&error))? {
            if body.len() + more.len() > MOST_ANSWER_BYTES {
                return Err(format!("its answer ({status}) is too long"));
            }
            body.extend_from_slice(&more);
        }
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
        Ok(refusal.error.chars().filter(|character| !character.is_control()).take(MOST_REASON_CHARS).collect())
    }
}
