//! What Pintle recorded on many machines, in one place: machines ship their tapes to a collector, which stores them in
//! PostgreSQL.

mod collect;
mod error;
mod policy;
mod protocol;
mod ship;
mod store;
mod token;

use std::sync::Arc;

pub use collect::{CollectorOptions, CollectorTls, RunningCollector};
pub use error::FleetError;
pub use policy::{
    BUNDLE_FILE, BundleContent, BundleHome, BundleKey, BundleSource, BundleStage, BundleState, BundleTask, BundledFile,
    InstalledBundle, NewestBundle, PintleProgram, UpdateFailure, UpdateResult, bundle_digest, sign_file,
    signature_path,
};
pub use protocol::{
    BATCH_PATH, BatchRefusal, CheckedLine, MOST_BODY_BYTES, MOST_LINES, StoredEnd, TapeBatch, line_digest,
};
pub use ship::{
    BackoffPolicy, LocatedTape, ShipReport, ShipperOptions, ShipperTimer, SystemTimer, TapePlaces, TapeShipper,
};
pub use store::{FleetEntry, FleetQuery, IngestError, KnownMachine, MachineEntry, StoreAddress, StorePool};
pub use token::MachineToken;

/// The cryptography of all encrypted connections.
pub(crate) fn crypto_provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
