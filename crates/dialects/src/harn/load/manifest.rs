//! Reads manifests: `harn.toml`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{HandlerSpec, Location, Severity, SourceFile, did_you_mean};

use super::argument::options_from_fields;
use super::module::{PackageContext, resolve};
use crate::document::{DocNode, FieldReader, FileReport, parse_toml};
use crate::harn::{declare, personas};
use crate::{Artifact, ParseContext, ParsedProject};

/// The parts of a manifest that Pintle reads. Only Harn uses the others.
const SECTIONS: [&str; 5] = ["package", "exports", "dependencies", "hooks", "personas"];

/// Reads one manifest. `is_dependency` says that another manifest depends on it.
pub(super) fn read(
    artifact: &Artifact,
    is_dependency: bool,
    modules: &[&Artifact],
    context: &ParseContext<'_>,
    project: &mut ParsedProject,
) {
    let report = FileReport::new(Arc::clone(&artifact.file), "").with_format("toml");
    let document = parse_toml(&report);
    report_near_misses(&report, &document, &SECTIONS, "the manifest", Severity::Error);
    if let Some(package) = document.get("package") {
        report_near_misses(&report, package, &["name"], "`[package]`", Severity::Warning);
    }
    for (name, node) in dependencies(&document).filter(|(_, node)| node.get("path").is_none()) {
        let message = format!("hooks of the package `{name}` are not loaded: Harn downloads the package");
        let help = format!("write `{name} = {{path = \"..\"}}` to load them from a directory");
        report.note("dependency", message, node.span, help);
    }
    let mut fields = FieldReader::new(&report, "the manifest", Some(&document), document.span);
    let package = fields.fields("package").and_then(|mut package| package.text("name"));
    let exports = fields.pairs("exports");
    let dir = artifact.file.path.parent().unwrap_or(Path::new(""));
    let home = PackageContext {
        folder: dir,
        package: package.as_deref(),
        exports: &exports,
        modules,
        has_harn: context.has_harn,
    };
    let prefix = package.as_deref().filter(|_| is_dependency);
    for (index, item) in fields.list("hooks").unwrap_or_default().iter().enumerate() {
        read_hook(&report, index, item, &home, prefix, project);
    }
    if let Some(list) = fields.node("personas") {
        project.personas.extend(personas::read(&report, list).into_iter().map(Arc::new));
    }
    project.diagnostics.extend(report.into_diagnostics());
}

/// Reports keys that are similar to a known one: a misspelt section may hold guards. Only Harn uses the others.
fn report_near_misses(report: &FileReport, node: &DocNode, known: &[&str], owner: &str, severity: Severity) {
    let entries = node.entries().unwrap_or_default().iter();
    // Harn has `dev-dependencies` and others of the kind.
    let is_unknown = |key: &str| !known.contains(&key) && !key.ends_with("-dependencies");
    for entry in entries.filter(|entry| is_unknown(&entry.key)) {
        if let Some(help) = did_you_mean(&entry.key, known.iter().copied()) {
            let message = format!("`{}` of {owner} is ignored", entry.key);
            match severity {
                Severity::Error => {
                    report.value_error("unknown_key", message, entry.key_span, help);
                }
                _ => report.warning("unknown_key", message, entry.key_span, Some(help)),
            }
        }
    }
}

fn read_hook(
    report: &FileReport,
    index: usize,
    item: &DocNode,
    home: &PackageContext<'_>,
    prefix: Option<&str>,
    project: &mut ParsedProject,
) {
    let before = report.error_count();
    let mut fields = FieldReader::new(report, format!("hooks[{index}]"), Some(item), item.span);
    if item.entries().is_none() {
        return;
    }
    for key in ["event", "handler"] {
        if fields.node(key).is_none() {
            let help = match key {
                "event" => "add a line such as `event = \"UserPromptSubmit\"`",
                _ => "add a line such as `handler = \"policy::reject_secrets\"`",
            };
            report.value_error("missing_field", format!("hooks[{index}] has no `{key}`"), item.span, help);
        }
    }
    let place_of = |node: Option<&DocNode>| report.location(node.map_or(item.span, |node| node.span));
    let event_place = place_of(fields.node("event"));
    let pattern_place = place_of(fields.node("pattern"));
    let handler_place = place_of(fields.node("handler"));
    let event = fields.text("event");
    let pattern = fields.text("pattern");
    let handler = fields.text("handler");
    let mut options = options_from_fields(&mut fields);
    fields.finish_strictly();
    let resolved = handler.as_deref().and_then(|handler| match resolve(handler, home) {
        Ok(resolved) => Some(resolved),
        Err(error) => {
            report.add(error.into_diagnostic(handler_place.clone()));
            None
        }
    });
    let Some(event) = event else { return };
    if options.name.is_none() {
        let owner = prefix.map(|package| format!("{package}::")).unwrap_or_default();
        options.name = handler
            .as_deref()
            .map(|handler| if handler.starts_with(&owner) { handler.to_owned() } else { format!("{owner}{handler}") });
    }
    // A hook without a handler is still declared, to find its other errors.
    let spec = resolved.unwrap_or(HandlerSpec::None);
    match declare::declare_manifest_hook(&event, pattern.as_deref(), spec, options, handler_place) {
        // A hook is never registered partially.
        Ok(hook) if report.error_count() == before => project.hooks.push(hook),
        Ok(_) => {}
        Err(faults) => {
            for mut error in faults {
                error.location = match error.code {
                    "bad_pattern" => pattern_place.clone(),
                    _ => event_place.clone(),
                };
                report.add(error);
            }
        }
    }
}

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
