//! Finding the tape of a session that the user names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use pintle_host::contract::suggest_nearest;
use pintle_host::files;

use super::LogTapeOptions;
use crate::error::CliError;

/// The name of the session that was written last.
pub(crate) const LAST: &str = "last";

/// Returns the default directory for the tapes of sessions run in `home`.
pub(crate) fn tapes_folder(home: &Path) -> PathBuf {
    home.join(".pintle").join("tapes")
}

/// The most sessions that may start in the same millisecond.
pub(crate) const MOST_AT_ONCE: u32 = 1_000;

/// Returns the names of the sessions that may start at this time: sessions that start in the same millisecond get numbered
/// names.
pub(crate) fn session_names(started_ms: u64) -> impl Iterator<Item = String> {
    let first = make_session_name(started_ms);
    (1..=MOST_AT_ONCE).map(move |number| if number == 1 { first.clone() } else { format!("{first}-{number}") })
}

/// Returns the name of a session: its start in UTC, such as `20260131-235959-123`.
fn make_session_name(unix_ms: u64) -> String {
    let start = Timestamp::from_millisecond(unix_ms.try_into().unwrap_or(i64::MAX)).unwrap_or(Timestamp::MAX);
    start.strftime("%Y%m%d-%H%M%S-%3f").to_string()
}

/// A session's tape in a directory of tapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionTape {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
}

/// Returns the tapes of sessions run in `home`, oldest first: IDs start with the time.
pub(crate) fn list_tapes(home: &Path) -> Vec<SessionTape> {
    let entries = fs::read_dir(tapes_folder(home)).into_iter().flatten().flatten();
    let tape = |path: PathBuf| {
        let is_tape = path.extension().is_some_and(|extension| extension == "jsonl");
        let id = path.file_stem().filter(|_| is_tape)?.to_string_lossy().into_owned();
        Some(SessionTape { id, path })
    };
    let mut tapes: Vec<SessionTape> = entries.filter_map(|entry| tape(entry.path())).collect();
    tapes.sort_by(|one, other| one.id.cmp(&other.id));
    tapes
}

/// Finds a tape by the ID of its session or the start of it, by `last`, or by its path.
///
/// An ID and `last` are looked for among the sessions run in any of `homes`.
pub(crate) fn find_tape(named: &str, homes: &[PathBuf]) -> Result<SessionTape, CliError> {
    let path = Path::new(named);
    if named.contains(std::path::MAIN_SEPARATOR) || path.extension().is_some_and(|extension| extension == "jsonl") {
        if path.is_file() {
            let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(SessionTape { id, path: path.to_owned() });
        }
        return Err(missing_tape(path));
    }
    let mut known: Vec<SessionTape> = Vec::new();
    for tape in homes.iter().flat_map(|home| list_tapes(home)) {
        if known.iter().all(|one| files::canonicalize(&one.path).ok() != files::canonicalize(&tape.path).ok()) {
            known.push(tape);
        }
    }
    if known.is_empty() {
        let dir = tapes_folder(homes.first().map_or(Path::new("."), PathBuf::as_path));
        let error = CliError::invalid_input(format!("no sessions in `{}`", dir.display()));
        return Err(error.help("change to the directory where the agent was run, or name the path of a tape"));
    }
    pick_tape(named, known)
}

/// The tape that a command reads: its path, or as [`find_tape`] says among all sessions that `pintle log` lists here.
pub(crate) fn locate_tape(named: &Path) -> Result<PathBuf, CliError> {
    // It may be a pipe.
    if named.exists() {
        return Ok(named.to_owned());
    }
    let is_path = named.components().count() != 1 || named.extension().is_some();
    let Some(text) = named.to_str().filter(|_| !is_path) else { return Err(missing_tape(named)) };
    let known = LogTapeOptions::here().list_locations().into_iter().filter_map(|tape| {
        let named = if tape.host.is_some() { tape.path.parent()?.file_name()? } else { tape.path.file_stem()? };
        Some(SessionTape { id: named.to_string_lossy().into_owned(), path: tape.path })
    });
    let known: Vec<SessionTape> = known.collect();
    if known.is_empty() {
        let error = CliError::invalid_input("no sessions are recorded here");
        return Err(error.help("change to the directory where the agent was run, or name the path of a tape"));
    }
    pick_tape(text, known).map(|tape| tape.path)
}

fn missing_tape(path: &Path) -> CliError {
    CliError::invalid_input(format!("tape `{}` does not exist", path.display())).help(
        "`pintle sessions` lists the sessions of this directory, `pintle sessions --host all` those of other agents",
    )
}

/// Picks a tape by `last`, or by its ID.
fn pick_tape(named: &str, mut known: Vec<SessionTape>) -> Result<SessionTape, CliError> {
    if named != LAST {
        return pick_by_id(named, known, |tape| &tape.id);
    }
    let written = |tape: &SessionTape| {
        fs::metadata(&tape.path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    known.sort_by_cached_key(|tape| (written(tape), tape.id.clone()));
    known.pop().ok_or_else(|| unknown_session_error(named, &[]))
}

/// Picks the item with this ID, or the only one whose ID starts with it.
pub(crate) fn pick_by_id<T>(named: &str, mut known: Vec<T>, id: impl Fn(&T) -> &str) -> Result<T, CliError> {
    if let Some(index) = known.iter().position(|one| id(one) == named) {
        return Ok(known.swap_remove(index));
    }
    let (mut begun, others): (Vec<_>, Vec<_>) =
        known.into_iter().partition(|one| !named.is_empty() && id(one).starts_with(named));
    match begun.len() {
        0 => Err(unknown_session_error(named, &others.iter().map(id).collect::<Vec<_>>())),
        1 => Ok(begun.remove(0)),
        count => {
            let ids: Vec<String> = begun.iter().take(3).map(|one| format!("`{}`", id(one))).collect();
            let more = if count > ids.len() { " and others" } else { "" };
            let error = CliError::invalid_input(format!("`{named}` is ambiguous: {count} session IDs start with it"));
            Err(error.help(format!("type more of the ID: {}{more}", ids.join(", "))))
        }
    }
}

fn unknown_session_error(named: &str, known: &[&str]) -> CliError {
    let near = suggest_nearest(named, known.iter().copied());
    let error = CliError::invalid_input(format!("session `{named}` does not exist"));
    match near {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`pintle sessions` lists the sessions; `last` is the most recently written one"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_named_after_their_beginning() {
        let cases = [
            (0, "19700101-000000-000"),
            (951_782_399_999, "20000228-235959-999"),
            (951_782_400_000, "20000229-000000-000"),
            (1_767_225_599_001, "20251231-235959-001"),
        ];
        for (unix_ms, name) in cases {
            assert_eq!(make_session_name(unix_ms), name);
        }
    }

    #[test]
    fn a_session_is_found_by_its_id_the_beginning_of_it_or_its_path() {
        let home = tempfile::tempdir().unwrap();
        let dir = tapes_folder(home.path());
        fs::create_dir_all(&dir).unwrap();
        for id in ["20260101-120000-001", "20260101-120000-002", "20260202-080000-000"] {
            fs::write(dir.join(format!("{id}.jsonl")), "").unwrap();
        }
        fs::write(dir.join("notes.txt"), "").unwrap();
        let by_path = dir.join("20260202-080000-000.jsonl").display().to_string();
        let cases = [
            ("20260101-120000-001", Ok("20260101-120000-001")),
            ("202602", Ok("20260202-080000-000")),
            (by_path.as_str(), Ok("20260202-080000-000")),
            ("20260101", Err("type more of the ID: `20260101-120000-001`, `20260101-120000-002`")),
            ("20260202-080000-001", Err("did you mean `20260202-080000-000`?")),
            ("x", Err("`pintle sessions` lists the sessions; `last` is the most recently written one")),
            ("", Err("`pintle sessions` lists the sessions; `last` is the most recently written one")),
            (
                "gone.jsonl",
                Err(
                    "`pintle sessions` lists the sessions of this directory, `pintle sessions --host all` those of other agents",
                ),
            ),
        ];
        for (named, wanted) in cases {
            let found =
                find_tape(named, &[home.path().to_owned()]).map(|tape| tape.id).map_err(|error| error.help.unwrap());
            assert_eq!(found, wanted.map(String::from).map_err(String::from), "{named}");
        }
        let nowhere = find_tape("last", &[home.path().join("nowhere")]).unwrap_err();
        assert!(nowhere.message.starts_with("no sessions in"), "{}", nowhere.message);
    }
}
