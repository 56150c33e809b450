use std::sync::Arc;

use pintle_contract::{Codec, CommandOutput, HandlerOutput, VerdictKind};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::{FakeProgramLookup, event, load_settings};
use crate::harness_framework::codec::FrameworkCodec;
use crate::harness_framework::{ROWS, recognise};

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"hooks\"",
    "\"PreToolUse\"",
    ":",
    ",",
    "\"path\"",
    "\"a.sh\"",
    "\"timeout\"",
    "5",
    "null",
    "\"matcher\"",
    "\"decision\"",
    "\"block\"",
    "\"continue\"",
    "true",
    "false",
    "\n",
    " ",
    "\"message\"",
    "é",
    "//",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat()), "\\PC{0,40}"]
}

proptest! {
    #[test]
    fn no_settings_and_no_script_stop_the_reader(settings_text in any_text(), script in any_text()) {
        let machine = FakeProgramLookup::with_programs(&["node"]).file("a.sh", &script, true);
        let _ = load_settings(&settings_text, Some(&machine));
        let _ = recognise(&settings_text);
        let whole = load_settings(r#"{"hooks": {"Stop": [{"path": "a.sh"}]}}"#, Some(&machine));
        prop_assert_eq!(whole.hooks.len(), 1);
    }

    #[test]
    fn any_output_gives_a_verdict_and_exit_status_two_always_blocks(
        stdout in prop_oneof![any_text().prop_map(String::into_bytes), vec(any::<u8>(), 0..40)],
        stderr in vec(any::<u8>(), 0..20),
        code in prop_oneof![Just(Some(0)), Just(Some(2)), Just(Some(1)), Just(None)],
    ) {
        let codec = FrameworkCodec { hook: Arc::from("Guard") };
        for row in ROWS {
            let answer = CommandOutput { exit_code: code, stdout: stdout.clone(), stderr: stderr.clone(), ..CommandOutput::default() };
            let verdict = codec.decode(&event(row.canonical.name(), json!({})), row.name, HandlerOutput::Process(answer));
            if code == Some(2) {
                prop_assert!(matches!(&verdict.kind, VerdictKind::Deny { reason } if !reason.is_empty()), "{:?}", verdict);
            } else if code != Some(0) {
                prop_assert!(matches!(verdict.kind, VerdictKind::Failed(_)), "{:?}", verdict);
            }
        }
    }
}
