//! The commands.

mod bundle;
mod log;
mod policy;
mod ship;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pintle_fleet::{
    CollectorOptions, CollectorTls, FleetError, MOST_BODY_BYTES, RunningCollector, StoreAddress, StorePool,
};

use crate::{print_line, print_note};
use bundle::BundleCommand;
use log::FleetLogArgs;
use policy::PolicyCommand;
use ship::ShipArgs;

/// The connections of a collector to its store.
const STORE_CONNECTIONS: usize = 16;

/// See what Pintle decided on many machines in one place: they ship their tapes to a collector, which stores them in
/// PostgreSQL.
#[derive(Debug, Parser)]
#[command(name = "pintle-fleet", version)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Debug, Subcommand)]
enum FleetCommand {
    /// Receive what machines ship, and store it.
    Collect(CollectArgs),
    /// Ship the tapes of this machine to a collector.
    Ship(ShipArgs),
    /// List what was decided on all machines, one line for each decision. The newest is the last.
    Log(FleetLogArgs),
    /// Prepare the database.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Add, list and remove machines.
    #[command(subcommand)]
    Machine(MachineCommand),
    /// Drop what was received too long ago.
    Retain(RetainArgs),
    /// Make bundles of a policy, signed for machines.
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Keep the policy bundle of this machine, and switch between its versions.
    #[command(subcommand)]
    Policy(PolicyCommand),
}

/// Where the store is.
#[derive(Debug, Args)]
struct StoreOptions {
    /// Address of the database. The variable keeps its password out of the list of processes.
    #[arg(long, value_name = "URL", env = "PINTLE_FLEET_STORE", hide_env_values = true)]
    store: String,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Create the tables and the roles `pintle_collect` and `pintle_read`, or bring them up to date.
    Init(StoreOptions),
}

#[derive(Debug, Subcommand)]
enum MachineCommand {
    /// Add a machine, and print its token. The token is not shown again.
    Add(MachineArgs),
    /// List the machines.
    List(StoreOptions),
    /// Revoke the token of a machine. What it shipped is kept.
    Remove(MachineArgs),
}

#[derive(Debug, Args)]
struct MachineArgs {
    /// Name of the machine.
    name: String,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(Debug, Args)]
struct RetainArgs {
    /// Number of days to keep, today included.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i32).range(1..))]
    keep_days: i32,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(Debug, Args)]
struct CollectArgs {
    #[command(flatten)]
    store: StoreOptions,
    /// Address and port to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7420")]
    listen: SocketAddr,
    /// File with the certificate and its chain, in PEM. Without it, connections are not encrypted.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The most bytes of a batch that are accepted.
    #[arg(long, value_name = "BYTES", default_value_t = MOST_BODY_BYTES)]
    max_body_bytes: usize,
}

impl StoreOptions {
    fn address(&self) -> Result<StoreAddress, FleetError> {
        StoreAddress::parse(&self.store)
    }
}

impl FleetArgs {
    /// Executes the command. Returns whether all of it was done.
    pub(crate) fn execute(self) -> Result<bool, FleetError> {
        let mut runtime = match self.command {
            FleetCommand::Collect(_) => tokio::runtime::Builder::new_multi_thread(),
            _ => tokio::runtime::Builder::new_current_thread(),
        };
        let runtime = runtime
            .enable_all()
            .build()
            .map_err(|error| FleetError::failure(format!("the program cannot start: {error}")))?;
        runtime.block_on(async {
            match self.command {
                FleetCommand::Collect(args) => until_stopped(args.execute()).await,
                FleetCommand::Ship(args) => until_stopped(args.execute()).await,
                FleetCommand::Log(args) => args.execute().await,
                FleetCommand::Store(StoreCommand::Init(store)) => init_store(&store.address()?).await,
                FleetCommand::Machine(command) => command.execute().await,
                FleetCommand::Retain(args) => args.execute().await,
                FleetCommand::Bundle(command) => command.execute(),
                FleetCommand::Policy(command) => command.execute().await,
            }
        })
    }
}

/// Runs a command that the user ends. What it has not finished, it does the next time.
async fn until_stopped(command: impl Future<Output = Result<bool, FleetError>>) -> Result<bool, FleetError> {
    tokio::select! {
        done = command => done,
        () = wait_for_stop() => Ok(true),
    }
}

#[cfg(unix)]
async fn wait_for_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => {
            tokio::select! {
                _ = terminated.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn wait_for_stop() {
    drop(tokio::signal::ctrl_c().await);
}

async fn init_store(store: &StoreAddress) -> Result<bool, FleetError> {
    let (before, now) = store.init().await?;
    print_line(&match before {
        0 => format!("prepared {store}"),
        same if same == now => format!("{store} is up to date"),
        older => format!("brought {store} from version {older} to version {now}"),
    })?;
    Ok(true)
}

impl MachineCommand {
    async fn execute(self) -> Result<bool, FleetError> {
        match self {
            Self::Add(MachineArgs { name, store }) => {
                let token = store.address()?.add_machine(&name).await?;
                print_line(token.as_str())?;
                print_note(&format!("this is the token of `{name}`; it is not shown again"));
            }
            Self::Remove(MachineArgs { name, store }) => {
                store.address()?.remove_machine(&name).await?;
                print_line(&format!("the token of `{name}` is revoked"))?;
            }
            Self::List(store) => {
                let machines = store.address()?.list_machines().await?;
                if machines.is_empty() {
                    print_note("there are no machines; `pintle-fleet machine add NAME --store URL` adds one");
                }
                let width = machines.iter().map(|machine| machine.name.chars().count()).max().unwrap_or_default();
                for machine in machines {
                    let seen = machine.seen.map_or(String::from("never seen"), |seen| format!("seen {seen} UTC"));
                    let pintle = machine.pintle.map(|version| format!("  pintle {version}")).unwrap_or_default();
                    let revoked = if machine.is_revoked { "  revoked" } else { "" };
                    let (name, tapes) = (machine.name, machine.tape_count);
                    print_line(&format!("{name:<width$}  {seen}  {tapes} tapes{pintle}{revoked}"))?;
                }
            }
        }
        Ok(true)
    }
}

impl RetainArgs {
    async fn execute(self) -> Result<bool, FleetError> {
        let dropped = self.store.address()?.drop_expired(self.keep_days).await?;
        print_line(&match dropped.len() {
            0 => String::from("nothing is that old"),
            _ => format!("dropped {}", dropped.join(", ")),
        })?;
        Ok(true)
    }
}

impl CollectArgs {
    async fn execute(self) -> Result<bool, FleetError> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(CollectorTls::load(certificate, key)?),
            _ => None,
        };
        let is_open = tls.is_none() && !self.listen.ip().is_loopback();
        let pool = StorePool::new(self.store.address()?, STORE_CONNECTIONS);
        let options = CollectorOptions { listen: self.listen, tls, most_body_bytes: self.max_body_bytes };
        let collector = RunningCollector::start(pool, options, print_note).await?;
        print_line(&format!("listening on {}", collector.url()))?;
        if is_open {
            print_note("connections are not encrypted: name a certificate with `--tls-cert`, or put a proxy before it");
        }
        collector.serve().await;
        Ok(true)
    }
}
