//! Fetches a file of a git revision, with the `git` of the machine and the user's own credentials.

use std::path::Path;

use pintle_host::contract::CancelToken;
use pintle_host::process::{self, ProcessEnvironment, ProcessSpec};

use super::MOST_BYTES;
use crate::error::CliError;
use crate::temporary_dir::TemporaryDir;

/// How long one step may take, in milliseconds.
const LIMIT_MS: u64 = 120_000;
/// What git may be asked to do: no prompt would be seen, and other transports run programs.
const VARIABLES: [(&str, &str); 3] =
    [("GIT_TERMINAL_PROMPT", "0"), ("GIT_ALLOW_PROTOCOL", "https:ssh:file"), ("GIT_NO_LAZY_FETCH", "1")];

/// The bytes of a file of a commit.
pub(super) fn fetch_file(url: &str, revision: &str, path: &str) -> Result<Vec<u8>, CliError> {
    let dir = TemporaryDir::create("fetch")
        .map_err(|(dir, error)| CliError::failure(format!("cannot create `{}`: {error}", dir.display())))?;
    read_from(dir.path(), url, revision, path)
}

fn read_from(dir: &Path, url: &str, revision: &str, path: &str) -> Result<Vec<u8>, CliError> {
    let format = if revision.len() == 64 { "sha256" } else { "sha1" };
    run_git(dir, &["init", "--quiet", "--bare", &format!("--object-format={format}"), "."])?;
    // Not every server gives single commits.
    run_git(dir, &["fetch", "--quiet", "--no-tags", "--depth=1", "--", url, revision])
        .or_else(|_| run_git(dir, &["fetch", "--quiet", "--", url, "+refs/*:refs/fetched/*"]))?;
    let object = format!("{revision}:{path}");
    let commit = run_git(dir, &["cat-file", "-t", revision]).unwrap_or_default();
    if commit.trim_ascii() != b"commit" {
        return Err(CliError::invalid_input(format!("`{url}` has no commit {revision}")));
    }
    match run_git(dir, &["cat-file", "blob", &object]) {
        Ok(bytes) if bytes.len() < MOST_BYTES => Ok(bytes),
        Ok(_) => Err(CliError::invalid_input(format!("`{path}` of {url} is larger than a policy file may be"))),
        Err(_) => Err(CliError::invalid_input(format!("`{url}` has no file `{path}` at {revision}"))),
    }
}

fn run_git(dir: &Path, arguments: &[&str]) -> Result<Vec<u8>, CliError> {
    let variables = VARIABLES.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let spec = ProcessSpec {
        directory: Some(dir.to_owned()),
        environment: ProcessEnvironment::InheritedAnd(variables),
        timeout_ms: LIMIT_MS,
        output_bytes: MOST_BYTES,
        ..ProcessSpec::new("git", arguments.iter().map(|word| (*word).to_owned()).collect())
    };
    let output = process::run(&spec, &CancelToken::default()).map_err(|error| {
        CliError::failure(error.to_string()).help("`git` fetches what a policy extends; install it")
    })?;
    if output.exit_code == Some(0) {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = if output.timed_out { format!("no answer within {} s", LIMIT_MS / 1000) } else { said };
    Err(CliError::failure(format!("git {}: {said}", arguments.first().copied().unwrap_or_default())))
}
