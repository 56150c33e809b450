//! What package managers make of the program: the entries that `init` writes survive an upgrade, and are found and removed
//! when the package is gone.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// What is in the place of the version in paths and texts.
const VERSION: &str = "VERSION";

/// A file of a package.
enum PackageFile {
    /// This program.
    Program,
    /// A link to a path.
    Link(&'static str),
    /// A program of a shell.
    Script(&'static str),
    /// A text.
    Text(&'static str),
}

use PackageFile::{Link, Program, Script, Text};

/// How a package manager installs the program: paths are relative to the root directory of a machine with a user's `home`
/// and a `project`, which is the working directory.
struct PackageLayout {
    name: &'static str,
    files: &'static [(&'static str, PackageFile)],
    /// The directories of the PATH; the names that begin with `./` stay relative.
    path: &'static [&'static str],
    /// What the user types: a name, or a path.
    typed: &'static str,
    /// The program in the entries.
    written: &'static str,
    /// A part of the caution; empty if there is none.
    caution: &'static str,
    /// What `update --check` says; empty if that depends on more than the layout.
    source: &'static str,
}

const LASTING: PackageLayout =
    PackageLayout { name: "", files: &[], path: &[], typed: "pintle", written: "", caution: "", source: "" };

/// A wrapper that reads the version from a file, as those of version managers do.
const SHIM: &str = "dir=$HOME/.asdf/installs/pintle/$(cat \"$HOME/.tool-versions\")/bin\nPATH=$dir:$PATH exec \"$dir/pintle\" \"$@\"\n";
/// A program that does for each name what its files say.
const MISE: &str = "exec \"$HOME/.local/share/mise/installs/$(basename \"$0\")/VERSION/bin/pintle\" \"$@\"\n";
const PYENV: &str = "exec \"$HOME/.pyenv/versions/3.11.4/bin/pintle\" \"$@\"\n";
/// What the package of npm does in its script: it starts the program of the package for the platform.
const NPM: &str =
    "here=$(dirname \"$(realpath \"$0\")\")\nexec \"$here/../node_modules/@pintle/linux-x64/bin/pintle\" \"$@\"\n";
const NPX: &str = "here=$(dirname \"$(realpath \"$0\")\")\nexec \"$here/../../@pintle/linux-x64/bin/pintle\" \"$@\"\n";
const PNPM: &str = "here=$(dirname \"$0\")\nexec \"$here/global/5/.pnpm/pintle@VERSION/bin/pintle\" \"$@\"\n";

const DECIDES: &str = "decides at each call what it starts";
const OF_PROJECT: &str = "which the project or everybody here can replace";

const LAYOUTS: &[PackageLayout] = &[
    PackageLayout {
        name: "asdf",
        files: &[
            ("home/.asdf/installs/pintle/VERSION/bin/pintle", Program),
            ("home/.tool-versions", Text("VERSION")),
            ("home/.asdf/shims/pintle", Script(SHIM)),
        ],
        path: &["home/.asdf/shims"],
        written: "home/.asdf/shims/pintle",
        caution: DECIDES,
        source: "from asdf",
        ..LASTING
    },
    PackageLayout {
        name: "mise, its shims",
        files: &[
            ("home/.local/share/mise/installs/pintle/VERSION/bin/pintle", Program),
            ("home/.local/bin/mise", Script(MISE)),
            ("home/.local/share/mise/shims/pintle", Link("../../../bin/mise")),
        ],
        path: &["home/.local/share/mise/shims"],
        written: "home/.local/share/mise/shims/pintle",
        caution: DECIDES,
        source: "from mise",
        ..LASTING
    },
    PackageLayout {
        name: "mise, activated",
        files: &[
            ("home/.local/share/mise/installs/pintle/VERSION/bin/pintle", Program),
            ("home/.local/share/mise/installs/pintle/latest", Link("./VERSION")),
        ],
        path: &["home/.local/share/mise/installs/pintle/VERSION/bin"],
        written: "home/.local/share/mise/installs/pintle/latest/bin/pintle",
        source: "from mise",
        ..LASTING
    },
    PackageLayout {
        name: "a profile of Nix",
        files: &[
            ("nix/store/1a2b-pintle-VERSION/bin/pintle", Program),
            ("nix/store/3c4d-profile-VERSION/bin", Link("../1a2b-pintle-VERSION/bin")),
            ("home/.nix-profile", Link("../nix/store/3c4d-profile-VERSION")),
        ],
        path: &["home/.nix-profile/bin"],
        written: "home/.nix-profile/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "npm --global",
        files: &[
            ("usr/lib/node_modules/pintle/node_modules/@pintle/linux-x64/bin/pintle", Program),
            ("usr/lib/node_modules/pintle/bin/pintle.js", Script(NPM)),
            ("usr/bin/pintle", Link("../lib/node_modules/pintle/bin/pintle.js")),
        ],
        path: &["usr/bin"],
        written: "usr/lib/node_modules/pintle/node_modules/@pintle/linux-x64/bin/pintle",
        source: "from npm",
        ..LASTING
    },
    PackageLayout {
        name: "npm of a version of Node.js",
        files: &[
            ("home/.nvm/v20.1.0/lib/node_modules/pintle/node_modules/@pintle/linux-x64/bin/pintle", Program),
            ("home/.nvm/v20.1.0/lib/node_modules/pintle/bin/pintle.js", Script(NPM)),
            ("home/.nvm/v20.1.0/bin/pintle", Link("../lib/node_modules/pintle/bin/pintle.js")),
        ],
        path: &["home/.nvm/v20.1.0/bin"],
        written: "home/.nvm/v20.1.0/lib/node_modules/pintle/node_modules/@pintle/linux-x64/bin/pintle",
        caution: "a path with a version",
        source: "from npm",
        ..LASTING
    },
    PackageLayout {
        name: "pnpm",
        files: &[
            ("home/.local/share/pnpm/global/5/.pnpm/pintle@VERSION/bin/pintle", Program),
            ("home/.local/share/pnpm/pintle", Script(PNPM)),
        ],
        path: &["home/.local/share/pnpm"],
        written: "home/.local/share/pnpm/pintle",
        caution: DECIDES,
        ..LASTING
    },
    PackageLayout {
        name: "npx",
        files: &[
            ("home/.npm/_npx/1a2b/node_modules/@pintle/linux-x64/bin/pintle", Program),
            ("home/.npm/_npx/1a2b/node_modules/pintle/bin/pintle.js", Script(NPX)),
            ("home/.npm/_npx/1a2b/node_modules/.bin/pintle", Link("../pintle/bin/pintle.js")),
        ],
        path: &["home/.npm/_npx/1a2b/node_modules/.bin"],
        written: "home/.npm/_npx/1a2b/node_modules/@pintle/linux-x64/bin/pintle",
        caution: "when npm empties the cache of npx",
        source: "from the cache of npx",
        ..LASTING
    },
    PackageLayout {
        name: "uvx",
        files: &[("home/.cache/uv/archive-v0/1a2b/bin/pintle", Program)],
        path: &["home/.cache/uv/archive-v0/1a2b/bin"],
        written: "home/.cache/uv/archive-v0/1a2b/bin/pintle",
        caution: "when that directory is emptied",
        ..LASTING
    },
    PackageLayout {
        name: "pipx",
        files: &[
            ("home/.local/pipx/venvs/pintle/bin/pintle", Program),
            ("home/.local/pipx/venvs/pintle/lib/python3.11/site-packages/pintle-VERSION.dist-info/RECORD", Text("")),
            ("home/.local/bin/pintle", Link("../pipx/venvs/pintle/bin/pintle")),
        ],
        path: &["home/.local/bin"],
        written: "home/.local/bin/pintle",
        source: "from pipx",
        ..LASTING
    },
    PackageLayout {
        name: "uv tool",
        files: &[
            ("home/.local/share/uv/tools/pintle/bin/pintle", Program),
            (
                "home/.local/share/uv/tools/pintle/lib/python3.11/site-packages/pintle-VERSION.dist-info/RECORD",
                Text(""),
            ),
            ("home/.local/bin/pintle", Link("../share/uv/tools/pintle/bin/pintle")),
        ],
        path: &["home/.local/bin"],
        written: "home/.local/bin/pintle",
        source: "from uv",
        ..LASTING
    },
    PackageLayout {
        name: "pip in a virtual environment",
        files: &[
            ("home/venv/bin/pintle", Program),
            ("home/venv/lib/python3.11/site-packages/pintle-VERSION.dist-info/RECORD", Text("")),
        ],
        typed: "home/venv/bin/pintle",
        written: "home/venv/bin/pintle",
        source: "from a wheel of Python",
        ..LASTING
    },
    PackageLayout {
        name: "pip of pyenv",
        files: &[
            ("home/.pyenv/versions/3.11.4/bin/pintle", Program),
            ("home/.pyenv/versions/3.11.4/lib/python3.11/site-packages/pintle-VERSION.dist-info/RECORD", Text("")),
            ("home/.pyenv/shims/pintle", Script(PYENV)),
        ],
        path: &["home/.pyenv/shims"],
        written: "home/.pyenv/shims/pintle",
        caution: DECIDES,
        source: "from a wheel of Python",
        ..LASTING
    },
    PackageLayout {
        name: "Homebrew",
        files: BREW,
        path: &["opt/homebrew/bin"],
        written: "opt/homebrew/bin/pintle",
        source: "from Homebrew",
        ..LASTING
    },
    PackageLayout {
        name: "Homebrew, started by the path of the version",
        files: BREW,
        path: &["opt/homebrew/bin"],
        typed: "opt/homebrew/Cellar/pintle/VERSION/bin/pintle",
        written: "opt/homebrew/bin/pintle",
        source: "from Homebrew",
        ..LASTING
    },
    PackageLayout {
        name: "cargo install",
        files: &[
            ("home/.cargo/bin/pintle", Program),
            ("home/.cargo/.crates.toml", Text("\"pintle-cli VERSION (path+file:///x)\" = [\"pintle\"]\n")),
        ],
        path: &["home/.cargo/bin"],
        written: "home/.cargo/bin/pintle",
        source: "from cargo",
        ..LASTING
    },
    PackageLayout {
        name: "a package of Debian",
        files: &[("usr/bin/pintle", Program)],
        path: &["usr/bin"],
        written: "usr/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "a file with its version, and a link",
        files: VERSIONED_FILE,
        path: &["home/bin"],
        written: "home/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "a file with its version, started by that",
        files: VERSIONED_FILE,
        path: &["home/bin"],
        typed: "home/bin/pintle-VERSION",
        written: "home/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "an archive of a version",
        files: &[("opt/pintle-VERSION/pintle", Program)],
        path: &["opt/pintle-VERSION"],
        written: "opt/pintle-VERSION/pintle",
        caution: "a path with a version",
        ..LASTING
    },
    PackageLayout {
        name: "a link of the project to the program of the machine",
        files: &[
            ("usr/local/bin/pintle", Program),
            ("project/node_modules/.bin/pintle", Link("../../../usr/local/bin/pintle")),
        ],
        path: &["project/node_modules/.bin", "usr/local/bin"],
        written: "usr/local/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "a relative directory on the PATH",
        files: &[("usr/local/bin/pintle", Program), ("project/bin/pintle", Link("../../usr/local/bin/pintle"))],
        path: &["./bin"],
        written: "usr/local/bin/pintle",
        ..LASTING
    },
    PackageLayout {
        name: "a link of the home directory into the project",
        files: &[("project/tools/pintle", Program), ("home/bin/pintle", Link("../../project/tools/pintle"))],
        path: &["home/bin"],
        written: "home/bin/pintle",
        caution: OF_PROJECT,
        ..LASTING
    },
    PackageLayout {
        name: "a dependency of the project",
        files: &[
            ("project/node_modules/@pintle/linux-x64/bin/pintle", Program),
            ("project/node_modules/pintle/bin/pintle.js", Script(NPX)),
            ("project/node_modules/.bin/pintle", Link("../pintle/bin/pintle.js")),
        ],
        path: &["project/node_modules/.bin"],
        written: "project/node_modules/@pintle/linux-x64/bin/pintle",
        caution: OF_PROJECT,
        source: "from npm",
        ..LASTING
    },
];

const BREW: &[(&str, PackageFile)] = &[
    ("opt/homebrew/Cellar/pintle/VERSION/bin/pintle", Program),
    ("opt/homebrew/bin/pintle", Link("../Cellar/pintle/VERSION/bin/pintle")),
];

const VERSIONED_FILE: &[(&str, PackageFile)] =
    &[("home/bin/pintle-VERSION", Program), ("home/bin/pintle", Link("pintle-VERSION"))];

/// A machine with the program in one layout.
struct PackageMachine {
    root: TempDir,
    layout: &'static PackageLayout,
}

impl PackageMachine {
    fn new(layout: &'static PackageLayout) -> Self {
        let machine = Self { root: tempfile::tempdir().unwrap(), layout };
        ["home/.claude", "project", "tmp"].iter().for_each(|dir| fs::create_dir_all(machine.path(dir)).unwrap());
        machine.put("0.1.0");
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.root.path()).unwrap().join(path)
    }

    /// Installs a version, as an upgrade does.
    fn put(&self, version: &str) {
        for (path, file) in self.layout.files {
            let path = self.path(&path.replace(VERSION, version));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // What runs keeps its file.
            let _ = fs::remove_file(&path);
            match file {
                Program => {
                    let program = env!("CARGO_BIN_EXE_pintle");
                    fs::hard_link(program, &path).unwrap_or_else(|_| pintle_testkit::copy_program(program, &path));
                }
                Link(target) => symlink(target.replace(VERSION, version), &path).unwrap(),
                Script(text) => {
                    fs::write(&path, format!("#!/bin/sh\n{}", text.replace(VERSION, version))).unwrap();
                    pintle_testkit::make_executable(&path);
                }
                Text(text) => fs::write(&path, text.replace(VERSION, version)).unwrap(),
            }
        }
    }

    /// Removes the files of a version, and with all also those that every version has.
    fn remove(&self, version: &str, is_all: bool) {
        for (path, _) in self.layout.files.iter().filter(|(path, _)| is_all || path.contains(VERSION)) {
            fs::remove_file(self.path(&path.replace(VERSION, version))).unwrap();
        }
    }

    fn prepare(&self, mut command: Command, version: &str) -> Command {
        let dir = |dir: &&str| match dir.strip_prefix("./") {
            Some(dir) => PathBuf::from(dir),
            None => self.path(&dir.replace(VERSION, version)),
        };
        let dirs = self.layout.path.iter().map(dir).chain(["/usr/bin", "/bin"].map(PathBuf::from));
        let variables = [
            ("HOME", self.path("home").into_os_string()),
            ("PATH", std::env::join_paths(dirs).unwrap()),
            ("TMPDIR", self.path("tmp").into_os_string()),
            ("PINTLE_USER_SETUP", "1".into()),
            ("PINTLE_SERVE", "off".into()),
            ("NO_COLOR", "1".into()),
        ];
        command.env_clear().envs(variables).current_dir(self.path("project"));
        command
    }

    /// Runs the program as the user types it; gives what it writes, and its exit status.
    fn run(&self, version: &str, arguments: &[&str]) -> (String, Option<i32>) {
        let typed = self.layout.typed.replace(VERSION, version);
        let typed = if typed.contains('/') { self.path(&typed) } else { PathBuf::from(typed) };
        self.run_program(&typed, version, arguments)
    }

    fn run_program(&self, program: &Path, version: &str, arguments: &[&str]) -> (String, Option<i32>) {
        let output = self.prepare(Command::new(program), version).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).unwrap(), output.status.code())
    }

    /// The line that Claude Code runs before a tool call.
    fn line(&self) -> String {
        let text = fs::read_to_string(self.path("home/.claude/settings.json")).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        settings.pointer("/hooks/PreToolUse/0/hooks/0/command").unwrap().as_str().unwrap().to_owned()
    }

    /// Sends a call that the policy refuses through the line, as the agent does.
    fn call(&self, version: &str) -> (String, Option<i32>) {
        let payload = serde_json::json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "rm -rf ~"}, "cwd": self.path("project"),
        });
        let mut command = self.prepare(Command::new("/bin/sh"), version);
        let piped =
            command.args(["-c", &self.line()]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A line whose program is gone reads nothing.
        let _ = child.stdin.take().unwrap().write_all(payload.to_string().as_bytes());
        let output = child.wait_with_output().unwrap();
        (String::from_utf8([output.stdout, output.stderr].concat()).unwrap(), output.status.code())
    }
}

fn require_survival(layout: &'static PackageLayout) {
    let (name, machine) = (layout.name, PackageMachine::new(layout));
    let init = ["init", "--agents", "claude", "--packs", "shell", "--yes"];
    let (said, status) = machine.run("0.1.0", &init);
    assert_eq!(status, Some(0), "{name}: {said}");
    let written = machine.path(&layout.written.replace(VERSION, "0.1.0"));
    assert!(machine.line().contains(&format!("$('{}' hook", written.display())), "{name}: {}", machine.line());
    let has_caution = said.contains(&format!("note: the entries run `{}`", written.display()));
    assert_eq!(has_caution, !layout.caution.is_empty(), "{name}: {said}");
    assert!(said.contains(layout.caution), "{name}: {said}");
    let (said, _) = machine.run("0.1.0", &["update", "--check"]);
    assert!(said.contains(layout.source), "{name}: {said}");

    machine.put("0.2.0");
    machine.remove("0.1.0", false);
    let is_kept = !layout.written.contains(VERSION);
    let (said, status) = machine.call("0.2.0");
    let refused = if is_kept { "[shell.delete-" } else { "Pintle did not answer" };
    assert!(said.contains(refused) && status == Some(2), "{name}: {said}");
    let (said, status) = machine.run("0.2.0", &["doctor", "claude"]);
    assert_eq!(status, Some(i32::from(!is_kept)), "{name}: {said}");
    let (said, status) = machine.run("0.2.0", &["doctor", "claude", "--fix", "--yes"]);
    let repaired = if is_kept { "there is nothing to repair" } else { "Claude Code: wrote" };
    assert!(said.contains(repaired) && status == Some(0), "{name}: {said}");
    let (said, status) = machine.call("0.2.0");
    assert!(said.contains("[shell.delete-") && status == Some(2), "{name}: {said}");

    machine.remove("0.2.0", true);
    let (said, status) = machine.call("0.2.0");
    assert!(said.contains("Pintle did not answer") && status == Some(2), "{name}: {said}");
    let written = machine.path(&layout.written.replace(VERSION, "0.2.0"));
    // The user finds and removes what is left with any other program of Pintle.
    let other = Path::new(env!("CARGO_BIN_EXE_pintle"));
    let (said, status) = machine.run_program(other, "0.2.0", &["doctor"]);
    let missing =
        format!("the user entries run `{}`, which does not exist; guarded events are denied", written.display());
    assert!(said.contains(&missing) && status == Some(1), "{name}: {said}");
    let (said, status) = machine.run_program(other, "0.2.0", &["uninstall", "claude", "--yes"]);
    assert!(said.contains("Claude Code: removed") && status == Some(0), "{name}: {said}");
    assert!(!machine.path("home/.claude/settings.json").exists(), "{name}");
}

#[test]
fn entries_of_every_package_manager_survive_an_upgrade() {
    // Each has a machine of its own.
    std::thread::scope(|scope| {
        let workers = LAYOUTS
            .chunks(LAYOUTS.len().div_ceil(4))
            .map(|layouts| scope.spawn(|| layouts.iter().for_each(require_survival)));
        let results = workers.collect::<Vec<_>>().into_iter().map(std::thread::ScopedJoinHandle::join);
        results.for_each(|result| result.unwrap());
    });
}
