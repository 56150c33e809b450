//! The program `pintle-hook`, which is installed beside `pintle`.

fn main() -> std::process::ExitCode {
    pintle_hook::run()
}
