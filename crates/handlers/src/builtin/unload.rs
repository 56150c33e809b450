//! `unload`: frees the memory of the models that the previous agent used.

use std::net::ToSocketAddrs as _;

use pintle_contract::{NetworkSpec, Verdict};
use serde_json::{Value, json};
use url::Url;

use crate::http::HttpGateway;

use super::http_post::post_json;
use super::{BuiltinCall, BuiltinHook, BuiltinResult, doubt_arguments};

/// The only provider whose models run on the user's own machine.
const PROVIDER: &str = "dmr";
/// The time limit of one request, within the hook's own time limit.
const MOST_MS: u64 = 10_000;

/// Sends unload requests to the servers of the previous agent's local models.
#[derive(Debug)]
struct UnloadModels;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    doubt_arguments(arguments, doubts);
    Ok(Box::new(UnloadModels))
}

impl BuiltinHook for UnloadModels {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let mut verdict = Verdict::pass();
        let models = call.field("from_models").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for model in models {
            let text = |name: &str| model.get(name).and_then(Value::as_str).unwrap_or_default();
            if text("provider") != PROVIDER || text("model").is_empty() {
                continue;
            }
            // A model with an unknown server cannot be unloaded.
            let Some(url) = unload_address(text("base_url"), text("unload_url")) else { continue };
            let body = json!({"model": text("model")}).to_string();
            if let Err(reason) = post_json(&gateway_for(&url), &url, &body, call.time_left_ms().min(MOST_MS), call) {
                verdict = verdict.with_warning(format!("unload: {reason}"));
            }
        }
        verdict
    }
}

/// The URL of the request: the configured one, which may be a path on the server, otherwise the server's convention.
fn unload_address(base: &str, unload: &str) -> Option<Url> {
    let url = match (Url::parse(unload), Url::parse(base)) {
        (Ok(url), _) => url,
        (Err(_), Ok(base)) if unload.starts_with('/') => base.join(unload).ok()?,
        (Err(_), Ok(mut base)) if unload.is_empty() => {
            let path = base.path().trim_end_matches('/');
            let path = format!("{}/_unload", path.strip_suffix("/v1").unwrap_or(path));
            base.set_path(&path);
            base.set_query(None);
            base
        }
        _ => return None,
    };
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// A gateway to that server only. It may be in a private network: the agent's own model calls go there too.
fn gateway_for(url: &Url) -> HttpGateway {
    let host = url.host_str().unwrap_or_default().to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let addresses =
        (bare.as_str(), port).to_socket_addrs().into_iter().flatten().map(|address| address.ip().to_string());
    let allowed_domains = addresses.chain([bare.clone()]).collect();
    HttpGateway::new(&NetworkSpec { allowed_domains })
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::super::tests::BuiltinFixture;
    use super::*;

    #[test]
    fn the_address_is_the_given_one_or_beside_the_api() {
        let cases = [
            ("http://h:1/engines/v1", "", Some("http://h:1/engines/_unload")),
            ("http://h:1/engines/v1/", "", Some("http://h:1/engines/_unload")),
            ("http://h:1/engines", "", Some("http://h:1/engines/_unload")),
            ("http://h:1/engines/v1", "/x/unload", Some("http://h:1/x/unload")),
            ("http://h:1/v1", "https://other/u", Some("https://other/u")),
            ("", "https://other/u", Some("https://other/u")),
            ("", "", None),
            ("", "/x", None),
            ("ftp://h/v1", "", None),
        ];
        for (base, unload, expected) in cases {
            assert_eq!(unload_address(base, unload).map(String::from).as_deref(), expected, "{base} {unload}");
        }
    }

    #[test]
    fn only_local_models_are_unloaded_and_failures_are_warnings() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/engines/v1", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4096];
            let mut asked = String::new();
            while !asked.ends_with('}') {
                let read = stream.read(&mut buffer).unwrap();
                asked.push_str(&String::from_utf8_lossy(&buffer[..read]));
            }
            write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            asked
        });
        let models = json!([
            {"provider": "openai", "model": "gpt", "base_url": base},
            {"provider": "dmr", "model": "", "base_url": base},
            {"provider": "dmr", "model": "nowhere"},
            {"provider": "dmr", "model": "ai/qwen3", "base_url": base},
        ]);
        let fixture = BuiltinFixture::new(
            "agent.switch",
            json!({"from": "a", "to": "b", "kind": "handoff", "from_models": models}),
        );
        let verdict = fixture.call_builtin(&UnloadModels);
        assert_eq!(verdict, Verdict::pass().with_warning("unload: `127.0.0.1` answered with status 404"));
        let asked = serving.join().unwrap();
        assert!(asked.starts_with("POST /engines/_unload ") && asked.ends_with("{\"model\":\"ai/qwen3\"}"), "{asked}");
    }
}
