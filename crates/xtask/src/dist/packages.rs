//! The packages, one function each. A standard tool writes the format; the sources here say what is inside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{capture_output, run_tool};

use super::programs::{SHELLS, program_path, set_environment};
use super::staging::{LICENSES, copy_file, copy_files, fill_template, list_files, write_file};
use super::targets::DistTarget;
use super::{DistPlace, npm, sbom};

/// A kind of package.
pub(super) struct PackageKind {
    pub(super) name: &'static str,
    pub(super) make: fn(&DistPlace<'_>, &[&'static DistTarget]) -> Result<(), String>,
}

/// Every kind. What another one contains comes first.
pub(super) const PACKAGES: &[PackageKind] = &[
    PackageKind { name: "archive", make: make_archives },
    PackageKind { name: "deb", make: make_debs },
    PackageKind { name: "wheel", make: make_wheels },
    PackageKind { name: "npm", make: npm::make_npm_packages },
    PackageKind { name: "crates", make: package_crates },
    PackageKind { name: "formula", make: write_formula },
    PackageKind { name: "sbom", make: sbom::write_sbom },
];

impl DistPlace<'_> {
    /// What is not a package, or not yet.
    fn staging_dir(&self) -> PathBuf {
        self.out.join("staging")
    }

    /// The completions and man pages.
    pub(super) fn pages_dir(&self) -> PathBuf {
        self.staging_dir().join("pages")
    }

    /// An empty directory for the content of a package.
    pub(super) fn stage(&self, name: &str) -> Result<PathBuf, String> {
        let dir = self.staging_dir().join(name);
        let at = |error| format!("cannot use `{}`: {error}", dir.display());
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(at)?;
        }
        fs::create_dir_all(&dir).map_err(at)?;
        Ok(dir)
    }

    /// Gives every file the time of the release, and every directory the same mode.
    fn seal(&self, dir: &Path) -> Result<(), String> {
        run_tool(Command::new("find").arg(dir).args(["-type", "d", "-exec", "chmod", "755", "{}", "+"]))?;
        let time = format!("@{}", self.facts.time);
        run_tool(Command::new("find").arg(dir).args(["-exec", "touch", "-d", &time, "{}", "+"]))
    }

    /// Writes a template of `packaging`, with its names replaced.
    pub(super) fn write_text(&self, template: &str, to: &Path, values: &[(&str, &str)]) -> Result<(), String> {
        let text = self.workspace.text(&format!("packaging/{template}"))?;
        let filled = fill_template(text, &self.facts, values).map_err(|error| format!("{template}: {error}"))?;
        write_file(to, filled.as_bytes(), template.ends_with(".cjs"))
    }

    pub(super) fn copy_programs(&self, target: &DistTarget, dir: &Path) -> Result<(), String> {
        target
            .programs()
            .iter()
            .try_for_each(|name| copy_file(&program_path(self.root, target, name), &dir.join(name), true))
    }

    pub(super) fn copy_texts(&self, names: &[&str], dir: &Path) -> Result<(), String> {
        names.iter().try_for_each(|name| copy_file(&self.root.join(name), &dir.join(name), false))
    }

    fn copy_pages(&self, kind: &str, dir: &Path) -> Result<(), String> {
        copy_files(&self.pages_dir().join(kind), "", dir)
    }

    /// Packs a directory of unfinished packages as a compressed tar.
    fn write_tar(&self, name: &str, to: &str) -> Result<(), String> {
        let mut tar = Command::new("tar");
        tar.args(["--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner", "-I", "gzip -9n"]);
        tar.arg("-cf").arg(self.out.join(to)).arg("-C").arg(self.staging_dir()).arg(name);
        run_tool(&mut tar)
    }
}

/// The programs with licences, completions and man pages; the sources, too.
fn make_archives(place: &DistPlace<'_>, targets: &[&'static DistTarget]) -> Result<(), String> {
    for target in targets {
        let name = format!("pintle-{}-{}", place.facts.version, target.triple);
        let dir = place.stage(&name)?;
        place.copy_programs(target, &dir)?;
        place.copy_texts(&LICENSES, &dir)?;
        place.copy_texts(&["README.md", "CHANGELOG.md"], &dir)?;
        place.copy_pages("completions", &dir.join("completions"))?;
        place.copy_pages("man", &dir.join("man"))?;
        place.seal(&dir)?;
        if target.is_windows {
            let to = place.out.join(format!("{name}.zip"));
            // The tool would add to a file that exists.
            let _ = fs::remove_file(&to);
            let line = r#"find "$0" -type f | LC_ALL=C sort | TZ=UTC zip -X -9 -q "$1" -@"#;
            let mut zip = Command::new("sh");
            run_tool(zip.args(["-c", line, &name]).arg(&to).current_dir(place.staging_dir()))?;
        } else {
            place.write_tar(&name, &format!("{name}.tar.gz"))?;
        }
    }
    let name = format!("pintle-{}-source", place.facts.version);
    let mut git = Command::new("git");
    git.args(["-c", "tar.tar.gz.command=gzip -9n", "archive", "--format=tar.gz"]).arg(format!("--prefix={name}/"));
    run_tool(git.arg("-o").arg(place.out.join(format!("{name}.tar.gz"))).arg("HEAD").current_dir(place.root))
}

fn make_debs(place: &DistPlace<'_>, targets: &[&'static DistTarget]) -> Result<(), String> {
    for (target, arch) in targets.iter().filter_map(|target| Some((target, target.deb_arch?))) {
        let dir = place.stage(&format!("deb-{arch}"))?;
        let share = dir.join("usr/share");
        place.copy_programs(target, &dir.join("usr/bin"))?;
        place.copy_pages("man", &share.join("man/man1"))?;
        let completions = ["bash-completion/completions", "zsh/vendor-completions", "fish/vendor_completions.d"];
        for ((_, file), folder) in SHELLS.iter().zip(completions) {
            copy_file(&place.pages_dir().join("completions").join(file), &share.join(folder).join(file), false)?;
        }
        place.write_text(
            "systemd/pintle-serve.service",
            &dir.join("usr/lib/systemd/user/pintle-serve.service"),
            &[],
        )?;
        let documents = share.join("doc/pintle");
        copy_file(&place.root.join("CHANGELOG.md"), &documents.join("changelog"), false)?;
        place.write_text(
            "deb/copyright",
            &documents.join("copyright"),
            &[("LICENSE_MIT", &indented(place.workspace.text("LICENSE-MIT")?))],
        )?;
        run_tool(Command::new("sh").args(["-c", r#"gzip -9n "$0"/man/man1/* "$0"/doc/pintle/changelog"#]).arg(&share))?;
        let size = capture_output(Command::new("du").args(["-sk", "--apparent-size"]).arg(&dir))?;
        let size = size.split_whitespace().next().unwrap_or("0");
        place.write_text("deb/control", &dir.join("DEBIAN/control"), &[("DEB_ARCH", arch), ("INSTALLED_KIB", size)])?;
        let sums = "find usr -type f | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums && chmod 644 DEBIAN/md5sums";
        run_tool(Command::new("sh").args(["-c", sums]).current_dir(&dir))?;
        place.seal(&dir)?;
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.args(["--root-owner-group", "-Zxz", "--build"]).arg(&dir);
        dpkg.arg(place.out.join(format!("pintle_{}_{arch}.deb", place.facts.version)));
        run_tool(dpkg.env("SOURCE_DATE_EPOCH", &place.facts.time).stdout(std::process::Stdio::null()))?;
    }
    Ok(())
}

/// A text as a field of a Debian control file has it.
fn indented(text: &str) -> String {
    let line = |line: &str| if line.trim().is_empty() { String::from(" .") } else { format!(" {line}") };
    text.trim().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The Python package with the programs. Another machine may have built it (`--built`), beside its programs.
pub(super) fn make_wheels(place: &DistPlace<'_>, targets: &[&'static DistTarget]) -> Result<(), String> {
    for target in targets {
        let programs = program_path(place.root, target, "");
        if !place.are_built {
            build_wheels(place, target, &programs)?;
        }
        copy_files(&programs, ".whl", &place.out)?;
    }
    Ok(())
}

fn build_wheels(place: &DistPlace<'_>, target: &DistTarget, programs: &Path) -> Result<(), String> {
    for old in list_files(programs, ".whl")? {
        fs::remove_file(&old).map_err(|error| format!("cannot remove `{}`: {error}", old.display()))?;
    }
    for (triple, tag) in target.modules {
        let mut build = Command::new(place.root.join("bindings/python/build-wheel"));
        build.args([programs, programs]).args(["--", "--release", "--target", triple]);
        if !tag.is_empty() {
            // The linker of another toolchain, for the oldest system that the tag can name.
            build.args(["--zig", "--compatibility", tag]);
        }
        set_environment(&mut build, place.root, target, triple, &place.facts, &[])?;
        run_tool(build.stdout(std::process::Stdio::null()))?;
    }
    Ok(())
}

/// Every published crate, as `cargo publish` would upload it.
fn package_crates(place: &DistPlace<'_>, _targets: &[&'static DistTarget]) -> Result<(), String> {
    let name = format!("pintle-{}-crates", place.facts.version);
    let dir = place.stage(&name)?;
    let target_dir = place.staging_dir().join("package-target");
    let mut cargo = Command::new("cargo");
    cargo.args(["package", "--quiet", "--locked", "--no-verify", "--workspace", "--exclude", "xtask", "--exclude"]);
    cargo.args(["pintle-testkit", "--target-dir"]).arg(&target_dir);
    run_tool(cargo.current_dir(place.root))?;
    copy_files(&target_dir.join("package"), ".crate", &dir)?;
    place.seal(&dir)?;
    place.write_tar(&name, &format!("{name}.tar.gz"))
}

/// The formula of Homebrew, which builds the archive of the sources.
fn write_formula(place: &DistPlace<'_>, _targets: &[&'static DistTarget]) -> Result<(), String> {
    let source = place.out.join(format!("pintle-{}-source.tar.gz", place.facts.version));
    let sum = capture_output(Command::new("sha256sum").arg(&source))?;
    let sum = sum.split_whitespace().next().unwrap_or_default();
    place.write_text("homebrew/pintle.rb", &place.out.join("pintle.rb"), &[("SOURCE_SHA256", sum)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::staging::ReleaseFacts;
    use xtask::SourceWorkspace;

    /// Every text of `packaging` that a package contains, and the names that only it has.
    const TEMPLATES: &[(&str, &[&str])] = &[
        ("deb/control", &["DEB_ARCH", "INSTALLED_KIB"]),
        ("deb/copyright", &["LICENSE_MIT"]),
        ("homebrew/pintle.rb", &["SOURCE_SHA256"]),
        ("npm/pintle/README.md", &[]),
        ("npm/module/package.json", &["NPM_MODULE", "NPM_OS", "NPM_CPU", "NPM_LIBC"]),
        ("npm/pintle/bin/pintle.cjs", &[]),
        ("npm/pintle/package.json", &["NPM_PLATFORMS"]),
        ("npm/platform/package.json", &["NPM_PLATFORM", "NPM_OS", "NPM_CPU"]),
        ("systemd/pintle-serve.service", &[]),
    ];
    /// The other files there.
    const TOOLS: [&str; 6] =
        ["Dockerfile", "check/check", "check/registry.js", "install-tools", "site/book.toml", "site/style.css"];

    #[test]
    fn every_template_is_filled_and_valid() {
        let workspace = SourceWorkspace::open().unwrap();
        let facts = ReleaseFacts { time: String::from("1"), ..ReleaseFacts::read(&workspace).unwrap() };
        let scratch = tempfile::tempdir().unwrap();
        let place = DistPlace {
            root: &workspace.root,
            workspace: &workspace,
            facts,
            out: scratch.path().to_owned(),
            are_built: true,
        };
        for (template, names) in TEMPLATES {
            let values: Vec<(&str, &str)> = names.iter().map(|name| (*name, "{}")).collect();
            let to = scratch.path().join("text");
            place.write_text(template, &to, &values).unwrap();
            let text = fs::read_to_string(&to).unwrap();
            if template.ends_with(".json") {
                let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(manifest.get("version").unwrap(), place.facts.version.as_str(), "{template}");
            }
        }
        let known: Vec<&str> = TEMPLATES.iter().map(|(template, _)| *template).chain(TOOLS).collect();
        let files = workspace.files.keys().filter_map(|file| file.strip_prefix("packaging/"));
        let unknown: Vec<&str> = files.filter(|file| !known.contains(file)).collect();
        assert!(unknown.is_empty(), "no package contains {unknown:?}");
    }

    #[test]
    fn a_licence_is_a_field_of_a_control_file() {
        assert_eq!(indented("\nMIT\n\n  Permission\n"), " MIT\n .\n   Permission");
    }
}
