//! `fs.*`: files of the workspace, for tools.

use pintle::Reply;
use serde_json::{Value, json};

use crate::edits::Files;
use crate::workspace::{Lines, find, replace_one};

/// The most lines that one search gives.
const MAX_FOUND: usize = 20_000;

/// Performs one function of `fs`.
pub(super) fn perform(files: &Files<'_>, function: &str, arguments: &Value) -> Result<Reply, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let line = |name: &str| arguments.get(name).and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
    let path = text("path");
    let workspace = files.workspace;
    let done = |done: Result<(), String>| done.map(|()| Reply::Done);
    let reply = match function {
        "read" => workspace.read(path).map(|content| Reply::Value(Value::String(content))),
        "write" => done(files.write(path, text("content"))),
        "append" => done(files.append(path, text("content"))),
        "exists" => workspace.exists(path).map(|exists| Reply::Value(Value::Bool(exists))),
        "remove" => done(files.remove(path)),
        "mkdir" => done(files.make_folder(path)),
        "list" => workspace.list(path).map(|found| Reply::Value(found.into_iter().map(|stat| stat.name).collect())),
        "stat" => workspace.stat(path).map(|stat| Reply::Value(stat.to_value())),
        "glob" => workspace.glob(text("pattern"), ".").map(|walk| Reply::Value(json!(walk.paths))),
        "copy" => done(files.copy(text("src"), text("dst"))),
        "move" => done(files.rename(text("src"), text("dst"))),
        "find" => workspace.read(path).and_then(|content| {
            let found = find(&content, text("text")).map(|(line, text)| json!({"line_num": line, "text": text}));
            let found: Vec<Value> = found.take(MAX_FOUND + 1).collect();
            if found.len() > MAX_FOUND {
                return Err(format!("more than {MAX_FOUND} lines hold the text; look for more of it"));
            }
            Ok(Reply::Value(Value::from(found)))
        }),
        "replace" => workspace
            .read(path)
            .and_then(|content| replace_one(&content, text("old"), text("new")))
            .and_then(|content| done(files.edit(path, &content))),
        "read_lines" => workspace.read(path).and_then(|content| {
            let (first, last) = (line("start").unwrap_or(1), line("end").unwrap_or(usize::MAX - 1));
            Ok(Reply::Value(Value::String(Lines::of(&content).numbered(first, last)?)))
        }),
        _ => Err(String::from("there is no such function")),
    };
    reply.map_err(|why| format!("fs.{function}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::workspace;

    #[test]
    fn every_function_works_within_the_workspace() {
        let (_folder, workspace) = workspace();
        let workspace = Files { workspace: &workspace, told: None };
        let value = |value: Value| Ok(Reply::Value(value));
        let cases = [
            ("write", json!({"path": "a/b.txt", "content": "one\ntwo\n"}), Ok(Reply::Done)),
            ("append", json!({"path": "a/b.txt", "content": "three\n"}), Ok(Reply::Done)),
            ("read", json!({"path": "a/b.txt"}), value(json!("one\ntwo\nthree\n"))),
            ("exists", json!({"path": "a/b.txt"}), value(json!(true))),
            ("exists", json!({"path": "no"}), value(json!(false))),
            ("replace", json!({"path": "a/b.txt", "old": "two", "new": "2"}), Ok(Reply::Done)),
            ("find", json!({"path": "a/b.txt", "text": "2"}), value(json!([{"line_num": 2, "text": "2"}]))),
            ("read_lines", json!({"path": "a/b.txt", "start": 2, "end": 2}), value(json!("     2\t2\n"))),
            ("copy", json!({"src": "a/b.txt", "dst": "c.txt"}), Ok(Reply::Done)),
            ("move", json!({"src": "c.txt", "dst": "d.txt"}), Ok(Reply::Done)),
            ("mkdir", json!({"path": "e"}), Ok(Reply::Done)),
            ("list", json!({"path": "."}), value(json!(["a", "d.txt", "e"]))),
            ("glob", json!({"pattern": "**/*.txt"}), value(json!(["a/b.txt", "d.txt"]))),
            ("remove", json!({"path": "d.txt"}), Ok(Reply::Done)),
        ];
        for (function, arguments, expected) in cases {
            assert_eq!(perform(&workspace, function, &arguments), expected, "{function} {arguments}");
        }
        let Ok(Reply::Value(stat)) = perform(&workspace, "stat", &json!({"path": "a"})) else { panic!("no stat") };
        assert_eq!((&stat["name"], &stat["is_dir"]), (&json!("a"), &json!(true)));
        for function in ["read", "write", "append", "remove", "mkdir", "list", "stat", "find", "replace"] {
            let fault = perform(&workspace, function, &json!({"path": "../x", "old": "a"})).unwrap_err();
            assert!(fault.starts_with(&format!("fs.{function}: ")) && fault.contains("outside"), "{fault}");
        }
        assert_eq!(perform(&workspace, "format", &json!({})).unwrap_err(), "fs.format: there is no such function");
    }
}
