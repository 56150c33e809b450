//! The worker of programs that are not `pintle`: it serves scripts on standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    pintle_handlers::worker_main()
}
