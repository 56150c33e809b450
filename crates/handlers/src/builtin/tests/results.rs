//! Tests built-ins that change tool results.

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{Event, Origin, Rewrite, Verdict, VerdictKind};
use serde_json::{Value, json};

use super::{BuiltinFixture, BuiltinState};

/// The replaced content of a result in a verdict.
fn result_content(verdict: &Verdict) -> &str {
    match &verdict.kind {
        VerdictKind::Rewrite(Rewrite::Fields(fields)) if fields.len() == 1 => fields["content"].as_str().unwrap(),
        _ => panic!("{verdict:?}"),
    }
}

/// A result of a tool.
fn tool_result(category: &str, name: &str, text: &str) -> Value {
    json!({"call_id": "call_1", "name": name, "content": text, "result": text, "is_error": false, "category": category,
        "args": {"path": "a"}, "read_only": true, "partial": false})
}

#[test]
fn a_large_result_goes_to_a_private_file_until_the_session_ends() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = tempfile::tempdir().unwrap();
    let state = Arc::default();
    let ask = |payload: Value| {
        BuiltinFixture::new("tool.result", payload)
            .with_state(&state)
            .in_directory(directory.path(), "limit-1")
            .call_by_name("limit_large_tool_results", &[])
    };
    let text = format!("first\n{}", "é".repeat(40_000));
    let verdict = ask(tool_result("shell", "shell", &text));
    let (notice, part) = result_content(&verdict).split_once("\n\n").unwrap();
    let (start, path) = notice.rsplit_once(": ").unwrap();
    assert_eq!(
        start,
        format!(
            "Tool call result was too large ({} bytes; limit 51200 bytes). The full result is available in a file",
            text.len()
        )
    );
    assert_eq!(part, format!("Showing the last 2000 lines (up to 51200 bytes):\n\n{}", "é".repeat(25_600)));
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = Path::new(path);
    assert_eq!((rights(path), rights(path.parent().unwrap())), (0o600, 0o700));

    let many = "l\n".repeat(2_001);
    let lines = ask(tool_result("mcp", "x", &many));
    assert!(result_content(&lines).ends_with(&format!(":\n\n{}", "l\n".repeat(2_000))));
    assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 2);

    // The end of a run or a delegated agent keeps the files; the end of the session removes them.
    let end = |event: &str, depth: u32| {
        let fixture =
            BuiltinFixture::new(event, json!({})).with_state(&state).in_directory(directory.path(), "limit-1");
        let origin = Origin { depth, ..(*fixture.event.origin).clone() };
        let fixture = BuiltinFixture { event: Event { origin: Arc::new(origin), ..fixture.event }, ..fixture };
        assert_eq!(fixture.call_by_name("limit_large_tool_results", &[]), Verdict::pass());
    };
    end("turn.end", 0);
    end("session.end", 1);
    assert!(path.exists());
    end("session.end", 0);
    assert!(!path.exists() && !path.parent().unwrap().exists());
    end("session.end", 0);
}

#[test]
fn a_file_of_a_large_result_holds_no_secret_wherever_the_hook_stands() {
    let directory = tempfile::tempdir().unwrap();
    let token = format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO");
    let text = format!("token {token}\n").repeat(2_500);
    let options = r#"{"Threshold": 1000, "PreviewSize": 130, "OutputDir": "out"}"#;
    let state = Arc::default();
    for (name, arguments) in [("limit_large_tool_results", &[][..]), ("handle_large_tool_output", &[options])] {
        let fixture = BuiltinFixture::new("tool.result", tool_result("shell", "shell", &text))
            .with_state(&state)
            .in_directory(directory.path(), "limit-4");
        let verdict = fixture.with_redactor().call_by_name(name, arguments);
        let shown = result_content(&verdict);
        assert!(shown.contains("[REDACTED]") && !shown.contains("0kP1lO"), "{name}: {shown}");
        let path = shown.split([' ', ']', '\n']).find(|word| word.ends_with(".txt")).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "token [REDACTED]\n".repeat(2_500), "{name}");
    }
    BuiltinFixture::new("session.end", json!({}))
        .with_state(&state)
        .in_directory(directory.path(), "limit-4")
        .call_by_name("limit_large_tool_results", &[]);
}

#[test]
fn small_results_parts_and_other_tools_stay_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let large = "x".repeat(51_201);
    let exact = "x".repeat(51_200);
    let exact_lines = "l\n".repeat(2_000);
    let mut partial = tool_result("shell", "shell", &large);
    partial["partial"] = json!(true);
    for payload in [
        tool_result("shell", "shell", &exact),
        tool_result("shell", "shell", &exact_lines),
        tool_result("think", "think", &large),
        tool_result("", "custom", &large),
        partial,
    ] {
        let fixture = BuiltinFixture::new("tool.result", payload).in_directory(directory.path(), "limit-2");
        assert_eq!(fixture.call_by_name("limit_large_tool_results", &[]), Verdict::pass());
    }
}

#[test]
fn the_beginning_of_a_file_is_shown_with_the_line_to_read_on_from() {
    let directory = tempfile::tempdir().unwrap();
    let state = Arc::default();
    let ask = |text: &str, line: Option<u64>, name: &str| {
        let mut payload = tool_result("filesystem", name, text);
        payload["args"]["line"] = json!(line);
        let fixture =
            BuiltinFixture::new("tool.result", payload).with_state(&state).in_directory(directory.path(), "limit-3");
        result_content(&fixture.call_by_name("limit_large_tool_results", &[])).to_owned()
    };
    let text = "line\n".repeat(2_500);
    let whole = ask(&text, None, "read_file");
    assert!(whole.contains("\"line\": 2001 "), "{}", &whole[..400]);
    assert!(whole.ends_with(&format!(":\n\n{}", "line\n".repeat(2_000))));
    assert!(ask(&text, Some(101), "read_file").contains("\"line\": 2101 "));
    assert!(
        ask(&"é".repeat(30_000), None, "read_file").contains("Showing the first 51200 bytes. The first line alone")
    );
    assert!(ask(&text, None, "search_files_content").contains("Showing the last 2000 lines"));
    BuiltinFixture::new("session.end", json!({}))
        .with_state(&state)
        .in_directory(directory.path(), "limit-3")
        .call_by_name("limit_large_tool_results", &[]);
}

#[test]
fn a_large_output_is_saved_where_the_author_says() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = || {
        BuiltinFixture::new("tool.result", tool_result("shell", "shell", &"é".repeat(30)))
            .in_directory(directory.path(), "a/b")
    };
    let options = r#"{"Threshold": 20, "PreviewSize": 5, "OutputDir": "out"}"#;
    let path = directory.path().join("out/a_b_call_1.txt");
    let expected = format!(
        "[shell response: 60 chars, full output saved to {path}]\n\nFirst 5 chars:\néé\n\n[Use shell tool to read: cat {path}]",
        path = path.display()
    );
    assert_eq!(result_content(&fixture().call_by_name("handle_large_tool_output", &[options])), expected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "é".repeat(30));
    assert!(
        result_content(&fixture().call_by_name("handle_large_tool_output", &[options])).contains("a_b_call_1_2.txt")
    );
    assert_eq!(fixture().call_by_name("handle_large_tool_output", &[]), Verdict::pass());
    assert_eq!(fixture().call_by_name("handle_large_tool_output", &["{"]), Verdict::pass());
}

#[test]
fn a_result_that_was_seen_is_not_sent_again() {
    let directory = tempfile::tempdir().unwrap();
    let long = "text ".repeat(100);
    let state = Arc::default();
    let ask_in = |state: &Arc<BuiltinState>, session: &str, payload: &Value| {
        let fixture = BuiltinFixture::new("tool.result", payload.clone()).with_state(state);
        let fixture = fixture.in_directory(directory.path(), session);
        fixture.call_by_name("elide_repeated_tool_results", &[])
    };
    let ask = |session: &str, payload: &Value| ask_in(&state, session, payload);
    let look = tool_result("filesystem", "read_file", &long);
    assert_eq!(ask("elide-1", &look), Verdict::pass());
    let marker = "[pintle] `read_file` ran again with the same arguments and gave the same 500 bytes as before in this session; \
                  they are not repeated here. Nothing has changed since.";
    assert_eq!(result_content(&ask("elide-1", &look)), marker);
    // Another runtime, another session, other arguments, another text, and the first text again.
    assert_eq!(ask_in(&Arc::default(), "elide-1", &look), Verdict::pass());
    assert_eq!(ask("elide-2", &look), Verdict::pass());
    let mut other = look.clone();
    other["args"] = json!({"path": "b"});
    assert_eq!(ask("elide-1", &other), Verdict::pass());
    let mut changed = look.clone();
    changed["content"] = json!(long.replace('x', "y"));
    assert_eq!(ask("elide-1", &changed), Verdict::pass());
    assert_eq!(ask("elide-1", &look), Verdict::pass());
    assert_eq!(result_content(&ask("elide-1", &look)), marker);
    // Results that must not be elided, twice each.
    let with = |field: &str, value: Value| {
        let mut payload = look.clone();
        payload[field] = value;
        payload
    };
    for payload in [
        with("read_only", json!(false)),
        with("category", json!("mcp")),
        with("is_error", json!(true)),
        with("partial", json!(true)),
        with("content", json!("short")),
        with("content", json!("x".repeat(51_200))),
    ] {
        for _ in 0..2 {
            assert_eq!(ask("elide-3", &payload), Verdict::pass());
        }
    }
    for event in ["session.start", "session.end", "compact.post"] {
        BuiltinFixture::new(event, json!({}))
            .with_state(&state)
            .in_directory(directory.path(), "elide-1")
            .call_by_name("elide_repeated_tool_results", &[]);
        assert_eq!(ask("elide-1", &look), Verdict::pass(), "{event}");
        assert_eq!(result_content(&ask("elide-1", &look)), marker);
    }
}
