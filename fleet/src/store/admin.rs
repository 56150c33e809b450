//! Preparing a store, its machines, and what is removed after some time.

use pintle_tape::checkpoint::SignedNote;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

use super::{StoreAddress, query_rows, statement_error};
use crate::FleetError;
use crate::token::MachineToken;

/// The steps to the present schema. A store has the first of them, and gets the others.
const MIGRATIONS: &[&str] =
    &[include_str!("schema.sql"), include_str!("asks.sql"), include_str!("budgets.sql"), include_str!("proof.sql")];

/// Roles belong to all databases of a server, where another store may have made them.
const PREPARE: &str = "
    SELECT pg_advisory_xact_lock(7234860);
    DO $$
    DECLARE
        role text;
    BEGIN
        FOREACH role IN ARRAY ARRAY['pintle_collect', 'pintle_read', 'pintle_approve'] LOOP
            BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                    EXECUTE format('CREATE ROLE %I NOLOGIN', role);
                END IF;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL;
            END;
        END LOOP;
    END $$;
    CREATE SCHEMA IF NOT EXISTS pintle_fleet;
    CREATE TABLE IF NOT EXISTS pintle_fleet.schema_version (version integer NOT NULL)";

/// The partitions whose day is before the last ones that are kept.
const EXPIRED: &str = "
    SELECT child.relname::text FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    JOIN pg_class parent ON parent.oid = inhparent
    WHERE parent.relnamespace = 'pintle_fleet'::regnamespace AND parent.relname IN ('records', 'decisions')
        AND child.relname ~ '^(records|decisions)_[0-9]{8}$'
        AND to_date(right(child.relname, 8), 'YYYYMMDD') <= (now() AT TIME ZONE 'utc')::date - $1
    ORDER BY 1";

const EXPIRED_ASKS: &str = "
    DELETE FROM asks WHERE (asked_at AT TIME ZONE 'utc')::date <= (now() AT TIME ZONE 'utc')::date - $1 RETURNING 1";

const LIST_MACHINES: &str = "
    SELECT name, to_char(seen_at AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI:SS'), pintle, policy, revoked_at IS NOT NULL,
        (SELECT count(*) FROM tapes WHERE machine = machines.id),
        proof.session, size, note, to_char(received_at AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI:SS')
    FROM machines
    LEFT JOIN LATERAL (
        SELECT session, size, note, received_at FROM checkpoints JOIN tapes ON tapes.id = tape
        WHERE machine = machines.id ORDER BY received_at DESC, tape DESC, size DESC LIMIT 1
    ) proof ON true
    ORDER BY name";

/// A machine in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineEntry {
    /// Its name.
    pub name: String,
    /// When it last sent something, in UTC; `None` if it never did.
    pub seen: Option<String>,
    /// The version of Pintle that it sent it with.
    pub pintle: Option<String>,
    /// The digest of the organisation's hooks in the session that it sent last; `None` if that had none.
    pub policy: Option<String>,
    /// The last checkpoint that it sent.
    pub proof: Option<MachineProof>,
    /// Whether its token is revoked.
    pub is_revoked: bool,
    /// The number of its tapes.
    pub tape_count: i64,
}

/// The last checkpoint of a machine. Who has its key can check the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineProof {
    /// The session.
    pub session: String,
    /// The number of its records that are signed.
    pub size: i64,
    /// When it was received, in UTC.
    pub at: String,
    /// The name of the key, as the checkpoint has it.
    pub key: Option<String>,
}

impl StoreAddress {
    /// Prepares the database, or brings it up to date. Returns the version of its schema before and now.
    ///
    /// # Errors
    /// When the user may not do that, or the store belongs to a newer version.
    pub async fn init(&self) -> Result<(usize, usize), FleetError> {
        let mut client = self.connect().await?;
        let prepared = prepare_schema(&mut client).await.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                FleetError::failure(format!("{self} cannot be prepared: its user may not create roles or schemas"))
                    .help("use the address of the owner of the database, who may also `CREATE ROLE`")
            }
            _ => statement_error(&error),
        })?;
        let now = MIGRATIONS.len();
        if prepared > now {
            return Err(FleetError::failure(format!("{self} was prepared by a newer version of Pintle"))
                .help("update this program"));
        }
        Ok((prepared, now))
    }

    /// Adds a machine, or gives a revoked one a new token.
    ///
    /// # Errors
    /// When the machine has a token, or the store fails.
    pub async fn add_machine(&self, name: &str) -> Result<MachineToken, FleetError> {
        if name.is_empty() || name.chars().any(|character| character.is_control()) || name.chars().count() > 100 {
            return Err(FleetError::invalid_input("the name of a machine has 1 to 100 printable characters"));
        }
        let token = MachineToken::generate()?;
        let add = "INSERT INTO machines (name, token_sha256) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE \
                   SET token_sha256 = EXCLUDED.token_sha256, revoked_at = NULL \
                   WHERE machines.revoked_at IS NOT NULL RETURNING id";
        let client = self.connect().await?;
        let added = client.query_typed(add, &[(&name, Type::TEXT), (&token.digest(), Type::BYTEA)]).await;
        if added.map_err(|error| statement_error(&error))?.is_empty() {
            return Err(FleetError::invalid_input(format!("the machine `{name}` has a token already")).help(format!(
                "`pintle-fleet machine remove {name} --store URL` revokes it; then add the machine again"
            )));
        }
        Ok(token)
    }

    /// Revokes the token of a machine. What it sent stays.
    ///
    /// # Errors
    /// When no such machine has a token, or the store fails.
    pub async fn remove_machine(&self, name: &str) -> Result<(), FleetError> {
        let revoke = "UPDATE machines SET revoked_at = now() WHERE name = $1 AND revoked_at IS NULL RETURNING id";
        let client = self.connect().await?;
        let revoked = client.query_typed(revoke, &[(&name, Type::TEXT)]).await;
        if revoked.map_err(|error| statement_error(&error))?.is_empty() {
            return Err(FleetError::invalid_input(format!("no machine `{name}` has a token"))
                .help("`pintle-fleet machine list --store URL` lists them"));
        }
        Ok(())
    }

    /// The machines, by name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_machines(&self) -> Result<Vec<MachineEntry>, FleetError> {
        let rows = query_rows(&self.connect().await?, LIST_MACHINES, &[]).await?;
        let proof = |row: &Row| {
            let note: Option<String> = row.get(8);
            let note = note?;
            let name =
                SignedNote::parse(&note).and_then(|note| note.signatures().next().map(|found| found.name.to_owned()));
            Some(MachineProof { session: row.get(6), size: row.get(7), at: row.get(9), key: name })
        };
        let entry = |row: &Row| MachineEntry {
            name: row.get(0),
            seen: row.get(1),
            pintle: row.get(2),
            policy: row.get(3),
            is_revoked: row.get(4),
            tape_count: row.get(5),
            proof: proof(row),
        };
        Ok(rows.iter().map(entry).collect())
    }

    /// The checkpoints that a machine sent, oldest first: what a witness has.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_checkpoints(&self, machine: &str) -> Result<Vec<String>, FleetError> {
        let list = "SELECT note FROM checkpoints JOIN tapes ON tapes.id = tape JOIN machines ON machines.id = machine \
                    WHERE machines.name = $1 ORDER BY received_at, tape, size";
        let rows = query_rows(&self.connect().await?, list, &[(&machine, Type::TEXT)]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Drops what was received before the last days, the present one included. How far each tape is stored stays known, so
    /// that nothing is sent again. Returns what was dropped: the names of partitions, and the number of asks.
    ///
    /// # Errors
    /// When the store fails; what was dropped before that stays dropped.
    pub async fn drop_expired(&self, keep_days: i32) -> Result<Vec<String>, FleetError> {
        let client = self.connect().await?;
        let rows = client.query_typed(EXPIRED, &[(&keep_days, Type::INT4)]).await;
        let mut names: Vec<String> =
            rows.map_err(|error| statement_error(&error))?.iter().map(|row| row.get(0)).collect();
        for name in &names {
            // The query returns names of digits and letters only.
            let dropped = client.batch_execute(&format!("DROP TABLE pintle_fleet.{name}")).await;
            dropped.map_err(|error| statement_error(&error))?;
        }
        let asks = query_rows(&client, EXPIRED_ASKS, &[(&keep_days, Type::INT4)]).await?;
        names.extend((!asks.is_empty()).then(|| format!("{} asks", asks.len())));
        Ok(names)
    }
}

/// Applies the steps that a database has not had. Returns their number before.
async fn prepare_schema(client: &mut Client) -> Result<usize, tokio_postgres::Error> {
    let change = client.transaction().await?;
    change.batch_execute(PREPARE).await?;
    let rows = change.query_typed("SELECT coalesce(max(version), 0) FROM schema_version", &[]).await?;
    let version: i32 = rows.first().map_or(0, |row| row.get(0));
    let before = usize::try_from(version).unwrap_or_default();
    for (index, step) in MIGRATIONS.iter().enumerate().skip(before) {
        change.batch_execute(step).await?;
        let version = i32::try_from(index + 1).unwrap_or(i32::MAX);
        change.query_typed("INSERT INTO schema_version VALUES ($1)", &[(&version, Type::INT4)]).await?;
    }
    change.commit().await?;
    Ok(before)
}
