//! Chooses the path of this program that installed entries name: one that an upgrade keeps.
//!
//! Package managers put each version into a directory of its own, and point a link or a wrapper at the present one. The
//! path of the running file is then gone after an upgrade, so the link or the wrapper is what entries should name. But a
//! project may put a directory of its own on the PATH, and nothing that a project can change may guard against it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use pintle_host::files;
use serde_json::Value;

use super::{InstallEnvironment, InstallScope};
use crate::doctor::{find_on_path, list_on_path, run_program};

/// The name of this program.
const PROGRAM: &str = "pintle";
/// The name of the program that asks a resident.
const CLIENT_PROGRAM: &str = if cfg!(windows) { "pintle-hook.exe" } else { "pintle-hook" };
/// The names of links beside the directories of versions, which lead to the present one.
const VERSION_LINKS: [&str; 2] = ["latest", "current"];
/// Directories whose content may be removed at any time: caches of npx, uvx, pipx and others, and the store of Nix, where a
/// profile keeps a path by a link to it.
const CACHES: [&str; 3] = ["_npx", ".cache", "Caches"];
const NIX_STORE: &str = "/nix/store";
/// The time limit for asking a wrapper what it starts, in milliseconds.
const WRAPPER_LIMIT_MS: u64 = 10_000;
/// The most wrappers that are asked.
const MOST_WRAPPERS: usize = 4;

/// How this program was started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartedProgram {
    /// The file that runs, without links.
    pub file: PathBuf,
    /// The paths by which it may have been started.
    pub typed: Vec<PathBuf>,
}

/// The program that installed entries run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryProgram {
    /// Its path, or its name on the PATH of the host.
    pub program: String,
    /// What the user should know about it.
    pub cautions: Vec<String>,
}

/// What may become of the program at a path, the least harmful first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProgramRisk {
    /// An upgrade keeps the path.
    Lasting,
    /// A wrapper, which decides what it starts when it is called.
    Wrapped,
    /// The path has a version, which an upgrade may remove.
    Versioned,
    /// The path is in a cache.
    Temporary,
    /// The project, or everybody, can replace the program.
    Replaceable,
}

impl EntryProgram {
    /// A program that the user named.
    #[must_use]
    pub fn named(program: String) -> Self {
        Self { program, cautions: Vec::new() }
    }

    /// Chooses what entries of a scope run on this machine: `pintle` in a project if that is this program on the PATH,
    /// since others share the entries; otherwise a path of this program, or of `pintle-hook` beside it if residents are
    /// used.
    #[must_use]
    pub fn choose(
        started: &StartedProgram,
        environment: &InstallEnvironment,
        scope: InstallScope,
        uses_residents: bool,
    ) -> Self {
        if let Some(found) = find_on_path(PROGRAM, environment).filter(|_| scope == InstallScope::Project) {
            let found = std::path::absolute(&found).unwrap_or(found);
            let is_replaceable = risk_of(&found, environment) == ProgramRisk::Replaceable;
            // What the project can replace is not even asked.
            if leads_to(&found, &started.file) || !is_replaceable && starts(&found, started, environment) {
                let caution = is_replaceable.then(|| caution(ProgramRisk::Replaceable, &found.to_string_lossy()));
                return Self { program: String::from(PROGRAM), cautions: caution.flatten().into_iter().collect() };
            }
        }
        let (path, risk) = choose_path(started, environment);
        let client = path.with_file_name(CLIENT_PROGRAM);
        let is_client = uses_residents
            && match risk {
                ProgramRisk::Wrapped => starts(&client, started, environment),
                _ => client.is_file(),
            };
        let program = if is_client { client } else { path }.to_string_lossy().into_owned();
        let cautions = caution(risk, &program).into_iter().collect();
        Self { program, cautions }
    }
}

/// Whether the path of an entry's program is one that upgrades or caches remove, and another program than this one: that of
/// another version, which an upgrade left behind.
pub(crate) fn is_left_behind(program: &Path, started: &StartedProgram, environment: &InstallEnvironment) -> bool {
    let own = [started.file.clone(), started.file.with_file_name(CLIENT_PROGRAM)];
    let is_own = files::canonicalize(program).is_ok_and(|real| own.contains(&real));
    !is_own && matches!(risk_of(program, environment), ProgramRisk::Versioned | ProgramRisk::Temporary)
}

/// Whether a project, or everybody, can replace the program of an entry: a path, or a name that the PATH leads there.
pub(crate) fn is_replaceable_program(program: &str, environment: &InstallEnvironment) -> bool {
    let path = match program.contains('/') {
        true => Some(PathBuf::from(program)),
        false => find_on_path(program, environment),
    };
    path.is_some_and(|path| is_replaceable(&environment.project.join(path), environment))
}

/// The path of this program with the least risk: as it was typed, as the PATH finds it, by a link beside its version, by a
/// wrapper, or as the file is named.
fn choose_path(started: &StartedProgram, environment: &InstallEnvironment) -> (PathBuf, ProgramRisk) {
    let typed = started.typed.iter().filter_map(|path| std::path::absolute(path).ok());
    let on_path: Vec<PathBuf> = list_on_path(PROGRAM, environment).filter(|path| path.is_absolute()).collect();
    let links = typed.chain(on_path.iter().cloned()).chain(version_links(&started.file));
    // What `..` means depends on the links before it.
    let is_plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    let links = links.filter(|path| is_plain(path) && has_own_name(path) && leads_to(path, &started.file));
    let ranked = links.chain([started.file.clone()]).map(|path| (risk_of(&path, environment), path));
    // The first one of those with the least risk.
    let best = ranked.min_by_key(|(risk, _)| *risk);
    let (risk, path) = best.unwrap_or((ProgramRisk::Lasting, started.file.clone()));
    if risk <= ProgramRisk::Wrapped {
        return (path, risk);
    }
    let wrappers = on_path.into_iter().filter(|path| {
        !leads_to(path, &started.file) && has_own_name(path) && risk_of(path, environment) == ProgramRisk::Lasting
    });
    let wrapper = wrappers.take(MOST_WRAPPERS).find(|path| starts(path, started, environment));
    wrapper.map_or((path, risk), |path| (path, ProgramRisk::Wrapped))
}

/// Whether entries with this program are recognised as Pintle's.
fn has_own_name(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == PROGRAM)
}

fn leads_to(path: &Path, file: &Path) -> bool {
    files::canonicalize(path).is_ok_and(|real| real == file)
}

/// Whether a wrapper starts this program, as it says itself. It is asked in the home directory, where no project decides.
fn starts(wrapper: &Path, started: &StartedProgram, environment: &InstallEnvironment) -> bool {
    let at_home = InstallEnvironment { project: environment.home.clone(), ..environment.clone() };
    let words = [wrapper.as_os_str(), "update".as_ref(), "--check".as_ref(), "--json".as_ref()];
    let Ok(ran) = run_program::run(&words, &at_home, "", WRAPPER_LIMIT_MS) else { return false };
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    said.get("program").and_then(Value::as_str).is_some_and(|program| Path::new(program) == started.file)
}

/// The path with each version in it replaced by the links that such directories have.
fn version_links(file: &Path) -> impl Iterator<Item = PathBuf> {
    let versions =
        file.ancestors().skip(1).filter(|dir| dir.file_name().is_some_and(|name| is_version(&name.to_string_lossy())));
    versions.flat_map(move |dir| {
        let below = file.strip_prefix(dir).unwrap_or(file);
        VERSION_LINKS.map(|link| dir.with_file_name(link).join(below))
    })
}

/// Whether a name has a version: a digit, a dot and a digit.
fn is_version(name: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    name.as_bytes().windows(3).any(|part| matches!(part, [first, b'.', last] if is_digit(first) && is_digit(last)))
}

/// What may become of the program at a path.
fn risk_of(path: &Path, environment: &InstallEnvironment) -> ProgramRisk {
    let names: Vec<String> = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let cache = environment.variable("XDG_CACHE_HOME").map(PathBuf::from);
    let temporary = environment.variable("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let is_cached = names.iter().any(|name| CACHES.contains(&name.as_str()))
        || [NIX_STORE.into(), temporary].iter().chain(&cache).any(|dir: &PathBuf| path.starts_with(dir));
    match () {
        () if is_replaceable(path, environment) => ProgramRisk::Replaceable,
        () if is_cached => ProgramRisk::Temporary,
        () if names.iter().any(|name| is_version(name)) => ProgramRisk::Versioned,
        () => ProgramRisk::Lasting,
    }
}

/// Whether the path, or a link that it goes through, is in the project, in a directory of programs that projects have, or in
/// a directory that everybody may change.
fn is_replaceable(path: &Path, environment: &InstallEnvironment) -> bool {
    // The home directory is no project, nor is one that contains it.
    let project = Some(&environment.project).filter(|project| !environment.home.starts_with(project));
    let is_of_project = |path: &Path| {
        let is_bin = path.parent().is_some_and(|dir| dir.ends_with("node_modules/.bin"));
        is_bin || project.is_some_and(|project| path.starts_with(project))
    };
    let is_open = |path: &Path| {
        let metadata = path.parent().and_then(|dir| fs::metadata(dir).ok());
        metadata.and_then(|metadata| files::file_mode(&metadata)).is_some_and(|mode| mode & 0o002 != 0)
    };
    is_of_project(path) || files::trace_links(path).iter().any(|step| is_of_project(step) || is_open(step))
}

/// What the user should know about a program with this risk.
fn caution(risk: ProgramRisk, program: &str) -> Option<String> {
    let denied = "every guarded call is denied";
    match risk {
        ProgramRisk::Lasting => None,
        ProgramRisk::Wrapped => Some(format!(
            "the entries run `{program}`, which decides at each call what it starts: a file of the project may name the \
             version there; `--program PATH` names one program for all"
        )),
        ProgramRisk::Versioned => Some(format!(
            "the entries run `{program}`, a path with a version: if an upgrade removes it, {denied} until \
             `pintle doctor --fix`"
        )),
        ProgramRisk::Temporary if program.contains("_npx") => Some(format!(
            "the entries run `{program}`; when npm empties the cache of npx, that is gone and {denied}: run \
             `npm install --global pintle`, then `pintle init` again"
        )),
        ProgramRisk::Temporary => Some(format!(
            "the entries run `{program}`; when that directory is emptied, {denied}: install Pintle, then run \
             `pintle init` again"
        )),
        ProgramRisk::Replaceable => Some(format!(
            "the entries run `{program}`, which the project or everybody here can replace, and so can an agent; install \
             Pintle elsewhere, or name another program with `--program`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_known_by_its_digits() {
        for (name, is_versioned) in [
            ("0.1.0", true),
            ("pintle-0.1.0", true),
            ("v20.1", true),
            ("python3", false),
            (".tmp1", false),
            ("a.b", false),
        ] {
            assert_eq!(is_version(name), is_versioned, "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn the_program_that_asks_a_resident_is_the_one_beside_the_chosen_path() {
        use std::collections::BTreeMap;
        use std::os::unix::fs::{PermissionsExt, symlink};
        let root = tempfile::tempdir().unwrap();
        let root = files::canonicalize(root.path()).unwrap();
        let path = |name: &str| root.join(name);
        for dir in ["home", "project", "tmp", "versions/0.1.0", "bin"] {
            fs::create_dir_all(path(dir)).unwrap();
        }
        for name in ["pintle", CLIENT_PROGRAM] {
            fs::write(path("versions/0.1.0").join(name), "").unwrap();
            fs::set_permissions(path("versions/0.1.0").join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink("../versions/0.1.0/pintle", path("bin/pintle")).unwrap();
        let text = |name: &str| path(name).to_string_lossy().into_owned();
        let variables = [("PATH", text("bin")), ("TMPDIR", text("tmp"))];
        let environment = InstallEnvironment {
            home: path("home"),
            project: path("project"),
            root: PathBuf::from("/"),
            variables: variables
                .map(|(name, value)| (String::from(name), value))
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
        };
        let started = StartedProgram { file: path("versions/0.1.0/pintle"), typed: Vec::new() };
        let choose =
            |uses_residents| EntryProgram::choose(&started, &environment, InstallScope::User, uses_residents).program;
        assert_eq!([choose(false), choose(true)], [text("bin/pintle"), text("bin/pintle")], "no link to it");
        symlink(format!("../versions/0.1.0/{CLIENT_PROGRAM}"), path("bin").join(CLIENT_PROGRAM)).unwrap();
        assert_eq!([choose(false), choose(true)], [text("bin/pintle"), text(&format!("bin/{CLIENT_PROGRAM}"))]);
        fs::remove_file(path("bin/pintle")).unwrap();
        assert_eq!(choose(true), text(&format!("versions/0.1.0/{CLIENT_PROGRAM}")));
    }
}
