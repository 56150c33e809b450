//! Signs the checkpoints of a machine's tapes.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use super::{MachineKey, WitnessWriter};
use crate::checkpoint::CheckpointSigner;

/// How long a signer that is dropped waits for its witness.
const DROP_PATIENCE: Duration = Duration::from_secs(2);

/// Signs with the key of a machine, which is read or made for the first checkpoint, and passes notes to a witness.
pub struct MachineSigner {
    /// The file of the key, or why there is none.
    path: Result<PathBuf, String>,
    key: OnceLock<Result<MachineKey, String>>,
    /// Finds the file of the witness, if there is one.
    find_witness: Option<WitnessFinder>,
    witness: OnceLock<Result<Option<WitnessWriter>, String>>,
    /// Told why a witness does not have a checkpoint when the signer is dropped.
    report_error: Option<WitnessErrorReport>,
}

type WitnessErrorReport = Box<dyn Fn(&str) + Send + Sync>;
type WitnessFinder = Box<dyn Fn() -> Result<Option<PathBuf>, String> + Send + Sync>;

impl MachineSigner {
    /// Signs with the key in a file, or with none, for a reason.
    #[must_use]
    pub fn new(path: Result<PathBuf, String>) -> Self {
        Self { path, key: OnceLock::new(), find_witness: None, witness: OnceLock::new(), report_error: None }
    }

    /// Appends each checkpoint to a witness file, which is looked for when there is one to append.
    #[must_use]
    pub fn with_witness(
        mut self,
        find_witness: impl Fn() -> Result<Option<PathBuf>, String> + Send + Sync + 'static,
    ) -> Self {
        self.find_witness = Some(Box::new(find_witness));
        self
    }

    /// When the signer is dropped, waits a little until the witness has all checkpoints, and reports why it does not have
    /// some of them.
    #[must_use]
    pub fn with_error_report(mut self, report_error: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.report_error = Some(Box::new(report_error));
        self
    }

    /// Waits until the witness has all checkpoints, and returns why it has not some of them.
    pub fn flush_witness(&self, patience: Duration) -> Vec<String> {
        match self.witness.get() {
            None | Some(Ok(None)) => Vec::new(),
            Some(Err(error)) => vec![error.clone()],
            Some(Ok(Some(witness))) => witness.flush(patience),
        }
    }
}

impl Drop for MachineSigner {
    fn drop(&mut self) {
        if let Some(report_error) = self.report_error.take() {
            self.flush_witness(DROP_PATIENCE).iter().for_each(|error| report_error(error));
        }
    }
}

impl CheckpointSigner for MachineSigner {
    fn sign(&self, text: &str) -> Result<String, String> {
        let key = self.key.get_or_init(|| {
            let path = self.path.as_ref().map_err(Clone::clone)?;
            MachineKey::open_or_create(path).map_err(|error| error.to_string())
        });
        key.as_ref().map(|key| key.sign(text)).map_err(Clone::clone)
    }

    fn publish(&self, note: &str) {
        let Some(find_witness) = &self.find_witness else { return };
        if let Ok(Some(witness)) = self.witness.get_or_init(|| Ok(find_witness()?.map(WitnessWriter::new))) {
            witness.append(note);
        }
    }
}

impl Debug for MachineSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineSigner").field("path", &self.path).finish_non_exhaustive()
    }
}
