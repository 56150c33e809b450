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

fn main() -> ExitCode {
    let args = match FleetArgs::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(INVALID) } else { ExitCode::SUCCESS };
        }
    };
    match args.execute() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            print_note(&format!("error: {}", error.message));
            if let Some(help) = &error.help {
                print_note(&format!("help: {help}"));
            }
            ExitCode::from(if error.is_input { INVALID } else { FAILED })
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
