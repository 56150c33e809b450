//! `pintle-fleet log`.

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use pintle_fleet::{FleetEntry, FleetError, FleetQuery};
use pintle_log::{
    DecisionPlace, NAME_CHARS, agent_text, call_text, decided_text, decision_to_json, parse_start, time_text,
};
use pintle_tape::decisions::DecisionLabel;
use pintle_tape::show::single_line;
use serde_json::Value;

use super::StoreOptions;
use crate::output::{print_line, print_note};

/// Most characters of a call and of a reason.
const LONG_CHARS: usize = 300;
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
        let since = self.since.as_deref().map(|text| {
            parse_start(text).map_err(|help| {
                FleetError::invalid_input(format!("`{text}` is not a time; {help}")).help("see `--since`")
            })
        });
        let since_ms = since.transpose()?.map(|start| start.to_unix_ms(Timestamp::now(), &zone));
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
    let (time, id, word) = (time_text(decision.at_ms, zone), entry.id(), decision.word().as_str());
    let machine = single_line(&entry.machine, NAME_CHARS);
    let agent = agent_text(decision, entry.host.as_deref());
    let (call, decided) = (call_text(decision, LONG_CHARS), decided_text(decision, LONG_CHARS));
    let line = format!("{time}  {id:<10}  {word:<9}  {machine:<12}  {agent:<8}  {call}  {decided}");
    line.trim_end().to_owned()
}

/// The entry for other programs, with the keys of `pintle log --json` and the machine.
fn entry_to_json(entry: &FleetEntry) -> Value {
    let (host, project) = (entry.host.as_deref(), entry.project.as_deref());
    let place = DecisionPlace { host, session: &entry.session, project, tape: &entry.tape };
    decision_to_json(&entry.decision, &place, &[("id", &entry.id()), ("machine", &entry.machine)])
}
