//! Loads the configuration directory of a user or an organisation: `config.yaml` with `settings`, drop-ins in
//! `hooks.d/` with one block of hooks each, in the order of their names, then hooks of every other dialect, laid out as
//! below `.harness/`.
//!
//! A file that does not load is an error, not a warning: skipping a guard would leave its events unguarded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{
    Diagnostic, EnforcementMode, HandlerFactory, Layer, Location, PermissionsSpec, Severity, TapeRetention,
    TelemetrySettings,
};
use pintle_dialects::{ArtifactKind, ParseContext, ParsedProject};

use super::account::resolve_named_dir;
use super::{LayerDirs, MANAGED_DIR, find_config_dir};
use crate::compile::compile_chains;
use crate::discover::{
    DiscoveredFile, discover_user_dir, error_without_file, io_error_text, is_yaml_path, sorted_entries,
};
use crate::load::{LoadOptions, LoadedPath, sort_diagnostics};
use crate::parse::parse_artifacts;
use crate::policy::collect_policy_files;
use crate::read;

const SETTINGS: &str = "config.yaml";
const DROP_INS: &str = "hooks.d";

/// Names that are probably meant to be the settings file.
const NEAR_SETTINGS: [&str; 2] = ["config.yml", "config.json"];

/// Whether a file in `hooks.d/` is probably meant to be read.
fn is_misnamed_settings(path: &Path) -> bool {
    pintle_files::is_file(path)
        && path.extension().is_some_and(|ending| ["json", "md", "star"].iter().any(|near| ending == *near))
}

/// Loads the hooks of a user or an organisation from their directory: its `config.yaml`, `hooks.d/*.yaml`, the files in
/// `hooks/`, `plugins/`, `builtins/` and `overrides/`, and the package of a `harn.toml`. Missing files are fine. Files
/// that only an agent could use are not read.
///
/// Never fails: every error in every file is among the diagnostics. If there is one, the chains are incomplete and must
/// not be run.
#[must_use]
pub fn load_layer(dir: &Path, layer: Layer, factory: &dyn HandlerFactory, options: &LoadOptions<'_>) -> LoadedPath {
    load_layer_in(EnforcementMode::Enforce, dir, layer, factory, options)
}

/// Loads the hooks of an organisation that are called and not enforced. Nothing else of the directory applies, and an error
/// in it is a warning, because nothing is guarded by it.
#[must_use]
pub fn load_shadowed_layer(dir: &Path, factory: &dyn HandlerFactory, options: &LoadOptions<'_>) -> LoadedPath {
    let mut loaded = load_layer_in(EnforcementMode::Shadow, dir, Layer::Managed, factory, options);
    loaded.permissions = PermissionsSpec::default();
    loaded.untrusted_guards = None;
    loaded.redact_secrets = false;
    for finding in &mut loaded.diagnostics {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    loaded
}

fn load_layer_in(
    mode: EnforcementMode,
    dir: &Path,
    layer: Layer,
    factory: &dyn HandlerFactory,
    options: &LoadOptions<'_>,
) -> LoadedPath {
    let mut findings = Vec::new();
    let mut found = discover_layer(dir, &mut findings);
    let discovered = found.len();
    if let Some(known) = options.known_files {
        known.keep_new(&mut found, &mut findings);
    }
    let artifacts = read::read_all(&mut found, dir, &mut findings);
    let mut project = parse_artifacts(artifacts, factory, options, &mut findings);
    if mode == EnforcementMode::Shadow {
        project.hooks.iter_mut().for_each(|hook| hook.mode = mode);
    }
    let (chains, compiled) = compile_chains(dir.display().to_string(), layer, &project.hooks, factory);
    findings.extend(compiled);
    sort_diagnostics(&mut findings);
    // An auditor relies on the witness, and an organisation on its telemetry, so an agent must not change these either.
    let headers = project.telemetry.as_ref().and_then(|telemetry| telemetry.headers_file.as_deref());
    let named = [project.tape_witness.as_deref(), headers].into_iter().flatten().filter_map(resolve_named_dir);
    let policy = collect_policy_files(dir, std::iter::once(dir), project.hooks.iter()).with_paths(named);
    LoadedPath {
        chains,
        agent: None,
        team: None,
        personas: Vec::new(),
        permissions: project.permissions,
        untrusted_guards: project.untrusted_guards,
        redact_secrets: project.redact_secrets,
        trust: None,
        policy,
        diagnostics: findings,
        hook_declarations: project.hooks.into_iter().map(Arc::new).collect(),
        files: found.len(),
        is_repeated: found.len() < discovered,
    }
}

/// Reads from the settings of an organisation and a user how long tapes are kept. The organisation's limit applies where
/// both have one of the same kind. A project has no say.
///
/// # Errors
/// The first error in one of the files: what it was meant to say is not known, so nothing may be removed.
pub fn find_tape_retention(dirs: &LayerDirs) -> Result<TapeRetention, Box<Diagnostic>> {
    let settings = read_settings(dirs)?;
    Ok(settings.fold(TapeRetention::default(), |retention, project| retention.or(project.tape_retention)))
}

/// Reads from the settings of an organisation and a user to which file the checkpoints of tapes are appended. The
/// organisation's file applies if both name one. A project has no say.
///
/// # Errors
/// The first error in one of the files, or that a file in the home directory was named and there is none.
pub fn find_tape_witness(dirs: &LayerDirs) -> Result<Option<PathBuf>, String> {
    let settings = read_settings(dirs).map_err(|error| error.message.clone())?;
    let named = settings.filter_map(|project| project.tape_witness).next();
    let Some(named) = named else { return Ok(None) };
    let found = resolve_named_dir(&named);
    found.map(Some).ok_or_else(|| format!("cannot find `{}`: the account has no home directory", named.display()))
}

/// Reads from the settings of an organisation and a user where telemetry is sent, with the path of the file of headers. The
/// organisation's key applies as a whole if both have one. A project has no say, and neither has a variable that names
/// another directory of the organisation: a project may be able to set it.
///
/// # Errors
/// The first error in one of the files, or that a file in the home directory was named and there is none.
pub fn find_telemetry(config: Option<&Path>) -> Result<Option<TelemetrySettings>, Box<Diagnostic>> {
    let without_file =
        |message: String| Box::new(error_without_file("missing_directory", message, "create it, or name another one"));
    let config = find_config_dir(config).map_err(|error| without_file(error.to_string()))?;
    telemetry_of(&LayerDirs { managed: vec![PathBuf::from(MANAGED_DIR)], config, ..LayerDirs::default() })
}

/// The same for the settings in these directories.
///
/// # Errors
/// As for [`find_telemetry`].
pub fn telemetry_of(dirs: &LayerDirs) -> Result<Option<TelemetrySettings>, Box<Diagnostic>> {
    let Some(found) = read_settings(dirs)?.find_map(|project| project.telemetry) else { return Ok(None) };
    let Some(named) = &found.headers_file else { return Ok(Some(found)) };
    let missing = || format!("cannot find `{}`: the account has no home directory", named.display());
    let headers_file = resolve_named_dir(named)
        .ok_or_else(|| Box::new(error_without_file("missing_directory", missing(), "write an absolute path")))?;
    Ok(Some(TelemetrySettings { headers_file: Some(headers_file), ..found }))
}

/// The settings of an organisation and a user, in this order.
fn read_settings(dirs: &LayerDirs) -> Result<impl Iterator<Item = ParsedProject>, Box<Diagnostic>> {
    let mut settings = Vec::new();
    for path in dirs.managed.iter().chain(&dirs.config).map(|dir| dir.join(SETTINGS)) {
        if !pintle_files::exists(&path) {
            continue;
        }
        let (role, mut findings) = (ArtifactKind::UserSettings, Vec::new());
        let artifacts = read::read_all(&mut vec![DiscoveredFile { path, role }], Path::new(""), &mut findings);
        let project = (role.dialect().load)(&artifacts, &ParseContext::default());
        findings.extend(project.diagnostics.iter().cloned());
        if let Some(error) = findings.into_iter().find(|finding| finding.severity == Severity::Error) {
            return Err(Box::new(error));
        }
        settings.push(ParsedProject { diagnostics: Vec::new(), ..project });
    }
    Ok(settings.into_iter())
}

fn discover_layer(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let mut found = Vec::new();
    let settings = dir.join(SETTINGS);
    if pintle_files::exists(&settings) {
        found.push(DiscoveredFile { path: settings, role: ArtifactKind::UserSettings });
    }
    for name in NEAR_SETTINGS.iter().filter(|name| pintle_files::is_file(dir.join(name))) {
        let message = format!("the file `{}` is not read, so the hooks in it do not run", dir.join(name).display());
        findings.push(error_without_file("unread_file", message, &format!("rename it to `{SETTINGS}`")));
    }
    let drop_ins = dir.join(DROP_INS);
    if pintle_files::exists(&drop_ins) {
        let files = sorted_entries(&drop_ins, findings)
            .into_iter()
            .filter(|path| is_yaml_path(path) && !pintle_files::is_dir(path));
        found.extend(files.map(|path| DiscoveredFile { path, role: ArtifactKind::HooksBlock }));
        for path in sorted_entries(&drop_ins, &mut Vec::new()).into_iter().filter(|path| is_misnamed_settings(path)) {
            let message = format!("the file `{}` is not read", path.display());
            let help = "drop-ins end in `.yaml`; put Markdown hooks in `hooks/` and plugins in `plugins/`";
            findings.push(Diagnostic::warning("unread_file", message, Location::default()).help(help));
        }
    }
    match pintle_files::metadata(dir) {
        Ok(metadata) if metadata.is_dir() => found.extend(discover_user_dir(dir, findings)),
        // What the link is meant to lead to is not known to guard nothing.
        Err(_) if pintle_files::symlink_metadata(dir).is_err_and(|error| pintle_files::is_absent(&error)) => {}
        read => {
            let why = read.err().map_or_else(|| String::from("it is not a directory"), |error| io_error_text(&error));
            let message = format!("cannot read `{}`: {why}", dir.display());
            findings.push(error_without_file("unreadable", message, "make it a directory with hooks, or remove it"));
        }
    }
    found
}
