//! The programs that every package contains, and the pages that they write of themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{capture_output, run_tool};

use super::DistPlace;
use super::staging::{ReleaseFacts, write_file};
use super::targets::{DIST_TARGETS, DistTarget, USE_LLD};

/// The shells whose completions are packaged, and the names of their files.
pub(super) const SHELLS: &[(&str, &str)] = &[("bash", "pintle"), ("zsh", "_pintle"), ("fish", "pintle.fish")];

/// What the log's index does not use of SQLite, and its package turns on: 300 KB of the program.
const SQLITE_FLAGS: &str = "-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE \
                            -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_SOUNDEX -USQLITE_ENABLE_STAT4 \
                            -USQLITE_ENABLE_COLUMN_METADATA -DSQLITE_OMIT_LOAD_EXTENSION";

/// Builds the programs for a platform.
pub(super) fn build(root: &Path, target: &DistTarget, facts: &ReleaseFacts) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.arg(if target.is_native() { "build" } else { target.cross_build });
    cargo.args(["--locked", "--profile", "dist", "--package", "pintle-cli", "--target", target.triple]);
    cargo.current_dir(root).envs(target.variables.iter().copied().filter(|_| target.is_native()));
    let mut link_args: Vec<String> = Vec::new();
    for argument in target.link_args.iter().filter(|_| target.is_native()) {
        link_args.push(format!("-Clink-arg={argument}"));
        if *argument == USE_LLD {
            link_args.push(format!("-Clink-arg=-B{}", find_lld()?.display()));
        }
    }
    set_environment(&mut cargo, root, target, target.triple, facts, &link_args)?;
    run_tool(cargo.env("LIBSQLITE3_FLAGS", SQLITE_FLAGS))
}

/// Sets what a build for a platform reads from its environment, so that every machine makes the same bytes.
pub(super) fn set_environment(
    command: &mut Command,
    root: &Path,
    target: &DistTarget,
    triple: &str,
    facts: &ReleaseFacts,
    rust_flags: &[String],
) -> Result<(), String> {
    let mut flags = path_maps(root, "--remap-path-prefix")?;
    flags.extend_from_slice(rust_flags);
    let mut c_flags = path_maps(root, "-ffile-prefix-map")?;
    c_flags.extend(target.c_flags.iter().map(ToString::to_string));
    // The variables of this process are those of the cargo that started it, for another package.
    command.env("CARGO_TARGET_DIR", root.join("target")).env("SOURCE_DATE_EPOCH", &facts.time);
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    command.env(format!("CFLAGS_{}", triple.replace('-', "_")), c_flags.join(" "));
    Ok(())
}

/// Options of a compiler after which neither the directory of the sources nor that of cargo is in what it writes.
fn path_maps(root: &Path, option: &str) -> Result<Vec<String>, String> {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).ok_or("set CARGO_HOME")?;
    let places = [(root, "/pintle"), (&cargo_home, "/cargo")];
    Ok(places.map(|(from, to)| format!("{option}={}={to}", from.display())).to_vec())
}

/// The directory with the linker LLD of the toolchain, under the name that compilers look for.
fn find_lld() -> Result<PathBuf, String> {
    let rustc = |arguments: &[&str]| capture_output(Command::new("rustc").args(arguments));
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("`rustc -vV` names no host")?;
    let root = PathBuf::from(rustc(&["--print", "sysroot"])?.trim());
    Ok(root.join("lib/rustlib").join(host).join("bin/gcc-ld"))
}

/// The path of a program of a platform.
pub(super) fn program_path(root: &Path, target: &DistTarget, program: &str) -> PathBuf {
    root.join("target").join(target.triple).join("dist").join(program)
}

/// Writes the completions and the man pages, which are the same on every platform, by a program that runs here.
pub(super) fn write_pages(place: &DistPlace<'_>) -> Result<(), String> {
    let native = DIST_TARGETS.iter().filter(|target| target.is_native());
    let built = native.map(|target| program_path(place.root, target, "pintle")).find(|program| program.is_file());
    let program = built.ok_or("the programs for this machine are not built: name its target, too")?;
    for (shell, file) in SHELLS {
        let text = capture_output(Command::new(&program).args(["completions", shell]))?;
        write_file(&place.pages_dir().join("completions").join(file), text.as_bytes(), false)?;
    }
    let man = place.pages_dir().join("man");
    write_file(&man.join("pintle.1"), b"", false)?;
    run_tool(Command::new(&program).arg("man").arg(&man))
}
