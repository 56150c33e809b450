//! The agreements on disk: one JSON file in the state directory, below no project.
//!
//! Another program may read it at any moment, so it is written beside itself and put in place in one step. Only the person
//! may read and write it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{TrustGrant, TrustOptions};
use crate::discover::io_error_text;

/// The version of the form.
const VERSION: u32 = 1;
/// The bits of a mode by which others can write.
const OTHERS_WRITE: u32 = 0o022;
/// The bit by which everybody can.
const EVERYBODY_WRITES: u32 = 0o002;
/// The bit of a folder in which nobody can take away what is not theirs.
const STICKY: u32 = 0o1000;

/// The agreements of a person, by the projects' folders without links in their paths.
#[derive(Debug, Default)]
pub struct TrustStore {
    path: Option<PathBuf>,
    projects: BTreeMap<String, TrustGrant>,
}

/// Why the agreements cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustStoreError {
    /// What is wrong, one line, lower case.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Whether the file is there and is no file of agreements.
    pub is_broken: bool,
}

impl fmt::Display for TrustStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The form of the file.
#[derive(Debug, Serialize, Deserialize)]
struct TrustFile {
    version: u32,
    projects: BTreeMap<String, TrustGrant>,
}

impl TrustStore {
    /// Reads the agreements. A file that is not there holds none.
    ///
    /// # Errors
    /// When the file cannot be read, is no file of agreements, or others can write it or its folder. Then nothing counts as agreed to.
    pub fn open(trust: &TrustOptions) -> Result<Self, TrustStoreError> {
        let Some(path) = &trust.store_path else { return Ok(Self::default()) };
        let projects = read_grants(path)?;
        Ok(Self { path: Some(path.clone()), projects })
    }

    /// What was agreed to of a project, whose path has no links in it.
    #[must_use]
    pub fn grant_for(&self, project: &Path) -> Option<&TrustGrant> {
        self.projects.get(&project_key(project))
    }

    /// Whether anything was agreed to of a folder.
    #[must_use]
    pub fn contains(&self, folder: &Path) -> bool {
        !self.projects.is_empty() && self.projects.contains_key(&project_key(folder))
    }

    /// All agreements, by the folders of their projects.
    pub fn grants(&self) -> impl Iterator<Item = (&str, &TrustGrant)> {
        self.projects.iter().map(|(folder, agreement)| (folder.as_str(), agreement))
    }

    /// Writes an agreement down, in the place of an earlier one.
    ///
    /// # Errors
    /// When the file cannot be read or written; then it is as it was.
    pub fn grant(trust: &TrustOptions, project: &Path, agreement: TrustGrant) -> Result<(), TrustStoreError> {
        Self::update(trust, |projects| {
            projects.insert(project_key(project), agreement);
        })
    }

    /// Takes the agreement to a project back; gives whether there was one.
    ///
    /// # Errors
    /// As for [`TrustStore::grant`].
    pub fn revoke(trust: &TrustOptions, project: &Path) -> Result<bool, TrustStoreError> {
        let mut was_there = false;
        Self::update(trust, |projects| was_there = projects.remove(&project_key(project)).is_some())?;
        Ok(was_there)
    }

    /// Moves a file that is no file of agreements out of the way, and gives where to. Nothing of it is lost.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn quarantine(trust: &TrustOptions) -> Result<Option<PathBuf>, TrustStoreError> {
        let Some(path) = trust.store_path.as_ref().filter(|path| path.exists()) else { return Ok(None) };
        let aside = (1..).map(|number| path.with_extension(format!("broken-{number}"))).find(|aside| !aside.exists());
        let Some(aside) = aside else { return Ok(None) };
        fs::rename(path, &aside).map_err(|fault| write_error(path, &fault))?;
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
        let folder = path.parent().unwrap_or(Path::new("."));
        let failed = |fault: std::io::Error| write_error(path, &fault);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        // Two people at two terminals must not forget what the other one agreed to.
        let guard = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(path.with_extension("lock"))
            .map_err(failed)?;
        guard.lock().map_err(failed)?;
        let mut projects = read_grants(path)?;
        change(&mut projects);
        write_atomically(path, &TrustFile { version: VERSION, projects }).map_err(failed)
    }

    /// Why the agreements must not be believed for a project: the file lies in it, so that whoever made the project may
    /// have made the file.
    #[must_use]
    pub fn distrust_reason(&self, project: &Path) -> Option<TrustStoreError> {
        let path = self.path.as_ref()?;
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
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
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(fault) if fault.kind() == ErrorKind::InvalidData => return Err(broken_file_error(path, "it is not UTF-8")),
        Err(fault) => {
            return Err(TrustStoreError {
                message: format!("cannot read the trust file `{}`: {}", path.display(), io_error_text(&fault)),
                help: String::from("no project is trusted until the file can be read; fix its permissions"),
                is_broken: false,
            });
        }
    };
    if let Some(folder) = find_writable_folder(path) {
        return Err(TrustStoreError {
            message: format!("other users can write to `{}`, the directory of the trust file", folder.display()),
            help: format!("no project is trusted until you check the file and run `chmod go-w '{}'`", folder.display()),
            is_broken: false,
        });
    }
    let is_open = fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & OTHERS_WRITE != 0);
    if is_open {
        return Err(TrustStoreError {
            message: format!("other users can write to the trust file `{}`", path.display()),
            help: format!("no project is trusted until you check the file and run `chmod 600 '{}'`", path.display()),
            is_broken: false,
        });
    }
    let form: TrustFile = serde_json::from_str(&text).map_err(|fault| broken_file_error(path, &fault.to_string()))?;
    match form.version {
        VERSION => Ok(form.projects),
        other => {
            Err(broken_file_error(path, &format!("it has version {other}, but this program supports only {VERSION}")))
        }
    }
}

/// The folder through which others could put another file in the place of this one: its own when others can write it, or
/// one further up when everybody can and may take away what is not theirs.
fn find_writable_folder(path: &Path) -> Option<PathBuf> {
    let real = path.canonicalize().ok()?;
    let mode = |folder: &Path| fs::metadata(folder).map(|found| found.permissions().mode()).unwrap_or_default();
    let is_open = |(depth, folder): &(usize, &Path)| match depth {
        0 => mode(folder) & OTHERS_WRITE != 0,
        _ => mode(folder) & EVERYBODY_WRITES != 0 && mode(folder) & STICKY == 0,
    };
    real.ancestors().skip(1).enumerate().find(is_open).map(|(_, folder)| folder.to_owned())
}

fn broken_file_error(path: &Path, why: &str) -> TrustStoreError {
    TrustStoreError {
        message: format!("`{}` is not a valid trust file: {why}", path.display()),
        help: String::from(
            "no project is trusted; run `pintle trust` again, which keeps the broken file under another name",
        ),
        is_broken: true,
    }
}

fn write_error(path: &Path, fault: &std::io::Error) -> TrustStoreError {
    TrustStoreError {
        message: format!("cannot write the trust file `{}`: {}", path.display(), io_error_text(fault)),
        help: String::from("fix its permissions, or set PINTLE_STATE_DIR to another directory"),
        is_broken: false,
    }
}

fn write_atomically(path: &Path, form: &TrustFile) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = write_new(&beside, form).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not even have been made.
        let _ = fs::remove_file(&beside);
    }
    written?;
    // The name is only there for good once its folder is.
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

fn write_new(path: &Path, form: &TrustFile) -> std::io::Result<()> {
    // What a program left behind that was killed here.
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    let mut text = serde_json::to_vec_pretty(form)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()
}
