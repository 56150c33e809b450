use serde_json::{Value, json};

use super::vocabulary;
use crate::CanonicalCall;

/// Changes one argument of one part, and returns the native input, or why it cannot be merged back.
fn change_argument(
    host: &str,
    tool: &str,
    input: &Value,
    part: usize,
    argument: &str,
    to: Option<Value>,
) -> Result<Value, String> {
    let words = vocabulary(host);
    let mut parts: Vec<CanonicalCall> = words.to_canonical(tool, input);
    let args = parts[part].args.as_object_mut().unwrap();
    match to {
        Some(to) => args.insert(argument.to_owned(), to),
        None => args.remove(argument),
    };
    words.merge_back(tool, input, &parts).map_err(|reason| reason.to_string())
}

#[test]
fn changed_argument_is_merged_under_the_native_name_and_rest_stays() {
    let bash = json!({"command": "rm x", "description": "d", "timeout": 5});
    let cases = [
        (
            "claude",
            "Bash",
            &bash,
            0,
            "command",
            Some(json!("ls")),
            json!({"command": "ls", "description": "d", "timeout": 5}),
        ),
        ("claude", "Bash", &bash, 0, "timeout_ms", None, json!({"command": "rm x", "description": "d"})),
        (
            "claude",
            "Write",
            &json!({"file_path": "a", "content": "k"}),
            0,
            "path",
            Some(json!("b")),
            json!({"file_path": "b", "content": "k"}),
        ),
        (
            "claude",
            "Read",
            &json!({"file_path": "a"}),
            0,
            "limit",
            Some(json!(5)),
            json!({"file_path": "a", "limit": 5}),
        ),
        (
            "claude",
            "Edit",
            &json!({"file_path": "a"}),
            0,
            "all",
            Some(json!(true)),
            json!({"file_path": "a", "replace_all": true}),
        ),
        (
            "cline",
            "run_commands",
            &json!({"commands": ["a", "b"]}),
            1,
            "command",
            Some(json!("c")),
            json!({"commands": ["a", "c"]}),
        ),
        (
            "cline",
            "run_commands",
            &json!({"commands": "[\"a\",\"b\"]"}),
            0,
            "command",
            Some(json!("c")),
            json!({"commands": "[\"c\",\"b\"]"}),
        ),
        ("cline", "run_commands", &json!({"commands": "a"}), 0, "command", Some(json!("c")), json!({"commands": "c"})),
        (
            "cline",
            "read_files",
            &json!({"files": [{"path": "a", "start": 1}]}),
            0,
            "path",
            Some(json!("b")),
            json!({"files": [{"path": "b", "start": 1}]}),
        ),
        (
            "claude",
            "MultiEdit",
            &json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}),
            0,
            "new",
            Some(json!("z")),
            json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "z"}]}),
        ),
        (
            "claude",
            "MultiEdit",
            &json!({"file_path": "a", "edits": [{"old_string": "x"}]}),
            0,
            "path",
            Some(json!("b")),
            json!({"file_path": "b", "edits": [{"old_string": "x"}]}),
        ),
        ("gemini", "mcp_fs_read", &json!({"path": "a"}), 0, "path", Some(json!("b")), json!({"path": "b"})),
        (
            "codex",
            "shell",
            &json!({"command": ["bash", "-lc", "rm a"]}),
            0,
            "command",
            Some(json!("ls && true")),
            json!({"command": ["bash", "-lc", "ls && true"]}),
        ),
        (
            "codex",
            "shell",
            &json!({"command": ["rm", "a"]}),
            0,
            "command",
            Some(json!("ls 'a b'")),
            json!({"command": ["ls", "a b"]}),
        ),
    ];
    for (host, tool, input, part, argument, to, wanted) in cases {
        assert_eq!(change_argument(host, tool, input, part, argument, to), Ok(wanted), "{host} {tool} {input}");
    }
}

#[test]
fn patch_accepts_new_text_new_path_and_new_content_of_an_added_file() {
    let text =
        "*** Begin Patch\n*** Add File: a\n+one\n*** Delete File: b\n*** Update File: c\n@@\n-x\n+y\n*** End Patch\n";
    let input = json!({"command": text});
    let of = |text: String| Ok(json!({"command": text}));
    let change = |part, argument: &str, to: &str| {
        change_argument("codex", "apply_patch", &input, part, argument, Some(json!(to)))
    };
    assert_eq!(change(0, "patch", "other"), of(String::from("other")));
    assert_eq!(change(1, "path", "z"), of(text.replace("Add File: a", "Add File: z")));
    assert_eq!(change(1, "content", "two\nthree\n"), of(text.replace("+one", "+two\n+three")));
    assert_eq!(change(2, "path", "z"), of(text.replace("Delete File: b", "Delete File: z")));
    assert_eq!(
        change(3, "new", "z"),
        Err(String::from("a patch section that edits or moves a file cannot be rewritten"))
    );
    assert_eq!(
        change(1, "path", "a\n*** Delete File: c"),
        Err(String::from("a file in a patch needs a single-line path"))
    );
}

#[test]
fn what_an_agents_form_has_no_place_for_is_an_error() {
    let two = json!({"file_path": "a", "edits": [{"old_string": "x"}, {"old_string": "y"}]});
    assert_eq!(
        change_argument("claude", "MultiEdit", &two, 0, "path", Some(json!("b"))),
        Err(String::from("`path` must be the same for all elements"))
    );
    let decoy = json!({"path": "decoy", "content": "k"});
    assert_eq!(
        change_argument("claude", "Write", &decoy, 0, "path", Some(json!("b"))),
        Ok(json!({"path": "b", "content": "k"}))
    );
    let words = vocabulary("claude");
    let mut parts = words.to_canonical("Bash", &json!({"command": "ls"}));
    parts[0].name = String::from("read");
    let reason = words.merge_back("Bash", &json!({"command": "ls"}), &parts).unwrap_err();
    assert_eq!(reason.to_string(), "a call of `shell` cannot become a call of another tool");
    let reason = words.merge_back("Bash", &json!({"command": "ls"}), &[]).unwrap_err();
    assert_eq!(reason.to_string(), "the number of canonical calls of `Bash` cannot change");
    assert_eq!(
        change_argument("codex", "shell", &json!({"command": ["rm", "a"]}), 0, "command", Some(json!("ls && true"))),
        Err(String::from("the changed command needs a shell, and the call runs a program"))
    );
    let command = json!({"command": "apply_patch '*** Begin Patch\n*** Delete File: b\n*** End Patch'"});
    assert_eq!(
        change_argument("codex", "Bash", &command, 1, "path", Some(json!("c"))),
        Err(String::from("a single file of a patch inside a command cannot be changed"))
    );
}
