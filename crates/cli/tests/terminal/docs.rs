use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::{CliFixture, snapshot};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Every page that users read, by its path without the ending.
fn list_pages() -> BTreeSet<String> {
    let mut pages = BTreeSet::new();
    for directory in ["", "guide/", "reference/", "specs/", "promises/"] {
        for entry in fs::read_dir(docs().join(directory)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            pages.extend(name.strip_suffix(".md").map(|name| format!("{directory}{name}")));
        }
    }
    pages
}

#[test]
fn every_page_is_a_topic_of_the_index_and_printed_as_it_is() {
    let fixture = CliFixture::new_empty();
    let (out, ..) = fixture.pintle(&["docs", "--json"]).run_to_parts();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let text = |row: &serde_json::Value, key: &str| row.get(key).unwrap().as_str().unwrap().to_owned();
    assert_eq!(rows.iter().map(|row| text(row, "path")).collect::<BTreeSet<_>>(), list_pages());
    let (index, err, status) = fixture.pintle(&["docs"]).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    for row in &rows {
        let (topic, path) = (text(row, "topic"), text(row, "path"));
        let is_row = |line: &&str| line.strip_prefix("  ").and_then(|row| row.split(' ').next()) == Some(&topic);
        let listed = index.lines().filter(is_row).count();
        assert_eq!(listed, usize::from(topic != "index"), "{topic}");
        let page = fs::read_to_string(docs().join(path + ".md")).unwrap();
        assert_eq!(fixture.pintle(&["docs", &topic]).run_to_parts(), (page, String::new(), Some(0)));
    }
    assert!(index.lines().all(|line| line.chars().count() <= 80), "{index}");
}

#[test]
fn topics_that_do_not_exist_have_a_next_step() {
    let fixture = CliFixture::new_empty();
    snapshot!("docs_unknown", fixture.pintle(&["docs", "bridg"]).run_to_screen());
    let (_, err, status) = fixture.pintle(&["docs", "Team"]).run_to_parts();
    assert!(status == Some(3) && err.contains("did you mean `pintle docs for-a-team`?"), "{status:?} {err}");
    snapshot!("docs_no_lines", fixture.pintle(&["docs", "--search", "nosuchword"]).run_to_screen());
}

#[test]
fn a_search_shows_the_lines_with_the_words() {
    let fixture = CliFixture::new_empty();
    let (out, ..) = fixture.pintle(&["docs", "--search", "FORCE", "push", "--json"]).run_to_parts();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let text = |row: &serde_json::Value| row.get("text").unwrap().as_str().unwrap().to_lowercase();
    assert!(rows.first().is_some_and(|row| text(row).contains("force") && text(row).contains("push")), "{out}");
    let (out, _, status) = fixture.pintle(&["docs", "--search", "force push"]).run_to_parts();
    assert_eq!((out.lines().next().unwrap().starts_with("packs  "), status), (true, Some(0)), "{out}");
    // A page whose title has the words is about them.
    let (out, ..) = fixture.pintle(&["docs", "--search", "how long"]).run_to_parts();
    assert!(out.starts_with("what-is-recorded  "), "{out}");
}

#[test]
fn a_page_fits_the_terminal() {
    let fixture = CliFixture::new_empty();
    let shell = Path::new("/bin/sh");
    for page in list_pages() {
        let topic = if page == "README" { String::from("guide/log") } else { page };
        let run = fixture.pintle(&["docs", &topic, "--color", "never", "--no-pager"]);
        let screen = run.run_on_terminal(shell, "stty cols 72 rows 24; \"$@\"", |_| String::new());
        // Code is not broken, and neither is a word.
        let is_prose = |line: &&str| !line.starts_with("    ") && line.split("  ").any(|part| part.contains(' '));
        let wide: Vec<&str> = screen.lines().filter(is_prose).filter(|line| line.chars().count() > 72).collect();
        assert!(wide.len() <= 1, "{topic}: {wide:#?}");
        assert!(!screen.lines().filter(is_prose).any(|line| line.contains("](")), "{topic}");
    }
}

#[test]
fn shells_complete_topics() {
    let fixture = CliFixture::new_empty();
    let (script, ..) = fixture.pintle(&["completions", "bash"]).run_to_parts();
    assert!(script.contains("protect-my-agent"));
}
