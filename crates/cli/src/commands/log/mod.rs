//! `pintle log`: lists what was decided, one line a decision.

mod line;

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use clap::Args;
use jiff::tz::TimeZone;
use pintle_host::tape::decisions::DecisionLabel;
use pintle_host::{Clock, SystemClock};
use pintle_log::LogQuery;

use crate::error::{CliError, CliStatus};
use crate::options::{FollowedLog, GlobalOptions, LogFilterOptions, LogTapeOptions, remove_expired_after_command};
use crate::terminal::{Terminal, screen_columns};
pub(super) use line::{agent_text, entry_to_json, word_tone};

pub(crate) const LONG_ABOUT: &str = "List what was denied, asked or failed, and what was allowed: one line for each decision about a call, of every agent \
     that runs `pintle hook` and of the sessions that were run here. The newest is the last. `pintle why ID` says more.";

/// How often the tapes are looked at with `--follow`.
const FOLLOW_STEP: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// List what was denied. With other such options: what any of them lists.
    #[arg(long)]
    denied: bool,
    /// List what the user was asked.
    #[arg(long)]
    asked: bool,
    /// List what was changed by a hook.
    #[arg(long)]
    rewritten: bool,
    /// List the decisions in which a hook failed.
    #[arg(long)]
    failed: bool,
    #[command(flatten)]
    filter: LogFilterOptions,
    /// List what a rule (`git.force-push`), a pack (`git`) or a hook decided.
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// List the newest decisions up to this number; 0 lists all [default: 50, or all with `--since`].
    #[arg(long, short = 'n', value_name = "COUNT")]
    limit: Option<usize>,
    /// Go on listing decisions as they are made, until interrupted.
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

impl LogArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let query = self.to_query();
        let mut log = self.tapes.open_log(terminal)?;
        let entries = log.find_entries(&query)?;
        if entries.is_empty() && !global.json && !self.follow {
            let anything = LogQuery { limit: query.limit, ..LogQuery::default() };
            terminal.print_note(match query == anything {
                true => "nothing is recorded yet; `pintle init` installs Pintle in your agents",
                false => "no recorded decision is like that",
            });
        }
        let print = |entry: &pintle_log::LogEntry| match global.json {
            true => terminal.print_json(&entry_to_json(entry)),
            false => terminal.print_lines(&[line::render_entry(entry, &TimeZone::system(), screen_columns())]),
        };
        entries.iter().for_each(print);
        if self.follow {
            follow(&mut log, query, &entries, &print, terminal)?;
        }
        drop(log);
        remove_expired_after_command(terminal);
        Ok(CliStatus::Done)
    }

    /// Whether decisions are listed as they are made.
    pub(crate) fn is_following(&self) -> bool {
        self.follow
    }

    fn to_query(&self) -> LogQuery {
        let words = [
            (self.denied, DecisionLabel::Denied),
            (self.asked, DecisionLabel::Asked),
            (self.rewritten, DecisionLabel::Rewritten),
        ];
        let since_ms = self.filter.since_ms();
        let default_limit = if since_ms.is_some() { 0 } else { 50 };
        LogQuery {
            words: words.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, word)| word).collect(),
            with_failures: self.failed,
            since_ms,
            hosts: self.filter.host_names(),
            project: self.filter.project_dir(),
            rule: self.rule.clone(),
            limit: Some(self.limit.unwrap_or(default_limit)).filter(|limit| *limit > 0),
            ..LogQuery::default()
        }
    }
}

/// Prints the entries that come, until the output is closed.
fn follow(
    log: &mut FollowedLog,
    query: LogQuery,
    shown: &[pintle_log::LogEntry],
    print: &impl Fn(&pintle_log::LogEntry),
    terminal: &Terminal,
) -> Result<(), CliError> {
    let mut known: BTreeSet<String> = shown.iter().map(|entry| entry.id.clone()).collect();
    let start_ms = shown.last().map_or_else(|| SystemClock::default().unix_ms(), |entry| entry.decision.at_ms);
    let query = LogQuery { since_ms: Some(start_ms.max(query.since_ms.unwrap_or_default())), limit: None, ..query };
    while !terminal.is_closed() {
        thread::sleep(FOLLOW_STEP);
        log.update()?;
        for entry in log.find_entries(&query)? {
            // A decision is listed once it is made.
            if entry.decision.decision.is_some() && known.insert(entry.id.clone()) {
                print(&entry);
            }
        }
    }
    Ok(())
}
