//! `pintle-fleet asks`.

use clap::{Args, Subcommand};
use pintle_fleet::{AskEntry, AskId, FleetError, StoredAnswer};
use pintle_tape::show::single_line;
use serde_json::{Value, json};

use super::StoreOptions;
use crate::output::{print_line, print_note};

/// Most characters of a call and of a reason in a list.
const LONG_CHARS: usize = 300;
/// Most characters of a name.
const NAME_CHARS: usize = 60;

/// The keys under which agents write the arguments of a call.
const ARGUMENTS: [&str; 6] =
    ["/tool_input", "/toolArgs", "/tool_args", "/tool_call/input", "/preToolUse/parameters", "/prompt"];

#[derive(Debug, Subcommand)]
pub(super) enum AsksCommand {
    /// List the calls that wait for an answer, oldest first.
    List(AsksListArgs),
    /// Show all of a call that waits.
    Show(AskArgs),
    /// Allow a call.
    Allow(AskAnswerArgs),
    /// Deny a call.
    Deny(AskAnswerArgs),
}

#[derive(Debug, Args)]
pub(super) struct AsksListArgs {
    #[command(flatten)]
    store: StoreOptions,
    /// List also what is answered or waits no more.
    #[arg(long)]
    all: bool,
    /// Print each as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// ID of the ask, as `asks list` shows it.
    id: String,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(Debug, Args)]
pub(super) struct AskAnswerArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Why. The agent reads it.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl AsksCommand {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        match self {
            Self::List(args) => args.execute().await,
            Self::Show(args) => args.show().await,
            Self::Allow(args) => args.answer(/*is_allowed*/ true).await,
            Self::Deny(args) => args.answer(/*is_allowed*/ false).await,
        }
    }
}

impl AsksListArgs {
    async fn execute(self) -> Result<bool, FleetError> {
        let asks = self.store.address()?.list_asks(self.all).await?;
        if asks.is_empty() && !self.json {
            print_note("no call waits for an answer");
        }
        for ask in &asks {
            print_line(&if self.json { ask_to_json(ask).to_string() } else { render_ask(ask) })?;
        }
        Ok(true)
    }
}

impl AskArgs {
    fn parse_id(&self) -> Result<AskId, FleetError> {
        AskId::parse(&self.id).ok_or_else(|| unknown_ask(&self.id))
    }

    async fn show(self) -> Result<bool, FleetError> {
        let found = self.store.address()?.find_ask(&self.parse_id()?).await?;
        let ask = found.ok_or_else(|| unknown_ask(&self.id))?;
        print_line(&render_ask(&ask))?;
        print_line(&format!("sha256 {}", ask.digest))?;
        let call: Value = serde_json::from_str(&ask.call).unwrap_or_else(|_| Value::from(ask.call.as_str()));
        for line in format!("{call:#}").lines() {
            print_line(&single_line(line, usize::MAX))?;
        }
        Ok(true)
    }
}

impl AskAnswerArgs {
    async fn answer(self, is_allowed: bool) -> Result<bool, FleetError> {
        let (store, id) = (self.ask.store.address()?, self.ask.parse_id()?);
        let counts = store.answer_ask(&id, is_allowed, self.reason.as_deref()).await?;
        let ask = store.find_ask(&id).await?.ok_or_else(|| unknown_ask(&self.ask.id))?;
        if counts {
            print_line(&render_ask(&ask))?;
            return Ok(true);
        }
        let reason = match &ask.answer {
            Some(answer) => format!("it is answered: {}", answer_text(answer)),
            None => format!("it is {}, and the call is denied", ask.state),
        };
        Err(FleetError::failure(format!("your answer to {id} has no effect: {reason}"))
            .help("`pintle-fleet asks list` lists the calls that wait for an answer"))
    }
}

fn unknown_ask(id: &str) -> FleetError {
    FleetError::invalid_input(format!("there is nothing to answer with the ID `{id}`"))
        .help("`pintle-fleet asks list` lists the calls that wait for an answer, with their IDs")
}

/// The line of an ask: its ID, time, machine, call and state.
fn render_ask(ask: &AskEntry) -> String {
    let (id, time, machine) = (&ask.id, &ask.asked_at, single_line(&ask.machine, NAME_CHARS));
    let arguments = arguments_text(&ask.call);
    let tool = ask.tool.as_ref().map(|tool| format!("{}: ", single_line(tool, NAME_CHARS))).unwrap_or_default();
    let cut = if arguments.chars().count() > LONG_CHARS { "  (`asks show` shows all)" } else { "" };
    let call = single_line(&arguments, LONG_CHARS);
    let state = ask.answer.as_ref().map_or_else(|| ask.state.clone(), answer_text);
    format!("{id}  {time} UTC  {machine}  {state}  {tool}{call}{cut}")
}

/// The arguments of a call in one line: all of the event if they are not found.
fn arguments_text(call: &str) -> String {
    let event: Value = serde_json::from_str(call).unwrap_or_default();
    let found = ARGUMENTS.iter().find_map(|pointer| event.pointer(pointer));
    found.map_or_else(
        || call.to_owned(),
        |arguments| arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned),
    )
}

/// Who answered what, when and why.
fn answer_text(answer: &StoredAnswer) -> String {
    let word = if answer.is_allowed { "allowed" } else { "denied" };
    let reason = answer.reason.as_ref().map(|reason| format!(" ({})", single_line(reason, LONG_CHARS)));
    let (by, at, reason) = (single_line(&answer.by, NAME_CHARS), &answer.at, reason.unwrap_or_default());
    let unused = if answer.is_used { "" } else { ", not used yet" };
    format!("{word} by {by} at {at} UTC{reason}{unused}")
}

/// The ask for other programs.
fn ask_to_json(ask: &AskEntry) -> Value {
    let answer = ask.answer.as_ref().map(|answer| {
        json!({
            "is_allowed": answer.is_allowed, "by": answer.by, "at": answer.at, "reason": answer.reason, "is_used": answer.is_used
        })
    });
    json!({
        "id": ask.id.to_string(), "machine": ask.machine, "asked_at": ask.asked_at, "state": ask.state, "tool": ask.tool,
        "session": ask.session, "call": ask.call, "digest": ask.digest, "answer": answer
    })
}
