//! The documented options of programs: none takes the word behind it that is not its value, or leaves it where it is.

use crate::fixture;

use std::path::Path;

use pintle_shell::Operation;
use serde_json::Value;

use fixture::operations;

/// Whether an operation is of a kind, and on the path that `options.txt` says.
fn is_expected(operation: &Operation, kind: &str, path: &str) -> bool {
    let is_kind = serde_json::to_value(operation.kind).ok() == Some(Value::from(kind));
    let is_path = match (operation.path.as_deref(), path.strip_suffix("/**")) {
        (Some(found), Some(above)) => Path::new(found).starts_with(above),
        (Some(found), None) => found == path || operation.written == path,
        (None, _) => path == "?",
    };
    is_kind && is_path
}

/// What is wrong with a command: nothing if it does what is expected.
fn find_fault(command: &str, expected: &str) -> Option<String> {
    let found = operations(command);
    let (first, second) = expected.split_once(' ').unwrap_or((expected, ""));
    let is_right = match first {
        "no" => !found.iter().any(|operation| serde_json::to_value(operation.kind).ok() == Some(Value::from(second))),
        kind => found.iter().any(|operation| is_expected(operation, kind, second)),
    };
    let shown = |operation: &Operation| {
        format!("{:?} {:?}", operation.kind, operation.path.as_ref().unwrap_or(&operation.written))
    };
    (!is_right).then(|| format!("{command}: {expected}, not {:?}", found.iter().map(shown).collect::<Vec<_>>()))
}

#[test]
fn documented_options_take_their_values_and_no_more() {
    let mut faults = Vec::new();
    let mut section = ("", "");
    for line in include_str!("options.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((_, whole)) = line.split_once("] ").filter(|_| line.starts_with('[')) {
            section = whole.split_once(" => ").expect(line);
            continue;
        }
        let (spellings, own) = line.split_once(" @ ").map_or((line, None), |(before, own)| (before, Some(own)));
        let (command, expected) = own.map_or(section, |own| own.split_once(" => ").expect(line));
        let commands = spellings.split(" | ").map(|option| command.replace("OPTION", option));
        faults.extend(commands.filter_map(|command| find_fault(&command, expected)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
