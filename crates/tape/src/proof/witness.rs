//! Witness files: copies of checkpoints in another place than their tapes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pintle_files::private_options;

use crate::checkpoint::{CheckpointText, SignedNote};

/// The checkpoints in a witness file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WitnessNotes {
    /// Those that can be read, in their order.
    pub notes: Vec<WitnessNote>,
    /// The lines with which others begin, from 1.
    pub unreadable: Vec<usize>,
}

/// A checkpoint in a witness file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessNote {
    /// The line with which it begins, from 1.
    pub line: usize,
    /// What it says.
    pub text: CheckpointText,
    /// The whole note.
    pub note: String,
}

impl WitnessNotes {
    /// Reads the notes in a text: one after the other, with or without empty lines between them.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let mut lines = text.split_inclusive('\n').zip(1..).peekable();
        loop {
            while lines.next_if(|(line, _)| line.trim().is_empty()).is_some() {}
            let Some(&(_, line)) = lines.peek() else { return found };
            let mut note = String::new();
            while let Some((text, _)) = lines.next_if(|(line, _)| !line.trim().is_empty() && !is_signature(line)) {
                note.push_str(text);
            }
            if let Some((end, _)) = lines.next_if(|(line, _)| *line == "\n") {
                note.push_str(end);
            }
            while let Some((signature, _)) = lines.next_if(|(line, _)| is_signature(line)) {
                note.push_str(signature);
            }
            let parsed = SignedNote::parse(&note).filter(|note| !note.signatures.is_empty());
            match parsed.and_then(|note| note.text.parse().ok()) {
                Some(text) => found.notes.push(WitnessNote { line, text, note }),
                None => found.unreadable.push(line),
            }
        }
    }
}

fn is_signature(line: &str) -> bool {
    line.starts_with("\u{2014} ")
}

/// Appends checkpoints to a file, each with one write. Only a thread of its own waits
/// for a file system that does not answer.
#[derive(Debug)]
pub struct WitnessWriter {
    path: PathBuf,
    sender: Mutex<Option<Sender<WitnessRequest>>>,
}

#[derive(Debug)]
enum WitnessRequest {
    Append(String),
    /// Passes on why notes were not written since the last time.
    Flush(Sender<Vec<String>>),
}

impl WitnessWriter {
    /// Begins to write to a file, which is created with the first note.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, sender: Mutex::default() }
    }

    /// Has a note appended.
    pub fn append(&self, note: &str) {
        let _ = self.send(WitnessRequest::Append(format!("{note}\n")));
    }

    /// Waits until all notes are written, and returns why some are not.
    pub fn flush(&self, patience: Duration) -> Vec<String> {
        let (sender, receiver) = mpsc::channel();
        let is_idle = self.sender.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        if is_idle {
            return Vec::new();
        }
        let sent = self.send(WitnessRequest::Flush(sender));
        let slow = || vec![format!("the witness file `{}` does not answer", self.path.display())];
        sent.and_then(|()| receiver.recv_timeout(patience).ok()).unwrap_or_else(slow)
    }

    fn send(&self, request: WitnessRequest) -> Option<()> {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            let (sending, receiver) = mpsc::channel();
            let path = self.path.clone();
            let work = move || {
                let mut errors = Vec::new();
                for request in receiver {
                    match request {
                        WitnessRequest::Append(note) => {
                            let failed = append(&path, &note).err();
                            errors.extend(failed.map(|error| {
                                format!("cannot append a checkpoint to the witness file `{}`: {error}", path.display())
                            }));
                        }
                        WitnessRequest::Flush(reply) => drop(reply.send(std::mem::take(&mut errors))),
                    }
                }
            };
            thread::Builder::new().name(String::from("witness")).spawn(work).ok()?;
            *sender = Some(sending);
        }
        sender.as_ref()?.send(request).ok()
    }
}

fn append(path: &Path, note: &str) -> io::Result<()> {
    // To open a pipe would wait for its reader.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    private_options().append(true).create(true).open(path)?.write_all(note.as_bytes())
}
