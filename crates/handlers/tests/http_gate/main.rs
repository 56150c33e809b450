//! Tests the gateway against real servers on loopback.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod server;
mod webhook;

use std::io::Write;
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pintle_contract::{CancelToken, NetworkSpec};
use pintle_handlers::http::{DnsLookup, HttpGateway, MOST_RESPONSE_BYTES};
use serde_json::{Value, json};

use self::server::{FakeHttpServer, response_text};

/// Long enough for any response that arrives at all.
const LONG_MS: u64 = 30_000;

/// Names with their addresses, one response after the other; the last one stays.
#[derive(Debug)]
struct ScriptedDns {
    answers: Vec<IpAddr>,
    lookup_count: AtomicUsize,
}

impl DnsLookup for ScriptedDns {
    fn lookup(&self, _host: &str) -> std::io::Result<Vec<IpAddr>> {
        let number = self.lookup_count.fetch_add(1, Ordering::SeqCst);
        Ok(vec![*self.answers.get(number).or(self.answers.last()).unwrap()])
    }
}

fn scripted_dns(answers: &[&str]) -> Arc<ScriptedDns> {
    Arc::new(ScriptedDns {
        answers: answers.iter().map(|text| text.parse().unwrap()).collect(),
        lookup_count: AtomicUsize::new(0),
    })
}

fn network_spec(allowed: &[&str]) -> NetworkSpec {
    NetworkSpec { allowed_domains: allowed.iter().map(|entry| (*entry).to_owned()).collect() }
}

/// A gateway for which every name is this machine.
fn local_gateway(allowed: &[&str]) -> HttpGateway {
    HttpGateway::with_dns(&network_spec(allowed), scripted_dns(&["127.0.0.1"]))
}

fn get_url(gate: &HttpGateway, url: &str) -> Result<Value, String> {
    gate.request("GET", url, &[], None, LONG_MS).map_err(|error| error.to_string())
}

#[test]
fn a_response_is_given_whole() {
    let server =
        FakeHttpServer::with_response("200 OK", "x-one: 1\r\nset-cookie: a\r\nset-cookie: b\r\nETag: e\r\n", "hällo");
    let url = server.url("127.0.0.1", "/p?q=1");
    let whole = json!({
        "status": 200,
        "ok": true,
        "url": url,
        "body": "hällo",
        "headers": {"X-One": "1", "Set-Cookie": "a, b", "Etag": "e", "Content-Length": "6", "Connection": "close"},
    });
    assert_eq!(get_url(&local_gateway(&["127.0.0.1"]), &url), Ok(whole));
    let expected = format!(
        "GET /p?q=1 HTTP/1.1\r\naccept: */*\r\nuser-agent: pintle/{}\r\nhost: {}\r\n\r\n",
        env!("CARGO_PKG_VERSION"),
        server.address
    );
    assert_eq!(without_headers(&server.received_requests(), &["accept-encoding"]), [expected]);
}

/// Requests without lines that depend on how the client was built.
fn without_headers(requests: &[String], names: &[&str]) -> Vec<String> {
    let kept = |line: &&str| !names.iter().any(|name| line.starts_with(name));
    requests.iter().map(|request| request.split_inclusive("\r\n").filter(kept).collect()).collect()
}

#[test]
fn a_body_and_headers_are_sent_and_an_error_status_is_a_response() {
    let server = FakeHttpServer::with_response("404 Not Found", "", "none");
    let headers = [(String::from("X-Key"), String::from("k")), (String::from("Accept"), String::from("text/plain"))];
    let url = server.url("127.0.0.1", "/");
    let reply = local_gateway(&["127.0.0.1"]).request("POST", &url, &headers, Some("{}"), LONG_MS).unwrap();
    assert_eq!([&reply["status"], &reply["ok"], &reply["body"]], [&json!(404), &json!(false), &json!("none")]);
    let expected = format!(
        "POST / HTTP/1.1\r\nx-key: k\r\naccept: text/plain\r\nuser-agent: pintle/{}\r\nhost: {}\r\ncontent-length: 2\r\n\r\n{{}}",
        env!("CARGO_PKG_VERSION"),
        server.address
    );
    assert_eq!(without_headers(&server.received_requests(), &["accept-encoding"]), [expected]);
}

#[test]
fn what_is_not_listed_is_refused_before_anything_is_sent() {
    let server = FakeHttpServer::with_response("200 OK", "", "");
    let port = server.address.port();
    let cases: &[(&[&str], String, String)] = &[
        (
            &[],
            server.url("a.test", "/"),
            format!("http.get: network sandbox: host \"a.test\" is not in the allowlist (url=http://a.test:{port}/)"),
        ),
        (
            &["*"],
            server.url("127.0.0.1", "/"),
            format!(
                "http.get: network sandbox: IP literal \"127.0.0.1\" is not in the allowlist (url=http://127.0.0.1:{port}/)"
            ),
        ),
        (
            &["*"],
            server.url("user:secret@[::ffff:7f00:1]", "/"),
            format!(
                "http.get: network sandbox: IP literal \"127.0.0.1\" is not in the allowlist (url=http://[::ffff:7f00:1]:{port}/)"
            ),
        ),
        (
            &["*"],
            String::from("file:///etc/passwd"),
            String::from(
                "http.get: network sandbox: scheme \"file\" is not permitted (only http/https) (url=file:///etc/passwd)",
            ),
        ),
        (
            &["*"],
            String::from("http://"),
            String::from("http.get: network sandbox: invalid URL: empty host (url=http://)"),
        ),
        (
            &["*"],
            String::from("data:,x"),
            String::from("http.get: network sandbox: scheme \"data\" is not permitted (only http/https) (url=data:,x)"),
        ),
        (
            &["a.test"],
            server.url("a.test", "/"),
            format!(
                "http.get: network sandbox: host \"a.test\" resolves to the loopback address 127.0.0.1, which is not in \
                 the allowlist (url=http://a.test:{port}/)"
            ),
        ),
        (
            &["*"],
            server.url("localhost", "/"),
            format!(
                "http.get: network sandbox: host \"localhost\" resolves to the loopback address 127.0.0.1, which is not \
                 in the allowlist (url=http://localhost:{port}/)"
            ),
        ),
    ];
    for (allowed, url, message) in cases {
        assert_eq!(get_url(&local_gateway(allowed), url), Err(message.clone()), "{allowed:?} {url}");
    }
    assert_eq!(server.received_requests(), [""; 0]);
}

#[test]
fn a_listed_name_at_a_listed_address_is_reached() {
    let server = FakeHttpServer::with_response("200 OK", "", "yes");
    for allowed in [["a.test", "127.0.0.1"], ["*", "127.0.0.1"], ["*.test", "127.0.0.1"]] {
        assert_eq!(get_url(&local_gateway(&allowed), &server.url("a.test", "/")).unwrap()["body"], json!("yes"));
    }
    assert_eq!(get_url(&local_gateway(&["localhost"]), &server.url("localhost", "/")).unwrap()["body"], json!("yes"));
}

#[test]
fn each_redirect_is_checked() {
    let inner = FakeHttpServer::with_response("200 OK", "", "secret");
    let port = inner.address.port();
    let cases = [
        (
            format!("http://b.test:{port}/"),
            format!("http.get: network sandbox: host \"b.test\" is not in the allowlist (url=http://b.test:{port}/)"),
        ),
        (
            format!("//127.0.0.2:{port}/x"),
            format!(
                "http.get: network sandbox: IP literal \"127.0.0.2\" is not in the allowlist (url=http://127.0.0.2:{port}/x)"
            ),
        ),
        (
            String::from("http://169.254.169.254/latest"),
            String::from(
                "http.get: network sandbox: IP literal \"169.254.169.254\" is not in the allowlist (url=http://169.254.169.254/latest)",
            ),
        ),
        (
            String::from("ftp://a.test/"),
            String::from(
                "http.get: network sandbox: scheme \"ftp\" is not permitted (only http/https) (url=ftp://a.test/)",
            ),
        ),
        (
            String::from("http://[bad"),
            String::from("http.get: network sandbox: invalid URL: invalid IPv6 address (url=http://[bad)"),
        ),
    ];
    for (location, message) in cases {
        let outer =
            FakeHttpServer::start(move |_| Some(response_text("302 Found", &format!("Location: {location}\r\n"), "")));
        assert_eq!(get_url(&local_gateway(&["a.test", "127.0.0.1"]), &outer.url("a.test", "/")), Err(message));
    }
    assert_eq!(inner.received_requests(), [""; 0]);
}

#[test]
fn redirects_are_followed_as_browsers_do() {
    let cases = [
        ("301 Moved Permanently", "POST", "GET /end HTTP/1.1", ""),
        ("302 Found", "POST", "GET /end HTTP/1.1", ""),
        ("303 See Other", "POST", "GET /end HTTP/1.1", ""),
        ("303 See Other", "PUT", "GET /end HTTP/1.1", ""),
        ("302 Found", "PUT", "PUT /end HTTP/1.1", "body"),
        ("307 Temporary Redirect", "POST", "POST /end HTTP/1.1", "body"),
        ("308 Permanent Redirect", "POST", "POST /end HTTP/1.1", "body"),
    ];
    for (status, method, line, body) in cases {
        let server = FakeHttpServer::start(move |request| {
            let first = request.contains("/start");
            Some(if first {
                response_text(status, "Location: end\r\n", "")
            } else {
                response_text("200 OK", "", "done")
            })
        });
        let url = server.url("127.0.0.1", "/start");
        let reply = local_gateway(&["127.0.0.1"]).request(method, &url, &[], Some("body"), LONG_MS).unwrap();
        assert_eq!(reply["url"], json!(server.url("127.0.0.1", "/end")), "{status}");
        let seen = server.received_requests();
        let (head, sent) = seen[1].split_once("\r\n\r\n").unwrap();
        assert_eq!((head.lines().next().unwrap(), sent), (line, body), "{status} {method}");
    }
}

#[test]
fn keys_do_not_follow_a_redirect_to_another_host() {
    let inner = FakeHttpServer::with_response("200 OK", "", "");
    let location = inner.url("b.test", "/");
    let outer = FakeHttpServer::start(move |_| {
        Some(response_text("307 Temporary Redirect", &format!("Location: {location}\r\n"), ""))
    });
    let headers = ["Authorization", "X-Api-Key", "Accept"].map(|name| (name.to_owned(), String::from("value")));
    let gate = local_gateway(&["*", "127.0.0.1"]);
    gate.request("GET", &outer.url("a.test", "/"), &headers, None, LONG_MS).unwrap();
    let names = |server: &FakeHttpServer| -> Vec<bool> {
        let request = server.received_requests().concat();
        ["authorization: value", "x-api-key: value", "accept: value"].map(|line| request.contains(line)).to_vec()
    };
    assert_eq!((names(&outer), names(&inner)), (vec![true, true, true], vec![false, false, true]));
}

#[test]
fn redirects_end() {
    let server = FakeHttpServer::with_response("302 Found", "Location: /again\r\n", "");
    let url = server.url("127.0.0.1", "/again");
    let message = format!("http.get: more than 5 redirects (url={url})");
    assert_eq!(get_url(&local_gateway(&["127.0.0.1"]), &url), Err(message));
    assert_eq!(server.received_requests().len(), 6);
}

#[test]
fn a_second_answer_of_the_name_server_changes_nothing() {
    // The name is resolved once per connection, and the connection uses that response.
    let server = FakeHttpServer::with_response("200 OK", "", "first");
    let once = scripted_dns(&["127.0.0.1", "127.0.0.2"]);
    let gate = HttpGateway::with_dns(&network_spec(&["a.test", "127.0.0.1"]), once.clone());
    assert_eq!(get_url(&gate, &server.url("a.test", "/")).unwrap()["body"], json!("first"));
    assert_eq!(once.lookup_count.load(Ordering::SeqCst), 1);

    // A new connection to the same name, here for a redirect, is checked again.
    let server = FakeHttpServer::with_response("302 Found", "Location: /inside\r\n", "");
    let turns = scripted_dns(&["127.0.0.1", "10.0.0.1"]);
    let gate = HttpGateway::with_dns(&network_spec(&["a.test", "127.0.0.1"]), turns);
    let message = format!(
        "http.get: network sandbox: host \"a.test\" resolves to the private address 10.0.0.1, which is not in the \
         allowlist (url={})",
        server.url("a.test", "/inside")
    );
    assert_eq!(get_url(&gate, &server.url("a.test", "/")), Err(message));
    assert_eq!(server.received_requests().len(), 1);
}

#[test]
fn one_private_address_among_public_ones_refuses_the_name() {
    #[derive(Debug)]
    struct MixedAddressDns;
    impl DnsLookup for MixedAddressDns {
        fn lookup(&self, _host: &str) -> std::io::Result<Vec<IpAddr>> {
            Ok(vec!["127.0.0.1".parse().unwrap(), "192.168.0.1".parse().unwrap()])
        }
    }
    let server = FakeHttpServer::with_response("200 OK", "", "");
    let gate = HttpGateway::with_dns(&network_spec(&["*", "127.0.0.1"]), Arc::new(MixedAddressDns));
    let error = get_url(&gate, &server.url("a.test", "/")).unwrap_err();
    assert!(error.contains("resolves to the private address 192.168.0.1"), "{error}");
    assert_eq!(server.received_requests(), [""; 0]);
}

#[test]
fn a_response_may_be_as_large_as_the_cap_and_no_larger() {
    let server = FakeHttpServer::start(|request| {
        let extra = usize::from(request.contains("/more"));
        Some(response_text("200 OK", "", &"x".repeat(MOST_RESPONSE_BYTES + extra)))
    });
    let gate = local_gateway(&["127.0.0.1"]);
    let whole = get_url(&gate, &server.url("127.0.0.1", "/")).unwrap();
    assert_eq!(whole["body"].as_str().unwrap().len(), MOST_RESPONSE_BYTES);
    let url = server.url("127.0.0.1", "/more");
    assert_eq!(get_url(&gate, &url), Err(format!("http.get: the response is larger than 1048576 bytes (url={url})")));
}

#[test]
fn silence_ends_with_the_time_or_with_the_cancel_flag() {
    let server = FakeHttpServer::start(|_| None);
    let url = server.url("127.0.0.1", "/");
    let gate_to = local_gateway(&["127.0.0.1"]);
    let late = gate_to.request("GET", &url, &[], None, 200);
    assert_eq!(late.unwrap_err().to_string(), format!("http.get: no complete response within 200 ms (url={url})"));

    let cancel = CancelToken::default();
    let raised = cancel.clone();
    let server = FakeHttpServer::start(move |_| {
        raised.cancel();
        None
    });
    let url = server.url("127.0.0.1", "/");
    let given_up = gate_to.request_until("GET", &url, &[], None, LONG_MS, &cancel);
    assert_eq!(given_up.unwrap_err().to_string(), "http.get: cancelled");
}

#[test]
fn what_is_no_request_is_refused() {
    let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let cases = [
        (
            "TRACE",
            vec![],
            "http.trace: unknown method `TRACE`; use one of `DELETE`, `GET`, `HEAD`, `PATCH`, `POST`, `PUT`",
        ),
        ("GET", pair("Host", "x"), "http.get: the header `Host` is set by the connection; remove it"),
        ("GET", pair("a b", "x"), "http.get: the name of the header `a b` is not allowed in HTTP"),
        ("POST", pair("a", "x\r\ny: z"), "http.post: the value of the header `a` is not allowed in HTTP"),
    ];
    for (method, headers, message) in cases {
        let answer = local_gateway(&["*"]).request(method, "http://a.test/", &headers, None, LONG_MS);
        assert_eq!(answer.unwrap_err().to_string(), message);
    }
}

#[test]
fn a_closed_door_is_told_as_such() {
    // Bound and dropped, so that nothing listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = get_url(&local_gateway(&["127.0.0.1"]), &format!("http://{address}/")).unwrap_err();
    assert!(error.starts_with("http.get: request failed: Connection refused"), "{error}");
    assert!(error.ends_with(&format!("(url=http://{address}/)")), "{error}");
}

#[test]
fn a_secure_address_of_a_server_that_is_not_secure_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || listener.accept().unwrap().0.write_all(b"plain words\r\n\r\n"));
    let error = get_url(&local_gateway(&["127.0.0.1"]), &url).unwrap_err();
    server.join().unwrap().unwrap();
    assert!(error.starts_with("http.get: request failed: "), "{error}");
}
