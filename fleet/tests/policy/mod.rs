//! Policy bundles: made and signed by the real `minisign`, fetched, checked and switched by the program.

mod bundles;
mod killed;
mod refused;
mod sources;
mod stages;
mod with_pintle;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::fixture::{fleet_command, output_text, write_file};

/// Set where the tests must not be skipped.
const REQUIRED: &str = "PINTLE_FLEET_TESTS_NEED_MINISIGN";

/// A program instead of `pintle`: it answers as that does, and shows how it was called. What a policy says decides
/// whether it loads.
const FAKE_PINTLE: &str = r#"#!/bin/sh
for dir; do :; done
case "$1" in
--version) echo "pintle 0.1.0"; exit 0 ;;
validate) ;;
*) echo "called: $*"; exit "${FAKE_STATUS:-0}" ;;
esac
if [ -n "$FAKE_AGENT" ]; then echo "error: nothing was changed: Claude Code started it" >&2; exit 2; fi
case "$dir" in *.new-*) if [ -n "$FAKE_KILL" ]; then kill -9 "$PPID"; fi ;; esac
other='{"severity":"error","message":"of another file","path":"/etc/pintle/policy.yaml","line":1}'
if grep -qs BROKEN "$dir/policy.yaml"; then
  echo "{\"files\":1,\"findings\":[$other,{\"severity\":\"error\",\"message\":\"unknown key\",\"path\":\"files/policy.yaml\",\"line\":2}]}"
  exit 3
fi
if [ -f "$dir/policy.yaml" ]; then files=2; else files=1; fi
echo "{\"files\":$files,\"findings\":[$other]}"
exit 3
"#;

/// Who makes bundles, and a machine that keeps one.
pub(crate) struct PolicySite {
    pub(crate) dir: TempDir,
}

impl PolicySite {
    /// A site with two pairs of keys; `None` if minisign is not installed.
    pub(crate) fn new() -> Option<Self> {
        if Command::new("minisign").arg("-v").output().is_err() {
            assert!(std::env::var_os(REQUIRED).is_none(), "minisign is not installed: `apt-get install minisign`");
            eprintln!("NOT TESTED: minisign is not installed (`apt-get install minisign`)");
            return None;
        }
        let site = Self { dir: tempfile::tempdir().unwrap() };
        for name in ["own", "other"] {
            let (public, secret) = (site.path(&format!("{name}.pub")), site.path(&format!("{name}.key")));
            let made = Command::new("minisign").args(["-G", "-W", "-p"]).arg(public).arg("-s").arg(secret).output();
            assert!(made.unwrap().status.success());
        }
        write_file(&site.path("pintle"), FAKE_PINTLE);
        pintle_testkit::make_executable(site.path("pintle"));
        fs::create_dir(site.path("published")).unwrap();
        Some(site)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The bundle that the source has.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.path("published/policy.bundle")
    }

    /// The directory of the machine's hooks.
    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Makes and signs a bundle, of which `policy.yaml` has a text. Returns what is printed.
    pub(crate) fn publish(&self, version: u64, policy: &str) -> String {
        write_file(&self.path("policy/policy.yaml"), policy);
        let output = self.make_command(version).arg("--key").arg(self.path("own.key")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output_text(&output)
    }

    /// A command that makes a bundle of the directory `policy`, without a signature.
    pub(crate) fn make_command(&self, version: u64) -> Command {
        let mut command = fleet_command();
        command.args(["bundle", "make", "--name", "acme", "--version", &version.to_string()]);
        command.arg(self.path("policy")).arg("-o").arg(self.bundle());
        command
    }

    /// Signs the bundle that the source has by a key.
    pub(crate) fn sign(&self, key: &str) {
        let mut command = Command::new("minisign");
        let signed = command.args(["-S", "-s"]).arg(self.path(key)).arg("-m").arg(self.bundle()).output().unwrap();
        assert!(signed.status.success(), "{signed:?}");
    }

    /// A command of `pintle-fleet policy`.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = fleet_command();
        command.arg("policy").args(&args[..1]);
        command.arg("--config-dir").arg(self.home()).arg("--pintle").arg(self.path("pintle")).args(&args[1..]);
        command
    }

    pub(crate) fn policy(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Sets the source and its key.
    pub(crate) fn add(&self, source: &str, more: &[&str]) -> Output {
        let key = self.path("own.pub");
        self.command(&["add", source, "--public-key"]).arg(key).args(more).output().unwrap()
    }

    /// The policy to which a link of the machine leads.
    pub(crate) fn policy_at(&self, link: &str) -> Option<String> {
        fs::read_to_string(self.home().join(link).join("policy.yaml")).ok()
    }

    pub(crate) fn enforced(&self) -> Option<String> {
        self.policy_at("bundle")
    }

    pub(crate) fn published_dir(&self) -> String {
        self.path("published").display().to_string()
    }
}

/// Runs to the end with this exit code, and returns all that was printed.
pub(crate) fn printed(output: &Output, code: i32) -> String {
    let text = output_text(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

pub(crate) fn find_in(dir: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).find(|path| path.file_name().unwrap().to_string_lossy().starts_with(name))
}
