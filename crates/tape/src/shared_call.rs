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

/// The name of a directory's gate. It differs from that of a session's lock.
const GATE: &str = "gate";
/// The digits of a call's name that name its directory.
const SHARD_DIGITS: usize = 2;
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
    gate: CallGate,
    file: File,
    call: String,
}

/// What is known of a call.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SharedCallRecord {
    /// The call. A file that was used for another one says so until this one is written into it.
    call: String,
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
        // All files of a directory are looked at, so each has few, however many calls come.
        let dir = &dir.join(call.get(..SHARD_DIGITS).unwrap_or(call));
        let gate = CallGate::open(dir)?;
        let locked = gate.lock()?;
        let FoundCalls { same, spare } = list_calls(dir, call)?;
        for path in same {
            let file = private_options().read(true).write(true).open(&path)?;
            let Some(mut record) = read_record(&file, call) else { continue };
            let is_running = is_locked(&file)?;
            if record.reporters.iter().any(|known| known == reporter) || !(is_running || is_fresh(&file)) {
                continue;
            }
            record.reporters.push(reporter.to_owned());
            write_record(&file, &record)?;
            drop(locked);
            if is_running {
                file.lock()?;
            }
            let shared = SharedCall { gate, file, call: call.to_owned() };
            // A process that ended without an answer leaves it to this one.
            return Ok(shared.read()?.answer.map_or(Self::Own(shared), Self::Known));
        }
        let path = dir.join(format!("{call}-{:020}-{}", unix_us(), std::process::id()));
        let file = match spare {
            Some((spare, file)) => fs::rename(spare, &path).map(|()| file)?,
            None => {
                let file = private_options().read(true).write(true).create_new(true).open(&path)?;
                file.lock()?;
                file
            }
        };
        let call = call.to_owned();
        write_record(
            &file,
            &SharedCallRecord { call: call.clone(), reporters: vec![reporter.to_owned()], answer: None },
        )?;
        drop(locked);
        Ok(Self::Own(SharedCall { gate, file, call }))
    }
}

impl SharedCall {
    /// Reads the record. While this process waited for the lock, the file may have become that of another call.
    fn read(&self) -> io::Result<SharedCallRecord> {
        let _locked = self.gate.lock()?;
        read_record(&self.file, &self.call).ok_or_else(|| io::Error::other("the call's record is gone"))
    }

    /// Answers the call for the other processes.
    ///
    /// # Errors
    /// When the answer cannot be written; then each of them has to answer.
    pub fn answer(self, answer: Value) -> io::Result<()> {
        let _locked = self.gate.lock()?;
        let record = read_record(&self.file, &self.call).unwrap_or_default();
        write_record(&self.file, &SharedCallRecord { call: self.call, answer: Some(answer), ..record })
    }
}

/// The file that is locked while the others are read and written.
#[derive(Debug)]
struct CallGate(File);

impl CallGate {
    fn open(dir: &Path) -> io::Result<Self> {
        let open = || private_options().write(true).create(true).truncate(false).open(dir.join(GATE));
        let file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private_dir_builder().recursive(true).create(dir)?;
                open()
            }
            opened => opened,
        };
        file.map(Self)
    }

    fn lock(&self) -> io::Result<LockedGate<'_>> {
        self.0.lock().map(|()| LockedGate(&self.0))
    }
}

/// Locks out others while it exists.
struct LockedGate<'a>(&'a File);

impl Drop for LockedGate<'_> {
    fn drop(&mut self) {
        // It fails only where there are no locks.
        let _ = self.0.unlock();
    }
}

/// The files of a directory that matter for a call.
#[derive(Default)]
struct FoundCalls {
    /// Those of the call, the oldest first.
    same: Vec<PathBuf>,
    /// One that is not needed any more. This process has locked it.
    spare: Option<(PathBuf, File)>,
}

/// Finds the files of a call, and one that can be used again. Others that are not needed any more are removed.
fn list_calls(dir: &Path, call: &str) -> io::Result<FoundCalls> {
    let mut found = FoundCalls::default();
    for entry in fs::read_dir(dir)?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // No file is older than its name.
        if name != GATE
            && !is_fresh_name(&name)
            && let Some(file) = open_useless(&path)
        {
            match found.spare {
                None => found.spare = Some((path, file)),
                // If it cannot be removed, it stays useless.
                Some(_) => drop(fs::remove_file(path)),
            }
        } else if name.starts_with(call) {
            found.same.push(path);
        }
    }
    found.same.sort();
    Ok(found)
}

/// Removes the records of calls that are not needed any more, and returns how many these were. `dir` is that of
/// [`SharedAnswer::take`].
///
/// # Errors
/// When a directory cannot be read or locked. One that does not exist has no records.
pub fn remove_old_records(dir: &Path) -> io::Result<usize> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut removed_count = 0;
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let gate = CallGate::open(&entry.path())?;
        let _locked = gate.lock()?;
        for entry in fs::read_dir(entry.path())?.flatten() {
            let name = entry.file_name();
            let is_record = name != GATE && entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_record
                && !is_fresh_name(&name.to_string_lossy())
                && open_useless(&entry.path()).is_some()
                && fs::remove_file(entry.path()).is_ok()
            {
                removed_count += 1;
            }
        }
    }
    Ok(removed_count)
}

/// Opens and locks a file if it is not needed any more.
fn open_useless(path: &Path) -> Option<File> {
    let file = private_options().read(true).write(true).open(path).ok()?;
    (!is_fresh(&file) && is_locked(&file).is_ok_and(|running| !running)).then_some(file)
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

/// Whether a file got its name recently.
fn is_fresh_name(name: &str) -> bool {
    let named_us = name.split('-').rev().nth(1).and_then(|micros| micros.parse().ok());
    named_us.and_then(|named_us| unix_us().checked_sub(named_us)).is_some_and(|age| u128::from(age) < FRESH.as_micros())
}

fn unix_us() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

/// Reads what is known of a call; `None` if the file does not say it.
fn read_record(mut file: &File, call: &str) -> Option<SharedCallRecord> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|record: &SharedCallRecord| record.call == call)
}

fn write_record(mut file: &File, record: &SharedCallRecord) -> io::Result<()> {
    let bytes = serde_json::to_vec(record)?;
    file.rewind()?;
    file.write_all(&bytes)?;
    match file.metadata()?.len() > bytes.len() as u64 {
        true => file.set_len(bytes.len() as u64),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::SystemTime;

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

    /// Makes every record so old that it is not needed any more.
    fn age_records(dir: &Path) -> Vec<PathBuf> {
        let old = SystemTime::now() - 2 * FRESH;
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        let records: Vec<_> = entries.filter(|path| path.file_name().unwrap() != GATE).collect();
        let age = |path: PathBuf| {
            File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
            let (call, _) = path.file_name().unwrap().to_str().unwrap().rsplit_once("-0").unwrap();
            let aged = path.with_file_name(format!("{call}-{:020}-1", 1));
            fs::rename(path, &aged).unwrap();
            aged
        };
        records.into_iter().map(age).collect()
    }

    #[test]
    fn old_records_are_removed_unless_their_process_runs() {
        let dir = tempfile::tempdir().unwrap();
        let take = |call: &str, reporter: &str| SharedAnswer::take(dir.path(), call, reporter).unwrap();
        assert_eq!(remove_old_records(&dir.path().join("none")).unwrap(), 0);
        own(take("aa-one", "1")).answer(json!({"text": "a secret"})).unwrap();
        age_records(&dir.path().join("aa"));
        let running = own(take("bb-two", "1"));
        age_records(&dir.path().join("bb"));
        own(take("cc-three", "1")).answer(json!(3)).unwrap();
        assert_eq!(remove_old_records(dir.path()).unwrap(), 1);
        running.answer(json!(2)).unwrap();
        assert_eq!(known(take("bb-two", "2")), json!(2));
        assert_eq!(known(take("cc-three", "2")), json!(3));
    }

    #[test]
    fn the_same_call_again_and_again_needs_one_record() {
        let dir = tempfile::tempdir().unwrap();
        for answer in 0..4 {
            own(SharedAnswer::take(dir.path(), "aa-one", "1").unwrap()).answer(json!(answer)).unwrap();
            assert_eq!(age_records(&dir.path().join("aa")).len(), 1);
        }
    }

    #[test]
    fn an_old_record_becomes_that_of_another_call_and_never_answers_it() {
        let dir = tempfile::tempdir().unwrap();
        let take = |call: &str, reporter: &str| SharedAnswer::take(dir.path(), call, reporter).unwrap();
        own(take("aa-long", "1")).answer(json!({"text": "x".repeat(500)})).unwrap();
        let shard = dir.path().join("aa");
        let [before] = &age_records(&shard)[..] else { panic!("one record") };
        let other = own(take("aa-other", "2"));
        let [after] = &age_records(&shard)[..] else { panic!("the record was not used again") };
        assert_ne!(before, after);
        // It is old, but its process is running.
        own(take("aa-third", "1"));
        other.answer(json!(2)).unwrap();
        assert_eq!(known(take("aa-other", "3")), json!(2));
        // A process that was killed between the two steps leaves the record of the call before under the new name.
        let record = fs::read(after).unwrap();
        fs::write(shard.join("aa-killed-00000000000000000001-1"), record).unwrap();
        own(take("aa-killed", "4"));
    }
}
