//! A bundle on a web server: a file, and its signature beside it with `.minisig` behind the name.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};

use super::{FetchedBundle, unavailable};
use crate::FleetError;
use crate::error::error_chain;
use crate::http::{client_builder, read_body};
use crate::policy::content::{MOST_BUNDLE_BYTES, MOST_SIGNATURE_BYTES};
use crate::store::is_loopback;

/// How long a file may take.
const FILE_PATIENCE: Duration = Duration::from_secs(120);

/// The most redirections that are followed.
const MOST_REDIRECTIONS: usize = 5;

/// Checks that an address is of a file, encrypted, and without a password.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(String::from("it has a user or a password, which everyone on the machine could read"));
    }
    match is_safe(&url) {
        true if url.fragment().is_none() => Ok(()),
        true => Err(String::from("it has a part behind `#`")),
        false => Err(String::from("`http` is for this machine only; write `https`")),
    }
}

/// Whether what is sent cannot be read on the way.
fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && url.host_str().is_some_and(is_loopback)
}

pub(super) async fn fetch(address: &str) -> Result<FetchedBundle, FleetError> {
    let failed = |why: &dyn std::fmt::Display| unavailable(address, why);
    let url = Url::parse(address).map_err(|error| failed(&error))?;
    let mut signature = url.clone();
    signature.set_path(&format!("{}.minisig", url.path()));
    let redirect =
        Policy::custom(|attempt| match attempt.previous().len() > MOST_REDIRECTIONS || !is_safe(attempt.url()) {
            true => attempt.error("it redirects too often, or to an address without encryption"),
            false => attempt.follow(),
        });
    let client = client_builder(FILE_PATIENCE).redirect(redirect).build();
    let client = client.map_err(|error| failed(&error_chain(&error)))?;
    let signature = read_file(&client, signature, MOST_SIGNATURE_BYTES).await?;
    Ok(FetchedBundle { bytes: read_file(&client, url, MOST_BUNDLE_BYTES).await?, signature })
}

async fn read_file(client: &Client, url: Url, most: usize) -> Result<Vec<u8>, FleetError> {
    let address = url.to_string();
    let mut response = client.get(url).send().await.map_err(|error| unavailable(&address, &error_chain(&error)))?;
    if response.status() != StatusCode::OK {
        return Err(unavailable(&address, &format!("the server answers {}", response.status())));
    }
    let body = read_body(&mut response, most).await.map_err(|why| unavailable(&address, &why))?;
    body.ok_or_else(|| unavailable(&address, &"it is too large"))
}
