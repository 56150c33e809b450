//! `pintle sessions prune`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use pintle_bridge::{ExpiredSession, RetentionPlan};
use pintle_host::contract::TapeRetention;
use pintle_host::tape::show::single_line;
use pintle_host::{Clock, SystemClock};
use serde_json::{Value, json};

use super::delete::confirm;
use super::row::ID_CUT;
use crate::error::{CliError, CliStatus};
use crate::options::trust::require_no_agent;
use crate::options::{GlobalOptions, configured_retention, remove_expired, retention_text};
use crate::render::{age_text, count_text, size_text, table};
use crate::terminal::Terminal;

pub(super) const LONG_ABOUT: &str = "Remove the sessions of other agents that are not kept any longer: those that are too old, then the oldest of what is \
     too much. A session of the last day is always kept, as is one that is in use.";

#[derive(Debug, Args)]
pub(super) struct SessionsPruneArgs {
    /// Remove the sessions of which no call ran for DAYS days [default: `tapes: {keep_days}` of your `config.yaml`].
    #[arg(long, value_name = "DAYS", value_parser = RangedU64ValueParser::<u64>::new().range(TapeRetention::KEEP_DAYS))]
    older_than: Option<u64>,
    /// Then remove the oldest until all are no larger than SIZE, such as `500MB` [default: `tapes: {max_size}`].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    max_size: Option<u64>,
    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    /// Remove without prompting.
    #[arg(long, short)]
    yes: bool,
}

fn parse_size(text: &str) -> Result<u64, String> {
    TapeRetention::parse_size(text)
        .ok_or_else(|| String::from("expected a whole number with its unit, such as `500MB` or `2GiB`"))
}

impl SessionsPruneArgs {
    /// Removes the sessions of other agents that are not kept any longer.
    pub(super) fn execute(
        self,
        state: Option<PathBuf>,
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let state = state.ok_or_else(|| {
            CliError::invalid_input("there is neither a state directory nor a home directory")
                .help("name the state directory with `--state-dir`")
        })?;
        if !self.dry_run {
            require_no_agent("nothing was removed")?;
        }
        let retention = self.retention()?;
        let plan = RetentionPlan::new(&state, &retention, SystemTime::now());
        if plan.expired.is_empty() || self.dry_run {
            print_report(&PruneReport::planned(&plan), self.dry_run, terminal, global);
            return Ok(CliStatus::Done);
        }
        let (count, size) = (count_text(plan.expired.len(), "session"), size_text(plan.expired_bytes()));
        let question = format!("remove {count} ({size}), so that sessions are kept {}?", retention_text(&retention));
        if !self.yes && !confirm(&question, terminal)? {
            terminal.print_note("nothing was removed");
            return Ok(CliStatus::Denied);
        }
        let (kept_count, kept_bytes) = (plan.kept_count, plan.kept_bytes);
        let result = remove_expired(&state, plan, usize::MAX);
        for (session, error) in &result.kept {
            terminal.print_note(format!("session `{}` is kept: {error}", shown_name(session)));
        }
        let report = PruneReport {
            sessions: &result.removed,
            bytes: result.removed_bytes(),
            kept_count: kept_count + result.kept.len(),
            kept_bytes: kept_bytes + result.kept.iter().map(|(session, _)| session.size_bytes()).sum::<u64>(),
        };
        print_report(&report, false, terminal, global);
        Ok(CliStatus::Done)
    }

    /// What the command line says, otherwise what the settings say.
    fn retention(&self) -> Result<TapeRetention, CliError> {
        let named = TapeRetention { keep_days: self.older_than, max_size_bytes: self.max_size };
        let retention = if named.keeps_everything() { configured_retention()? } else { named };
        if retention.keeps_everything() {
            return Err(CliError::invalid_input("sessions are kept until you delete them").help(
                "say what to remove with `--older-than DAYS` or `--max-size SIZE`, or for every day with \
                 `tapes: {keep_days: DAYS}` in your `config.yaml`",
            ));
        }
        Ok(retention)
    }
}

/// The sessions that were or would be removed, and what is kept.
struct PruneReport<'a> {
    sessions: &'a [ExpiredSession],
    bytes: u64,
    kept_count: usize,
    kept_bytes: u64,
}

impl<'a> PruneReport<'a> {
    fn planned(plan: &'a RetentionPlan) -> Self {
        let RetentionPlan { expired, kept_count, kept_bytes, .. } = plan;
        Self { sessions: expired, bytes: plan.expired_bytes(), kept_count: *kept_count, kept_bytes: *kept_bytes }
    }
}

fn shown_name(session: &ExpiredSession) -> String {
    single_line(&session.name(), ID_CUT)
}

fn print_report(report: &PruneReport<'_>, is_dry_run: bool, terminal: &Terminal, global: &GlobalOptions) {
    let PruneReport { sessions, bytes, kept_count, kept_bytes } = report;
    if global.json {
        terminal.print_json(&json!({
            "dry_run": is_dry_run,
            "removed": sessions.iter().map(session_to_json).collect::<Vec<_>>(),
            "removed_bytes": bytes,
            "kept_count": kept_count,
            "kept_bytes": kept_bytes,
        }));
        return;
    }
    let now_ms = SystemClock::default().unix_ms();
    let row = |session: &ExpiredSession| {
        let age = age_text(now_ms.saturating_sub(session.last_used_ms()));
        let (host, limit) = (session.host.name.to_owned(), session.exceeded.as_str().to_owned());
        [host, shown_name(session), age, size_text(session.size_bytes()), limit]
    };
    if !sessions.is_empty() {
        let rows: Vec<_> = sessions.iter().map(row).collect();
        terminal.print_lines(&table::render_table(["HOST", "ID", "LAST CALL", "SIZE", "OVER"], &rows));
    }
    let done = if is_dry_run { "would remove" } else { "removed" };
    let count = count_text(sessions.len(), "session");
    let kept = count_text(*kept_count, "session");
    terminal.print_line(format!("{done} {count} ({}), kept {kept} ({})", size_text(*bytes), size_text(*kept_bytes)));
}

fn session_to_json(session: &ExpiredSession) -> Value {
    json!({
        "host": session.host.name,
        "id": session.name(),
        "path": session.folder,
        "last_used_ms": session.last_used_ms(),
        "size_bytes": session.size_bytes(),
        "over": session.exceeded.as_str(),
    })
}
