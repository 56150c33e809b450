//! The index, and how it follows the tapes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pintle_tape::decisions::{DecisionCollector, RecordedDecision};
use pintle_tape::hook_usage::{USAGE_SPAN_MS, UsageCollector, UsageCounts, UsedHook};
use pintle_tape::tool_reach::ReachCollector;
use pintle_tape::{RecordBody, TapeError, TapeReader};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params, params_from_iter};

use crate::entry::{LogEntry, TapeLocation, make_entry_ids, make_tape_key};
use crate::query::LogQuery;

/// The version of the tables below. An index of another version is made again.
const VERSION: i64 = 3;

/// Most characters of a prompt.
const MAX_PROMPT_CHARS: usize = 200;

/// How long to wait for another process that updates the index.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE tapes (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        stamp BLOB NOT NULL,
        key TEXT NOT NULL,
        session TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        host TEXT,
        project TEXT,
        prompt TEXT NOT NULL,
        reach TEXT NOT NULL,
        error TEXT
    );
    CREATE TABLE decisions (
        at_ms INTEGER NOT NULL,
        tape INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        word TEXT NOT NULL,
        is_failed INTEGER NOT NULL,
        is_waiting INTEGER NOT NULL,
        hook TEXT,
        rule TEXT,
        duration_us INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (at_ms, tape, seq)
    ) WITHOUT ROWID;
    CREATE TABLE usage (
        tape INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        hook TEXT NOT NULL,
        counts TEXT NOT NULL,
        PRIMARY KEY (tape, at_ms, hook)
    ) WITHOUT ROWID;
    CREATE INDEX decisions_by_tape ON decisions (tape, seq, word, is_failed);
    CREATE INDEX decision_facts ON decisions (at_ms, word, is_failed, hook, rule, duration_us);
    CREATE INDEX decisions_waiting ON decisions (at_ms) WHERE is_waiting;
    CREATE INDEX decisions_by_word ON decisions (word, at_ms) WHERE word <> 'allowed';
    CREATE INDEX decisions_by_failure ON decisions (at_ms) WHERE is_failed;
";

/// The index cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// SQLite reports an error.
    #[error("the index of the log: {0}")]
    Database(#[from] rusqlite::Error),
    /// The file cannot be made.
    #[error("the index of the log: {0}")]
    File(#[from] std::io::Error),
    /// An entry is not what this program has written.
    #[error("the index of the log has an entry that cannot be read: {0}")]
    Entry(#[from] serde_json::Error),
}

impl LogError {
    /// Whether the file is not an index, or a damaged one: [`LogIndex::open_empty`] mends it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            LogError::Database(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
                    || matches!(error, rusqlite::Error::SqliteFailure(_, Some(text)) if text.contains("already exists"))
            }
            LogError::Entry(_) => true,
            LogError::File(_) => false,
        }
    }
}

/// A tape whose decisions are not in the log, or not all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableTape {
    /// The tape.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// The index of a person's tapes.
#[derive(Debug)]
pub struct LogIndex {
    pub(crate) database: Connection,
}

impl LogIndex {
    /// Opens the index in a file, which is made if it does not exist, and only its owner may use. A file that is not an index
    /// of this version is emptied first.
    ///
    /// # Errors
    /// When the file cannot be made or used.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = pintle_files::private_options().write(true).create(true).truncate(false).open(path)?;
        let opened = Connection::open(path).map_err(LogError::from).and_then(Self::prepare);
        match opened {
            Err(error) if error.is_damage() => {
                file.set_len(0)?;
                Self::prepare(Connection::open(path)?)
            }
            opened => opened,
        }
    }

    /// Opens the index in a file as [`LogIndex::open`] does, and empties it.
    ///
    /// # Errors
    /// When the file cannot be made or used.
    pub fn open_empty(path: &Path) -> Result<Self, LogError> {
        pintle_files::private_options().write(true).create(true).truncate(true).open(path)?;
        Self::open(path)
    }

    /// Creates an index in memory, for a machine on which the file cannot be made.
    ///
    /// # Errors
    /// When SQLite cannot make it.
    pub fn in_memory() -> Result<Self, LogError> {
        Self::prepare(Connection::open_in_memory()?)
    }

    fn prepare(mut database: Connection) -> Result<Self, LogError> {
        database.busy_timeout(PATIENCE)?;
        // Nothing is lost with the index, so it need not survive a power failure.
        database.execute_batch("PRAGMA synchronous = OFF;")?;
        let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != VERSION {
            change.execute_batch(
                "DROP TABLE IF EXISTS usage; DROP TABLE IF EXISTS decisions; DROP TABLE IF EXISTS tapes;",
            )?;
            change.execute_batch(TABLES)?;
            change.execute_batch(&format!("PRAGMA user_version = {VERSION};"))?;
        }
        change.commit()?;
        database.execute_batch("CREATE TEMP TABLE listed (tape INTEGER PRIMARY KEY);")?;
        Ok(Self { database })
    }

    /// Reads the tapes that have changed, and forgets those that are gone. Only these tapes are in the log from then on,
    /// although the index may keep what it knows of others. `project` finds the project of a tape that is
    /// read, and its result is kept. `report_done` receives the number of tapes that are up to date. Returns the tapes that
    /// cannot be read to their end.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn update(
        &mut self,
        tapes: &[TapeLocation],
        project: impl Fn(&TapeLocation) -> Option<PathBuf>,
        report_done: impl Fn(usize),
    ) -> Result<Vec<UnreadableTape>, LogError> {
        let change = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let known = read_known_tapes(&change)?;
        let listed: BTreeSet<String> = tapes.iter().map(|tape| tape.path.to_string_lossy().into_owned()).collect();
        for path in known.keys().filter(|path| !listed.contains(*path) && !pintle_files::exists(path)) {
            remove_tape(&change, path)?;
        }
        change.execute("DELETE FROM listed", [])?;
        let mut unreadable = Vec::new();
        let mut list = change.prepare("INSERT OR IGNORE INTO listed SELECT id FROM tapes WHERE path = ?1")?;
        for (index, tape) in tapes.iter().enumerate() {
            report_done(index);
            let path = tape.path.to_string_lossy();
            let mut stamp = Vec::new();
            // A file that could change again without a trace is read again the next time.
            if !pintle_files::file_state(&tape.path).append_mark(&mut stamp) {
                stamp.clear();
            }
            let error = match known.get(&*path) {
                Some(known) if !stamp.is_empty() && known.stamp == stamp => known.error.clone(),
                _ => {
                    let project = tape.project.clone().or_else(|| project(tape));
                    read_tape(&change, tape, project.as_deref(), &stamp)?
                }
            };
            list.execute([&*path])?;
            unreadable.extend(error.map(|reason| UnreadableTape { path: tape.path.clone(), reason }));
        }
        drop(list);
        change.commit()?;
        Ok(unreadable)
    }

    /// Forgets the tapes that are gone, and overwrites what it had of them.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn forget_missing(&mut self) -> Result<(), LogError> {
        self.database.execute_batch("PRAGMA secure_delete = ON;")?;
        let change = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for path in read_known_tapes(&change)?.keys().filter(|path| !pintle_files::exists(path)) {
            remove_tape(&change, path)?;
        }
        Ok(change.commit()?)
    }

    /// Finds entries, oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find_entries(&self, query: &LogQuery) -> Result<Vec<LogEntry>, LogError> {
        let (conditions, values) = query.to_sql();
        self.select(&conditions, values, query)
    }

    /// Counts how often hooks were reached. Of the query, the time applies, in whole hours, and the agents and the project.
    /// The path of a hook is absolute if the tape says where it is.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_usage(&self, query: &LogQuery) -> Result<BTreeMap<UsedHook, UsageCounts>, LogError> {
        let since_ms = query.since_ms.map(|since_ms| since_ms - since_ms % USAGE_SPAN_MS);
        let (hosts, project) = (query.hosts.clone(), query.project.clone());
        let (conditions, values) = LogQuery { since_ms, hosts, project, ..LogQuery::default() }.to_sql();
        let mut statement = self.database.prepare(&format!(
            "SELECT hook, counts, project FROM usage JOIN tapes ON tapes.id = tape \
             WHERE tape IN (SELECT tape FROM listed) AND {conditions} ORDER BY at_ms"
        ))?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
        })?;
        let mut all: BTreeMap<UsedHook, UsageCounts> = BTreeMap::new();
        for row in rows {
            let (hook, counts, project) = row?;
            let mut hook: UsedHook = serde_json::from_str(&hook)?;
            if let (Some(path), Some(project)) = (&mut hook.path, project) {
                *path = Path::new(&project).join(&*path).to_string_lossy().into_owned();
            }
            all.entry(hook).or_default().add(&serde_json::from_str(&counts)?);
        }
        Ok(all)
    }

    /// Finds the entries that an ID may mean: its digits may be more or fewer than those that are shown.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn find_by_id(&self, id: &str) -> Result<Vec<LogEntry>, LogError> {
        let Some((digits, seq)) = id.split_once('.') else { return Ok(Vec::new()) };
        let Ok(seq) = seq.parse::<u32>() else { return Ok(Vec::new()) };
        let values = vec![rusqlite::types::Value::Text(digits.to_owned())];
        self.select(&format!("substr(key, 1, length(?1)) = ?1 AND seq = {seq}"), values, &LogQuery::default())
    }

    fn select(
        &self,
        conditions: &str,
        values: Vec<rusqlite::types::Value>,
        query: &LogQuery,
    ) -> Result<Vec<LogEntry>, LogError> {
        let limit = query.limit.unwrap_or(usize::MAX);
        // Decisions are looked at from the newest on: the `CROSS JOIN` and the `+` keep SQLite from going through all
        // decisions of each tape.
        let mut statement = self.database.prepare(&format!(
            "SELECT key, session, host, project, path, data FROM decisions CROSS JOIN tapes ON tapes.id = tape \
             WHERE +tape IN (SELECT tape FROM listed) AND {conditions} ORDER BY at_ms DESC, tape DESC, seq DESC"
        ))?;
        let rows = statement.query_map(params_from_iter(values), read_row)?;
        let entries = rows.map(|row| to_entry(row?)).filter(|entry| {
            // The condition in SQL is about the text of the entry as a whole.
            entry.as_ref().map_or(true, |entry| query.has_text(entry))
        });
        let mut entries = entries.take(limit).collect::<Result<Vec<_>, LogError>>()?;
        entries.reverse();
        Ok(entries)
    }
}

/// The columns of an entry.
struct EntryRow {
    key: String,
    session: String,
    host: Option<String>,
    project: Option<String>,
    path: String,
    data: String,
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<EntryRow> {
    Ok(EntryRow {
        key: row.get(0)?,
        session: row.get(1)?,
        host: row.get(2)?,
        project: row.get(3)?,
        path: row.get(4)?,
        data: row.get(5)?,
    })
}

fn to_entry(row: EntryRow) -> Result<LogEntry, LogError> {
    let decision: RecordedDecision = serde_json::from_str(&row.data)?;
    let EntryRow { key, session, host, project, path, .. } = row;
    let (id, long_id) = make_entry_ids(&key, decision.seq);
    Ok(LogEntry { id, long_id, session, host, project, tape: PathBuf::from(path), decision })
}

/// A tape of the index.
struct KnownTape {
    /// The state of the file that was read.
    stamp: Vec<u8>,
    /// Why it could not be read to its end.
    error: Option<String>,
}

/// The tapes of the index by their paths.
fn read_known_tapes(change: &Transaction<'_>) -> Result<BTreeMap<String, KnownTape>, LogError> {
    let mut statement = change.prepare("SELECT path, stamp, error FROM tapes")?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, KnownTape { stamp: row.get(1)?, error: row.get(2)? })))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes a tape, and returns the number that it had.
fn remove_tape(change: &Transaction<'_>, path: &str) -> Result<Option<i64>, LogError> {
    let id = change.query_row("SELECT id FROM tapes WHERE path = ?1", [path], |row| row.get::<_, i64>(0)).optional()?;
    if let Some(id) = id {
        change.execute("DELETE FROM usage WHERE tape = ?1", [id])?;
        change.execute("DELETE FROM decisions WHERE tape = ?1", [id])?;
        change.execute("DELETE FROM tapes WHERE id = ?1", [id])?;
    }
    Ok(id)
}

/// Reads a tape, and puts its decisions into the index in place of those that it had before. Returns why the tape cannot
/// be read to its end.
fn read_tape(
    change: &Transaction<'_>,
    tape: &TapeLocation,
    project: Option<&Path>,
    stamp: &[u8],
) -> Result<Option<String>, LogError> {
    let path = tape.path.to_string_lossy();
    let mut read = TapeContent::default();
    let error = read.read_records(&tape.path).err().map(|error| error.to_string());
    let TapeContent { session, started_ms, decisions, usage, reach } = read;
    let project = project.map(Path::to_string_lossy);
    let key = make_tape_key(tape.host.as_deref(), &session, &path);
    let prompt: String = decisions.first_prompt().chars().take(MAX_PROMPT_CHARS).collect();
    let reach = serde_json::to_string(&reach.finish())?;
    let started_ms = to_integer(started_ms);
    // A tape keeps its number, by which the entries of the same millisecond are in order.
    let id = remove_tape(change, &path)?;
    change.execute(
        "INSERT INTO tapes (id, path, stamp, key, session, started_ms, host, project, prompt, reach, error) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![id, path, stamp, key, session, started_ms, tape.host, project, prompt, reach, error],
    )?;
    let id = change.last_insert_rowid();
    let mut statement = change.prepare(
        "INSERT OR REPLACE INTO decisions \
         (at_ms, tape, seq, word, is_failed, is_waiting, hook, rule, duration_us, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for decision in decisions.finish() {
        statement.execute(params![
            to_integer(decision.at_ms),
            id,
            to_integer(decision.seq),
            decision.word().as_str(),
            !decision.failures.is_empty(),
            decision.is_waiting,
            decision.deciding_hook(),
            decision.rule(),
            to_integer(decision.duration_us),
            serde_json::to_string(&decision)?,
        ])?;
    }
    let mut statement = change.prepare("INSERT INTO usage (tape, at_ms, hook, counts) VALUES (?1, ?2, ?3, ?4)")?;
    for (hook, at_ms, counts) in usage.finish() {
        let (hook, counts) = (serde_json::to_string(&hook)?, serde_json::to_string(&counts)?);
        statement.execute(params![id, to_integer(at_ms), hook, counts])?;
    }
    Ok(error)
}

/// A number of a tape as SQLite has numbers; a larger one is the largest.
pub(crate) fn to_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// What the index has of a tape.
#[derive(Default)]
struct TapeContent {
    session: String,
    started_ms: u64,
    decisions: DecisionCollector,
    usage: UsageCollector,
    reach: ReachCollector,
}

impl TapeContent {
    fn read_records(&mut self, path: &Path) -> Result<(), TapeError> {
        for line in TapeReader::open(path)?.abridged() {
            let record = line?.record;
            if let RecordBody::Header(header) = &record.body {
                header.session.clone_into(&mut self.session);
                self.started_ms = header.started_ms;
            }
            self.decisions.add(&record);
            self.usage.add(&record);
            self.reach.add(&record);
        }
        Ok(())
    }
}
