//! The commands.

mod approve;
mod asks;
mod budget;
mod bundle;
mod follow;
mod log;
mod policy;
mod ship;
mod telemetry;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use pintle_fleet::{
    CollectorOptions, CollectorTls, FleetError, MOST_BODY_BYTES, MachineEntry, MachineProof, RunningCollector,
    StoreAddress, StorePool,
};
use pintle_tape::show::single_line;

use crate::output::{print_line, print_note};
use approve::ApproveArgs;
use asks::AsksCommand;
use budget::{BudgetArgs, BudgetsCommand};
use bundle::BundleCommand;
use log::FleetLogArgs;
use policy::PolicyCommand;
use ship::ShipArgs;
use telemetry::TelemetryArgs;

/// How many digits of the digest of a policy are shown, and the most characters of a name.
const POLICY_DIGITS: usize = 12;
const NAME_CHARS: usize = 60;

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
    /// Send spans, metrics and decisions of this machine to an OTLP endpoint.
    Telemetry(TelemetryArgs),
    /// List what was decided on all machines, one line for each decision. The newest is the last.
    Log(FleetLogArgs),
    /// Ask people about a call, and wait for their answer: a program for a hook, which reads the event on standard input.
    Approve(ApproveArgs),
    /// List and answer the calls about which hooks ask.
    #[command(subcommand)]
    Asks(AsksCommand),
    /// Take from a budget that machines share, or deny the call: a program for a hook, which reads the event on standard
    /// input.
    Budget(BudgetArgs),
    /// Set, list and remove budgets.
    #[command(subcommand)]
    Budgets(BudgetsCommand),
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
    /// Create the tables and the roles `pintle_collect`, `pintle_read` and `pintle_approve`, or bring them up to date.
    Init(StoreOptions),
}

#[derive(Debug, Subcommand)]
enum MachineCommand {
    /// Add a machine, and print its token. The token is not shown again.
    Add(MachineArgs),
    /// List the machines.
    List(StoreOptions),
    /// Print the checkpoints that a machine shipped, as a witness file for `pintle tape verify --witness`.
    Checkpoints(MachineArgs),
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
                FleetCommand::Telemetry(args) => until_stopped(args.execute()).await,
                FleetCommand::Log(args) => args.execute().await,
                FleetCommand::Approve(args) => args.execute().await,
                FleetCommand::Asks(command) => command.execute().await,
                FleetCommand::Budget(args) => args.execute().await,
                FleetCommand::Budgets(command) => command.execute().await,
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
            Self::Checkpoints(MachineArgs { name, store }) => {
                let checkpoints = store.address()?.list_checkpoints(&name).await?;
                if checkpoints.is_empty() {
                    print_note(&format!("the collector has no checkpoint of `{name}`"));
                }
                checkpoints.iter().try_for_each(|note| print_line(note))?;
            }
            Self::List(store) => {
                let machines = store.address()?.list_machines().await?;
                if machines.is_empty() {
                    print_note("there are no machines; `pintle-fleet machine add NAME --store URL` adds one");
                }
                let width = machines.iter().map(|machine| machine.name.chars().count()).max().unwrap_or_default();
                machines.iter().try_for_each(|machine| print_line(&render_machine(machine, width)))?;
            }
        }
        Ok(true)
    }
}

/// The line of a machine. What it says of itself may be anything.
fn render_machine(machine: &MachineEntry, width: usize) -> String {
    let shown = |text: &str| single_line(text, NAME_CHARS);
    let seen = machine.seen.as_ref().map_or(String::from("never seen"), |seen| format!("seen {seen} UTC"));
    let pintle = machine.pintle.as_ref().map(|version| format!("  pintle {}", shown(version))).unwrap_or_default();
    let policy = machine.policy.as_ref().and_then(|digest| digest.get(..POLICY_DIGITS));
    let policy = policy.map(|digits| format!("  policy {}", shown(digits))).unwrap_or_default();
    let proof = machine.proof.as_ref().map(|MachineProof { session, size, at, key }| {
        let key = key.as_deref().map_or("an unknown key", |key| key);
        format!("  {size} records of session {} signed by {}, received {at} UTC", shown(session), shown(key))
    });
    let (proof, revoked) = (proof.unwrap_or_default(), if machine.is_revoked { "  revoked" } else { "" });
    let (name, tapes) = (&machine.name, machine.tape_count);
    format!("{name:<width$}  {seen}  {tapes} tapes{pintle}{policy}{proof}{revoked}")
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
