//! What hooks read of a tool call that has to be worked out first.

use std::ops::BitOrAssign;

use serde::{Deserialize, Serialize};

use crate::EventKind;

/// What a hook reads of a tool call that a host works out only for hooks that read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallReads {
    /// The `paths` of the call.
    pub paths: bool,
    /// The `operations` of the call.
    pub operations: bool,
    /// The `commands` of the call.
    pub commands: bool,
}

impl BitOrAssign for CallReads {
    fn bitor_assign(&mut self, other: Self) {
        self.paths |= other.paths;
        self.operations |= other.operations;
        self.commands |= other.commands;
    }
}

/// What the hooks of each event read of a tool call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventCallReads {
    // INVARIANT: bit `n` is for the kind with the number `n`.
    paths: u128,
    operations: u128,
    commands: u128,
}

// Every kind has a bit.
const _: () = assert!(EventKind::ALL.len() <= 128);

impl EventCallReads {
    /// Adds what a hook of an event reads.
    pub fn add(&mut self, kind: EventKind, reads: CallReads) {
        let bit = 1_u128 << (kind as u8);
        self.paths |= if reads.paths { bit } else { 0 };
        self.operations |= if reads.operations { bit } else { 0 };
        self.commands |= if reads.commands { bit } else { 0 };
    }

    /// What the hooks of an event read.
    #[must_use]
    pub fn select(self, kind: EventKind) -> CallReads {
        let bit = 1_u128 << (kind as u8);
        CallReads {
            paths: self.paths & bit != 0,
            operations: self.operations & bit != 0,
            commands: self.commands & bit != 0,
        }
    }

    /// Whether no hook reads anything.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.paths | self.operations | self.commands == 0
    }
}
