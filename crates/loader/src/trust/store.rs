//! Stores the trust grants: one JSON file in the state directory, outside every project.
//!
//! Another program may read it at any moment, so it is written to a temporary file and renamed. Only the user may read
//! and write it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use pintle_files::private_options;
use serde::{Deserialize, Serialize};

use super::{TrustGrant, TrustOptions};
use crate::discover::io_error_text;
use crate::file_facts::{OTHERS_WRITE, mode};
use crate::private_file::{create_private_dir, find_writable_folder, replace_private_json};

/// The version of the file format.
const VERSION: u32 = 2;

/// The trust grants of a user, by project directory without links in its path.
#[derive(Debug, Default)]
pub struct TrustStore {
    path: Option<PathBuf>,
    projects: BTreeMap<String, TrustGrant>,
}

/// The reason why the trust grants cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStoreError {
    /// What is wrong: one line, lower case.
    pub message: String,
    /// The next step for the user.
    pub help: String,
    /// Whether the file exists and is not a valid trust file.
    pub is_broken: bool,
}

impl fmt::Display for TrustStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The format of the file.
#[derive(Debug, Serialize, Deserialize)]
struct TrustFile {
    version: u32,
    projects: BTreeMap<String, TrustGrant>,
}

/// What every version of the file has.
#[derive(Debug, Deserialize)]
struct TrustFileVersion {
    version: u32,
}

impl TrustStore {
    /// Reads the trust grants. A missing file contains none.
    ///
    /// # Errors
    /// When the file cannot be read, is not a valid trust file, or other users can write to it or its directory. No
    /// project is trusted then.
    pub fn open(trust: &TrustOptions) -> Result<Self, TrustStoreError> {
        let Some(path) = &trust.store_path else { return Ok(Self::default()) };
        let projects = read_grants(path)?;
        Ok(Self { path: Some(path.clone()), projects })
    }

    /// The trust grant of a project, whose path has no links in it.
    #[must_use]
    pub fn grant_for(&self, project: &Path) -> Option<&TrustGrant> {
        self.projects.get(&project_key(project))
    }

    /// Whether a directory has a trust grant.
    #[must_use]
    pub fn contains(&self, dir: &Path) -> bool {
        !self.projects.is_empty() && self.projects.contains_key(&project_key(dir))
    }

    /// All trust grants, by project directory.
    pub fn grants(&self) -> impl Iterator<Item = (&str, &TrustGrant)> {
        self.projects.iter().map(|(dir, grant)| (dir.as_str(), grant))
    }

    /// Stores a trust grant, replacing an earlier one.
    ///
    /// # Errors
    /// When the file cannot be read or written; it is unchanged then.
    pub fn grant(trust: &TrustOptions, project: &Path, grant: TrustGrant) -> Result<(), TrustStoreError> {
        Self::update(trust, |projects| {
            projects.insert(project_key(project), grant);
        })
    }

    /// Removes the trust grant of a project; returns whether there was one.
    ///
    /// # Errors
    /// As for [`TrustStore::grant`].
    pub fn revoke(trust: &TrustOptions, project: &Path) -> Result<bool, TrustStoreError> {
        let mut was_there = false;
        Self::update(trust, |projects| was_there = projects.remove(&project_key(project)).is_some())?;
        Ok(was_there)
    }

    /// Renames an invalid trust file, and returns the new path. Nothing is lost.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn quarantine(trust: &TrustOptions) -> Result<Option<PathBuf>, TrustStoreError> {
        let Some(path) = trust.store_path.as_ref().filter(|path| pintle_files::exists(path)) else { return Ok(None) };
        let aside = (1..)
            .map(|number| path.with_extension(format!("broken-{number}")))
            .find(|aside| !pintle_files::exists(aside));
        let Some(aside) = aside else { return Ok(None) };
        fs::rename(path, &aside).map_err(|error| write_error(path, &error))?;
        Ok(Some(aside))
    }

    fn update(
        trust: &TrustOptions,
        change: impl FnOnce(&mut BTreeMap<String, TrustGrant>),
    ) -> Result<(), TrustStoreError> {
        let Some(path) = &trust.store_path else {
            return Err(TrustStoreError {
                message: String::from("cannot store your trust decision: no state directory"),
                help: String::from("set HOME or PINTLE_STATE_DIR"),
                is_broken: false,
            });
        };
        let dir = path.parent().unwrap_or(Path::new("."));
        let failed = |error: std::io::Error| write_error(path, &error);
        create_private_dir(dir).map_err(failed)?;
        // Two concurrent calls must not overwrite each other's grants.
        let guard = private_options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.with_extension("lock"))
            .map_err(failed)?;
        guard.lock().map_err(failed)?;
        let mut projects = read_grants(path)?;
        change(&mut projects);
        replace_private_json(path, &TrustFile { version: VERSION, projects }).map_err(failed)
    }

    /// The reason why the grants must not be used for a project: the trust file is inside the project, so that the
    /// project's author may have written it.
    #[must_use]
    pub fn distrust_reason(&self, project: &Path) -> Option<TrustStoreError> {
        let path = self.path.as_ref()?;
        let real = pintle_files::real_path(path);
        real.starts_with(project).then(|| TrustStoreError {
            message: format!("the trust file is inside the project: `{}`", real.display()),
            help: String::from("a project cannot trust itself; set PINTLE_STATE_DIR to another directory"),
            is_broken: false,
        })
    }
}

fn project_key(project: &Path) -> String {
    project.display().to_string()
}

fn read_grants(path: &Path) -> Result<BTreeMap<String, TrustGrant>, TrustStoreError> {
    let text = match pintle_files::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) if error.kind() == ErrorKind::InvalidData => return Err(broken_file_error(path, "it is not UTF-8")),
        Err(error) => {
            return Err(TrustStoreError {
                message: format!("cannot read the trust file `{}`: {}", path.display(), io_error_text(&error)),
                help: String::from("no project is trusted until the file can be read; fix its permissions"),
                is_broken: false,
            });
        }
    };
    if let Some(dir) = find_writable_folder(path) {
        return Err(TrustStoreError {
            message: format!("other users can write to `{}`, the directory of the trust file", dir.display()),
            help: format!("no project is trusted until you check the file and run `chmod go-w '{}'`", dir.display()),
            is_broken: false,
        });
    }
    let is_open = pintle_files::metadata(path).is_ok_and(|metadata| mode(path, &metadata) & OTHERS_WRITE != 0);
    if is_open {
        return Err(TrustStoreError {
            message: format!("other users can write to the trust file `{}`", path.display()),
            help: format!("no project is trusted until you check the file and run `chmod 600 '{}'`", path.display()),
            is_broken: false,
        });
    }
    let file = serde_json::from_str::<TrustFile>(&text);
    // In another version the grants have other fields, so an error there is not what is wrong with the file.
    let version = match &file {
        Ok(file) => Some(file.version),
        Err(_) => serde_json::from_str(&text).ok().map(|TrustFileVersion { version }| version),
    };
    if let Some(version) = version.filter(|version| *version != VERSION) {
        let reason = format!("it has version {version}, but this program supports only {VERSION}");
        return Err(broken_file_error(path, &reason));
    }
    file.map(|file| file.projects).map_err(|error| broken_file_error(path, &error.to_string()))
}

fn broken_file_error(path: &Path, reason: &str) -> TrustStoreError {
    TrustStoreError {
        message: format!("`{}` is not a valid trust file: {reason}", path.display()),
        help: String::from(
            "no project is trusted; run `pintle trust` again, which keeps the broken file under another name",
        ),
        is_broken: true,
    }
}

fn write_error(path: &Path, error: &std::io::Error) -> TrustStoreError {
    TrustStoreError {
        message: format!("cannot write the trust file `{}`: {}", path.display(), io_error_text(error)),
        help: String::from("fix its permissions, or set PINTLE_STATE_DIR to another directory"),
        is_broken: false,
    }
}
