//! Proofs that one record is on a tape, which need nothing else of the tape.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::VerifierKey;
use crate::checkpoint::{CheckpointText, SignedNote};
use crate::line::{DigestBytes, RecordHead, digest_bytes};
use crate::tree::{TreeFrontier, inclusion_path, leaf_hash, root_of_path};
use crate::{RecordBody, TapeError, TapeReader};

/// A proof that a record is on a tape, at its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InclusionProof {
    /// The record's line, without its end.
    pub line: String,
    /// Its number on the tape, from 0.
    pub index: u64,
    /// The number of records that the checkpoint covers.
    pub size: u64,
    /// The hashes that lead from the line to the root, in base64, the nearest first.
    pub hashes: Vec<String>,
    /// The checkpoint: a signed note.
    pub checkpoint: String,
}

/// Why a proof cannot be made, or why it proves nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InclusionProofError {
    /// The tape cannot be read.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// No checkpoint follows the record.
    #[error("no checkpoint follows record {index}: the tape has {records} records, and {covered} of them are signed")]
    NoCheckpoint {
        /// The record.
        index: u64,
        /// The number of records on the tape.
        records: u64,
        /// The number of records that its last checkpoint covers.
        covered: u64,
    },
    /// The proof is not consistent.
    #[error("{0}")]
    Invalid(&'static str),
}

impl InclusionProof {
    /// Makes the proof of a record, by the last checkpoint of its tape.
    ///
    /// # Errors
    /// When the tape cannot be read, or no checkpoint follows the record.
    pub fn from_tape(tape: impl AsRef<Path>, index: u64) -> Result<Self, InclusionProofError> {
        let (mut leaves, mut tree): (Vec<DigestBytes>, TreeFrontier) = <_>::default();
        let (mut line, mut last) = (None, None);
        for read in TapeReader::open(tape)?.abridged() {
            let read = read?;
            if let RecordBody::Checkpoint(checkpoint) = &read.record.body {
                last = Some((leaves.len(), tree.root(), checkpoint.note.clone().into_owned()));
            }
            let digest = digest_bytes(&read.text);
            if leaves.len() as u64 == index {
                line = Some(read.text);
            }
            tree.push(&digest);
            leaves.push(leaf_hash(&digest));
        }
        let records = leaves.len() as u64;
        let (size, root, checkpoint) = last.unwrap_or_default();
        let covered = size as u64;
        let no_checkpoint = || InclusionProofError::NoCheckpoint { index, records, covered };
        let line = line.and_then(|line| String::from_utf8(line).ok()).ok_or_else(no_checkpoint)?;
        let at = usize::try_from(index).map_err(|_| no_checkpoint())?;
        let path = leaves.get(..size).and_then(|leaves| inclusion_path(leaves, at)).ok_or_else(no_checkpoint)?;
        let text = SignedNote::parse(&checkpoint).and_then(|note| note.text.parse::<CheckpointText>().ok());
        if text.is_none_or(|text| text.size != covered || text.root != root) {
            return Err(InclusionProofError::Invalid(
                "the last checkpoint is not about this tape; run `pintle tape verify`",
            ));
        }
        let hashes = path.iter().map(|hash| STANDARD.encode(hash)).collect();
        Ok(Self { line, index, size: covered, hashes, checkpoint })
    }

    /// Checks the proof, and returns the kind of the record. One of the keys has signed the checkpoint.
    ///
    /// # Errors
    /// When it does not prove that the line was on a tape of this machine, with this number.
    pub fn check(&self, keys: &[VerifierKey]) -> Result<String, InclusionProofError> {
        let invalid = InclusionProofError::Invalid;
        let note = SignedNote::parse(&self.checkpoint).ok_or(invalid("its checkpoint is not a signed note"))?;
        if !keys.iter().any(|key| key.has_signed(&note)) {
            return Err(invalid("the key has not signed its checkpoint"));
        }
        let text: CheckpointText = note.text.parse().map_err(|_| invalid("its checkpoint cannot be read"))?;
        let hash = |text: &String| STANDARD.decode(text).ok().and_then(|hash| hash.try_into().ok());
        let path = self.hashes.iter().map(hash).collect::<Option<Vec<DigestBytes>>>();
        let path = path.ok_or(invalid("one of its hashes cannot be read"))?;
        let leaf = leaf_hash(&digest_bytes(self.line.as_bytes()));
        if text.size != self.size || root_of_path(leaf, self.index, self.size, &path) != Some(text.root) {
            return Err(invalid("its line is not the record of this number on the tape that was signed"));
        }
        let (head, _) = RecordHead::parse_any(self.line.as_bytes()).map_err(|_| invalid("its line is not a record"))?;
        (head.seq == self.index).then_some(head.kind).ok_or(invalid("its line has another number"))
    }
}
