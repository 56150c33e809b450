//! Finds the files of a package: its manifest, its modules, and the packages that it depends on.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pintle_contract::Diagnostic;
use pintle_dialects::lifecycle_hooks::package_files;
use pintle_dialects::{ArtifactKind, ProgramLookup};

use crate::discover::{DiscoveredFile, sorted_entries};
use crate::programs::InstalledPrograms;

/// The name of a package's manifest.
pub(crate) const MANIFEST: &str = "harn.toml";

/// The directories of a package that contain its modules.
const FOLDERS: [&str; 3] = ["", "src", "lib"];

/// Finds the files of a manifest's package.
pub(crate) fn discover_package(manifest: &Path, files: &mut Vec<DiscoveredFile>, findings: &mut Vec<Diagnostic>) {
    walk_manifests(manifest, &mut HashSet::new(), files, findings);
}

fn walk_manifests(
    manifest: &Path,
    seen: &mut HashSet<PathBuf>,
    manifests: &mut Vec<DiscoveredFile>,
    findings: &mut Vec<Diagnostic>,
) {
    // Packages may depend on each other in a cycle.
    if !seen.insert(pintle_files::real_path(manifest)) {
        return;
    }
    manifests.push(DiscoveredFile { path: manifest.to_owned(), role: ArtifactKind::Package });
    let dir = manifest.parent().unwrap_or(Path::new(""));
    // A manifest that cannot be read is reported when it is loaded.
    let text = crate::read::read_limited(manifest)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let files = package_files(manifest, &text);
    let mut modules: Vec<PathBuf> = Vec::new();
    for name in FOLDERS {
        let dir = if name.is_empty() { dir.to_owned() } else { dir.join(name) };
        if pintle_files::is_dir(&dir) || name.is_empty() {
            let place = if dir.as_os_str().is_empty() { Path::new(".") } else { &dir };
            let files = sorted_entries(place, findings)
                .into_iter()
                .filter(|path| pintle_files::is_file(path) && is_module_file(path));
            modules.extend(files.filter_map(|path| Some(dir.join(path.file_name()?))));
        }
    }
    for path in files.modules.iter().map(|path| dir.join(path)).filter(|path| pintle_files::is_file(path)) {
        if !modules.contains(&path) {
            modules.push(path);
        }
    }
    manifests.extend(modules.into_iter().map(|path| DiscoveredFile { path, role: ArtifactKind::Module }));
    for dependency in files.dependencies {
        let manifest = dir.join(&dependency.folder).join(MANIFEST);
        if pintle_files::is_file(&manifest) {
            walk_manifests(&manifest, seen, manifests, findings);
        } else {
            let message = format!("`{MANIFEST}` does not exist in `{}`", dependency.folder.display());
            let help = "fix the path under `[dependencies]`; it is relative to the manifest";
            findings.push(Diagnostic::error("unreadable", message, dependency.location).help(help));
        }
    }
}

/// Whether a file may contain functions that a manifest names.
fn is_module_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "star" || ending == "harn")
}

/// Whether the name of a file is that of a plugin.
pub(crate) fn is_plugin_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "star")
}

/// Whether a file called `harn` is in a directory of the PATH.
pub(crate) fn is_harn_installed() -> bool {
    InstalledPrograms.can_find("harn")
}
