//! Composes verdicts into a decision. Pure and total: no I/O, no clock, and no errors.
//!
//! The most restrictive verdict wins: deny > ask > rewrite > allow > pass. [`VerdictTally`] records verdicts one by one
//! in declared order; [`target`] applies a rewrite to a payload; [`merge`] combines the rewrites of
//! hooks that saw the same payload, as the profile requires; [`decide`] derives the decision; [`untrusted`] restricts
//! the verdicts of untrusted hooks.

pub(crate) mod decide;
pub(crate) mod merge;
pub(crate) mod messages;
mod tally;
pub(crate) mod target;
mod untrusted;

pub use messages::{is_matcher_failure_warning, is_untrusted_claim};

pub(crate) use tally::{CallPosition, RewriteResult, TargetedVerdict, VerdictSource, VerdictTally, decision_counts};
