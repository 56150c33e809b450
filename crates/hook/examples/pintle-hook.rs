//! The program `pintle-hook` alone.

fn main() -> std::process::ExitCode {
    pintle_hook::run()
}
