//! Tapes of commands that fire events.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle::SystemClock;
use pintle::tape::{Durability, HeaderRecord, Tape, TapeError};

use crate::error::CliError;

/// A tape in a file that goes away again unless something happens that is worth keeping.
#[derive(Debug)]
pub(crate) struct ProvisionalTape {
    pub(crate) tape: Arc<Tape>,
    /// The file to take away when the command stops here.
    removable_path: Option<PathBuf>,
}

impl ProvisionalTape {
    /// Begins a tape in a new file, or in memory when there is none.
    pub(crate) fn begin(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
    ) -> Result<Self, CliError> {
        Self::begin_durable(path, header, clock, Durability::default())
    }

    /// The same with a say in how much it outlives.
    pub(crate) fn begin_durable(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
        durability: Durability,
    ) -> Result<Self, CliError> {
        let tape = match &path {
            Some(path) => {
                Tape::create(path, header, clock).map(|tape| tape.with_durability(durability)).map_err(|fault| {
                    match fault {
                        TapeError::Exists { .. } => CliError::invalid_input(fault),
                        fault => CliError::failure(fault).help("`--tape FILE` puts the tape elsewhere"),
                    }
                })?
            }
            None => Tape::in_memory(header, clock),
        };
        Ok(Self { tape: Arc::new(tape), removable_path: path })
    }

    /// Goes on with a tape, which stays whatever happens.
    pub(crate) fn from_existing(tape: Tape) -> Self {
        Self { tape: Arc::new(tape), removable_path: None }
    }

    /// Says that what follows is worth keeping.
    pub(crate) fn keep_file(&mut self) {
        self.removable_path = None;
    }

    /// The fault that ended the tape early, if there was one.
    pub(crate) fn take_error(&self) -> Option<CliError> {
        self.tape.check_file();
        let fault = self.tape.take_error()?;
        Some(CliError::failure(fault).help("the tape ends there; what is guarded was denied from then on"))
    }
}

impl Drop for ProvisionalTape {
    fn drop(&mut self) {
        match &self.removable_path {
            Some(path) => {
                // A tape without an event is of no use, but does no harm either.
                let _ = fs::remove_file(path);
            }
            None => drop(self.tape.close()),
        }
    }
}
