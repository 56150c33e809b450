//! `pintle-fleet log`.

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_fleet::{FleetEntry, FleetError, FleetQuery};
use pintle_tape::decisions::{DecisionLabel, OWN_NAME};
use pintle_tape::show::single_line;
use serde_json::{Value, json};

use super::StoreOptions;
use super::since::parse_since;
use crate::{print_line, print_note};

/// Most characters of a call and of a reason.
const LONG_CHARS: usize = 300;
/// Most characters of a name.
const NAME_CHARS: usize = 40;
/// How many decisions are listed, unless the user says otherwise.
const DEFAULT_LIMIT: usize = 50;

#[derive(Debug, Args)]
pub(super) struct FleetLogArgs {
    #[command(flatten)]
    store: StoreOptions,
    /// List what was denied. With other such options: what any of them lists.
    #[arg(long)]
    denied: bool,
    /// List what the user was asked.
    #[arg(long)]
    asked: bool,
    /// List the decisions in which a hook failed.
    #[arg(long)]
    failed: bool,
    /// Only what happened since a time: `30m`, `2h`, `1d`, `2w`, `today`, `yesterday`, `2026-01-31` or
    /// `2026-01-31T08:00:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only decisions of a machine.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Only sessions of an agent under `pintle hook`, such as `claude`.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// List what a rule (`git.force-push`), a pack (`git`) or a hook decided.
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// List the newest decisions up to this number; 0 lists all [default: 50, or all with `--since`].
    #[arg(long, short = 'n', value_name = "COUNT")]
    limit: Option<usize>,
    /// Print each decision as JSON.
    #[arg(long)]
    json: bool,
}

impl FleetLogArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let zone = TimeZone::system();
        let since = self.since.as_deref().map(|text| parse_since(text, Timestamp::now(), &zone));
        let since_ms = since.transpose().map_err(|error| FleetError::invalid_input(error).help("see `--since`"))?;
        let words = [(self.denied, DecisionLabel::Denied), (self.asked, DecisionLabel::Asked)];
        let default_limit = if since_ms.is_some() { 0 } else { DEFAULT_LIMIT };
        let query = FleetQuery {
            words: words.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, word)| word).collect(),
            with_failures: self.failed,
            since_ms,
            machine: self.machine,
            host: self.host,
            rule: self.rule,
            limit: Some(self.limit.unwrap_or(default_limit)).filter(|limit| *limit > 0),
        };
        let entries = self.store.address()?.find_entries(&query).await?;
        if entries.is_empty() && !self.json {
            print_note("no stored decision is like that; `pintle-fleet machine list` says what was received");
        }
        for entry in &entries {
            let line = if self.json { entry_to_json(entry).to_string() } else { render_entry(entry, &zone) };
            print_line(&line)?;
        }
        Ok(true)
    }
}

/// The line of an entry: time, ID, decision, machine, agent, call, and by which rule for which reason.
fn render_entry(entry: &FleetEntry, zone: &TimeZone) -> String {
    let decision = &entry.decision;
    let time = i64::try_from(decision.at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let time = time.unwrap_or(Timestamp::MAX).to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S");
    let agent = single_line(entry.host.as_deref().unwrap_or(&decision.origin.agent), NAME_CHARS);
    let machine = single_line(&entry.machine, NAME_CHARS);
    let what = single_line(decision.tool.as_deref().unwrap_or(&decision.event), NAME_CHARS);
    let call = single_line(&decision.call, LONG_CHARS);
    let separator = if call.is_empty() { "" } else { ": " };
    let by = decision.rule().or_else(|| decision.deciding_hook()).filter(|name| *name != OWN_NAME);
    let by = by.map(|name| single_line(name, NAME_CHARS)).unwrap_or_default();
    let reason = single_line(&decision.reason(), LONG_CHARS);
    let decided = [by, reason].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
    let (id, word) = (entry.id(), decision.word().as_str());
    let line = format!("{time}  {id:<10}  {word:<9}  {machine:<12}  {agent:<8}  {what}{separator}{call}  {decided}");
    line.trim_end().to_owned()
}

/// The entry for other programs, with the keys of `pintle log --json` and the machine.
fn entry_to_json(entry: &FleetEntry) -> Value {
    let decision = &entry.decision;
    json!({
        "id": entry.id(),
        "machine": entry.machine,
        "at_ms": decision.at_ms,
        "word": decision.word().as_str(),
        "decision": decision.decision,
        "told": decision.told,
        "answer": decision.answer,
        "host": entry.host,
        "session": entry.session,
        "project": entry.project,
        "agent": decision.origin.agent,
        "turn": decision.origin.turn,
        "event": decision.event,
        "tool": decision.tool,
        "call": decision.call,
        "is_rewritten": decision.is_rewritten,
        "changed_by": decision.changed_by,
        "rule": decision.rule(),
        "hook": decision.deciding_hook(),
        "reason": decision.reason(),
        "reasons": decision.reasons,
        "failures": decision.failures,
        "hooks_called": decision.hooks_called,
        "duration_us": decision.duration_us,
        "tape": entry.tape,
        "seq": decision.seq,
        "dispatch": decision.dispatch,
    })
}
