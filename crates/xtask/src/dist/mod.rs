//! `cargo xtask dist`: the packages of a release, in `target/packages`.
//!
//! The texts of the packages are files in `packaging`, the platforms a table. Each package contains the same programs. The
//! standard tool of its format writes it, with the time of the last commit for every file, so the same sources give the same
//! bytes. It needs Linux; the other platforms only build their programs.

mod npm;
mod packages;
mod programs;
mod sbom;
mod staging;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{ChoreReport, SourceWorkspace, capture_output, run_tool};

use packages::PACKAGES;
use staging::list_files;
pub(crate) use staging::{ReleaseFacts, fill_template};
use targets::{DIST_TARGETS, DistTarget};

/// Where the packages are, from the root of the repository.
const PACKAGES_DIR: &str = "target/packages";
/// The digests of all packages.
const SUMS: &str = "SHA256SUMS";
/// The programs, which every package contains.
const PROGRAMS: &str = "programs";

/// What the command line says.
#[derive(Debug)]
struct DistOptions {
    /// The packages to make; empty: all.
    only: Vec<String>,
    targets: Vec<&'static DistTarget>,
    /// Whether the programs are there already, from another machine.
    built: bool,
    /// Whether the packages are installed and tried.
    check: bool,
    /// Whether everything is built a second time, from a copy of the sources in another directory.
    twice: bool,
}

/// Where the packages of one run are made, and of what.
struct DistPlace<'a> {
    /// The sources.
    root: &'a Path,
    /// The files of the repository, with the templates.
    workspace: &'a SourceWorkspace,
    facts: ReleaseFacts,
    /// The directory of the packages.
    out: PathBuf,
    /// Whether everything that is compiled is there already.
    are_built: bool,
}

pub(crate) fn run(workspace: &SourceWorkspace, arguments: &[String]) -> Result<ChoreReport, String> {
    let options = parse_options(arguments)?;
    let sums = make_packages(workspace, &workspace.root, &options)?;
    let mut lines: Vec<String> = list_sizes(&workspace.root.join(PACKAGES_DIR))?;
    if options.twice {
        let again = make_again(workspace, &options)?;
        let other: Vec<&str> = again.lines().filter(|line| !sums.lines().any(|first| first == *line)).collect();
        if !other.is_empty() {
            return Err(format!("built a second time, these packages have other bytes:\n{}", other.join("\n")));
        }
        lines.push(String::from("built twice from different directories: the same bytes"));
    }
    if options.check {
        let mut check = Command::new(workspace.root.join("packaging/check/check"));
        check.arg(workspace.root.join(PACKAGES_DIR)).args(options.only.iter().filter(|name| *name != PROGRAMS));
        run_tool(check.args(["--targets"]).args(options.targets.iter().map(|target| target.triple)))?;
    }
    Ok(ChoreReport { lines, passed: true })
}

fn parse_options(arguments: &[String]) -> Result<DistOptions, String> {
    let mut options = DistOptions { only: Vec::new(), targets: Vec::new(), built: false, check: false, twice: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut values = || {
            let list = rest.next().ok_or_else(|| format!("`{argument}` needs a value"))?;
            Ok::<_, String>(list.split(',').map(String::from).collect::<Vec<_>>())
        };
        match argument.as_str() {
            "--only" => options.only.extend(values()?),
            "--target" => {
                for triple in values()? {
                    options.targets.push(DistTarget::by_triple(&triple)?);
                }
            }
            "--built" => options.built = true,
            "--check" => options.check = true,
            "--twice" => options.twice = true,
            _ => return Err(format!("unknown argument `{argument}`; `cargo xtask` lists those of `dist`")),
        }
    }
    let is_known = |name: &str| name == PROGRAMS || PACKAGES.iter().any(|package| package.name == name);
    if let Some(unknown) = options.only.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
        return Err(format!("unknown package `{unknown}`; use {PROGRAMS}, {}", known.join(", ")));
    }
    if options.targets.is_empty() {
        options.targets.extend(DIST_TARGETS.first());
    }
    Ok(options)
}

/// Makes the packages from the sources in `root`. Returns the text of the sums.
fn make_packages(workspace: &SourceWorkspace, root: &Path, options: &DistOptions) -> Result<String, String> {
    let out = root.join(PACKAGES_DIR);
    let at = |error| format!("cannot use `{}`: {error}", out.display());
    fs::create_dir_all(&out).map_err(at)?;
    let facts = ReleaseFacts::read(workspace)?;
    for target in options.targets.iter().filter(|_| !options.built) {
        programs::build(root, target, &facts)?;
    }
    let place = DistPlace { root, workspace, facts, out, are_built: options.built };
    let is_named = |name: &str| options.only.iter().any(|only| only == name);
    if is_named(PROGRAMS) {
        // On a machine that makes no packages, what these need from it: the modules for Python and Node.js are compiled, too.
        if is_named("wheel") {
            packages::make_wheels(&place, &options.targets)?;
        }
        if is_named("npm") && !options.built {
            npm::build_modules(&place, &options.targets)?;
        }
        return Ok(String::new());
    }
    programs::write_pages(&place)?;
    for package in PACKAGES.iter().filter(|package| options.only.is_empty() || is_named(package.name)) {
        (package.make)(&place, &options.targets)?;
    }
    write_sums(&place.out)
}

/// Makes the packages from a copy of the sources in another directory. Returns the text of the sums.
fn make_again(workspace: &SourceWorkspace, options: &DistOptions) -> Result<String, String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("cannot create a directory: {error}"))?;
    let copy = scratch.path().join("elsewhere/sources");
    run_tool(Command::new("git").args(["clone", "--quiet", "--local"]).arg(&workspace.root).arg(&copy))?;
    make_packages(workspace, &copy, options)
}

/// Writes the digests of all packages, by name.
fn write_sums(out: &Path) -> Result<String, String> {
    let names: Vec<String> = list_packages(out)?.into_iter().filter(|name| name != SUMS).collect();
    let sums = capture_output(Command::new("sha256sum").args(["--"]).args(&names).current_dir(out))?;
    fs::write(out.join(SUMS), &sums).map_err(|error| format!("cannot write the sums: {error}"))?;
    Ok(sums)
}

fn list_packages(out: &Path) -> Result<Vec<String>, String> {
    let name = |path: PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    Ok(list_files(out, "")?.into_iter().filter_map(name).collect())
}

/// Each package with its size in bytes.
fn list_sizes(out: &Path) -> Result<Vec<String>, String> {
    let size = |name: &String| fs::metadata(out.join(name)).map(|metadata| metadata.len()).unwrap_or_default();
    Ok(list_packages(out)?.iter().map(|name| format!("{:>12}  {name}", size(name))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<DistOptions, String> {
        parse_options(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn command_lines_name_packages_and_targets() {
        let options = parse("--only archive,deb --check").unwrap();
        assert_eq!(options.only, ["archive", "deb"]);
        assert!(options.check && !options.twice);
        assert_eq!(options.targets.first().unwrap().triple, "x86_64-unknown-linux-musl");
        let options = parse("--target x86_64-pc-windows-gnu,aarch64-apple-darwin").unwrap();
        assert_eq!(options.targets.len(), 2);
        for (line, message) in [
            ("--only rpm", "unknown package `rpm`"),
            ("--target z80", "unknown target `z80`"),
            ("--only", "`--only` needs a value"),
            ("--fast", "unknown argument `--fast`"),
        ] {
            assert!(parse(line).unwrap_err().contains(message), "{line}");
        }
    }
}
