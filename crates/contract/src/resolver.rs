//! Who answers an ask.

use std::fmt::Debug;

use crate::{Event, Reason};

/// What a resolver is asked.
#[derive(Debug)]
pub struct Question<'a> {
    /// The event with the exact payload that will be used if the answer is yes.
    pub event: &'a Event,
    /// Who asks and why.
    pub reasons: &'a [Reason],
    /// The digest the approval will be bound to.
    pub digest: &'a str,
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Go on; `by` says who approved.
    Approved {
        /// Who, for the tape.
        by: String,
    },
    /// Do not go on.
    Refused {
        /// Who, for the tape.
        by: String,
    },
    /// The host asks in its own way: the outcome stays [`Decision::Ask`](crate::Decision::Ask).
    Deferred,
    /// Nobody is there to ask, which means deny.
    Nobody,
}

/// Answers asks: a person at a terminal, a flag, a permission hook.
pub trait Resolver: Send + Sync + Debug {
    /// Answers one question.
    fn resolve(&self, question: &Question<'_>) -> Resolution;
}

/// The resolver that has nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl Resolver for DenyAll {
    fn resolve(&self, _question: &Question<'_>) -> Resolution {
        Resolution::Nobody
    }
}
