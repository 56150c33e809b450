//! `pintle hooks`: what is loaded.

use std::path::PathBuf;

use clap::Args;
use pintle::{Chain, Hook, Mode};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::{Global, builder, here, load};
use crate::render::{path, place, table};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Hooks {
    /// Projects, `.harness` folders, folders of hooks or hook files. Default: the current directory.
    path: Vec<PathBuf>,
}

impl Hooks {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let paths = here(&self.path);
        let built = load(builder(&paths), &paths, terminal)?;
        let set = built.runtime.hooks();
        if global.json {
            terminal.json(&set.hooks().map(|(chain, hook)| hook_json(chain, hook)).collect::<Vec<_>>());
        } else if set.hooks().next().is_some() {
            let rows: Vec<_> = set.hooks().map(|(chain, hook)| row(chain, hook)).collect();
            terminal.lines(&table::lines(
                ["HOOK", "EVENT", "PRIORITY", "LAYER", "MODE", "RUNS", "WHEN", "SOURCE"],
                &rows,
            ));
        }
        Ok(Status::Done)
    }
}

fn row(chain: &Chain, hook: &Hook) -> [String; 8] {
    let when = hook.matcher.as_ref().map_or_else(|| String::from("-"), |matcher| matcher.describe());
    [
        hook.id.to_string(),
        hook.spelling.to_string(),
        hook.priority.to_string(),
        chain.layer.to_string(),
        mode(hook).to_owned(),
        runs(hook),
        when,
        place(&hook.location).unwrap_or_else(|| chain.source.to_string()),
    ]
}

fn hook_json(chain: &Chain, hook: &Hook) -> Value {
    json!({
        "hook": hook.id,
        "event": hook.event,
        "spelling": &*hook.spelling,
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
        "path": hook.location.path().map(path),
        "line": hook.location.line_column().map(|(line, _)| line),
    })
}

fn mode(hook: &Hook) -> &'static str {
    match hook.mode {
        Mode::Enforce => "enforce",
        Mode::Shadow => "shadow",
    }
}

/// What runs, and whether it does so in this process.
fn runs(hook: &Hook) -> String {
    let place = if hook.handler.may_wait() { "worker" } else { "in process" };
    match hook.handler.kind() {
        "none" => String::from("nothing"),
        kind => format!("{kind}, {place}"),
    }
}
