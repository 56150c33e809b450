//! Calls that several processes report at the same time, of which one answers: its answer is for all of them.
//!
//! Each call has a file. The process that answers keeps it locked until then, and the system releases the lock if the
//! process ends for any reason. A second lock is held for a few reads and writes only.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pintle_files::{private_dir_builder, private_options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The file that is locked while the others are read and written. The name differs from that of a session's lock.
const GATE: &str = "gate";
/// How long an answer is used. The reporters of one call run at once, or one after the other.
const FRESH: Duration = Duration::from_secs(10);

/// Who answers a call.
#[derive(Debug)]
pub enum SharedAnswer {
    /// Another process did.
    Known(Value),
    /// This process has to.
    Own(SharedCall),
}

/// A call that this process has to answer.
#[derive(Debug)]
pub struct SharedCall {
    dir: PathBuf,
    file: File,
}

/// What is known of a call.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SharedCallRecord {
    /// The reporters of the call.
    reporters: Vec<String>,
    /// The answer, once it is known.
    answer: Option<Value>,
}

impl SharedAnswer {
    /// Waits for the answer of another process to the same call, if there is one. The names of the call and of its reporter
    /// are digests. A reporter that comes again reports another call.
    ///
    /// # Errors
    /// When the files in the directory cannot be used.
    pub fn take(dir: &Path, call: &str, reporter: &str) -> io::Result<Self> {
        let gate = lock_gate(dir)?;
        for path in list_calls(dir, call)? {
            let file = private_options().read(true).write(true).open(&path)?;
            let Some(mut record) = read_record(&file) else { continue };
            let is_running = is_locked(&file)?;
            if record.reporters.iter().any(|known| known == reporter) || !(is_running || is_fresh(&file)) {
                continue;
            }
            record.reporters.push(reporter.to_owned());
            write_record(&file, &record)?;
            drop(gate);
            if is_running {
                file.lock()?;
            }
            let shared = SharedCall { dir: dir.to_owned(), file };
            // A process that ended without an answer leaves it to this one.
            return Ok(shared.read()?.answer.map_or(Self::Own(shared), Self::Known));
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros();
        let path = dir.join(format!("{call}-{now:020}-{}", std::process::id()));
        let file = private_options().read(true).write(true).create_new(true).open(&path)?;
        file.lock()?;
        write_record(&file, &SharedCallRecord { reporters: vec![reporter.to_owned()], answer: None })?;
        Ok(Self::Own(SharedCall { dir: dir.to_owned(), file }))
    }
}

impl SharedCall {
    fn read(&self) -> io::Result<SharedCallRecord> {
        let _gate = lock_gate(&self.dir)?;
        Ok(read_record(&self.file).unwrap_or_default())
    }

    /// Answers the call for the other processes.
    ///
    /// # Errors
    /// When the answer cannot be written; then each of them has to answer.
    pub fn answer(self, answer: Value) -> io::Result<()> {
        let _gate = lock_gate(&self.dir)?;
        let record = read_record(&self.file).unwrap_or_default();
        write_record(&self.file, &SharedCallRecord { answer: Some(answer), ..record })
    }
}

fn lock_gate(dir: &Path) -> io::Result<File> {
    let open = || private_options().write(true).create(true).truncate(false).open(dir.join(GATE));
    let file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            private_dir_builder().recursive(true).create(dir)?;
            open()?
        }
        opened => opened?,
    };
    file.lock()?;
    Ok(file)
}

/// The files of a call, the oldest first. Those of other calls that are not needed any more are removed.
fn list_calls(dir: &Path, call: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if name.to_string_lossy().starts_with(call) {
            found.push(path);
        } else if name != GATE {
            remove_if_useless(&path);
        }
    }
    found.sort();
    Ok(found)
}

fn remove_if_useless(path: &Path) {
    let is_useless = |file: &File| !is_fresh(file) && is_locked(file).is_ok_and(|running| !running);
    if pintle_files::open(path).is_ok_and(|file| is_useless(&file)) {
        // If it cannot be removed, it stays useless.
        let _ = fs::remove_file(path);
    }
}

/// Whether the process that answers a call is running. Otherwise this process has locked the file then.
fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a file was written recently. A time in the future is not reliable.
fn is_fresh(file: &File) -> bool {
    let written = file.metadata().and_then(|metadata| metadata.modified());
    written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < FRESH))
}

fn read_record(mut file: &File) -> Option<SharedCallRecord> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write_record(mut file: &File, record: &SharedCallRecord) -> io::Result<()> {
    let bytes = serde_json::to_vec(record)?;
    file.rewind()?;
    file.write_all(&bytes)?;
    file.set_len(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde_json::json;

    use super::*;

    fn own(shared_answer: SharedAnswer) -> SharedCall {
        match shared_answer {
            SharedAnswer::Own(call) => call,
            SharedAnswer::Known(answer) => panic!("{answer}"),
        }
    }

    fn known(shared_answer: SharedAnswer) -> Value {
        match shared_answer {
            SharedAnswer::Known(answer) => answer,
            SharedAnswer::Own(_) => panic!("it has to answer itself"),
        }
    }

    #[test]
    fn each_reporter_gets_an_answer_once_and_somebody_answers_every_call() {
        let dir = tempfile::tempdir().unwrap();
        let take = |call: &str, reporter: &str| SharedAnswer::take(&dir.path().join("calls"), call, reporter).unwrap();
        own(take("a", "1")).answer(json!({"n": 1})).unwrap();
        assert_eq!(known(take("a", "2")), json!({"n": 1}));
        assert_eq!(known(take("a", "3")), json!({"n": 1}));
        own(take("a", "2")).answer(json!({"n": 2})).unwrap();
        assert_eq!(known(take("a", "1")), json!({"n": 2}));
        own(take("b", "1")).answer(json!(null)).unwrap();
        // An empty answer is none.
        drop(own(take("b", "2")));
    }

    #[test]
    fn a_reporter_waits_for_the_answer_and_answers_if_there_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let take = |call: &str, reporter: &str| SharedAnswer::take(dir.path(), call, reporter).unwrap();
        let first = own(take("a", "1"));
        thread::scope(|threads| {
            let second = threads.spawn(|| known(take("a", "2")));
            first.answer(json!(7)).unwrap();
            assert_eq!(second.join().unwrap(), json!(7));
        });
        let killed = own(take("b", "1"));
        thread::scope(|threads| {
            let third = threads.spawn(|| own(take("b", "2")).answer(json!(8)).unwrap());
            drop(killed);
            third.join().unwrap();
        });
    }
}
