//! Calls that a client makes in one run, and what became of each.

use std::collections::BTreeMap;
use std::fs;

use pintle_testkit::model_server::script::is_main;
use pintle_testkit::model_server::{ModelServer, ReceivedRequest, ScriptedReply};

use super::client::{TestClient, ToolPurpose};
use super::outcome::ProofResult;
use super::proof::ProofKind;
use super::run_command::CommandRun;
use super::sandbox::ClientSandbox;

/// A call that the model makes.
#[derive(Debug)]
pub(super) struct ProofCall {
    /// The rule that denies it; without one it passes.
    pub(super) rule: Option<&'static str>,
    pub(super) tool: ToolPurpose,
    /// The command, the path, or the paths of a patch.
    pub(super) target: &'static str,
    pub(super) effect: CallEffect,
}

/// What shows that a call was carried out.
#[derive(Debug, Clone, Copy)]
pub(super) enum CallEffect {
    /// This file is new, gone or different.
    Changes(&'static str),
    /// The model got this text.
    Shows(&'static str),
}

/// A run of a client that made calls.
#[derive(Debug)]
pub(super) struct CallRun {
    client: CommandRun,
    conversation: Vec<ReceivedRequest>,
    /// The requests of the main conversation: the first asks for the first call, the next has its result.
    turns: Vec<String>,
    /// Which files changed, by their path.
    changed: BTreeMap<&'static str, bool>,
}

impl ProofCall {
    /// What has to become of it, and why that differs from other clients.
    pub(super) fn expected_result(&self, client: &TestClient) -> (ProofResult, Option<&'static str>) {
        let is_own = |(tool, words, _): &&(ToolPurpose, &str, &str)| {
            *tool == self.tool && (self.target.starts_with(words) || self.rule == Some(words))
        };
        match client.own_refusals.iter().find(is_own) {
            Some((_, _, reason)) if self.is_denied() => (ProofResult::DeniedSilently, Some(*reason)),
            _ if self.is_denied() => client.expected_result(ProofKind::Deny),
            _ => (ProofResult::Ran, None),
        }
    }

    /// What it proves.
    pub(super) fn name(&self, subject: &str, client: &TestClient) -> String {
        let tool = client.tool(self.tool).map_or("", |tool| tool.name);
        let what = self.rule.map_or_else(|| String::from("passes"), |rule| format!("denied by {rule}"));
        format!("{subject}: {:?} ({tool}) {what}", self.tool)
    }

    /// Whether it must not be carried out.
    pub(super) fn is_denied(&self) -> bool {
        self.rule.is_some()
    }

    /// What the run shows of it; `index` is its place in the run, and `words` are those of the reason.
    pub(super) fn result(&self, index: usize, words: Option<&str>, run: &CallRun, client: &TestClient) -> ProofResult {
        let Some(before) = run.turns.get(index) else { return ProofResult::ClientFailed };
        let count = |text: &str, words: &str| text.matches(words).count();
        let is_new =
            |words: &str| run.turns.get(index + 1).is_some_and(|after| count(after, words) > count(before, words));
        let has_run = match self.effect {
            CallEffect::Changes(path) => run.changed.get(path) == Some(&true),
            CallEffect::Shows(text) => is_new(text),
        };
        match words {
            _ if has_run => ProofResult::Ran,
            Some(words) if is_new(words) => ProofResult::Denied,
            _ if run.turns.len() == 1 && client.gives_up(&run.client) => ProofResult::DeniedAndEnded,
            _ => ProofResult::DeniedSilently,
        }
    }

    fn reply(&self, index: usize, fixture: &ClientSandbox) -> ScriptedReply {
        let target = fixture.fill(self.target);
        let target = if self.tool == ToolPurpose::Patch { patch(&target) } else { target };
        fixture.client.call(index, self.tool, &target)
    }
}

/// Runs the client with a model that makes these calls one after the other.
pub(super) fn run_calls(fixture: &ClientSandbox, calls: &[&ProofCall]) -> Result<CallRun, String> {
    let replies = calls.iter().enumerate().map(|(index, call)| call.reply(index, fixture));
    let replies = replies.chain([ScriptedReply::from_text("Done.")]).collect();
    let server = ModelServer::play(replies).map_err(|error| format!("no model server: {error}"))?;
    let paths = || {
        calls.iter().filter_map(|call| match call.effect {
            CallEffect::Changes(path) => Some(path),
            CallEffect::Shows(_) => None,
        })
    };
    let read = |path: &str| fs::read(fixture.fill(path)).ok();
    let before: BTreeMap<_, _> = paths().map(|path| (path, read(path))).collect();
    // What it did before it failed still counts.
    let failed = |reason| CommandRun { status: None, stdout: String::new(), stderr: reason };
    let client = fixture.run(&server.url("")).unwrap_or_else(failed);
    let conversation = server.requests();
    let main = conversation.iter().filter(|request| is_main(request));
    let turns = main.map(|request| request.body.to_string()).collect();
    let changed = before.into_iter().map(|(path, text)| (path, text != read(path))).collect();
    Ok(CallRun { client, conversation, turns, changed })
}

impl CallRun {
    /// A readable transcript.
    pub(super) fn transcript(&self) -> String {
        self.client.transcript(&self.conversation)
    }
}

/// A patch that adds files.
fn patch(paths: &str) -> String {
    let files: String = paths.split(' ').map(|path| format!("*** Add File: {path}\n+two kumquats\n")).collect();
    format!("*** Begin Patch\n{files}*** End Patch")
}
