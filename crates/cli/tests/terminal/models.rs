//! `pintle run` against a real model server on loopback, which speaks the providers' streaming formats.

use pintle_testkit::model_server::{ModelServer, ScriptedReply, ServerAnswer};
use serde_json::Value;

use crate::fixture::{CliFixture, GUARD, snapshot};

/// A busy server, then two calls of which a hook blocks one, then an answer.
fn start_model_server() -> ModelServer {
    let calls = vec![("c1", "run_command", r#"{"command": "mkfs /dev/sda"}"#), ("c2", "list", "{}")];
    let work = ScriptedReply {
        text: String::from("I format the disk and look around."),
        calls,
        usage: (30, 12),
        is_truncated: false,
    };
    let answer = ScriptedReply::from_text("The disk was not formatted.");
    ModelServer::start(vec![
        ServerAnswer::Refuse(429, "slow down"),
        ServerAnswer::Reply(work),
        ServerAnswer::Reply(answer),
    ])
    .unwrap()
}

fn create_agent(provider: &str, name: &str, server: &ModelServer) -> CliFixture {
    let harness = format!(
        "---\nname: tidy\nmodel:\n  provider: {provider}\n  name: {name}\n  base_url: {}\n  api_key_env: TEST_KEY\n  \
         retry: {{max_retries: 2, initial_backoff_ms: 1}}\n---\nYou keep this folder tidy.\n",
        server.url("")
    );
    CliFixture::new_empty().with_file("harness.md", harness).with_file(".harness/hooks/guard.md", GUARD)
}

/// The texts of the last request's tool results, in whatever form the provider has for them.
fn tool_result_texts(body: &Value) -> String {
    body.to_string().split_once("tool blocked").unwrap().1.to_owned()
}

#[test]
fn every_wire_format_drives_a_session_under_hooks() {
    for provider in ["openai", "anthropic", "gemini", "vllm"] {
        let server = start_model_server();
        let fixture = create_agent(provider, "test", &server);
        let screen = fixture.pintle(&["run", ".", "clean up"]).with_variable("TEST_KEY", "secret-key").run_to_screen();
        // The provider's name is all that may differ.
        snapshot!("run_model_server", screen.replace(&format!("`{provider}`"), "`PROVIDER`"));
        assert!(!screen.contains("secret-key"));
        let seen = server.requests();
        assert_eq!(seen.len(), 3, "{provider}");
        let results = tool_result_texts(&seen[2].body);
        assert!(results.contains("formatting is not for agents") && results.contains("harness.md"), "{results}");
    }
}

#[test]
fn a_model_that_is_named_on_the_line_is_reached_at_the_declared_address() {
    for (provider, declared) in [("openai", "gpt-4o"), ("anthropic", "claude-x")] {
        let server = start_model_server();
        let fixture = create_agent(provider, declared, &server);
        let model = format!("{provider}:another");
        let run = fixture.pintle(&["run", ".", "--model", &model, "--json", "clean up"]).with_variable("TEST_KEY", "k");
        let (out, err, status) = run.run_to_parts();
        assert_eq!((err.as_str(), status), ("", Some(0)), "{provider}");
        let records: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let pieces: Vec<&str> = records
            .iter()
            .filter(|record| record["kind"] == "text")
            .map(|record| record["text"].as_str().unwrap())
            .collect();
        assert!(pieces.len() > 2, "the answer is streamed: {pieces:?}");
        assert_eq!(pieces.concat(), "I format the disk and look around.The disk was not formatted.");
        let summary = records.last().unwrap();
        assert_eq!((&summary["tool_calls"], &summary["denied"]), (&2.into(), &1.into()), "{provider}");
        assert!(server.requests().iter().all(|request| request.body["model"] == "another"), "{provider}");
    }
}

#[test]
fn a_server_that_refuses_is_the_failure_of_the_run() {
    let server = ModelServer::start_with(|_| ServerAnswer::Refuse(401, "no such key")).unwrap();
    let fixture = create_agent("anthropic", "test", &server);
    snapshot!(
        "run_model_refuses",
        fixture.pintle(&["run", ".", "hello"]).with_variable("TEST_KEY", "k").run_to_screen()
    );
}
