//! What the agent is told, turn by turn.

use std::io::{self, IsTerminal, Read};

use pintle_agent::Session;

use super::input::{Input, Typed};
use crate::fault::Fault;
use crate::terminal::Terminal;

/// Where the prompts come from.
#[derive(Debug)]
pub(super) enum Prompts {
    /// They are all known.
    Given(std::vec::IntoIter<String>),
    /// A person types them.
    Conversation(Input),
}

impl Prompts {
    /// The prompt that was typed behind the command, else those of the script, else a conversation when there is a person
    /// to have one with, else all of standard input.
    pub(super) fn find(typed: Option<String>, scripted: Vec<String>, input: &Input) -> Result<Self, Fault> {
        if let Some(prompt) = typed {
            return Ok(Self::Given(vec![prompt].into_iter()));
        }
        if !scripted.is_empty() {
            return Ok(Self::Given(scripted.into_iter()));
        }
        let nothing = || Fault::invalid("there is nothing to tell the agent").help("put the prompt behind the agent's folder");
        if io::stdin().is_terminal() {
            return if io::stdout().is_terminal() { Ok(Self::Conversation(input.clone())) } else { Err(nothing()) };
        }
        let mut bytes = Vec::new();
        io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|fault| Fault::failed(format!("cannot read the prompt from standard input: {fault}")))?;
        let text = String::from_utf8(bytes).map_err(|_| Fault::invalid("the prompt on standard input is not UTF-8"))?;
        if text.trim().is_empty() {
            return Err(nothing());
        }
        Ok(Self::Given(vec![text.trim_end().to_owned()].into_iter()))
    }

    pub(super) fn is_conversation(&self) -> bool {
        matches!(self, Self::Conversation(_))
    }

    /// The next prompt; `None` ends the session.
    pub(super) fn next(&mut self, session: &mut Session, terminal: &Terminal) -> Result<Option<String>, Fault> {
        match self {
            Self::Given(prompts) => Ok(prompts.next()),
            Self::Conversation(input) => converse(session, input, terminal),
        }
    }
}

/// Reads what the person types, and answers what is for the program itself.
fn converse(session: &mut Session, input: &Input, terminal: &Terminal) -> Result<Option<String>, Fault> {
    let mut interruptions = 0;
    loop {
        terminal.out_piece("> ");
        let typed = input.line().map_err(|fault| Fault::failed(format!("cannot read from the terminal: {fault}")))?;
        let line = match typed {
            Typed::Line(line) => line,
            Typed::Interrupted if interruptions == 0 => {
                interruptions += 1;
                terminal.out("");
                terminal.note("Ctrl-C again or Ctrl-D ends the session");
                continue;
            }
            Typed::End | Typed::Interrupted => {
                terminal.out("");
                return Ok(None);
            }
        };
        interruptions = 0;
        match line.trim() {
            "" => {}
            "/quit" | "/exit" => return Ok(None),
            "/tools" => terminal.out(session.tools().join("\n")),
            "/clear" => {
                session.clear();
                terminal.out("the conversation is forgotten");
            }
            "/help" => terminal.out("/tools lists the tools, /clear forgets the conversation, /quit ends the session"),
            other if other.starts_with('/') && !other.contains(' ') && !other.get(1..).is_some_and(|rest| rest.contains('/')) => {
                terminal.out(format!("unknown command `{other}`; /help lists them"));
            }
            prompt => return Ok(Some(prompt.to_owned())),
        }
    }
}
