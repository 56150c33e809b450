//! What is looked for in a store.

use pintle_tape::decisions::{DecisionLabel, RecordedDecision};
use tokio_postgres::types::{ToSql, Type};

use super::{StoreAddress, statement_error};
use crate::FleetError;

/// Digits of a tape that begin the IDs of its entries.
const ID_DIGITS: usize = 6;

/// What is looked for. Default: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetQuery {
    /// Entries with one of these words, or, if `with_failures` is set, with a failed hook. Empty for any.
    pub words: Vec<DecisionLabel>,
    /// Entries in which a hook failed.
    pub with_failures: bool,
    /// Entries from this time on, in milliseconds since the Unix epoch.
    pub since_ms: Option<u64>,
    /// Entries of this machine.
    pub machine: Option<String>,
    /// Entries of sessions that this agent ran.
    pub host: Option<String>,
    /// Entries that a rule, a pack or a hook decided, such as `git.force-push`, `git` or `command_guard`.
    pub rule: Option<String>,
    /// The most entries, the newest of which are kept.
    pub limit: Option<usize>,
}

/// A decision with the machine and the session that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetEntry {
    /// The digest of the tape, in hex.
    pub tape: String,
    /// The machine.
    pub machine: String,
    /// The session.
    pub session: String,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project; `None` if it is not known.
    pub project: Option<String>,
    /// The decision.
    pub decision: RecordedDecision,
}

impl FleetEntry {
    /// What names it: some digits of its tape, a dot, and the number of the record.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}.{}", self.tape.get(..ID_DIGITS).unwrap_or(&self.tape), self.decision.seq)
    }
}

impl StoreAddress {
    /// Finds entries, oldest first.
    ///
    /// # Errors
    /// When the store fails, or an entry was written by another version.
    pub async fn find_entries(&self, query: &FleetQuery) -> Result<Vec<FleetEntry>, FleetError> {
        let words: Vec<&str> = query.words.iter().map(|word| word.as_str()).collect();
        let has_kinds = !words.is_empty() || query.with_failures;
        let since_ms = query.since_ms.map(|since_ms| i64::try_from(since_ms).unwrap_or(i64::MAX));
        let limit = query.limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let values: [(&(dyn ToSql + Sync), Type); 8] = [
            (&has_kinds, Type::BOOL),
            (&words, Type::TEXT_ARRAY),
            (&query.with_failures, Type::BOOL),
            (&since_ms, Type::INT8),
            (&query.machine, Type::TEXT),
            (&query.host, Type::TEXT),
            (&query.rule, Type::TEXT),
            (&limit, Type::INT8),
        ];
        let client = self.connect().await?;
        let rows = client.query_typed(FIND, &values).await.map_err(|error| statement_error(&error))?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows.iter().rev() {
            let tape: String = row.get(0);
            let text: &str = row.get(5);
            let decision = serde_json::from_str(text).map_err(|error| {
                FleetError::failure(format!("a decision of tape {tape} in the store cannot be read: {error}"))
                    .help("if a newer version of Pintle collects, update this program")
            })?;
            let (machine, session, host, project) = (row.get(1), row.get(2), row.get(3), row.get(4));
            entries.push(FleetEntry { tape, machine, session, host, project, decision });
        }
        Ok(entries)
    }
}

/// Of a decision, the last version applies; one that was taken back has none.
const FIND: &str = "
    SELECT encode(tapes.digest, 'hex'), machines.name, session, host, project, data
    FROM decisions
    JOIN tapes ON tapes.id = decisions.tape
    JOIN machines ON machines.id = tapes.machine
    WHERE data IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM decisions later
            WHERE later.tape = decisions.tape AND later.seq = decisions.seq AND later.up_to > decisions.up_to
        )
        AND (NOT $1 OR word = ANY ($2) OR ($3 AND is_failed))
        AND ($4::bigint IS NULL OR decisions.at_ms >= $4)
        AND ($5::text IS NULL OR machines.name = $5)
        AND ($6::text IS NULL OR host = $6)
        AND ($7::text IS NULL OR rule = $7 OR hook IN ($7, 'pack:' || $7, 'rules:' || $7) OR starts_with(rule, $7 || '.'))
    ORDER BY decisions.at_ms DESC, decisions.tape DESC, decisions.seq DESC
    LIMIT $8";
