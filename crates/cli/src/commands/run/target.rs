//! The agent to run, its working directory and its tape.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_host::files;
use pintle_host::loader::{find_team_file, has_more_than, has_usual_name};

use crate::error::CliError;
use crate::options::{HookPaths, UserOptions, current_dir};

/// The file that makes a directory an agent's.
pub(super) const AGENT_FILE: &str = "harness.md";

/// The prompt that means all of standard input.
pub(super) const STDIN: &str = "-";

/// The agent to run, and the prompts typed after it.
pub(super) struct RunTarget {
    /// The agent's directory, or the YAML file of a team, or the directory of that file if it contains hooks, too.
    pub(super) source: PathBuf,
    /// The YAML file of a team.
    pub(super) team: Option<PathBuf>,
    /// The directory that the scripts of its models are relative to.
    pub(super) folder: PathBuf,
    /// The default workspace: the agent's own directory, or the current one for a team.
    pub(super) working_dir: PathBuf,
    pub(super) prompts: Vec<String>,
    /// Whether the user did not name the agent, so that it is the one around the current directory.
    pub(super) is_discovered: bool,
}

impl RunTarget {
    /// Reads the arguments. A first argument with a space in it is a prompt, not a path.
    pub(super) fn from_args(
        named: Option<PathBuf>,
        mut prompts: Vec<String>,
        user: &UserOptions,
    ) -> Result<Self, CliError> {
        let here = find_agent_dir(user)?;
        let mut is_found = true;
        let path = match named {
            None => here,
            Some(path) if path.exists() => {
                is_found = false;
                path
            }
            Some(words) if words.as_os_str() == STDIN || words.to_string_lossy().contains(char::is_whitespace) => {
                prompts.insert(0, words.to_string_lossy().into_owned());
                here
            }
            Some(path) => {
                return Err(CliError::invalid_input(format!("file or directory `{}` does not exist", path.display()))
                    .help(format!(
                        "name the agent's directory or YAML file first, then the prompt, as in `pintle run . \"{}\"`",
                        path.display()
                    )));
            }
        };
        if let Some(file) = find_team_file(&path) {
            let source = if has_more_than(&path, &file) { path } else { file.clone() };
            let home = PathBuf::from(".");
            return Ok(Self {
                folder: parent_dir(&file),
                source,
                team: Some(file),
                working_dir: home,
                prompts,
                is_discovered: is_found,
            });
        }
        let dir = match path {
            folder if folder.is_dir() => folder,
            file if file.file_name().is_some_and(|name| name == AGENT_FILE) => parent_dir(&file),
            file => {
                let help = format!(
                    "name a directory with a `{AGENT_FILE}`, or a YAML file with `agents:`; add hooks with `--hooks`"
                );
                return Err(CliError::invalid_input(format!("`{}` is not an agent", file.display())).help(help));
            }
        };
        Ok(Self {
            source: dir.clone(),
            team: None,
            working_dir: dir.clone(),
            folder: dir,
            prompts,
            is_discovered: is_found,
        })
    }

    /// Returns the path of the agent's hooks, and whether the user named it.
    pub(super) fn hook_paths(&self) -> HookPaths {
        if !self.is_discovered {
            return HookPaths::from_named_paths(vec![self.source.clone()]);
        }
        let dir = if self.folder == Path::new(".") { current_dir() } else { self.folder.clone() };
        HookPaths::from_search_dir(dir).with_found_file(self.team.clone().filter(|file| !has_usual_name(file)))
    }
}

/// Returns the directory of the agent if the user names none: the current one, or that of the project around it.
fn find_agent_dir(user: &UserOptions) -> Result<PathBuf, CliError> {
    let here = PathBuf::from(".");
    if here.join(AGENT_FILE).exists() || find_team_file(&here).is_some() {
        return Ok(here);
    }
    let found = HookPaths::from_search_dir(current_dir()).untrusted_dirs(user)?.pop();
    Ok(found.filter(|dir| files::canonicalize(dir).ok() != files::canonicalize(current_dir()).ok()).unwrap_or(here))
}

fn parent_dir(file: &Path) -> PathBuf {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Returns the default path of a session's tape: next to the agent, and ignored by git.
pub(super) fn default_tape_path(dir: &Path, session: &str) -> Result<PathBuf, CliError> {
    let own = dir.join(".pintle");
    let error = |error| {
        CliError::failure(format!("cannot write to `{}`: {error}", own.display()))
            .help("name another file with `--tape FILE`")
    };
    fs::create_dir_all(&own).map_err(error)?;
    let ignore = own.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n").map_err(error)?;
    }
    Ok(own.join("tapes").join(format!("{session}.jsonl")))
}
