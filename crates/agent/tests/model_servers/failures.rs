//! Failures of model calls, and their messages.

use std::io::Write;
use std::net::TcpListener;

use pintle_agent::model::{Model, ModelError, ModelErrorKind, ModelTimeouts, RemoteModel};
use pintle_host::CancelToken;
use pintle_host::contract::{ModelSpec, RetrySpec};
use pintle_testkit::model_server::{ModelServer, ScriptedReply, ServerAnswer};
use serde_json::json;

use crate::model_servers::{
    KEY, complete_request, model_spec, new_request, open_model, request_with_answer, tool_call,
};

fn call_failing_server(provider: &str, answer: ServerAnswer) -> (ModelErrorKind, String, String) {
    let server = ModelServer::start(vec![answer]).unwrap();
    let (reply, heard) = complete_request(&open_model(provider, &server), &new_request());
    let ModelError { kind, message } = reply.unwrap_err();
    (kind, message, heard)
}

#[test]
fn refusals_are_sorted_and_say_what_to_do_next() {
    use ModelErrorKind::{Fatal, Retryable};
    let cases = [
        (429, Retryable, "answered 429: slow down"),
        (500, Retryable, "answered 500: slow down"),
        (503, Retryable, "answered 503: slow down"),
        (529, Retryable, "answered 529: slow down"),
        (408, Retryable, "answered 408: slow down"),
        (
            400,
            Fatal,
            "answered 400: slow down; check the request, such as the model's name, its tools and `max_tokens`",
        ),
        (401, Fatal, "answered 401: slow down; check the key in `TEST_KEY`"),
        (403, Fatal, "answered 403: slow down; check the key in `TEST_KEY`"),
        (404, Fatal, "answered 404: slow down; check the model's name and `base_url`"),
        (413, Fatal, "answered 413: slow down; send less, with a smaller history window"),
    ];
    for provider in ["openai", "anthropic", "gemini"] {
        for (status, kind, reason) in cases {
            let name = if provider == "openai" { "test-medium" } else { "test" };
            let message = format!("the model `{name}` of `{provider}` {reason}");
            let failed = call_failing_server(provider, ServerAnswer::Refuse(status, "slow down"));
            assert_eq!(failed, (kind, message, String::new()), "{provider} {status}");
        }
    }
}

#[test]
fn a_call_that_failed_succeeds_when_tried_again() {
    for provider in ["openai", "anthropic", "gemini"] {
        let busy = ServerAnswer::Refuse(429, "busy");
        let server = ModelServer::start(vec![busy, ServerAnswer::Reply(ScriptedReply::from_text("here now"))]).unwrap();
        let model = open_model(provider, &server);
        assert_eq!(complete_request(&model, &new_request()).0.unwrap_err().kind, ModelErrorKind::Retryable);
        assert_eq!(complete_request(&model, &new_request()).0.unwrap().text, "here now");
        let seen = server.requests();
        assert_eq!(seen[0].body, seen[1].body);
    }
}

#[test]
fn a_reply_that_breaks_off_is_an_error() {
    use ModelErrorKind::{Fatal, Retryable};
    let long = || ScriptedReply::from_text("one two three four five six seven eight");
    for provider in ["openai", "anthropic", "gemini"] {
        for answer in [ServerAnswer::CutShort(long()), ServerAnswer::EndEarly(long())] {
            let (kind, message, heard) = call_failing_server(provider, answer);
            assert_eq!(kind, Retryable, "{provider}: {message}");
            assert!(heard.starts_with("one two") && !heard.contains("eight"), "{provider}: {heard}");
        }
    }
    for (kind, expected) in [("overloaded_error", Retryable), ("invalid_request_error", Fatal)] {
        for provider in ["openai", "anthropic"] {
            let (kind, message, heard) = call_failing_server(provider, ServerAnswer::BreakOff(long(), kind));
            assert_eq!(kind, expected, "{provider}");
            assert!(message.ends_with("failed in the middle of its reply: that is all"), "{provider}: {message}");
            assert!(heard.starts_with("one two"), "{provider}: {heard}");
        }
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = ModelServer::start(vec![ServerAnswer::Reply(ScriptedReply::from_text("trap"))]).unwrap();
    for provider in ["openai", "anthropic", "gemini"] {
        let (kind, message, _) = call_failing_server(provider, ServerAnswer::Redirect(elsewhere.url("/v1/messages")));
        assert_eq!(kind, ModelErrorKind::Fatal);
        assert!(
            message.ends_with("answered 307, a redirect, which is not followed; set `base_url` to the right address"),
            "{message}"
        );
    }
    assert_eq!(elsewhere.requests(), []);
}

#[test]
fn silence_ends_with_the_time_or_with_the_cancel_flag() {
    let server = ModelServer::start(vec![ServerAnswer::Silent]).unwrap();
    let short =
        open_model("openai", &server).with_timeouts(ModelTimeouts { silence_ms: 100, ..ModelTimeouts::default() });
    assert_eq!(
        complete_request(&short, &new_request()).0,
        Err(ModelError::retryable("the model `test-medium` of `openai` sent nothing for 100 ms"))
    );

    let cancel = CancelToken::default();
    let raised = cancel.clone();
    let server = ModelServer::start_with(move |_| {
        raised.cancel();
        ServerAnswer::Silent
    })
    .unwrap();
    let stopped = open_model("anthropic", &server).complete(&new_request(), &mut |_| {}, &cancel);
    assert_eq!(stopped, Err(ModelError::cancelled()));
}

#[test]
fn a_server_that_is_not_there_is_retryable() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let spec = ModelSpec {
        name: "m".into(),
        provider: "ollama".into(),
        base_url: Some(format!("http://{address}")),
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: RetrySpec::default(),
    };
    let model = RemoteModel::new(&spec, &|_| None).unwrap();
    let error = complete_request(&model, &new_request()).0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Retryable);
    assert!(error.message.starts_with("the model `m` of `ollama` could not be reached: Connection refused"), "{error}");
    assert!(error.message.ends_with("; check the network and `base_url`"), "{error}");
}

#[test]
fn a_missing_key_is_told_when_the_model_is_opened() {
    let server = ModelServer::start(Vec::new()).unwrap();
    let open = |spec: ModelSpec| RemoteModel::new(&spec, &|_| None).map(drop);
    let cases = [
        (
            ModelSpec { base_url: None, api_key_env: None, ..model_spec("openai", &server) },
            "the key of the provider `openai` is not set; set the environment variable `OPENAI_API_KEY`, or \
             name another one in `api_key_env`, or `token_key` in a docker-agent file",
        ),
        (
            model_spec("gemini", &server),
            "the key of the provider `gemini` is not set; set the environment variable `TEST_KEY`, or name \
             another one in `api_key_env`, or `token_key` in a docker-agent file",
        ),
        (
            ModelSpec { api_key_env: None, ..model_spec("anthropic", &server) },
            "the provider `anthropic` requires a key; name its variable in `api_key_env`, or `token_key` in a docker-agent file",
        ),
        (model_spec("antropic", &server), "unknown model provider `antropic`; did you mean `anthropic`?"),
    ];
    for (spec, message) in cases {
        assert_eq!(open(spec), Err(ModelError::fatal(message)));
    }
}

#[test]
fn a_key_is_shown_nowhere() {
    let server = ModelServer::start(vec![ServerAnswer::Refuse(401, "wrong key key-of-the-test")]).unwrap();
    let model = open_model("openai", &server);
    let error = complete_request(&model, &new_request()).0.unwrap_err();
    let message = "the model `test-medium` of `openai` answered 401: wrong key [key]; check the key in `TEST_KEY`";
    assert_eq!(error.message, message);
    assert!(!format!("{model:?}").contains(KEY), "{model:?}");
}

#[test]
fn non_json_arguments_reach_the_agent_and_keep_conversation_valid() {
    let broken = ScriptedReply { calls: vec![("c1", "fs_read", "{\"path\": ")], ..ScriptedReply::from_text("") };
    let empty = ScriptedReply { calls: vec![("c2", "fs_read", "")], ..ScriptedReply::from_text("") };
    let answers = [broken, empty, ScriptedReply::from_text("sorry")].map(ServerAnswer::Reply).to_vec();
    let server = ModelServer::start(answers).unwrap();
    let model = open_model("openai", &server);
    let first = complete_request(&model, &new_request()).0.unwrap();
    assert_eq!(first.tool_calls, [tool_call("c1", "fs_read", "{\"path\": ")]);
    let second_request = request_with_answer(&new_request(), &first);
    let second = complete_request(&model, &second_request).0.unwrap();
    assert_eq!(second.tool_calls, [tool_call("c2", "fs_read", "{}")]);
    complete_request(&model, &request_with_answer(&second_request, &second)).0.unwrap();
    let sent = &server.requests()[2].body["messages"];
    let arguments = |index: usize| &sent[index]["tool_calls"][0]["function"]["arguments"];
    assert_eq!((arguments(2), arguments(4)), (&json!("{\"malformed\":\"{\\\"path\\\": \"}"), &json!("{}")));
}

#[test]
fn a_secure_address_of_a_server_that_is_not_secure_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let spec = ModelSpec {
        base_url: Some(format!("https://{}", listener.local_addr().unwrap())),
        ..model_spec("openai", &ModelServer::start(Vec::new()).unwrap())
    };
    let server = std::thread::spawn(move || listener.accept().unwrap().0.write_all(b"plain words\r\n\r\n"));
    let model = RemoteModel::new(&spec, &|_| Some(String::from(KEY))).unwrap();
    let error = complete_request(&model, &new_request()).0.unwrap_err();
    server.join().unwrap().unwrap();
    assert_eq!(error.kind, ModelErrorKind::Retryable);
    assert!(error.message.contains("could not be reached"), "{error}");
}
