//! What is known of a client: how it is installed, configured and run headless, and its tools.

use pintle_testkit::model_server::ScriptedReply;
use serde_json::Value;

use super::outcome::ProofResult;
use super::proof::ProofKind;
use super::run_command::CommandRun;

#[derive(Debug)]
pub(super) struct TestClient {
    /// Its name on the command line, here and in `pintle install`.
    pub(super) name: &'static str,
    /// Its npm package.
    pub(super) package: &'static str,
    /// Its program.
    pub(super) program: &'static str,
    /// The npm package of the interpreter that it needs, if it is not that of this machine.
    pub(super) runtime: Option<&'static str>,
    /// A script of the package that has to run once, by its path in the package.
    pub(super) setup: Option<&'static str>,
    /// Settings in the home directory: path and text; `URL` is the model's address.
    pub(super) settings: &'static [(&'static str, &'static str)],
    /// Settings in the home directory that make it trust the project, whose directory is `PROJECT`: path and text.
    pub(super) trust_settings: &'static [(&'static str, &'static str)],
    /// Its environment; `URL` is the model's address.
    pub(super) environment: &'static [(&'static str, &'static str)],
    /// Arguments of a command that runs first, with the same placeholders.
    pub(super) before: &'static [&'static str],
    /// Its arguments; `URL` is the model's address and `PROMPT` the prompt.
    pub(super) arguments: &'static [&'static str],
    /// Its tools.
    pub(super) tools: &'static [ClientTool],
    /// What it prints on standard output if a denial makes it give up its task.
    pub(super) give_up_message: Option<&'static str>,
    /// The problem that `pintle doctor` has to find, if any.
    pub(super) expected_problem: Option<&'static str>,
    /// Calls that it refuses in words of its own: the tool, how the target begins or which rule denies it, and why.
    pub(super) own_refusals: &'static [(ToolPurpose, &'static str, &'static str)],
    /// What it does not support, and the result instead, with the reason.
    pub(super) exceptions: &'static [(ProofKind, ProofResult, &'static str)],
}

/// A tool of a client, in its model's calls.
#[derive(Debug)]
pub(super) struct ClientTool {
    pub(super) purpose: ToolPurpose,
    pub(super) name: &'static str,
    /// The arguments for a command, a path or a patch.
    pub(super) input: fn(target: &str) -> Value,
}

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolPurpose {
    Shell,
    /// Another way to run a command: a tool of its own, in the background, or several commands in one call.
    SecondShell,
    Read,
    /// Writes [`WRITTEN`] to a file.
    Write,
    /// Replaces [`FORMER`] in a file with [`WRITTEN`].
    Edit,
    /// Applies a patch.
    Patch,
    /// Loads a skill, whose text has a command.
    Skill,
}

/// The skill whose text has a command.
pub(super) const SKILL: &str = "kumquats";

/// What a file to be edited contains.
pub(super) const FORMER: &str = "one kumquat";
/// What tools write.
pub(super) const WRITTEN: &str = "two kumquats";

impl TestClient {
    /// Its tool for a purpose, if it has one.
    pub(super) fn tool(&self, purpose: ToolPurpose) -> Option<&'static ClientTool> {
        self.tools.iter().find(|tool| tool.purpose == purpose)
    }

    /// A model turn that calls the tool for a purpose; empty without such a tool.
    pub(super) fn call(&self, number: usize, purpose: ToolPurpose, target: &str) -> ScriptedReply {
        let call = self.tool(purpose).map(|tool| {
            let (id, input) = (format!("call_{number}"), (tool.input)(target).to_string());
            // The chore ends soon, so the leaked text is not a problem.
            (&*id.leak(), tool.name, &*input.leak())
        });
        ScriptedReply { calls: call.into_iter().collect(), usage: (10, 5), ..ScriptedReply::default() }
    }

    /// The expected result of a proof, and why it differs from other clients.
    pub(super) fn expected_result(&self, kind: ProofKind) -> (ProofResult, Option<&'static str>) {
        let exception = self.exceptions.iter().find(|(known, ..)| *known == kind);
        exception
            .map_or_else(|| (ProofResult::expected_for(kind), None), |(_, result, reason)| (*result, Some(*reason)))
    }

    /// Whether it says that a denial made it give up.
    pub(super) fn gives_up(&self, ran: &CommandRun) -> bool {
        self.give_up_message.is_some_and(|words| ran.stdout.contains(words))
    }
}
