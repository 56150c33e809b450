//! The policy file that `init` writes.

use std::fs;
use std::path::{Path, PathBuf};

use pintle_bridge::install::{InstallEnvironment, InstallScope};
use pintle_host::files::{create_shared_dirs, private_dir_builder, replace_file};
use pintle_host::loader::MANAGED_DIR;
use pintle_host::packs::{PackDef, default_packs};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::options::{POLICY_FILE, find_user_dir};

const HEAD: &str = "\
# What Pintle refuses in every agent that it is installed in. `pintle packs` shows the rules of each pack,
# `pintle try 'rm -rf ~'` what happens to a call.
";
const FOOT: &str = "
# Each rule can be off, warn, ask or deny, and can let things through:
# rules:
#   git.force-push: ask
#   shell.delete-outside: {allow: [\"/home/me/scratch/**\"]}
";

/// A policy file, and whether it is there.
#[derive(Debug)]
pub(in crate::commands) struct PolicyFile {
    pub(in crate::commands) path: PathBuf,
    packs: Vec<&'static PackDef>,
    is_there: bool,
    /// Whether every account reads it.
    is_shared: bool,
}

impl PolicyFile {
    /// Plans the policy of a scope with these packs, the default ones if there are none.
    pub(super) fn plan(
        environment: &InstallEnvironment,
        scope: InstallScope,
        mut packs: Vec<&'static PackDef>,
    ) -> Result<Self, CliError> {
        let path = path_of(environment, scope)?;
        let is_there = path.exists();
        if is_there && !packs.is_empty() {
            let error = CliError::invalid_input(format!("`{}` exists already", environment.display_path(&path)));
            return Err(error.help("change its `use:`, or remove it first"));
        }
        if packs.is_empty() {
            packs.extend(default_packs());
        }
        Ok(Self { path, packs, is_there, is_shared: scope == InstallScope::Managed })
    }

    /// Whether the file has to be written.
    pub(super) fn is_new(&self) -> bool {
        !self.is_there
    }

    pub(super) fn summary(&self, environment: &InstallEnvironment) -> String {
        let path = environment.display_path(&self.path);
        if self.is_there {
            return format!("policy: `{path}` is there and stays as it is");
        }
        let names: Vec<&str> = self.packs.iter().map(|pack| pack.name).collect();
        let rules: usize = self.packs.iter().map(|pack| pack.rules.len()).sum();
        format!("policy: `{path}` with {rules} rules of the packs {}", names.join(", "))
    }

    /// Writes the file.
    pub(super) fn write(&self) -> Result<(), CliError> {
        if self.is_there {
            return Ok(());
        }
        let failed =
            |error: std::io::Error| CliError::failure(format!("cannot write `{}`: {error}", self.path.display()));
        if let Some(dir) = self.path.parent() {
            match self.is_shared {
                true => create_shared_dirs(dir),
                // What a user's hooks are is the user's own business.
                false => private_dir_builder().recursive(true).create(dir),
            }
            .map_err(failed)?;
        }
        replace_file(&self.path, render(self.packs.iter().map(|pack| pack.name)).as_bytes()).map_err(failed)
    }

    pub(super) fn to_json(&self) -> Value {
        let names: Vec<&str> = self.packs.iter().map(|pack| pack.name).collect();
        json!({"path": self.path, "packs": names, "existed": self.is_there})
    }

    /// The policy file of a scope, if it is as `init` wrote it.
    pub(in crate::commands) fn unchanged(environment: &InstallEnvironment, scope: InstallScope) -> Option<PathBuf> {
        let path = path_of(environment, scope).ok()?;
        let text = fs::read_to_string(&path).ok()?;
        let names = text.lines().find_map(|line| line.strip_prefix("use: [")?.strip_suffix(']'))?;
        (text == render(names.split(", "))).then_some(path)
    }
}

fn path_of(environment: &InstallEnvironment, scope: InstallScope) -> Result<PathBuf, CliError> {
    let dir = match scope {
        InstallScope::Managed => environment.path_now(Path::new(MANAGED_DIR)),
        InstallScope::Project => environment.project.join(".harness"),
        InstallScope::User => find_user_dir()?,
    };
    let path = dir.join(POLICY_FILE);
    environment.require_inside(&path).map_err(CliError::invalid_input)?;
    Ok(path)
}

fn render<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    format!("{HEAD}use: [{}]\n{FOOT}", names.join(", "))
}
