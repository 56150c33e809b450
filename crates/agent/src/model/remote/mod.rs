//! Models of providers, called over HTTP through the `genai` crate.

mod call;
mod convert;
mod failure;
mod names;
mod provider;
mod tool_call_cache;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use genai::resolver::{AuthData, Endpoint, ProviderConfig};
use genai::{Client, Headers, ModelIden};
use pintle_host::CancelToken;
use pintle_host::build_keyed_client;
use pintle_host::contract::ModelSpec;

use self::names::WireNames;
use self::provider::ProviderDef;
pub(in crate::model) use self::provider::{find_provider, provider_names};
use self::tool_call_cache::ToolCallCache;
use crate::model::error::ModelError;
use crate::model::interface::Model;
use crate::model::message::{ModelReply, ModelRequest, ReplyDelta};

/// A model of a provider.
///
/// Nothing is connected before the first call. Replies are streamed. All models of a process share one small runtime
/// for their connections.
pub struct RemoteModel {
    name: String,
    provider: &'static ProviderDef,
    address: Option<String>,
    key: Option<String>,
    key_variable: Option<String>,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    timeouts: ModelTimeouts,
    client: OnceLock<Result<Client, ModelError>>,
    call_cache: Arc<ToolCallCache>,
}

/// How long to wait for a model that sends nothing. The total duration of a reply is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelTimeouts {
    /// Until the connection is established. Default 10,000.
    pub connect_ms: u64,
    /// Until the reply begins, and between two parts of it. Default 120,000.
    pub silence_ms: u64,
}

impl Default for ModelTimeouts {
    fn default() -> Self {
        Self { connect_ms: 10_000, silence_ms: 120_000 }
    }
}

impl RemoteModel {
    /// Creates a model from a declaration.
    ///
    /// `variable` reads the environment. A provider's usual key is sent to its usual address only, or to the one that the
    /// user's environment sets (`OPENAI_BASE_URL`, `OLLAMA_HOST`): with a `base_url`, `api_key_env` must name the key's
    /// variable, or no key is sent.
    ///
    /// # Errors
    /// When the provider or the address is invalid, or a required key is missing.
    pub fn new(spec: &ModelSpec, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ModelError> {
        let provider = find_provider(&spec.provider).map_err(ModelError::fatal)?;
        let read = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let own_address = provider.address_variable.filter(|_| spec.base_url.is_none()).and_then(|name| {
            let value = read(name)?;
            Some(provider::address_of_variable(name, &value))
        });
        let written = spec.base_url.as_deref().or(own_address.as_deref()).or(provider.address);
        let address = written
            .map(|written| provider::complete_address(written, provider))
            .transpose()
            .map_err(ModelError::fatal)?;
        let usual = provider.default_key_variable().filter(|_| spec.base_url.is_none()).map(str::to_owned);
        let key_variable = spec.api_key_env.clone().or(usual);
        let key = match &key_variable {
            None => None,
            // A server of the user's own may need no key.
            Some(name) if own_address.is_some() && spec.api_key_env.is_none() => read(name),
            Some(name) => {
                let key = read(name);
                Some(key.ok_or_else(|| ModelError::fatal(missing_key_message(&spec.provider, name)))?)
            }
        };
        if key.is_none() && !convert::allows_missing_key(provider.adapter) {
            let reason = format!(
                "the provider `{}` requires a key; name its variable in `api_key_env`, or `token_key` in a docker-agent file",
                provider.name
            );
            return Err(ModelError::fatal(reason));
        }
        Ok(Self {
            name: spec.name.clone(),
            provider,
            address,
            key,
            key_variable,
            max_tokens: spec.max_tokens,
            temperature: spec.temperature,
            timeouts: ModelTimeouts::default(),
            client: OnceLock::new(),
            call_cache: Arc::default(),
        })
    }

    /// Sets other timeouts.
    #[must_use]
    pub fn with_timeouts(mut self, timeouts: ModelTimeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    fn client(&self) -> Result<&Client, ModelError> {
        self.client.get_or_init(|| self.connect()).as_ref().map_err(Clone::clone)
    }

    fn connect(&self) -> Result<Client, ModelError> {
        let mut http = build_keyed_client(Duration::from_millis(self.timeouts.connect_ms)).tcp_nodelay(true);
        // A proxy from the environment cannot reach a server on this machine.
        if self.address.as_deref().is_some_and(provider::is_local_address) {
            http = http.no_proxy();
        }
        let http =
            http.build().map_err(|error| ModelError::fatal(format!("the HTTP client could not be built: {error}")))?;
        let auth = match (&self.key, &self.address) {
            (Some(key), _) => AuthData::from_single(key.clone()),
            // The adapters of the chat format require a key unless the full URL and headers are given.
            (None, Some(address)) => {
                AuthData::RequestOverride { url: format!("{address}chat/completions"), headers: Headers::default() }
            }
            (None, None) => AuthData::None,
        };
        let mut config = ProviderConfig::from_auth(auth);
        if let Some(address) = &self.address {
            config = config.with_endpoint(Endpoint::from_owned(address.as_str()));
        }
        Client::builder()
            .with_reqwest(http)
            .append_provider_config(self.provider.adapter, config)
            .build()
            .map_err(|error| ModelError::fatal(format!("the model client could not be built: {error}")))
    }
}

fn missing_key_message(provider: &str, variable: &str) -> String {
    format!(
        "the key of the provider `{provider}` is not set; set the environment variable `{variable}`, or name another \
         one in `api_key_env`, or `token_key` in a docker-agent file"
    )
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::cancelled());
        }
        let names = WireNames::for_request(request);
        let model = if request.model.is_empty() { &self.name } else { &request.model };
        let chat = convert::to_chat_request(request, &names, &self.call_cache, self.provider.adapter);
        let options = convert::build_options(self, request, model);
        let call = call::ProviderCall { model: ModelIden::new(self.provider.adapter, model.as_str()), chat, options };
        let end =
            call::run_call(self.client()?.clone(), call, on, cancel).map_err(|error| failure::explain(self, error))?;
        convert::to_model_reply(end, request, &names, &self.call_cache, self.provider.adapter)
            .map_err(|error| failure::explain(self, error))
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteModel")
            .field("name", &self.name)
            .field("provider", &self.provider.name)
            .field("address", &self.address)
            .field("key_variable", &self.key_variable)
            .finish_non_exhaustive()
    }
}
