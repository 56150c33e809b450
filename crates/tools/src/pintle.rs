//! Alternate names of Pintle's own tools: those of AI Harness projects and of docker-agent's toolsets.

use serde_json::{Map, Value};

use super::fields;

/// A tool's alternate name, its canonical name, and the arguments whose names differ.
type AlternateName = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SECOND: &[AlternateName] = &[
    ("shell", "shell", &[("cmd", "command"), ("cwd", "directory")]),
    ("run_background_job", "shell", &[("cmd", "command"), ("cwd", "directory")]),
    ("run_command", "shell", &[]),
    ("fs.read", "read", &[]),
    ("read_file", "read", &[("line", "offset")]),
    ("fs.write", "write", &[]),
    ("write_file", "write", &[]),
    ("fs.edit", "edit", &[]),
    ("fs.list", "list", &[]),
    ("list_directory", "list", &[]),
    ("directory_tree", "list", &[]),
    ("fs.glob", "glob", &[]),
    ("fs.grep", "grep", &[]),
    ("search_files_content", "grep", &[("query", "pattern")]),
    ("transfer_task", "agent", &[("task", "prompt")]),
    ("run_background_agent", "agent", &[("task", "prompt")]),
];

/// The canonical call for an alternate name; `None` if it is not one.
#[must_use]
pub fn to_canonical(name: &str, args: &Value) -> Option<(&'static str, Value)> {
    let (_, canonical, names) = SECOND.iter().find(|(second, _, _)| *second == name)?;
    let args = args.as_object().map_or_else(|| args.clone(), |args| Value::Object(fields::to_canonical(names, args)));
    Some((*canonical, args))
}

/// The alternate names of a canonical call, each with its arguments under the names used there.
pub fn alternate_calls<'a>(canonical: &'a str, args: &'a Value) -> impl Iterator<Item = (&'static str, Value)> + 'a {
    let others = SECOND.iter().filter(move |(second, own, _)| *own == canonical && *second != canonical);
    others.filter_map(move |(second, _, names)| {
        let args = match args.as_object() {
            Some(args) => Value::Object(fields::merge_back(names, &Map::new(), args).ok()?),
            None => args.clone(),
        };
        Some((*second, args))
    })
}

/// Every alternate name, and its canonical one.
pub(super) fn alternate_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    SECOND.iter().map(|(second, canonical, _)| (*second, *canonical))
}
