//! Asks in a store: those of hooks, and their answers.

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::ingest::{KnownMachine, storable};
use super::{StoreAddress, StorePool, query_rows};
use crate::FleetError;
use crate::hook_protocol::{AskId, AskProgress, HookedEvent};

/// The most asks of a machine that are open at once.
const MOST_OPEN_ASKS: i64 = 32;

/// After which time without a poll a hook no longer waits, in milliseconds.
const LEASE_MS: i64 = 25_000;

/// The most asks that are listed.
const MOST_LISTED: i64 = 1_000;

/// An ask, with its answer if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskEntry {
    /// Its ID.
    pub id: AskId,
    /// The machine that asks.
    pub machine: String,
    /// When, in UTC.
    pub asked_at: String,
    /// The event, as the hook received it.
    pub call: String,
    /// The digest of that, in hex.
    pub digest: String,
    /// The name of the tool, if the event is about a tool call.
    pub tool: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// `open`, `answered`, `withdrawn` or `expired`.
    pub state: String,
    /// The answer.
    pub answer: Option<StoredAnswer>,
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Whether the call is allowed.
    pub is_allowed: bool,
    /// Why.
    pub reason: Option<String>,
    /// The user of the database who answered.
    pub by: String,
    /// When, in UTC.
    pub at: String,
    /// Whether the hook has it.
    pub is_used: bool,
}

impl StorePool {
    /// Adds an ask. `None` if the machine has too many that are open.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn open_ask(
        &self,
        machine: KnownMachine,
        event: &HookedEvent,
        patience_ms: u64,
    ) -> Result<Option<AskId>, FleetError> {
        let (name, session, tool) =
            (storable(&event.name), event.session.as_deref().map(storable), event.tool.as_deref().map(storable));
        let (digest, patience_ms) = (event.digest(), i64::try_from(patience_ms).unwrap_or(i64::MAX));
        let client = self.take().await?;
        let rows = query_rows(
            &client,
            "SELECT open_ask($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                (&machine.id, Type::INT8),
                (&name, Type::TEXT),
                (&session, Type::TEXT),
                (&tool, Type::TEXT),
                (&event.text, Type::TEXT),
                (&digest, Type::TEXT),
                (&patience_ms, Type::INT8),
                (&LEASE_MS, Type::INT8),
                (&MOST_OPEN_ASKS, Type::INT8),
            ],
        )
        .await?;
        client.give_back();
        let number: Option<i64> = rows.first().and_then(|row| row.get(0));
        Ok(number.map(|number| AskId::new(number, &digest)))
    }

    /// What a hook that waits is told. `None` if the machine has no such ask.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn poll_ask(&self, machine: KnownMachine, id: &AskId) -> Result<Option<AskProgress>, FleetError> {
        let client = self.take().await?;
        let values: [(&(dyn ToSql + Sync), Type); 3] =
            [(&machine.id, Type::INT8), (&id.number, Type::INT8), (&LEASE_MS, Type::INT8)];
        let rows = query_rows(&client, "SELECT * FROM poll_ask($1, $2, $3)", &values).await?;
        client.give_back();
        let Some(row) = rows.first() else { return Ok(None) };
        let (state, digest): (&str, String) = (row.get(0), row.get(1));
        Ok(digest.starts_with(&id.digits).then(|| match (state, row.get(2)) {
            ("open", _) => AskProgress::Open,
            ("answered", Some(is_allowed)) => {
                AskProgress::Answered { digest, is_allowed, by: row.get(3), reason: row.get(4) }
            }
            _ => AskProgress::Ended,
        }))
    }

    /// Ends an ask of a machine that is open.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn withdraw_ask(&self, machine: KnownMachine, id: &AskId) -> Result<(), FleetError> {
        let client = self.take().await?;
        let values: [(&(dyn ToSql + Sync), Type); 2] = [(&machine.id, Type::INT8), (&id.number, Type::INT8)];
        query_rows(&client, "SELECT withdraw_ask($1, $2)", &values).await?;
        client.give_back();
        Ok(())
    }
}

impl StoreAddress {
    /// The asks that are open, or the newest of all, oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_asks(&self, with_ended: bool) -> Result<Vec<AskEntry>, FleetError> {
        let select = format!("{SELECT_ASKS} WHERE $1 OR state = 'open' ORDER BY id DESC LIMIT $2");
        let client = self.connect().await?;
        let rows = query_rows(&client, &select, &[(&with_ended, Type::BOOL), (&MOST_LISTED, Type::INT8)]).await?;
        Ok(rows.iter().rev().map(read_entry).collect())
    }

    /// An ask; `None` if there is none with this ID.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find_ask(&self, id: &AskId) -> Result<Option<AskEntry>, FleetError> {
        let select = format!("{SELECT_ASKS} WHERE id = $1 AND starts_with(digest, $2)");
        let client = self.connect().await?;
        let rows = query_rows(&client, &select, &[(&id.number, Type::INT8), (&id.digits, Type::TEXT)]).await?;
        Ok(rows.first().map(read_entry))
    }

    /// Answers an ask as the user of this address. Returns whether this answer counts.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn answer_ask(&self, id: &AskId, is_allowed: bool, reason: Option<&str>) -> Result<bool, FleetError> {
        let reason = reason.map(storable);
        let client = self.connect().await?;
        let values: [(&(dyn ToSql + Sync), Type); 4] =
            [(&id.number, Type::INT8), (&id.digits, Type::TEXT), (&is_allowed, Type::BOOL), (&reason, Type::TEXT)];
        let rows = query_rows(&client, "SELECT answer_ask($1, $2, $3, $4)", &values).await?;
        let before: Option<&str> = rows.first().and_then(|row| row.get(0));
        Ok(before == Some("open"))
    }
}

const SELECT_ASKS: &str = "
    SELECT id, digest, machine_name, to_char(asked_at AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI:SS'), call, tool, session, state,
        is_allowed, reason, answered_by, to_char(answered_at AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI:SS'), used_at IS NOT NULL
    FROM ask_states";

fn read_entry(row: &Row) -> AskEntry {
    let digest: String = row.get(1);
    let answer = row.get::<_, Option<bool>>(8).map(|is_allowed| StoredAnswer {
        is_allowed,
        reason: row.get(9),
        by: row.get(10),
        at: row.get(11),
        is_used: row.get(12),
    });
    AskEntry {
        id: AskId::new(row.get(0), &digest),
        digest,
        machine: row.get(2),
        asked_at: row.get(3),
        call: row.get(4),
        tool: row.get(5),
        session: row.get(6),
        state: row.get(7),
        answer,
    }
}
