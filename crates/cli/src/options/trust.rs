//! Prompting the user to trust a project, and refusing what is not trusted.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pintle_bridge::find_agent_behind;
use pintle_host::files;
use pintle_host::loader::{
    LayerDirs, ProjectTrust, TrustGrant, TrustItem, TrustItemKind, TrustOptions, TrustStore, TrustStoreError,
    find_projects,
};
use pintle_host::tape::show::{Tone, single_line};
use pintle_host::{Layer, LoadedRuntime, Runtime, WorkerProgram};

use super::{HookPaths, UserOptions};
use crate::error::{CliError, CliStatus};
use crate::render::style;
use crate::render::trust::describe_trust_request;
use crate::terminal::Terminal;

/// Whether stdin and stderr are terminals, so the user can be prompted.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Refuses a command that changes what guards agents if an agent started it. `action` was not done.
pub(crate) fn require_no_agent(action: &str) -> Result<(), CliError> {
    let Some(agent) = find_agent_behind() else { return Ok(()) };
    let refused = CliError { status: CliStatus::Denied, ..CliError::failure(format!("{action}: {agent}")) };
    Err(refused.help(
        "only a user can do this: run it in a terminal that no agent started; in a set-up of your own whose environment \
         has the variables of an agent, set PINTLE_USER_SETUP=1",
    ))
}

/// Prompts the user once about each path that is neither named nor trusted. Without a terminal it does not prompt, and
/// what needs trust does not run.
pub(crate) fn require_trust(paths: &HookPaths, user: &UserOptions, terminal: &Terminal) -> Result<(), CliError> {
    if !is_interactive() {
        return Ok(());
    }
    for path in paths.untrusted_dirs(user)? {
        let trust = paths.trust_options();
        let Some(consent) = inspect(&path, user, &trust)?.filter(needs_review) else { continue };
        for line in describe_trust_request(&consent) {
            terminal.print_error_line(line);
        }
        if confirm(terminal)? {
            grant(&trust, &consent, terminal)?;
        }
    }
    Ok(())
}

/// Refuses an agent that is neither named nor trusted: its tools and models are the project's.
pub(crate) fn require_trusted_agents(
    built: &LoadedRuntime,
    counts: impl Fn(&TrustItem) -> bool,
) -> Result<(), CliError> {
    let first = |project: &ProjectTrust| {
        let claim = project.agent_items.iter().find(|claim| counts(claim))?;
        Some((project.folder().display().to_string(), claim.clone()))
    };
    let Some((dir, claim)) = built.projects.iter().find_map(first) else { return Ok(()) };
    let mut deeds: Vec<String> = claim.capabilities.iter().map(ToString::to_string).collect();
    if deeds.is_empty() {
        deeds.push(String::from("differs from what you trusted"));
    }
    let what = format!("the agent in the current directory is not trusted: `{}` {}", claim.name, deeds.join(", "));
    let help = format!(
        "review it with `pintle trust '{dir}'`, or pass the path explicitly (for example `.`) to allow this run only"
    );
    Err(CliError::invalid_input(single_line(&what, usize::MAX)).help(help))
}

/// Refuses hooks that only a tape names and that are not trusted.
pub(crate) fn require_trusted_tape(built: &LoadedRuntime) -> Result<(), CliError> {
    let is_member = |claim: &TrustItem| claim.kind == TrustItemKind::Member && !claim.capabilities.is_empty();
    let is_refused =
        |project: &&ProjectTrust| !project.untrusted_hooks.is_empty() || project.agent_items.iter().any(is_member);
    let Some(project) = built.projects.iter().find(is_refused) else { return Ok(()) };
    let dir = project.folder().display();
    let what = format!("nothing was fired: the hooks of `{dir}`, which the tape names, are not trusted");
    let help =
        format!("review them with `pintle trust '{dir}'`, or name hooks with `--with PATH` to allow this run only");
    Err(CliError::invalid_input(single_line(&what, usize::MAX)).help(help))
}

/// Prints which hooks of each project do not run.
pub(crate) fn print_untrusted(built: &LoadedRuntime, terminal: &Terminal) {
    for notice in built.projects.iter().filter_map(untrusted_notice) {
        terminal.print_error_line(style::with_label(Tone::Warn, "not trusted", single_line(&notice, usize::MAX)));
    }
}

/// Returns the notice about a project: which hooks do not run, or that hooks of its agents are not trusted.
fn untrusted_notice(project: &ProjectTrust) -> Option<String> {
    let has_members = project.agent_items.iter().any(|claim| claim.kind == TrustItemKind::Member);
    project.user_notice().or_else(|| {
        let dir = project.folder().display();
        has_members.then(|| format!("hooks of the agents in `{dir}`; review them with `pintle trust '{dir}'`"))
    })
}

/// Whether the user has something to review.
pub(crate) fn needs_review(project: &ProjectTrust) -> bool {
    !project.untrusted_hooks.is_empty() || !project.agent_items.is_empty()
}

/// Returns what the code of a path could do, and whether it is trusted. Nothing of it runs.
pub(crate) fn inspect(path: &Path, user: &UserOptions, trust: &TrustOptions) -> Result<Option<ProjectTrust>, CliError> {
    // Found as a host finds it, so that one prompt also covers what it would do there.
    let layers = LayerDirs { cwd: path.to_owned(), ..LayerDirs::default() };
    let is_project = find_projects(&layers, &TrustOptions::default().into_grants())
        .iter()
        .any(|found| files::canonicalize(path).ok().as_ref() == Some(found));
    let own = user.layers(if is_project { path.to_owned() } else { PathBuf::new() })?;
    let start = Runtime::builder().worker(WorkerProgram::current_exe()).trust(trust.clone());
    let builder = user.add_flags(start.layers(LayerDirs { home: None, ..own }))?;
    let builder = if is_project { builder } else { builder.discovered_path(path, Layer::Project) };
    Ok(builder.load().projects.pop())
}

/// Reads the user's answer; anything but a clear yes is a no.
pub(crate) fn confirm(terminal: &Terminal) -> Result<bool, CliError> {
    terminal.print_error_piece("trust this project? [y/N] ");
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// Records that the project is trusted as it is. A trust file that cannot be parsed is kept next to the new one.
pub(crate) fn grant(trust: &TrustOptions, project: &ProjectTrust, terminal: &Terminal) -> Result<(), CliError> {
    require_no_agent("the project was not trusted")?;
    let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let grant = TrustGrant::new(&project.manifest, at_ms.try_into().unwrap_or(u64::MAX));
    let store = match TrustStore::open(trust) {
        Err(error) if error.is_broken => {
            if let Some(aside) = TrustStore::quarantine(trust).map_err(trust_error)? {
                terminal.print_note(format!("{error}; it is kept as `{}`", aside.display()));
            }
            TrustStore::open(trust).map_err(trust_error)?
        }
        opened => opened.map_err(trust_error)?,
    };
    if let Some(doubt) = store.distrust_reason(project.folder()) {
        return Err(trust_error(doubt));
    }
    TrustStore::grant(trust, project.folder(), grant).map_err(trust_error)
}

/// Converts an error of the trust file.
pub(crate) fn trust_error(error: TrustStoreError) -> CliError {
    CliError::invalid_input(&error).help(error.help)
}
