//! The count of checks.

/// Lines to print, and how many checks passed and failed.
#[derive(Default)]
pub(super) struct CheckTally {
    pub(super) lines: Vec<String>,
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl CheckTally {
    /// Counts one check.
    pub(super) fn check(&mut self, what: impl AsRef<str>, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.passed += 1;
                self.lines.push(format!("ok      {}", what.as_ref()));
            }
            Err(why) => {
                self.failed += 1;
                self.lines.push(format!("FAILED  {}: {why}", what.as_ref()));
            }
        }
    }

    /// Counts a check that a document shows as many examples as were known, so that none gets lost unseen.
    pub(super) fn check_count(&mut self, what: &str, found: usize, expected: usize) {
        let result = expect_equal(&found, &expected);
        self.check(format!("the documents show {expected} {what}"), result);
    }
}

/// Two values are equal.
pub(super) fn expect_equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

/// Something holds.
pub(super) fn expect(what: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if what { Ok(()) } else { Err(otherwise()) }
}
