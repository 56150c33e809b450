//! The tapes that the log is made from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use pintle_bridge::{HOSTS, StoredSession};
use pintle_host::loader;
use pintle_host::tape::hook_usage::{UsageCounts, UsedHook};
use pintle_host::tape::show::single_line;
use pintle_log::{LogEntry, LogError, LogIndex, LogQuery, TapeLocation, UnreadableTape};

use super::{LogFilterOptions, list_tapes};
use crate::error::CliError;
use crate::render::progress::ProgressLine;
use crate::terminal::Terminal;

/// The name of the index in the state directory.
pub(super) const INDEX: &str = "log.sqlite";

/// The most tapes that are named because they cannot be read.
const MOST_NOTES: usize = 3;

/// The tapes of the log: those of all agents under `pintle hook`, and those of the sessions run in a directory.
#[derive(Debug, Args)]
pub(crate) struct LogTapeOptions {
    /// Directory whose own sessions are in the log, beside those of other agents.
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
    /// Directory in which `pintle hook` keeps sessions [default: `PINTLE_STATE_DIR`, otherwise
    /// `~/.local/state/pintle`].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

/// An index with the tapes that it follows.
pub(crate) struct FollowedLog {
    index: LogIndex,
    options: LogTapeOptions,
}

impl LogTapeOptions {
    /// The tapes of the usual state directory, and of the current one.
    pub(super) fn here() -> Self {
        Self { directory: PathBuf::from("."), state_dir: None }
    }

    /// Opens the index, or makes one in memory where the file cannot be made, and brings it up to date.
    pub(crate) fn open_log(mut self, terminal: &Terminal) -> Result<FollowedLog, CliError> {
        self.state_dir = self.find_state_dir();
        let index = match &self.state_dir {
            Some(state) => LogIndex::open(&state.join(INDEX)).or_else(|error| {
                terminal.print_note(format!("{error}; it is made in memory, which takes longer"));
                LogIndex::in_memory()
            }),
            None => LogIndex::in_memory(),
        };
        let mut log = FollowedLog { index: index.map_err(CliError::failure)?, options: self };
        let progress = ProgressLine::new(terminal, "tapes in the log");
        let unreadable = log.update_with(|done, total| progress.show(done, total));
        progress.clear();
        let unreadable = unreadable?;
        for tape in unreadable.iter().take(MOST_NOTES) {
            let reason = single_line(&tape.reason, 400);
            terminal.print_note(format!("`{}` is not all in the log: {reason}", tape.path.display()));
        }
        if let Some(more) = unreadable.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
            terminal.print_note(format!("{more} more tapes cannot be read; `pintle sessions --host all` lists them"));
        }
        Ok(log)
    }

    /// The directory in which `pintle hook` keeps sessions, if it exists.
    pub(crate) fn find_state_dir(&self) -> Option<PathBuf> {
        self.state_dir.clone().or_else(loader::state_dir).filter(|state| state.is_dir())
    }

    /// The tapes, unread. The projects of other agents' sessions are not looked up.
    pub(crate) fn list_locations(&self) -> Vec<TapeLocation> {
        let state_dir = self.find_state_dir();
        let hosts = state_dir.iter().flat_map(|state| {
            let tapes = move |host| StoredSession::list_tapes(state, host).into_iter().map(move |path| (path, host));
            HOSTS.iter().copied().flat_map(tapes)
        });
        let hosts = hosts.map(|(path, host)| TapeLocation { path, host: Some(host.name.to_owned()), project: None });
        let home = pintle_host::files::canonicalize(&self.directory).ok();
        let own = list_tapes(home.as_deref().unwrap_or(&self.directory)).into_iter();
        let own = own.map(|tape| TapeLocation { path: tape.path, host: None, project: home.clone() });
        hosts.chain(own).collect()
    }
}

/// The project of another agent's session, if it is known.
pub(crate) fn project_of_tape(tape: &TapeLocation) -> Option<PathBuf> {
    tape.path.parent().and_then(StoredSession::project_of)
}

impl FollowedLog {
    /// Reads what has been recorded since the last time.
    pub(crate) fn update(&mut self) -> Result<Vec<UnreadableTape>, CliError> {
        self.update_with(|_, _| {})
    }

    fn update_with(&mut self, report: impl Fn(usize, usize)) -> Result<Vec<UnreadableTape>, CliError> {
        self.ask(|index, options| {
            let tapes = options.list_locations();
            index.update(&tapes, project_of_tape, |done| report(done, tapes.len()))
        })
    }

    /// Finds entries, oldest first.
    pub(crate) fn find_entries(&mut self, query: &LogQuery) -> Result<Vec<LogEntry>, CliError> {
        self.ask(|index, _| index.find_entries(query))
    }

    /// Counts how often hooks were reached in the selected sessions.
    pub(crate) fn count_usage(
        &mut self,
        filter: &LogFilterOptions,
    ) -> Result<BTreeMap<UsedHook, UsageCounts>, CliError> {
        let (hosts, project) = (filter.host_names(), filter.project_dir());
        let query = LogQuery { since_ms: filter.since_ms(), hosts, project, ..LogQuery::default() };
        self.ask(|index, _| index.count_usage(&query))
    }

    /// Finds the entries that an ID may mean.
    pub(crate) fn find_by_id(&mut self, id: &str) -> Result<Vec<LogEntry>, CliError> {
        self.ask(|index, _| index.find_by_id(id))
    }

    /// Reads from the index.
    pub(crate) fn read<T>(&mut self, question: impl Fn(&LogIndex) -> Result<T, LogError>) -> Result<T, CliError> {
        self.ask(|index, _| question(index))
    }

    /// Asks the index. One that is damaged is made again from the tapes, and asked once more.
    fn ask<T>(
        &mut self,
        question: impl Fn(&mut LogIndex, &LogTapeOptions) -> Result<T, LogError>,
    ) -> Result<T, CliError> {
        let answer = match (question(&mut self.index, &self.options), &self.options.state_dir) {
            (Err(error), Some(state)) if error.is_damage() => {
                LogIndex::open_empty(&state.join(INDEX)).and_then(|index| {
                    self.index = index;
                    self.index.update(&self.options.list_locations(), project_of_tape, |_| {})?;
                    question(&mut self.index, &self.options)
                })
            }
            (answer, _) => answer,
        };
        answer.map_err(|error| self.index_error(error))
    }

    fn index_error(&self, error: LogError) -> CliError {
        let error = CliError::failure(error);
        match &self.options.state_dir {
            Some(state) => {
                error.help(format!("delete `{}`; the next command makes it again", state.join(INDEX).display()))
            }
            None => error,
        }
    }
}
