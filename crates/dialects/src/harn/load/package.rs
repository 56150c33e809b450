//! The files that the loader must read in addition to a manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{Location, SourceFile};

use crate::document::{DocNode, FileReport, parse_toml};

/// The files of a package, relative to the directory of its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageFiles {
    /// The modules that it exports by a path.
    pub modules: Vec<PathBuf>,
    /// The packages that it depends on, in the order written.
    pub dependencies: Vec<PackageDependency>,
}

/// A package that another one depends on by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageDependency {
    /// Its directory, relative to that of the manifest.
    pub folder: PathBuf,
    /// Where the manifest names it.
    pub location: Location,
}

/// The files that the manifest at `path` names. Errors are reported when the manifest itself is read.
#[must_use]
pub fn package_files(path: &Path, manifest: &str) -> PackageFiles {
    let file = SourceFile { path: path.to_owned(), text: manifest.to_owned() };
    let report = FileReport::new(Arc::new(file), "");
    let document = parse_toml(&report);
    let local = dependencies(&document).filter_map(|(_, node)| {
        let written = node.get("path")?;
        Some(PackageDependency { folder: PathBuf::from(written.as_text()?), location: report.location(written.span) })
    });
    PackageFiles {
        modules: exports(&document).map(|(_, path)| PathBuf::from(path)).collect(),
        dependencies: local.collect(),
    }
}

/// The modules of `[exports]` and their paths.
pub(super) fn exports(document: &DocNode) -> impl Iterator<Item = (&str, &str)> {
    section(document, "exports").filter_map(|(name, node)| Some((name, node.as_text()?)))
}

/// The names of `[dependencies]` and their values.
pub(super) fn dependencies(document: &DocNode) -> impl Iterator<Item = (&str, &DocNode)> {
    section(document, "dependencies")
}

fn section<'a>(document: &'a DocNode, name: &str) -> impl Iterator<Item = (&'a str, &'a DocNode)> + use<'a> {
    let entries = document.get(name).and_then(DocNode::entries).unwrap_or_default();
    entries.iter().map(|entry| (entry.key.as_str(), &entry.value))
}
