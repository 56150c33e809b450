//! `test --watch`: what runs again when a file changes.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use crate::fixture::CliFixture;

const HOOK: &str = "---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return block(\"no\") if payload[\"name\"] == \"shell\" else allow()\nexamples:\n  - {call: ls, expect: block}\n---\n";
const CASES: &str = "- {call: ls, expect: block}\n";

/// A process that watches; it ends with the test.
struct WatchProcess {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl WatchProcess {
    /// The output up to the next summary of all files.
    fn next_run(&mut self) -> String {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "it ended: {text}");
            text.push_str(&line);
            if line.contains(" file: ") || line.contains(" files: ") {
                return text;
            }
        }
    }
}

impl Drop for WatchProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_change_runs_the_tests_that_it_touches() {
    let fixture = CliFixture::new_empty()
        .with_file(".harness/hooks/one.md", HOOK)
        .with_file(".harness/hooks/two.md", HOOK)
        .with_file(".harness/all.cases.yaml", CASES);
    let mut child = fixture.pintle(&["test", ".", "--watch"]).spawn();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let mut watch = WatchProcess { child, lines };
    assert!(watch.next_run().ends_with("3 files: 2 examples, 1 case, all hold\n"));

    let write = |path: &str, text: &str| std::fs::write(fixture.path(path), text).unwrap();
    write(".harness/all.cases.yaml", "- {call: ls, expect: allow}\n");
    let run = watch.next_run();
    assert!(run.ends_with("1 file: 1 case, 1 fails\n") && !run.contains("one.md"), "{run}");

    write(".harness/all.cases.yaml", CASES);
    assert!(watch.next_run().ends_with("1 file: 1 case holds\n"));

    write(".harness/hooks/two.md", &HOOK.replace("expect: block", "expect: allow"));
    let run = watch.next_run();
    assert!(run.ends_with("2 files: 1 example, 1 case, 1 fails\n") && !run.contains("one.md"), "{run}");

    // A file that does not load is an error, and the next change is seen all the same.
    write(".harness/hooks/two.md", "---\nevent: tool.pre\n");
    write(".harness/hooks/two.md", HOOK);
    write(".harness/hooks/three.md", HOOK);
    let run = loop {
        let run = watch.next_run();
        if run.contains("three.md") {
            break run;
        }
    };
    assert!(run.ends_with(", all hold\n"), "{run}");
}
