//! Tapes of commands that fire events.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle::SystemClock;
use pintle::tape::{Durability, HeaderRecord, Tape, TapeError};

use crate::fault::Fault;

/// A tape in a file that goes away again unless something happens that is worth keeping.
#[derive(Debug)]
pub(crate) struct NewTape {
    pub(crate) tape: Arc<Tape>,
    /// The file to take away when the command stops here.
    unused: Option<PathBuf>,
}

impl NewTape {
    /// Begins a tape in a new file, or in memory when there is none.
    pub(crate) fn begin(path: Option<PathBuf>, header: HeaderRecord, clock: Arc<SystemClock>) -> Result<Self, Fault> {
        Self::lasting(path, header, clock, Durability::default())
    }

    /// The same with a say in how much it outlives.
    pub(crate) fn lasting(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
        durability: Durability,
    ) -> Result<Self, Fault> {
        let tape = match &path {
            Some(path) => {
                Tape::create(path, header, clock).map(|tape| tape.with_durability(durability)).map_err(|fault| {
                    match fault {
                        TapeError::Exists { .. } => Fault::invalid(fault),
                        fault => Fault::failed(fault).help("`--tape FILE` puts the tape elsewhere"),
                    }
                })?
            }
            None => Tape::in_memory(header, clock),
        };
        Ok(Self { tape: Arc::new(tape), unused: path })
    }

    /// Goes on with a tape, which stays whatever happens.
    pub(crate) fn append(tape: Tape) -> Self {
        Self { tape: Arc::new(tape), unused: None }
    }

    /// Says that what follows is worth keeping.
    pub(crate) fn keep(&mut self) {
        self.unused = None;
    }

    /// The fault that ended the tape early, if there was one.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.tape.check_file();
        let fault = self.tape.take_error()?;
        Some(Fault::failed(fault).help("the tape ends there; what is guarded was denied from then on"))
    }
}

impl Drop for NewTape {
    fn drop(&mut self) {
        match &self.unused {
            Some(path) => {
                // A tape without an event is of no use, but does no harm either.
                let _ = fs::remove_file(path);
            }
            None => drop(self.tape.close()),
        }
    }
}
