//! What a machine knows of its bundles beside the files themselves.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::signature::BundleKey;
use crate::FleetError;

/// How many of the bundles that were enforced are kept for a rollback.
pub(crate) const KEPT_VERSIONS: usize = 5;

/// Where bundles come from, and what was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleState {
    /// The source, as the user wrote it.
    pub source: String,
    /// The key that signs.
    pub public_key: String,
    /// What happens to a new version.
    pub stage: BundleStage,
    /// The name of the bundle; `None` until the first one is accepted.
    pub name: Option<String>,
    /// The newest version that was accepted. No older one is.
    pub newest: Option<NewestBundle>,
    /// The version that was rolled back last: only later ones are accepted.
    pub rolled_back: Option<u64>,
    /// The directories of the bundles that were enforced, the newest last.
    pub history: Vec<String>,
    /// When the source was asked last, in milliseconds since the Unix epoch.
    pub looked_ms: Option<u64>,
    /// Why the last look failed; `None` if it did not.
    pub failure: Option<UpdateFailure>,
}

/// What happens to a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BundleStage {
    /// Its hooks are called, and nothing is enforced, until the user enforces it.
    Shadow,
    /// It is enforced at once.
    Enforce,
}

/// The newest version that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewestBundle {
    /// The name of the bundle.
    pub name: String,
    /// Its version.
    pub version: u64,
    /// The digest of its bytes, in hex.
    pub digest: String,
}

/// A look at the source that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateFailure {
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What failed and why.
    pub message: String,
}

impl BundleStage {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Enforce => "enforce",
        }
    }
}

impl BundleState {
    /// The state before the first look at a source.
    pub(crate) fn new(source: &str, key: &BundleKey, stage: BundleStage) -> Self {
        let (source, public_key) = (source.to_owned(), key.as_str().to_owned());
        let (name, newest, rolled_back, looked_ms, failure) = (None, None, None, None, None);
        Self { source, public_key, stage, name, newest, rolled_back, history: Vec::new(), looked_ms, failure }
    }

    /// Loads the state; `None` if there is none.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>, FleetError> {
        let help = "`pintle-fleet policy add` writes it again; the bundle that is in force stays";
        let failed = |error: &dyn std::fmt::Display| {
            FleetError::failure(format!("cannot read `{}`: {error}", path.display())).help(help)
        };
        match pintle_files::read(path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| failed(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Writes the state, so that it survives a power failure.
    pub(crate) fn save(&self, path: &Path) -> Result<(), FleetError> {
        let written = serde_json::to_vec_pretty(self).map_err(io::Error::from).and_then(|text| {
            pintle_files::replace_file(path, &text)?;
            pintle_files::sync_dir_of(path)
        });
        written.map_err(|error| FleetError::failure(format!("cannot write `{}`: {error}", path.display())))
    }

    /// The key that signs.
    pub(crate) fn key(&self) -> Result<BundleKey, FleetError> {
        BundleKey::parse(&self.public_key).ok_or_else(|| {
            FleetError::failure("the public key of this machine's bundles is damaged")
                .help("set it by `pintle-fleet policy add`")
        })
    }
}
