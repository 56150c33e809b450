//! Answers of every kind, on every event.

mod compat;
mod fuzz;
mod objects;
mod process;
mod reply;
mod strict;

use std::sync::Arc;

use pintle_contract::event::CATALOGUE;
use pintle_contract::{Answer, Codec, Effect, Event, EventName, Origin, ProcessAnswer, Rewrite, Said, Verdict};

use crate::docker_agent::codec::DockerAgent;
use crate::docker_agent::{Compat, ROWS};

/// The example payload of an event; `preempt` is `pre_tool_use` with `preempt_yolo`.
fn event(name: &str) -> (Event, &str) {
    let (canonical, spelling) = match name {
        "preempt" => ("tool.guard", "pre_tool_use"),
        name => (ROWS.iter().find(|row| row.name == name).unwrap().canonical, name),
    };
    let row = CATALOGUE.iter().find(|row| row.name == canonical).unwrap();
    (Event::new(EventName::parse(canonical).unwrap(), (row.example)(), Arc::new(Origin::default())), spelling)
}

fn exited(code: i32, stdout: &str, stderr: &str) -> ProcessAnswer {
    ProcessAnswer {
        exit_code: Some(code),
        stdout: stdout.as_bytes().to_vec(),
        stderr: stderr.as_bytes().to_vec(),
        ..ProcessAnswer::default()
    }
}

fn decoded(codec: &DockerAgent, name: &str, answer: Answer) -> Verdict {
    let (event, spelling) = event(name);
    codec.decode(&event, spelling, answer)
}

/// The verdict of the newest version on an output, in words.
fn printed(name: &str, stdout: &str) -> String {
    show(&decoded(&DockerAgent::default(), name, Answer::Process(exited(0, stdout, ""))))
}

fn g1() -> DockerAgent {
    DockerAgent { compat: Compat::G1, ..DockerAgent::default() }
}

/// A verdict on one line: what was said, what comes with it, and the warnings behind `!`.
fn show(verdict: &Verdict) -> String {
    let rewrite = |rewrite: &Rewrite| match rewrite {
        Rewrite::Fields(fields) => format!("rewrite{}", serde_json::to_string(fields).unwrap()),
        Rewrite::Whole(value) => format!("rewrite {value}"),
    };
    let mut parts = vec![match &verdict.said {
        Said::Pass => String::from("pass"),
        Said::Allow { reason } => format!("allow({reason})"),
        Said::Ask { reason } => format!("ask({reason})"),
        Said::Deny { reason } => format!("deny({reason})"),
        Said::Rewrite(fields) => rewrite(fields),
        Said::Failed(failure) => format!("failed({failure})"),
    }];
    parts.extend(verdict.rewrite.as_ref().map(rewrite));
    parts.extend(verdict.effects.iter().map(|effect| match effect {
        Effect::Context(text) => format!("context({text})"),
        Effect::Notice(text) => format!("notice({text})"),
        Effect::Summary(text) => format!("summary({text})"),
        Effect::Metadata(facts) => format!("metadata{}", serde_json::to_string(facts).unwrap()),
        other => format!("{other:?}"),
    }));
    parts.extend(verdict.warnings.iter().map(|warning| format!("! {warning}")));
    parts.join(" ")
}
