//! Checkpoints: what a machine signs about a tape.
//!
//! A checkpoint is a [signed note](https://c2sp.org/signed-note) in the form of a
//! [transparency log's](https://c2sp.org/tlog-checkpoint): three lines of text, an empty line and signatures.

use std::fmt;
use std::fmt::Debug;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::line::DigestBytes;
pub use crate::tree::TreeFrontier;

/// The start of a tape's origin. The digest of the tape's first line follows.
const ORIGIN: &str = "pintle.tape/";
/// The start of a line with a signature.
const SIGNATURE: &str = "\u{2014} ";

/// How many records of a long turn may have no checkpoint: the next outcome, or the next call of a host agent, is followed
/// by one.
pub const MOST_UNSIGNED_RECORDS: u64 = 256;

/// Signs checkpoints, and passes them on.
///
/// It is called while the tape is locked, so it must not use the tape.
pub trait CheckpointSigner: Send + Sync + Debug {
    /// The lines with the signatures of a text, each with its end.
    ///
    /// # Errors
    /// Why nothing can be signed, in one line. The tape then has no checkpoint.
    fn sign(&self, text: &str) -> Result<String, String>;

    /// Receives a signed note that is on the tape now.
    fn publish(&self, note: &str);
}

/// The line after the root of a checkpoint that is directly before `closed`.
const END: &str = "end";

/// The text of a checkpoint: which tape, how many of its records, and the root of the tree over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointText {
    /// Which tape it is about.
    pub origin: String,
    /// The number of records that it covers, from the first one.
    pub size: u64,
    /// The root of the Merkle tree over the digests of their lines.
    pub root: DigestBytes,
    /// Whether the tape was closed after them.
    pub is_end: bool,
}

impl CheckpointText {
    /// The text about the lines of a tree. `header` is the digest of the first one, in hex.
    #[must_use]
    pub fn new(header: &str, tree: &TreeFrontier) -> Self {
        Self { origin: format!("{ORIGIN}{header}"), size: tree.size(), root: tree.root(), is_end: false }
    }

    /// Sets whether the tape is closed.
    pub(crate) fn with_end(self, is_end: bool) -> Self {
        Self { is_end, ..self }
    }

    /// Whether both are about the same records.
    #[must_use]
    pub fn has_same_records(&self, other: &Self) -> bool {
        (&self.origin, self.size, self.root) == (&other.origin, other.size, other.root)
    }
}

impl fmt::Display for CheckpointText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.size, STANDARD.encode(self.root))?;
        if self.is_end { writeln!(f, "{END}") } else { Ok(()) }
    }
}

impl FromStr for CheckpointText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.split('\n');
        let mut next = |what: &str| lines.next().filter(|line| !line.is_empty()).ok_or(format!("it has no {what}"));
        let (origin, size, root) = (next("origin")?, next("size")?, next("root")?);
        let is_size = size.bytes().all(|byte| byte.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
        let size = size.parse().ok().filter(|_| is_size).ok_or("its size is not a number")?;
        let root = STANDARD.decode(root).ok().and_then(|root| root.try_into().ok()).ok_or("its root is not a hash")?;
        // Other lines may follow, which say nothing here.
        Ok(Self { origin: origin.to_owned(), size, root, is_end: lines.any(|line| line == END) })
    }
}

/// A text with lines of signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedNote<'n> {
    /// The text, with the end of its last line: what is signed.
    pub text: &'n str,
    /// The lines with signatures.
    pub signatures: &'n str,
}

/// One signature of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature<'n> {
    /// The name of the key.
    pub name: &'n str,
    /// The start of the key's digest.
    pub key_id: [u8; 4],
    /// The signature.
    pub signature: Vec<u8>,
}

impl<'n> SignedNote<'n> {
    /// Divides a note; `None` if it has no text, or a line after it has no signature.
    #[must_use]
    pub fn parse(note: &'n str) -> Option<Self> {
        let end = note.rfind("\n\n")?;
        let (text, signatures) = (note.get(..=end)?, note.get(end + 2..)?);
        let note = Self { text, signatures };
        let has_signatures = signatures.ends_with('\n') && signatures.lines().all(|line| line.starts_with(SIGNATURE));
        has_signatures.then_some(note)
    }

    /// The signatures that can be read.
    pub fn signatures(&self) -> impl Iterator<Item = NoteSignature<'n>> {
        self.signatures.lines().filter_map(|line| {
            let (name, bytes) = line.strip_prefix(SIGNATURE)?.split_once(' ')?;
            let bytes = STANDARD.decode(bytes).ok()?;
            let (key_id, signature) = bytes.split_first_chunk()?;
            Some(NoteSignature { name, key_id: *key_id, signature: signature.to_vec() })
        })
    }
}

/// The line with a signature.
#[cfg(feature = "proof")]
pub(crate) fn signature_line(name: &str, key_id: [u8; 4], signature: &[u8]) -> String {
    format!("{SIGNATURE}{name} {}\n", STANDARD.encode([&key_id[..], signature].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_it_is_written_and_nothing_else_is() {
        let mut tree = TreeFrontier::default();
        (0..5).for_each(|index| tree.push(&[index; 32]));
        let text = CheckpointText::new("ab", &tree);
        for text in [text.clone(), text.clone().with_end(true)] {
            assert_eq!(text.to_string().parse(), Ok(text));
        }
        let written = text.to_string();
        for (from, to) in
            [("\n5\n", "\n05\n"), ("\n5\n", "\n+5\n"), ("\n5\n", "\n\n"), ("=\n", "\n"), ("pintle.tape/ab", "")]
        {
            assert!(written.replacen(from, to, 1).parse::<CheckpointText>().is_err(), "{from:?} {to:?}");
        }
    }

    #[test]
    fn note_without_signature_lines_is_refused() {
        let note = "o\n1\nr\n\n\u{2014} key AAAAAAE=\n";
        let parsed = SignedNote::parse(note).unwrap();
        assert_eq!((parsed.text, parsed.signatures().count()), ("o\n1\nr\n", 1));
        let first = parsed.signatures().next().unwrap();
        assert_eq!((first.name, first.key_id, first.signature), ("key", [0; 4], vec![1]));
        for other in ["", "\n", "o\n1\nr\n", "o\n1\nr\n\nkey AAAA\n", "o\n1\nr\n\n\u{2014} key AAAA"] {
            assert_eq!(SignedNote::parse(other), None, "{other:?}");
        }
    }
}
