//! What is shown in every client.

use std::fmt::Write as _;

use pintle_testkit::model_server::script::is_main;
use pintle_testkit::model_server::{ModelServer, ReceivedRequest as Request, ScriptedReply};

use super::client::Client;
use super::ran::Ran;
use super::stage::Stage;

/// What is asked of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) enum Hooks {
    /// The stage's, named in the person's settings.
    Named,
    /// The project's as they are found from the folder that the client works in, by entries in the project's settings.
    Found,
    /// Those that a document shows.
    Documents,
}

/// How Pintle fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// As ever.
    Lives,
    /// It is killed in the middle.
    Killed,
    /// It has less time than its hooks take.
    Hurried,
}

/// One thing to show.
#[derive(Debug)]
pub(super) struct Proof {
    /// What it shows.
    pub(super) name: &'static str,
    /// What is asked of the client.
    pub(super) kind: Kind,
    /// The file that the model wants a command to write. Hooks go by its name.
    file: &'static str,
    /// What stands before that in the command; `PROJECT` is the project's folder.
    begin: &'static str,
    /// What stands after it.
    end: &'static str,
    /// Part of what the model has to be told.
    words: &'static str,
    /// The hooks.
    pub(super) hooks: Hooks,
    /// A hook that is there besides for this proof only.
    pub(super) hook: Option<(&'static str, &'static str)>,
    /// How Pintle fares.
    pub(super) fate: Fate,
}

const fn deny(name: &'static str, file: &'static str, words: &'static str) -> Proof {
    let (kind, hooks, fate) = (Kind::Deny, Hooks::Named, Fate::Lives);
    Proof { name, kind, file, begin: "", end: "", words, hooks, hook: None, fate }
}

/// All of them, in the order they are run.
pub(super) const PROOFS: &[Proof] = &[
    deny("a policy denies a command", "denied.txt", "no kumquats here"),
    // Where a client cannot carry a rewrite, the call is refused in these words.
    Proof { kind: Kind::Rewrite, ..deny("a policy rewrites a command", "original.txt", "a hook changed this call") },
    Proof {
        kind: Kind::Context,
        ..deny("a script adds context at the prompt", "", "the fruit of the day is the kumquat")
    },
    Proof {
        kind: Kind::Context,
        ..deny("a script adds context as the session begins", "", "the basket holds nine kumquats")
    },
    Proof {
        kind: Kind::Remark,
        ..deny("a hook adds context after a command", "after.txt", "kumquats keep for a week")
    },
    Proof {
        kind: Kind::Prompt,
        hook: Some(("refuses.md", REFUSES)),
        ..deny("a policy refuses a prompt", "unheard.txt", "nothing without kumquats")
    },
    Proof {
        kind: Kind::Stop,
        hook: Some(("once_more.md", ONCE_MORE)),
        ..deny("a policy blocks a stop once", "", "say kumquat first")
    },
    Proof {
        kind: Kind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny("a policy changes what a command said", "secret.txt", "a kumquat in its place")
    },
    Proof {
        kind: Kind::Output,
        hook: Some(("secret.md", SECRET)),
        ..deny("a policy withholds what a command said", "hidden.txt", "kumquats stay hidden")
    },
    Proof {
        kind: Kind::Failure,
        hook: Some(("secret.md", SECRET)),
        end: "; false",
        ..deny("a policy changes what a failed command said", "secret.txt", "a kumquat in its place")
    },
    Proof { kind: Kind::End, ..deny("a hook ends the run after a command", "last.txt", "") },
    deny("a hook that crashes denies", "crash.txt", "broken"),
    deny("a hook that hangs denies", "hang.txt", "Hang"),
    deny("a Harness Framework script denies", "script.txt", "kumquats are off the menu"),
    deny("a Harness Framework script asks", "asked.txt", "is that kumquat yours?"),
    Proof {
        fate: Fate::Killed,
        ..deny("denied when Pintle is killed in the middle", "hang.txt", "could not be asked")
    },
    Proof {
        fate: Fate::Hurried,
        ..deny("denied when Pintle's own deadline ends", "hang.txt", "the hooks did not answer within")
    },
    Proof {
        hooks: Hooks::Documents,
        begin: "rm -rf PROJECT/absent; ",
        ..deny("the document's own script denies `rm -rf /..`", "blocked.txt", "")
    },
    Proof {
        hooks: Hooks::Documents,
        kind: Kind::Allow,
        ..deny("the document's own script lets through", "allowed.txt", "")
    },
    Proof {
        hooks: Hooks::Found,
        ..deny("a policy denies, installed for the project", "denied.txt", "no kumquats here")
    },
    // Nobody agreed to the project's hooks.
    Proof {
        hooks: Hooks::Found,
        kind: Kind::Allow,
        ..deny("a policy that nobody agreed to rewrites no command", "original.txt", "")
    },
    Proof {
        begin: "echo > .harness/hooks/kumquats.md; ",
        ..deny("a command that changes the policy is denied", "policy.txt", "holds policy")
    },
    Proof {
        begin: "cat .harness/hooks/kumquats.md; ",
        kind: Kind::Allow,
        ..deny("a command that reads the policy runs", "reader.txt", "")
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
pub(super) struct Traces {
    /// It wrote its file.
    pub(super) wrote: bool,
    /// The model saw what it said.
    pub(super) told: bool,
}

impl Traces {
    /// Whether it ran.
    pub(super) fn any(self) -> bool {
        self.wrote || self.told
    }
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Seen {
    /// Requests of the main conversation.
    pub(super) requests: usize,
    /// What is left of the command.
    pub(super) command: Traces,
    /// What is left of the other command: the one that a hook put in its place, or the next one.
    pub(super) other: Traces,
    /// Whether the model was told.
    pub(super) told: bool,
    /// Whether the person was told.
    pub(super) said: bool,
    /// Whether the client ended with status 0.
    pub(super) ended_well: bool,
    /// Whether it says that it gave up.
    pub(super) gave_up: bool,
    client: Ran,
    conversation: Vec<Request>,
}

impl Seen {
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

impl Proof {
    /// Runs the client with a model that wants the command, and looks at what came of it.
    pub(super) fn run(&self, stage: &Stage) -> Result<Seen, String> {
        let server = ModelServer::play(self.turns(stage)).map_err(|fault| format!("no model server: {fault}"))?;
        stage.prepare(self)?;
        let words = if self.hooks == Hooks::Documents { stage.message()? } else { self.words };
        let client = stage.run(&server.url(""))?;
        let conversation: Vec<Request> = server.requests();
        let main: Vec<String> =
            conversation.iter().filter(|request| is_main(request)).map(|request| request.body.to_string()).collect();
        let is_told = |words: &str| !words.is_empty() && main.iter().any(|request| request.contains(words));
        let traces = |file: &str| Traces { wrote: stage.wrote(file), told: is_told(&said(file)) };
        Ok(Seen {
            requests: main.len(),
            command: traces(self.file),
            other: traces(if self.kind == Kind::End { NEXT } else { "rewritten.txt" }),
            told: is_told(words),
            said: !words.is_empty() && (client.stdout.contains(words) || client.stderr.contains(words)),
            ended_well: client.status == Some(0),
            gave_up: stage.client.gives_up.is_some_and(|words| client.stdout.contains(words)),
            client,
            conversation,
        })
    }

    fn turns(&self, stage: &Stage) -> Vec<ScriptedReply> {
        if self.file.is_empty() {
            return vec![ScriptedReply::from_text("The first answer."), ScriptedReply::from_text("Kumquat.")];
        }
        let begin = self.begin.replace("PROJECT", &stage.project().to_string_lossy());
        let mut turns = vec![call(stage.client, "call_1", &begin, self.file, self.end)];
        if self.kind == Kind::End {
            turns.push(call(stage.client, "call_2", "", NEXT, ""));
        }
        turns.push(ScriptedReply::from_text("Done."));
        turns
    }
}

/// A turn of the model that wants a command to write a file.
fn call(client: &Client, id: &'static str, begin: &str, file: &str, end: &str) -> ScriptedReply {
    // What it says is not found in the command itself, so whoever sees it saw it run.
    let input = (client.input)(&format!("{begin}echo said-by-''{file} | tee {file}{end}")).to_string();
    // A chore is over soon, and so are its words.
    ScriptedReply { calls: vec![(id, client.shell, &*input.leak())], usage: (10, 5), ..ScriptedReply::default() }
}

/// What a command says that writes a file.
fn said(file: &str) -> String {
    if file.is_empty() { String::new() } else { format!("said-by-{file}") }
}
