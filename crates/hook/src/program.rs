//! The program, which other crates have as theirs.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(not(target_os = "linux"))]
use std::process::Command;
use std::process::ExitCode;

/// The name of the full program.
const PROGRAM: &str = if cfg!(windows) { "pintle.exe" } else { "pintle" };

/// Runs the program `pintle-hook`: asks the resident of this user and environment for the answer of `pintle hook`, and
/// becomes `pintle hook` where none answers.
///
/// It takes the arguments of `pintle`. That program is beside this one, under the path by which this one was started or
/// the real one. Returns the exit status: 1 without an answer, which an agent never takes for a decision.
#[must_use]
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let Some(program) = full_program() else {
        return fail("the program `pintle` is not beside `pintle-hook`");
    };
    #[cfg(target_os = "linux")]
    return crate::client::run(&program, &arguments);
    #[cfg(not(target_os = "linux"))]
    match Command::new(&program).args(&arguments).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => fail(&format!("cannot start `{}`: {error}", program.display())),
    }
}

/// The program `pintle` in the directory of this one. If this one is found by a link, that of the link comes first: an
/// upgrade may point both to another version.
fn full_program() -> Option<PathBuf> {
    let started = env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    let beside = |path: PathBuf| Some(path.parent()?.join(PROGRAM)).filter(|program| program.is_file());
    started.and_then(beside).or_else(|| env::current_exe().ok().and_then(beside))
}

/// Says why it has no answer.
pub(crate) fn fail(reason: &str) -> ExitCode {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "pintle-hook: {reason}");
    ExitCode::from(1)
}
