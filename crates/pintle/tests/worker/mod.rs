//! The program that runs scripts apart, for the tests that need it.

use std::sync::Once;

use pintle::process::{self, Spec};
use pintle::{Cancel, WorkerProgram};

/// The program that runs scripts apart. A test run of the whole workspace has built it; a run of this crate alone has
/// not, and builds it here, once.
pub(crate) fn worker() -> WorkerProgram {
    static BUILD: Once = Once::new();
    BUILD.call_once(|| {
        if WorkerProgram::beside_current_exe().program.is_file() {
            return;
        }
        let arguments = ["build", "--quiet", "--package", "pintle-handlers", "--bin", "pintle-script-worker"];
        let mut spec = Spec::new(env!("CARGO"), arguments.map(str::to_owned).to_vec());
        spec.timeout_ms = 600_000;
        let output = process::run(&spec, &Cancel::default()).expect("cargo runs");
        assert!(output.is_success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
    WorkerProgram::beside_current_exe()
}
