//! `pintle try`: judges one call as `pintle hook` would, and says why.

mod any_agent;
mod call_journal;
mod call_json;
mod explanation;
mod judged_call;
mod report;
mod tool_call;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle_bridge::{HookLookup, HostDef};
use pintle_host::contract::{Location, MAX_PAYLOAD_BYTES};
use pintle_host::dialects::declare_pack;
use pintle_host::files;
use pintle_host::packs::{PackDef, default_packs};
use pintle_host::{Decision, HookCache, Layer, RuntimeBuilder};

use crate::error::{CliError, CliStatus};
use crate::options::payload::read_stdin;
use crate::options::{
    GlobalOptions, HookOptions, HookPaths, HostArgument, active_packs, current_dir, parse_pack, preview_host_call,
    print_load_errors, start_host_builder, trust,
};
use crate::render::count_text;
use crate::terminal::Terminal;
use any_agent::ANY_AGENT;
pub(super) use any_agent::agent_speaking;
pub(super) use call_journal::{CallJournal, CalledHook, JudgedEvent};
pub(super) use judged_call::JudgedCall;
use tool_call::ToolArgument;
pub(super) use tool_call::TriedCall;

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// Command line in quotes, as an agent would give it to its shell. `-` reads many from standard input, one a line, and
    /// prints a line for each.
    #[arg(value_name = "CALL")]
    call: Vec<String>,
    /// Read the command lines from this file, one a line; blank lines and those that start with `#` are passed over.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["call", "path", "to", "url"])]
    file: Option<PathBuf>,
    /// Tool that is called: `shell`, `read`, `write`, `edit`, `delete`, `move` or `fetch` [default: `shell`, with `--url`
    /// `fetch`].
    #[arg(long, value_name = "TOOL")]
    tool: Option<ToolArgument>,
    /// Path that a file tool gets.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Path that `move` moves to.
    #[arg(long, value_name = "PATH")]
    to: Option<String>,
    /// Address that `fetch` gets.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Read the command line as PowerShell does.
    #[arg(long)]
    powershell: bool,
    /// Agent that makes the call, for example `claude`: in its own words, with the response that it would get [default:
    /// any agent].
    #[arg(long, value_name = "HOST")]
    host: Option<HostArgument>,
    /// Show every operation of the call, and which hooks and rules looked at it.
    #[arg(long)]
    explain: bool,
    /// Packs that judge the call, for example `shell,git`, in addition to those of your files [default: the default packs
    /// if no file turns one on].
    #[arg(long, value_name = "PACKS", value_delimiter = ',', value_parser = parse_pack)]
    packs: Vec<&'static PackDef>,
    #[command(flatten)]
    hooks: HookOptions,
}

impl TryArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let host = self.host.map_or(&ANY_AGENT, |HostArgument(host)| host);
        let lines = self.read_lines()?;
        let calls: Vec<TriedCall> = match &lines {
            None => vec![self.to_call(host, self.command_line()?)?],
            Some(lines) => lines.iter().map(|line| self.to_call(host, Some(line))).collect::<Result<_, _>>()?,
        };
        let places = self.hooks.hook_paths(&[]);
        let packs = self.choose_packs(host, &places, terminal)?;
        let cache = Arc::new(HookCache::default());
        let mut counts = [(Decision::Allow, "allowed", 0), (Decision::Ask, "asked", 0), (Decision::Deny, "denied", 0)];
        for (index, call) in calls.into_iter().enumerate() {
            let judged = self.judge(call, host, &places, &packs, &cache)?;
            if let Some(built) = judged.handled.built.as_ref().filter(|_| index == 0) {
                print_load_errors(built, terminal);
                trust::print_untrusted(built, terminal);
            }
            if let Some((.., count)) = counts.iter_mut().find(|(decision, ..)| *decision == judged.decision()) {
                *count += 1;
            }
            if global.json {
                terminal.print_json(&judged.to_json());
            } else if lines.is_some() && !self.explain {
                terminal.print_lines(&[judged.render_line()]);
            } else {
                terminal.print_lines(&judged.render());
                if self.explain {
                    terminal.print_lines(&judged.render_explanation());
                }
            }
        }
        let made = counts.iter().filter(|(.., count)| *count > 0);
        let made: Vec<String> = made.map(|(_, word, count)| format!("{count} {word}")).collect();
        if let Some(lines) = lines.filter(|_| !global.json) {
            terminal.print_line(format!("{}: {}", count_text(lines.len(), "call"), made.join(", ")));
        }
        let is_allowed = counts.iter().all(|(decision, _, count)| *decision == Decision::Allow || *count == 0);
        Ok(if is_allowed { CliStatus::Done } else { CliStatus::Denied })
    }

    fn judge(
        &self,
        call: TriedCall,
        host: &'static HostDef,
        places: &HookPaths,
        (source, packs): &(&'static str, Vec<&'static PackDef>),
        cache: &Arc<HookCache>,
    ) -> Result<JudgedCall, CliError> {
        let payload = call.to_payload(host)?;
        let journal = Arc::new(CallJournal::default());
        let (watcher, cache) = (Arc::clone(&journal), Arc::clone(cache));
        let handled = preview_host_call(&payload, places, &self.hooks, false, |builder| {
            add_packs(builder.journal(watcher).hook_cache(cache), source, packs)
        })?;
        Ok(JudgedCall {
            call,
            packs: handled.built.as_ref().map(active_packs).unwrap_or_default(),
            handled,
            is_of_named_host: self.host.is_some(),
            events: journal.take_events(),
        })
    }

    /// The command lines of `--file` or of standard input, one a line, without blank ones and comments; `None` if only one
    /// call is tried.
    fn read_lines(&self) -> Result<Option<Vec<String>>, CliError> {
        let (text, place) = match (&self.file, self.call.as_slice()) {
            (Some(path), _) => {
                let read = files::read_text(path).map_err(|error| {
                    CliError::invalid_input(format!("cannot read the calls of `{}`: {error}", path.display()))
                });
                (read?, path.display().to_string())
            }
            (None, [call]) if call == "-" => {
                let mut bytes = Vec::new();
                read_stdin(&mut bytes).map_err(|error| {
                    CliError::failure(format!("cannot read the calls from standard input: {error}"))
                })?;
                if bytes.len() > MAX_PAYLOAD_BYTES {
                    return Err(CliError::invalid_input("standard input is too large").help("try fewer calls at once"));
                }
                let text = String::from_utf8(bytes)
                    .map_err(|error| CliError::invalid_input(format!("standard input is not text: {error}")))?;
                (text, String::from("standard input"))
            }
            _ => return Ok(None),
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        if lines.is_empty() {
            let help = "write one command line a line";
            return Err(CliError::invalid_input(format!("{place} contains no calls")).help(help));
        }
        Ok(Some(lines))
    }

    /// The packs that no file turns on, and what they are displayed as.
    fn choose_packs(
        &self,
        host: &HostDef,
        paths: &HookPaths,
        terminal: &Terminal,
    ) -> Result<(&'static str, Vec<&'static PackDef>), CliError> {
        let place = HookLookup { project: current_dir(), excluded_dialect: host.dialect };
        let find_layers = |project| self.hooks.user.layers(project);
        let built = start_host_builder(&place, &paths.paths, find_layers, paths.trust_options())
            .map_err(CliError::invalid_input)?
            .load();
        let active = active_packs(&built);
        let is_off = |pack: &&'static PackDef| active.iter().all(|active| active.pack.name != pack.name);
        // A file that does not load may turn packs on.
        if !self.packs.is_empty() || !active.is_empty() || built.has_errors() {
            return Ok(("--packs", self.packs.iter().copied().filter(is_off).collect()));
        }
        terminal.print_note("no `policy.yaml` turns packs on here; the default packs judge this call");
        Ok(("the default packs", default_packs().collect()))
    }
}

/// Adds the hooks of packs.
fn add_packs(builder: RuntimeBuilder, source: &str, packs: &[&'static PackDef]) -> RuntimeBuilder {
    if packs.is_empty() {
        return builder;
    }
    let hooks = packs.iter().map(|pack| declare_pack(pack, Vec::new(), Location::default())).collect();
    builder.inline_hooks(Layer::User, source, hooks)
}
