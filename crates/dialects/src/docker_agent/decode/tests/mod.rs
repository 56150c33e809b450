//! Hook output of every kind, on every event.

mod compat;
mod fuzz;
mod objects;
mod process;
mod reply;
mod strict;

use std::sync::Arc;

use pintle_contract::{Codec, CommandOutput, Effect, Event, EventKind, HandlerOutput, Rewrite, Verdict, VerdictKind};
use pintle_testkit::{catalogue_payload, plain_event};

use crate::docker_agent::codec::DockerAgentCodec;
use crate::docker_agent::event_def::{DockerAgentVersion, ROWS};

/// The example payload of an event; `preempt` is `pre_tool_use` with `preempt_yolo`.
fn example_event(name: &str) -> (Event, &str) {
    let (canonical, spelling) = match name {
        "preempt" => (EventKind::ToolGuard, "pre_tool_use"),
        name => (ROWS.iter().find(|def| def.name == name).unwrap().canonical, name),
    };
    (plain_event(canonical.name(), catalogue_payload(canonical.name())), spelling)
}

fn exit_output(code: i32, stdout: &str, stderr: &str) -> CommandOutput {
    CommandOutput {
        exit_code: Some(code),
        stdout: stdout.as_bytes().to_vec(),
        stderr: stderr.as_bytes().to_vec(),
        ..CommandOutput::default()
    }
}

fn decode_answer(codec: &DockerAgentCodec, name: &str, answer: HandlerOutput) -> Verdict {
    let (event, spelling) = example_event(name);
    codec.decode(&event, spelling, answer)
}

/// The newest version's verdict on an output, in words.
fn decode_printed(name: &str, stdout: &str) -> String {
    show(&decode_answer(&DockerAgentCodec::default(), name, HandlerOutput::Process(exit_output(0, stdout, ""))))
}

fn g1_codec() -> DockerAgentCodec {
    DockerAgentCodec { compat: DockerAgentVersion::G1, ..DockerAgentCodec::default() }
}

/// A verdict on one line: the kind, the effects, and the warnings after `!`.
fn show(verdict: &Verdict) -> String {
    let rewrite = |rewrite: &Rewrite| match rewrite {
        Rewrite::Fields(fields) => format!("rewrite{}", serde_json::to_string(fields).unwrap()),
        Rewrite::Whole(value) => format!("rewrite {value}"),
    };
    let mut parts = vec![match &verdict.kind {
        VerdictKind::Pass => String::from("pass"),
        VerdictKind::Allow { reason } => format!("allow({reason})"),
        VerdictKind::Ask { reason } => format!("ask({reason})"),
        VerdictKind::Deny { reason } => format!("deny({reason})"),
        VerdictKind::Rewrite(fields) => rewrite(fields),
        VerdictKind::Failed(failure) => format!("failed({failure})"),
    }];
    parts.extend(verdict.rewrite.as_ref().map(rewrite));
    parts.extend(verdict.effects.iter().map(|effect| match effect {
        Effect::Context(text) => format!("context({text})"),
        Effect::Notice(text) => format!("notice({text})"),
        Effect::Summary(text) => format!("summary({text})"),
        Effect::Metadata(facts) => format!("metadata{}", serde_json::to_string(facts).unwrap()),
        Effect::Log { message, .. } => format!("log({message})"),
        other => format!("{other:?}"),
    }));
    parts.extend(verdict.warnings.iter().map(|warning| format!("! {warning}")));
    parts.join(" ")
}
