//! Asking whether a project's hooks may do what they want to do.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use pintle::loader::{
    LayerDirs, ProjectTrust, TrustGrant, TrustItem, TrustItemKind, TrustOptions, TrustStore, TrustStoreError,
    find_projects,
};
use pintle::tape::show::{Tone, single_line};
use pintle::{BuiltRuntime, Layer, Runtime, WorkerProgram};

use super::{HookPaths, UserOptions};
use crate::error::CliError;
use crate::render::style;
use crate::render::trust::describe_trust_request;
use crate::terminal::Terminal;

/// Whether there is somebody to ask: someone who can type and sees what is asked.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks the person at the terminal, once, about a place that nobody named and nobody agreed to. Without a person nothing
/// is asked, and what needs consent does not run.
pub(crate) fn require_trust(places: &HookPaths, user: &UserOptions, terminal: &Terminal) -> Result<(), CliError> {
    if !places.is_discovered || !is_interactive() {
        return Ok(());
    }
    for path in &places.paths {
        let trust = places.trust_options();
        let Some(consent) = inspect(path, user, &trust)?.filter(needs_review) else { continue };
        for line in describe_trust_request(&consent) {
            terminal.print_error_line(line);
        }
        if confirm(terminal)? {
            grant(&trust, &consent, terminal)?;
        }
    }
    Ok(())
}

/// Refuses an agent that nobody named and that may do what nobody agreed to: its tools and models are the project's.
pub(crate) fn require_trusted_agents(
    built: &BuiltRuntime,
    counts: impl Fn(&TrustItem) -> bool,
) -> Result<(), CliError> {
    let first = |project: &ProjectTrust| {
        let claim = project.agent_items.iter().find(|claim| counts(claim))?;
        Some((project.folder().display().to_string(), claim.clone()))
    };
    let Some((folder, claim)) = built.projects.iter().find_map(first) else { return Ok(()) };
    let mut deeds: Vec<String> = claim.capabilities.iter().map(ToString::to_string).collect();
    if deeds.is_empty() {
        deeds.push(String::from("is not what you agreed to"));
    }
    let what = format!(
        "nobody agreed to what the agent in the current directory may do: `{}` {}",
        claim.name,
        deeds.join(", ")
    );
    let help = format!(
        "`pintle trust '{folder}'` shows everything and asks; a path on the command line, such as `.`, is consent for once"
    );
    Err(CliError::invalid_input(single_line(&what, usize::MAX)).help(help))
}

/// Refuses hooks that only a tape names and that may do what nobody agreed to.
pub(crate) fn require_trusted_tape(built: &BuiltRuntime) -> Result<(), CliError> {
    let is_member = |claim: &TrustItem| claim.kind == TrustItemKind::Member && !claim.capabilities.is_empty();
    let is_refused =
        |project: &&ProjectTrust| !project.untrusted_hooks.is_empty() || project.agent_items.iter().any(is_member);
    let Some(project) = built.projects.iter().find(is_refused) else { return Ok(()) };
    let folder = project.folder().display();
    let what = format!("nobody agreed to the hooks of `{folder}`, which the tape names; nothing was fired");
    let help = format!(
        "`pintle trust '{folder}'` shows what they may do and asks; `--with PATH` names hooks to decide with, which is consent for once"
    );
    Err(CliError::invalid_input(single_line(&what, usize::MAX)).help(help))
}

/// Tells of every project what of it does not run.
pub(crate) fn print_untrusted(built: &BuiltRuntime, terminal: &Terminal) {
    for notice in built.projects.iter().filter_map(untrusted_notice) {
        terminal.print_error_line(style::with_label(Tone::Warn, "not trusted", single_line(&notice, usize::MAX)));
    }
}

/// What is to be said of a project: which hooks do not run, or that its agents have hooks that nobody agreed to.
fn untrusted_notice(consent: &ProjectTrust) -> Option<String> {
    let has_members = consent.agent_items.iter().any(|claim| claim.kind == TrustItemKind::Member);
    consent.user_notice().or_else(|| {
        let folder = consent.folder().display();
        has_members.then(|| {
            format!("nobody agreed to the hooks of the agents in `{folder}`; `pintle trust '{folder}'` shows what they may do and asks")
        })
    })
}

/// Whether a person has something to agree to.
pub(crate) fn needs_review(consent: &ProjectTrust) -> bool {
    !consent.untrusted_hooks.is_empty() || !consent.agent_items.is_empty()
}

/// What a path may do and how it stands to what was agreed to; nothing of it runs.
pub(crate) fn inspect(path: &Path, user: &UserOptions, trust: &TrustOptions) -> Result<Option<ProjectTrust>, CliError> {
    let builder = user.apply_to(Runtime::builder().worker(WorkerProgram::current_exe()).trust(trust.clone()))?;
    // As a host finds it: what it would do there is as much as what it does here, and the person is asked once.
    let layers = LayerDirs { cwd: path.to_owned(), ..LayerDirs::default() };
    let is_project = find_projects(&layers, &TrustOptions::default().into_grants())
        .iter()
        .any(|found| path.canonicalize().ok().as_ref() == Some(found));
    let builder = if is_project { builder.layers(layers) } else { builder.discovered_path(path, Layer::Project) };
    Ok(builder.build().projects.pop())
}

/// Reads a yes or a no, which is everything but a clear yes.
pub(crate) fn confirm(terminal: &Terminal) -> Result<bool, CliError> {
    terminal.print_error_piece("may they? [y/N] ");
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|fault| CliError::failure(format!("cannot read from the terminal: {fault}")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// Writes down that a project is agreed to as it is. A file of agreements that cannot be read is kept beside the new one.
pub(crate) fn grant(trust: &TrustOptions, consent: &ProjectTrust, terminal: &Terminal) -> Result<(), CliError> {
    let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let agreement = TrustGrant::new(&consent.manifest, at_ms.try_into().unwrap_or(u64::MAX));
    let store = match TrustStore::open(trust) {
        Err(fault) if fault.is_broken => {
            if let Some(aside) = TrustStore::quarantine(trust).map_err(trust_error)? {
                terminal.print_note(format!("{fault}; it is kept as `{}`", aside.display()));
            }
            TrustStore::open(trust).map_err(trust_error)?
        }
        opened => opened.map_err(trust_error)?,
    };
    if let Some(doubt) = store.distrust_reason(consent.folder()) {
        return Err(trust_error(doubt));
    }
    TrustStore::grant(trust, consent.folder(), agreement).map_err(trust_error)
}

/// A fault of the agreements as one of the command.
pub(crate) fn trust_error(fault: TrustStoreError) -> CliError {
    CliError::invalid_input(&fault).help(fault.help)
}
