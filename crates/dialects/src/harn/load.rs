//! Files to declarations.
//!
//! Three kinds of files: plugins, whose top level registers hooks; manifests of packages, which name functions; and the
//! modules in which those stand. Hooks of a manifest come before those of plugins, those of a package it depends on
//! behind its own.

mod argument;
mod manifest;
mod module;
mod options;
mod package;
mod plugin;

use std::collections::HashMap;

use pintle_contract::HookDeclaration;

pub use package::{Dependency, PackageFiles, package_files};

use super::declare::rename;
use crate::document::keep_to_one_line;
use crate::{Artifact, Project, Reading, Role};

/// Reads the files of one project. Every fault of every file is in the diagnostics.
#[must_use]
pub fn load(artifacts: &[Artifact], reading: &Reading<'_>) -> Project {
    let mut project = Project::default();
    let of_role = |role: Role| artifacts.iter().filter(move |artifact| artifact.role == role);
    let modules: Vec<&Artifact> = of_role(Role::Module).collect();
    for (place, artifact) in of_role(Role::Package).enumerate() {
        manifest::read(artifact, place > 0, &modules, reading, &mut project);
    }
    for artifact in of_role(Role::Plugin) {
        plugin::read(artifact, reading, &mut project);
    }
    tell_apart(&mut project.hooks);
    keep_to_one_line(&mut project.diagnostics);
    project
}

/// Gives hooks of one name a number each, so that the tape tells them apart.
fn tell_apart(hooks: &mut [HookDeclaration]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for hook in hooks {
        let times = seen.entry(hook.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            let name = format!("{}#{times}", hook.name);
            rename(hook, name);
        }
    }
}

#[cfg(test)]
mod tests;
