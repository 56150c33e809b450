//! Tests of the getters.

use std::path::PathBuf;

use pintle_contract::{ByteSpan, SourceFile};

use super::super::parse;
use super::*;

/// Reads the field `k`, and returns whether it has a value.
type FieldParser = fn(&mut FieldReader<'_>) -> bool;

/// An invalid value, how it is read, and the help of its error.
const FAULTS: &[(&str, FieldParser, &str)] = &[
    ("k: 3", |fields| fields.text("k").is_some(), "put it in quotes: \"3\""),
    ("k: [one]", |fields| fields.text("k").is_some(), "write it without the brackets or the dash"),
    ("k: [one, two]", |fields| fields.text("k").is_some(), "only one value is allowed: write text after `k:`"),
    (
        "k: {a: 1}",
        |fields| fields.script("k").is_some(),
        "write `k: |` and indent the text on the lines below, or put it in quotes",
    ),
    ("k: high", |fields| fields.integer::<i64>("k", 0..=9).is_some(), "write only digits, for example `k: 10`"),
    ("k: \"3\"", |fields| fields.integer::<i64>("k", 0..=9).is_some(), "remove the quotes"),
    ("k: \"yes\"", |fields| fields.boolean("k").is_some(), "write `k: true` or `k: false`"),
    ("k: one", |fields| !fields.texts("k").is_empty(), "write each item on its own line after `- `"),
    ("k: shadw", |fields| fields.choice("k", &[("shadow", ())]).is_some(), "did you mean `shadow`?"),
];

#[test]
fn a_value_of_another_type_has_a_next_step() {
    for (text, read, wanted) in FAULTS {
        let file = Arc::new(SourceFile { path: PathBuf::from("a.md"), text: (*text).to_owned() });
        let whole = ByteSpan { start: 0, end: text.len() };
        let report = FileReport::new(file, "");
        let node = parse(&report, whole).unwrap().unwrap();
        assert!(!read(&mut FieldReader::new(&report, "a thing", Some(&node), whole)), "{text}");
        let found: Vec<Option<String>> =
            report.into_diagnostics().into_iter().map(|diagnostic| diagnostic.help).collect();
        assert_eq!(found, [Some((*wanted).to_owned())], "{text}");
    }
}
