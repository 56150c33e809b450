//! Converts files to declarations.
//!
//! There are three kinds of files: plugins, whose top level registers hooks; manifests of packages, which name
//! functions; and the modules that contain those functions. Hooks of a manifest come before those of plugins, and those
//! of a dependency after its own.

mod argument;
mod manifest;
mod module;
mod plugin;

use std::collections::HashMap;

use pintle_contract::HookDeclaration;

use super::declare::rename;
use crate::document::sanitize;
use crate::{Artifact, ArtifactKind, ParseContext, ParsedProject};

pub use self::manifest::PackageDependency;
pub use self::manifest::PackageFiles;
pub use self::manifest::package_files;

/// Loads the files of one project. Every error of every file is in the diagnostics.
#[must_use]
pub fn load(artifacts: &[Artifact], context: &ParseContext<'_>) -> ParsedProject {
    let mut project = ParsedProject::default();
    let of_role = |role: ArtifactKind| artifacts.iter().filter(move |artifact| artifact.role == role);
    let modules: Vec<&Artifact> = of_role(ArtifactKind::Module).collect();
    for (position, artifact) in of_role(ArtifactKind::Package).enumerate() {
        manifest::read(artifact, position > 0, &modules, context, &mut project);
    }
    for artifact in of_role(ArtifactKind::Plugin) {
        plugin::read(artifact, context, &mut project);
    }
    number_duplicates(&mut project.hooks);
    sanitize(&mut project.diagnostics);
    project
}

/// Numbers hooks of the same name, so that they can be told apart on the tape.
fn number_duplicates(hooks: &mut [HookDeclaration]) {
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
