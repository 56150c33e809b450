//! `filesystem`.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use pintle::ToolsetKind;
use serde_json::{Value, json};

use crate::bench::{check, with};
use crate::support::*;

fn prepare(folder: &Path) {
    fs::create_dir_all(folder.join("src/deep")).unwrap();
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::create_dir_all(folder.join("empty")).unwrap();
    fs::create_dir_all(folder.join(".harness")).unwrap();
    fs::write(folder.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::write(folder.join("src/b.rs"), "fn main() {}\n// two\n").unwrap();
    fs::write(folder.join("src/deep/c.rs"), "two (2)\n").unwrap();
    fs::write(folder.join(".git/config"), "two\n").unwrap();
    fs::write(folder.join(".harness/rule.md"), "kept").unwrap();
    fs::write(folder.join("binary"), b"two\xff\xfe").unwrap();
    std::os::unix::fs::symlink("/etc", folder.join("out")).unwrap();
}

#[test]
fn each_tool_does_what_it_says_and_refuses_what_it_must() {
    let table: Vec<(&str, Value, Result<&str, &str>)> = vec![
        ("read_file", json!({"path": "a.txt"}), Ok("one\ntwo\nthree\n")),
        ("read_file", json!({"path": "a.txt", "line": 2, "limit": 1}), Ok("two\n")),
        ("read_file", json!({"path": "a.txt", "line": 9}), Ok("")),
        ("read_file", json!({"path": "a.txt", "line": 0}), Err("must be at least 1")),
        ("read_file", json!({"path": "no.txt"}), Err("does not exist")),
        ("read_file", json!({"path": "../x"}), Err("outside the workspace")),
        ("read_file", json!({"path": "out/passwd"}), Err("outside the workspace")),
        ("read_file", json!({"path": "/etc/passwd"}), Err("outside the workspace")),
        ("read_file", json!({"path": "binary"}), Err("is not UTF-8 text")),
        (
            "read_multiple_files",
            json!({"paths": ["src/b.rs", "no"]}),
            Ok(
                "=== src/b.rs ===\nfn main() {}\n// two\n\n\n=== no ===\n`no` does not exist; list its folder to see what does\n\n",
            ),
        ),
        (
            "read_multiple_files",
            json!({"paths": ["src/deep/c.rs"], "json": true}),
            Ok(r#"[{"path":"src/deep/c.rs","content":"two (2)\n"}]"#),
        ),
        ("list_directory", json!({"path": "src"}), Ok("FILE b.rs\nDIR  deep\n")),
        ("list_directory", json!({"path": "empty"}), Ok("Directory is empty: empty\n")),
        ("list_directory", json!({"path": "a.txt"}), Err("is not a folder")),
        (
            "directory_tree",
            json!({"path": "src"}),
            Ok(
                r#"{"name":"src","type":"directory","children":[{"name":"b.rs","type":"file"},{"name":"deep","type":"directory","children":[{"name":"c.rs","type":"file"}]}]}"#,
            ),
        ),
        ("directory_tree", json!({"path": "out"}), Err("outside the workspace")),
        ("search_files_content", json!({"path": ".", "query": "two (2)"}), Ok("src/deep/c.rs:1:1: two (2)")),
        (
            "search_files_content",
            json!({"path": ".", "query": "^two", "is_regex": true}),
            Ok("a.txt:2:1: two\nsrc/deep/c.rs:1:1: two (2)"),
        ),
        (
            "search_files_content",
            json!({"path": ".", "query": "two", "excludePatterns": ["src/deep/*", "a.txt"]}),
            Ok("src/b.rs:2:4: // two"),
        ),
        ("search_files_content", json!({"path": ".", "query": "nowhere"}), Ok("No results found")),
        ("search_files_content", json!({"path": ".", "query": "(", "is_regex": true}), Err("not a regular expression")),
        (
            "write_file",
            json!({"path": "new/d.txt", "content": "dä"}),
            Ok("File written successfully: new/d.txt (3 bytes)"),
        ),
        ("write_file", json!({"path": "../d.txt", "content": ""}), Err("outside the workspace")),
        ("write_file", json!({"path": ".harness/rule.md", "content": "off"}), Err("read-only for tools")),
        (
            "edit_file",
            json!({"path": "new/d.txt", "edits": [{"oldText": "d", "newText": "e"}]}),
            Ok("File edited successfully. Replaced 1 characters"),
        ),
        (
            "edit_file",
            json!({"path": "a.txt", "edits": [
                {"oldText": "one", "newText": "1"}, {"oldText": "1\ntwo", "newText": "2"},
            ]}),
            Ok("File edited successfully. Changes:\nEdit 1: Replaced 3 characters\nEdit 2: Replaced 5 characters"),
        ),
        (
            "edit_file",
            json!({"path": "a.txt", "edits": [{"oldText": "three", "newText": "3"}, {"oldText": "no", "newText": ""}]}),
            Err("Edit 2 failed: the text to replace is not in the file"),
        ),
        ("edit_file", json!({"path": "a.txt", "edits": [{"oldText": "", "newText": "x"}]}), Err("is empty")),
        ("edit_file", json!({"path": "src/b.rs", "edits": [{"oldText": "n", "newText": "m"}]}), Err("2 times")),
        ("read_file", json!({"path": "a.txt"}), Ok("2\nthree\n")),
        (
            "create_directory",
            json!({"paths": ["x/y", "z"]}),
            Ok("Directory created successfully: x/y\nDirectory created successfully: z"),
        ),
        ("create_directory", json!({"paths": ["w", ".harness/x"]}), Err("Directory created successfully: w; then: ")),
        ("remove_directory", json!({"paths": ["x/y"]}), Ok("Directory removed successfully: x/y")),
        ("remove_directory", json!({"paths": ["src"]}), Err("cannot use `src`")),
        ("remove_directory", json!({"paths": ["a.txt"]}), Err("is not a folder")),
        ("remove_directory", json!({"paths": []}), Err("at least 1 items")),
    ];
    let calls: Vec<(&str, Value)> = table.iter().map(|(name, arguments, _)| (*name, arguments.clone())).collect();
    let expected: Vec<Result<&str, &str>> = table.iter().map(|(.., expected)| *expected).collect();
    let (results, stage) = with(ToolsetKind::Filesystem, prepare, &calls);
    check(&results, &calls, &expected);
    assert_eq!(fs::read_to_string(stage.folder.path().join(".harness/rule.md")).unwrap(), "kept");
}

#[test]
fn long_listings_and_searches_end() {
    let many = |folder: &Path| {
        for index in 0..150 {
            fs::write(folder.join(format!("{index:03}")), "x\n".repeat(5_000)).unwrap();
        }
    };
    let calls = [
        ("list_directory", json!({"path": "."})),
        ("directory_tree", json!({"path": "."})),
        ("search_files_content", json!({"path": ".", "query": "x"})),
    ];
    let (results, _stage) = with(ToolsetKind::Filesystem, many, &calls);
    assert_eq!(results[0].0.lines().count(), 101);
    assert!(results[0].0.ends_with("FILE 099\n...output truncated due to file limit...\n"));
    let tree: Value = serde_json::from_str(&results[1].0).unwrap();
    assert_eq!(tree["children"].as_array().unwrap().len(), 100);
    assert!(results[2].0.len() < (1 << 20) + 500 && results[2].0.contains("[Output truncated: exceeded 1 MiB limit."));
}

#[test]
fn hooks_see_the_names_the_category_and_the_claim() {
    let calls = [("read_file", json!({"path": "a.txt"})), ("write_file", json!({"path": "b", "content": ""}))];
    let (_, stage) = with(ToolsetKind::Filesystem, prepare, &calls);
    let seen: Vec<Value> = stage
        .seen
        .of("tool.pre")
        .iter()
        .map(|pre| json!([pre["name"], pre["args"], pre["category"], pre.get("read_only")]))
        .collect();
    assert_eq!(
        seen,
        [
            json!(["read_file", {"path": "a.txt"}, "filesystem", true]),
            // What makes no claim has no field.
            json!(["write_file", {"path": "b", "content": ""}, "filesystem", null]),
        ]
    );
    let names = stage.session.tools();
    assert!(
        !names.iter().any(|name| ["read", "shell", "delegate", "transfer_task"].contains(&name.as_str())),
        "{names:?}"
    );
    assert!(told(&stage.model.request(0))[0].contains("be brief\n\nFiles: the working directory is"));
}
