//! What hooks read of a project's files, and what they cannot.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::fixture::CliFixture;

fn hook_file(options: &str, body: &str) -> String {
    let body = body.replace('\n', "\n      ");
    format!("---\nevent: tool.pre\npriority: 1\n{options}script: |\n  def handle(event, payload):\n      {body}\n---\n")
}

/// A project with one hook, and files to read.
fn create_project(options: &str, body: &str) -> CliFixture {
    CliFixture::new_empty()
        .with_file(".harness/hooks/reads.md", hook_file(options, body))
        .with_file("notes/a.txt", "one\ntwo\n")
}

fn fire_event(fixture: &CliFixture) -> (String, Option<i32>) {
    let call = r#"{"name": "shell", "args": {"command": "ls"}}"#;
    let (out, err, status) = fixture.pintle(&["fire", "tool.pre", "."]).with_input(call).run_to_parts();
    (out + &err, status)
}

#[test]
fn hooks_read_the_files_of_their_project() {
    for (body, told) in [
        ("fs.read(\"notes/a.txt\").splitlines()", "[\"one\", \"two\"]"),
        ("fs.list(\"notes\")", "[\"a.txt\"]"),
        ("fs.glob(\"notes/*.txt\")", "[\"notes/a.txt\"]"),
        ("fs.glob(\".harness/hooks/*.md\")", "[\".harness/hooks/reads.md\"]"),
        ("fs.glob(\"nowhere/*.md\")", "[]"),
        ("[fs.exists(\"notes\"), fs.exists(\"no\")]", "[True, False]"),
        ("fs.stat(\"notes/a.txt\")[\"size\"]", "8"),
        ("fs.find(\"notes/a.txt\", \"two\")", "[{\"line_num\": 2, \"text\": \"two\"}]"),
        ("fs.read_lines(\"notes/a.txt\", 2)", "2\\ttwo"),
    ] {
        let (said, status) = fire_event(&create_project("", &format!("return block(str({body}))")));
        assert_eq!(status, Some(2), "{body}: {said}");
        assert!(said.contains(told), "{body}: {said}");
    }
}

/// The project is what the `.harness` is in, however it was named.
#[test]
fn the_folder_that_is_read_is_the_projects() {
    let fixture = create_project("", "return block(fs.read(\"notes/a.txt\").splitlines()[0] + \" more\")");
    for path in [".", ".harness", ".harness/hooks", ".harness/hooks/reads.md"] {
        for (within, path) in [("", path.to_owned()), ("notes", format!("../{path}"))] {
            let run = fixture.pintle(&["fire", "tool.pre", &path, "--example"]).in_folder(within).run_to_parts();
            assert!(run.0.contains("one more"), "{path}: {run:?}");
        }
    }
}

#[test]
fn hooks_read_nothing_else_and_write_nothing() {
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("secret"), "s3cr3t").unwrap();
    let fixture = create_project("", "return allow()");
    symlink(secret.path().join("secret"), fixture.path("link")).unwrap();
    symlink("/proc", fixture.path("proc")).unwrap();
    assert!(Command::new("mkfifo").arg(fixture.path("pipe")).status().unwrap().success());
    fs::File::create(fixture.path("large")).unwrap().set_len((1 << 20) + 1).unwrap();
    let outside = "outside the workspace";
    for (read, reason) in [
        ("fs.read(\"../x\")", outside),
        ("fs.read(\"/etc/passwd\")", outside),
        ("fs.read(\"link\")", outside),
        ("fs.read(\"proc/self/environ\")", outside),
        ("fs.list(\"proc\")", outside),
        ("fs.glob(\"../*\")", outside),
        ("fs.glob(\"proc/*\")", outside),
        ("fs.read(\"pipe\")", "only regular files"),
        ("fs.read(\"large\")", "larger than 1 MiB"),
        ("fs.read(\"gone\")", "does not exist"),
        ("fs.read(\".\")", "is a directory"),
    ] {
        let body = format!("text = {read}\nreturn allow()");
        fs::write(fixture.path(".harness/hooks/reads.md"), hook_file("", &body)).unwrap();
        let (said, status) = fire_event(&fixture);
        assert_eq!(status, Some(2), "{read}: {said}");
        assert!(said.contains(reason) && !said.contains("s3cr3t"), "{read}: {said}");
    }
    for write in ["write(\"a\", \"b\")", "append(\"a\", \"b\")", "remove(\"notes/a.txt\")", "mkdir(\"a\")"] {
        let fixture = create_project("", &format!("fs.{write}\nreturn allow()"));
        let (said, status) = fire_event(&fixture);
        assert_eq!(status, Some(3), "{write}: {said}");
        let name = write.split('(').next().unwrap();
        assert!(said.contains(&format!("hooks deliberately have no `fs.{name}`")), "{said}");
        assert!(said.contains("write `tools: [NAME]` in the hook"), "{said}");
    }
    let fixture = CliFixture::new_empty().with_file(
        ".harness/hooks/reads.md",
        "---\nevent: tool.pre\npriority: 1\nwhen: fs.exists(\"a\")\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    );
    let (said, status) = fire_event(&fixture);
    assert_eq!(status, Some(3), "{said}");
}

#[test]
fn reading_ends_with_the_time_and_the_memory_of_the_hook() {
    let began = Instant::now();
    let fixture =
        create_project("timeout_ms: 300\n", "for i in range(1000000):\n    fs.read(\"notes/a.txt\")\nreturn allow()");
    let (said, status) = fire_event(&fixture);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("no answer within 300 ms"), "{said}");
    let fixture = create_project("timeout_ms: 60000\n", "for i in range(900):\n    fs.read(\"large\")\nreturn allow()");
    fs::write(fixture.path("large"), "x".repeat(1 << 20)).unwrap();
    let (said, status) = fire_event(&fixture);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("bytes of memory") || said.contains("script process"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(55));
}

#[test]
fn what_was_read_is_on_the_tape_and_not_read_again() {
    let fixture = create_project("", "return block(fs.read(\"notes/a.txt\").splitlines()[0])");
    let (_, _, status) = fixture.pintle(&["fire", "tool.pre", ".", "--example", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(2));
    let fixture = fixture.with_file("notes/a.txt", "three\n");
    let live = ["replay", "t.jsonl", "--live-hooks"];
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    for replay in [&["replay", "t.jsonl"][..], &live] {
        let (out, err, status) = fixture.pintle(replay).run_to_parts();
        assert_eq!(status, Some(0), "{out}{err}");
    }
    let body = "return block(fs.read(\"notes/b.txt\").splitlines()[0])";
    let fixture = fixture.with_file("notes/b.txt", "one\n").with_file(".harness/hooks/reads.md", hook_file("", body));
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    let (out, _, status) = fixture.pintle(&live).run_to_parts();
    assert_eq!(status, Some(1), "another file is another request: {out}");
}

/// A hook that reads needs consent, as one that asks a server.
#[test]
fn the_hooks_of_a_stranger_read_nothing() {
    let fixture = create_project("", "return block(fs.read(\"notes/a.txt\"))");
    let (out, err, status) = fixture.pintle(&["fire", "tool.pre", "--example"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(err.contains("not trusted") && !out.contains("two"), "{out}{err}");
    let (out, ..) = fixture.pintle(&["trust", "--json"]).run_to_parts();
    assert!(out.contains("reads files of the project"), "{out}");
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    let (out, err, status) = fixture.pintle(&["fire", "tool.pre", "--example"]).run_to_parts();
    assert_eq!(status, Some(2), "{out}{err}");
}

/// Inside another agent the folder is that of the project, wherever the agent stands and whatever it makes there.
#[test]
fn inside_another_agent_hooks_read_their_project() {
    let fixture = create_project("", "return block(\"read: \" + fs.read(\"notes/a.txt\").splitlines()[0])");
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    let call = |within: &str, session: &str| {
        let cwd = fixture.path(within);
        let payload = format!(
            r#"{{"session_id": "{session}", "cwd": "{}", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {{"command": "ls"}}, "tool_use_id": "t1"}}"#,
            cwd.display()
        );
        let (out, err, _) = fixture.pintle(&["hook", "claude"]).in_folder(within).with_input(&payload).run_to_parts();
        out + &err
    };
    assert!(call("", "s1").contains("read: one"), "{}", call("", "s1"));
    assert!(call("notes", "s2").contains("read: one"), "{}", call("notes", "s2"));
    fs::create_dir_all(fixture.path("sub/.harness/hooks")).unwrap();
    fs::create_dir_all(fixture.path("sub/notes")).unwrap();
    fs::write(fixture.path("sub/notes/a.txt"), "mine\n").unwrap();
    fs::write(fixture.path("sub/.harness/hooks/x.md"), hook_file("", "return allow()")).unwrap();
    assert!(call("sub", "s3").contains("read: one"), "{}", call("sub", "s3"));
}
