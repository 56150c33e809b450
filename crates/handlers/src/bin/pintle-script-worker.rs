//! The script worker for programs other than `pintle`: it serves scripts on standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    pintle_handlers::worker_main()
}
