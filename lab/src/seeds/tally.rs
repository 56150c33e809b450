//! Counts checks.

/// The lines to print, and the numbers of checks that passed and failed.
#[derive(Default)]
pub(super) struct CheckTally {
    pub(super) lines: Vec<String>,
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl CheckTally {
    pub(super) fn check(&mut self, subject: impl AsRef<str>, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                self.lines.push(format!("ok      {}", subject.as_ref()));
            }
            Err(reason) => {
                self.failed += 1;
                self.lines.push(format!("FAILED  {}: {reason}", subject.as_ref()));
            }
        }
    }

    /// Checks that a document shows as many examples as expected, so that none is missed.
    pub(super) fn check_count(&mut self, subject: &str, actual: usize, expected: usize) {
        let result = expect_equal(&actual, &expected);
        self.check(format!("the documents show {expected} {subject}"), result);
    }
}

/// Checks that two values are equal.
pub(super) fn expect_equal<T: PartialEq + std::fmt::Debug>(actual: &T, expected: &T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("found {actual:?}, expected {expected:?}")) }
}

/// Checks a condition.
pub(super) fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
