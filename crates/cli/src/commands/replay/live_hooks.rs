//! `--live-hooks`: replays a tape with the current hooks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use pintle_bridge::{HookLookup, HostDef, host_of_tape};
use pintle_host::live_replay::{self, CurrentHooks, LiveDifference, LiveReplayReport, replay_live_with_progress};
use pintle_host::loader::LayerDirs;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::tape::verify::verify_bytes;
use pintle_host::tape::{LoadedTape, RecordBody, read_bytes};
use pintle_host::{Layer, RuntimeBuilder};
use serde_json::json;

use super::{excerpt, is_same_file};
use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, HookPaths, UserOptions, load_hooks, start_builder, start_host_builder, trust};
use crate::render::progress::ProgressLine;
use crate::render::{count_text, diagnostic};
use crate::terminal::Terminal;

/// Most characters of an excerpt.
const CHARS: usize = 160;

#[derive(Debug, Args)]
pub(crate) struct LiveHookArgs {
    /// Fire every event of the tape at the current hooks and report the first difference. Effect requests of hooks are
    /// answered from the tape.
    #[arg(long)]
    live_hooks: bool,
    /// Decide every recorded call again by the hooks of this path instead of those of the session, and show what changes;
    /// nothing but the hooks runs. With `--live-hooks`: fire the events at them. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub(super) with: Vec<PathBuf>,
    /// Report every difference, not only the first one.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub(super) user: UserOptions,
}

impl LiveHookArgs {
    /// Whether every step of a session is compared with what the current hooks do.
    pub(super) fn is_live(&self) -> bool {
        self.live_hooks || self.all
    }

    /// Whether recorded calls are decided again.
    pub(super) fn is_redecision(&self) -> bool {
        !self.with.is_empty() && !self.is_live()
    }

    pub(super) fn execute(
        &self,
        tape: &Path,
        bytes: &[u8],
        terminal: &Terminal,
        global: &GlobalOptions,
    ) -> Result<CliStatus, CliError> {
        let reading =
            read_bytes(bytes).map_err(|error| CliError::invalid_input(format!("`{}`: {error}", tape.display())))?;
        let verified =
            verify_bytes(bytes).map_err(|error| CliError::invalid_input(format!("`{}`: {error}", tape.display())))?;
        if let Some(finding) = verified.findings.first() {
            let what = format!("nothing was fired: `{}` was modified: {finding}", tape.display());
            let help = format!("`pintle tape verify {}` shows every finding", tape.display());
            return Err(CliError::failure(single_line(&what, 1_000)).help(help));
        }
        // A path that the user names is trusted for this run; these are named by the tape.
        let places = match self.with.is_empty() {
            true => HookPaths::from_tape(find_hook_sources(&reading, &self.user.layers(PathBuf::new())?)?),
            false => HookPaths::from_named_paths(self.with.clone()).with_required_hooks(),
        };
        let builder = match host_of_tape(&reading) {
            Some(host) => self.start_builder_for(host, &reading, &places)?,
            None => start_builder(&places, &self.user)?,
        };
        let built = load_hooks(builder, &places.paths, terminal)?;
        trust::require_trusted_tape(&built)?;
        let (present, found) = CurrentHooks::from_built(&built);
        if !found.is_empty() {
            found.iter().for_each(|diagnostic| terminal.print_error_line(diagnostic::render_diagnostic(diagnostic)));
            return Err(CliError::invalid_input("cannot load the hooks of an agent; nothing was fired"));
        }
        let progress = ProgressLine::new(terminal, "events");
        let live = replay_live_with_progress(&reading, &present, self.all, &mut |done, of| progress.show(done, of));
        progress.clear();
        if global.json {
            let LiveReplayReport { dispatches, calls, differences } = &live;
            terminal.print_json(&json!({
                "same": differences.is_empty(), "events": dispatches, "hook_calls": calls, "differences": differences,
            }));
        } else {
            print_report(&live, terminal);
        }
        Ok(if live.differences.is_empty() { CliStatus::Done } else { CliStatus::Failed })
    }
}

impl LiveHookArgs {
    /// Starts a builder with the hooks as `pintle hook` would load them for the host of the tape.
    fn start_builder_for(
        &self,
        host: &HostDef,
        tape: &LoadedTape,
        paths: &HookPaths,
    ) -> Result<RuntimeBuilder, CliError> {
        let project = PathBuf::from(live_replay::session_dir(tape).unwrap_or_default());
        let place = HookLookup { project, excluded_dialect: host.dialect };
        // The tape names the hooks, so no project is searched.
        let find_layers = |_| self.user.layers(PathBuf::new());
        let builder = start_host_builder(&place, &self.with, find_layers, paths.trust_options());
        let builder = self.user.add_flags(builder.map_err(CliError::invalid_input)?)?;
        let found = paths.paths.iter().filter(|_| !paths.is_named);
        Ok(found.fold(builder, |builder, path| builder.discovered_hooks(path, Layer::Project)))
    }
}

/// Returns the paths that the hooks of a tape came from and that still exist.
///
/// The directories of the organisation and of the user are not among them, because their hooks are called anyway.
fn find_hook_sources(tape: &LoadedTape, layers: &LayerDirs) -> Result<Vec<PathBuf>, CliError> {
    let is_own =
        |source: &str| layers.managed.iter().chain(&layers.config).any(|own| is_same_file(own, Path::new(source)));
    let mut there: BTreeSet<PathBuf> = BTreeSet::new();
    let mut gone: BTreeSet<String> = BTreeSet::new();
    let dir = Path::new(live_replay::session_dir(tape).unwrap_or_default());
    let loaded = tape.records.iter().filter_map(|record| match &record.body {
        RecordBody::Hooks(loaded) => Some(&loaded.hooks),
        _ => None,
    });
    for hook in loaded.flatten().filter(|hook| !is_own(&hook.source)) {
        // Paths are relative to the session's directory; if that is gone, to the current one.
        let place = |path: &String| Some(dir.join(path)).filter(|path| path.exists()).unwrap_or_else(|| path.into());
        let (source, file) = (place(&hook.source), hook.path.as_ref().map(place));
        // The directory of a hook may exist although its file is gone.
        if file.as_ref().unwrap_or(&source).exists() {
            there.extend([source].into_iter().filter(|source| source.exists()).chain(file).take(1));
        } else {
            gone.insert(hook.path.clone().unwrap_or_else(|| hook.source.clone()));
        }
    }
    if there.is_empty() {
        let what = match gone.first() {
            Some(first) => format!("the tape's hooks are gone: `{}` does not exist", single_line(first, 200)),
            None => String::from("the tape was recorded without hooks"),
        };
        return Err(CliError::invalid_input(what).help("name the hooks to use with `--with PATH`"));
    }
    Ok(there.into_iter().collect())
}

fn print_report(live: &LiveReplayReport, terminal: &Terminal) {
    let LiveReplayReport { dispatches, calls, differences } = live;
    let fired =
        format!("fired {} at the current hooks, {}", count_text(*dispatches, "event"), count_text(*calls, "hook call"));
    terminal.print_lines(&[StyledLine::new(Tone::Quiet, fired)]);
    if differences.is_empty() {
        terminal.print_lines(&[StyledLine::new(Tone::Good, "the current hooks do the same")]);
        return;
    }
    for difference in differences {
        terminal.print_lines(&render_difference(difference));
    }
}

fn render_difference(difference: &LiveDifference) -> Vec<StyledLine> {
    let LiveDifference { line, dispatch, event, hook, kind: what, expected, actual: got } = difference;
    let hook = hook.as_ref().map_or(String::new(), |hook| format!(", hook `{}`", single_line(hook, 80)));
    let place = format!("line {line}: dispatch {dispatch} ({}){hook}: {what}", single_line(event, 60));
    let mut lines = vec![StyledLine::new(Tone::Bad, "different"), StyledLine::new(Tone::Plain, place)];
    match (expected, got) {
        (Some(expected), got) => lines.extend(excerpt::render_excerpts("then", expected, "now", got.as_deref(), CHARS)),
        (None, Some(got)) => {
            lines.push(StyledLine::new(Tone::Plain, "  then  nothing"));
            lines.push(StyledLine::new(Tone::Plain, format!("  now   {}", single_line(got, CHARS))));
        }
        (None, None) => {}
    }
    lines
}
