//! The program `pintle-fleet`.

mod commands;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use pintle_fleet::FleetError;

use commands::FleetArgs;

/// The exit codes of Pintle: done, failed, and invalid input.
const FAILED: u8 = 1;
const INVALID: u8 = 3;

/// The commands that are hooks, whatever of which fails denies, and the exit code that denies.
const HOOKS: [&str; 2] = ["approve", "budget"];
const DENIED: u8 = 2;

fn main() -> ExitCode {
    let is_hook = std::env::args_os().nth(1).is_some_and(|name| HOOKS.iter().any(|hook| name == *hook));
    let failed = |code| ExitCode::from(if is_hook { DENIED } else { code });
    let args = match FleetArgs::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { failed(INVALID) } else { ExitCode::SUCCESS };
        }
    };
    match args.execute() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => failed(FAILED),
        Err(error) => {
            print_note(&format!("error: {}", error.message));
            if let Some(help) = &error.help {
                print_note(&format!("help: {help}"));
            }
            failed(if error.is_input { INVALID } else { FAILED })
        }
    }
}

/// Prints a line of a result.
fn print_line(text: &str) -> Result<(), FleetError> {
    let mut output = io::stdout().lock();
    let written = writeln!(output, "{text}").and_then(|()| output.flush());
    match written {
        // Who reads it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => written.map_err(|error| FleetError::failure(format!("the output cannot be written: {error}"))),
    }
}

/// Prints a line for the user, beside the result.
fn print_note(text: &str) {
    // Without a terminal there is nothing to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
