//! The checks, one file per subject.

mod artifacts;
mod builtins;
mod conditions;
mod decisions;
mod events;
mod lifecycle;
mod loading;
mod one_stop;
mod order;
mod payloads;

pub(crate) use lifecycle::LifecycleDocument;

use super::documents::SeedDocuments;
use super::tally::CheckTally;

/// All subjects.
pub(super) const ALL: &[fn(&SeedDocuments, &mut CheckTally)] = &[
    artifacts::check,
    conditions::check,
    decisions::check,
    events::check,
    payloads::check,
    builtins::check,
    order::check,
    loading::check,
    one_stop::check,
    lifecycle::check,
];
