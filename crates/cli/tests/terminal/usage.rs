use crate::fixture::{CliFixture, snapshot};

#[test]
fn help_and_mistakes() {
    let fixture = CliFixture::new_empty();
    snapshot!("usage_help", fixture.pintle(&["--help"]).run_to_screen());
    snapshot!("usage_alone", fixture.pintle(&[]).run_to_screen());
    snapshot!("usage_unknown_command", fixture.pintle(&["frie"]).run_to_screen());
    snapshot!("usage_command_by_meaning", fixture.pintle(&["deny", "npm publish"]).run_to_screen());
    snapshot!("usage_unlike_any_command", fixture.pintle(&["zzqxv"]).run_to_screen());
    snapshot!("usage_examples", fixture.pintle(&["log", "--help"]).run_to_screen());
    snapshot!("usage_unknown_option", fixture.pintle(&["fire", "tool.pre", "--hoks", "."]).run_to_screen());
    let (out, _, status) = fixture.pintle(&["--version"]).run_to_parts();
    assert_eq!((out.as_str(), status), (concat!("pintle ", env!("CARGO_PKG_VERSION"), "\n"), Some(0)));
}

#[test]
fn every_command_has_help_that_says_what_it_does() {
    let fixture = CliFixture::new_empty();
    for command in
        ["run", "validate", "fire", "explain", "hooks", "packs", "try", "events", "tape", "tape show", "trust"]
    {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--help");
        let (out, err, status) = fixture.pintle(&words).run_to_parts();
        assert_eq!((err.as_str(), status), ("", Some(0)), "{command}");
        assert!(out.contains("Usage: pintle") && out.contains("--json"), "{command}: {out}");
    }
}

#[test]
fn nobody_reading_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["events", "tool.pre"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(output.stderr).unwrap().as_str(), output.status.code()), ("", Some(0)));
}
