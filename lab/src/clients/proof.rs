//! The proofs that run in every client.

use pintle_testkit::model_server::script::is_main;
use pintle_testkit::model_server::{ModelServer, ReceivedRequest, ScriptedReply};

use super::client::{SKILL, ToolPurpose};
use super::run_command::CommandRun;
use super::sandbox::ClientSandbox;

/// What a proof requires of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofKind {
    /// Runs a command.
    Allow,
    /// Does not run a command.
    Deny,
    /// Does not run a command, because of what was said before.
    LookBack,
    /// Runs another command.
    Rewrite,
    /// Gives the model context before it begins.
    Context,
    /// Gives the model context with the prompt.
    PromptContext,
    /// Gives the model context after a command.
    Remark,
    /// Continues once.
    Stop,
    /// Does not process a prompt.
    Prompt,
    /// Gives the model another output of a command.
    Output,
    /// Gives the model another output of a failed command.
    Failure,
    /// Ends the run after a command.
    End,
}

/// Which hooks are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookFixture {
    /// The sandbox's own hooks, named in the user's settings.
    UserSettings,
    /// The project's hooks, found from the client's working directory by entries in the project's settings.
    ProjectFiles,
    /// The hooks of a document.
    DocumentHooks,
}

/// The condition under which Pintle runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PintleCondition {
    /// Normally.
    Running,
    /// It is killed while a hook runs.
    Killed,
    /// Its deadline is shorter than its hooks take.
    OutOfTime,
}

#[derive(Debug)]
pub(super) struct ClientProof {
    /// What it proves.
    pub(super) name: &'static str,
    /// What the client must do.
    pub(super) kind: ProofKind,
    /// The file that the model's command writes. Hooks match on its name.
    file: &'static str,
    /// The start of the command; `PROJECT` is the project's directory.
    begin: &'static str,
    /// The end of the command.
    end: &'static str,
    /// A part of the text that the model has to receive.
    words: &'static str,
    pub(super) hooks: HookFixture,
    /// An additional hook for this proof only.
    pub(super) hook: Option<(&'static str, &'static str)>,
    /// The condition under which Pintle runs.
    pub(super) fate: PintleCondition,
    /// The tool by which the command runs.
    pub(super) tool: ToolPurpose,
}

const fn deny_proof(name: &'static str, file: &'static str, words: &'static str) -> ClientProof {
    let (kind, hooks, fate) = (ProofKind::Deny, HookFixture::UserSettings, PintleCondition::Running);
    ClientProof { name, kind, file, begin: "", end: "", words, hooks, hook: None, fate, tool: ToolPurpose::Shell }
}

/// All proofs, in the order they are run.
pub(super) const PROOFS: &[ClientProof] = &[
    deny_proof("a policy denies a command", "denied.txt", "no kumquats here"),
    ClientProof {
        tool: ToolPurpose::Skill,
        ..deny_proof("a policy denies a command in the text of a skill", "denied.txt", "no kumquats here")
    },
    // If a client does not support a rewrite, the call is denied with these words.
    ClientProof {
        kind: ProofKind::Rewrite,
        ..deny_proof("a policy rewrites a command", "original.txt", "a hook changed this call")
    },
    ClientProof {
        kind: ProofKind::LookBack,
        hook: Some(("looks.md", LOOKS)),
        ..deny_proof("a policy looks back at the prompt", "seen.txt", "it was asked for a file")
    },
    ClientProof {
        kind: ProofKind::PromptContext,
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
        ..deny_proof("a policy denies a prompt", "unheard.txt", "nothing without kumquats")
    },
    ClientProof {
        kind: ProofKind::Stop,
        hook: Some(("once_more.md", ONCE_MORE)),
        ..deny_proof("a policy blocks a stop once", "", "say kumquat first")
    },
    ClientProof {
        kind: ProofKind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny_proof("a policy changes a command's output", "secret.txt", "a kumquat in its place")
    },
    ClientProof {
        kind: ProofKind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny_proof("a policy withholds a command's output", "hidden.txt", "kumquats stay hidden")
    },
    ClientProof {
        kind: ProofKind::Failure,
        hook: Some(("secret.md", SECRET)),
        end: "; false",
        ..deny_proof("a policy changes a failed command's output", "secret.txt", "a kumquat in its place")
    },
    ClientProof { kind: ProofKind::End, ..deny_proof("a hook ends the run after a command", "last.txt", "") },
    deny_proof("a hook that crashes denies", "crash.txt", "broken"),
    deny_proof("a hook that hangs denies", "hang.txt", "Hang"),
    deny_proof("a Harness Framework script denies", "script.txt", "kumquats are off the menu"),
    deny_proof("a Harness Framework script asks", "asked.txt", "is that kumquat yours?"),
    ClientProof {
        fate: PintleCondition::Killed,
        ..deny_proof("denied when Pintle is killed", "hang.txt", "Pintle did not answer")
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
        ..deny_proof("the document's own script allows", "allowed.txt", "")
    },
    ClientProof {
        hooks: HookFixture::ProjectFiles,
        ..deny_proof("a policy denies, installed for the project", "denied.txt", "no kumquats here")
    },
    // The project is not trusted.
    ClientProof {
        hooks: HookFixture::ProjectFiles,
        kind: ProofKind::Allow,
        ..deny_proof("an untrusted policy rewrites nothing", "original.txt", "")
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

/// The file that the model's second command writes, after the command that must end the run.
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

const LOOKS: &str = r#"---
event: tool.pre
when: payload["name"] == "shell"
script: |
  def handle(event, payload):
      said = [message for message in transcript.messages() if message["role"] == "user"]
      if "write a file" in str(said) and "seen.txt" in payload["args"]["command"]:
          return block("it was asked for a file")
      return allow()
---
"#;

const REFUSES: &str = r#"---
event: prompt.submit
script: |
  def handle(event, payload):
      return block("nothing without kumquats")
---
"#;

/// The traces of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProofTraces {
    /// Whether it wrote its file.
    pub(super) file_written: bool,
    /// Whether the model saw its output.
    pub(super) output_seen: bool,
}

impl ProofTraces {
    /// Whether it ran.
    pub(super) fn has_run(self) -> bool {
        self.file_written || self.output_seen
    }
}

/// The evidence of a proof.
#[derive(Debug)]
pub(super) struct ProofEvidence {
    /// The number of requests of the main conversation.
    pub(super) requests: usize,
    /// The traces of the command.
    pub(super) command: ProofTraces,
    /// The traces of the other command: the rewritten one, or the next one.
    pub(super) other: ProofTraces,
    /// Whether the model got the text.
    pub(super) model_informed: bool,
    /// Whether the user got the text.
    pub(super) user_informed: bool,
    /// Whether the client exited with status 0.
    pub(super) ended_well: bool,
    /// Whether it ended by itself with another status and an error on its screen.
    pub(super) has_error: bool,
    /// Whether it says that it gave up.
    pub(super) gave_up: bool,
    client: CommandRun,
    conversation: Vec<ReceivedRequest>,
}

impl ProofEvidence {
    /// A readable transcript.
    pub(super) fn transcript(&self) -> String {
        self.client.transcript(&self.conversation)
    }
}

impl ClientProof {
    /// Runs the client with a model that requests the command, and collects the evidence.
    pub(super) fn run(&self, fixture: &ClientSandbox) -> Result<ProofEvidence, String> {
        let server =
            ModelServer::play(self.model_turns(fixture)).map_err(|error| format!("no model server: {error}"))?;
        fixture.prepare(self)?;
        let words = if self.hooks == HookFixture::DocumentHooks { fixture.message()? } else { self.words };
        let client = fixture.run(&server.url(""))?;
        let conversation: Vec<ReceivedRequest> = server.requests();
        let main: Vec<String> =
            conversation.iter().filter(|request| is_main(request)).map(|request| request.body.to_string()).collect();
        let is_told = |words: &str| !words.is_empty() && main.iter().any(|request| request.contains(words));
        let traces = |file: &str| ProofTraces {
            file_written: fixture.take_written_file(file),
            output_seen: is_told(&command_output(file)),
        };
        Ok(ProofEvidence {
            requests: main.len(),
            command: traces(self.file),
            other: traces(if self.kind == ProofKind::End { NEXT } else { "rewritten.txt" }),
            model_informed: is_told(words),
            user_informed: !words.is_empty() && (client.stdout.contains(words) || client.stderr.contains(words)),
            ended_well: client.status == Some(0),
            has_error: client.status.is_some_and(|status| status != 0) && client.stderr.contains("Error"),
            gave_up: fixture.client.gives_up(&client),
            client,
            conversation,
        })
    }

    /// The text of the skill by which the command runs.
    pub(super) fn skill_text(&self) -> Option<String> {
        let command = write_command(self.begin, self.file, self.end);
        let text = format!("---\ndescription: How kumquats keep.\n---\nThey keep: !`{command}`\n");
        (self.tool == ToolPurpose::Skill).then_some(text)
    }

    fn model_turns(&self, fixture: &ClientSandbox) -> Vec<ScriptedReply> {
        if self.file.is_empty() {
            return vec![ScriptedReply::from_text("The first answer."), ScriptedReply::from_text("Kumquat.")];
        }
        let begin = self.begin.replace("PROJECT", &fixture.project().to_string_lossy());
        let first = match self.tool {
            ToolPurpose::Skill => SKILL.to_owned(),
            _ => write_command(&begin, self.file, self.end),
        };
        let mut turns = vec![fixture.client.call(1, self.tool, &first)];
        if self.kind == ProofKind::End {
            turns.push(fixture.client.call(2, ToolPurpose::Shell, &write_command("", NEXT, "")));
        }
        turns.push(ScriptedReply::from_text("Done."));
        turns
    }
}

/// A command that writes a file.
fn write_command(begin: &str, file: &str, end: &str) -> String {
    // The output does not occur in the command itself, so it can only come from running it.
    format!("{begin}echo said-by-''{file} | tee {file}{end}")
}

/// The output of a command that writes a file.
fn command_output(file: &str) -> String {
    if file.is_empty() { String::new() } else { format!("said-by-{file}") }
}
