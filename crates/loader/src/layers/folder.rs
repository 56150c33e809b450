//! The folder of a person or an organisation: `config.yaml` with `settings` and drop-ins below `hooks.d/` with one block of
//! hooks each, in the order of their names (docker-agent behaviour, section 5); then hooks of every other dialect, laid
//! out as below `.harness/`.
//!
//! A file that does not load is an error and not a warning: a guard that is passed over guards nothing.

use std::path::Path;

use pintle_contract::{Build, Diagnostic, Layer};
use pintle_dialects::Role;

use crate::chain::compile_chains;
use crate::discover::{Found, discover_own, entries, is_yaml};
use crate::load::{Loaded, Options, sort, understand};
use crate::policy::policy_of;
use crate::read;

/// The file of settings.
const SETTINGS: &str = "config.yaml";
/// The folder of drop-ins.
const DROP_INS: &str = "hooks.d";

/// Loads the hooks of a person or an organisation from their folder: its `config.yaml`, `hooks.d/*.yaml`, the files in
/// `hooks/`, `plugins/`, `builtins/` and `overrides/`, and the package of a `harn.toml`. What is not there holds nothing,
/// and what could only be used by an agent of its own is not used.
///
/// Never fails: every fault of every file is among the diagnostics. With an error among them the chains are incomplete
/// and must not be run.
#[must_use]
pub fn load_layer(folder: &Path, layer: Layer, build: &dyn Build, options: &Options<'_>) -> Loaded {
    let mut findings = Vec::new();
    let found = discover(folder, &mut findings);
    let artifacts = read::read_all(&found, build, &mut findings);
    let project = understand(artifacts, build, options, &mut findings);
    let (chains, compiled) = compile_chains(folder.display().to_string(), layer, &project.hooks, build);
    findings.extend(compiled);
    sort(&mut findings);
    let policy = policy_of(folder, std::iter::once(folder), project.hooks.iter());
    Loaded {
        chains,
        agent: None,
        team: None,
        personas: Vec::new(),
        permissions: project.permissions,
        untrusted_guards: project.untrusted_guards,
        consent: None,
        policy,
        diagnostics: findings,
        declarations: project.hooks,
        files: found.len(),
    }
}

fn discover(folder: &Path, findings: &mut Vec<Diagnostic>) -> Vec<Found> {
    let mut found = Vec::new();
    let settings = folder.join(SETTINGS);
    if settings.exists() {
        found.push(Found { path: settings, role: Role::UserSettings });
    }
    let drop_ins = folder.join(DROP_INS);
    if drop_ins.exists() {
        let files = entries(&drop_ins, findings).into_iter().filter(|path| is_yaml(path) && !path.is_dir());
        found.extend(files.map(|path| Found { path, role: Role::HooksBlock }));
    }
    if folder.is_dir() {
        found.extend(discover_own(folder, findings));
    }
    found
}
