//! Fetches a file of an OCI artifact: a layer with this title, as `oras push REGISTRY/NAME policy.yaml` makes it.
//!
//! [Distribution specification](https://github.com/opencontainers/distribution-spec/blob/main/spec.md), "Pull".

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_host::contract::{NetworkSpec, to_hex};
use pintle_host::files::home_dir;
use pintle_host::process::{self, ProcessEnvironment, ProcessSpec};
use pintle_host::{CancelToken, HttpGateway};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::CliError;

/// How long one request may take, in milliseconds.
const LIMIT_MS: u64 = 60_000;
const MANIFEST: &str =
    "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";
/// The annotation with the name of a layer's file.
const TITLE: &str = "/annotations/org.opencontainers.image.title";

/// A repository of a registry.
struct OciRepository<'a> {
    registry: &'a str,
    name: &'a str,
    gateway: HttpGateway,
    authorization: Option<String>,
}

/// The bytes of the layer with a title.
pub(super) fn fetch_file(reference: &str, title: &str) -> Result<Vec<u8>, CliError> {
    let fault = |what: String| CliError::invalid_input(format!("`{reference}`: {what}"));
    let parts = reference.split_once('@').and_then(|(name, digest)| Some((name.split_once('/')?, digest)));
    let Some(((registry, name), digest)) = parts else { return Err(fault(String::from("not an artifact"))) };
    // A tag before the digest says nothing.
    let name = name.split(':').next().unwrap_or(name);
    let allowed_domains = vec![registry.split(':').next().unwrap_or(registry).to_owned(), String::from("*")];
    let gateway = HttpGateway::new(&NetworkSpec { allowed_domains });
    let mut repository = OciRepository { registry, name, gateway, authorization: None };
    let manifest = repository.read(&format!("manifests/{digest}"), digest, MANIFEST).map_err(fault)?;
    let manifest: Value = serde_json::from_str(&manifest).map_err(|error| fault(error.to_string()))?;
    let layers = manifest.get("layers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let titles: Vec<&str> = layers.iter().filter_map(|layer| layer.pointer(TITLE)?.as_str()).collect();
    let layer = layers.iter().find(|layer| layer.pointer(TITLE).and_then(Value::as_str) == Some(title));
    let Some(blob) = layer.and_then(|layer| layer.get("digest")?.as_str()) else {
        return Err(fault(format!("it has no file `{title}`"))
            .help(format!("name one of its files with `path`: {}", titles.join(", "))));
    };
    repository.read(&format!("blobs/{blob}"), blob, "*/*").map(String::into_bytes).map_err(fault)
}

impl OciRepository<'_> {
    /// Reads what a digest names, and compares it with the digest.
    fn read(&mut self, path: &str, digest: &str, accepted: &str) -> Result<String, String> {
        // As Docker does, a registry of this machine is asked without TLS.
        let is_local = self.registry.starts_with("localhost:") || self.registry.starts_with("127.0.0.1:");
        let scheme = if is_local { "http" } else { "https" };
        let url = format!("{scheme}://{}/v2/{}/{path}", self.registry, self.name);
        let mut answer = self.request(&url, accepted, self.authorization.clone())?;
        if answer.get("status") == Some(&Value::from(401)) {
            self.authorization = Some(self.authorize(&answer)?);
            answer = self.request(&url, accepted, self.authorization.clone())?;
        }
        if answer.get("status") != Some(&Value::from(200)) {
            return Err(format!("the registry answers {}", answer.get("status").unwrap_or(&Value::Null)));
        }
        let body = answer.get("body").and_then(Value::as_str).unwrap_or_default();
        match format!("sha256:{}", to_hex(&Sha256::digest(body.as_bytes()))) == digest {
            true => Ok(body.to_owned()),
            false => Err(format!("what the registry sent has another digest than {digest}")),
        }
    }

    fn request(&self, url: &str, accepted: &str, authorization: Option<String>) -> Result<Value, String> {
        let accept = (String::from("Accept"), accepted.to_owned());
        let headers: Vec<(String, String)> =
            authorization.map(|value| (String::from("Authorization"), value)).into_iter().chain([accept]).collect();
        self.gateway.request("GET", url, &headers, None, LIMIT_MS).map_err(|error| error.to_string())
    }

    /// Gets the token that the registry asks for, with the login that Docker keeps for it if there is one.
    fn authorize(&self, refusal: &Value) -> Result<String, String> {
        let challenge = refusal.pointer("/headers/Www-Authenticate").and_then(Value::as_str).unwrap_or_default();
        let login = self.find_login()?.map(|login| format!("Basic {login}"));
        let Some(fields) = challenge.strip_prefix("Bearer ") else {
            return login.ok_or_else(|| {
                String::from("the registry wants a login, and `~/.docker/config.json` has none for it")
            });
        };
        let field = |name: &str| {
            let rest = fields.split(&format!("{name}=\"")).nth(1)?;
            rest.split('"').next().map(str::to_owned)
        };
        let realm = field("realm").ok_or("the registry does not say where to log in")?;
        if !realm.starts_with("https://")
            && !realm.starts_with("http://127.0.0.1:")
            && !realm.starts_with("http://localhost:")
        {
            return Err(format!("the registry wants a login at `{realm}`, without TLS"));
        }
        let service = field("service").map(|service| format!("&service={service}")).unwrap_or_default();
        let url = format!("{realm}?scope=repository:{}:pull{service}", self.name);
        let answer = self.request(&url, "application/json", login)?;
        let body = answer.get("body").and_then(Value::as_str).unwrap_or_default();
        let token: Value = serde_json::from_str(body).map_err(|error| format!("the login failed: {error}"))?;
        let token = token.get("token").or_else(|| token.get("access_token")).and_then(Value::as_str);
        token.map(|token| format!("Bearer {token}")).ok_or_else(|| String::from("the registry refused the login"))
    }

    /// The login of Docker for the registry: of the program that its settings name, otherwise as they have it.
    fn find_login(&self) -> Result<Option<String>, String> {
        let settings = home_dir().and_then(|home| fs::read_to_string(home.join(".docker/config.json")).ok());
        let Some(config) = settings.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { return Ok(None) };
        let of_registry = |table: &str| {
            let table = config.get(table)?;
            table.get(self.registry).or_else(|| table.get(format!("https://{}", self.registry)))
        };
        let helper = of_registry("credHelpers").or_else(|| config.get("credsStore")).and_then(Value::as_str);
        match helper.map(|helper| ask_helper(helper, self.registry)).transpose()?.flatten() {
            Some(login) => Ok(Some(login)),
            None => Ok(of_registry("auths").and_then(|login| login.get("auth")?.as_str().map(str::to_owned))),
        }
    }
}

/// Asks a program of Docker for the login of a registry, by its
/// [protocol](https://github.com/docker/docker-credential-helpers). `None` if it knows none.
fn ask_helper(helper: &str, registry: &str) -> Result<Option<String>, String> {
    let program = format!("docker-credential-{helper}");
    let spec = ProcessSpec {
        environment: ProcessEnvironment::InheritedAnd(Vec::new()),
        stdin: registry.as_bytes().into(),
        timeout_ms: LIMIT_MS,
        ..ProcessSpec::new(&program, vec![String::from("get")])
    };
    let output = process::run(&spec, &CancelToken::default()).map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.exit_code != Some(0) {
        // What it says on a failure is on this stream too.
        return if said.contains("credentials not found") { Ok(None) } else { Err(format!("`{program}`: {said}")) };
    }
    let login: Value = serde_json::from_str(&said).map_err(|error| format!("what `{program}` prints: {error}"))?;
    let field = |name: &str| login.get(name).and_then(Value::as_str).unwrap_or_default();
    match (field("Username"), field("Secret")) {
        (_, "") => Ok(None),
        ("<token>", _) => Err(format!("`{program}` has a token for `docker login` only, which is not supported here")),
        (user, secret) => Ok(Some(STANDARD.encode(format!("{user}:{secret}")))),
    }
}
