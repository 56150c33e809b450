//! The sessions of the log, and what they add up to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pintle_tape::decisions::DecisionLabel;
use pintle_tape::tool_reach::ToolReach;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use crate::index::{LogError, LogIndex};
use crate::query::{LogQuery, contains_text};

/// A session of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedSession {
    /// The digits that begin the IDs of its entries.
    pub key: String,
    /// Its ID.
    pub session: String,
    /// The agent that ran it under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<String>,
    /// The tape.
    pub tape: PathBuf,
    /// The start of its first prompt; empty if it is not known.
    pub prompt: String,
    /// Why the tape cannot be read to its end.
    pub error: Option<String>,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// The time of the newest of the entries below, or when it started.
    pub last_ms: u64,
    /// How many of its entries are like the query, whatever their text.
    pub counts: EntryCounts,
}

/// Numbers of entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryCounts {
    /// All of them.
    pub total: u64,
    /// The denied ones.
    pub denied: u64,
    /// Those about which the user was asked.
    pub asked: u64,
    /// Those that hooks changed.
    pub rewritten: u64,
    /// Those in which a hook failed.
    pub failed: u64,
}

impl EntryCounts {
    /// Counts an entry.
    pub fn add(&mut self, facts: &EntryFacts<'_>) {
        let is = |label: DecisionLabel| u64::from(facts.word == label.as_str());
        self.total += 1;
        self.denied += is(DecisionLabel::Denied);
        self.asked += is(DecisionLabel::Asked);
        self.rewritten += is(DecisionLabel::Rewritten);
        self.failed += u64::from(facts.is_failed);
    }
}

/// What the index has of an entry beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryFacts<'r> {
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The agent, as in [`LoggedSession::host`].
    pub host: Option<&'r str>,
    /// What was decided, in a word.
    pub word: &'r str,
    /// Whether a hook failed.
    pub is_failed: bool,
    /// The hook that decided.
    pub hook: Option<&'r str>,
    /// The rule that decided.
    pub rule: Option<&'r str>,
    /// What the hooks took together, in microseconds.
    pub duration_us: u64,
}

impl LogIndex {
    /// Finds the sessions that have entries like a query, the newest first, from one of them on. A session without entries is
    /// one of the query for everything.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find_sessions(&self, query: &LogQuery, skip: usize) -> Result<Vec<LoggedSession>, LogError> {
        let limit = query.limit.unwrap_or(usize::MAX);
        let matching = query.text.as_ref().map(|_| self.find_tapes(query)).transpose()?;
        let (conditions, values) = LogQuery { text: None, ..query.clone() }.to_sql();
        let anything = LogQuery { limit: query.limit, text: query.text.clone(), ..LogQuery::default() };
        let fewest = i32::from(*query != anything);
        let mut statement = self.database.prepare(&session_sql(&conditions, "1", fewest))?;
        let rows = statement.query_map(params_from_iter(values), read_session)?;
        let has_text = |(id, session): &(i64, LoggedSession)| match (&query.text, &matching) {
            (Some(text), Some(matching)) => matching.contains(id) || contains_text(&session.prompt, text),
            _ => true,
        };
        let found = rows.filter(|row| row.as_ref().map_or(true, has_text)).skip(skip).take(limit);
        Ok(found.map(|row| row.map(|(_, session)| session)).collect::<rusqlite::Result<_>>()?)
    }

    /// Finds the session whose entries have IDs that begin with these digits, all of them.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find_session(&self, key: &str) -> Result<Option<LoggedSession>, LogError> {
        let mut statement = self.database.prepare(&session_sql("1", "key = ?1", 0))?;
        let found = statement.query_row([key], read_session).optional()?;
        Ok(found.map(|(_, session)| session))
    }

    /// The tapes with entries that have the text of a query.
    fn find_tapes(&self, query: &LogQuery) -> Result<BTreeSet<i64>, LogError> {
        let entries = self.find_entries(&LogQuery { limit: None, ..query.clone() })?;
        let paths: BTreeSet<String> =
            entries.into_iter().map(|entry| entry.tape.to_string_lossy().into_owned()).collect();
        let mut statement = self.database.prepare("SELECT id FROM tapes WHERE path = ?1")?;
        Ok(paths.iter().map(|path| statement.query_row([path], |row| row.get(0))).collect::<rusqlite::Result<_>>()?)
    }

    /// Counts the entries like a query, whatever their text.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_entries(&self, query: &LogQuery) -> Result<EntryCounts, LogError> {
        let (conditions, values) = LogQuery { text: None, ..query.clone() }.to_sql();
        let mut statement = self.database.prepare(&format!(
            "SELECT {COUNTS} FROM decisions CROSS JOIN tapes ON tapes.id = tape \
             WHERE +tape IN (SELECT tape FROM listed) AND {conditions}"
        ))?;
        Ok(statement.query_row(params_from_iter(values), |row| read_counts(row, 0))?)
    }

    /// Visits the facts of all entries like a query, the oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn visit_facts(&self, query: &LogQuery, visit: &mut dyn FnMut(EntryFacts<'_>)) -> Result<(), LogError> {
        let (conditions, values) = LogQuery { text: None, ..query.clone() }.to_sql();
        let mut statement = self.database.prepare(&format!(
            "SELECT at_ms, host, word, is_failed, hook, rule, duration_us \
             FROM decisions CROSS JOIN tapes ON tapes.id = tape \
             WHERE +tape IN (SELECT tape FROM listed) AND {conditions} ORDER BY at_ms"
        ))?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            visit(EntryFacts {
                at_ms: read_number(row, 0)?,
                host: row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)?,
                word: row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?,
                is_failed: row.get(3)?,
                hook: row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)?,
                rule: row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?,
                duration_us: read_number(row, 6)?,
            });
        }
        Ok(())
    }

    /// Counts which hooks were called for which tools. Of the query, the agents and the project apply.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_reach(&self, query: &LogQuery) -> Result<ToolReach, LogError> {
        let (hosts, project) = (query.hosts.clone(), query.project.clone());
        let (conditions, values) = LogQuery { hosts, project, ..LogQuery::default() }.to_sql();
        let mut statement = self
            .database
            .prepare(&format!("SELECT reach FROM tapes WHERE id IN (SELECT tape FROM listed) AND {conditions}"))?;
        let mut all = ToolReach::default();
        for reach in statement.query_map(params_from_iter(values), |row| row.get::<_, String>(0))? {
            all.add(&serde_json::from_str(&reach?)?);
        }
        Ok(all)
    }
}

/// The sessions with the entries that conditions select, which are at least some.
fn session_sql(entry_conditions: &str, session_condition: &str, fewest: i32) -> String {
    format!(
        "SELECT tapes.id, key, session, host, project, path, prompt, error, started_ms, \
         COALESCE(MAX(at_ms), started_ms), {COUNTS} \
         FROM tapes LEFT JOIN decisions ON tape = tapes.id AND {entry_conditions} \
         WHERE tapes.id IN (SELECT tape FROM listed) AND {session_condition} \
         GROUP BY tapes.id HAVING COUNT(seq) >= {fewest} ORDER BY 10 DESC, 1 DESC"
    )
}

fn read_number(row: &Row<'_>, index: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(index)?).unwrap_or_default())
}

/// The numbers of entries in SQL.
const COUNTS: &str = "COUNT(seq), SUM(word = 'denied'), SUM(word = 'asked'), SUM(word = 'rewritten'), SUM(is_failed)";

/// Reads such numbers from the columns from one on.
fn read_counts(row: &Row<'_>, first: usize) -> rusqlite::Result<EntryCounts> {
    // The sum of nothing is not a number.
    let count = |index: usize| -> rusqlite::Result<u64> {
        let number: Option<i64> = row.get(first + index)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default())
    };
    Ok(EntryCounts { total: count(0)?, denied: count(1)?, asked: count(2)?, rewritten: count(3)?, failed: count(4)? })
}

fn read_session(row: &Row<'_>) -> rusqlite::Result<(i64, LoggedSession)> {
    let session = LoggedSession {
        key: row.get(1)?,
        session: row.get(2)?,
        host: row.get(3)?,
        project: row.get(4)?,
        tape: PathBuf::from(row.get::<_, String>(5)?),
        prompt: row.get(6)?,
        error: row.get(7)?,
        started_ms: read_number(row, 8)?,
        last_ms: read_number(row, 9)?,
        counts: read_counts(row, 10)?,
    };
    Ok((row.get(0)?, session))
}
