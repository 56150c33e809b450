//! The names of tools' arguments.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pintle_contract::suggest_nearest;

use crate::input_shape::{InputShape, ListElement};
use crate::vocabularies::VOCABULARIES;
use crate::vocabulary::ToolMapping;

/// The arguments of Pintle's own tools.
const CANONICAL: &[(&str, &[&str])] = &[
    ("shell", &["command", "directory", "timeout_ms", "description"]),
    ("read", &["path", "offset", "limit"]),
    ("write", &["path", "content"]),
    ("create_directory", &["path"]),
    ("edit", &["path", "old", "new", "all"]),
    ("patch", &["patch"]),
    ("delete", &["path"]),
    ("move", &["path", "source", "destination"]),
    ("list", &["path"]),
    ("glob", &["pattern", "path"]),
    ("grep", &["pattern", "path", "glob", "ignore_case", "output_mode"]),
    ("fetch", &["url", "prompt"]),
    ("search", &["query"]),
    ("agent", &["prompt", "agent", "description"]),
    ("todo", &["todos"]),
    ("ask_user", &["question", "questions"]),
];

/// Every argument of every tool that is known.
static ALL: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let canonical = CANONICAL.iter().flat_map(|(_, arguments)| arguments.iter().copied());
    let tools = VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.tools);
    canonical.chain(tools.flat_map(native_arguments)).collect()
});

/// The known argument that is meant by a name which no known tool has, as the name is a slip of one of `tools`, or of any
/// tool if there are none. `None` for a name that is known, or that is like no other: tools may have more arguments than
/// Pintle knows.
#[must_use]
pub fn nearest_argument(tools: &[String], written: &str) -> Option<&'static str> {
    let is_same_but_for_number = |known: &&str| known.trim_end_matches('s') == written.trim_end_matches('s');
    if written.len() < 4 || ALL.contains(written) || ALL.iter().any(is_same_but_for_number) {
        return None;
    }
    let mut candidates: BTreeSet<&str> = BTreeSet::new();
    for tool in tools {
        let mappings = VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.tools);
        let mut is_known = false;
        for mapping in mappings.filter(|mapping| mapping.native_names.contains(&tool.as_str())) {
            candidates.extend(native_arguments(mapping));
            is_known = true;
        }
        if !is_known {
            // The tool may have any argument.
            return None;
        }
    }
    if candidates.is_empty() {
        candidates.clone_from(&ALL);
    }
    suggest_nearest(written, candidates.into_iter().filter(|known| known.len() > 3))
}

/// The arguments of a tool, by its own names and Pintle's.
fn native_arguments(tool: &'static ToolMapping) -> impl Iterator<Item = &'static str> {
    let fields = tool.fields.iter().flat_map(|(native, canonical)| [*native, *canonical]);
    let canonical = CANONICAL.iter().filter(|(name, _)| *name == tool.canonical);
    let canonical = canonical.flat_map(|(_, arguments)| arguments.iter().copied());
    let (own, shared): (Vec<&str>, &[(&str, &str)]) = match tool.form {
        InputShape::Plain => (Vec::new(), &[]),
        InputShape::List { key, element: ListElement::Text(argument) | ListElement::Object(argument), shared } => {
            (vec![key, argument], shared)
        }
        InputShape::Patch(keys) => (keys.to_vec(), &[]),
        InputShape::MayPatch(key) | InputShape::Addresses(key) => (vec![key], &[]),
    };
    let shared = shared.iter().flat_map(|(native, canonical)| [*native, *canonical]);
    fields.chain(canonical).chain(own).chain(shared)
}

#[cfg(test)]
mod tests {
    use super::nearest_argument;

    #[test]
    fn a_slip_of_an_argument_is_told_and_other_arguments_are_not() {
        for (tools, written, near) in [
            (&["Bash"][..], "comand", Some("command")),
            (&["Bash"], "command", None),
            (&["Bash"], "commands", None),
            (&["Bash"], "run_in_background", None),
            (&["Write"], "file_pth", Some("file_path")),
            (&["Write"], "contnet", Some("content")),
            (&[], "comand", Some("command")),
            (&[], "quantity", None),
            (&["deploy"], "comand", None),
            (&["shell", "run_command"], "cmd", None),
        ] {
            let tools: Vec<String> = tools.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(nearest_argument(&tools, written), near, "{tools:?} {written}");
        }
    }
}
