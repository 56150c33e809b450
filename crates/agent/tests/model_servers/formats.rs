//! The requests and replies in each format.

use pintle_agent::model::{ModelMessage, ModelReply, ModelRequest, ModelTool, ModelUsage, RemoteModel};
use pintle_host::contract::ModelSpec;
use pintle_testkit::model_server::{ModelServer, ScriptedReply, ServerAnswer};
use serde_json::{Value, json};

use crate::model_servers::{
    KEY, complete_request, model_spec, new_request, open_model, request_with_answer, tool_call, tool_definition,
};

fn tool_call_reply() -> ScriptedReply {
    ScriptedReply {
        text: "I will look.".into(),
        calls: vec![("c1", "fs_read_2", "{\"path\": \"a\"}"), ("c2", "fs_read", "{\"path\": \"ö\", \"n\": 1.5}")],
        usage: (30, 12),
        is_truncated: false,
    }
}

#[test]
fn a_tool_call_and_its_result_travel_in_every_format() {
    for provider in ["openai", "vllm", "anthropic", "gemini"] {
        let server = ModelServer::start(vec![
            ServerAnswer::Reply(tool_call_reply()),
            ServerAnswer::Reply(ScriptedReply::from_text("It is text.")),
        ])
        .unwrap();
        let model = open_model(provider, &server);
        let (reply, heard) = complete_request(&model, &new_request());
        let reply = reply.unwrap();
        // Gemini sends no ids, so Pintle generates them. The other name is not valid on the wire.
        let ids = if provider == "gemini" { ["call_1", "call_2"] } else { ["c1", "c2"] };
        // The chat format and Gemini carry this as a value, so it comes back serialized again.
        let expected = ModelReply {
            text: "I will look.".into(),
            tool_calls: vec![
                tool_call(ids[0], "fs.read", "{\"path\":\"a\"}"),
                tool_call(ids[1], "fs_read", "{\"path\":\"ö\",\"n\":1.5}"),
            ],
            finish_reason: "tool_calls".into(),
            usage: ModelUsage { input_tokens: 30, output_tokens: 12 },
        };
        assert_eq!((&reply, heard.as_str()), (&expected, "I will look."), "{provider}");
        let (last, _) = complete_request(&model, &request_with_answer(&new_request(), &reply));
        let last = last.unwrap();
        assert_eq!((last.text.as_str(), last.finish_reason.as_str()), ("It is text.", "stop"), "{provider}");
        assert_eq!(last.usage, ModelUsage { input_tokens: 10, output_tokens: 5 }, "{provider}");

        let seen = server.requests();
        assert_eq!(seen.len(), 2);
        let (path, header, value) = match provider {
            "anthropic" => ("/v1/messages", "x-api-key", KEY.to_owned()),
            "gemini" => ("/v1beta/models/test:streamGenerateContent?alt=sse", "x-goog-api-key", KEY.to_owned()),
            _ => ("/v1/chat/completions", "authorization", format!("Bearer {KEY}")),
        };
        for request in &seen {
            assert_eq!((request.path.as_str(), request.header(header)), (path, Some(value.as_str())), "{provider}");
        }
        assert_eq!(seen[1].body, second_body(provider), "{provider}");
    }
}

fn tool_schema() -> Value {
    tool_definition("x").parameters
}

/// The complete second request: the conversation with the calls and their results.
fn second_body(provider: &str) -> Value {
    match provider {
        "anthropic" => json!({
            "model": "test",
            "messages": [
                {"role": "user", "content": "what is in a?"},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I will look."},
                    {"type": "tool_use", "id": "c1", "name": "fs_read_2", "input": {"path": "a"}},
                    {"type": "tool_use", "id": "c2", "name": "fs_read", "input": {"path": "ö", "n": 1.5}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "content": "result of fs.read", "tool_use_id": "c1"},
                    {"type": "tool_result", "content": "result of fs_read", "tool_use_id": "c2"},
                ]},
            ],
            "system": "be brief",
            "tools": [
                {"name": "fs_read_2", "description": "reads a file", "input_schema": tool_schema()},
                {"name": "fs_read", "description": "reads a file", "input_schema": tool_schema()},
            ],
            "max_tokens": 256,
            "temperature": 0.7,
            "stream": true,
        }),
        "gemini" => json!({
            "contents": [
                {"role": "user", "parts": [{"text": "what is in a?"}]},
                {"role": "model", "parts": [
                    {"text": "I will look."},
                    {"functionCall": {"name": "fs_read_2", "args": {"path": "a"}}, "thoughtSignature": "sign-fs_read_2"},
                    {"functionCall": {"name": "fs_read", "args": {"path": "ö", "n": 1.5}}, "thoughtSignature": "sign-fs_read"},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "fs_read_2", "response": {"name": "fs_read_2", "content": "result of fs.read"}}},
                    {"functionResponse": {"name": "fs_read", "response": {"name": "fs_read", "content": "result of fs_read"}}},
                ]},
            ],
            "systemInstruction": {"parts": [{"text": "be brief"}]},
            "tools": [{"functionDeclarations": [
                {"name": "fs_read_2", "description": "reads a file", "parametersJsonSchema": tool_schema()},
                {"name": "fs_read", "description": "reads a file", "parametersJsonSchema": tool_schema()},
            ]}],
            "generationConfig": {"maxOutputTokens": 256, "temperature": 0.7},
        }),
        _ => {
            let function = |name: &str| {
                json!({"type": "function", "function": {
                    "name": name, "description": "reads a file", "parameters": tool_schema(), "strict": false,
                }})
            };
            json!({
                "model": "test-medium",
                "messages": [
                    {"role": "system", "content": "be brief"},
                    {"role": "user", "content": "what is in a?"},
                    {"role": "assistant", "content": "I will look.", "tool_calls": [
                        {"type": "function", "id": "c1", "function": {"name": "fs_read_2", "arguments": "{\"path\":\"a\"}"}},
                        {"type": "function", "id": "c2", "function": {"name": "fs_read", "arguments": "{\"path\":\"ö\",\"n\":1.5}"}},
                    ]},
                    {"role": "tool", "content": "result of fs.read", "tool_call_id": "c1"},
                    {"role": "tool", "content": "result of fs_read", "tool_call_id": "c2"},
                ],
                "tools": [function("fs_read_2"), function("fs_read")],
                "stream": true,
                "stream_options": {"include_usage": true},
                "max_tokens": 256,
                "temperature": 0.7,
            })
        }
    }
}

#[test]
fn a_server_without_keys_gets_none() {
    for provider in ["ollama", "openai"] {
        let server = ModelServer::start(vec![ServerAnswer::Reply(ScriptedReply::from_text("hi"))]).unwrap();
        let spec = ModelSpec { api_key_env: None, ..model_spec(provider, &server) };
        // A provider's usual key is only sent to its usual address.
        let model = RemoteModel::new(&spec, &|_| Some(String::from("must not be sent"))).unwrap();
        assert_eq!(complete_request(&model, &new_request()).0.unwrap().text, "hi");
        let seen = server.requests();
        assert_eq!((seen[0].path.as_str(), seen[0].header("authorization")), ("/v1/chat/completions", None));
    }
}

#[test]
fn address_of_the_environment_is_used_unless_one_is_declared() {
    for (provider, variable, key) in
        [("openai", "OPENAI_BASE_URL", None), ("openai", "OPENAI_BASE_URL", Some(KEY)), ("ollama", "OLLAMA_HOST", None)]
    {
        let server = ModelServer::start(vec![ServerAnswer::Reply(ScriptedReply::from_text("hi"))]).unwrap();
        let address = match provider {
            "ollama" => server.url("").trim_start_matches("http://").trim_end_matches('/').to_owned(),
            _ => server.url("/v1"),
        };
        let spec = ModelSpec { base_url: None, api_key_env: None, ..model_spec(provider, &server) };
        let environment = |name: &str| match name {
            "OPENAI_API_KEY" => key.map(str::to_owned),
            name => (name == variable).then(|| address.clone()),
        };
        let model = RemoteModel::new(&spec, &environment).unwrap();
        assert_eq!(complete_request(&model, &new_request()).0.unwrap().text, "hi", "{provider}");
        let seen = server.requests();
        let sent = key.map(|key| format!("Bearer {key}"));
        assert_eq!(
            (seen[0].path.as_str(), seen[0].header("authorization").map(str::to_owned)),
            ("/v1/chat/completions", sent)
        );
    }
}

#[test]
fn what_a_request_sets_goes_before_what_was_declared() {
    let cut = ScriptedReply { is_truncated: true, ..ScriptedReply::from_text("cut") };
    let server = ModelServer::start(vec![ServerAnswer::Reply(cut)]).unwrap();
    let request = ModelRequest {
        model: "other".into(),
        max_tokens: Some(5),
        temperature: Some(0.0),
        top_p: Some(0.25),
        stop: vec!["END".into()],
        tools: Vec::new(),
        messages: vec![ModelMessage::user("hi")],
        ..new_request()
    };
    let reply = complete_request(&open_model("openai", &server), &request).0.unwrap();
    assert_eq!(reply.finish_reason, "length");
    let whole = json!({
        "model": "other",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": true,
        "stream_options": {"include_usage": true},
        "max_tokens": 5,
        "temperature": 0.0,
        "top_p": 0.25,
        "stop": ["END"],
    });
    assert_eq!(server.requests()[0].body, whole);
}

#[test]
fn ids_that_a_server_repeats_are_made_different() {
    let again = || {
        ServerAnswer::Reply(ScriptedReply {
            calls: vec![("call_0", "fs_read", "{}"), ("call_0", "fs_read", "{}")],
            ..ScriptedReply::from_text("")
        })
    };
    let server = ModelServer::start(vec![again(), again()]).unwrap();
    let model = open_model("openai", &server);
    let first = complete_request(&model, &new_request()).0.unwrap();
    let second = complete_request(&model, &request_with_answer(&new_request(), &first)).0.unwrap();
    let ids: Vec<_> = first.tool_calls.iter().chain(&second.tool_calls).map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "call_2", "call_3", "call_4"]);
}

#[test]
fn calls_of_many_threads_share_a_model() {
    let server = ModelServer::start_with(|seen| {
        let asked = seen.body["messages"][0]["content"].as_str().unwrap_or_default();
        ServerAnswer::Reply(ScriptedReply::from_text(format!("answer to {asked}")))
    })
    .unwrap();
    let model = open_model("openai", &server);
    let heard: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let model = &model;
                scope.spawn(move || {
                    let request =
                        ModelRequest { messages: vec![ModelMessage::user(number.to_string())], ..new_request() };
                    complete_request(model, &request).1
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(heard, (0..8).map(|number| format!("answer to {number}")).collect::<Vec<_>>());
}

#[test]
fn what_providers_refuse_is_made_good() {
    for provider in ["openai", "anthropic"] {
        let server = ModelServer::start(vec![ServerAnswer::Reply(ScriptedReply::from_text("ok"))]).unwrap();
        let request = ModelRequest {
            messages: vec![ModelMessage::user("a"), ModelMessage::assistant("", Vec::new()), ModelMessage::user("b")],
            tools: [json!({}), json!(null)]
                .map(|parameters| ModelTool { name: "now".into(), description: String::new(), parameters })
                .to_vec(),
            ..new_request()
        };
        complete_request(&open_model(provider, &server), &request).0.unwrap();
        let body = &server.requests()[0].body;
        assert_eq!(body["messages"], json!([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]));
        let whole = json!({"type": "object", "properties": {}});
        for tool in body["tools"].as_array().unwrap() {
            assert_eq!(tool.get("input_schema").unwrap_or(&tool["function"]["parameters"]), &whole, "{provider}");
        }
    }
}
