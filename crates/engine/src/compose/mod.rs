//! From verdicts to a decision (design, section 4). Pure and total: no I/O, no clock, nothing here can fail.
//!
//! Severity is fixed: deny > ask > rewrite > allow > pass. [`Tally`] takes verdicts one by one in declared order;
//! [`target`] says what a rewrite makes of a payload; [`merge`] joins the rewrites of hooks that saw the same payload,
//! and [`lay`] lays them over each other where the profile says so; [`ruling`] reads the tally; [`untrusted`] says what
//! counts of the answer of a hook that the user does not trust.

pub(crate) mod lay;
pub(crate) mod merge;
pub(crate) mod ruling;
mod tally;
pub(crate) mod target;
mod untrusted;
pub(crate) mod words;

pub use words::{is_passed_over, is_untrusted_claim};

pub(crate) use tally::{Answered, Made, Position, Tally, Voter, stands};
