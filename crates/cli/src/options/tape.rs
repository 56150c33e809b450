//! Tapes of commands that fire events.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_host::SystemClock;
use pintle_host::tape::{Durability, HeaderRecord, Tape, TapeError};

use crate::error::CliError;

/// A tape whose file is deleted on drop unless `keep_file` was called.
#[derive(Debug)]
pub(crate) struct ProvisionalTape {
    pub(crate) tape: Arc<Tape>,
    /// The file to delete on drop.
    removable_path: Option<PathBuf>,
    /// Whether the tape is left without an end on drop, unless it was closed before.
    stays_open: bool,
}

impl ProvisionalTape {
    /// Starts a tape in a new file, or in memory without a path.
    pub(crate) fn begin(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
    ) -> Result<Self, CliError> {
        Self::begin_durable(path, header, clock, Durability::default())
    }

    /// Starts a tape with a durability level.
    pub(crate) fn begin_durable(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
        durability: Durability,
    ) -> Result<Self, CliError> {
        let tape = match &path {
            Some(path) => {
                Tape::create(path, header, clock).map(|tape| tape.with_durability(durability)).map_err(|error| {
                    match error {
                        TapeError::Exists { .. } => CliError::invalid_input(error),
                        fault => CliError::failure(fault).help("name another file with `--tape FILE`"),
                    }
                })?
            }
            None => Tape::in_memory(header, clock),
        };
        Ok(Self { tape: Arc::new(tape), removable_path: path, stays_open: false })
    }

    /// Continues an existing tape, whose file is always kept. `has_open_session` says whether its session was interrupted:
    /// if it is not resumed after all, its tape stays without an end.
    pub(crate) fn from_existing(tape: Tape, has_open_session: bool) -> Self {
        Self { tape: Arc::new(tape), removable_path: None, stays_open: has_open_session }
    }

    /// Keeps the file on drop.
    pub(crate) fn keep_file(&mut self) {
        self.removable_path = None;
    }

    /// Takes the error that ended the recording early, if any.
    pub(crate) fn take_error(&self) -> Option<CliError> {
        self.tape.check_file();
        let error = self.tape.take_error()?;
        Some(CliError::failure(error).help("the tape ends there; guarded events were denied from then on"))
    }
}

impl Drop for ProvisionalTape {
    fn drop(&mut self) {
        match &self.removable_path {
            Some(path) => {
                // A file that cannot be deleted is harmless: its tape has no events.
                let _ = fs::remove_file(path);
            }
            None if self.stays_open => {}
            None => drop(self.tape.close()),
        }
    }
}
