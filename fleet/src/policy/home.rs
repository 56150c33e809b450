//! The bundles on the disk of a machine.
//!
//! They are in the directory of a user's or an organisation's hooks, which no agent may change:
//!
//! - `bundles/NAME-VERSION-DIGEST/` has a bundle as it came, with its signature, and `files/`, what Pintle loads. It is never
//!   changed.
//! - `bundle` is a link to the `files` of the one that is enforced, and `bundle-shadow` to those of the one that is not. What
//!   is in force is what they say and nothing else. A link is replaced in one step.
//! - `bundles/state.json` is the [`BundleState`].

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pintle_files::{BUNDLE_LINK, SHADOW_BUNDLE_LINK};

use super::content::{BUNDLE_FILE, BundleContent};
use super::signature::{BundleKey, signature_path};
use super::state::{BundleStage, BundleState, KEPT_VERSIONS};
use crate::FleetError;
use crate::protocol::hex_digest;

const BUNDLES: &str = "bundles";
const STATE: &str = "state.json";
const LOCK: &str = "lock";
const FILES: &str = "files";
/// What a directory that is being filled begins with.
const STAGING: &str = ".new-";
/// The most characters of the digest in the name of a directory.
const DIGEST_CHARS: usize = 12;

/// The directory of a user's or an organisation's hooks, with its bundles.
#[derive(Debug, Clone)]
pub struct BundleHome {
    dir: PathBuf,
}

/// A bundle that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    /// The name of its directory.
    pub dir_name: String,
    /// What Pintle loads.
    pub files: PathBuf,
    /// When the link to it was made; `None` if no link is meant.
    pub since: Option<SystemTime>,
}

/// A bundle as it came, with its signature.
#[derive(Debug)]
pub(crate) struct SignedBundle {
    pub(crate) bytes: Vec<u8>,
    pub(crate) signature: String,
    pub(crate) content: BundleContent,
}

impl SignedBundle {
    pub(crate) fn digest(&self) -> String {
        hex_digest(&self.bytes)
    }

    fn dir_name(&self) -> String {
        let digest = self.digest();
        let digest = digest.get(..DIGEST_CHARS).unwrap_or(&digest);
        format!("{}-{}-{digest}", self.content.name, self.content.version)
    }
}

impl InstalledBundle {
    /// Its version; `None` if its directory does not have the name of a bundle.
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        self.dir_name.rsplit_once('-')?.0.rsplit_once('-')?.1.parse().ok()
    }

    /// Whether it has the bytes of a bundle, as far as its name says.
    pub(crate) fn is_copy_of(&self, signed: &SignedBundle) -> bool {
        self.dir_name.starts_with(&signed.dir_name())
    }
}

/// The link of a stage.
fn link_of(stage: BundleStage) -> &'static str {
    match stage {
        BundleStage::Enforce => BUNDLE_LINK,
        BundleStage::Shadow => SHADOW_BUNDLE_LINK,
    }
}

impl BundleHome {
    /// The bundles in a directory of hooks.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        Self { dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()) }
    }

    /// The directory of hooks.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn bundles(&self) -> PathBuf {
        self.dir.join(BUNDLES)
    }

    /// Waits until no other process changes the bundles. The lock ends with the file.
    pub(crate) fn lock(&self) -> Result<File, FleetError> {
        let path = self.bundles().join(LOCK);
        let locked = pintle_files::create_shared_dirs(&self.bundles()).and_then(|()| {
            // Who could open it could hold it, and so keep updates away.
            let file = pintle_files::private_options().create(true).truncate(false).write(true).open(&path)?;
            file.lock()?;
            Ok(file)
        });
        locked.map_err(|error| {
            FleetError::failure(format!("cannot use `{}`: {error}", path.display()))
                .help("run this as the user whose directory it is; for `--managed` that is usually root")
        })
    }

    /// The state; `None` without a source.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load_state(&self) -> Result<Option<BundleState>, FleetError> {
        BundleState::load(&self.bundles().join(STATE))
    }

    pub(crate) fn require_state(&self) -> Result<BundleState, FleetError> {
        self.load_state()?.ok_or_else(|| {
            FleetError::invalid_input(format!("`{}` has no source of bundles", self.dir.display()))
                .help("name one with `pintle-fleet policy add SOURCE --public-key KEY`")
        })
    }

    pub(crate) fn save_state(&self, state: &BundleState) -> Result<(), FleetError> {
        state.save(&self.bundles().join(STATE))
    }

    /// The bundle of a stage; `None` if there is none.
    ///
    /// # Errors
    /// When the link is not one of a bundle.
    pub fn find_linked(&self, stage: BundleStage) -> Result<Option<InstalledBundle>, FleetError> {
        let link = self.dir.join(link_of(stage));
        let since = match fs::symlink_metadata(&link) {
            Ok(found) => found.modified().ok(),
            Err(error) if pintle_files::is_absent(&error) => return Ok(None),
            Err(error) => return Err(FleetError::failure(format!("cannot read `{}`: {error}", link.display()))),
        };
        let target = fs::read_link(&link).ok();
        let name = target.as_deref().and_then(|target| target.strip_prefix(BUNDLES).ok()?.parent()?.to_str());
        match name {
            Some(name) if target.as_deref() == Some(&target_of(name)) => {
                Ok(Some(InstalledBundle { since, ..self.installed(name) }))
            }
            _ => Err(FleetError::failure(format!("`{}` is not a link to a bundle", link.display()))
                .help("move it away; then `pintle-fleet policy update` makes the link")),
        }
    }

    /// The bundle in a directory of this name.
    pub(crate) fn installed(&self, name: &str) -> InstalledBundle {
        InstalledBundle { dir_name: name.to_owned(), files: self.bundles().join(name).join(FILES), since: None }
    }

    /// Reads an installed bundle, and checks that its files are those that were signed.
    ///
    /// # Errors
    /// When they are not.
    pub(crate) fn read_installed(&self, bundle: &InstalledBundle, key: &BundleKey) -> Result<SignedBundle, FleetError> {
        let path = self.bundles().join(&bundle.dir_name).join(BUNDLE_FILE);
        let unreadable =
            |error: io::Error| FleetError::failure(format!("cannot read the bundle in `{}`: {error}", path.display()));
        let bytes = pintle_files::read(&path).map_err(unreadable)?;
        let signature = pintle_files::read_text(signature_path(&path)).map_err(unreadable)?;
        key.verify(&bytes, &signature)?;
        let signed = SignedBundle { content: BundleContent::parse(&bytes)?, bytes, signature };
        match signed.content.find_difference(&bundle.files) {
            None => Ok(signed),
            Some(difference) => Err(FleetError::failure(difference)),
        }
    }

    /// Says what the bundle of a stage is, as far as its files are those that were signed.
    ///
    /// # Errors
    /// When they are not.
    pub fn describe(&self, bundle: &InstalledBundle, key: &BundleKey) -> Result<(BundleContent, String), FleetError> {
        let signed = self.read_installed(bundle, key)?;
        let digest = signed.digest();
        Ok((signed.content, digest))
    }

    /// Installs a bundle in a directory of its own, if `check` accepts its files. One that is there and unchanged is used.
    pub(crate) fn install(
        &self,
        signed: &SignedBundle,
        key: &BundleKey,
        check: impl Fn(&Path) -> Result<(), FleetError>,
    ) -> Result<InstalledBundle, FleetError> {
        let failed = |error: io::Error| {
            FleetError::failure(format!("cannot install the bundle in `{}`: {error}", self.bundles().display()))
        };
        self.remove_staging();
        let base = signed.dir_name();
        let mut name = base.clone();
        // One that was changed stays where it is, because a link may lead to it.
        for count in 2_u32.. {
            let installed = self.installed(&name);
            if !pintle_files::exists(self.bundles().join(&name)) {
                break;
            }
            if self.read_installed(&installed, key).is_ok() {
                check(&installed.files)?;
                return Ok(installed);
            }
            name = format!("{base}.{count}");
        }
        let staging = self.bundles().join(format!("{STAGING}{name}"));
        let file = staging.join(BUNDLE_FILE);
        let write = || {
            pintle_files::create_shared_dirs(&staging)?;
            signed.content.write_to(&staging.join(FILES))?;
            for (path, bytes) in [(signature_path(&file), signed.signature.as_bytes()), (file.clone(), &signed.bytes)] {
                pintle_files::replace_file(&path, bytes)?;
            }
            pintle_files::sync_dir_of(&file)
        };
        write().map_err(failed)?;
        check(&staging.join(FILES))?;
        fs::rename(&staging, self.bundles().join(&name)).map_err(failed)?;
        pintle_files::sync_dir_of(&staging).map_err(failed)?;
        Ok(self.installed(&name))
    }

    /// Leads the link of a stage to a bundle, in one step.
    #[cfg(unix)]
    pub(crate) fn switch(&self, stage: BundleStage, bundle: &InstalledBundle) -> Result<(), FleetError> {
        let link = self.dir.join(link_of(stage));
        let beside = pintle_files::path_beside(&link);
        let switched = std::os::unix::fs::symlink(target_of(&bundle.dir_name), &beside)
            .and_then(|()| fs::rename(&beside, &link))
            .and_then(|()| pintle_files::sync_dir_of(&link));
        switched.map_err(|error| {
            // It may not have been made.
            let _ = fs::remove_file(&beside);
            FleetError::failure(format!("cannot switch `{}`: {error}", link.display()))
        })
    }

    /// Leads the link of a stage to a bundle, where there are links.
    #[cfg(not(unix))]
    pub(crate) fn switch(&self, _: BundleStage, _: &InstalledBundle) -> Result<(), FleetError> {
        Err(FleetError::failure("bundles are switched by links, which this system does not have"))
    }

    /// Removes the link of a stage, if there is one.
    pub(crate) fn unlink(&self, stage: BundleStage) -> Result<(), FleetError> {
        let link = self.dir.join(link_of(stage));
        let removed = match fs::remove_file(&link) {
            Err(error) if pintle_files::is_absent(&error) => Ok(()),
            removed => removed.and_then(|()| pintle_files::sync_dir_of(&link)),
        };
        removed.map_err(|error| FleetError::failure(format!("cannot remove `{}`: {error}", link.display())))
    }

    /// Removes the bundles to which no link leads and no rollback.
    pub(crate) fn remove_unused(&self, state: &mut BundleState) {
        let from = state.history.len().saturating_sub(KEPT_VERSIONS);
        state.history.drain(..from);
        let stages = [BundleStage::Enforce, BundleStage::Shadow].map(|stage| self.find_linked(stage));
        // If a link cannot be read, it is not known which bundle is used.
        let [Ok(enforced), Ok(shadowed)] = stages else { return };
        let linked: Vec<String> = enforced.into_iter().chain(shadowed).map(|bundle| bundle.dir_name).collect();
        for entry in pintle_files::read_dir(self.bundles()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_dir && !linked.contains(&name) && !state.history.contains(&name) {
                // What is left of it is removed the next time.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Removes all bundles and the state.
    pub(crate) fn remove_all(&self) -> Result<(), FleetError> {
        fs::remove_dir_all(self.bundles())
            .map_err(|error| FleetError::failure(format!("cannot remove `{}`: {error}", self.bundles().display())))
    }

    /// Removes what an update that was killed left behind. The lock is held, so no other one writes it.
    fn remove_staging(&self) {
        let entries = |dir: &Path| pintle_files::read_dir(dir).into_iter().flatten().flatten();
        // A state that was not yet renamed.
        for entry in entries(&self.bundles()).filter(|entry| entry.file_name().to_string_lossy().ends_with(".new")) {
            let _ = fs::remove_file(entry.path());
        }
        for entry in entries(&self.bundles()).filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGING)) {
            let _ = fs::remove_dir_all(entry.path());
        }
        for entry in entries(&self.dir) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_own = name.starts_with(BUNDLE_LINK) && name.ends_with(".new");
            if is_own && entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Where a link leads, relative to the directory that it is in.
fn target_of(name: &str) -> PathBuf {
    Path::new(BUNDLES).join(name).join(FILES)
}
