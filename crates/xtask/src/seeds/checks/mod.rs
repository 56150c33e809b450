//! The checks, one file a subject.

mod artifacts;
mod builtins;
mod conditions;
mod decisions;
mod events;
mod loading;
mod one_stop;
mod order;
mod payloads;

use super::Documents;
use super::tally::Tally;

/// Every subject.
pub(super) const ALL: &[fn(&Documents, &mut Tally)] = &[
    artifacts::check,
    conditions::check,
    decisions::check,
    events::check,
    payloads::check,
    builtins::check,
    order::check,
    loading::check,
    one_stop::check,
];
