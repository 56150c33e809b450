//! The store: a database of PostgreSQL.

mod admin;
mod asks;
mod budgets;
mod ingest;
mod listen;
mod pool;
mod query;
mod tls;

use std::fmt;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Connection, Row, Socket};

use crate::FleetError;
use crate::error::error_chain;

pub use admin::{MachineEntry, MachineProof};
pub use asks::{AskEntry, StoredAnswer};
pub use budgets::{BudgetEntry, FleetBudget};
pub use ingest::{IngestError, KnownMachine};
pub use pool::StorePool;
pub use query::{FleetEntry, FleetQuery};

/// How long to wait for a connection to the database.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// Applies to each connection. A statement that takes longer is for an administrator.
const SESSION_SETTINGS: &str = "SET search_path TO pintle_fleet; SET statement_timeout = '60s'; \
     SET idle_in_transaction_session_timeout = '60s'";

/// What drives a client.
type StoreConnection = Connection<Socket, tls::StoreStream<Socket>>;

/// Where a store is. Its password is never shown.
#[derive(Clone)]
pub struct StoreAddress {
    config: Config,
}

impl StoreAddress {
    /// Parses the address of a store, such as `postgres://user@host/database`. Without `sslmode`, the connection to another
    /// machine is encrypted, and its certificate is checked.
    ///
    /// # Errors
    /// When the text is not such an address; the error does not repeat it.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let invalid = |reason: &str| {
            FleetError::invalid_input(format!("the address of the store is invalid: {reason}"))
                .help("write it as `postgres://USER:PASSWORD@HOST/DATABASE`; `PINTLE_FLEET_STORE` can hold it")
        };
        if !["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(invalid("it does not begin with `postgres://`"));
        }
        // The parser's own error can repeat what it read.
        let mut config: Config = text.parse().map_err(|_| invalid("it cannot be parsed"))?;
        if config.get_hosts().is_empty() {
            return Err(invalid("it names no host"));
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            let is_near = config.get_hosts().iter().all(is_on_this_machine);
            config.ssl_mode(if is_near { SslMode::Disable } else { SslMode::Require });
        }
        config.connect_timeout(CONNECT_PATIENCE).application_name("pintle-fleet");
        Ok(Self { config })
    }

    /// Connects to the store.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses the user.
    pub async fn connect(&self) -> Result<Client, FleetError> {
        let (client, connection) = self.open_connection().await?;
        // It ends with the client, or with an error that the client reports.
        tokio::spawn(connection);
        client.batch_execute(SESSION_SETTINGS).await.map_err(|error| self.unreachable(&error))?;
        Ok(client)
    }

    async fn open_connection(&self) -> Result<(Client, StoreConnection), FleetError> {
        let connector = tls::StoreTls::new()?;
        match tokio::time::timeout(CONNECT_PATIENCE, self.config.connect(connector)).await {
            Ok(connected) => connected.map_err(|error| self.unreachable(&error)),
            Err(_) => Err(FleetError::failure(format!("cannot connect to {self}: it does not answer"))),
        }
    }

    fn unreachable(&self, error: &tokio_postgres::Error) -> FleetError {
        let text = format!("cannot connect to {self}: {}", error_chain(error));
        FleetError::failure(text).help(match error.code() {
            Some(_) => "check the user, the password and the database in the address of the store",
            None => {
                "check that PostgreSQL runs there and is reachable; for a certificate of your own, name its authority \
                 in `SSL_CERT_FILE`"
            }
        })
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        write!(f, "the database `{database}`")?;
        for host in self.config.get_hosts() {
            match host {
                Host::Tcp(name) => write!(f, " on `{name}`")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, " at `{}`", path.display())?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreAddress({self})")
    }
}

fn is_on_this_machine(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => is_loopback(name),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Whether a host name or address means this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// The rows of a statement with values.
pub(crate) async fn query_rows(
    client: &Client,
    statement: &str,
    values: &[(&(dyn ToSql + Sync), Type)],
) -> Result<Vec<Row>, FleetError> {
    client.query_typed(statement, values).await.map_err(|error| statement_error(&error))
}

/// What a failed statement means for the user.
pub(crate) fn statement_error(error: &tokio_postgres::Error) -> FleetError {
    let failed = FleetError::failure(format!("the store cannot be used: {}", error_chain(error)));
    match error.code() {
        Some(code) if [&SqlState::UNDEFINED_TABLE, &SqlState::INVALID_SCHEMA_NAME].contains(&code) => {
            failed.help("`pintle-fleet store init --store URL` prepares the database")
        }
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => failed.help(
            "use an address with a user of the role that the command needs: `pintle_collect` collects, `pintle_read` \
             reads, `pintle_approve` answers asks, and the owner of the database administers",
        ),
        _ => failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_shown_without_its_password_and_encrypts_to_other_machines() {
        for (text, shown, mode) in [
            ("postgres://u:hush@db.example/fleet", "the database `fleet` on `db.example`", SslMode::Require),
            ("postgresql://u:hush@localhost/fleet", "the database `fleet` on `localhost`", SslMode::Disable),
            ("postgres://u:hush@[::1]/fleet", "the database `fleet` on `::1`", SslMode::Disable),
            ("postgres://u:hush@db/f?sslmode=disable", "the database `f` on `db`", SslMode::Disable),
            ("postgres://u:hush@127.0.0.1/f?sslmode=require", "the database `f` on `127.0.0.1`", SslMode::Require),
            ("postgres://u@%2Frun%2Fpg/f", "the database `f` at `/run/pg`", SslMode::Disable),
        ] {
            let address = StoreAddress::parse(text).unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.config.get_ssl_mode(), mode, "{text}");
            assert!(!format!("{address:?}").contains("hush"));
        }
        for wrong in
            ["", "fleet", "mysql://u:hush@h/d", "postgres://u:hush@h/d?no=hush", "postgres:///d", "postgres://h:hush/d"]
        {
            let error = StoreAddress::parse(wrong).unwrap_err();
            assert!(error.is_input && !error.message.contains("hush"), "{error:?}");
        }
    }
}
