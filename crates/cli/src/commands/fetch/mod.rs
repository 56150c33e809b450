//! `pintle fetch`: puts what policy files extend from elsewhere beside them.

mod git;
mod oci;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pintle_host::contract::SourceFile;
use pintle_host::dialects::{PolicyBase, read_policy};
use pintle_host::files::replace_file;
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::trust::require_no_agent;
use crate::options::{GlobalOptions, POLICY_FILE, PolicyPlace, PolicySource};
use crate::render::path_text;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Fetch what policy files extend from a git revision or an OCI artifact, and put it \
into `fetched/` beside `policy.yaml`, where it can be read, reviewed and committed. What is fetched is pinned by the \
hash of a commit or by a digest, so it never changes; nothing else of Pintle asks a network for policy";

/// The largest policy file.
const MOST_BYTES: usize = 1 << 20;

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// Policy file, or a directory with `policy.yaml` and `rules/` [default: those of the project and your own].
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Fetch again, and compare with the files that are there instead of writing any.
    #[arg(long)]
    check: bool,
}

/// What happened to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseState {
    /// It was fetched.
    Fetched,
    /// It is there, and was not fetched again.
    Present,
    /// It is as it was fetched.
    Same,
    /// It is not as it was fetched.
    Changed,
    /// It is not there.
    Missing,
}

/// One file.
#[derive(Debug)]
struct FetchedFile {
    base: PolicyBase,
    path: PathBuf,
    state: BaseState,
}

impl FetchArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        if !self.check {
            require_no_agent("nothing was fetched")?;
        }
        let mut unread = self.list_files()?;
        let mut fetched: Vec<FetchedFile> = Vec::new();
        while let Some(path) = unread.pop() {
            // What a mistake hides would not be fetched.
            let source = PolicySource::read(path.clone())?;
            for base in source.bases() {
                let file = base.file(&path);
                if fetched.iter().any(|known| known.path == file) {
                    continue;
                }
                if base.is_remote() {
                    let state = self.fetch(&base, &file)?;
                    fetched.push(FetchedFile { base, path: file.clone(), state });
                }
                if file.is_file() {
                    unread.push(file);
                }
            }
        }
        let is_good = fetched.iter().all(|file| !matches!(file.state, BaseState::Changed | BaseState::Missing));
        match global.json {
            true => terminal.print_json(&fetched.iter().map(FetchedFile::to_json).collect::<Value>()),
            false if fetched.is_empty() => terminal.print_note("no policy file extends one from elsewhere"),
            false => terminal.print_lines(&fetched.iter().map(FetchedFile::line).collect::<Vec<_>>()),
        }
        Ok(if is_good { CliStatus::Done } else { CliStatus::Failed })
    }

    fn list_files(&self) -> Result<Vec<PathBuf>, CliError> {
        let Some(path) = &self.path else {
            return Ok(PolicyPlace::find_all(None)?.iter().flat_map(PolicyPlace::paths).collect());
        };
        if !path.is_dir() {
            let error = || CliError::invalid_input(format!("cannot open `{}`", path_text(path)));
            return if path.is_file() { Ok(vec![path.clone()]) } else { Err(error()) };
        }
        let below = path.join(".harness");
        let dir = if path.join(POLICY_FILE).is_file() || !below.is_dir() { path.clone() } else { below };
        Ok(PolicyPlace::new(dir).paths())
    }

    /// Fetches a file, unless it is there.
    fn fetch(&self, base: &PolicyBase, path: &Path) -> Result<BaseState, CliError> {
        let present = fs::read(path).ok();
        match (&present, self.check) {
            (Some(_), false) => return Ok(BaseState::Present),
            (None, true) => return Ok(BaseState::Missing),
            _ => {}
        }
        let bytes = match base {
            PolicyBase::Git { url, revision, path } => git::fetch_file(url, revision, path)?,
            PolicyBase::Oci { reference, path } => oci::fetch_file(reference, path)?,
            PolicyBase::File { .. } => return Ok(BaseState::Present),
        };
        if let Some(present) = present {
            return Ok(if present == bytes { BaseState::Same } else { BaseState::Changed });
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let file = Arc::new(SourceFile { path: path.to_owned(), text });
        if let Some(fault) = read_policy(&file, "fetched").1.first() {
            let message = format!("{}: {}", describe_base(base), fault.message);
            return Err(CliError::invalid_input(message).help("what was fetched is not a policy; nothing was written"));
        }
        replace_file(path, &bytes)
            .map_err(|error| CliError::failure(format!("cannot write `{}`: {error}", path_text(path))))?;
        Ok(BaseState::Fetched)
    }
}

impl BaseState {
    fn word(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Present => "present",
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Missing => "missing",
        }
    }
}

impl FetchedFile {
    fn line(&self) -> StyledLine {
        let tone = match self.state {
            BaseState::Changed | BaseState::Missing => Tone::Bad,
            BaseState::Fetched | BaseState::Present | BaseState::Same => Tone::Good,
        };
        let text =
            format!("{:<8} {}\n         {}", self.state.word(), path_text(&self.path), describe_base(&self.base));
        StyledLine::new(tone, text)
    }

    fn to_json(&self) -> Value {
        json!({"path": self.path, "from": describe_base(&self.base), "state": self.state.word()})
    }
}

fn describe_base(base: &PolicyBase) -> String {
    match base {
        PolicyBase::File { path } => path.clone(),
        PolicyBase::Git { url, revision, path } => format!("{path} of {url} at {revision}"),
        PolicyBase::Oci { reference, path } => format!("{path} of {reference}"),
    }
}
