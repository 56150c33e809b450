//! Messages that no editor sends.

use serde_json::{Value, json};

use crate::client::EditorClient;

const HOOK: &str =
    "---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block(\"no\")\n---\n";
const PATH: &str = ".harness/hooks/a.md";

#[test]
fn what_is_not_a_message_is_answered_and_passed_over() {
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    let headers: [&[u8]; 4] = [b"Content-Length: nine\r\n\r\n", b"X: y\r\n\r\n", b"nothing\r\n", b"\r\n"];
    for header in headers {
        editor.send_raw(header);
        assert_eq!(editor.answer_of(&Value::Null)["error"]["code"], -32_700, "{header:?}");
    }
    let bodies: [(&[u8], i64); 8] = [
        (b"{]", -32_700),
        (b"", -32_700),
        (b"\"\xff\"", -32_700),
        (b"\xef\xbb\xbf{}", -32_700),
        (b"[]", -32_600),
        (b"null", -32_600),
        (b"{\"id\": [], \"method\": \"a.b\"}", -32_600),
        (b"{\"id\": null, \"x\": true}", -32_600),
    ];
    for (body, code) in bodies {
        editor.send_raw(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        editor.send_raw(body);
        assert_eq!(editor.answer_of(&Value::Null)["error"]["code"], code, "{body:?}");
    }
    let known = editor.request("textDocument/inlayHint", json!({"textDocument": {"uri": "x:y"}}));
    assert_eq!(known["result"], Value::Null);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn requests_have_their_time() {
    let mut editor = EditorClient::start([(PATH, HOOK)]);
    assert_eq!(editor.request("textDocument/hover", json!({}))["error"]["code"], -32_002);
    assert_eq!(editor.request("initialize", json!({}))["result"]["serverInfo"]["name"], "pintle");
    assert_eq!(editor.request("initialize", json!({}))["error"]["code"], -32_600);
    assert_eq!(editor.request("textDocument/inlayHint", json!({"textDocument": 1}))["error"]["code"], -32_602);
    assert_eq!(editor.request("no/such", json!({}))["error"]["code"], -32_601);
    assert_eq!(editor.request("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(editor.request("no/such", json!({}))["error"]["code"], -32_600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wait(), Some(0));
}

#[test]
fn a_connection_that_breaks_ends_the_server() {
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    editor.open(PATH, HOOK);
    editor.send_raw(b"Content-Length: 500\r\n\r\n{");
    assert_eq!(editor.wait(), Some(1));
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wait(), Some(1));
}

#[test]
fn documents_without_a_file_are_harmless() {
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    let uris = [
        "untitled:Untitled-1",
        "git:/a/b.md",
        "https://example.com/.harness/hooks/a.md",
        "",
        "%",
        "file://",
        "file:///%00.md",
        "file:///.harness/hooks/%ff%00.md",
        "file:relative.md",
    ];
    for uri in uris {
        let document =
            json!({"uri": uri, "languageId": "markdown", "version": 1, "text": "---\nevent: nothing\n---\n"});
        editor.notify("textDocument/didOpen", json!({"textDocument": document}));
        for method in
            ["textDocument/completion", "textDocument/hover", "textDocument/definition", "textDocument/inlayHint"]
        {
            let place = json!({"textDocument": {"uri": uri}, "position": {"line": 4_000_000_000_u32, "character": 4_000_000_000_u32}});
            let answer = editor.request(method, place);
            assert!(answer.get("result").is_some() || answer["error"]["code"] == -32_601, "{uri}: {answer}");
        }
        let change = json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "\u{0}"}]});
        editor.notify("textDocument/didChange", change);
    }
    editor.open(PATH, HOOK);
    assert_eq!(editor.findings_of(PATH), Vec::<Value>::new());
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn large_and_strange_texts_are_checked() {
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    editor.open(PATH, HOOK);
    let long = format!("{HOOK}{}", "ä😀 long\r\n".repeat(700_000));
    for text in
        ["\u{0}", "", "---", "---\n", "\u{feff}---\r\nevent: x\r\n---", "\r\r\n\r", &long, &"a".repeat(10_000_000)]
    {
        editor.texts.get_mut(PATH).unwrap().1 += 1;
        let document = json!({"uri": editor.uri(PATH), "version": editor.texts[PATH].1});
        editor.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
        let found = editor.findings_of(PATH);
        assert!(!found.is_empty() || text.starts_with(HOOK), "{found:?}");
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn fast_typing_ends_with_the_findings_of_the_last_text() {
    let mut editor = EditorClient::start_initialized([(PATH, HOOK)]);
    editor.open(PATH, HOOK);
    for _ in 0..2000 {
        editor.edit(PATH, "return block", "return blok");
        editor.edit(PATH, "return blok", "return block");
    }
    editor.edit(PATH, "tool.pre", "tool.per");
    let found = editor.findings_of(PATH);
    assert_eq!(found[0]["code"], "unknown_event", "{found:?}");
    assert_eq!(editor.end(), Some(0));
}

/// A program that tells that it was run.
const PROGRAM: &str = "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n";

#[test]
fn opening_a_project_runs_none_of_its_programs() {
    let team = "agents:\n  root:\n    model: openai/x\n    instruction: x\n    toolsets:\n      - type: mcp\n        command: ./tool.sh\n    hooks:\n      session_start:\n        - type: command\n          command: ./tool.sh\n      pre_tool_use:\n        - matcher: shell\n          hooks:\n            - type: command\n              command: ./tool.sh\n";
    let settings = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"./tool.sh\"}]}]}}";
    let files = [("agent.yaml", team), (".claude/settings.json", settings), ("tool.sh", PROGRAM), (PATH, HOOK)];
    let mut editor = EditorClient::start_initialized(files);
    pintle_testkit::make_executable(editor.project().join("tool.sh"));
    for (path, text) in files {
        editor.open(path, text);
        editor.findings_of(path);
    }
    assert!(!editor.exists("ran"));
    assert_eq!(editor.end(), Some(0));
}
