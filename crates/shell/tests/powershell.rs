//! PowerShell lines of any kind end within the limits.

use std::path::Path;

use pintle_shell::{CallSite, Operation, OperationKind, ShellLanguage, operations_of_command};
use proptest::prelude::*;

/// The most operations of a call, with the one that says that there are more.
const MAX_OPERATIONS: usize = 513;

fn operations(text: &str) -> Vec<Operation> {
    let site =
        CallSite::new(Path::new("/home/dev/shop"), Path::new("/home/dev/shop")).with_home(Some(Path::new("/home/dev")));
    operations_of_command(text, ShellLanguage::PowerShell, &site)
}

/// Parts that PowerShell gives a meaning, so that what is made of them is more than words.
const PARTS: &str = "iex & . $x $_ $env:TOKEN ${y} $( @( @{ ( ) { } [ ] [char] [IO.File]::Delete( [Convert]::FromBase64String( \
    'a' \"b $x\" \" ' ` | || && ; , = += -f -join -replace -split .Replace( .Invoke() .Path :: > >> 2>&1 # <# #> @' '@ @\" \"@ \
    if foreach function param try catch switch while do in return rm ri gc gci % ? -r -Recurse -Path: ~ $HOME C:\\ .. 1..9 \
    Start-Process Invoke-Command -ScriptBlock curl cmd /c %PATH% git push --force ~\\x \\\\?\\C:\\x HKLM:\\x Env:X";

fn any_line() -> impl Strategy<Value = String> {
    let parts: Vec<&str> =
        PARTS.split_whitespace().chain(["\n", " ", "\u{fffc}", "\u{fdd0}", "\u{fdd1}", "\u{fdd2}"]).collect();
    prop::collection::vec((prop::sample::select(parts), prop::bool::ANY), 0..60).prop_map(|parts| {
        parts.iter().map(|(part, is_apart)| format!("{part}{}", if *is_apart { " " } else { "" })).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_its_words_end_within_the_limits(line in any_line()) {
        prop_assert!(operations(&line).len() <= MAX_OPERATIONS);
    }

    #[test]
    fn any_text_ends_within_the_limits(line in "\\PC{0,200}") {
        prop_assert!(operations(&line).len() <= MAX_OPERATIONS);
    }
}

#[test]
fn deep_nesting_is_unknown_and_does_not_overflow_a_small_stack() {
    let run = || {
        for (open, close) in [
            ("(", ")"),
            ("& { ", "}"),
            ("if (1) { ", "}"),
            ("$(", ")"),
            ("\"$(", ")\""),
            ("@(", ")"),
            ("[x](", ")"),
            ("iex (", ")"),
            ("a.b(", ")"),
            ("-not ", ""),
            ("@{a=", "}"),
            ("x | % { ", "}"),
            ("$a[", "]"),
            ("$x = ", ""),
        ] {
            let line = format!("{}rm -r ~{}", open.repeat(30_000), close.repeat(30_000));
            let found = operations(&line.replacen("a.b(", "$a.b(", 1));
            let says_so = |kind: &OperationKind| {
                matches!(kind, OperationKind::Unknown | OperationKind::Delete | OperationKind::RunCode)
            };
            assert!(found.iter().any(|operation| says_so(&operation.kind)), "`{open}` is {found:?}");
        }
    };
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn blocks_in_blocks_as_deep_as_they_are_run_fit_a_small_stack() {
    let run = || {
        let deep = "if (1) { ".repeat(20);
        let line = format!("{deep}x | % {{ ").repeat(14) + "rm -r ~" + &"}".repeat(21 * 14);
        let nested = "$(".repeat(10) + "iex (" + &"(gc ".repeat(8) + "a" + &")".repeat(19);
        for line in [line, nested] {
            assert!(
                operations(&line)
                    .iter()
                    .any(|operation| operation.kind == OperationKind::Unknown || operation.kind == OperationKind::Read)
            );
        }
    };
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn long_and_repeating_lines_end_soon() {
    let blocks = "% { ".repeat(12) + "1" + &" }".repeat(12);
    for line in [
        format!("$a = 'x' * 9; {}", "$a += $a;".repeat(20_000)),
        format!("1,2,3,4,5,6,7,8 | {blocks}"),
        format!(
            "$l = {}; {}",
            vec!["'a'"; 5000].join(","),
            "foreach ($x in $l) { foreach ($y in $l) { ri $x } }".repeat(20)
        ),
        format!("function f {{ f; f }} {}", "f;".repeat(500)),
        "'".repeat(100_000),
        "$(".repeat(60_000),
        "a | ".repeat(40_000),
        format!("iex '{}'", "iex $x;".repeat(8000)),
        "{".repeat(120_000),
        "@'\n".repeat(40_000),
        "`".repeat(100_000),
        "$x.a().b()[0]".repeat(9000),
    ] {
        assert!(operations(&line).len() <= MAX_OPERATIONS);
    }
}
