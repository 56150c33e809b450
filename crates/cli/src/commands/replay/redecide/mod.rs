//! What other hooks would have decided about recorded calls: `pintle replay --with`, and `pintle diff`.

mod decider;
mod example_calls;
mod json;
mod session_files;
mod text;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pintle_bridge::{HostDef, host_of_tape_file};
use pintle_host::files;
use pintle_host::redecide::{ChangeDirection, RedecidedCall, RedecisionReport};
use pintle_log::TapeLocation;

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, LogFilterOptions, LogTapeOptions, UserOptions, project_of_tape};
use crate::terminal::Terminal;
use decider::{HookSets, RedecisionOptions};
pub(in crate::commands) use session_files::recognise_file;

/// The examples of each change that are shown by default.
const EXAMPLES: usize = 3;

#[derive(Debug, Args)]
pub(crate) struct RedecideArgs {
    #[command(flatten)]
    filter: LogFilterOptions,
    /// Show the newest calls of each change up to this number; 0 shows all [default: 3].
    #[arg(long, short = 'n', value_name = "COUNT")]
    limit: Option<usize>,
    /// Exit with status 1 if anything changes, or if anything is decided less or more strictly. Unless it is `stricter`, also
    /// if something could not be decided.
    #[arg(long, value_name = "CHANGE", value_enum)]
    fail_on: Option<FailOn>,
    /// Decide about the tool calls in an agent's own files of sessions, which Pintle need not have seen: a file or a directory,
    /// such as `~/.claude/projects` or `~/.codex/sessions`. Nothing was decided about them. May be repeated.
    #[arg(long, value_name = "PATH")]
    session_file: Vec<PathBuf>,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

/// Which hooks are compared with what, and on which tapes.
#[derive(Debug)]
pub(in crate::commands) struct ComparisonTask<'t> {
    /// The hooks to compare others with; `None` compares with what is recorded.
    pub(in crate::commands) base: Option<&'t [PathBuf]>,
    /// The hooks that decide.
    pub(in crate::commands) hooks: &'t [PathBuf],
    pub(in crate::commands) user: &'t UserOptions,
    /// The tapes that are named; none are those of the log.
    pub(in crate::commands) tapes: &'t [PathBuf],
    pub(in crate::commands) threads: Option<NonZeroUsize>,
    /// Whether two sets are compared on the calls of their examples instead of on tapes. They are, too, without a tape.
    pub(in crate::commands) uses_examples: bool,
}

/// Which changes fail the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Change,
    Looser,
    Stricter,
}

/// What was decided again, and what could not be read.
#[derive(Debug)]
struct RedecisionResult {
    report: RedecisionReport,
    tapes: Vec<ReadTape>,
    /// Events that the hooks listen to and that no tape has.
    unheard_events: Vec<String>,
    /// The calls of examples, if there was no tape to compare the hooks on.
    examples: Option<ExampleCount>,
}

/// How many calls of examples were compared.
#[derive(Debug)]
struct ExampleCount {
    /// Those that are written in examples, packs, rules and case files.
    written: usize,
    /// Those that are derived from them and from the words of rules.
    derived: usize,
    /// Those beyond the most that are compared.
    left_out: usize,
}

/// A tape that was read.
#[derive(Debug)]
struct ReadTape {
    location: TapeLocation,
    /// The agent whose own file of a session it is; `None` for a tape.
    client: Option<&'static HostDef>,
    /// Whether the log has it, so that its calls have IDs.
    is_in_log: bool,
    /// The session of its header.
    session: String,
    /// Why it was not read to its end.
    problem: Option<String>,
}

impl ReadTape {
    /// A tape, or an agent's own file of a session, that was not read yet.
    fn new(location: TapeLocation, client: Option<&'static HostDef>, is_in_log: bool) -> Self {
        Self { location, client, is_in_log, session: String::new(), problem: None }
    }

    /// The ID of a call for `pintle why`, if the log lists it.
    fn entry_id(&self, call: &RedecidedCall) -> Option<String> {
        (self.is_in_log && call.is_listed).then(|| self.location.entry_id(&self.session, call.seq).0)
    }
}

impl RedecideArgs {
    /// The first option that is only for deciding again.
    pub(super) fn first_option(&self) -> Option<&'static str> {
        match (self.limit, self.fail_on) {
            (Some(_), _) => Some("-n"),
            (_, Some(_)) => Some("--fail-on"),
            _ if !self.session_file.is_empty() => Some("--session-file"),
            _ => self.filter.is_set().then_some("--since`, `--host` or `--project"),
        }
    }

    /// Compares hooks with what is recorded, or with other hooks.
    pub(in crate::commands) fn execute(
        &self,
        task: &ComparisonTask<'_>,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let tapes = if task.uses_examples { Vec::new() } else { self.find_tapes(task.tapes)? };
        let base = task.base.map(|paths| HookSets::load(paths, task.user, &tapes, terminal)).transpose()?;
        let sets = HookSets::load(task.hooks, task.user, &tapes, terminal)?;
        let limit = Some(self.limit.unwrap_or(EXAMPLES)).filter(|limit| *limit > 0).unwrap_or(usize::MAX);
        let options =
            RedecisionOptions { since_ms: self.filter.since_ms(), example_limit: limit, threads: task.threads };
        let result = match (&base, task.base) {
            (Some(base), Some(base_paths)) if tapes.is_empty() => {
                decider::decide_examples((base, base_paths), (&sets, task.hooks), &options, terminal)?
            }
            _ => decider::redecide(&sets, base.as_ref(), tapes, &options, terminal)?,
        };
        if global.json {
            terminal.print_json(&json::result_to_json(&result));
        } else {
            text::print_result(&result, task, terminal);
        }
        Ok(if self.is_failure(&result) { CliStatus::Failed } else { CliStatus::Done })
    }

    /// The tapes that are named, otherwise those of the log.
    fn find_tapes(&self, named: &[PathBuf]) -> Result<Vec<ReadTape>, CliError> {
        let listed = self.tapes.list_locations();
        let with_project = |tape: TapeLocation| {
            let project = tape.project.clone().or_else(|| project_of_tape(&tape));
            TapeLocation { project, ..tape }
        };
        let mut tapes = Vec::new();
        if named.is_empty() && self.session_file.is_empty() {
            tapes.extend(listed.into_iter().map(|tape| ReadTape::new(with_project(tape), None, true)));
        } else {
            for path in named {
                if !path.is_file() {
                    return Err(CliError::invalid_input(format!("`{}` is not a tape: no such file", path.display())));
                }
                let same = |tape: &&TapeLocation| {
                    tape.path == *path
                        || (tape.path.file_name() == path.file_name() && super::is_same_file(&tape.path, path))
                };
                let known = listed.iter().find(same).cloned();
                let is_in_log = known.is_some();
                let location = known.unwrap_or_else(|| TapeLocation {
                    path: path.clone(),
                    host: host_of_tape_file(path).map(|host| host.name.to_owned()),
                    project: None,
                });
                tapes.push(ReadTape::new(with_project(location), None, is_in_log));
            }
        }
        let files = session_files::find_session_files(&self.session_file)?.into_iter();
        tapes.extend(files.map(|(location, client)| ReadTape::new(location, Some(client), false)));
        let mut tapes = self.filter.select_tapes(tapes, |tape| &tape.location);
        // The longest one would otherwise be the last to end.
        tapes.sort_by_cached_key(|tape| {
            let size = files::open(&tape.location.path).and_then(|file| file.metadata()).map_or(0, |found| found.len());
            (std::cmp::Reverse(size), tape.location.path.clone())
        });
        Ok(tapes)
    }

    fn is_failure(&self, result: &RedecisionResult) -> bool {
        let has = |direction: ChangeDirection| {
            let mut kinds = result.report.changes.keys();
            kinds.any(|(before, after)| ChangeDirection::between(*before, *after) == direction)
        };
        let is_partial = !result.report.undecided.is_empty() || result.tapes.iter().any(|tape| tape.problem.is_some());
        match self.fail_on {
            None => false,
            Some(FailOn::Stricter) => has(ChangeDirection::Stricter),
            Some(FailOn::Looser) => has(ChangeDirection::Looser) || is_partial,
            Some(FailOn::Change) => !result.report.changes.is_empty() || is_partial,
        }
    }
}
