use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::{CanonicalCall, VOCABULARIES};

/// Names with a meaning in some table, so that random inputs match it.
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

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        vec(prop::sample::select(LINES), 0..8).prop_map(|lines| lines.join("\n")),
        "\\PC{0,8}",
        Just(String::from("[\"a\",{\"path\":\"b\"},3]")),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any_text().prop_map(Value::from),
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
    fn parts_that_nobody_changed_give_the_same_input(input in any_json(), stranger in "\\PC{0,12}") {
        for words in VOCABULARIES {
            for name in words.tools.iter().flat_map(|tool| tool.native_names).copied().chain([stranger.as_str(), "mcp__a__b"]) {
                let parts = words.to_canonical(name, &input);
                prop_assert!(!parts.is_empty());
                prop_assert_eq!(words.merge_back(name, &input, &parts), Ok(input.clone()));
                for part in &parts {
                    let _ = words.to_native(&part.name, &part.args);
                }
            }
        }
    }

    #[test]
    fn what_is_put_back_reads_as_it_was_changed_or_is_refused(input in any_json(), other in any_json(), at in 0..3_usize) {
        for words in VOCABULARIES {
            for tool in words.tools.iter().filter(|tool| !tool.form.is_patch()) {
                for name in tool.native_names {
                    let mut parts: Vec<CanonicalCall> = words.to_canonical(name, &input);
                    let at = at % parts.len();
                    parts[at].args = other.clone();
                    if let Ok(merged) = words.merge_back(name, &input, &parts) {
                        prop_assert_eq!(words.to_canonical(name, &merged), parts, "{}", name);
                    }
                }
            }
        }
    }
}
