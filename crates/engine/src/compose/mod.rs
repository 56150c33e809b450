//! From verdicts to a decision (design, section 4). Pure and total: no I/O, no clock, nothing here can fail.
//!
//! Severity is fixed: deny > ask > rewrite > allow > pass. [`VerdictTally`] takes verdicts one by one in declared order;
//! [`target`] says what a rewrite makes of a payload; [`merge`] joins the rewrites of hooks that saw the same payload,
//! and [`overlay`] lays them over each other where the profile says so; [`decide`] reads the tally; [`untrusted`] says what
//! counts of the answer of a hook that the user does not trust.

pub(crate) mod decide;
pub(crate) mod merge;
pub(crate) mod messages;
pub(crate) mod overlay;
mod tally;
pub(crate) mod target;
mod untrusted;

pub use messages::{is_matcher_failure_warning, is_untrusted_claim};

pub(crate) use tally::{CallPosition, RewriteResult, TargetedVerdict, VerdictSource, VerdictTally, decision_counts};
