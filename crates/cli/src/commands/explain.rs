//! `pintle explain`: which hooks would run, in what order, and why the others would not.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle::tape::show::{Line, Tone, plain};
use pintle::{Event, Explanation, Origin, Runs, explain};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::{EventArgument, Given, Global, HookOptions, builder, load, payload};
use crate::render::{count, path, place};
use crate::terminal::Terminal;

/// Characters of a hook's name that are shown: that of a command is its whole text.
const NAME: usize = 48;

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The event, such as `tool.pre`, or as docker-agent calls it, such as `pre_tool_use`. Its payload is read from standard input as JSON; with nothing there, it is the
    /// example that `pintle events` shows.
    event: EventArgument,
    /// The same as `--hooks`.
    path: Vec<PathBuf>,
    #[command(flatten)]
    hooks: HookOptions,
    /// Show the hooks of other events, too.
    #[arg(long)]
    all: bool,
}

impl Explain {
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let paths = self.hooks.paths(&self.path);
        let given = payload(&self.event.0)?;
        let built = load(builder(&paths, &self.hooks.user)?, &paths, terminal)?;
        let hooks = built.runtime.hooks().with(self.hooks.agent.chains(&built)?);
        let event = Event::new(self.event.0.clone(), given.value.clone(), Arc::new(Origin::default()));
        let explanations = explain(&hooks, &event);
        if global.json {
            let hooks: Vec<Value> = explanations.iter().map(explanation_json).collect();
            terminal.json(&json!({
                "event": event.name,
                "payload": given.value,
                "example_payload": given.example,
                "hooks": hooks,
            }));
        } else {
            terminal.lines(&lines(&event, &given, &explanations, self.all));
        }
        Ok(Status::Done)
    }
}

fn lines(event: &Event, given: &Given, explanations: &[Explanation], all: bool) -> Vec<Line> {
    let mut head = Line::new(Tone::Plain, event.name.as_str());
    if let Some(subject) = event.subject() {
        head.push(Tone::Plain, format!(" {}", plain(subject, 80)));
    }
    if given.example {
        head.push(Tone::Quiet, "  (no payload was given: this is the example of the catalogue)");
    }
    let mut lines = vec![head];
    let elsewhere = |explanation: &&Explanation| matches!(explanation.runs, Runs::OtherEvent { .. });
    let width = explanations.iter().map(|explanation| plain(explanation.hook.as_str(), NAME).chars().count()).max().unwrap_or(0);
    let rank_width = explanations.iter().map(|explanation| rank(explanation).len()).max().unwrap_or(0);
    let mut order = 0;
    for explanation in explanations.iter().filter(|explanation| all || !elsewhere(explanation)) {
        let runs = explanation.runs.is_yes();
        order += usize::from(runs);
        let number = if runs { format!("{order:>3}. ") } else { String::from("  -  ") };
        let (hook, tone) = (plain(explanation.hook.as_str(), NAME), if runs { Tone::Good } else { Tone::Quiet });
        let mut line = Line::new(tone, format!("{number}{hook:<width$}  "));
        line.push(Tone::Quiet, format!("{:<rank_width$}  ", rank(explanation)));
        line.push(tone, plain(&explanation.runs.to_string(), 400));
        if let Some(place) = place(&explanation.location) {
            line.push(Tone::Quiet, format!("  {place}"));
        }
        lines.push(line);
    }
    let others = explanations.iter().filter(elsewhere).count();
    if others > 0 && !all {
        let text = format!("{} of other events; `--all` shows them", count(others, "hook"));
        lines.push(Line::new(Tone::Quiet, text));
    }
    lines
}

/// What decides the order.
fn rank(explanation: &Explanation) -> String {
    format!("{}, priority {}", explanation.layer, explanation.priority)
}

fn explanation_json(explanation: &Explanation) -> Value {
    json!({
        "hook": explanation.hook,
        "runs": explanation.runs.is_yes(),
        "why": explanation.runs.to_string(),
        "event": explanation.event,
        "layer": explanation.layer,
        "profile": explanation.profile,
        "priority": explanation.priority,
        "mode": explanation.mode,
        "guard": explanation.guard,
        "path": explanation.location.path().map(path),
        "line": explanation.location.line_column().map(|(line, _)| line),
    })
}
