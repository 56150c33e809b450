//! What is shown in every client.

use std::fmt::Write as _;

use pintle_testkit::model_server::script::is_main;
use pintle_testkit::model_server::{ModelServer, ReceivedRequest as Request, ScriptedReply};

use super::client::TestClient;
use super::run_command::CommandRun;
use super::sandbox::ClientSandbox;

/// What is asked of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofKind {
    /// To run a command.
    Allow,
    /// Not to run a command.
    Deny,
    /// To run another.
    Rewrite,
    /// To tell the model something before it begins.
    Context,
    /// To tell the model something after a command.
    Remark,
    /// To go on once.
    Stop,
    /// Not to hear a prompt.
    Prompt,
    /// To tell the model something else than a command said.
    Output,
    /// To tell the model something else than a command said that failed.
    Failure,
    /// To end the run after a command.
    End,
}

/// Which hooks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookFixture {
    /// The stage's, named in the person's settings.
    UserSettings,
    /// The project's as they are found from the folder that the client works in, by entries in the project's settings.
    ProjectFiles,
    /// Those that a document shows.
    DocumentHooks,
}

/// How Pintle fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PintleCondition {
    /// As ever.
    Running,
    /// It is killed in the middle.
    Killed,
    /// It has less time than its hooks take.
    OutOfTime,
}

/// One thing to show.
#[derive(Debug)]
pub(super) struct ClientProof {
    /// What it shows.
    pub(super) name: &'static str,
    /// What is asked of the client.
    pub(super) kind: ProofKind,
    /// The file that the model wants a command to write. Hooks go by its name.
    file: &'static str,
    /// What stands before that in the command; `PROJECT` is the project's folder.
    begin: &'static str,
    /// What stands after it.
    end: &'static str,
    /// Part of what the model has to be told.
    words: &'static str,
    /// The hooks.
    pub(super) hooks: HookFixture,
    /// A hook that is there besides for this proof only.
    pub(super) hook: Option<(&'static str, &'static str)>,
    /// How Pintle fares.
    pub(super) fate: PintleCondition,
}

const fn deny_proof(name: &'static str, file: &'static str, words: &'static str) -> ClientProof {
    let (kind, hooks, fate) = (ProofKind::Deny, HookFixture::UserSettings, PintleCondition::Running);
    ClientProof { name, kind, file, begin: "", end: "", words, hooks, hook: None, fate }
}

/// All of them, in the order they are run.
pub(super) const PROOFS: &[ClientProof] = &[
    deny_proof("a policy denies a command", "denied.txt", "no kumquats here"),
    // Where a client cannot carry a rewrite, the call is refused in these words.
    ClientProof {
        kind: ProofKind::Rewrite,
        ..deny_proof("a policy rewrites a command", "original.txt", "a hook changed this call")
    },
    ClientProof {
        kind: ProofKind::Context,
        ..deny_proof("a script adds context at the prompt", "", "the fruit of the day is the kumquat")
    },
    ClientProof {
        kind: ProofKind::Context,
        ..deny_proof("a script adds context as the session begins", "", "the basket holds nine kumquats")
    },
    ClientProof {
        kind: ProofKind::Remark,
        ..deny_proof("a hook adds context after a command", "after.txt", "kumquats keep for a week")
    },
    ClientProof {
        kind: ProofKind::Prompt,
        hook: Some(("refuses.md", REFUSES)),
        ..deny_proof("a policy refuses a prompt", "unheard.txt", "nothing without kumquats")
    },
    ClientProof {
        kind: ProofKind::Stop,
        hook: Some(("once_more.md", ONCE_MORE)),
        ..deny_proof("a policy blocks a stop once", "", "say kumquat first")
    },
    ClientProof {
        kind: ProofKind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny_proof("a policy changes what a command said", "secret.txt", "a kumquat in its place")
    },
    ClientProof {
        kind: ProofKind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny_proof("a policy withholds what a command said", "hidden.txt", "kumquats stay hidden")
    },
    ClientProof {
        kind: ProofKind::Failure,
        hook: Some(("secret.md", SECRET)),
        end: "; false",
        ..deny_proof("a policy changes what a failed command said", "secret.txt", "a kumquat in its place")
    },
    ClientProof { kind: ProofKind::End, ..deny_proof("a hook ends the run after a command", "last.txt", "") },
    deny_proof("a hook that crashes denies", "crash.txt", "broken"),
    deny_proof("a hook that hangs denies", "hang.txt", "Hang"),
    deny_proof("a Harness Framework script denies", "script.txt", "kumquats are off the menu"),
    deny_proof("a Harness Framework script asks", "asked.txt", "is that kumquat yours?"),
    ClientProof {
        fate: PintleCondition::Killed,
        ..deny_proof("denied when Pintle is killed in the middle", "hang.txt", "did not answer")
    },
    ClientProof {
        fate: PintleCondition::OutOfTime,
        ..deny_proof("denied when Pintle's own deadline ends", "hang.txt", "the hooks did not answer within")
    },
    ClientProof {
        hooks: HookFixture::DocumentHooks,
        begin: "rm -rf PROJECT/absent; ",
        ..deny_proof("the document's own script denies `rm -rf /..`", "blocked.txt", "")
    },
    ClientProof {
        hooks: HookFixture::DocumentHooks,
        kind: ProofKind::Allow,
        ..deny_proof("the document's own script lets through", "allowed.txt", "")
    },
    ClientProof {
        hooks: HookFixture::ProjectFiles,
        ..deny_proof("a policy denies, installed for the project", "denied.txt", "no kumquats here")
    },
    // Nobody agreed to the project's hooks.
    ClientProof {
        hooks: HookFixture::ProjectFiles,
        kind: ProofKind::Allow,
        ..deny_proof("a policy that nobody agreed to rewrites no command", "original.txt", "")
    },
    ClientProof {
        begin: "echo > .harness/hooks/kumquats.md; ",
        ..deny_proof("a command that changes the policy is denied", "policy.txt", "a policy file")
    },
    ClientProof {
        begin: "cat .harness/hooks/kumquats.md; ",
        kind: ProofKind::Allow,
        ..deny_proof("a command that reads the policy runs", "reader.txt", "")
    },
];

/// What the model wants to write after the command that is to be the last.
const NEXT: &str = "next.txt";

const ONCE_MORE: &str = r#"---
event: agent.stop
script: |
  def handle(event, payload):
      if payload["continuations"] == 0:
          return block("say kumquat first")
      return allow()
---
"#;

const SECRET: &str = r#"---
event: tool.post
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      if "said-by-hidden.txt" in payload["content"]:
          return block("kumquats stay hidden")
      content = payload["content"].replace("said-by-secret.txt", "a kumquat in its place")
      return modify({"content": content})
---
"#;

const REFUSES: &str = r#"---
event: prompt.submit
script: |
  def handle(event, payload):
      return block("nothing without kumquats")
---
"#;

/// What is left of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProofTraces {
    /// It wrote its file.
    pub(super) file_written: bool,
    /// The model saw what it said.
    pub(super) output_seen: bool,
}

impl ProofTraces {
    /// Whether it ran.
    pub(super) fn has_run(self) -> bool {
        self.file_written || self.output_seen
    }
}

/// What was seen.
#[derive(Debug)]
pub(super) struct ProofEvidence {
    /// Requests of the main conversation.
    pub(super) requests: usize,
    /// What is left of the command.
    pub(super) command: ProofTraces,
    /// What is left of the other command: the one that a hook put in its place, or the next one.
    pub(super) other: ProofTraces,
    /// Whether the model was told.
    pub(super) model_informed: bool,
    /// Whether the person was told.
    pub(super) user_informed: bool,
    /// Whether the client ended with status 0.
    pub(super) ended_well: bool,
    /// Whether it says that it gave up.
    pub(super) gave_up: bool,
    client: CommandRun,
    conversation: Vec<Request>,
}

impl ProofEvidence {
    /// All that was said, for people.
    pub(super) fn transcript(&self) -> String {
        let mut text = format!("{:#?}\n", self.client);
        for request in &self.conversation {
            // Writing to a text does not fail.
            let _ = writeln!(text, "== {} {}\n{}", request.method, request.path, request.body);
        }
        text
    }
}

impl ClientProof {
    /// Runs the client with a model that wants the command, and looks at what came of it.
    pub(super) fn run(&self, stage: &ClientSandbox) -> Result<ProofEvidence, String> {
        let server = ModelServer::play(self.model_turns(stage)).map_err(|fault| format!("no model server: {fault}"))?;
        stage.prepare(self)?;
        let words = if self.hooks == HookFixture::DocumentHooks { stage.message()? } else { self.words };
        let client = stage.run(&server.url(""))?;
        let conversation: Vec<Request> = server.requests();
        let main: Vec<String> =
            conversation.iter().filter(|request| is_main(request)).map(|request| request.body.to_string()).collect();
        let is_told = |words: &str| !words.is_empty() && main.iter().any(|request| request.contains(words));
        let traces = |file: &str| ProofTraces {
            file_written: stage.take_written_file(file),
            output_seen: is_told(&command_output(file)),
        };
        Ok(ProofEvidence {
            requests: main.len(),
            command: traces(self.file),
            other: traces(if self.kind == ProofKind::End { NEXT } else { "rewritten.txt" }),
            model_informed: is_told(words),
            user_informed: !words.is_empty() && (client.stdout.contains(words) || client.stderr.contains(words)),
            ended_well: client.status == Some(0),
            gave_up: stage.client.give_up_message.is_some_and(|words| client.stdout.contains(words)),
            client,
            conversation,
        })
    }

    fn model_turns(&self, stage: &ClientSandbox) -> Vec<ScriptedReply> {
        if self.file.is_empty() {
            return vec![ScriptedReply::from_text("The first answer."), ScriptedReply::from_text("Kumquat.")];
        }
        let begin = self.begin.replace("PROJECT", &stage.project().to_string_lossy());
        let mut turns = vec![command_turn(stage.client, "call_1", &begin, self.file, self.end)];
        if self.kind == ProofKind::End {
            turns.push(command_turn(stage.client, "call_2", "", NEXT, ""));
        }
        turns.push(ScriptedReply::from_text("Done."));
        turns
    }
}

/// A turn of the model that wants a command to write a file.
fn command_turn(client: &TestClient, id: &'static str, begin: &str, file: &str, end: &str) -> ScriptedReply {
    // What it says is not found in the command itself, so whoever sees it saw it run.
    let input = (client.shell_input)(&format!("{begin}echo said-by-''{file} | tee {file}{end}")).to_string();
    // A chore is over soon, and so are its words.
    ScriptedReply { calls: vec![(id, client.shell_tool, &*input.leak())], usage: (10, 5), ..ScriptedReply::default() }
}

/// What a command says that writes a file.
fn command_output(file: &str) -> String {
    if file.is_empty() { String::new() } else { format!("said-by-{file}") }
}
