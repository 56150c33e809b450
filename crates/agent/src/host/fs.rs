//! The `fs.*` functions of tool scripts, which read and write files of the workspace.

use pintle_host::CancelToken;
use pintle_host::contract::EffectReply;
use pintle_host::jail;
use serde_json::Value;

use crate::edits::TrackedFiles;
use crate::workspace::replace_one;

/// Runs one function of `fs`.
pub(super) fn perform(
    files: &TrackedFiles<'_>,
    function: &str,
    arguments: &Value,
    cancel: &CancelToken,
) -> Result<EffectReply, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let path = text("path");
    let workspace = files.workspace;
    let done = match function {
        "write" => files.write(path, text("content")),
        "append" => files.append(path, text("content")),
        "remove" => files.remove(path),
        "mkdir" => files.make_dir(path),
        "copy" => files.copy(text("src"), text("dst")),
        "move" => files.rename(text("src"), text("dst")),
        "replace" => workspace
            .read(path)
            .map_err(|error| error.to_string())
            .and_then(|content| replace_one(&content, text("old"), text("new")))
            .and_then(|content| files.edit(path, &content)),
        _ => {
            return jail::answer_fs(workspace, function, arguments, jail::MAX_FILE_BYTES, cancel)
                .map_err(|error| error.to_string());
        }
    };
    done.map(|()| EffectReply::Done).map_err(|reason| format!("fs.{function}: {reason}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::workspace::tests::open_workspace;

    #[test]
    fn every_function_works_within_the_workspace() {
        let (_folder, workspace) = open_workspace();
        let files = TrackedFiles { workspace: &workspace, edit_sink: None };
        let perform = |function: &str, arguments: &Value| perform(&files, function, arguments, &CancelToken::default());
        let value = |value: Value| Ok(EffectReply::Value(value));
        let cases = [
            ("write", json!({"path": "a/b.txt", "content": "one\ntwo\n"}), Ok(EffectReply::Done)),
            ("append", json!({"path": "a/b.txt", "content": "three\n"}), Ok(EffectReply::Done)),
            ("read", json!({"path": "a/b.txt"}), value(json!("one\ntwo\nthree\n"))),
            ("exists", json!({"path": "a/b.txt"}), value(json!(true))),
            ("exists", json!({"path": "no"}), value(json!(false))),
            ("replace", json!({"path": "a/b.txt", "old": "two", "new": "2"}), Ok(EffectReply::Done)),
            ("find", json!({"path": "a/b.txt", "text": "2"}), value(json!([{"line_num": 2, "text": "2"}]))),
            ("read_lines", json!({"path": "a/b.txt", "start": 2, "end": 2}), value(json!("     2\t2\n"))),
            ("copy", json!({"src": "a/b.txt", "dst": "c.txt"}), Ok(EffectReply::Done)),
            ("move", json!({"src": "c.txt", "dst": "d.txt"}), Ok(EffectReply::Done)),
            ("mkdir", json!({"path": "e"}), Ok(EffectReply::Done)),
            ("list", json!({"path": "."}), value(json!(["a", "d.txt", "e"]))),
            ("glob", json!({"pattern": "**/*.txt"}), value(json!(["a/b.txt", "d.txt"]))),
            ("remove", json!({"path": "d.txt"}), Ok(EffectReply::Done)),
        ];
        for (function, arguments, expected) in cases {
            assert_eq!(perform(function, &arguments), expected, "{function} {arguments}");
        }
        let Ok(EffectReply::Value(stat)) = perform("stat", &json!({"path": "a"})) else { panic!("no stat") };
        assert_eq!((&stat["name"], &stat["is_dir"]), (&json!("a"), &json!(true)));
        for function in ["read", "write", "append", "remove", "mkdir", "list", "stat", "find", "replace"] {
            let error = perform(function, &json!({"path": "../x", "old": "a"})).unwrap_err();
            assert!(error.starts_with(&format!("fs.{function}: ")) && error.contains("outside"), "{error}");
        }
        assert_eq!(perform("format", &json!({})).unwrap_err(), "fs.format: not supported here");
    }
}
