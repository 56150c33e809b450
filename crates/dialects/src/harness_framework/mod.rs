//! The Harness Framework: executables registered in `settings.json` for six events, which answer with their exit status
//! and output.
//!
//! Pintle follows the framework's specification, not the behaviour of its usual runner for `ask` and `message`. Pintle
//! adds two keys to an entry, `on_error` and `mode`. `DEVIATIONS.md` lists where Pintle differs on purpose.

mod codec;
mod decode;
mod event_def;
mod load;

use std::sync::LazyLock;

use pintle_contract::Profile;

use crate::{Dialect, EventNames};

pub use codec::codec;
pub use event_def::{FrameworkEventDef, ROWS};
pub use load::{load, recognise};

/// The Harness Framework dialect.
pub static DIALECT: Dialect = Dialect {
    name: "harness_framework",
    description: "The Harness Framework: executables registered in settings.json, for six events",
    profile: Profile::ParallelStrictest,
    events: LazyLock::new(|| EventNames::of_rows(ROWS)),
    codec,
    load,
};

#[cfg(test)]
mod tests;
