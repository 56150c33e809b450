//! For any file content, loading returns hooks and diagnostics and never panics.

use proptest::prelude::*;

use crate::support::LoaderFixture;

fn load_everywhere(bytes: &[u8]) {
    let places = [
        "harness.md",
        ".harness/hooks/h.md",
        ".harness/tools/t.md",
        ".harness/agents/a.md",
        ".harness/plugins/p.md",
        ".harness/overrides/o.md",
    ];
    let project = LoaderFixture::new(&places.map(|place| (place, bytes)));
    let loaded = project.load("");
    // Reports show the locations of diagnostics.
    for diagnostic in &loaded.diagnostics {
        assert!(!diagnostic.to_string().is_empty());
        if let Some(file) = &diagnostic.location.file {
            let span = diagnostic.location.span;
            assert!(span.start <= span.end, "{diagnostic}");
            assert!(file.text.is_empty() || file.text.get(span.start..span.end).is_some(), "{diagnostic}: {span:?}");
        }
    }
    let yaml = LoaderFixture::new(&[("harness.yaml", bytes)]);
    assert!(yaml.load("").files == 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        load_everywhere(&bytes);
    }

    #[test]
    fn broken_text_never_panics(text in "(---\n)?([a-z]{1,8}: ?[\"'\\[{|>&*!-]?[^\u{0}]{0,8}\n){0,8}(---\n)?") {
        load_everywhere(text.as_bytes());
    }
}
