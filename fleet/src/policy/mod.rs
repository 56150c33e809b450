//! Policy bundles: making them, and keeping the one that applies on a machine.

mod content;
mod home;
mod pintle;
mod signature;
mod source;
mod state;
mod update;

pub use content::{BUNDLE_FILE, BundleContent, BundledFile};
pub use home::{BundleHome, InstalledBundle};
pub use pintle::PintleProgram;
pub use signature::{BundleKey, sign_file, signature_path};
pub use source::BundleSource;
pub use state::{BundleStage, BundleState, NewestBundle, UpdateFailure};
pub use update::{BundleTask, UpdateResult};
