//! Tapes of commands that fire events.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pintle_host::SystemClock;
use pintle_host::loader::{LayerDirs, MissingDir, find_tape_witness, state_dir};
use pintle_host::tape::checkpoint::CheckpointSigner;
use pintle_host::tape::proof::{MACHINE_KEY_FILE, MachineSigner};
use pintle_host::tape::{Durability, HeaderRecord, Tape, TapeError};

use crate::error::CliError;

/// How long a command that ends waits for the file of a witness, which may be on another machine.
const WITNESS_PATIENCE: Duration = Duration::from_secs(2);

/// Who signs tapes on this machine: the key in a state directory. The settings in `find_layers` name the file of a witness.
pub(crate) fn machine_signer(
    state: Option<PathBuf>,
    find_layers: impl Fn() -> Result<LayerDirs, MissingDir> + Send + Sync + 'static,
) -> MachineSigner {
    let key = state.map(|dir| dir.join(MACHINE_KEY_FILE));
    let signer = MachineSigner::new(key.ok_or_else(|| String::from("there is no state directory for a key")));
    signer.with_witness(move || {
        let found = find_layers().map_err(|error| error.to_string()).and_then(|dirs| find_tape_witness(&dirs));
        found.map_err(|error| format!("it is not known to which file checkpoints are appended: {error}"))
    })
}

/// Who signs tapes of the commands of a user.
fn own_signer() -> Arc<MachineSigner> {
    Arc::new(machine_signer(state_dir(), || LayerDirs::find(PathBuf::new(), None, None)))
}

/// A tape whose file is deleted on drop unless `keep_file` was called.
#[derive(Debug)]
pub(crate) struct ProvisionalTape {
    pub(crate) tape: Arc<Tape>,
    /// The file to delete on drop.
    removable_path: Option<PathBuf>,
    /// Whether the tape is left without an end on drop, unless it was closed before.
    stays_open: bool,
    /// Who signs it, if it is in a file.
    signer: Option<Arc<MachineSigner>>,
}

impl ProvisionalTape {
    /// Starts a tape in a new file, or in memory without a path.
    pub(crate) fn begin(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
    ) -> Result<Self, CliError> {
        Self::create(path, header, clock, Durability::default(), None)
    }

    /// Starts the tape of a session, with a durability level. In a file it has checkpoints.
    pub(crate) fn begin_durable(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
        durability: Durability,
    ) -> Result<Self, CliError> {
        let signer = path.is_some().then(own_signer);
        Self::create(path, header, clock, durability, signer)
    }

    fn create(
        path: Option<PathBuf>,
        header: HeaderRecord,
        clock: Arc<SystemClock>,
        durability: Durability,
        signer: Option<Arc<MachineSigner>>,
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
        let tape = match &signer {
            Some(signer) => tape.with_checkpoints(Arc::clone(signer) as Arc<dyn CheckpointSigner>),
            None => tape,
        };
        Ok(Self { tape: Arc::new(tape), removable_path: path, stays_open: false, signer })
    }

    /// Continues an existing tape, whose file is always kept. `has_open_session` says whether its session was interrupted:
    /// if it is not resumed after all, its tape stays without an end.
    pub(crate) fn from_existing(tape: Tape, has_open_session: bool) -> Self {
        let signer = own_signer();
        let tape = tape.with_checkpoints(Arc::clone(&signer) as Arc<dyn CheckpointSigner>);
        Self { tape: Arc::new(tape), removable_path: None, stays_open: has_open_session, signer: Some(signer) }
    }

    /// Keeps the file on drop.
    pub(crate) fn keep_file(&mut self) {
        self.removable_path = None;
    }

    /// Closes the tape unless a session is open, and waits until its witness has all checkpoints. Returns the digest of a
    /// closed tape, and why the witness does not have some of them.
    pub(crate) fn close(&self) -> (Option<String>, Vec<String>) {
        let digest = self.tape.close();
        let errors = self.signer.iter().flat_map(|signer| signer.flush_witness(WITNESS_PATIENCE));
        (digest, errors.collect())
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
            None => drop(self.close()),
        }
    }
}
