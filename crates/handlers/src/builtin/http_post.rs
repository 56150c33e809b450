//! `http_post`: sends a text or the event to a server on the public internet.

use pintle_contract::{NetworkSpec, Verdict};
use url::Url;

use crate::http::HttpGateway;

use super::{BuiltinCall, BuiltinHook, BuiltinResult};

/// The time limit of a request, within the hook's own time limit.
const MOST_MS: u64 = 30_000;

/// Posts a fixed text, or the event's payload, to a URL.
#[derive(Debug)]
struct HttpPost {
    /// The URL; `None` posts nothing.
    url: Option<Url>,
    body: PostBody,
    gateway: HttpGateway,
}

#[derive(Debug)]
enum PostBody {
    /// A fixed text.
    Fixed(String),
    /// The payload as the dialect encodes it for handlers.
    Payload,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    // Every host name, but no address of a private network.
    let anywhere = NetworkSpec { allowed_domains: vec![String::from("*")] };
    parse_arguments(arguments, doubts, HttpGateway::new(&anywhere)).map(|built| Box::new(built) as Box<dyn BuiltinHook>)
}

fn parse_arguments(arguments: &[String], doubts: &mut Vec<String>, gate: HttpGateway) -> Result<HttpPost, String> {
    let argument = |index: usize| arguments.get(index).map(String::as_str).unwrap_or_default();
    let url = match argument(0).trim() {
        "" => {
            doubts.push(String::from("no URL is given, so nothing is sent"));
            None
        }
        written => match Url::parse(written) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Some(url),
            Ok(_) => return Err(String::from("only http(s) URLs are supported")),
            Err(error) => return Err(format!("`{written}` is not a valid URL: {error}")),
        },
    };
    let body = match argument(2) {
        "" => PostBody::Fixed(argument(1).to_owned()),
        "payload" => PostBody::Payload,
        other => return Err(format!("the third argument must be `payload` or absent, not `{other}`")),
    };
    if matches!(body, PostBody::Payload) && !argument(1).is_empty() {
        doubts.push(String::from("the text is not sent together with the payload; leave it empty"));
    }
    if arguments.len() > 3 {
        doubts.push(String::from("arguments after the third are ignored"));
    }
    Ok(HttpPost { url, body, gateway: gate })
}

impl BuiltinHook for HttpPost {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        let Some(url) = &self.url else { return Verdict::pass() };
        let body = match &self.body {
            PostBody::Fixed(text) => text.clone(),
            PostBody::Payload => call.encoded_payload().value().to_string(),
        };
        match post_json(&self.gateway, url, &body, call.time_left_ms().min(MOST_MS), call) {
            Ok(()) => Verdict::pass(),
            Err(reason) => Verdict::pass().with_warning(format!("http_post: {reason}")),
        }
    }
}

/// Posts JSON. The error contains only the host: the rest of a URL is often a key.
pub(super) fn post_json(
    gate: &HttpGateway,
    url: &Url,
    body: &str,
    timeout_ms: u64,
    call: &BuiltinCall<'_>,
) -> Result<(), String> {
    let headers = [(String::from("Content-Type"), String::from("application/json"))];
    let host = url.host_str().unwrap_or_default();
    let cancel = call.call.cancel;
    match gate.request_until("POST", url.as_str(), &headers, Some(body), timeout_ms, cancel) {
        Ok(response) => match response.get("status").and_then(serde_json::Value::as_u64) {
            Some(status) if status >= 400 => Err(format!("`{host}` answered with status {status}")),
            _ => Ok(()),
        },
        Err(error) => Err(format!("cannot send to `{host}`: {}", error.cause())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use pintle_contract::CancelToken;
    use serde_json::json;

    use super::super::tests::BuiltinFixture;
    use super::*;

    fn parse_with_network(arguments: &[&str], allowed: &[&str]) -> (Result<HttpPost, String>, Vec<String>) {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let allowed_domains = allowed.iter().map(|host| (*host).to_owned()).collect();
        let network = NetworkSpec { allowed_domains };
        let mut doubts = Vec::new();
        (parse_arguments(&arguments, &mut doubts, HttpGateway::new(&network)), doubts)
    }

    /// Answers one request with a status and returns the request.
    fn serve_once(status: &'static str) -> (String, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
        let serving = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            let mut buffer = [0; 4096];
            loop {
                let text = String::from_utf8_lossy(&asked).into_owned();
                let length =
                    text.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                if let Some((_, body)) = text.split_once("\r\n\r\n")
                    && body.len() >= length.unwrap_or(0)
                {
                    break;
                }
                match stream.read(&mut buffer).unwrap() {
                    0 => break,
                    read => asked.extend_from_slice(&buffer[..read]),
                }
            }
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            String::from_utf8(asked).unwrap()
        });
        (url, serving)
    }

    #[test]
    fn the_fixed_text_or_the_payload_is_sent_as_json() {
        let fixture = BuiltinFixture::new("notification", json!({"level": "warning", "message": "a"}));
        for (arguments, expected) in
            [(vec!["{\"x\":1}"], "{\"x\":1}"), (vec!["", "payload"], "{\"level\":\"warning\",\"message\":\"a\"}")]
        {
            let (url, serving) = serve_once("204 No Content");
            let mut all = vec![url.as_str()];
            all.extend(arguments);
            let post = parse_with_network(&all, &["127.0.0.1"]).0.unwrap();
            assert_eq!(fixture.call_builtin(&post), Verdict::pass());
            let asked = serving.join().unwrap();
            assert!(asked.starts_with("POST /secret-path HTTP/1.1\r\n"), "{asked}");
            assert!(asked.to_lowercase().contains("content-type: application/json\r\n"), "{asked}");
            assert!(asked.ends_with(&format!("\r\n\r\n{expected}")), "{asked}");
        }
    }

    #[test]
    fn failures_are_told_to_the_author_and_nothing_else() {
        let fixture = BuiltinFixture::new("notification", json!({}));
        let (url, serving) = serve_once("500 Internal Server Error");
        let post = parse_with_network(&[&url, "x"], &["127.0.0.1"]).0.unwrap();
        assert_eq!(
            fixture.call_builtin(&post),
            Verdict::pass().with_warning("http_post: `127.0.0.1` answered with status 500")
        );
        serving.join().unwrap();
        // The server does not listen any more, and a private address is not contacted at all.
        for (url, allowed) in
            [(url.as_str(), "127.0.0.1"), ("http://127.0.0.1:9/hidden", "*"), ("http://[::1]/hidden", "*")]
        {
            let verdict = fixture.call_builtin(&parse_with_network(&[url, "x"], &[allowed]).0.unwrap());
            assert_eq!(verdict.warnings.len(), 1, "{verdict:?}");
            assert!(!format!("{verdict:?}").contains("hidden") && !format!("{verdict:?}").contains("secret-path"));
            assert_eq!(Verdict { warnings: Vec::new(), ..verdict }, Verdict::pass());
        }
    }

    #[test]
    fn a_cancelled_request_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let fixture = BuiltinFixture::new("notification", json!({}));
        let cancel = CancelToken::default();
        let (post, other) = (parse_with_network(&[&url, "x"], &["127.0.0.1"]).0.unwrap(), cancel.clone());
        let verdict = thread::scope(|scope| {
            let asking = scope.spawn(|| fixture.call_builtin_until(&post, &cancel));
            // The request has started once a connection is accepted.
            let _connection = listener.accept().unwrap();
            other.cancel();
            asking.join().unwrap()
        });
        assert_eq!(verdict, Verdict::pass().with_warning("http_post: cannot send to `127.0.0.1`: cancelled"));
    }

    #[test]
    fn arguments_are_checked_when_the_hook_is_built() {
        let fails = |arguments: &[&str]| parse_with_network(arguments, &[]).0.err();
        assert_eq!(fails(&["ftp://x.test", ""]), Some("only http(s) URLs are supported".into()));
        assert!(fails(&["not an address", ""]).is_some());
        assert!(fails(&["http://x.test", "", "everything"]).is_some());
        let (nothing, doubts) = parse_with_network(&[], &[]);
        assert_eq!(doubts, ["no URL is given, so nothing is sent"]);
        assert_eq!(BuiltinFixture::new("notification", json!({})).call_builtin(&nothing.unwrap()), Verdict::pass());
    }
}
