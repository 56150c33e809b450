use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::SourceFile;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::document::to_json;

fn read(text: &str) -> (Result<Option<DocNode>, YamlUnreadable>, Vec<String>) {
    let file = SourceFile { path: PathBuf::from("a.md"), text: text.to_owned() };
    let report = FileReport::new(Arc::new(file), "");
    let tree = parse(&report, ByteSpan { start: 0, end: text.len() });
    (tree, report.into_diagnostics().iter().map(ToString::to_string).collect())
}

#[test]
fn every_value_knows_its_place() {
    let text = "a: 1\nlist:\n  - \"x y\"\n  - {k: v}\nempty:\n";
    let (tree, findings) = read(text);
    assert_eq!(findings, Vec::<String>::new());
    let tree = tree.unwrap().unwrap();
    let slice = |node: &DocNode| text[node.span.start..node.span.end].to_owned();
    assert_eq!(slice(tree.get("a").unwrap()), "1");
    let NodeKind::List(items) = &tree.get("list").unwrap().kind else { panic!("a list") };
    assert_eq!(items.iter().map(slice).collect::<Vec<_>>(), ["\"x y\"", "{k: v}"]);
    assert!(tree.get("empty").unwrap().is_null());
    assert_eq!(to_json(&tree), Ok(json!({"a": 1, "list": ["x y", {"k": "v"}], "empty": null})));
}

#[test]
fn a_merge_key_brings_the_fields_of_other_mappings() {
    let base = "base: &base {a: 1, b: 2}\nmore: &more\n  b: 3\n  c: 4\n";
    for (text, wanted) in [
        ("x:\n  <<: *base\n  b: 9\n", json!({"b": 9, "a": 1})),
        ("x:\n  b: 9\n  <<: *base\n", json!({"b": 9, "a": 1})),
        ("x: {<<: [*base, *more]}\n", json!({"a": 1, "b": 2, "c": 4})),
        ("x:\n  <<: *base\n  <<: *more\n", json!({"a": 1, "b": 2, "c": 4})),
        ("x:\n  <<: {<<: *more, d: 5}\n", json!({"d": 5, "b": 3, "c": 4})),
        ("x:\n  \"<<\": 1\n", json!({"<<": 1})),
    ] {
        let (tree, findings) = read(&format!("{base}{text}"));
        assert_eq!(findings, Vec::<String>::new(), "{text}");
        assert_eq!(to_json(tree.unwrap().unwrap().get("x").unwrap()), Ok(wanted), "{text}");
    }
    for text in ["x:\n  <<: 1\n", "x:\n  <<: [*base, 1]\n", "x:\n  <<:\n"] {
        let (_, findings) = read(&format!("{base}{text}"));
        assert!(matches!(findings.as_slice(), [one] if one.contains("`<<` takes a mapping")), "{text}: {findings:?}");
    }
}

#[test]
fn a_block_knows_the_line_of_its_first_line() {
    for (text, first_line, indent, wanted) in [
        ("s: |\n  one\n  two\n", 2, 2, "one\ntwo\n"),
        ("s: |\n\n    one\n", 2, 4, "\none\n"),
        ("s: |-\r\n  one\r\n\r\n  two\r\n", 2, 2, "one\n\ntwo"),
        ("# c\ns: |2 # c\n    one\n", 3, 2, "  one\n"),
        ("s: 'one'\n", 1, 4, "one"),
        ("s: one\n", 1, 3, "one"),
    ] {
        let (tree, _) = read(text);
        let tree = tree.unwrap().unwrap();
        let NodeKind::Scalar(scalar) = &tree.get("s").unwrap().kind else { panic!("a scalar") };
        assert_eq!((scalar.first_line, scalar.indent, scalar.text.as_str()), (first_line, indent, wanted), "{text:?}");
    }
}

#[test]
fn what_is_no_document_is_refused_with_its_place() {
    let deep = format!("a: {}{}", "[".repeat(100), "]".repeat(100));
    let bomb: String = (1..9).fold(String::from("a0: &a0 [x]\n"), |text, n| {
        text + &format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(","))
    });
    let chain: String =
        (1..100).fold(String::from("a0: &a0 [x]\n"), |text, n| text + &format!("a{n}: &a{n} [*a{}]\n", n - 1));
    for (text, wanted) in [
        ("a: b: c\n", "a.md:1:5: error: yaml: line 1: mapping values are not allowed in this context"),
        ("a: {b: c\n", "a.md:1:4: error: yaml: line 1: unclosed bracket '{'"),
        ("- a\n- b\n", "a.md:1:1: error: yaml: line 1: the document must be a mapping of fields, not a list"),
        ("just text\n", "a.md:1:1: error: yaml: line 1: the document must be a mapping of fields, not a string"),
        ("a: 1\n---\nb: 2\n", "a.md:2:1: error: yaml: line 2: a second YAML document starts here"),
        ("a: *x\n", "a.md:1:4: error: yaml: line 1: while parsing node, found unknown anchor"),
        ("a: &x [*x]\n", "a.md:1:8: error: yaml: line 1: the alias refers to the value that contains it"),
        (bomb.as_str(), "a.md:6:14: error: yaml: line 6: the document has more than 100000 values"),
        (chain.as_str(), "a.md:63:12: error: yaml: line 63: values are nested deeper than 64 levels"),
    ] {
        let (tree, findings) = read(text);
        assert_eq!(tree, Err(YamlUnreadable), "{text}");
        assert_eq!(findings, [wanted], "{text}");
    }
    assert_eq!(read(&deep).0, Err(YamlUnreadable));
}

#[test]
fn duplicate_keys_and_foreign_tags_are_all_reported() {
    let (tree, findings) = read("a: 1\na: 2\nb: !x 3\nc: !!str 4\n? [k]\n: v\na: 5\n");
    assert_eq!(
        findings,
        [
            "a.md:2:1: error: yaml: line 2: key `a` is already set at line 1",
            "a.md:3:7: error: yaml: line 3: the tag `!x` is not supported",
            "a.md:5:3: error: yaml: line 5: a key must be text, not a list",
            "a.md:7:1: error: yaml: line 7: key `a` is already set at line 1",
        ]
    );
    assert_eq!(to_json(&tree.unwrap().unwrap()), Ok(json!({"a": 1, "b": 3, "c": "4"})));
}

#[test]
fn nothing_is_an_empty_document() {
    for text in ["", "\n\n", "# only a comment\n", "~\n"] {
        assert_eq!(read(text), (Ok(None), Vec::new()), "{text:?}");
    }
}

/// Checks that every span in a tree can be sliced out of the text.
fn assert_spans(node: &DocNode, text: &str) {
    let cut = |span: ByteSpan| assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
    cut(node.span);
    match &node.kind {
        NodeKind::Scalar(scalar) => {
            assert!(scalar.first_line <= text.lines().count().max(1) + 1, "{scalar:?} in {text:?}")
        }
        NodeKind::List(items) => items.iter().for_each(|item| assert_spans(item, text)),
        NodeKind::Map(entries) => {
            for entry in entries {
                cut(entry.key_span);
                assert_spans(&entry.value, text);
            }
        }
    }
}

#[test]
fn a_carriage_return_alone_ends_no_line_of_the_file() {
    let text = "a: x\rb:\n  c: |\n    d\n";
    let tree = read(text).0.unwrap().unwrap();
    assert_spans(&tree, text);
    let Some(NodeKind::Scalar(scalar)) = tree.get("b").and_then(|node| node.get("c")).map(|node| &node.kind) else {
        panic!("{tree:?}");
    };
    assert_eq!((scalar.text.as_str(), scalar.first_line), ("d\n", 3));
}

proptest! {
    #[test]
    fn any_text_is_a_tree_or_a_finding(pieces in prop::collection::vec("[-a:{}\\[\\], \"'|>&*!#\n\r\té]{1,6}|a: |- |\\|\n |\n  ", 0..40)) {
        let text = pieces.concat();
        let (tree, findings) = read(&text);
        match tree {
            Ok(Some(node)) => assert_spans(&node, &text),
            Ok(None) => {}
            Err(YamlUnreadable) => prop_assert!(!findings.is_empty()),
        }
    }
}
