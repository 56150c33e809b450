//! `pintle hooks`: lists the loaded hooks.

mod live;

use std::path::{Path, PathBuf};

use clap::Args;
use pintle_host::contract::EnforcementMode;
use pintle_host::tape::show::{StyledLine, single_line};
use pintle_host::{Chain, FailurePolicy, Hook, LoadedRuntime};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::{
    AgentOption, GlobalOptions, HookPaths, LogFilterOptions, LogTapeOptions, UserOptions, compile_own_chains,
    load_hooks, start_builder,
};
use crate::render::{location_text, path_text, table};
use crate::terminal::Terminal;

/// Most characters of a name or a condition: a command hook without a name is named by its whole command.
const CUT: usize = 40;

pub(crate) const LONG_ABOUT: &str = "List the loaded hooks, or with `--live` how often each of them was reached in the recorded sessions: how often its \
     event was fired, how often its matcher accepted it, how often it was called and failed, and its verdicts";

#[derive(Debug, Args)]
pub(crate) struct HooksArgs {
    /// Projects, `.harness` directories, docker-agent YAML files, directories of hooks or hook files [default: the
    /// project that contains the current directory].
    path: Vec<PathBuf>,
    #[command(flatten)]
    user: UserOptions,
    #[command(flatten)]
    agent: AgentOption,
    /// Show how often each hook was reached in the recorded sessions. Times are counted in whole hours.
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    filter: LogFilterOptions,
    #[command(flatten)]
    tapes: LogTapeOptions,
}

/// A loaded hook, and the agent it belongs to.
struct HookRow<'a> {
    agent: Option<&'a str>,
    chain: &'a Chain,
    hook: &'a Hook,
}

impl HooksArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        if self.filter.is_set() && !self.live {
            let error = CliError::invalid_input("`--since`, `--host` and `--project` select recorded sessions");
            return Err(error.help("add `--live`"));
        }
        let places = HookPaths::from_paths_or_current_dir(self.path.clone()).with_untrusted_listed();
        let built = load_hooks(start_builder(&places, &self.user)?, &places.paths, terminal)?;
        let set = built.runtime.hooks();
        let members = self.compile_members(&built)?;
        let shared = set.hooks().map(|(chain, hook)| HookRow { agent: None, chain, hook });
        let own = members.iter().flat_map(|(agent, chains)| {
            let of_chain = move |chain| rows_of_agent(agent, chain);
            chains.iter().flat_map(of_chain)
        });
        let loaded: Vec<HookRow<'_>> = shared.chain(own).collect();
        if self.live {
            return live::print_usage(&loaded, &self.filter, self.tapes, terminal, global);
        }
        if global.json {
            terminal.print_json(&loaded.iter().map(HookRow::to_json).collect::<Vec<_>>());
        } else if !loaded.is_empty() {
            terminal.print_lines(&render_table(&loaded, built.team.is_some()));
        }
        Ok(CliStatus::Done)
    }

    /// Compiles the hooks of the named agent, or of all agents.
    fn compile_members(&self, built: &LoadedRuntime) -> Result<Vec<(String, Vec<Chain>)>, CliError> {
        let named = self.agent.select_agent(built.team.as_ref())?.filter(|_| self.agent.agent.is_some());
        let all = built.team.iter().flat_map(|team| team.agents.iter().cloned());
        let shown: Vec<_> = named.map_or_else(|| all.collect(), |one| vec![one]);
        Ok(shown.into_iter().map(|agent| (agent.name.clone(), compile_own_chains(built, &agent))).collect())
    }
}

fn rows_of_agent<'a>(agent: &'a str, chain: &'a Chain) -> impl Iterator<Item = HookRow<'a>> {
    chain.hooks.iter().map(move |hook| HookRow { agent: Some(agent), chain, hook })
}

fn render_table(hook_rows: &[HookRow<'_>], is_team: bool) -> Vec<StyledLine> {
    if !is_team {
        let rows: Vec<_> = hook_rows.iter().map(HookRow::to_cells).collect();
        return table::render_table(["HOOK", "EVENT", "PRIORITY", "LAYER", "MODE", "RUNS", "WHEN", "SOURCE"], &rows);
    }
    let rows: Vec<_> = hook_rows.iter().map(HookRow::to_member_cells).collect();
    table::render_table(["AGENT", "EVENT", "MATCHER", "HOOK", "RUNS", "ON FAILURE", "LAYER", "SOURCE"], &rows)
}

impl HookRow<'_> {
    fn to_cells(&self) -> [String; 8] {
        let Self { chain, hook, .. } = self;
        [
            single_line(hook.id.as_str(), CUT),
            hook.event_alias.to_string(),
            hook.priority.to_string(),
            chain.layer.to_string(),
            mode_text(hook).to_owned(),
            handler_text(hook),
            self.condition_text(),
            self.source_text(),
        ]
    }

    /// Returns the row of a hook in a team, whose agents have hooks of their own.
    fn to_member_cells(&self) -> [String; 8] {
        let Self { agent, chain, hook } = self;
        let shadow = if hook.mode == EnforcementMode::Shadow { ", shadow" } else { "" };
        [
            agent.map_or_else(|| String::from("all"), |agent| single_line(agent, CUT)),
            hook.event_alias.to_string(),
            single_line(&self.condition_text(), CUT),
            single_line(hook.id.as_str(), CUT),
            format!("{}{shadow}", hook.handler.kind()),
            failure_policy_text(hook).to_owned(),
            chain.layer.to_string(),
            self.source_text(),
        ]
    }

    fn condition_text(&self) -> String {
        self.hook.matcher.as_ref().map_or_else(|| String::from("-"), |matcher| matcher.describe())
    }

    fn source_text(&self) -> String {
        location_text(&self.hook.location).unwrap_or_else(|| path_text(Path::new(&*self.chain.source)))
    }

    fn to_json(&self) -> Value {
        let Self { agent, chain, hook } = self;
        json!({
            "agent": agent,
            "hook": hook.id,
            "event": hook.event,
            "event_alias": &*hook.event_alias,
            "priority": hook.priority,
            "layer": chain.layer,
            "dialect": chain.dialect,
            "profile": chain.profile,
            "mode": hook.mode,
            "handler": hook.handler.kind(),
            "in_process": !hook.handler.may_wait(),
            "guard": hook.guard,
            "on_failure": hook.on_failure,
            "timeout_ms": hook.limits.timeout_ms,
            "when": hook.matcher.as_ref().map(|matcher| matcher.describe()),
            "path": hook.location.path().map(path_text),
            "line": hook.location.line_column().map(|(line, _)| line),
        })
    }
}

fn mode_text(hook: &Hook) -> &'static str {
    match hook.mode {
        EnforcementMode::Enforce => "enforce",
        EnforcementMode::Shadow => "shadow",
    }
}

fn failure_policy_text(hook: &Hook) -> &'static str {
    match hook.on_failure {
        FailurePolicy::Closed => "deny",
        FailurePolicy::Open => "warn",
        FailurePolicy::Ignored => "ignore",
    }
}

/// Formats what runs, and whether it runs in this process.
fn handler_text(hook: &Hook) -> String {
    let place = if hook.handler.may_wait() { "worker" } else { "in process" };
    match hook.handler.kind() {
        "none" => String::from("nothing"),
        "script" => format!("script, {place}"),
        kind => kind.to_owned(),
    }
}
