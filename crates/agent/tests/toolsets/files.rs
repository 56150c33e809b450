//! `filesystem`.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use pintle_agent::Session;
use pintle_host::contract::{PermissionMode, ToolsetKind};
use pintle_host::dialects::command_hooks::tools_of;
use pintle_host::{Layer, Runtime};
use serde_json::{Value, json};

use crate::support::*;
use crate::toolsets::bench::{call_toolset, check_results, member_spec, toolset_spec};

fn prepare_files(dir: &Path) {
    fs::create_dir_all(dir.join("src/deep")).unwrap();
    fs::create_dir_all(dir.join(".git")).unwrap();
    fs::create_dir_all(dir.join("empty")).unwrap();
    fs::create_dir_all(dir.join(".harness")).unwrap();
    fs::write(dir.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    fs::write(dir.join("empty.txt"), "").unwrap();
    fs::File::create(dir.join("large.txt")).unwrap().set_len(9 << 20).unwrap();
    fs::write(dir.join("src/b.rs"), "fn main() {}\n// two\n").unwrap();
    fs::write(dir.join("src/deep/c.rs"), "two (2)\n").unwrap();
    fs::write(dir.join(".git/config"), "two\n").unwrap();
    fs::write(dir.join(".harness/rule.md"), "kept").unwrap();
    fs::write(dir.join("binary"), b"two\xff\xfe").unwrap();
    std::os::unix::fs::symlink("/etc", dir.join("out")).unwrap();
    std::os::unix::fs::symlink("src", dir.join("linked")).unwrap();
}

#[test]
fn each_tool_does_what_it_says_and_refuses_what_it_must() {
    let table: Vec<(&str, Value, Result<&str, &str>)> = vec![
        ("read_file", json!({"path": "a.txt"}), Ok("one\ntwo\nthree\n")),
        ("read_file", json!({"path": "a.txt", "line": 2, "limit": 1}), Ok("two\n")),
        ("read_file", json!({"path": "a.txt", "line": 9}), Err("line 9 is not in the file, which has 3 lines")),
        ("read_file", json!({"path": "empty.txt", "line": 1}), Ok("")),
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
                "=== src/b.rs ===\nfn main() {}\n// two\n\n\n=== no ===\n`no` does not exist; list its directory to see what does\n\n",
            ),
        ),
        (
            "read_multiple_files",
            json!({"paths": ["src/deep/c.rs"], "json": true}),
            Ok(r#"[{"path":"src/deep/c.rs","content":"two (2)\n"}]"#),
        ),
        ("read_multiple_files", json!({"paths": []}), Err("at least 1 items")),
        ("read_multiple_files", json!({"paths": ["large.txt", "large.txt"]}), Err("larger than 16 MiB together")),
        ("list_directory", json!({"path": "src"}), Ok("FILE b.rs\nDIR  deep\n")),
        ("list_directory", json!({"path": "empty"}), Ok("Directory is empty: empty\n")),
        ("list_directory", json!({"path": "a.txt"}), Err("is not a directory")),
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
        (
            "edit_file",
            json!({"path": "src/b.rs", "all": true, "edits": [{"oldText": "n", "newText": "m", "all": true}]}),
            Err("2 times"),
        ),
        ("read_file", json!({"path": "a.txt"}), Ok("2\nthree\n")),
        (
            "create_directory",
            json!({"paths": ["x/y", "z"]}),
            Ok("Directory created successfully: x/y\nDirectory created successfully: z"),
        ),
        ("create_directory", json!({"paths": ["w", ".harness/x"]}), Err("Directory created successfully: w; then: ")),
        ("remove_directory", json!({"paths": ["x/y"]}), Ok("Directory removed successfully: x/y")),
        ("remove_directory", json!({"paths": ["src"]}), Err("cannot use `src`")),
        ("remove_directory", json!({"paths": ["a.txt"]}), Err("is not a directory")),
        ("remove_directory", json!({"paths": ["linked"]}), Err("is not a directory")),
        ("remove_directory", json!({"paths": []}), Err("at least 1 items")),
    ];
    let calls: Vec<(&str, Value)> = table.iter().map(|(name, arguments, _)| (*name, arguments.clone())).collect();
    let expected: Vec<Result<&str, &str>> = table.iter().map(|(.., expected)| *expected).collect();
    let (results, fixture) = call_toolset(ToolsetKind::Filesystem, prepare_files, &calls);
    check_results(&results, &calls, &expected);
    assert_eq!(fs::read_to_string(fixture.folder.path().join(".harness/rule.md")).unwrap(), "kept");
    assert!(fixture.folder.path().join("linked").is_symlink());
}

#[test]
fn long_listings_and_searches_end() {
    let many = |dir: &Path| {
        for index in 0..150 {
            fs::write(dir.join(format!("{index:03}")), "x\n".repeat(5_000)).unwrap();
        }
    };
    let calls = [
        ("list_directory", json!({"path": "."})),
        ("directory_tree", json!({"path": "."})),
        ("search_files_content", json!({"path": ".", "query": "x"})),
    ];
    let (results, _stage) = call_toolset(ToolsetKind::Filesystem, many, &calls);
    assert_eq!(results[0].0.lines().count(), 101);
    assert!(results[0].0.ends_with("FILE 099\n...output truncated due to file limit...\n"));
    let tree: Value = serde_json::from_str(&results[1].0).unwrap();
    assert_eq!(tree["children"].as_array().unwrap().len(), 100);
    assert!(results[2].0.len() < (1 << 20) + 500 && results[2].0.contains("[Output truncated: exceeded 1 MiB limit."));
}

#[test]
fn hooks_see_the_names_the_category_and_the_claim() {
    let calls = [("read_file", json!({"path": "a.txt"})), ("write_file", json!({"path": "b", "content": ""}))];
    let (_, fixture) = call_toolset(ToolsetKind::Filesystem, prepare_files, &calls);
    let seen: Vec<Value> = fixture
        .seen
        .payloads_of("tool.pre")
        .iter()
        .map(|pre| json!([pre["name"], pre["args"], pre["category"], pre.get("read_only")]))
        .collect();
    assert_eq!(
        seen,
        [
            json!(["read", {"path": "a.txt"}, "filesystem", true]),
            // A tool without a claim has no field.
            json!(["write", {"path": "b", "content": ""}, "filesystem", null]),
        ]
    );
    let names = fixture.session.tools();
    assert!(
        !names.iter().any(|name| ["read", "shell", "delegate", "transfer_task"].contains(&name.as_str())),
        "{names:?}"
    );
    assert!(message_lines(&fixture.model.request(0))[0].contains("be brief\n\nFiles: the working directory is"));
}

#[test]
fn the_file_of_a_large_result_can_be_read_by_its_path_and_by_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let hooks = dir.path().join("hooks.yaml");
    let limiter = "tool_response_transform:\n  - hooks: [{type: builtin, command: limit_large_tool_results}]\n";
    fs::write(&hooks, limiter).unwrap();
    let built = Runtime::builder().path(&hooks, Layer::User).load();
    assert!(!built.has_errors(), "{:?}", built.diagnostics);
    let model =
        QueuedReplyModel::root([call(&[("shell", r#"{"cmd":"yes line | head -n 20000; echo last"}"#)]), say("large")]);
    let spec = member_spec([ToolsetKind::Shell { environment: Vec::new() }, ToolsetKind::Filesystem].map(toolset_spec));
    let session = Session::builder(built.runtime, spec, model.clone()).permission_mode(PermissionMode::Autonomous);
    let mut session = session.workspace(dir.path()).name("large").build().unwrap();
    let told = session.turn("go").unwrap().tool_results[0].content.clone();
    let path = told.split("available in a file: ").nth(1).unwrap().lines().next().unwrap();
    let read =
        |path: &str, line: u32| call(&[("read_file", &json!({"path": path, "line": line, "limit": 2}).to_string())]);
    model.add("root", [read(path, 20_000), read("/etc/passwd", 1), read(&format!("{path}/../x"), 1), say("read")]);
    let results = session.turn("read on").unwrap().tool_results;
    assert_eq!(results[0].content, "line\nlast");
    assert!(results[1..].iter().all(|result| result.is_error), "{results:?}");
}

#[test]
fn the_tools_of_each_set_are_those_that_matchers_are_compared_with() {
    for kind in [
        ToolsetKind::Shell { environment: Vec::new() },
        ToolsetKind::Filesystem,
        ToolsetKind::Think,
        ToolsetKind::Todo { shared: false },
        ToolsetKind::Memory { path: None },
        ToolsetKind::Fetch { timeout_ms: None },
    ] {
        let (_, fixture) = call_toolset(kind.clone(), |_| {}, &[]);
        let mut names: Vec<String> = fixture.model.request(0).tools.iter().map(|tool| tool.name.clone()).collect();
        let mut known = tools_of(&kind).to_vec();
        names.sort();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
