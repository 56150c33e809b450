//! The program `pintle`, which loads what a bundle has and decides by it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::FleetError;

/// The exit code with which `pintle` says that an agent may not do this.
const DENIED: i32 = 2;

/// The program `pintle`.
#[derive(Debug, Clone)]
pub struct PintleProgram(PathBuf);

/// What `pintle validate` found.
#[derive(Deserialize)]
struct ValidateReport {
    files: usize,
    findings: Vec<ValidateFinding>,
}

#[derive(PartialEq, Deserialize)]
struct ValidateFinding {
    severity: String,
    message: String,
    path: Option<String>,
    line: Option<usize>,
}

impl PintleProgram {
    /// The program that the user names, otherwise the one beside this program, otherwise the one on the search path.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(named: Option<PathBuf>) -> Result<Self, FleetError> {
        let name = format!("pintle{}", env::consts::EXE_SUFFIX);
        let beside = env::current_exe().ok().map(|exe| exe.with_file_name(&name)).filter(|path| path.is_file());
        let on_path = || pintle_files::find_in_path(&env::var_os("PATH").unwrap_or_default(), &name).next();
        named.or(beside).or_else(on_path).map(Self).ok_or_else(|| {
            FleetError::failure("cannot find the program `pintle`, which says whether a bundle loads")
                .help("install it, or name it with `--pintle`")
        })
    }

    /// Checks that the hooks in a directory load, that this version of Pintle is in their range, and that no agent asked for
    /// this.
    pub(crate) fn check(&self, dir: &Path, requires: Option<&str>) -> Result<(), FleetError> {
        if let Some(requires) = requires {
            self.check_version(requires)?;
        }
        let beside = dir.parent().unwrap_or(dir);
        let report = self.validate(dir, beside)?;
        // What is found without the bundle is not about it. The directory beside its files has none that load.
        let others = self.validate(beside, beside)?;
        let is_error = |finding: &&ValidateFinding| finding.severity == "error" && !others.findings.contains(finding);
        let mut errors = report.findings.iter().filter(is_error);
        let (message, count) = match errors.next() {
            Some(first) => {
                let line = first.line.map(|line| format!(":{line}")).unwrap_or_default();
                let place = first.path.as_ref().map(|path| format!("{path}{line}: ")).unwrap_or_default();
                (format!("{place}{}", first.message), errors.count())
            }
            None if report.files > others.files => return Ok(()),
            None => (String::from("it has nothing that Pintle reads, such as `policy.yaml` or `hooks/`"), 0),
        };
        let more = if count > 0 { format!(" (and {count} more)") } else { String::new() };
        Err(FleetError::failure(format!("the bundle does not load: {message}{more}"))
            .help("`pintle validate DIR` shows everything where the bundle is made"))
    }

    /// Checks that no agent asked for this.
    pub(crate) fn check_user(&self, dir: &Path) -> Result<(), FleetError> {
        self.validate(dir, dir).map(drop)
    }

    /// Has the hooks in a directory of configuration checked, beside others that apply. Paths below `working_dir` are relative
    /// to it.
    fn validate(&self, dir: &Path, working_dir: &Path) -> Result<ValidateReport, FleetError> {
        let mut command = self.command();
        command.args(["validate", "--for-use", "--format", "json", "--config-dir"]).arg(dir);
        let output = command.current_dir(working_dir).output().map_err(|error| self.unusable(&error))?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        if output.status.code() == Some(DENIED) {
            let first = said.lines().next().unwrap_or_default();
            return Err(FleetError::failure(format!("`pintle` refuses this: {first}"))
                .help("run it in a terminal that no agent started; in a set-up of your own, set PINTLE_USER_SETUP=1"));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|_| self.unusable(&format!("`validate` answers {}: {said}", output.status)))
    }

    fn check_version(&self, requires: &str) -> Result<(), FleetError> {
        let output = self.command().arg("--version").output().map_err(|error| self.unusable(&error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split_whitespace().nth(1).and_then(|word| semver::Version::parse(word).ok());
        let version = version.ok_or_else(|| self.unusable(&"it does not say its version"))?;
        match semver::VersionReq::parse(requires) {
            Ok(range) if range.matches(&version) => Ok(()),
            _ => Err(FleetError::failure(format!("the bundle is for Pintle {requires}, and this is {version}"))
                .help("update Pintle, or make a bundle for this version")),
        }
    }

    /// Shows what the hooks in a directory decide otherwise about the recorded calls of this machine: otherwise than those in
    /// another directory, or than what is recorded. Returns whether the comparison was made.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn compare(&self, before: Option<&Path>, after: &Path, options: &[String]) -> Result<bool, FleetError> {
        let mut command = Command::new(&self.0);
        match before {
            Some(before) => command.arg("diff").args([before, after]),
            None => command.args(["replay", "--with"]).arg(after),
        };
        let status = command.args(options).status().map_err(|error| self.unusable(&error))?;
        Ok(status.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.0);
        command.stdin(Stdio::null());
        command
    }

    fn unusable(&self, reason: &dyn std::fmt::Display) -> FleetError {
        FleetError::failure(format!("`{}` cannot say whether the bundle loads: {reason}", self.0.display()))
            .help("update `pintle`, or name another one with `--pintle`")
    }
}
