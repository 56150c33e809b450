//! What the page is told: the answers to its requests, from the index of the log and from tapes.

use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use pintle_bridge::HOSTS;
use pintle_host::tape::decisions::DecisionLabel;
use pintle_host::tape::is_being_written;
use pintle_host::{Clock, SystemClock};
use pintle_log::{EntryCounts, LogEntry, LogQuery, LoggedSession, StartTime, UnreadableTape, time_text};
use serde_json::{Value, json};

use super::charts::ChartData;
use super::parameters::{OWN_HOST, ViewParameters, to_unix_ms};
use super::server::ViewError;
use super::tape_story::{read_event, read_timeline};
use crate::commands::log::entry_to_json;
use crate::error::CliError;
use crate::options::FollowedLog;

/// Most entries and sessions of one answer.
const ENTRIES: usize = 50;
/// Most entries that were refused earlier, if none was lately.
const EARLIER: usize = 5;
/// Most tapes that are named because they cannot be read.
const UNREADABLE: usize = 5;
/// Most sessions whose agents and projects are offered as filters.
const PLACES: usize = 500;
/// How old an ask may be that waits, in milliseconds.
const WAITING_MS: u64 = 24 * 3_600_000;
/// The tapes are looked at once in this time at most, and for a part of the time only.
const UPDATE_STEP: Duration = Duration::from_secs(1);
const UPDATE_SHARE: u32 = 4;

/// The log as the page is told about it.
pub(super) struct ViewedLog {
    state: Mutex<LogState>,
}

struct LogState {
    log: FollowedLog,
    unreadable: Vec<UnreadableTape>,
    /// When the tapes are looked at again.
    next_update: Instant,
}

impl ViewedLog {
    pub(super) fn new(log: FollowedLog) -> Self {
        Self { state: Mutex::new(LogState { log, unreadable: Vec::new(), next_update: Instant::now() }) }
    }

    /// The answer to a request of the page; `None` if no request has this name.
    pub(super) fn answer(&self, name: &str, parameters: &ViewParameters) -> Option<Result<Value, ViewError>> {
        Some(match name {
            "start" => self.describe_start(),
            "decisions" => self.list_decisions(parameters),
            "sessions" => self.list_sessions(parameters),
            "session" => self.describe_session(parameters),
            "decision" => self.describe_decision(&parameters.id),
            "charts" => self.describe_charts(parameters),
            "coverage" => self.describe_coverage(parameters),
            _ => return None,
        })
    }

    /// What was refused since yesterday, what waits for the user, and which agents and projects there are.
    fn describe_start(&self) -> Result<Value, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let now_ms = SystemClock::default().unix_ms();
        let [yesterday_ms, today_ms] = [1, 0].map(|days_ago| to_unix_ms(&StartTime::DayStart { days_ago }));
        let denied = LogQuery { words: vec![DecisionLabel::Denied], ..LogQuery::default() };
        let lately = LogQuery { since_ms: Some(yesterday_ms), limit: Some(ENTRIES), ..denied.clone() };
        let refused = state.find_entries(&lately)?;
        let earlier = match refused.is_empty() {
            true => state.find_entries(&LogQuery { limit: Some(EARLIER), ..denied })?,
            false => Vec::new(),
        };
        let since_ms = Some(now_ms.saturating_sub(WAITING_MS));
        let asked = LogQuery { is_waiting: true, since_ms, limit: Some(ENTRIES), ..LogQuery::default() };
        let mut waiting = state.find_entries(&asked)?;
        // A program that was killed while it asked waits no longer.
        waiting.retain(|entry| entry.decision.decision.is_some() || is_being_written(&entry.tape).unwrap_or(false));
        let today = LogQuery { since_ms: Some(today_ms), ..LogQuery::default() };
        let yesterday = LogQuery { since_ms: Some(yesterday_ms), until_ms: Some(today_ms), ..LogQuery::default() };
        let [today, yesterday] = [today, yesterday].map(|query| state.log.read(|index| index.count_entries(&query)));
        let recent = LogQuery { limit: Some(PLACES), ..LogQuery::default() };
        let sessions = state.log.read(|index| index.find_sessions(&recent, 0))?;
        let unreadable = state.unreadable.iter().take(UNREADABLE);
        let unreadable: Vec<Value> =
            unreadable.map(|tape| json!({"tape": tape.path.to_string_lossy(), "reason": tape.reason})).collect();
        Ok(json!({
            "now_ms": now_ms,
            "now": time_text(now_ms, &TimeZone::system()),
            "today": describe_counts(&today?),
            "yesterday": describe_counts(&yesterday?),
            "today_ms": today_ms,
            "yesterday_day": time_text(yesterday_ms, &TimeZone::system()).split(' ').next(),
            "refused": describe_entries(&refused),
            "is_cut": refused.len() == ENTRIES,
            "earlier": describe_entries(&earlier),
            "waiting": describe_entries(&waiting),
            "agents": list_agents(&sessions),
            "projects": list_projects(&sessions),
            "unreadable": unreadable,
            "unreadable_count": state.unreadable.len(),
        }))
    }

    fn list_decisions(&self, parameters: &ViewParameters) -> Result<Value, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let mut entries = state.find_entries(&LogQuery { limit: Some(ENTRIES + 1), ..parameters.query.clone() })?;
        let has_more = entries.len() > ENTRIES;
        if has_more {
            entries.remove(0);
        }
        let next = entries.first().filter(|_| has_more);
        let next = next.map(|entry| format!("{}.{}", entry.decision.at_ms, entry.long_id));
        Ok(json!({"entries": describe_entries(&entries), "next": next}))
    }

    fn list_sessions(&self, parameters: &ViewParameters) -> Result<Value, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let query = LogQuery { limit: Some(ENTRIES + 1), ..parameters.query.clone() };
        let sessions = state.log.read(|index| index.find_sessions(&query, parameters.skip))?;
        let next = (sessions.len() > ENTRIES).then(|| parameters.skip.saturating_add(ENTRIES));
        let sessions: Vec<Value> = sessions.iter().take(ENTRIES).map(describe_session).collect();
        Ok(json!({"sessions": sessions, "next": next}))
    }

    /// A session with its events; with the ID of an entry, with those around it.
    fn describe_session(&self, parameters: &ViewParameters) -> Result<Value, ViewError> {
        let (key, seq) = match parameters.id.split_once('.') {
            Some((key, seq)) => (key, Some(parse_seq(seq)?)),
            None => (parameters.id.as_str(), None),
        };
        let session = self.find_session(key)?;
        let mut answer = read_timeline(&session, parameters.skip, seq);
        set_field(&mut answer, "session", describe_session(&session));
        Ok(answer)
    }

    fn describe_decision(&self, id: &str) -> Result<Value, ViewError> {
        let (key, seq) = id.split_once('.').ok_or_else(ViewError::not_found)?;
        let (session, seq) = (self.find_session(key)?, parse_seq(seq)?);
        read_event(&session, seq).ok_or_else(ViewError::not_found)
    }

    fn describe_charts(&self, parameters: &ViewParameters) -> Result<Value, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let days = parameters.days;
        let chart = state.log.read(|index| {
            let mut chart = ChartData::new(days, TimeZone::system());
            let query = LogQuery { since_ms: Some(chart.since_ms()), ..parameters.query.clone() };
            index.visit_facts(&query, &mut |facts| chart.add(&facts))?;
            Ok(chart)
        });
        Ok(chart?.to_json())
    }

    fn describe_coverage(&self, parameters: &ViewParameters) -> Result<Value, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let reach = state.log.read(|index| index.count_reach(&parameters.query))?;
        let usage = state.log.read(|index| index.count_usage(&parameters.query))?;
        // A hook that was loaded and never called is not among those that were reached.
        let unreached = usage.iter().filter(|(_, counts)| counts.run == 0);
        let unreached: Vec<Value> = unreached
            .map(|(used, counts)| {
                json!({"hook": used.hook, "event": used.event, "path": used.path, "fired": counts.eligible})
            })
            .collect();
        Ok(json!({"events": reach, "unreached": unreached}))
    }

    fn find_session(&self, key: &str) -> Result<LoggedSession, ViewError> {
        let mut state = self.state.lock();
        state.update()?;
        let found = state.log.read(|index| index.find_session(key))?;
        found.ok_or_else(ViewError::not_found)
    }
}

impl LogState {
    /// Reads what was recorded since the last time, unless that was just done.
    fn update(&mut self) -> Result<(), CliError> {
        let now = Instant::now();
        if now >= self.next_update {
            self.unreadable = self.log.update()?;
            self.next_update = Instant::now() + UPDATE_STEP.max(now.elapsed() * UPDATE_SHARE);
        }
        Ok(())
    }

    fn find_entries(&mut self, query: &LogQuery) -> Result<Vec<LogEntry>, CliError> {
        self.log.find_entries(query)
    }
}

fn parse_seq(text: &str) -> Result<u64, ViewError> {
    text.parse().map_err(|_| ViewError::not_found())
}

/// Entries for the page, the newest first.
fn describe_entries(entries: &[LogEntry]) -> Value {
    entries.iter().rev().map(describe_entry).collect()
}

/// An entry for the page: that of `pintle log --json` with texts for people.
pub(super) fn describe_entry(entry: &LogEntry) -> Value {
    let mut json = entry_to_json(entry);
    let at_ms = entry.decision.at_ms;
    let allows =
        entry.host.is_some() && entry.decision.word() == DecisionLabel::Denied && entry.decision.tool.is_some();
    let who = title_of(entry.host.as_deref(), &entry.decision.origin.agent);
    set_field(&mut json, "at", Value::from(time_text(at_ms, &TimeZone::system())));
    set_field(&mut json, "who", Value::from(who));
    set_field(&mut json, "is_waiting", Value::from(entry.decision.is_waiting));
    // What `pintle allow` lets pass.
    set_field(&mut json, "can_allow", Value::from(allows && entry.decision.dispatch.is_some()));
    json
}

fn describe_session(session: &LoggedSession) -> Value {
    let zone = TimeZone::system();
    json!({
        "key": session.key,
        "session": session.session,
        "who": title_of(session.host.as_deref(), OWN_HOST),
        "project": session.project,
        "prompt": session.prompt,
        "error": session.error,
        "tape": session.tape.to_string_lossy(),
        "started": time_text(session.started_ms, &zone),
        "last": time_text(session.last_ms, &zone),
        "counts": describe_counts(&session.counts),
    })
}

pub(super) fn describe_counts(counts: &EntryCounts) -> Value {
    let EntryCounts { total, denied, asked, rewritten, failed } = counts;
    json!({"total": total, "denied": denied, "asked": asked, "rewritten": rewritten, "failed": failed})
}

pub(super) fn set_field(value: &mut Value, name: &str, field: Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.insert(name.to_owned(), field);
    }
}

/// The name of an agent for people.
pub(super) fn title_of(host: Option<&str>, agent: &str) -> String {
    let Some(host) = host else { return agent.to_owned() };
    HOSTS.iter().find(|def| def.name == host).map_or_else(|| host.to_owned(), |def| def.title.to_owned())
}

/// The agents of sessions, by their names in a filter.
fn list_agents(sessions: &[LoggedSession]) -> Value {
    let mut hosts: Vec<Option<&str>> = sessions.iter().map(|session| session.host.as_deref()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts.iter().map(|host| json!({"name": host.unwrap_or(OWN_HOST), "title": title_of(*host, OWN_HOST)})).collect()
}

fn list_projects(sessions: &[LoggedSession]) -> Vec<&str> {
    let mut projects: Vec<&str> = sessions.iter().filter_map(|session| session.project.as_deref()).collect();
    projects.sort_unstable();
    projects.dedup();
    projects
}
