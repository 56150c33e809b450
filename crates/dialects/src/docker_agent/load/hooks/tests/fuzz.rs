//! Any block gives hooks and diagnostics with locations that can be shown.

use proptest::prelude::*;

use super::*;

/// Fragments that are likely in a broken block.
fn any_piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "pre_tool_use:\n",
        "stop:\n",
        "turn_start: ",
        "PreToolUse:\n",
        "  - ",
        "    ",
        "  - hooks:\n",
        "      - ",
        "matcher: shell\n",
        "matcher: '('\n",
        "preempt_yolo: true\n",
        "type: command\n",
        "type: model\n",
        "type: x\n",
        "command: |\n",
        "        echo '{\"decision\":\"deny\"}'\n",
        "command: a\n",
        "args: [1, {a: b}]\n",
        "env: {A: 1}\n",
        "timeout: 1e400\n",
        "timeout: -3\n",
        "on_error: block\n",
        "on_error: [x]\n",
        "strict_output: 3\n",
        "sandbox: {read_only: x}\n",
        "mode: shadow\n",
        "{type: builtin, command: add_date}",
        "[",
        "]",
        "{",
        "}",
        ",",
        ": ",
        "&a ",
        "*a ",
        "!!str ",
        "\"",
        "'",
        "#",
        "\t",
        "\n",
        "~\n",
        "é",
        "\u{0}",
    ])
    .prop_map(str::to_owned);
    prop_oneof![8 => known, 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_blocks_never_panic(pieces in prop::collection::vec(any_piece(), 0..30), first: bool) {
        let text = pieces.concat();
        let compat = if first { DockerAgentVersion::G1 } else { DockerAgentVersion::Newest };
        let (hooks, _) = read_as(&text, compat);
        prop_assert!(hooks.iter().all(|hook| hook.definition.is_some() && hook.timeout_ms.is_some_and(|time| time > 0)));
        // Slicing the underlined texts panics if a span is invalid.
        let _ = underlined_texts(&text, compat);
    }
}
