//! Programs that a test puts where it runs them.

use std::path::Path;
use std::process::Command;

const COPY: &str = r#"mkdir -p "$(dirname "$2")" && rm -f "$2" && cp "$1" "$2" && chmod 755 "$2""#;
const REPLACE: &str = r#"cp "$1" "$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#;

/// Copies a program, and makes its directory.
///
/// Another process writes the copy: a file that this process has open for writing while another thread starts a program is open in
/// that program's process, too, until it runs, and up to then the system refuses to run the file ("Text file busy").
///
/// # Panics
///
/// If it cannot be copied.
pub fn copy_program(program: impl AsRef<Path>, copy: impl AsRef<Path>) {
    run_shell(COPY, &[program.as_ref(), copy.as_ref()]);
}

/// Makes a file that a test has written one that every account can run; see [`copy_program`] for who writes it.
///
/// # Panics
///
/// If it cannot be read or written.
pub fn make_executable(file: impl AsRef<Path>) {
    run_shell(REPLACE, &[file.as_ref()]);
}

fn run_shell(script: &str, paths: &[&Path]) {
    let status = Command::new("/bin/sh").args(["-ec", script, "sh"]).args(paths).status();
    assert!(status.is_ok_and(|status| status.success()), "cannot make a program of {paths:?}");
}
