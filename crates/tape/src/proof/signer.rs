//! Signs the checkpoints of a machine's tapes.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::{MachineKey, WitnessWriter};
use crate::checkpoint::CheckpointSigner;

/// Signs with the key of a machine, which is read or made for the first checkpoint, and passes notes to a witness.
#[derive(Debug)]
pub struct MachineSigner {
    /// The file of the key, or why there is none.
    path: Result<PathBuf, String>,
    key: OnceLock<Result<MachineKey, String>>,
    witness: Option<WitnessWriter>,
}

impl MachineSigner {
    /// Signs with the key in a file, or with none, for a reason.
    #[must_use]
    pub fn new(path: Result<PathBuf, String>) -> Self {
        Self { path, key: OnceLock::new(), witness: None }
    }

    /// Passes each checkpoint to a witness.
    #[must_use]
    pub fn with_witness(self, witness: Option<WitnessWriter>) -> Self {
        Self { witness, ..self }
    }

    /// The witness, if there is one.
    #[must_use]
    pub fn witness(&self) -> Option<&WitnessWriter> {
        self.witness.as_ref()
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
        self.witness.iter().for_each(|witness| witness.append(note));
    }
}
