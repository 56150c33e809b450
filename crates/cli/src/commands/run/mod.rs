//! `pintle run`: an agent under its hooks.

mod absent_approver;
mod agent;
mod args;
mod commands;
mod daemon;
mod failures;
mod input;
mod interrupt;
#[cfg(unix)]
mod line_editor;
mod live_display;
mod model_override;
mod models;
mod persona;
mod prompts;
mod redact;
mod repeated_calls;
mod resume;
mod summary;
mod target;
mod terminal_approver;
mod turn_error;
mod worktree;

use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_agent::{Session, TurnError};
use pintle_host::contract::PermissionMode;
use pintle_host::files;
use pintle_host::loader::{BegunSessions, state_dir};
use pintle_host::{Approver, Layer, SystemClock};

use crate::error::{CliError, CliStatus};
use crate::options::{
    GlobalOptions, current_dir, load_hooks, model_opener, remove_expired_after_command, start_builder, trust,
};
use crate::terminal::Terminal;
use absent_approver::AbsentApprover;
pub(crate) use args::RunArgs;
use input::StdinReader;
use interrupt::CtrlCHandler;
use live_display::{DisplayMode, LiveDisplay};
use models::ScriptedModels;
use prompts::PromptSource;
use redact::RedactingObserver;
use resume::{SessionSetup, StartedSession};
use target::RunTarget;
use turn_error::status_of_turn_error;
use worktree::Worktree;

/// The stop reason of a turn that reached its limit of model calls.
const MAX_ITERATIONS: &str = "max_iterations";

impl RunArgs {
    pub(crate) fn execute(mut self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        // Programs that the agent's tools start can read the environment that this process was started with.
        pintle_host::process::hide_secrets();
        let clock = Arc::new(SystemClock::default());
        let again =
            self.resume.take().map(|named| StartedSession::resume(&named, &mut self, clock.clone())).transpose()?;
        let mut place = RunTarget::from_args(self.path.take(), take(&mut self.prompt), &self.user)?;
        let begun = again.map_or_else(|| StartedSession::start(&mut self, &place, clock), Ok)?;
        let StartedSession { mut tape, path, name, started_ms, resumed_from: before } = begun;
        let (reading, before) = before.unzip();
        let sessions = BegunSessions::from_state_dir(state_dir().as_deref());
        let live = Arc::new(LiveDisplay::new(terminal.clone(), self.display_mode(global), started_ms));
        let shown = Arc::new(RedactingObserver::new(live.clone()));
        if reading.is_none() {
            live.catch_up(&files::read_text(&path).unwrap_or_default());
        }
        tape.tape.observe(shown.clone());

        let (input, absent) = (StdinReader::default(), Arc::new(AbsentApprover::default()));
        let places = place.hook_paths();
        let paths = [&places.paths[..], &self.hooks].concat();
        trust::require_trust(&places, &self.user, terminal)?;
        let base = start_builder(&places, &self.user)?
            .tape(tape.tape.clone())
            .shadow(self.shadow)
            .redact_secrets(self.redaction.is_on());
        let builder = self.hooks.iter().fold(base, |builder, path| builder.hooks(path, Layer::User));
        let asked = self.asks.choose_approver(|| choose_approver(terminal, &input, &live, &absent));
        let mut built = load_hooks(builder.approver(asked), &paths, terminal)?;
        trust::require_trusted_agents(&built, |_| true)?;
        if let (Some(reading), false) = (&reading, self.accept_changed_hooks) {
            resume::require_same_guards(reading, &built, &name)?;
        }

        shown.set_runtime(built.runtime.clone());

        let models = ScriptedModels::new(place.folder.clone());
        let mut chosen = agent::choose_agent(&mut built, self.model.as_deref(), &self.agent, &place, &models)?;
        let member = chosen.spec.member.as_ref();
        let commands = member.map(|member| member.commands.clone()).unwrap_or_default();
        let welcome = member.and_then(|member| member.welcome_message.clone());
        let scripted = take(&mut chosen.scripted_prompts);
        let part = self.role.select(&built, &mut place.prompts)?;
        let prompts = match (&part, self.waits.daemon) {
            (Some(_), _) => PromptSource::for_daemon(Vec::new(), Vec::new(), &commands, before.as_ref()),
            (None, true) => PromptSource::for_daemon(take(&mut place.prompts), scripted, &commands, before.as_ref()),
            (None, false) => PromptSource::find(take(&mut place.prompts), scripted, commands, &input, before.as_ref())?,
        };
        if prompts.is_conversation() {
            input.edit_prompts(state_dir().as_deref());
        }
        tape.keep_file();
        live.show_start(&chosen, &prompts, &built.runtime, self.shadow);
        if let Some(before) = &before {
            live.show_resumed(&before.history);
        }
        if let Some(welcome) = welcome.filter(|_| prompts.is_conversation() && before.is_none()) {
            live.show_welcome(&welcome);
        }
        let is_team = chosen.team.is_some();
        let read_only = self.read_only_paths(&place, path.clone())?;
        let worktree =
            self.worktree.as_ref().map(|branch| Worktree::create(&place.working_dir, branch, &name)).transpose()?;
        let workspace = worktree.as_ref().map(|made| made.path().to_owned()).or_else(|| self.workspace.clone());
        let workspace = workspace.unwrap_or_else(|| place.working_dir.clone());
        let opened = SessionSetup::new(&self, &place.source, &workspace, self.rules.mode());
        // If it cannot be recorded, resuming requires everything to be named again.
        let _ = sessions.remember(&resume::setup_facts(&name, &opened));
        if reading.is_none() {
            let _ = sessions.remember_agent(&current_dir(), &place.working_dir);
        }
        let session = Session::builder(built.runtime.clone(), chosen.spec, chosen.model)
            .name(name)
            .workspace(workspace)
            .read_only(read_only)
            .reopen_data(opened.to_value())
            .observer(shown);
        let session = match reading {
            Some(reading) if before.as_ref().is_some_and(|before| before.is_begun_here) => session.resume(reading),
            // Only its tape claims that the user granted these approvals.
            Some(reading) => session.resume(reading).without_grants(),
            None => session,
        };
        let session = match chosen.team {
            Some(team) => session.team(team).open_model(models.model_opener()),
            None => session.open_model(model_opener(place.folder)),
        };
        let session = match self.effective_permission_mode(is_team) {
            Some(mode) => session.permission_mode(mode),
            None => session,
        };
        let mut session = session.build().map_err(CliError::invalid_input)?;
        let watch = CtrlCHandler {
            is_conversation: prompts.is_conversation(),
            session: session.cancel().clone(),
            turn: session.interrupt(),
            input: input.clone(),
            terminal: terminal.clone(),
        };
        let signalled = watch.start();
        if let Some(worktree) = &worktree
            && let Err(error) = session.enter_worktree(&worktree.to_event_payload())
        {
            worktree.remove()?;
            return status_of_turn_error(error).map_err(|error| redact::redact_error(&built.runtime, error));
        }
        let ended = match part {
            Some(part) => part.run(&mut session),
            None => {
                let secrets = |error| redact::redact_error(&built.runtime, error);
                let told = ConversationContext {
                    input: &input,
                    live: &live,
                    terminal,
                    is_quiet: self.quiet,
                    redact_error: &secrets,
                };
                run_conversation(&mut session, prompts, &told)
            }
        };
        let ended = match self.waits.daemon {
            true => ended.and_then(|status| self.waits.wait(&mut session, status, (&live, terminal))),
            false => ended,
        };
        session.end();
        let (digest, unwitnessed) = tape.close();
        unwitnessed.iter().for_each(|error| terminal.print_note(error));
        live.show_end(&session, &built.runtime, (&path, digest.as_deref()));
        absent.print_summary(terminal, is_team);
        remove_expired_after_command(terminal);
        if let Some(error) = tape.take_error() {
            return Err(error);
        }
        let ended = ended.map_err(|error| redact::redact_error(&built.runtime, error));
        match signalled.status() {
            Some(status) => ended.map(|_| status).map_err(|error| CliError { status, ..error }),
            None => ended,
        }
    }

    fn display_mode(&self, global: &GlobalOptions) -> DisplayMode {
        match (global.json, self.quiet) {
            (true, _) => DisplayMode::Json,
            (_, true) => DisplayMode::Quiet,
            _ if self.verbose => DisplayMode::Verbose,
            _ => DisplayMode::Actions,
        }
    }

    /// Returns the permission mode for calls that no rule names. In a team, `--yes` means `autonomous`.
    fn effective_permission_mode(&self, is_team: bool) -> Option<PermissionMode> {
        self.rules.mode().or((self.asks.yes && is_team).then_some(PermissionMode::Autonomous))
    }

    /// Returns what guards the agent, which it may read but not change.
    fn read_only_paths(&self, target: &RunTarget, tape: PathBuf) -> Result<Vec<PathBuf>, CliError> {
        let mut paths = self.hooks.clone();
        paths.push(tape);
        paths.extend(self.user.config_dir()?);
        paths.extend(target.team.clone());
        Ok(paths)
    }
}

/// Input and output of a conversation.
struct ConversationContext<'a> {
    input: &'a StdinReader,
    live: &'a Arc<LiveDisplay>,
    terminal: &'a Terminal,
    /// Whether the live display shows only the agent's text, so that denials are reported here.
    is_quiet: bool,
    /// Redacts an error.
    redact_error: &'a dyn Fn(CliError) -> CliError,
}

/// Runs the turns. After a denied turn the next one is run; after a failed one it is not. A turn that stopped at its
/// limit of model calls fails the command after the last turn.
fn run_conversation(
    session: &mut Session,
    mut prompts: PromptSource,
    context: &ConversationContext<'_>,
) -> Result<CliStatus, CliError> {
    let ConversationContext { input, live, terminal, .. } = context;
    session.start().or_else(|error| status_of_turn_error(error).map(drop))?;
    let is_conversation = prompts.is_conversation();
    let play = |session: &mut Session, play: &dyn Fn(&mut Session) -> Result<(), TurnError>| {
        let steering = is_conversation.then(|| input.steer(session.inbox(), Arc::clone(live)));
        let played = play(session);
        drop(steering);
        match played {
            Ok(()) if !is_conversation && session.stop_reason() == MAX_ITERATIONS => {
                live.finish_line();
                let error =
                    CliError::failure("the turn stopped at its limit of model calls, before the agent was done");
                terminal.print_cli_error(&error.help("raise `max_iterations`"));
                Ok(CliStatus::Failed)
            }
            Ok(()) => Ok(CliStatus::Done),
            Err(error) if error.is_denied() => {
                if context.is_quiet {
                    live.finish_line();
                    terminal.print_cli_error(&(context.redact_error)(CliError::failure(error.message)));
                }
                Ok(CliStatus::Denied)
            }
            // The user saw what happened and can say what to do about it.
            Err(_) if is_conversation => Ok(CliStatus::Done),
            Err(error) => status_of_turn_error(error),
        }
    };
    let mut status = CliStatus::Done;
    // A denial takes precedence over a failure.
    let mut note = |played: CliStatus| {
        if played != CliStatus::Done && status != CliStatus::Denied {
            status = played;
        }
    };
    if prompts.continues_turn() {
        note(play(session, &|session| session.continue_turn().map(drop))?);
    }
    while let Some(prompt) = prompts.next_prompt(session, live, terminal)? {
        note(play(session, &|session| session.turn(&prompt).map(drop))?);
    }
    Ok(status)
}

/// Returns the approver: the user at the terminal, if there is a terminal.
fn choose_approver(
    terminal: &Terminal,
    input: &StdinReader,
    live: &Arc<LiveDisplay>,
    absent: &Arc<AbsentApprover>,
) -> Arc<dyn Approver> {
    if !terminal_approver::is_interactive() {
        return absent.clone();
    }
    Arc::new(terminal_approver::TerminalApprover::new(terminal.clone(), input.clone(), live.clone()))
}
