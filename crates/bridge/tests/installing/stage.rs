//! A machine in a folder.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pintle_bridge::Host;
use pintle_bridge::install::{Options, Plan, Scope, Site};
use tempfile::TempDir;

/// A home and a project of nobody.
pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) site: Site,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let site = Site { home: root.join("home"), project: root.join("project"), variables: BTreeMap::new() };
        fs::create_dir(&site.home).unwrap();
        fs::create_dir(&site.project).unwrap();
        Self { folder, site }
    }

    /// The settings of a host.
    pub(crate) fn settings(&self, host: &Host, scope: Scope) -> PathBuf {
        self.site.path(scope, host.install.place(scope))
    }

    /// Everything on the machine: paths, modes and bytes.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, u32, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        walk(self.folder.path(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn install(&self, host: &'static Host, scope: Scope) -> Plan {
        Plan::install(host, &self.site, scope, &options("/opt/pintle")).unwrap()
    }

    pub(crate) fn uninstall(&self, host: &'static Host, scope: Scope) -> Plan {
        Plan::uninstall(host, &self.site, scope).unwrap()
    }
}

/// What is installed when nobody says more.
pub(crate) fn options(program: &str) -> Options {
    Options { program: program.to_owned(), ..Options::default() }
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, u32, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let bytes = metadata.is_file().then(|| fs::read(&path).unwrap());
        found.push((path.clone(), metadata.permissions().mode(), bytes));
        if metadata.is_dir() {
            walk(&path, found);
        }
    }
}
