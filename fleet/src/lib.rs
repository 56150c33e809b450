//! What Pintle recorded on many machines, in one place: machines ship their tapes to a collector, which stores them in
//! PostgreSQL.

mod client;
mod collect;
mod error;
mod follow;
mod hook;
mod hook_protocol;
mod http;
mod policy;
mod protocol;
mod ship;
mod store;
mod telemetry;
mod token;
mod witness;

use std::sync::Arc;

pub use collect::{CollectorOptions, CollectorTls, RunningCollector};
pub use error::FleetError;
pub use follow::{BackoffPolicy, FollowOptions, LocatedTape, ShipReport, ShipperTimer, SystemTimer, TapePlaces};
pub use hook::{AwayPolicy, HookReply, ask_people, take_budget};
pub use hook_protocol::{
    ASKS_PATH, AskId, AskProgress, BUDGETS_PATH, BudgetTake, FleetAsk, HookedEvent, LONGEST_PATIENCE_MS, MOST_AMOUNT,
    MOST_CALL_BYTES, OpenedAsk, TakeAnswer,
};
pub use policy::{
    BUNDLE_FILE, BundleContent, BundleHome, BundleKey, BundleSource, BundleStage, BundleState, BundleTask, BundledFile,
    InstalledBundle, NewestBundle, PintleProgram, UpdateFailure, UpdateResult, sign_file, signature_path,
};
pub use protocol::{
    BATCH_PATH, CheckedLine, CollectorRefusal, MOST_BODY_BYTES, MOST_LINES, StoredEnd, TapeBatch, hex_digest,
};
pub use ship::{ShipperOptions, TapeShipper};
pub use store::{
    AskEntry, BudgetEntry, FleetBudget, FleetEntry, FleetQuery, IngestError, KnownMachine, MachineEntry, MachineProof,
    StoreAddress, StorePool, StoredAnswer,
};
pub use telemetry::{OTLP_HEADERS_VARIABLE, OtlpHeaders, TelemetryCounts, TelemetryExporter, TelemetryOptions};
pub use token::MachineToken;

/// The name of this machine, if the system says it.
#[must_use]
pub fn host_name() -> Option<String> {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").ok()
}

/// The cryptography of all encrypted connections.
pub(crate) fn crypto_provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
