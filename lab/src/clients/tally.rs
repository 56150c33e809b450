//! The results of proofs, counted and printed.

use super::outcome::ProofResult;
use super::sandbox::ClientSandbox;

/// The results of the proofs so far.
#[derive(Default)]
pub(super) struct ProofTally {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
}

impl ProofTally {
    /// Counts a proof and prints its line.
    pub(super) fn record(&mut self, fixture: &ClientSandbox, name: &str, good: bool, result: &str) {
        *(if good { &mut self.passed } else { &mut self.failed }) += 1;
        let verdict = if good { "ok     " } else { "FAIL   " };
        println!("{verdict} {:<8} {:<9} {name:<48} {result}", fixture.client.name, fixture.version());
    }

    /// Compares the result of a proof with the expected one. If they differ, the transcript is kept.
    pub(super) fn record_result(
        &mut self,
        fixture: &ClientSandbox,
        name: &str,
        (expected, reason): (ProofResult, Option<&str>),
        result: ProofResult,
        transcript: &str,
    ) -> Result<(), String> {
        let mut text = result.to_string();
        if let Some(reason) = reason {
            text.push_str(&format!(" ({reason})"));
        }
        if result != expected {
            let kept = fixture.save_transcript(name, transcript)?;
            text.push_str(&format!("; expected: {expected}; see {}", kept.display()));
        }
        self.record(fixture, name, result == expected, &text);
        Ok(())
    }
}
