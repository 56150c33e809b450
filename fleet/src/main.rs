//! The program `pintle-fleet`.

mod commands;
mod output;

use std::process::ExitCode;

use clap::Parser;

use commands::FleetArgs;
use output::print_note;

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
