//! `pintle explain`: which hooks would run, in what order, and why the others would not.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pintle::loader::UntrustedHook;
use pintle::tape::show::{StyledLine, Tone, single_line};
use pintle::{BuiltRuntime, Event, HookExplanation, Origin, RunPrediction, explain};
use serde_json::{Value, json};

use crate::fault::{Fault, Status};
use crate::options::{EventArgument, Given, Global, HookOptions, builder, load, payload};
use crate::render::{count, path, place};
use crate::terminal::Terminal;

/// Characters of a hook's name that are shown: that of a command is its whole text.
const NAME: usize = 48;

/// Why a hook does not run that nobody agreed to.
const NOT_TRUSTED: &str = "not trusted";

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
        let places = self.hooks.places(&self.path).listing();
        let given = payload(&self.event, true)?;
        let built = load(builder(&places, &self.hooks.user)?, &places.paths, terminal)?;
        let hooks = built.runtime.hooks().with_chains(self.hooks.agent.chains(&built)?);
        let origin = Arc::new(Origin::default());
        let event = Event::new(self.event.0.clone(), given.value.clone(), Arc::clone(&origin));
        let mut explanations = explain(&hooks, &event);
        // Hooks under the same name that are asked first.
        if let Some(first) = self.event.asked_first(&hooks, &given.value, &origin) {
            explanations.retain(|one| one.event != first.name);
            let of_first = explain(&hooks, &first).into_iter().filter(|one| one.event == first.name);
            explanations.splice(0..0, of_first.collect::<Vec<_>>());
        }
        if global.json {
            let hooks: Vec<Value> =
                explanations.iter().map(|one| explanation_json(one, is_trusted(&built, one))).collect();
            terminal.json(&json!({
                "event": event.name,
                "payload": given.value,
                "example_payload": given.example,
                "hooks": hooks,
            }));
        } else {
            let explanations: Vec<(HookExplanation, bool)> = explanations
                .into_iter()
                .map(|one| {
                    let trusted = is_trusted(&built, &one);
                    (one, trusted)
                })
                .collect();
            terminal.lines(&lines(&event, &given, &explanations, self.all));
        }
        Ok(Status::Done)
    }
}

/// Whether a hook runs as far as consent goes.
fn is_trusted(built: &BuiltRuntime, explanation: &HookExplanation) -> bool {
    let is_it = |withheld: &UntrustedHook| {
        withheld.hook == explanation.hook.as_str() && withheld.event == explanation.event.as_str()
    };
    !built.projects.iter().flat_map(|project| &project.untrusted_hooks).any(is_it)
}

/// What is shown: each hook, and whether somebody agreed to it where that is needed.
fn lines(event: &Event, given: &Given, explanations: &[(HookExplanation, bool)], all: bool) -> Vec<StyledLine> {
    let mut head = StyledLine::new(Tone::Plain, event.name.as_str());
    if let Some(subject) = event.subject() {
        head.push(Tone::Plain, format!(" {}", single_line(subject, 80)));
    }
    if given.example {
        head.push(Tone::Quiet, "  (no payload was given: this is the example of the catalogue)");
    }
    let mut lines = vec![head];
    let elsewhere = |one: &&(HookExplanation, bool)| matches!(one.0.prediction, RunPrediction::OtherEvent { .. });
    let width = explanations
        .iter()
        .map(|(explanation, _)| single_line(explanation.hook.as_str(), NAME).chars().count())
        .max()
        .unwrap_or(0);
    let rank_width = explanations.iter().map(|(explanation, _)| rank(explanation).len()).max().unwrap_or(0);
    let mut order = 0;
    for (explanation, trusted) in explanations.iter().filter(|one| all || !elsewhere(one)) {
        let runs = explanation.prediction.is_yes() && *trusted;
        order += usize::from(runs);
        let number = if runs { format!("{order:>3}. ") } else { String::from("  -  ") };
        let (hook, tone) = (single_line(explanation.hook.as_str(), NAME), if runs { Tone::Good } else { Tone::Quiet });
        let mut line = StyledLine::new(tone, format!("{number}{hook:<width$}  "));
        line.push(Tone::Quiet, format!("{:<rank_width$}  ", rank(explanation)));
        let why = if *trusted { single_line(&explanation.prediction.to_string(), 400) } else { String::from(NOT_TRUSTED) };
        line.push(tone, why);
        if let Some(place) = place(&explanation.location) {
            line.push(Tone::Quiet, format!("  {place}"));
        }
        lines.push(line);
    }
    let others = explanations.iter().filter(elsewhere).count();
    if others > 0 && !all {
        let text = format!("{} of other events; `--all` shows them", count(others, "hook"));
        lines.push(StyledLine::new(Tone::Quiet, text));
    }
    lines
}

/// What decides the order.
fn rank(explanation: &HookExplanation) -> String {
    format!("{}, priority {}", explanation.layer, explanation.priority)
}

fn explanation_json(explanation: &HookExplanation, trusted: bool) -> Value {
    json!({
        "hook": explanation.hook,
        "runs": explanation.prediction.is_yes() && trusted,
        "why": if trusted { explanation.prediction.to_string() } else { String::from(NOT_TRUSTED) },
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
