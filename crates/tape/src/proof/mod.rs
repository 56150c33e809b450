//! Proofs about tapes: the key of a machine, its signatures, witnesses of them, and what follows from them.

mod evidence;
mod inclusion;
mod machine_key;
mod signer;
mod verifier_key;
mod witness;

pub use evidence::{EvidenceReport, check_evidence};
pub use inclusion::{InclusionProof, InclusionProofError};
pub use machine_key::{MachineKey, MachineKeyError};
pub use pintle_files::MACHINE_KEY_FILE;
pub use signer::MachineSigner;
pub use verifier_key::{VerifierKey, VerifierKeyError};
pub use witness::{WitnessNote, WitnessNotes, WitnessWriter};
