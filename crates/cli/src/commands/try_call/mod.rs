//! `pintle try`: judges one call as `pintle hook` would, and says why.

mod any_agent;
mod call_journal;
mod call_json;
mod explanation;
mod judged_call;
mod report;
mod tool_call;

use std::sync::Arc;

use clap::Args;
use pintle_bridge::{HookLookup, HostDef};
use pintle_host::contract::Location;
use pintle_host::dialects::declare_pack;
use pintle_host::packs::{PackDef, default_packs};
use pintle_host::{Decision, Layer, RuntimeBuilder};

use crate::error::{CliError, CliStatus};
use crate::options::{
    GlobalOptions, HookOptions, HookPaths, HostArgument, active_packs, current_dir, parse_pack, preview_host_call,
    print_load_errors, start_host_builder, trust,
};
use crate::terminal::Terminal;
use any_agent::ANY_AGENT;
pub(super) use any_agent::agent_speaking;
pub(super) use call_journal::{CallJournal, CalledHook};
pub(super) use judged_call::JudgedCall;
use tool_call::ToolArgument;
pub(super) use tool_call::TriedCall;

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// Command line in quotes, as an agent would give it to its shell.
    #[arg(value_name = "CALL")]
    call: Vec<String>,
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
        let call = self.to_call(host)?;
        let payload = call.to_payload(host)?;
        let places = self.hooks.hook_paths(&[]);
        let (source, added) = self.choose_packs(host, &places, terminal)?;
        let journal = Arc::new(CallJournal::default());
        let watcher = Arc::clone(&journal);
        let handled = preview_host_call(&payload, &places, &self.hooks, false, |builder| {
            add_packs(builder.journal(watcher), source, &added)
        })?;
        if let Some(built) = &handled.built {
            print_load_errors(built, terminal);
            trust::print_untrusted(built, terminal);
        }
        let judged = JudgedCall {
            call,
            packs: handled.built.as_ref().map(active_packs).unwrap_or_default(),
            handled,
            is_of_named_host: self.host.is_some(),
            events: journal.take_events(),
        };
        if global.json {
            terminal.print_json(&judged.to_json());
        } else {
            terminal.print_lines(&judged.render());
            if self.explain {
                terminal.print_lines(&judged.render_explanation());
            }
        }
        Ok(match judged.decision() {
            Decision::Allow => CliStatus::Done,
            Decision::Ask | Decision::Deny => CliStatus::Denied,
        })
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
