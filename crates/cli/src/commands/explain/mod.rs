//! `pintle explain`: which hooks would run, in what order, and why the others would not.

mod host;

use std::sync::Arc;

use clap::Args;
use pintle_host::loader::UntrustedHook;
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use pintle_host::{Event, LoadedRuntime, Origin};
use pintle_host::{HookExplanation, RunPrediction, explain};
use serde_json::{Value, json};

use crate::error::{CliError, CliStatus};
use crate::options::{FiredEventArgs, FiredInput, GlobalOptions, HookOptions, load_hooks, start_builder};
use crate::render::{count_text, location_text, path_text};
use crate::terminal::Terminal;

/// Most characters of a hook's name: a command hook without a name is named by its whole command.
const NAME: usize = 48;

/// Why an untrusted hook does not run.
const NOT_TRUSTED: &str = "not trusted";

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    input: FiredEventArgs,
    #[command(flatten)]
    hooks: HookOptions,
    /// Also show the hooks of other events.
    #[arg(long)]
    all: bool,
}

impl ExplainArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let places = self.hooks.hook_paths(&self.input.paths()).with_untrusted_listed();
        let (argument, mut given) = match self.input.read_input(true)? {
            FiredInput::Event(event, given) => (event, given),
            FiredInput::Host(payload) => return self.explain_host_payload(&payload, &places, terminal, global),
        };
        let built = load_hooks(start_builder(&places, &self.hooks.user)?, &places.paths, terminal)?;
        let hooks = built.runtime.hooks().with_chains(self.hooks.agent.compile_chains(&built)?);
        let origin = Arc::new(Origin::default());
        given.complete_call(&argument.0, &built.runtime);
        let event = Event::new(argument.0.clone(), given.value.clone(), Arc::clone(&origin));
        let mut explanations = explain(&hooks, &event);
        // Hooks of the preceding event with the same alias are called first.
        if let Some(first) = argument.preceding_event(&hooks, &given.value, &origin) {
            explanations.retain(|one| one.event != first.name);
            let of_first = explain(&hooks, &first).into_iter().filter(|one| one.event == first.name);
            explanations.splice(0..0, of_first.collect::<Vec<_>>());
        }
        if global.json {
            let hooks: Vec<Value> =
                explanations.iter().map(|one| explanation_to_json(one, is_trusted(&built, one))).collect();
            terminal.print_json(&json!({
                "event": event.name,
                "payload": given.value,
                "example_payload": given.is_example,
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
            let mut lines = vec![event_line(&event, given.is_example)];
            lines.extend(render_explanations(&explanations, self.all));
            terminal.print_lines(&lines);
        }
        Ok(CliStatus::Done)
    }
}

/// Whether the hook is trusted.
fn is_trusted(built: &LoadedRuntime, explanation: &HookExplanation) -> bool {
    let is_it = |withheld: &UntrustedHook| {
        withheld.hook == explanation.hook.as_str() && withheld.event == explanation.event.as_str()
    };
    !built.projects.iter().flat_map(|project| &project.untrusted_hooks).any(is_it)
}

/// Renders the name and the subject of an event.
fn event_line(event: &Event, is_example: bool) -> StyledLine {
    let mut head = StyledLine::new(Tone::Plain, event.name.as_str());
    if let Some(subject) = event.subject() {
        head.push(Tone::Plain, format!(" {}", single_line(subject, 80)));
    }
    if is_example {
        head.push(Tone::Quiet, "  (no payload given; using the event's example)");
    }
    head
}

/// Renders each hook, with whether it is trusted.
fn render_explanations(explanations: &[(HookExplanation, bool)], all: bool) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    let elsewhere = |one: &&(HookExplanation, bool)| matches!(one.0.prediction, RunPrediction::OtherEvent { .. });
    let width = explanations
        .iter()
        .map(|(explanation, _)| single_line(explanation.hook.as_str(), NAME).chars().count())
        .max()
        .unwrap_or(0);
    let rank_width = explanations.iter().map(|(explanation, _)| rank_text(explanation).len()).max().unwrap_or(0);
    let mut order = 0;
    for (explanation, trusted) in explanations.iter().filter(|one| all || !elsewhere(one)) {
        let runs = explanation.prediction.is_yes() && *trusted;
        order += usize::from(runs);
        let number = if runs { format!("{order:>3}. ") } else { String::from("  -  ") };
        let (hook, tone) = (single_line(explanation.hook.as_str(), NAME), if runs { Tone::Good } else { Tone::Quiet });
        let mut line = StyledLine::new(tone, format!("{number}{hook:<width$}  "));
        line.push(Tone::Quiet, format!("{:<rank_width$}  ", rank_text(explanation)));
        let reason =
            if *trusted { single_line(&explanation.prediction.to_string(), 400) } else { String::from(NOT_TRUSTED) };
        line.push(tone, reason);
        if let Some(place) = location_text(&explanation.location) {
            line.push(Tone::Quiet, format!("  {place}"));
        }
        lines.push(line);
    }
    let others = explanations.iter().filter(elsewhere).count();
    if others > 0 && !all {
        let text = format!("{} of other events; `--all` shows them", count_text(others, "hook"));
        lines.push(StyledLine::new(Tone::Quiet, text));
    }
    lines
}

/// Formats what decides the order: configuration layer and priority.
fn rank_text(explanation: &HookExplanation) -> String {
    format!("{}, priority {}", explanation.layer, explanation.priority)
}

fn explanation_to_json(explanation: &HookExplanation, trusted: bool) -> Value {
    json!({
        "hook": explanation.hook,
        "runs": explanation.prediction.is_yes() && trusted,
        "reason": if trusted { explanation.prediction.to_string() } else { String::from(NOT_TRUSTED) },
        "event": explanation.event,
        "layer": explanation.layer,
        "profile": explanation.profile,
        "priority": explanation.priority,
        "mode": explanation.mode,
        "guard": explanation.guard,
        "path": explanation.location.path().map(path_text),
        "line": explanation.location.line_column().map(|(line, _)| line),
    })
}
