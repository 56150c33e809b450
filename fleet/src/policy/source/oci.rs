//! A bundle in a registry: an artifact with both files as its layers, as `oras push NAME:TAG policy.bundle
//! policy.bundle.minisig` puts them there.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt as _;
use oci_client::client::{ClientConfig, ClientProtocol};
use oci_client::manifest::OciDescriptor;
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};
use pintle_files::home_dir;

use super::{FetchedBundle, unavailable};
use crate::FleetError;
use crate::error::error_chain;
use crate::http::install_cryptography;
use crate::policy::content::{BUNDLE_FILE, MOST_BUNDLE_BYTES, MOST_SIGNATURE_BYTES};
use crate::store::is_loopback;

/// How long all requests together may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The annotation with the name of a layer's file.
const TITLE: &str = "org.opencontainers.image.title";

fn parse(address: &str) -> Result<Reference, String> {
    let text = address.strip_prefix("oci://").unwrap_or(address);
    // Without a registry, a name would be one of Docker's.
    let registry = text.split('/').next().unwrap_or_default();
    if !registry.contains(['.', ':']) && registry != "localhost" {
        return Err(String::from("name the registry: `oci://REGISTRY/NAME:TAG`"));
    }
    text.parse::<Reference>().map_err(|error| error.to_string())
}

/// Checks the name of an artifact.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    parse(address).map(drop)
}

pub(super) async fn fetch(address: &str) -> Result<FetchedBundle, FleetError> {
    let fetched = tokio::time::timeout(PATIENCE, fetch_layers(address)).await;
    fetched
        .unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())))
        .map_err(|why| unavailable(address, &why))
}

async fn fetch_layers(address: &str) -> Result<FetchedBundle, String> {
    let reference = parse(address)?;
    let registry = reference.registry();
    let host = registry.rsplit_once(':').map_or(registry, |(host, _)| host);
    // As Docker does, a registry of this machine is asked without TLS.
    let protocol = match is_loopback(host) {
        true => ClientProtocol::Http,
        false => ClientProtocol::Https,
    };
    install_cryptography();
    let client = Client::new(ClientConfig { protocol, platform_resolver: None, ..ClientConfig::default() });
    let auth = find_login(registry).unwrap_or(RegistryAuth::Anonymous);
    let failed = |error: oci_client::errors::OciDistributionError| error_chain(&error);
    let (manifest, _) = client.pull_image_manifest(&reference, &auth).await.map_err(failed)?;
    let titled = |title: &str| {
        let is_it = |layer: &&OciDescriptor| {
            layer.annotations.as_ref().is_some_and(|notes| notes.get(TITLE).is_some_and(|found| found == title))
        };
        manifest.layers.iter().find(is_it).ok_or_else(|| format!("the artifact has no file `{title}`"))
    };
    let read = async |title: String, most: usize| {
        let layer = titled(&title)?;
        // Its digest is compared while it is read.
        let mut stream = client.pull_blob_stream(&reference, layer).await.map_err(failed)?.stream;
        let mut bytes = Vec::new();
        while let Some(more) = stream.try_next().await.map_err(|error| error.to_string())? {
            if bytes.len() + more.len() > most {
                return Err(format!("`{title}` is too large"));
            }
            bytes.extend_from_slice(&more);
        }
        Ok(bytes)
    };
    let signature = read(format!("{BUNDLE_FILE}.minisig"), MOST_SIGNATURE_BYTES).await?;
    Ok(FetchedBundle { bytes: read(BUNDLE_FILE.to_owned(), MOST_BUNDLE_BYTES).await?, signature })
}

/// The login that `docker login` keeps in its file.
fn find_login(registry: &str) -> Option<RegistryAuth> {
    let text = pintle_files::read(home_dir()?.join(".docker/config.json")).ok()?;
    let config: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let auths = config.get("auths")?;
    let login = auths.get(registry).or_else(|| auths.get(format!("https://{registry}")))?;
    let login = STANDARD.decode(login.get("auth")?.as_str()?).ok()?;
    let (user, password) = std::str::from_utf8(&login).ok()?.split_once(':')?;
    Some(RegistryAuth::Basic(user.to_owned(), password.to_owned()))
}
