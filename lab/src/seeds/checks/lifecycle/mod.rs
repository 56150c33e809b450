//! Checks the lifecycle of hooks that are scripts registered in settings: the document's settings and its script run
//! unchanged in Pintle's own loop and inside another agent, and its tables and examples are compared.
//!
//! The script needs `bun`, or `node` instead. Without either the checks that run it fail.

mod contract;
mod document;
mod running;

use crate::seeds::documents::SeedDocuments;
use crate::seeds::tally::CheckTally;
pub(crate) use document::LifecycleDocument;

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let document = match LifecycleDocument::read(&documents.lifecycle) {
        Ok(document) => document,
        Err(error) => return tally.check("the lifecycle of script hooks is shown", Err(error)),
    };
    contract::check(&document, tally);
    running::check(&document, tally);
}
