//! Which sessions of the log, and from when on.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_host::{Clock, SystemClock, files};
use pintle_log::{StartTime, TapeLocation, parse_start};

use super::HostsArgument;

/// Which sessions of the log, and from when on.
#[derive(Debug, Args)]
pub(crate) struct LogFilterOptions {
    /// Only what happened since a time: `30m`, `2h`, `1d`, `2w`, `today`, `yesterday`, `2026-01-31` or
    /// `2026-01-31T08:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = parse_start)]
    since: Option<StartTime>,
    /// Only sessions of an agent, or of `all` agents under `pintle hook`.
    #[arg(long, value_name = "HOST")]
    host: Option<HostsArgument>,
    /// Only sessions in a project, or in a directory below it.
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

impl LogFilterOptions {
    /// The start, in milliseconds since the Unix epoch.
    pub(crate) fn since_ms(&self) -> Option<u64> {
        let now = i64::try_from(SystemClock::default().unix_ms()).unwrap_or(i64::MAX);
        let now = Timestamp::from_millisecond(now).unwrap_or(Timestamp::MAX);
        self.since.as_ref().map(|start| start.to_unix_ms(now, &TimeZone::system()))
    }

    /// The names of the agents; empty for any.
    pub(crate) fn host_names(&self) -> Vec<String> {
        self.host.iter().flat_map(|named| &named.0).map(|host| host.name.to_owned()).collect()
    }

    /// The directory of the project.
    pub(crate) fn project_dir(&self) -> Option<PathBuf> {
        self.project.as_ref().map(|dir| files::canonicalize(dir).unwrap_or_else(|_| dir.clone()))
    }

    /// Those of some tapes whose agent and project are selected.
    pub(crate) fn select_tapes<T>(&self, mut tapes: Vec<T>, location: impl Fn(&T) -> &TapeLocation) -> Vec<T> {
        let (hosts, project) = (self.host_names(), self.project_dir());
        tapes.retain(|tape| {
            let tape = location(tape);
            let is_host = hosts.is_empty() || tape.host.as_ref().is_some_and(|host| hosts.contains(host));
            let is_in = |dir: &PathBuf| tape.project.as_ref().is_some_and(|project| project.starts_with(dir));
            is_host && project.as_ref().is_none_or(is_in)
        });
        tapes
    }

    /// Whether any option is given.
    pub(crate) fn is_set(&self) -> bool {
        self.since.is_some() || self.host.is_some() || self.project.is_some()
    }
}
