//! The console blocks of the guides, run in the order of their page, show what the page shows.
//!
//! A page begins with an empty home directory and an empty project. A block of a policy is written to the user's own
//! `policy.yaml`; a block whose first line is `# PATH` is that file of the project, or of the home directory. In a console
//! block, a line `$ COMMAND` is run, and what follows is its standard output. `...` stands for any words, and lines may be
//! broken elsewhere: paths are longer here.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod blocks;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pintle_testkit::fenced_blocks;
use tempfile::TempDir;

/// Commands that are not run, each of which must be on its page, and why.
const NOT_RUN: [(&str, &str, &str); 7] = [
    ("log.md", "pintle log", "shows sessions of past days"),
    ("log.md", "pintle why", "shows sessions of past days"),
    ("log.md", "pintle hooks --live", "shows sessions of past days"),
    ("replay.md", "pintle replay", "shows sessions of past days"),
    ("replay.md", "pintle diff", "shows sessions of past days"),
    ("testing-a-policy.md", "pintle test --filter pushing", "its scenario is not on the page"),
    ("testing-a-policy.md", "pintle test --mutate", "its hook is not on the page"),
];

/// Blocks of pages that are files although their first line does not say so: page, start of the block, and path.
const FILES: [(&str, &str, &str); 1] = [("testing-a-policy.md", "---\nevent: tool.pre", ".harness/hooks/npm.md")];

struct GuideReader {
    dir: TempDir,
}

impl GuideReader {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // A project, and an agent to be installed in.
        for path in ["home/.claude", "home/project/.git"] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        Self { dir }
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn write(&self, path: &str, text: &str) {
        let path = match path.strip_prefix("~/") {
            Some(path) => self.home().join(path),
            None => self.home().join("project").join(path),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What a command prints, with `~` for the home directory.
    fn run(&self, command: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_pintle")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", command])
            .env_clear()
            .envs([("PATH", path.as_str()), ("PINTLE_USER_SETUP", "1"), ("PINTLE_SERVE", "off")])
            .env("HOME", self.home())
            .current_dir(self.home().join("project"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().replace(&self.home().display().to_string(), "~")
    }

    /// Runs a console block and compares what it shows.
    fn check_console(&self, page: &str, block: &str, left_out: &mut BTreeSet<&str>) -> Result<(), String> {
        let commands = format!("\n{block}");
        for part in commands.split("\n$ ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap_or((part, ""));
            if let Some((_, known, _)) =
                NOT_RUN.iter().find(|(name, known, _)| *name == page && command.starts_with(known))
            {
                left_out.insert(known);
                continue;
            }
            let shown = self.run(command);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            if !fits(&words(&shown), &words(expected)) {
                return Err(format!("$ {command}\n{shown}"));
            }
        }
        Ok(())
    }
}

/// Whether words are those of a page, where `...` is any number of them.
fn fits(shown: &[String], expected: &[String]) -> bool {
    let Some((word, rest)) = expected.split_first() else { return shown.is_empty() };
    match word.as_str() {
        "..." if rest.is_empty() => true,
        "..." => (0..shown.len()).any(|skipped| fits(&shown[skipped..], rest)),
        _ => shown.first() == Some(word) && fits(&shown[1..], rest),
    }
}

#[test]
fn console_blocks_of_the_guides_show_what_the_program_prints() {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let (mut problems, mut left_out, mut count) = (Vec::new(), BTreeSet::new(), 0);
    for entry in fs::read_dir(guides).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&entry).unwrap();
        let reader = GuideReader::new();
        for (language, line, block) in fenced_blocks(&text) {
            let first = block.lines().next().and_then(|first| first.strip_prefix("# "));
            let is_file = |file: &&(&str, &str, &str)| file.0 == name && block.starts_with(file.1);
            let path = FILES.iter().find(is_file).map(|file| file.2).or(first.filter(|path| !path.contains(' ')));
            let is_policy = ["use:", "deny:"].iter().any(|key| block.starts_with(key));
            match (language, path) {
                ("yaml" | "markdown" | "sh", Some(path)) => reader.write(path, &block),
                ("yaml", None) if is_policy => reader.write("~/.config/pintle/policy.yaml", &block),
                ("console", _) => {
                    count += 1;
                    let checked = reader.check_console(&name, &block, &mut left_out);
                    problems.extend(checked.err().map(|error| format!("{name}:{line}: {error}")));
                }
                _ => {}
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(left_out.len(), NOT_RUN.len(), "{left_out:?}");
    assert!(count >= 10, "{count}");
}

#[test]
fn every_guide_is_in_the_index() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    for entry in fs::read_dir(docs.join("guide")).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        assert!(index.contains(&format!("(guide/{name}")), "docs/README.md does not link to guide/{name}");
    }
}
