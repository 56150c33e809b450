//! What the native tools do is the same under the names of both families; only the form of a result differs.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;

use pintle_host::contract::ToolsetKind;
use serde_json::{Value, json};

use crate::support::*;
use crate::toolsets::bench::{make_calls, member_spec, toolset_spec};

/// A call's name and arguments.
type FamilyCall = (&'static str, Value);

/// What both families return: the two results, or a part of the error.
type FamilyResult = Result<(String, String), &'static str>;

fn both(native: &str, docker_agent: &str) -> FamilyResult {
    Ok((native.to_owned(), docker_agent.to_owned()))
}

fn prepare_workspace(dir: &Path) {
    for folder in ["many", "repo/.git", "repo/src", ".harness", "deep"] {
        fs::create_dir_all(dir.join(folder)).unwrap();
    }
    fs::create_dir_all(dir.join("deep").join("d/".repeat(70))).unwrap();
    for index in 0..1_001 {
        fs::write(dir.join(format!("many/{index:04}")), "").unwrap();
    }
    fs::write(dir.join("crlf"), "one\r\ntwo\r\n").unwrap();
    fs::write(dir.join("bytes"), b"\xff\xfe").unwrap();
    fs::File::create(dir.join("large")).unwrap().set_len((16 << 20) + 1).unwrap();
    fs::write(dir.join("long"), format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000))).unwrap();
    std::os::unix::fs::symlink("repo", dir.join("linked")).unwrap();
    std::os::unix::fs::symlink("/", dir.join("out")).unwrap();
}

fn reading() -> Vec<(FamilyCall, FamilyCall, FamilyResult)> {
    let read = |path: &str, first: u32, expected| {
        let native = ("read", json!({"path": path, "offset": first}));
        (native, ("read_file", json!({"path": path, "line": first})), expected)
    };
    let list =
        |path: &str, expected| (("list", json!({"path": path})), ("list_directory", json!({"path": path})), expected);
    let numbers = |form: fn(usize) -> String, count| (0..count).map(form).collect::<Vec<_>>();
    let listed = json!({"paths": numbers(|index| format!("{index:04}"), 1_000), "truncated": true}).to_string();
    let lines = numbers(|index| format!("FILE {index:04}\n"), 100).concat();
    vec![
        read("crlf", 2, both("     2\ttwo\n", "two\r\n")),
        read("crlf", 3, Err("line 3 is not in the file, which has 2 lines")),
        read("no", 1, Err("`no` does not exist; list its directory to see what does")),
        read("repo", 1, Err("`repo` is a directory, not a file")),
        read("bytes", 1, Err("`bytes` is not UTF-8 text")),
        read("large", 1, Err("`large` is larger than 16 MiB; use a tool such as grep")),
        read("out/etc/passwd", 1, Err("leads outside the workspace")),
        read("../x", 1, Err("is outside the workspace")),
        list("repo", both(r#"["src/"]"#, "DIR  src\n")),
        list("linked/src", both("[]", "Directory is empty: linked/src\n")),
        list("crlf", Err("`crlf` is not a directory")),
        list("out", Err("outside the workspace")),
        list("many", both(&listed, &format!("{lines}...output truncated due to file limit...\n"))),
    ]
}

fn writing() -> Vec<(FamilyCall, FamilyCall, FamilyResult)> {
    let write = |path: &str, expected| {
        let arguments = json!({"path": path, "content": "aa"});
        (("write", arguments.clone()), ("write_file", arguments), expected)
    };
    let edit = |path: &str, old: &str, expected| {
        let native = ("edit", json!({"path": path, "old": old, "new": "b"}));
        (native, ("edit_file", json!({"path": path, "edits": [{"oldText": old, "newText": "b"}]})), expected)
    };
    vec![
        write("new/a", both("wrote 2 bytes to new/a", "File written successfully: new/a (2 bytes)")),
        write(".harness/rule.md", Err("`.harness/rule.md` is read-only for tools")),
        write("out/x", Err("outside the workspace")),
        write("repo", Err("`repo` is a directory, not a file")),
        edit("new/a", "a", Err("the text to replace is in the file 2 times; include more of the surrounding text")),
        edit("new/a", "x", Err("the text to replace is not in the file; read the file and copy it exactly")),
        edit("new/a", "", Err("the text to replace is empty; pass the text to replace")),
        edit(
            "new/a",
            "aa",
            both(
                r#"{"message":"changed 1 place in new/a","replacements":1}"#,
                "File edited successfully. Replaced 2 characters",
            ),
        ),
    ]
}

fn searching_and_running() -> Vec<(FamilyCall, FamilyCall, FamilyResult)> {
    let search = |path: &str, pattern: &str, expected| {
        let native = ("grep", json!({"path": path, "pattern": pattern}));
        let arguments = json!({"path": path, "query": pattern, "is_regex": true});
        (native, ("search_files_content", arguments), expected)
    };
    let run = |command: &str, directory: &str, expected| {
        let native = ("shell", json!({"command": command, "directory": directory, "timeout_ms": 1_000}));
        (native, ("shell", json!({"cmd": command, "cwd": directory, "timeout": 1})), expected)
    };
    let missing = "[Not every file was searched: more than 200000 files, or directories nested too deeply; start in a smaller directory]";
    let around = |count: usize| format!("{}needle{}", "a".repeat(count), "b".repeat(count));
    vec![
        search("long", "needle", both(&format!("long:1:{}", around(150)), &format!("long:1:5001: {}", around(20)))),
        search("crlf", "^two$", both("crlf:2:two", "crlf:2:1: two")),
        search("repo", "x", both("no line matches", "No results found")),
        search("deep", "x", both(&format!("no line matches\n\n{missing}"), &format!("No results found\n\n{missing}"))),
        search(".", "(", Err("`(` is not a regular expression: unclosed group")),
        search("no", "x", Err("`no` does not exist; list its directory to see what does")),
        run("pwd | sed 's|.*/||'", "repo", both(r#"{"stdout":"repo\n","stderr":"","exit_code":0}"#, "repo")),
        run(" ", "", Err("the command is empty; pass a command line")),
        run("a\u{0}b", "", Err("the command contains a NUL character, which a command line cannot")),
        run("pwd", "out", Err("outside the workspace")),
        run("echo x > .harness/rule.md", "", Err("an agent cannot change its own policy")),
    ]
}

#[test]
fn both_families_do_the_same_and_tell_it_in_their_own_form() {
    let table: Vec<_> = [reading(), writing(), searching_and_running()].into_iter().flatten().collect();
    let native: Vec<FamilyCall> = table.iter().map(|(native, ..)| native.clone()).collect();
    let toolsets = [ToolsetKind::Shell { environment: Vec::new() }, ToolsetKind::Filesystem].map(toolset_spec);
    let docker_agent: Vec<FamilyCall> = table.iter().map(|(_, docker_agent, _)| docker_agent.clone()).collect();
    let (native, _fixture) = make_calls(agent(), [], prepare_workspace, &native);
    let (docker_agent, _fixture) = make_calls(member_spec(toolsets), [], prepare_workspace, &docker_agent);
    assert_eq!((native.len(), docker_agent.len()), (table.len(), table.len()));
    for ((native, docker_agent), (call, _, expected)) in native.iter().zip(&docker_agent).zip(&table) {
        match expected {
            Ok((one, _)) => assert_eq!((native.0.as_str(), native.1), (one.as_str(), false), "{call:?}"),
            Err(part) => assert!(native.1 && native.0.contains(part), "{call:?}: {native:?}"),
        }
        match expected {
            Ok((_, other)) => {
                assert_eq!((docker_agent.0.as_str(), docker_agent.1), (other.as_str(), false), "{call:?}")
            }
            Err(part) => assert!(docker_agent.1 && docker_agent.0.contains(part), "{call:?}: {docker_agent:?}"),
        }
    }
}

#[test]
fn the_limits_of_the_first_family_are_told() {
    let prepare = |dir: &Path| fs::write(dir.join("lines"), "x\n".repeat(501)).unwrap();
    let calls = [
        ("shell", json!({"command": "echo begun; sleep 100", "timeout_ms": 1_000})),
        ("grep", json!({"pattern": "x"})),
        ("grep", json!({"pattern": ""})),
    ];
    let (results, _fixture) = make_calls(agent(), [], prepare, &calls);
    let slow = "the command did not end within 1000 ms and was killed; raise `timeout_ms` or split the command";
    assert_eq!(results[0], (format!("tool error: {slow}\nOutput: begun\n"), true));
    assert_eq!(results[1].0.lines().count(), 501);
    assert!(results[1].0.ends_with("lines:500:x\nmore than 500 lines match; narrow the search"), "{results:?}");
    assert_eq!(results[2], (String::from("tool error: the pattern is empty; pass what to find"), true));
}
