//! Runs the one-stop example of docker-agent's hooks unchanged.
//!
//! The example's hooks pipe their input through `jq`. Without it they cannot do what their comments say, so the check
//! fails if it is missing.

mod document;
mod loading;
mod logs;
mod mutations;
mod prompts;
mod scripts;
mod session_runner;

use std::collections::BTreeSet;

use crate::seeds::documents::SeedDocuments;
use crate::seeds::tally::{CheckTally, expect};
use document::OneStopDocument;
use session_runner::PlayedSession;

pub(super) fn check(documents: &SeedDocuments, tally: &mut CheckTally) {
    let document = match OneStopDocument::read(&documents.one_stop) {
        Ok(document) => document,
        Err(error) => return tally.check("the one-stop example is complete", Err(error)),
    };
    loading::check(&document, tally);
    if let Err(error) = require_jq() {
        return tally.check("`jq` is installed, which the one-stop example needs", Err(error));
    }
    let mut played: Vec<PlayedSession> = Vec::new();
    for scene in scripts::ALL {
        let result = scene.run(&document.yaml).and_then(|seen| {
            let agrees = scene.check(&seen);
            played.push(seen);
            agrees
        });
        tally.check(format!("the one-stop example: the session `{}` is as the comments say", scene.name), result);
    }
    check_events(&document, &played, tally);
    check_log_files(&document, &played, tally);
    prompts::check(&document, &played, tally);
    mutations::check(&document, tally);
}

/// Checks that `jq` is installed.
fn require_jq() -> Result<(), String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|dir| dir.join("jq").is_file());
    expect(there, || String::from("it was not found; install it, for instance with `apt-get install jq`"))
}

/// Checks that every documented event fired and its hooks were called.
fn check_events(document: &OneStopDocument, played: &[PlayedSession], tally: &mut CheckTally) {
    let asked: BTreeSet<&str> = played.iter().flat_map(PlayedSession::events_with_hooks).collect();
    for event in &document.events {
        let canonical = document::canonical_event(event);
        let result =
            canonical.and_then(|name| expect(asked.contains(name.as_str()), || format!("`{name}` was not fired")));
        tally.check(format!("the one-stop example: `{event}` fires and its hooks are called"), result);
    }
}

/// Checks that exactly the documented log files that a hook names were written.
fn check_log_files(document: &OneStopDocument, played: &[PlayedSession], tally: &mut CheckTally) {
    let written: BTreeSet<&str> = played.iter().flat_map(|seen| seen.logs.names()).collect();
    // The comments list one file that no hook writes.
    let named = |log: &&str| document.lines.iter().any(|line| !line.starts_with('#') && line.contains(*log));
    let documented: BTreeSet<&str> = document.logs.iter().map(String::as_str).filter(named).collect();
    let result = expect(written == documented, || format!("written {written:?}, documented {documented:?}"));
    tally.check("the one-stop example: every documented log file that a hook names is written, and no other", result);
}
