//! Making a change.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{InstallError, InstallPlan, SettingsChange, backup, plan};

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallReport {
    /// The folder that was made.
    pub created_dir: Option<PathBuf>,
    /// Files that were written.
    pub written_files: Vec<PathBuf>,
    /// Files that were removed.
    pub removed_files: Vec<PathBuf>,
    /// Copies that were made.
    pub backups: Vec<PathBuf>,
}

/// The mode of a new settings file: other people's programs have no business in it.
const PLAIN: u32 = 0o600;
/// The mode of a new folder of the person's own hooks: whoever can write there decides what is guarded.
const OWN: u32 = 0o700;
/// Marks a folder that was there before, and empty.
const KEPT: &str = ".pintle-keep";
/// The mode of a new program.
const PROGRAM: u32 = 0o755;

impl InstallPlan {
    /// Makes the changes. Each file is written beside itself and then renamed, so that no reader ever sees a half.
    ///
    /// # Errors
    /// When a file changed since the plan was made, or cannot be written.
    pub fn apply(&self) -> Result<InstallReport, InstallError> {
        let mut applied = InstallReport::default();
        if let Some(folder) = &self.config_dir {
            let made = DirBuilder::new().recursive(true).mode(OWN).create(folder);
            made.map_err(|fault| InstallError::from_io("create the directory", folder, &fault))?;
            applied.created_dir = Some(folder.clone());
        }
        for change in &self.changes {
            if plan::read_if_exists(&change.path)? != change.before {
                return Err(InstallError::Changed { path: change.path.clone() });
            }
            if let Some(copy) = &change.backup {
                backup::copy_file(&change.path, copy).map_err(|fault| InstallError::from_io("write", copy, &fault))?;
                applied.backups.push(copy.clone());
            }
            for copy in &change.obsolete_backups {
                fs::remove_file(copy).map_err(|fault| InstallError::from_io("remove", copy, &fault))?;
            }
            match &change.after {
                Some(text) => {
                    self.mark_kept_folder(&change.path)
                        .map_err(|fault| InstallError::from_io("write", &change.path, &fault))?;
                    write_change(change, text).map_err(|fault| InstallError::from_io("write", &change.path, &fault))?;
                    applied.written_files.push(change.path.clone());
                }
                None => {
                    fs::remove_file(&change.path)
                        .map_err(|fault| InstallError::from_io("remove", &change.path, &fault))?;
                    applied.removed_files.push(change.path.clone());
                    self.remove_empty_folders(&change.path);
                }
            }
        }
        Ok(applied)
    }

    /// Marks a folder that is there and empty, so that taking the file out again leaves it there.
    fn mark_kept_folder(&self, path: &Path) -> io::Result<()> {
        let mut below =
            path.ancestors().skip(1).take_while(|folder| **folder != self.base && folder.starts_with(&self.base));
        let Some(folder) = below.find(|folder| folder.is_dir()) else { return Ok(()) };
        if fs::read_dir(folder)?.next().is_none() {
            OpenOptions::new().write(true).create_new(true).mode(PLAIN).open(folder.join(KEPT))?;
        }
        Ok(())
    }

    /// Removes the folders that a removed file leaves empty, below the base.
    fn remove_empty_folders(&self, path: &Path) {
        let below =
            path.ancestors().skip(1).take_while(|folder| **folder != self.base && folder.starts_with(&self.base));
        for folder in below {
            let mark = folder.join(KEPT);
            let is_alone = || fs::read_dir(folder).is_ok_and(|entries| entries.count() == 1);
            if mark.exists() && is_alone() {
                // It was there before, and stays.
                let _ = fs::remove_file(mark);
                break;
            }
            // A folder with something in it refuses, and that is where this ends.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

fn write_change(change: &SettingsChange, text: &str) -> io::Result<()> {
    let path = &change.path;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    let name = path.file_name().ok_or(io::ErrorKind::NotFound)?.to_string_lossy();
    let beside = folder.join(format!(".{name}.pintle-{}", std::process::id()));
    let fresh = if change.is_executable { PROGRAM } else { PLAIN };
    let mode = fs::metadata(path).map_or(fresh, |metadata| metadata.permissions().mode() & 0o7777);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&beside)?;
        file.write_all(text.as_bytes())?;
        // The mode at creation goes through the mask of the process.
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&beside, path)
    })();
    if written.is_err() {
        // What could not be put in place is of no use; that it cannot be removed either changes nothing.
        let _ = fs::remove_file(&beside);
    }
    written
}
