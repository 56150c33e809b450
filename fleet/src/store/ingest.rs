//! Storing what machines send.

use futures_util::pin_mut;
use pintle_tape::checkpoint::TreeFrontier;
use pintle_tape::decisions::RecordedDecision;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, Transaction};

use super::{StorePool, statement_error};
use crate::FleetError;
use crate::protocol::{CheckedLine, StoredEnd, TapeBatch};
use crate::token::MachineToken;
use crate::witness::{WitnessedCheckpoint, collect_checkpoints, find_contradiction};

/// A machine whose token was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownMachine {
    pub(super) id: i64,
}

/// Why a batch was not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IngestError {
    /// The tape is stored up to another line.
    OtherEnd(StoredEnd),
    /// The tape belongs to another machine.
    OtherMachine,
    /// The lines are not those of a tape, or do not follow what is stored of it.
    InvalidLines(String),
    /// The store failed, and the batch can be sent again.
    Unavailable(FleetError),
}

impl From<Error> for IngestError {
    fn from(error: Error) -> Self {
        Self::Unavailable(statement_error(&error))
    }
}

impl StorePool {
    /// Checks that the store answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn check_health(&self) -> Result<(), FleetError> {
        let client = self.take().await?;
        client.batch_execute("SELECT policy FROM machines LIMIT 0").await.map_err(|error| statement_error(&error))?;
        client.give_back();
        Ok(())
    }

    /// The machine that a token belongs to; `None` if it is forged or revoked.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find_machine(&self, token: &MachineToken) -> Result<Option<KnownMachine>, FleetError> {
        let client = self.take().await?;
        let query = "SELECT id FROM machines WHERE token_sha256 = $1 AND revoked_at IS NULL";
        let found = client.query_typed(query, &[(&token.digest(), Type::BYTEA)]).await;
        let found = found.map_err(|error| statement_error(&error))?;
        client.give_back();
        Ok(found.first().map(|row| KnownMachine { id: row.get(0) }))
    }

    /// Stores a batch if it follows what is stored of its tape, and returns how far that is then. It is stored whole or not
    /// at all.
    ///
    /// # Errors
    /// When it does not follow, or cannot be stored.
    pub async fn ingest(&self, machine: KnownMachine, batch: &TapeBatch) -> Result<StoredEnd, IngestError> {
        let mut client = self.take().await.map_err(IngestError::Unavailable)?;
        let mut stored = store_batch(&mut client, machine, batch).await;
        if stored.as_ref().is_err_and(|error| matches!(error, BatchError::NoPartition)) {
            client.batch_execute("SELECT ensure_partitions((now() AT TIME ZONE 'utc')::date)").await?;
            stored = store_batch(&mut client, machine, batch).await;
        }
        match stored {
            Ok(end) => {
                client.give_back();
                Ok(end)
            }
            Err(BatchError::Refused(error)) => {
                client.give_back();
                Err(error)
            }
            Err(BatchError::Failed(error)) => Err(error.into()),
            Err(BatchError::NoPartition) => Err(IngestError::Unavailable(FleetError::failure("the day has changed"))),
        }
    }
}

/// Why a transaction did not end with a stored batch.
enum BatchError {
    Refused(IngestError),
    Failed(Error),
    NoPartition,
}

impl From<Error> for BatchError {
    fn from(error: Error) -> Self {
        // So PostgreSQL reports a row that belongs in no partition.
        if error.code() == Some(&SqlState::CHECK_VIOLATION) { Self::NoPartition } else { Self::Failed(error) }
    }
}

async fn store_batch(client: &mut Client, machine: KnownMachine, batch: &TapeBatch) -> Result<StoredEnd, BatchError> {
    let change = client.transaction().await?;
    let digest = match parse_digest(&batch.tape) {
        Some(digest) => digest,
        None => {
            return Err(BatchError::Refused(IngestError::InvalidLines(String::from(
                "the tape's name is not a digest",
            ))));
        }
    };
    // Two that send the same tape wait for each other here.
    let tape = "SELECT id, machine, next_seq, last_digest, tree FROM tapes WHERE digest = $1 FOR UPDATE";
    let mut found = change.query_typed(tape, &[(&digest, Type::BYTEA)]).await?;
    if found.is_empty() && batch.from == 0 {
        // Nothing is added for lines that are not those of a tape.
        batch.check_lines(None).map_err(|reason| BatchError::Refused(IngestError::InvalidLines(reason)))?;
        let add = "INSERT INTO tapes (digest, machine, session, host, project, tree) VALUES ($1, $2, $3, $4, $5, '{}') \
                   ON CONFLICT (digest) DO NOTHING";
        let (session, host) = (storable(&batch.session), batch.host.as_deref().map(storable));
        let project = batch.project.as_deref().map(storable);
        let values: [(&(dyn ToSql + Sync), Type); 5] = [
            (&digest, Type::BYTEA),
            (&machine.id, Type::INT8),
            (&session, Type::TEXT),
            (&host, Type::TEXT),
            (&project, Type::TEXT),
        ];
        change.query_typed(add, &values).await?;
        found = change.query_typed(tape, &[(&digest, Type::BYTEA)]).await?;
    }
    let Some(row) = found.first() else {
        return Err(BatchError::Refused(IngestError::OtherEnd(StoredEnd { next: 0, digest: None })));
    };
    let (tape, owner, next): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    let end = StoredEnd { next: next.cast_unsigned(), digest: row.get(3) };
    if owner != machine.id {
        return Err(BatchError::Refused(IngestError::OtherMachine));
    }
    if end.next != batch.from {
        if batch.from == 0
            && let Some(reason) = find_stored_checkpoint(&change, tape, batch.lines.len())
                .await?
                .and_then(|checkpoint| find_contradiction(batch, &checkpoint))
        {
            return Err(BatchError::Refused(IngestError::InvalidLines(reason)));
        }
        return Err(BatchError::Refused(IngestError::OtherEnd(end)));
    }
    let lines = batch
        .check_lines(end.digest.as_deref())
        .map_err(|reason| BatchError::Refused(IngestError::InvalidLines(reason)))?;
    let roots: Option<Vec<String>> = row.get(4);
    let mut tree = roots.and_then(|roots| TreeFrontier::from_hex(batch.from, &roots));
    let checkpoints = match &mut tree {
        Some(tree) => collect_checkpoints(batch, &lines, tree),
        // It was begun before checkpoints were kept.
        None => Ok(Vec::new()),
    };
    let checkpoints = checkpoints.map_err(|reason| BatchError::Refused(IngestError::InvalidLines(reason)))?;
    let end = StoredEnd { next: batch.from + lines.len() as u64, digest: lines.last().map(|line| line.digest.clone()) };
    copy_records(&change, tape, batch, &lines).await?;
    copy_decisions(&change, tape, end.next, batch).await?;
    copy_checkpoints(&change, tape, &checkpoints).await?;
    let advance = "UPDATE tapes SET next_seq = $2, last_digest = $3, tree = $4 WHERE id = $1";
    let (next, roots) = (end.next.cast_signed(), tree.map(|tree| tree.to_hex()));
    let values: [(&(dyn ToSql + Sync), Type); 4] =
        [(&tape, Type::INT8), (&next, Type::INT8), (&end.digest, Type::TEXT), (&roots, Type::TEXT_ARRAY)];
    change.query_typed(advance, &values).await?;
    let seen = "UPDATE machines SET seen_at = now(), pintle = $2, policy = $3 WHERE id = $1 AND \
                ((pintle, policy) IS DISTINCT FROM ($2, $3) OR seen_at IS NULL OR seen_at < now() - interval '1 minute')";
    let (pintle, policy) = (storable(&batch.pintle), batch.policy.as_deref().map(storable));
    change.query_typed(seen, &[(&machine.id, Type::INT8), (&pintle, Type::TEXT), (&policy, Type::TEXT)]).await?;
    change.commit().await?;
    Ok(end)
}

async fn copy_records(
    change: &Transaction<'_>,
    tape: i64,
    batch: &TapeBatch,
    lines: &[CheckedLine],
) -> Result<(), Error> {
    let sink = change.copy_in("COPY records (tape, seq, at_ms, kind, line) FROM STDIN BINARY").await?;
    let writer = BinaryCopyInWriter::new(sink, &[Type::INT8, Type::INT8, Type::INT8, Type::TEXT, Type::TEXT]);
    pin_mut!(writer);
    for ((seq, text), line) in (batch.from.cast_signed()..).zip(&batch.lines).zip(lines) {
        let kind = storable(&line.kind);
        writer.as_mut().write(&[&tape, &seq, &stored_ms(line.at_ms), &kind, text]).await?;
    }
    writer.finish().await.map(drop)
}

async fn copy_checkpoints(
    change: &Transaction<'_>,
    tape: i64,
    checkpoints: &[WitnessedCheckpoint],
) -> Result<(), Error> {
    if checkpoints.is_empty() {
        return Ok(());
    }
    let sizes: Vec<i64> = checkpoints.iter().map(|checkpoint| checkpoint.size.cast_signed()).collect();
    let notes: Vec<String> = checkpoints.iter().map(|checkpoint| storable(&checkpoint.note)).collect();
    let add = "INSERT INTO checkpoints (tape, size, note) SELECT $1, * FROM unnest($2, $3)";
    let values: [(&(dyn ToSql + Sync), Type); 3] =
        [(&tape, Type::INT8), (&sizes, Type::INT8_ARRAY), (&notes, Type::TEXT_ARRAY)];
    change.query_typed(add, &values).await.map(drop)
}

/// The last checkpoint that is about at most this number of lines of a tape.
async fn find_stored_checkpoint(
    change: &Transaction<'_>,
    tape: i64,
    line_count: usize,
) -> Result<Option<WitnessedCheckpoint>, Error> {
    let most = i64::try_from(line_count).unwrap_or(i64::MAX);
    let find = "SELECT size, note FROM checkpoints WHERE tape = $1 AND size <= $2 ORDER BY size DESC LIMIT 1";
    let rows = change.query_typed(find, &[(&tape, Type::INT8), (&most, Type::INT8)]).await?;
    let checkpoint = |row: &Row| WitnessedCheckpoint { size: row.get::<_, i64>(0).cast_unsigned(), note: row.get(1) };
    Ok(rows.first().map(checkpoint))
}

async fn copy_decisions(change: &Transaction<'_>, tape: i64, up_to: u64, batch: &TapeBatch) -> Result<(), Error> {
    if batch.decisions.is_empty() && batch.withdrawn.is_empty() {
        return Ok(());
    }
    let sink = change
        .copy_in("COPY decisions (tape, seq, up_to, at_ms, word, is_failed, hook, rule, data) FROM STDIN BINARY")
        .await?;
    let text = Type::TEXT;
    let types =
        [Type::INT8, Type::INT8, Type::INT8, Type::INT8, text.clone(), Type::BOOL, text.clone(), text.clone(), text];
    let writer = BinaryCopyInWriter::new(sink, &types);
    pin_mut!(writer);
    let up_to = up_to.cast_signed();
    for decision in &batch.decisions {
        let (seq, at_ms) = (decision.seq.cast_signed(), stored_ms(decision.at_ms));
        let (word, is_failed) = (decision.word().as_str(), !decision.failures.is_empty());
        let (hook, rule) = (decision.deciding_hook().map(storable), decision.rule().map(storable));
        let data = decision_text(decision);
        writer.as_mut().write(&[&tape, &seq, &up_to, &at_ms, &word, &is_failed, &hook, &rule, &data]).await?;
    }
    for seq in &batch.withdrawn {
        let (seq, none) = (seq.cast_signed(), None::<&str>);
        writer.as_mut().write(&[&tape, &seq, &up_to, &0_i64, &none, &false, &none, &none, &none]).await?;
    }
    writer.finish().await.map(drop)
}

/// A decision as JSON text. It was made of JSON, so it can be written as that.
fn decision_text(decision: &RecordedDecision) -> Option<String> {
    serde_json::to_string(decision).ok()
}

/// The only character that a text in PostgreSQL cannot have is replaced.
pub(super) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A time that a machine claims.
fn stored_ms(at_ms: u64) -> i64 {
    i64::try_from(at_ms).unwrap_or(i64::MAX)
}

/// The bytes of a digest in hex.
fn parse_digest(text: &str) -> Option<Vec<u8>> {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let pairs = text.as_bytes().chunks_exact(2);
    let bytes = pairs.map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()));
    if is_digest { bytes.collect() } else { None }
}
