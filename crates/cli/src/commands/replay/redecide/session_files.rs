//! Agents' own files of sessions.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use pintle_bridge::HostDef;
use pintle_host::files;
use pintle_host::redecide::{
    RedecisionReport, RedecisionTask, SessionFileRedecision, agent_of_session_line, redecide_session_file,
};
use pintle_log::TapeLocation;
use serde_json::Value;

use crate::error::CliError;

/// How many lines of a file are looked at for what it is.
const FIRST_LINES: usize = 100;

/// How deep directories are searched.
const MAX_DEPTH: usize = 8;

/// The files of sessions among these files and directories, each with the agent that wrote it. A file in a directory that
/// is not one of a session is left out.
pub(super) fn find_session_files(paths: &[PathBuf]) -> Result<Vec<(TapeLocation, &'static HostDef)>, CliError> {
    let mut found = Vec::new();
    for path in paths {
        let cannot_read = |error: io::Error| {
            CliError::invalid_input(format!("cannot read `{}`, which `--session-file` names: {error}", path.display()))
        };
        if path.is_dir() {
            let mut inside = Vec::new();
            list_json_lines(path, 0, &mut inside).map_err(cannot_read)?;
            inside.sort();
            found.extend(inside.into_iter().filter_map(|file| recognise_file(&file).ok().flatten()));
            continue;
        }
        let recognised = recognise_file(path).map_err(cannot_read)?;
        found.push(recognised.ok_or_else(|| {
            let what = format!("`{}` is not a session of an agent that Pintle can read", path.display());
            CliError::invalid_input(what).help("name a file or a directory of sessions of Claude Code or Codex")
        })?);
    }
    Ok(found)
}

/// Adds the files of JSON lines in a directory and below it. Links are not followed.
fn list_json_lines(dir: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)?.flatten() {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        if kind.is_dir() && depth < MAX_DEPTH {
            // One that cannot be read has no sessions of this user.
            let _ = list_json_lines(&path, depth + 1, paths);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "jsonl") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Which agent wrote a file, and in which directory its session began.
pub(in crate::commands) fn recognise_file(path: &Path) -> io::Result<Option<(TapeLocation, &'static HostDef)>> {
    let lines = BufReader::new(files::open(path)?).split(b'\n').take(FIRST_LINES);
    for line in lines {
        let Ok(line) = serde_json::from_slice::<Value>(&line?) else { continue };
        let Some(client) = agent_of_session_line(&line).and_then(|name| HostDef::by_name(name).ok()) else { continue };
        let cwd = line.get("cwd").or_else(|| line.pointer("/payload/cwd")).and_then(Value::as_str);
        let project = cwd.filter(|cwd| !cwd.is_empty()).map(PathBuf::from);
        return Ok(Some((TapeLocation { path: path.to_owned(), host: Some(client.name.to_owned()), project }, client)));
    }
    Ok(None)
}

/// Decides about the calls in a file of a session. Returns its session and why it was not read whole, too.
pub(super) fn redecide_file(
    path: &Path,
    client: &'static HostDef,
    task: &RedecisionTask<'_>,
) -> (RedecisionReport, String, Option<String>) {
    let parse_time = |text: &str| u64::try_from(text.parse::<Timestamp>().ok()?.as_millisecond()).ok();
    let file = match files::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) => return (RedecisionReport::default(), String::new(), Some(error.to_string())),
    };
    let SessionFileRedecision { report, session, unreadable_line, error } =
        redecide_session_file(file, client, parse_time, task);
    let unreadable = unreadable_line.map(|line| format!("line {line} is not JSON, and was left out"));
    (report, session, error.map(|error| error.to_string()).or(unreadable))
}
