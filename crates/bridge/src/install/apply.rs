//! Applies an installation plan.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pintle_host::files::{
    create_shared_dirs, file_mode, private_dir_builder, private_options, replace_private_file, set_file_mode,
};

use super::{InstallError, InstallPlan, InstallScope, SettingsChange, backup, plan};

/// The changes that were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstallReport {
    /// The directory that was created.
    pub created_dir: Option<PathBuf>,
    /// Files that were written.
    pub written_files: Vec<PathBuf>,
    /// Files that were removed.
    pub removed_files: Vec<PathBuf>,
    /// The backups that were made.
    pub backups: Vec<PathBuf>,
}

/// The mode of a new settings file: other users need not read it.
const PLAIN: u32 = 0o600;
/// The mode of files with settings of the machine: every user's agent reads them.
const FOR_ALL: u32 = 0o644;
/// Marks a directory that existed before, and was empty.
const KEPT: &str = ".pintle-keep";
/// The mode of a new program.
const PROGRAM: u32 = 0o755;

impl InstallPlan {
    /// Applies the changes. Each file is written to a temporary file and renamed, so that no reader sees a partial
    /// file.
    ///
    /// # Errors
    /// When a file changed since the plan was made, or cannot be written.
    pub fn apply(&self) -> Result<InstallReport, InstallError> {
        let mut applied = InstallReport::default();
        if let Some(dir) = &self.config_dir {
            // Anyone who can write there controls the guards.
            let made = private_dir_builder().recursive(true).create(dir);
            made.map_err(|error| InstallError::from_io("create the directory", dir, &error))?;
            applied.created_dir = Some(dir.clone());
        }
        for change in &self.changes {
            self.apply_change(change, &mut applied).map_err(|error| self.explain_link(change, error))?;
        }
        if self.is_removal {
            self.remove_empty_folders();
        }
        Ok(applied)
    }

    /// Applies the change of one file.
    fn apply_change(&self, change: &SettingsChange, applied: &mut InstallReport) -> Result<(), InstallError> {
        if plan::read_if_exists(&change.path)? != change.before {
            return Err(InstallError::Changed { path: change.path.clone() });
        }
        if let Some(copy) = &change.backup {
            backup::copy_file(&change.path, copy).map_err(|error| InstallError::from_io("write", copy, &error))?;
            applied.backups.push(copy.clone());
        }
        for copy in &change.obsolete_backups {
            fs::remove_file(copy).map_err(|error| InstallError::from_io("remove", copy, &error))?;
        }
        match &change.after {
            Some(text) => {
                self.mark_kept_folder(&change.path)
                    .and_then(|()| self.write_change(change, text))
                    .map_err(|error| InstallError::from_io("write", &change.path, &error))?;
                applied.written_files.push(change.path.clone());
            }
            None => {
                fs::remove_file(&change.path).map_err(|error| InstallError::from_io("remove", &change.path, &error))?;
                applied.removed_files.push(change.path.clone());
            }
        }
        Ok(())
    }

    /// The error for a file that another program writes, which put a link to it where the host looks.
    fn explain_link(&self, change: &SettingsChange, error: InstallError) -> InstallError {
        let reason = match &error {
            InstallError::NotPermitted { .. } => String::from("permission denied"),
            InstallError::File { reason, .. } => reason.clone(),
            _ => return error,
        };
        if change.path.starts_with(&self.settings_path) {
            return error;
        }
        let (link, target) = (self.settings_path.clone(), change.path.clone());
        InstallError::LinkedFile { link, target, reason, own_text: self.own_text.clone() }
    }

    fn write_change(&self, change: &SettingsChange, text: &str) -> io::Result<()> {
        let path = &change.path;
        let dir = path.parent().ok_or(io::ErrorKind::NotFound)?;
        let fresh = match (change.is_executable, self.scope) {
            (true, _) => PROGRAM,
            (false, InstallScope::Managed) => FOR_ALL,
            (false, InstallScope::User | InstallScope::Project) => PLAIN,
        };
        let mut mode = fs::metadata(path).ok().and_then(|metadata| file_mode(&metadata)).unwrap_or(fresh);
        if self.scope == InstallScope::Managed {
            create_shared_dirs(dir)?;
            mode |= FOR_ALL;
        } else {
            fs::create_dir_all(dir)?;
        }
        replace_private_file(path, |file| {
            file.write_all(text.as_bytes())?;
            set_file_mode(file, mode)?;
            file.sync_all()
        })
    }

    /// Marks an existing empty directory, so that removing the file again keeps the directory.
    fn mark_kept_folder(&self, path: &Path) -> io::Result<()> {
        let Some(dir) = self.dirs_above(path).find(|dir| dir.is_dir()) else { return Ok(()) };
        if fs::read_dir(dir)?.next().is_none() {
            private_options().write(true).create_new(true).open(dir.join(KEPT))?;
        }
        Ok(())
    }

    /// Removes the directories of the changed files that are empty now, and the marks of those that stay.
    fn remove_empty_folders(&self) {
        let mut paths: Vec<&Path> = self.changes.iter().map(|change| change.path.as_path()).collect();
        paths.dedup_by_key(|path| path.parent());
        for dir in paths.into_iter().flat_map(|path| self.dirs_above(path)) {
            // A directory with a mark existed before. One that is not empty cannot be removed.
            if fs::remove_file(dir.join(KEPT)).is_ok() || fs::remove_dir(dir).is_err() {
                break;
            }
        }
    }

    /// The directories of a file that may be removed, the nearest one first.
    fn dirs_above<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        path.ancestors().skip(1).take_while(|dir| **dir != self.base && dir.starts_with(&self.base))
    }
}
