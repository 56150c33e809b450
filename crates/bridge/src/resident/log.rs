//! What residents did, for people who look for a reason.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use pintle_host::files::private_options;
use pintle_host::{Clock, SystemClock};

/// The length at which the log begins again.
const MAX_BYTES: u64 = 256 << 10;

/// A log of bounded length. What cannot be written is lost: a log never keeps a call from being answered.
#[derive(Debug)]
pub(super) struct ResidentLog(Option<Mutex<File>>);

impl ResidentLog {
    pub(super) fn open(path: &Path) -> Self {
        Self(private_options().create(true).append(true).open(path).ok().map(Mutex::new))
    }

    pub(super) fn write(&self, text: &str) {
        let Some(file) = &self.0 else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.metadata().is_ok_and(|found| found.len() > MAX_BYTES) {
            let _ = file.set_len(0);
        }
        let (time_ms, text) = (SystemClock::default().unix_ms(), text.replace('\n', " "));
        let _ = file.write_all(format!("{time_ms} {} {text}\n", std::process::id()).as_bytes());
    }
}
