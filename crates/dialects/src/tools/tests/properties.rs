use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::tools::{Part, VOCABULARIES};

/// Names that mean something somewhere, so that random inputs meet the tables.
const FIELDS: &[&str] = &[
    "command",
    "commands",
    "file_path",
    "path",
    "content",
    "contents",
    "edits",
    "old_string",
    "new_string",
    "files",
    "include",
    "patch",
    "input",
    "new_text",
    "old_text",
    "cwd",
    "timeout",
    "other",
    "file_text",
];
const LINES: &[&str] = &[
    "*** Begin Patch",
    "*** End Patch",
    "*** Add File: a",
    "*** Update File: b",
    "*** Delete File: c",
    "*** Move to: d",
    "@@",
    "+x",
    "-y",
    " z",
    "",
    "*** End of File",
    "  *** Add File: e",
    "*** Add File:",
    "\u{e9}\r",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(prop::sample::select(LINES), 0..8).prop_map(|lines| lines.join("\n")),
        "\\PC{0,8}",
        Just(String::from("[\"a\",{\"path\":\"b\"},3]")),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(prop::sample::select(FIELDS), inner, 0..5).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn parts_that_nobody_changed_give_the_same_input(input in json(), stranger in "\\PC{0,12}") {
        for words in VOCABULARIES {
            for name in words.tools.iter().flat_map(|tool| tool.host).copied().chain([stranger.as_str(), "mcp__a__b"]) {
                let parts = words.parts(name, &input);
                prop_assert!(!parts.is_empty());
                prop_assert_eq!(words.merge(name, &input, &parts), Ok(input.clone()));
                for part in &parts {
                    let _ = words.native(&part.name, &part.args);
                }
            }
        }
    }

    #[test]
    fn what_is_put_back_reads_as_it_was_changed_or_is_refused(input in json(), other in json(), at in 0..3_usize) {
        for words in VOCABULARIES {
            for tool in words.tools.iter().filter(|tool| !tool.form.is_patch()) {
                for name in tool.host {
                    let mut parts: Vec<Part> = words.parts(name, &input);
                    let at = at % parts.len();
                    parts[at].args = other.clone();
                    if let Ok(merged) = words.merge(name, &input, &parts) {
                        prop_assert_eq!(words.parts(name, &merged), parts, "{}", name);
                    }
                }
            }
        }
    }
}
