//! `pintle install`.

mod confirm;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle_bridge::install::{InstallEnvironment, InstallError, InstallOptions, InstallPlan};
use pintle_bridge::list_host_names;
use pintle_host::files;
use pintle_host::files::{file_mode, file_owner};
use pintle_host::loader::{UserDirs, find_managed_dir};
use pintle_host::{Layer, Runtime, Severity, WorkerProgram};

pub(super) use confirm::{EditConfirmation, SettingsEdit, print_diff};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, ScopeArgument};
use crate::render::diagnostic;
use crate::terminal::Terminal;

/// The variable that turns residents off, with the value `off`.
const SERVE: &str = "PINTLE_SERVE";

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[arg(value_name = "HOST", help = format!("Agent to install Pintle in: {}", list_host_names()))]
    host: HostArgument,
    /// Whose settings to edit.
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArgument,
    /// Use these hooks there instead of the project's. May be repeated.
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    /// Install only these events, by the host's own names [default: every event that can block an action or report
    /// something].
    #[arg(long, value_name = "EVENT,..", value_delimiter = ',')]
    events: Vec<String>,
    /// Program that the host runs: a path, or a name on its PATH [default: this program].
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    #[command(flatten)]
    agreement: EditConfirmation,
    #[command(flatten)]
    project: ProjectOption,
    /// Show what each hook decision does in this host, without installing anything.
    #[arg(long)]
    report: bool,
}

impl InstallArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let host = self.host.0;
        let site = self.project.install_environment()?;
        if self.report {
            report::print_support(host, &site, terminal, global);
            return Ok(CliStatus::Done);
        }
        self.agreement.require_user()?;
        let folders = match self.scope {
            ScopeArgument::Managed => UserDirs::of_each_account(),
            ScopeArgument::User => resolve_user_dirs()?,
            // Users who share the project's settings have other home directories.
            ScopeArgument::Project => UserDirs::default(),
        };
        let (program, hooks) = (resolve_program(self.program)?, to_absolute(self.hooks)?);
        require_hooks(&hooks, terminal)?;
        let options = InstallOptions { program, hooks, folders, events: self.events };
        let plan = InstallPlan::install(host, &site, self.scope.into(), &options)
            .map_err(|error| to_cli_error(&error, &site))?;
        let edit = SettingsEdit {
            host,
            site: &site,
            plan,
            done_message: "installed",
            unchanged_message: "already installed",
            guarded_scope: Some(self.scope.into()),
            shows_diff: true,
        };
        let mut hints = (host.install.hints)(self.scope.into());
        hints.extend(replaceable_program(self.scope, &options.program));
        edit.carry_out(&self.agreement, &hints, terminal, global)
    }
}

/// Returns the hint that others than root can replace the program that everybody's guards depend on.
fn replaceable_program(scope: ScopeArgument, program: &str) -> Option<String> {
    let metadata = fs::metadata(program).ok().filter(|_| scope == ScopeArgument::Managed)?;
    let has_other_owner = file_owner(&metadata).is_some_and(|number| number != 0);
    let is_replaceable = has_other_owner || file_mode(&metadata).is_some_and(|mode| mode & 0o022 != 0);
    let what = || format!("`{program}` can be replaced by others than root, who then decide for everyone here");
    is_replaceable.then(what)
}

/// Returns an error of installing or uninstalling with its next step.
pub(super) fn to_cli_error(error: &InstallError, environment: &InstallEnvironment) -> CliError {
    let shown = CliError::invalid_input(error);
    match error {
        InstallError::NoScope { .. } => shown.help("use `--scope user` or `--scope project`"),
        InstallError::NotPermitted { path, .. } if !path.starts_with(&environment.home) => {
            shown.help("these are settings of the machine: run the same command as root, for example with `sudo`")
        }
        _ => shown,
    }
}

/// Returns the program that the host runs: the named one, otherwise `pintle-hook` if it is beside this program and
/// residents are not turned off, otherwise this program.
pub(super) fn resolve_program(named_program: Option<String>) -> Result<String, CliError> {
    let own = || -> Result<String, CliError> {
        let path = std::env::current_exe().and_then(files::canonicalize);
        let path = path.map_err(|error| CliError::failure(format!("cannot find the path of this program: {error}")))?;
        let path = typed_path(&path).unwrap_or(path);
        let client = path.with_file_name("pintle-hook");
        let is_used = cfg!(target_os = "linux") && std::env::var_os(SERVE).is_none_or(|value| value != "off");
        Ok(if is_used && client.is_file() { client } else { path }.to_string_lossy().into_owned())
    };
    let program = named_program.map_or_else(own, Ok)?;
    if pintle_bridge::install::parse_own_command(&format!("'{}' hook x ", program.replace('\'', r"'\''")), "x")
        .is_none()
    {
        let error = CliError::invalid_input(format!(
            "`{program}` is not named `pintle`, the name by which installed entries are recognised"
        ));
        return Err(error.help("rename it, or name another program with `--program`"));
    }
    Ok(program)
}

/// The path by which the user started the program `own`. It may be a link that an upgrade points to another version.
fn typed_path(own: &Path) -> Option<PathBuf> {
    let is_own = |path: &PathBuf| files::canonicalize(path).is_ok_and(|path| path == *own);
    let typed = pintle_host::files::started_paths().into_iter().find(is_own)?;
    std::path::absolute(typed).ok()
}

/// Returns the directories that installed entries name, so that no project can replace them.
pub(super) fn resolve_user_dirs() -> Result<UserDirs, CliError> {
    find_managed_dir(None)?;
    Ok(UserDirs::from_env().to_absolute())
}

/// Refuses paths whose hooks cannot be loaded.
fn require_hooks(hooks: &[PathBuf], terminal: &Terminal) -> Result<(), CliError> {
    let start = Runtime::builder().worker(WorkerProgram::current_exe());
    let built = hooks.iter().fold(start, |builder, path| builder.hooks(path, Layer::Project)).load();
    for diagnostic in built.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
        terminal.print_error_line(diagnostic::render_diagnostic(diagnostic));
    }
    if built.has_errors() {
        let error = CliError::invalid_input("cannot load the hooks; nothing was installed");
        return Err(error.help("fix them, or name others with `--hooks`; `pintle validate PATH` checks them"));
    }
    Ok(())
}

/// Returns absolute paths, which do not depend on the directory in which the host starts.
fn to_absolute(hooks: Vec<PathBuf>) -> Result<Vec<PathBuf>, CliError> {
    let absolute = |path: PathBuf| {
        files::canonicalize(&path).map_err(|error| {
            let help =
                "name a project, a `.harness` directory, a docker-agent YAML file, a directory of hooks or a hook file";
            CliError::invalid_input(format!("cannot open `{}`: {error}", path.display())).help(help)
        })
    };
    hooks.into_iter().map(absolute).collect()
}
