//! Example events, and test cases in directories.
#![expect(clippy::unwrap_used, reason = "a test with an unknown event or without its cases must fail")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{Event, EventName, Origin};
use serde_json::Value;

/// A hook file that denies `mkfs`, for this reason, asks about `deploy`, changes `fetch`, fails for `crash`, and lets
/// everything else pass.
#[must_use]
pub fn example_guard(reason: &str) -> String {
    format!(
        r#"---
event: tool.pre
script: |
  def handle(event, payload):
      command = payload["args"].get("command", "")
      if "mkfs" in command:
          return block("{reason}")
      if "deploy" in command:
          return ask("deploying needs a person")
      if "fetch" in command:
          return modify({{"args": {{"command": command + " --timeout 10"}}}})
      if "crash" in command:
          return payload["nothing"]
      return allow()
---
"#
    )
}

/// The origin of an event in the second turn of a session.
#[must_use]
pub fn example_origin() -> Origin {
    Origin {
        session: String::from("s1"),
        turn: 2,
        agent: String::from("root"),
        cwd: String::from("/home/dev/project"),
        ..Origin::default()
    }
}

/// An event with this payload, from [`example_origin`].
#[must_use]
pub fn example_event(name: &str, payload: Value) -> Event {
    event_from(example_origin(), name, payload)
}

/// An event with this payload, from an empty origin.
#[must_use]
pub fn plain_event(name: &str, payload: Value) -> Event {
    event_from(Origin::default(), name, payload)
}

/// An event with this payload and origin.
#[must_use]
pub fn event_from(origin: Origin, name: &str, payload: Value) -> Event {
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
}

/// The catalogue's example payload of an event.
#[must_use]
pub fn catalogue_payload(name: &str) -> Value {
    EventName::parse(name).unwrap().def().example()
}

/// The files of a directory with this ending: the name without the ending, and the text of each, in order.
#[must_use]
pub fn read_cases(dir: &Path, ending: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    let read =
        |path: &Path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap());
    files.iter().map(|path| read(path)).collect()
}

/// The fenced blocks of a Markdown page, in order: the language of each, its first line in the page, and its text.
#[must_use]
pub fn fenced_blocks(page: &str) -> Vec<(&str, usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```"));
        let text = inside.fold(String::new(), |text, line| text + line + "\n");
        blocks.push((language, index + 2, text));
    }
    blocks
}

/// The outputs of hook programs, in the words of any agent, that a dialect misreads: those that must deny and do not, and
/// those that must not and do. `denies` is `None` for a failure, which is neither.
pub fn misread_answers(denies: impl Fn(&str) -> Option<bool>) -> Vec<String> {
    let lines = include_str!("../cases/hook_answers.jsonl").lines();
    let misread = lines.filter(|line| {
        let case: Value = serde_json::from_str(line).unwrap();
        let printed = case.get("stdout").and_then(Value::as_str).unwrap();
        denies(printed) != case.get("denies").and_then(Value::as_bool)
    });
    misread.map(str::to_owned).collect()
}
