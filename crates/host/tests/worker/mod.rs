//! The script worker and launcher, for the tests that need it.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use std::sync::Once;

use pintle_host::process::{self, ProcessSpec};
use pintle_host::{CancelToken, WorkerProgram};

/// Builds the program from the current sources. A program of older sources may use another protocol, and only cargo
/// knows whether it is older. It is built with the features of the whole workspace, so that a run of all tests has
/// already built it.
pub(crate) fn worker() -> WorkerProgram {
    static BUILD: Once = Once::new();
    BUILD.call_once(|| {
        let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
        let arguments = ["build", "--quiet", "--workspace", "--bin", "pintle-script-worker", "--profile", profile];
        let mut spec = ProcessSpec::new(env!("CARGO"), arguments.map(str::to_owned).to_vec());
        spec.timeout_ms = 600_000;
        let output = process::run(&spec, &CancelToken::default()).expect("cargo runs");
        assert!(output.is_success(), "{}", String::from_utf8_lossy(&output.stderr));
    });
    WorkerProgram::next_to_current_exe()
}
