//! Manifests: `harn.toml` (Harn, `[[hooks]]` package manifest entries; Harn behaviour, section 3).

use std::path::Path;
use std::sync::Arc;

use pintle_contract::{HandlerSpec, suggest_nearest};

use super::module::{Home, resolve};
use super::options;
use super::package::dependencies;
use crate::document::{Fields, Kind, Node, Report, parse_toml};
use crate::harn::{declare, personas};
use crate::{Artifact, Project, Reading};

/// The parts of a manifest that mean something here. The others are Harn's own affair.
const SECTIONS: [&str; 5] = ["package", "exports", "dependencies", "hooks", "personas"];

/// Reads one manifest. `is_dependency` says that another one led to it.
pub(super) fn read(
    artifact: &Artifact,
    is_dependency: bool,
    modules: &[&Artifact],
    reading: &Reading<'_>,
    project: &mut Project,
) {
    let report = Report::new(Arc::clone(&artifact.file), "").of_format("toml");
    let document = parse_toml(&report);
    nearly(&report, &document, &SECTIONS, "the manifest");
    if let Some(package) = document.get("package") {
        nearly(&report, package, &["name"], "`[package]`");
    }
    for (name, node) in dependencies(&document).filter(|(_, node)| node.get("path").is_none()) {
        let message = format!("hooks of the package `{name}` are not loaded: Harn fetches it from elsewhere");
        let help = Some(format!("write `{name} = {{path = \"..\"}}` to load them from a folder"));
        report.note("dependency", message, node.span, help);
    }
    let mut fields = Fields::new(&report, "the manifest", Some(&document), document.span);
    let package = fields.fields("package").and_then(|mut package| package.text("name"));
    let exports = exports(&mut fields);
    let folder = artifact.file.path.parent().unwrap_or(Path::new(""));
    let home = Home { folder, package: package.as_deref(), exports: &exports, modules, has_harn: reading.has_harn };
    let prefix = package.as_deref().filter(|_| is_dependency);
    for (index, item) in fields.list("hooks").unwrap_or_default().iter().enumerate() {
        hook(&report, index, item, &home, prefix, project);
    }
    if let Some(list) = fields.node("personas") {
        project.personas.extend(personas::read(&report, list).into_iter().map(Arc::new));
    }
    project.diagnostics.extend(report.into_findings());
}

/// Warns of keys that are nearly one that is read. Any other is Harn's own affair.
fn nearly(report: &Report, node: &Node, known: &[&str], owner: &str) {
    let Kind::Map(entries) = &node.kind else { return };
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        if let Some(near) = suggest_nearest(&entry.key, known.iter().copied()) {
            let message = format!("`{}` of {owner} is not read", entry.key);
            report.warning("unknown_key", message, entry.key_span, Some(format!("did you mean `{near}`?")));
        }
    }
}

/// The exported modules and their paths.
fn exports(fields: &mut Fields<'_>) -> Vec<(String, String)> {
    fields.pairs("exports")
}

/// Reads one table of `[[hooks]]`.
fn hook(report: &Report, index: usize, item: &Node, home: &Home<'_>, prefix: Option<&str>, project: &mut Project) {
    let before = report.errors();
    let mut fields = Fields::new(report, format!("hooks[{index}]"), Some(item), item.span);
    if !matches!(item.kind, Kind::Map(_)) {
        return;
    }
    for key in ["event", "handler"] {
        if fields.node(key).is_none() {
            let help = match key {
                "event" => "add a line such as `event = \"UserPromptSubmit\"`",
                _ => "add a line such as `handler = \"policy::reject_secrets\"`",
            };
            let message = format!("hooks[{index}] has no `{key}`");
            report.value_error("missing_field", &message, item.span, Some(help.to_owned()));
        }
    }
    let place_of = |node: Option<&Node>| report.location(node.map_or(item.span, |node| node.span));
    let event_place = place_of(fields.node("event"));
    let pattern_place = place_of(fields.node("pattern"));
    let handler_place = place_of(fields.node("handler"));
    let event = fields.text("event");
    let pattern = fields.text("pattern");
    let handler = fields.text("handler");
    let mut options = options::of_fields(&mut fields);
    fields.finish_strictly();
    let resolved = handler.as_deref().and_then(|handler| match resolve(handler, home) {
        Ok(resolved) => Some(resolved),
        Err(fault) => {
            report.add(fault.at(handler_place.clone()));
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
    // A hook without a handler is declared all the same, to see what else is wrong with it.
    let spec = resolved.unwrap_or(HandlerSpec::None);
    match declare::manifest_hook(&event, pattern.as_deref(), spec, options, handler_place) {
        // Nothing is registered by half.
        Ok(hook) if report.errors() == before => project.hooks.push(hook),
        Ok(_) => {}
        Err(faults) => {
            for mut fault in faults {
                fault.location = match fault.code {
                    "bad_pattern" => pattern_place.clone(),
                    _ => event_place.clone(),
                };
                report.add(fault);
            }
        }
    }
}
