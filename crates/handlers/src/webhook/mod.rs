//! Webhooks: the event is posted as JSON, and the response is decoded like a command's output.

mod handler;
mod header;

use std::sync::Arc;

use pintle_contract::{BuiltHandler, Diagnostic, HookDeclaration, HttpSpec, NetworkSpec};
use url::Url;

use crate::hook_input;
use crate::http::HttpGateway;
use handler::{WebhookHandler, WebhookServer};
use header::HeaderTemplate;

/// Builds the handler of a declaration.
///
/// The hook can connect only to the host that its author wrote, even after a redirect. If it is a name, it must not
/// resolve to an address of a private network; such an address, and `localhost`, must be written explicitly.
pub(crate) fn build(declaration: &HookDeclaration, spec: &HttpSpec) -> BuiltHandler {
    let guard = hook_input::may_deny(declaration);
    let failed = |message: String, help: &str| {
        let found = Diagnostic::error("bad_url", message, declaration.location.clone()).help(help);
        BuiltHandler { guard, diagnostics: vec![found], ..BuiltHandler::default() }
    };
    let url = match Url::parse(&spec.url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => url,
        Ok(url) => {
            let message = format!("hooks are posted over HTTP, not over `{}`", url.scheme());
            return failed(message, "use a URL that starts with `https://`");
        }
        Err(error) => {
            return failed(
                format!("`{}` is not a valid URL: {error}", spec.url),
                "use a complete URL, such as `https://example.com/hook`",
            );
        }
    };
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
    let server = WebhookServer {
        gateway: HttpGateway::new(&NetworkSpec { allowed_domains: vec![host.clone()] }),
        url: String::from(url),
        host,
        headers: spec
            .headers
            .iter()
            .map(|(name, value)| HeaderTemplate::new(name, value, &spec.allowed_environment))
            .collect(),
    };
    let codec = Arc::clone(&declaration.codec);
    let handler = WebhookHandler { server: Arc::new(server), is_background: declaration.background, codec };
    BuiltHandler { handler: Some(Arc::new(handler)), guard, ..BuiltHandler::default() }
}
