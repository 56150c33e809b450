//! Tests webhooks.

use std::sync::Arc;

use pintle_contract::{
    CallId, CallLimits, CancelToken, Codec, DenyEffect, DispatchId, EnforcementMode, Event, EventName, Failure,
    FailureKind, FailurePolicy, HandlerFactory, HandlerOutput, HandlerSpec, HookCall, HookDeclaration, HttpSpec, Layer,
    Location, NoEffects, Origin, Profile, Verdict, VerdictKind,
};
use pintle_handlers::{DefaultHandlerFactory, WorkerProgram};
use pintle_testkit::hook;
use serde_json::{Value, json};

use crate::server::{FakeHttpServer, response_text};

/// A dialect that returns a server's response as the reason of an allow.
#[derive(Debug)]
struct ReplyReasonCodec;

impl Codec for ReplyReasonCodec {
    fn dialect(&self) -> &'static str {
        "printed"
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(json!({"event": event_alias, "payload": event.payload.value()}))
    }

    fn decode(&self, _event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        match answer {
            HandlerOutput::Process(answer) => Verdict::allow(String::from_utf8_lossy(&answer.stdout)),
            other => Verdict::deny(format!("{other:?}")),
        }
    }
}

fn webhook_declaration(spec: HttpSpec, background: bool) -> HookDeclaration {
    HookDeclaration {
        name: String::from("hook"),
        event: EventName::parse("tool.pre").unwrap(),
        event_alias: Arc::from("tool.pre"),
        priority: 0,
        matcher: None,
        handler: HandlerSpec::Http(spec),
        on_error: None,
        default_on_error: FailurePolicy::Open,
        on_deny: DenyEffect::default(),
        profile: Profile::ParallelStrictest,
        definition: None,
        mode: EnforcementMode::Enforce,
        timeout_ms: None,
        background,
        files: Vec::new(),
        tools: Vec::new(),
        source_trust: pintle_contract::SourceTrust::default(),
        examples: Vec::new(),
        location: Location::default(),
        codec: Arc::new(ReplyReasonCodec),
    }
}

fn call_webhook(spec: HttpSpec, background: bool, limits: CallLimits) -> VerdictKind {
    let builder = DefaultHandlerFactory::new(WorkerProgram { program: "/no/worker".into(), arguments: Vec::new() });
    let built = builder.build_handler(&webhook_declaration(spec, background));
    assert!(built.diagnostics.is_empty(), "{:?}", built.diagnostics);
    assert_eq!(built.guard, !background);
    let name = EventName::parse("tool.pre").unwrap();
    let event = Event::new(name.clone(), json!({"name": "shell"}), Arc::new(Origin::default()));
    let mut hook = hook("hook", name, built.handler.unwrap());
    hook.limits = limits;
    let cancel = CancelToken::default();
    let (id, seam) = (CallId(1), &NoEffects);
    let call = HookCall {
        dispatch: DispatchId(1),
        id,
        depth: 0,
        hook: &hook,
        layer: Layer::Project,
        event: &event,
        limits: &hook.limits,
        effects: seam,
        cancel: &cancel,
    };
    hook.handler.call(&call).kind
}

fn webhook_spec(url: String) -> HttpSpec {
    HttpSpec { url, ..HttpSpec::default() }
}

#[test]
fn the_event_is_posted_and_the_answer_is_read_as_output() {
    let server = FakeHttpServer::with_response("200 OK", "", r#"{"decision":"block"}"#);
    let path = std::env::var("PATH").unwrap();
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let spec = HttpSpec {
        headers: vec![
            header("X-Path", "<$PATH>"),
            header("X-Crate", "<${CARGO_PKG_NAME}>"),
            header("Content-Type", "text/plain"),
        ],
        allowed_environment: vec![String::from("PATH")],
        ..webhook_spec(server.url("127.0.0.1", "/hook"))
    };
    let said = call_webhook(spec, false, CallLimits::default());
    assert_eq!(said, VerdictKind::Allow { reason: String::from(r#"{"decision":"block"}"#) });
    let seen = server.received_requests();
    assert!(seen[0].starts_with("POST /hook HTTP/1.1\r\n"), "{}", seen[0]);
    let lines: Vec<String> = seen[0].lines().map(str::to_lowercase).collect();
    for wanted in ["content-type: application/json", &format!("x-path: <{}>", path.to_lowercase()), "x-crate: <>"] {
        assert!(lines.iter().any(|line| line == wanted), "{wanted}: {}", seen[0]);
    }
    assert!(seen[0].ends_with("\r\n\r\n{\"event\":\"tool.pre\",\"payload\":{\"name\":\"shell\"}}"), "{}", seen[0]);
}

#[test]
fn only_a_good_status_is_an_answer() {
    for (status, wanted) in [
        ("204 No Content", None),
        ("302 Found", Some("`127.0.0.1` answered with status 302")),
        ("404 Not Found", Some("`127.0.0.1` answered with status 404")),
        ("500 Oops", Some("`127.0.0.1` answered with status 500")),
    ] {
        let server = FakeHttpServer::with_response(status, "", "");
        let said = call_webhook(webhook_spec(server.url("127.0.0.1", "/")), false, CallLimits::default());
        let wanted = match wanted {
            None => VerdictKind::Allow { reason: String::new() },
            Some(message) => VerdictKind::Failed(Failure::new(FailureKind::Error, message)),
        };
        assert_eq!(said, wanted, "{status}");
    }
}

#[test]
fn nobody_else_is_asked_and_no_key_stands_in_a_failure() {
    let other = FakeHttpServer::with_response("200 OK", "", "other");
    let port = other.address.port();
    let to = format!("Location: http://localhost:{port}/x\r\n");
    let server = FakeHttpServer::start(move |_| Some(response_text("307 Temporary Redirect", &to, "")));
    let VerdictKind::Failed(failure) =
        call_webhook(webhook_spec(server.url("127.0.0.1", "/secret")), false, CallLimits::default())
    else {
        panic!("the redirect was followed");
    };
    assert!(failure.message.contains("not in the allowlist") && !failure.message.contains("secret"), "{failure}");
    assert!(other.received_requests().is_empty());
}

#[test]
fn a_server_that_is_late_or_says_too_much_has_failed() {
    let silent = FakeHttpServer::start(|_| None);
    let limits = CallLimits { timeout_ms: 200, ..CallLimits::default() };
    let VerdictKind::Failed(failure) = call_webhook(webhook_spec(silent.url("127.0.0.1", "/")), false, limits) else {
        panic!("an answer")
    };
    assert_eq!(failure.kind, FailureKind::Timeout);
    let loud = FakeHttpServer::with_response("200 OK", "", "0123456789");
    let limits = CallLimits { output_bytes: 9, ..CallLimits::default() };
    let VerdictKind::Failed(failure) = call_webhook(webhook_spec(loud.url("127.0.0.1", "/")), false, limits) else {
        panic!("an answer")
    };
    assert_eq!(failure.message, "the response of `127.0.0.1` has more than 9 bytes");
}

#[test]
fn nobody_waits_for_a_server_in_the_background() {
    let (tell, told) = std::sync::mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    // It never responds, so a caller that waits would time out.
    let server = FakeHttpServer::start(move |request| {
        tell.lock().unwrap().send(request.to_owned()).unwrap();
        None
    });
    assert_eq!(
        call_webhook(webhook_spec(server.url("127.0.0.1", "/hook")), true, CallLimits::default()),
        VerdictKind::Pass
    );
    assert!(told.recv_timeout(pintle_testkit::PATIENCE).unwrap().starts_with("POST /hook HTTP/1.1\r\n"));
}

#[test]
fn an_address_that_is_none_is_told_when_the_hook_is_built() {
    let builder = DefaultHandlerFactory::new(WorkerProgram { program: "/no/worker".into(), arguments: Vec::new() });
    for (url, wanted) in [
        ("ftp://x.test/", "hooks are posted over HTTP, not over `ftp`"),
        ("x.test", "`x.test` is not a valid URL: relative URL without a base"),
        ("", "`` is not a valid URL: relative URL without a base"),
    ] {
        let built = builder.build_handler(&webhook_declaration(webhook_spec(url.to_owned()), false));
        let found: Vec<&str> = built.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(found, [wanted]);
        assert!(built.handler.is_none());
    }
}
