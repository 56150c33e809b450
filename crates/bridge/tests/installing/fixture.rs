//! A fake machine in a directory.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pintle_bridge::HostDef;
use pintle_bridge::install::{InstallEnvironment, InstallOptions, InstallPlan, InstallScope};
use tempfile::TempDir;

/// An empty home directory and project.
pub(crate) struct InstallFixture {
    folder: TempDir,
    pub(crate) environment: InstallEnvironment,
}

impl InstallFixture {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let site = InstallEnvironment {
            home: root.join("home"),
            project: root.join("project"),
            root: root.join("root"),
            variables: BTreeMap::new(),
        };
        for dir in [&site.home, &site.project, &site.root] {
            fs::create_dir(dir).unwrap();
        }
        Self { folder: dir, environment: site }
    }

    /// The settings of a host.
    pub(crate) fn settings(&self, host: &HostDef, scope: InstallScope) -> PathBuf {
        self.environment.settings_path(scope, host.install.location(scope).unwrap())
    }

    /// Everything on the machine: paths, modes and bytes.
    pub(crate) fn list_all_files(&self) -> Vec<(PathBuf, u32, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        collect_files(self.folder.path(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn plan_install(&self, host: &'static HostDef, scope: InstallScope) -> InstallPlan {
        InstallPlan::install(host, &self.environment, scope, &default_options("/opt/pintle")).unwrap()
    }

    pub(crate) fn plan_uninstall(&self, host: &'static HostDef, scope: InstallScope) -> InstallPlan {
        InstallPlan::uninstall(host, &self.environment, scope).unwrap()
    }
}

/// The default installation options.
pub(crate) fn default_options(program: &str) -> InstallOptions {
    InstallOptions { program: program.to_owned(), ..InstallOptions::default() }
}

/// Writes a file and creates its parent directories.
pub(crate) fn write_file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn collect_files(dir: &Path, files: &mut Vec<(PathBuf, u32, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let bytes = metadata.is_file().then(|| fs::read(&path).unwrap());
        files.push((path.clone(), metadata.permissions().mode(), bytes));
        if metadata.is_dir() {
            collect_files(&path, files);
        }
    }
}
