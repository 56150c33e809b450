//! What holds for every text.

use crate::fixture;

use pintle_shell::{Operation, OperationKind};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use fixture::operations;

/// Words, operators and quotes as they come in command lines, in any order.
fn shell_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "rm",
        "-rf",
        "~",
        "/",
        "cat",
        ".env",
        "git",
        "push",
        "--force",
        "curl",
        "https://x.example",
        "|",
        "sh",
        "&&",
        ";",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "$(",
        "`",
        "\"",
        "'",
        "$x",
        "${x:-y}",
        "x=",
        "<<E",
        "E",
        ">",
        "<",
        "2>&1",
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "case",
        "esac",
        ";;",
        "[[",
        "]]",
        "((",
        "))",
        "eval",
        "sudo",
        "xargs",
        "find",
        "-exec",
        "python3",
        "-c",
        "f(",
        "{a,b}",
        "*",
        "\\",
        "#",
        "é",
        "\0",
        "!",
        "&",
        "function",
        "f()",
        " ",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.join(" "))
}

/// What a line does, a longer one does as well. How much is read of a line that cannot be read depends on where it ends.
fn assert_nothing_lost(before: &[Operation], after: &[Operation]) -> Result<(), TestCaseError> {
    let has = |kind: OperationKind| after.iter().any(|other| other.kind == kind);
    let is_unread = before.iter().any(|operation| operation.kind == OperationKind::Unknown);
    for operation in before.iter().filter(|operation| !is_unread || operation.kind == OperationKind::Unknown) {
        prop_assert!(has(operation.kind), "{operation:?} is lost in {after:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_operations_within_the_limit(text in "\\PC{0,200}") {
        prop_assert!(operations(&text).len() <= 513);
    }

    #[test]
    fn any_mix_of_shell_words_has_operations_within_the_limit(text in shell_text()) {
        prop_assert!(operations(&text).len() <= 513);
    }

    #[test]
    fn a_harmless_command_behind_hides_nothing(text in shell_text()) {
        // Else the `;` is a letter of the last word.
        prop_assume!(!text.ends_with('\\'));
        let before = operations(&text);
        let after = operations(&format!("{text}; true"));
        assert_nothing_lost(&before, &after)?;
    }

    #[test]
    fn a_harmless_command_in_front_hides_nothing(text in shell_text()) {
        let before = operations(&text);
        let after = operations(&format!("true; {text}"));
        assert_nothing_lost(&before, &after)?;
    }
}
