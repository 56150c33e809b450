//! The packages of npm: one with the programs of each platform, one with each native module, and the one that users install.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::run_tool;

use super::DistPlace;
use super::programs::{program_path, set_environment};
use super::staging::{LICENSES, copy_file};
use super::targets::DistTarget;

/// A native module for Node.js.
struct NodeModule {
    triple: &'static str,
    /// Its package in the scope `@pintle`.
    package: String,
    /// The field `libc` of its package, if there are several on the platform.
    libc: Option<&'static str>,
}

impl NodeModule {
    /// Those of a platform: an interpreter on Linux loads only a module for the C library that it runs with.
    fn of_target(target: &DistTarget) -> impl Iterator<Item = Self> {
        target.modules.iter().map(|(triple, _)| {
            let (suffix, libc) = match triple.rsplit_once("-linux-") {
                Some((_, "musl")) => ("-musl", Some("musl")),
                Some(_) => ("-gnu", Some("glibc")),
                None => ("", None),
            };
            Self { triple, package: format!("node-{}{suffix}", target.npm_platform()), libc }
        })
    }

    /// Where it is, beside the programs of its platform.
    fn path(&self, place: &DistPlace<'_>, target: &DistTarget) -> PathBuf {
        program_path(place.root, target, &format!("{}.node", self.package))
    }

    fn build(&self, place: &DistPlace<'_>, target: &DistTarget) -> Result<(), String> {
        let mut cargo = Command::new("cargo");
        let (subcommand, suffix, flags) = match self.libc {
            // The linker of another toolchain, for the oldest system that the wheels are for, too.
            Some("glibc") => ("zigbuild", ".2.17", Vec::new()),
            Some(_) => ("zigbuild", "", vec![String::from("-Ctarget-feature=-crt-static")]),
            None => ("build", "", Vec::new()),
        };
        cargo.args([subcommand, "--quiet", "--locked", "--release", "--manifest-path", "bindings/node/Cargo.toml"]);
        cargo.arg("--target").arg(format!("{}{suffix}", self.triple)).current_dir(place.root);
        set_environment(&mut cargo, place.root, target, self.triple, &place.facts, &flags)?;
        run_tool(&mut cargo)?;
        let file = match target.npm.0 {
            "win32" => "pintle_node.dll",
            "darwin" => "libpintle_node.dylib",
            _ => "libpintle_node.so",
        };
        let built = place.root.join("target").join(self.triple).join("release").join(file);
        copy_file(&built, &self.path(place, target), false)
    }
}

/// Builds the native modules of platforms.
pub(super) fn build_modules(place: &DistPlace<'_>, targets: &[&'static DistTarget]) -> Result<(), String> {
    let modules = targets.iter().flat_map(|target| NodeModule::of_target(target).map(move |module| (target, module)));
    modules.into_iter().try_for_each(|(target, module)| module.build(place, target))
}

/// Makes all of them. Another machine may have built the native modules (`--built`), beside its programs.
pub(super) fn make_npm_packages(place: &DistPlace<'_>, targets: &[&'static DistTarget]) -> Result<(), String> {
    if !place.are_built {
        build_modules(place, targets)?;
    }
    let mut dependencies = Vec::new();
    for target in targets {
        let platform = target.npm_platform();
        let os_cpu = [("NPM_OS", target.npm.0), ("NPM_CPU", target.npm.1)];
        let dir = place.stage(&format!("npm-{platform}"))?;
        place.copy_programs(target, &dir.join("bin"))?;
        let values = [[("NPM_PLATFORM", platform.as_str())].as_slice(), &os_cpu].concat();
        pack(place, "npm/platform/package.json", &dir, &values)?;
        for module in NodeModule::of_target(target) {
            let dir = place.stage(&format!("npm-{}", module.package))?;
            copy_file(&module.path(place, target), &dir.join("pintle.node"), false)?;
            let libc = module.libc.map_or_else(|| String::from("[]"), |libc| format!("[\"{libc}\"]"));
            let own = [("NPM_MODULE", module.package.as_str()), ("NPM_LIBC", &libc)];
            pack(place, "npm/module/package.json", &dir, &[own.as_slice(), &os_cpu].concat())?;
            dependencies.push(module.package);
        }
        dependencies.push(platform);
    }
    let dir = place.stage("npm-pintle")?;
    compile_library(place.root, &dir.join("lib"))?;
    for file in ["README.md", "bin/pintle.cjs"] {
        place.write_text(&format!("npm/pintle/{file}"), &dir.join(file), &[])?;
    }
    let entry = |name: &String| format!("\"@pintle/{name}\": \"{}\"", place.facts.version);
    let platforms = format!("{{ {} }}", dependencies.iter().map(entry).collect::<Vec<_>>().join(", "));
    pack(place, "npm/pintle/package.json", &dir, &[("NPM_PLATFORMS", &platforms)])
}

/// Packs a directory with its manifest.
fn pack(place: &DistPlace<'_>, manifest: &str, dir: &Path, values: &[(&str, &str)]) -> Result<(), String> {
    place.write_text(manifest, &dir.join("package.json"), values)?;
    place.copy_texts(&LICENSES, dir)?;
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(&place.out).arg(dir);
    run_tool(npm.stdout(Stdio::null()))
}

/// Compiles the library in TypeScript, which needs the types of the frameworks that it has adapters for.
fn compile_library(root: &Path, out: &Path) -> Result<(), String> {
    let package = root.join("bindings/node");
    let npm = |arguments: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(arguments).current_dir(&package);
        npm
    };
    run_tool(&mut npm(&["ci", "--silent", "--omit=optional", "--ignore-scripts"]))?;
    run_tool(npm(&["exec", "--silent", "--", "tsc", "--project", "tsconfig.lib.json", "--outDir"]).arg(out))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::NodeModule;
    use crate::dist::targets::{DIST_TARGETS, DistTarget};

    #[test]
    fn each_platform_and_each_module_has_one_package() {
        let platforms: BTreeSet<String> = DIST_TARGETS.iter().map(DistTarget::npm_platform).collect();
        assert_eq!(platforms.len(), DIST_TARGETS.len());
        let modules: Vec<String> =
            DIST_TARGETS.iter().flat_map(NodeModule::of_target).map(|module| module.package).collect();
        assert_eq!(modules.iter().collect::<BTreeSet<_>>().len(), modules.len());
        assert!(
            modules.contains(&String::from("node-linux-x64-musl")) && modules.contains(&String::from("node-win32-x64"))
        );
    }
}
