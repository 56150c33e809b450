//! What a chore reports.

/// The report of a chore: lines to print, and whether it passed.
pub(crate) struct ChoreReport {
    pub(crate) lines: Vec<String>,
    pub(crate) passed: bool,
}
