//! Every code block of the documentation is run by a test, or at least read as what it says it is.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use pintle_host::contract::{ByteSpan, SourceFile};
use pintle_host::dialects::document::{FileReport, parse, parse_list, parse_toml, split};
use pintle_testkit::fenced_blocks;
use serde_json::Value;

/// Blocks that are not only read: language, page, and the test that runs them, which names the page or its directory.
const RUN: &[(&str, &str, &str)] = &[
    ("console", "docs/guide", "crates/cli/tests/guides/main.rs"),
    ("ini", "docs/guide/serve.md", "crates/cli/tests/serve/guide.rs"),
    ("javascript", "docs/guide/build-an-agent.md", "crates/cli/tests/serve/guide.rs"),
    ("jsonl", "docs/guide/serve.md", "crates/cli/tests/serve/guide.rs"),
    ("markdown", "README.md", "crates/host/tests/guides.rs"),
    ("markdown", "docs/guide", "crates/host/tests/guides.rs"),
    ("python", "docs/guide/build-an-agent.md", "crates/cli/tests/serve/guide.rs"),
    ("python", "docs/guide/python.md", "bindings/python/tests/test_docs.py"),
    ("python", "docs/guide/serve.md", "crates/cli/tests/serve/guide.rs"),
    ("rust", "docs/guide/agent-loop.md", "crates/agent/src/lib.rs"),
    ("rust", "docs/guide/embedding.md", "crates/pintle/src/lib.rs"),
    ("rust", "docs/guide/personas.md", "crates/agent/src/lib.rs"),
    ("rust,no_run", "docs/guide/embedding.md", "crates/pintle/src/lib.rs"),
    ("starlark", "docs/guide/plugins.md", "crates/host/tests/plugins/guide.rs"),
    ("ts", "docs/guide/typescript.md", "bindings/node/test/docs.test.ts"),
    ("xml", "docs/guide/serve.md", "crates/cli/tests/serve/guide.rs"),
];

/// Blocks that no test reads: page, start of the block, and why.
const NOT_READ: &[(&str, &str, &str)] = &[
    ("docs/guide/editors.md", "vim.lsp.config", "is for an editor; `.ci/editor/check.lua` starts the server in it"),
    ("docs/guide/editors.md", "vim.api", "is for an editor"),
    ("docs/guide/harness-framework.md", "#!/usr/bin/env bun", "has only comments"),
    ("docs/guide/sessions.md", "let tape", "needs the agent and the model of a program"),
    ("docs/guide/testing-a-policy.md", "if payload.get", "has lines without what is below them"),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages by their paths in the repository.
fn pages() -> Vec<(String, String)> {
    let mut pages = vec![String::from("README.md")];
    for directory in ["docs", "docs/guide", "docs/reference", "docs/specs", "docs/promises", "docs/contributing"] {
        let entries = fs::read_dir(repository().join(directory)).unwrap().map(|entry| entry.unwrap().file_name());
        let names = entries.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".md"));
        pages.extend(names.map(|name| format!("{directory}/{name}")));
    }
    let text = |page: &String| fs::read_to_string(repository().join(page)).unwrap();
    pages.iter().map(|page| (page.clone(), text(page))).collect()
}

/// What a program says about a text on its standard input; nothing if it is not on this machine.
fn ask_program(command: &[&str], text: &str) -> Result<(), String> {
    let mut program = Command::new(command[0]);
    program.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut child) = program.spawn() else { return Ok(()) };
    // A program that finds a fault may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

fn read_json(text: &str) -> Result<(), String> {
    serde_json::from_str::<Value>(text).map(drop).map_err(|error| error.to_string())
}

/// Reads a block as what it says it is.
fn read_block(language: &str, block: &str) -> Result<(), String> {
    let whole = ByteSpan { start: 0, end: block.len() };
    let file = Arc::new(SourceFile { path: PathBuf::from("block"), text: block.to_owned() });
    let report = FileReport::new(file, "");
    match language {
        // What a program prints, or a drawing.
        "text" => return Ok(()),
        "json" => return read_json(block).or_else(|error| block.lines().try_for_each(read_json).map_err(|_| error)),
        "jsonl" => return block.lines().try_for_each(read_json),
        "sh" => return ask_program(&["sh", "-n"], block),
        "python" => return ask_program(&["python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())"], block),
        "yaml" => {
            let is_read =
                split(&report).is_some() || parse_list(&report, whole).is_ok() || parse(&report, whole).is_ok();
            return if is_read { Ok(()) } else { Err(String::from("is not YAML")) };
        }
        "toml" => drop(parse_toml(&report)),
        _ => return Err(format!("no test reads `{language}` here")),
    }
    let found: Vec<String> = report.into_diagnostics().iter().map(ToString::to_string).collect();
    if found.is_empty() { Ok(()) } else { Err(found.join("; ")) }
}

#[test]
fn every_block_is_run_or_read_by_a_test() {
    let (mut problems, mut used, mut count) = (Vec::new(), BTreeSet::new(), 0);
    for (page, text) in pages() {
        for (language, line, block) in fenced_blocks(&text) {
            count += 1;
            let runs = |row: &&(&str, &str, &str)| {
                row.0 == language && (page == row.1 || page.starts_with(&format!("{}/", row.1)))
            };
            if let Some((known, named, test)) = RUN.iter().find(runs) {
                used.insert((*known, *named));
                let program = fs::read_to_string(repository().join(test)).unwrap();
                let name = named.rsplit('/').next().unwrap();
                assert!(program.contains(name), "{test} does not name {name}");
                continue;
            }
            let is_known = |row: &&(&str, &str, &str)| page == row.0 && block.starts_with(row.1);
            match NOT_READ.iter().find(is_known) {
                Some((named, start, _)) => drop(used.insert((*start, *named))),
                None => {
                    problems.extend(read_block(language, &block).err().map(|error| format!("{page}:{line}: {error}")))
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let rows = RUN.iter().map(|row| (row.0, row.1)).chain(NOT_READ.iter().map(|row| (row.1, row.0)));
    assert_eq!(used, rows.collect(), "a row is not used");
    assert!(count > 100, "{count}");
}
