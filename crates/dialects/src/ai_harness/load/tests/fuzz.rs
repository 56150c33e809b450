//! Any artifact gives declarations and diagnostics, and never panics.

use proptest::prelude::*;

use super::*;

/// Fragments that are likely in a broken file.
fn any_piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "---\n",
        "---\r\n",
        "\u{FEFF}",
        "event: ",
        "tool.pre\n",
        "event: tool.pre\n",
        "priority: 1\n",
        "script: |\n",
        "  def handle(event, payload):\n",
        "      return allow()\n",
        "when: ",
        "payload[\"name\"] == \"x\"\n",
        "examples:\n",
        "- {payload: {a: 1.5e999}, expect: allow}\n",
        "hooks:\n",
        "  - handler: h\n",
        "    event: custom.x\n",
        "tools:\n",
        "parameters: {a: {type: string}}\n",
        "&a ",
        "*a ",
        "!!str ",
        "!x ",
        "? ",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        "\\",
        "#",
        "\t",
        "|2-\n",
        ">\n",
        "%YAML 1.2\n",
        "...\n",
        "é",
        "\u{0}",
        "\n",
        " ",
        "model: {temperature: -1}\n",
        "tools_policy: {mode: x, allow: ['', 3]}\n",
        "~\n",
    ])
    .prop_map(str::to_owned);
    prop_oneof![8 => known, 1 => any::<String>(), 1 => "[ -~]{0,12}"]
}

/// Reads a text as every kind of artifact; every diagnostic has a location that can be shown.
fn read_as_everything(text: &str) {
    let project = read(&[
        (ArtifactKind::Harness, "harness", text),
        (ArtifactKind::Tool, "t", text),
        (ArtifactKind::Hook, "h", text),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "p", text),
        (ArtifactKind::Bundle(BundleFolder::Overrides), "o", text),
        (ArtifactKind::Agent, "a", text),
    ]);
    let yaml = read(&[(ArtifactKind::HarnessYaml, "harness", text)]);
    for diagnostic in project.diagnostics.iter().chain(&yaml.diagnostics) {
        let file = diagnostic.location.file.as_ref().unwrap();
        let span = diagnostic.location.span;
        assert!(file.text.get(span.start..span.end).is_some(), "{diagnostic}: {span:?}");
        assert!(!diagnostic.message.contains('\n'), "{diagnostic}");
    }
    for hook in project.hooks.iter().chain(&project.unplaced) {
        if let HandlerSpec::Script(script) = &hook.handler {
            assert!(script.location.line_column().is_some_and(|(line, _)| line >= script.first_line), "{script:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_documents_never_panic(pieces in prop::collection::vec(any_piece(), 0..40)) {
        read_as_everything(&pieces.concat());
    }

    #[test]
    fn broken_frontmatter_never_panics(pieces in prop::collection::vec(any_piece(), 0..30)) {
        read_as_everything(&format!("---\n{}\n---\nbody\n", pieces.concat()));
    }
}
