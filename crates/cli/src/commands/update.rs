//! `pintle update`: where this program was installed from, and how to update it there. It never replaces itself: what guards
//! an agent changes only where its user installs programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle_host::files;
use serde_json::json;

use super::install::find_started_program;
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Say where this program was installed from, and how to update it there. Pintle does not \
replace its own program, asks no server for a newer version and changes nothing";

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Only show how to update. Without it, the command fails after that.
    #[arg(long)]
    check: bool,
}

impl UpdateArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let path = find_started_program()?.file;
        let origin = InstallOrigin::of_program(&path, Path::new("/"));
        let version = env!("CARGO_PKG_VERSION");
        if !self.check {
            let error = CliError::failure("pintle does not replace its own program; nothing was changed");
            return Err(error.help(format!("to update: {}", origin.update)));
        }
        if global.json {
            terminal.print_json(&json!({
                "version": version,
                "program": path.to_string_lossy(),
                "source": origin.source,
                "update": origin.update,
            }));
        } else {
            terminal.print_line(format!("pintle {version}, {}: `{}`", origin.source, path.display()));
            terminal.print_line(format!("to update: {}", origin.update));
        }
        Ok(CliStatus::Done)
    }
}

/// Where the program is from, and how its user updates it there.
#[derive(Debug, PartialEq, Eq)]
struct InstallOrigin {
    source: &'static str,
    /// A command in backticks, or a sentence.
    update: String,
}

impl InstallOrigin {
    /// Finds the origin of a program by its canonical path and by what installers leave beside it. `root` is the root
    /// directory of the system.
    fn of_program(program: &Path, root: &Path) -> Self {
        let dir = program.parent().unwrap_or(program);
        let is_below = |name: &str| program.components().any(|part| part.as_os_str() == OsStr::new(name));
        let found = |source, update: &str| Self { source, update: update.to_owned() };
        if program.starts_with("/nix/store") {
            return found("from a flake of Nix", "`nix profile upgrade pintle`, or update the input of your flake");
        }
        if is_below("Cellar") {
            return found("from Homebrew", "`brew upgrade pintle`");
        }
        if is_below("installs") && is_below(".asdf") {
            return found("from asdf", "`asdf install pintle latest`, then choose that version");
        }
        if is_below("installs") && is_below("mise") {
            return found("from mise", "`mise upgrade pintle`");
        }
        if is_below("_npx") {
            return found(
                "from the cache of npx",
                "`npx pintle@latest`; install it with `npm install --global pintle`, because npm may empty its cache",
            );
        }
        if is_below("node_modules") {
            return found("from npm", "`npm install --global pintle@latest`, or update it in your `package.json`");
        }
        if let Some(python) = python_of(dir) {
            if is_below("pipx") {
                return found("from pipx", "`pipx upgrade pintle`");
            }
            if is_below("uv") {
                return found("from uv", "`uv tool upgrade pintle`");
            }
            return found("from a wheel of Python", &format!("`{} -m pip install --upgrade pintle`", python.display()));
        }
        if lists_program(&root.join("var/lib/dpkg/info/pintle.list"), program) {
            return found(
                "from a Debian package",
                "download the `.deb` of the new version and install it with `sudo apt install ./pintle_VERSION_ARCH.deb`",
            );
        }
        if dir.parent().is_some_and(was_installed_by_cargo) {
            return found("from cargo", "`cargo install --locked pintle-cli`");
        }
        if dir.ancestors().any(|dir| dir.join(".rustc_info.json").is_file()) {
            return found("built from a checkout", "`git pull`, and build it again");
        }
        if [".dockerenv", "run/.containerenv"].iter().any(|name| root.join(name).exists()) {
            return found("in a container", "build the container again from the image of the new version");
        }
        found(
            "from an archive",
            "download the archive of the new version and replace `pintle` and `pintle-hook` together",
        )
    }
}

/// The interpreter of the environment whose programs are in `dir`, if a wheel of Pintle is installed there.
fn python_of(dir: &Path) -> Option<PathBuf> {
    let prefix = dir.parent()?;
    let libraries = [prefix.join("lib"), prefix.join("Lib")];
    let has_wheel = |packages: PathBuf| {
        let is_wheel = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.starts_with("pintle-") && name.ends_with(".dist-info")
        };
        entries_of(&packages).any(|entry| entry.file_name().is_some_and(is_wheel))
    };
    let is_found = libraries.iter().any(|library| {
        let below =
            entries_of(library).flat_map(|version| [version.join("site-packages"), version.join("dist-packages")]);
        below.chain([library.join("site-packages")]).any(has_wheel)
    });
    is_found.then(|| dir.join(if cfg!(windows) { "python.exe" } else { "python3" }))
}

fn entries_of(dir: &Path) -> impl Iterator<Item = PathBuf> {
    files::read_dir(dir).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

/// Whether the list of a package's files has the program.
fn lists_program(list: &Path, program: &Path) -> bool {
    files::read_text(list).is_ok_and(|text| text.lines().any(|line| Path::new(line) == program))
}

/// Whether cargo notes in the parent of its directory of programs that it installed Pintle there.
fn was_installed_by_cargo(prefix: &Path) -> bool {
    files::read_text(prefix.join(".crates.toml")).is_ok_and(|text| text.contains("\"pintle-cli "))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A file that an installer leaves, the program, and the source that is named.
    const PLACES: &[(&str, &str, &str)] = &[
        ("", "nowhere/bin/pintle", "from an archive"),
        ("", "opt/homebrew/Cellar/pintle/0.1.0/bin/pintle", "from Homebrew"),
        ("", "home/.asdf/installs/pintle/0.1.0/bin/pintle", "from asdf"),
        ("", "home/.local/share/mise/installs/pintle/0.1.0/bin/pintle", "from mise"),
        ("", "home/.npm/_npx/1a2b/node_modules/@pintle/linux-x64/bin/pintle", "from the cache of npx"),
        ("", "usr/lib/node_modules/pintle/node_modules/@pintle/linux-x64/bin/pintle", "from npm"),
        (
            "venv/lib/python3.11/site-packages/pintle-0.1.0.dist-info/RECORD",
            "venv/bin/pintle",
            "from a wheel of Python",
        ),
        ("venv/Lib/site-packages/pintle-0.1.0.dist-info/RECORD", "venv/Scripts/pintle.exe", "from a wheel of Python"),
        ("venv/lib/python3.11/site-packages/other-0.1.0.dist-info/RECORD", "venv/bin/pintle", "from an archive"),
        (
            "pipx/venvs/pintle/lib/python3/site-packages/pintle-1.dist-info/RECORD",
            "pipx/venvs/pintle/bin/pintle",
            "from pipx",
        ),
        (
            "uv/tools/pintle/lib/python3/site-packages/pintle-1.dist-info/RECORD",
            "uv/tools/pintle/bin/pintle",
            "from uv",
        ),
        ("target/.rustc_info.json", "target/dist/pintle", "built from a checkout"),
        (".dockerenv", "usr/bin/pintle", "in a container"),
        ("run/.containerenv", "usr/bin/pintle", "in a container"),
    ];

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_place_of_the_program_says_where_it_is_from() {
        for &(file, program, source) in PLACES {
            let root = tempfile::tempdir().unwrap();
            write(&root.path().join(program), "");
            if !file.is_empty() {
                write(&root.path().join(file), "");
            }
            let found = InstallOrigin::of_program(&root.path().join(program), root.path());
            assert_eq!(found.source, source, "{program}");
        }
        assert_eq!(
            InstallOrigin::of_program(Path::new("/nix/store/1-pintle/bin/pintle"), Path::new("/")).source,
            "from a flake of Nix"
        );
    }

    #[test]
    fn lists_of_installers_name_the_program() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("usr/bin/pintle");
        let source = || InstallOrigin::of_program(&program, root.path()).source;
        let list = root.path().join("var/lib/dpkg/info/pintle.list");
        write(&list, "/usr/share/doc/pintle\n");
        assert_eq!(source(), "from an archive");
        write(&list, &format!("/.\n{}\n", program.display()));
        assert_eq!(source(), "from a Debian package");
        fs::remove_file(&list).unwrap();
        write(&root.path().join("usr/.crates.toml"), "[v1]\n\"pintle-cli 0.1.0 (path+file:///x)\" = [\"pintle\"]\n");
        assert_eq!(source(), "from cargo");
    }
}
