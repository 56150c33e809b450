//! Who answers when a hook asks for a person.

use std::sync::Arc;

use clap::Args;
use pintle::{Question, Resolution, Resolver};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Asks {
    /// Answer yes whenever a hook asks for a person.
    #[arg(long, conflicts_with = "no")]
    pub(crate) yes: bool,
    /// Answer no whenever a hook asks for a person.
    #[arg(long)]
    pub(crate) no: bool,
}

impl Asks {
    /// What answers every ask, when that was said.
    pub(crate) fn word(self) -> Option<&'static str> {
        match (self.yes, self.no) {
            (true, _) => Some("yes"),
            (_, true) => Some("no"),
            (false, false) => None,
        }
    }

    /// The answer given on the command line, or else whoever is there to be asked.
    pub(crate) fn resolver(self, otherwise: impl FnOnce() -> Arc<dyn Resolver>) -> Arc<dyn Resolver> {
        match (self.yes, self.no) {
            (true, _) => Arc::new(Fixed(Resolution::Approved { by: String::from("--yes") })),
            (_, true) => Arc::new(Fixed(Resolution::Refused { by: String::from("--no") })),
            (false, false) => otherwise(),
        }
    }
}

/// Answers every ask alike.
#[derive(Debug)]
struct Fixed(Resolution);

impl Resolver for Fixed {
    fn resolve(&self, _question: &Question<'_>) -> Resolution {
        self.0.clone()
    }
}

/// Leaves the ask open, so that the outcome is an ask.
pub(crate) fn open() -> Arc<dyn Resolver> {
    Arc::new(Fixed(Resolution::Deferred))
}
