//! `pintle install`.

mod confirm;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle_bridge::install::{
    EntryProgram, InstallEnvironment, InstallError, InstallOptions, InstallPlan, InstallScope, StartedProgram,
};
use pintle_bridge::{HostDef, list_host_names};
use pintle_host::files;
use pintle_host::files::{file_mode, file_owner};
use pintle_host::loader::{UserDirs, find_managed_dir};
use pintle_host::{Layer, Runtime, Severity, WorkerProgram};

pub(super) use confirm::{EditConfirmation, SettingsEdit, print_diff};

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HostArgument, ProjectOption, ScopeOption};
use crate::render::diagnostic;
use crate::terminal::Terminal;

/// The variable that turns residents off, with the value `off`.
const SERVE: &str = "PINTLE_SERVE";

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[arg(value_name = "HOST", help = format!("Agent to install Pintle in: {}", list_host_names()))]
    host: HostArgument,
    #[command(flatten)]
    scope: ScopeOption,
    /// Use these hooks there instead of the project's. May be repeated.
    #[arg(long, value_name = "PATH")]
    hooks: Vec<PathBuf>,
    /// Install only these events, by the host's own names [default: every event that can block an action or report
    /// something].
    #[arg(long, value_name = "EVENT,..", value_delimiter = ',')]
    events: Vec<String>,
    #[command(flatten)]
    program: ProgramOption,
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
        let scope = self.scope.scope_on(&site)?;
        let folders = find_named_dirs(scope)?;
        let (EntryProgram { program, cautions }, hooks) =
            (self.program.resolve(&site, scope)?, to_absolute(self.hooks)?);
        require_hooks(&hooks, terminal)?;
        let options = InstallOptions { program, hooks, folders, events: self.events };
        let plan = InstallPlan::install(host, &site, scope, &options).map_err(|error| to_cli_error(&error, &site))?;
        let edit = SettingsEdit {
            host,
            site: &site,
            plan,
            done_message: "installed",
            unchanged_message: "already installed",
            guarded_scope: Some(scope),
            shows_diff: true,
        };
        let hints = [cautions, install_hints(host, &site, scope, &options.program)].concat();
        edit.carry_out(&self.agreement, &hints, terminal, global)
    }
}

/// The directories that the installed entries of a scope name.
pub(super) fn find_named_dirs(scope: InstallScope) -> Result<UserDirs, CliError> {
    Ok(match scope {
        InstallScope::Managed => UserDirs::of_each_account(),
        InstallScope::User => {
            // So that no project can replace them.
            find_managed_dir(None)?;
            UserDirs::from_env().to_absolute()
        }
        // Users who share the project's settings have other home directories.
        InstallScope::Project => UserDirs::default(),
    })
}

/// What the user should know after Pintle is installed in a host.
pub(super) fn install_hints(
    host: &HostDef,
    environment: &InstallEnvironment,
    scope: InstallScope,
    program: &str,
) -> Vec<String> {
    let mut hints = (host.install.hints)(scope);
    if scope == InstallScope::Project && program.contains('/') {
        hints.push(format!(
            "the shared entries run `{program}`, a path of this machine; with `--program pintle` they run on every \
             machine that has Pintle on its PATH"
        ));
    }
    hints.extend(replaceable_program(environment, scope, program));
    hints
}

/// Returns the hint that others than root can replace the program that everybody's guards depend on.
fn replaceable_program(environment: &InstallEnvironment, scope: InstallScope, program: &str) -> Option<String> {
    let path = environment.path_now(Path::new(program));
    let metadata = fs::metadata(path).ok().filter(|_| scope == InstallScope::Managed)?;
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
        InstallError::LinkedFile { own_text, .. } if own_text.is_empty() => {
            shown.help("remove the entries that run `pintle` where that file is made")
        }
        InstallError::LinkedFile { own_text, .. } => {
            shown.help(format!("add this where that file is made, and run the same command again:\n{own_text}"))
        }
        _ => shown,
    }
}

/// The program that hosts run.
#[derive(Debug, Args)]
pub(super) struct ProgramOption {
    /// Program that the host runs: a path, or a name on its PATH [default: this program; with `--root` that of the image].
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
}

impl ProgramOption {
    /// The named program, otherwise the one of the machine.
    pub(super) fn resolve(
        self,
        environment: &InstallEnvironment,
        scope: InstallScope,
    ) -> Result<EntryProgram, CliError> {
        let chosen = match self.program {
            Some(program) => EntryProgram::named(program),
            None => find_entry_program(environment, scope)?,
        };
        require_own_name(&chosen.program)?;
        Ok(chosen)
    }
}

/// The program that entries run if the user names none.
pub(super) fn find_entry_program(
    environment: &InstallEnvironment,
    scope: InstallScope,
) -> Result<EntryProgram, CliError> {
    if environment.is_image() {
        return find_program_of_image(environment).map(EntryProgram::named);
    }
    Ok(EntryProgram::choose(&find_started_program()?, environment, scope, uses_residents()))
}

/// The file of this program, and the paths by which it may have been started.
pub(super) fn find_started_program() -> Result<StartedProgram, CliError> {
    let file = std::env::current_exe().and_then(files::canonicalize);
    let file = file.map_err(|error| CliError::failure(format!("cannot find the path of this program: {error}")))?;
    Ok(StartedProgram { file, typed: files::started_paths() })
}

/// The program that entries of an image run.
fn find_program_of_image(environment: &InstallEnvironment) -> Result<String, CliError> {
    let client = environment.find_program("pintle-hook").filter(|_| uses_residents());
    let found = client.or_else(|| environment.find_program("pintle"));
    found.map(|path| path.to_string_lossy().into_owned()).ok_or_else(|| {
        let root = environment.root.display();
        CliError::invalid_input(format!("`{root}` has no program `pintle`")).help(format!(
            "copy it to `{root}/usr/local/bin`, or name with `--program` the path that it will have there"
        ))
    })
}

fn uses_residents() -> bool {
    cfg!(target_os = "linux") && std::env::var_os(SERVE).is_none_or(|value| value != "off")
}

/// Refuses a program whose entries would not be recognised.
fn require_own_name(program: &str) -> Result<(), CliError> {
    if pintle_bridge::install::parse_own_command(&format!("'{}' hook x ", program.replace('\'', r"'\''")), "x")
        .is_none()
    {
        let error = CliError::invalid_input(format!(
            "`{program}` is not named `pintle`, the name by which installed entries are recognised"
        ));
        return Err(error.help("rename it, or name another program with `--program`"));
    }
    Ok(())
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
