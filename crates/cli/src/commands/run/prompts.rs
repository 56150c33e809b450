//! What the agent is told, turn by turn.

use std::io::{self, IsTerminal, Read};

use pintle_agent::Session;

use super::input::{Input, Typed};
use super::live::Live;
use super::place::STDIN;
use super::taken_up::Before;
use crate::fault::Fault;
use crate::terminal::Terminal;

/// Where the prompts come from.
#[derive(Debug)]
pub(super) struct Prompts {
    from: Supply,
    /// Whether a turn that was cut off comes before them.
    goes_on: bool,
}

#[derive(Debug)]
enum Supply {
    /// They are all known.
    Given(std::vec::IntoIter<String>),
    /// A person types them, or the names of prompts that the agent's file declares.
    Conversation { input: Input, commands: Vec<(String, String)> },
}

impl Prompts {
    /// The prompts that were typed behind the command, else those of the script, else a conversation when there is a person
    /// to have one with, else all of standard input.
    ///
    /// `commands` are named prompts: `/name` stands for one. A session that goes on, `before`, has heard some of its script's
    /// prompts already; a turn of it that was cut off comes first, unless a prompt was typed. The steps of a persona are not
    /// gone on with, and its script has no prompts.
    pub(super) fn find(
        typed: Vec<String>,
        scripted: Vec<String>,
        commands: Vec<(String, String)>,
        input: &Input,
        before: Option<&Before>,
    ) -> Result<Self, Fault> {
        let given = |prompts: Vec<String>| Supply::Given(prompts.into_iter());
        if !typed.is_empty() {
            let prompt = |typed: String| match typed == STDIN {
                true => read_all().map(|text| text.unwrap_or_default()),
                false => Ok(named(&commands, &typed).unwrap_or(typed)),
            };
            if typed.iter().filter(|typed| *typed == STDIN).count() > 1 {
                return Err(Fault::invalid("`-` stands twice").help("standard input can be read once; leave one out"));
            }
            let prompts = typed.into_iter().map(prompt).collect::<Result<Vec<_>, _>>()?;
            if prompts.iter().any(|prompt| prompt.trim().is_empty()) {
                return Err(Fault::invalid("a prompt is empty").help("leave it out, or say what to tell the agent"));
            }
            return Ok(Self { from: given(prompts), goes_on: false });
        }
        let goes_on = is_cut_off(before);
        let left = left(&scripted, before);
        if !left.is_empty() {
            return Ok(Self { from: given(left), goes_on });
        }
        if io::stdin().is_terminal() && io::stdout().is_terminal() && scripted.is_empty() {
            return Ok(Self { from: Supply::Conversation { input: input.clone(), commands }, goes_on });
        }
        if goes_on {
            return Ok(Self { from: given(Vec::new()), goes_on });
        }
        let nothing = || match before {
            None => {
                Fault::invalid("there is nothing to tell the agent").help("put the prompt behind the agent's folder")
            }
            Some(Before { named, persona: Some(persona), .. }) => {
                let fault = format!("session `{named}` ran the steps of persona `{persona}`, which are not gone on with");
                let anew = format!("run them anew with `pintle run --resume {named} --persona {persona}`");
                Fault::invalid(fault).help(format!("{anew}, or say what comes next"))
            }
            Some(Before { named, .. }) => Fault::invalid(format!("session `{named}` has nothing left to do"))
                .help(format!("say what comes next: `pintle run --resume {named} \"...\"`")),
        };
        if io::stdin().is_terminal() {
            return Err(nothing());
        }
        match read_all()? {
            Some(text) => Ok(Self { from: given(vec![text]), goes_on }),
            None => Err(nothing()),
        }
    }

    /// The prompts of an agent that waits for more afterwards: what was typed behind the command, else those of the
    /// script, else none.
    pub(super) fn known(
        typed: Vec<String>,
        scripted: Vec<String>,
        commands: &[(String, String)],
        before: Option<&Before>,
    ) -> Self {
        let goes_on = typed.is_empty() && is_cut_off(before);
        let prompts = match typed.is_empty() {
            true => left(&scripted, before),
            false => typed.into_iter().map(|prompt| named(commands, &prompt).unwrap_or(prompt)).collect(),
        };
        Self { from: Supply::Given(prompts.into_iter()), goes_on }
    }

    pub(super) fn is_conversation(&self) -> bool {
        matches!(self.from, Supply::Conversation { .. })
    }

    /// Whether a turn that was cut off is to be gone on with first.
    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// The next prompt; `None` ends the session.
    pub(super) fn next(
        &mut self,
        session: &mut Session,
        live: &Live,
        terminal: &Terminal,
    ) -> Result<Option<String>, Fault> {
        match &mut self.from {
            Supply::Given(prompts) => Ok(prompts.next()),
            Supply::Conversation { input, commands } => converse(session, input, commands, (live, terminal)),
        }
    }
}

/// Reads what the person types, and answers what is for the program itself.
fn converse(
    session: &mut Session,
    input: &Input,
    commands: &[(String, String)],
    (live, terminal): (&Live, &Terminal),
) -> Result<Option<String>, Fault> {
    let mut interruptions = 0;
    loop {
        live.settle();
        input.expect();
        terminal.out_piece("> ");
        let typed = input.line().map_err(|fault| Fault::failed(format!("cannot read from the terminal: {fault}")))?;
        let line = match typed {
            Typed::Line(line) => line,
            Typed::Interrupted if interruptions == 0 && !session.cancel().is_cancelled() => {
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
        let words = line.trim();
        if let Some(prompt) = named(commands, words) {
            return Ok(Some(prompt));
        }
        match words.split_once(char::is_whitespace).unwrap_or((words, "")) {
            ("", _) => {}
            ("/quit" | "/exit", "") => return Ok(None),
            ("/tools", "") => terminal.out(session.tools().join("\n")),
            ("/agent", "") => terminal.out(session.agent()),
            ("/clear", "") => match session.clear() {
                Ok(()) => {
                    live.settle();
                    terminal.out("the conversation is forgotten");
                }
                Err(fault) => terminal.err(fault.message),
            },
            ("/compact", wishes) => compact(session, wishes.trim(), terminal),
            ("/help", "") => help(commands, terminal),
            (other, "") if other.starts_with('/') && !other.get(1..).is_some_and(|rest| rest.contains('/')) => {
                terminal.out(format!("unknown command `{other}`; /help lists them"));
            }
            _ => return Ok(Some(words.to_owned())),
        }
    }
}

/// All of standard input; `None` when there are no words in it.
fn read_all() -> Result<Option<String>, Fault> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|fault| Fault::failed(format!("cannot read the prompt from standard input: {fault}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Fault::invalid("the prompt on standard input is not UTF-8"))?;
    Ok(Some(text.trim_end().to_owned()).filter(|text| !text.trim().is_empty()))
}

fn is_cut_off(before: Option<&Before>) -> bool {
    before.is_some_and(|before| before.past.interrupted_turn.is_some())
}

/// The prompts of a script that were not heard yet.
fn left(scripted: &[String], before: Option<&Before>) -> Vec<String> {
    match before {
        Some(Before { persona: Some(_), .. }) => Vec::new(),
        Some(Before { past, .. }) => scripted.iter().skip(past.prompts).cloned().collect(),
        None => scripted.to_vec(),
    }
}

/// The prompt that a line names, with whatever stands behind the name.
fn named(commands: &[(String, String)], line: &str) -> Option<String> {
    let line = line.strip_prefix('/')?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (_, prompt) = commands.iter().find(|(known, _)| known == name)?;
    Some(format!("{} {}", prompt.trim_end(), rest.trim()).trim_end().to_owned())
}

/// Sums the conversation up. `wishes` say what is to be kept.
fn compact(session: &mut Session, wishes: &str, terminal: &Terminal) {
    match session.compact(Some(wishes).filter(|wishes| !wishes.is_empty())) {
        // What came of it was told as it happened.
        Ok(_) => {}
        Err(fault) => terminal.err(fault.message),
    }
}

fn help(commands: &[(String, String)], terminal: &Terminal) {
    terminal.out("/tools lists the tools, /agent says who answers, /compact [WORDS] sums the conversation up,");
    terminal.out("/clear forgets it, /quit ends the session; what you type while the agent works is told to it");
    if !commands.is_empty() {
        let names: Vec<String> = commands.iter().map(|(name, _)| format!("/{name}")).collect();
        terminal.out(format!("prompts of this agent: {}", names.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_prompt_takes_what_stands_behind_its_name() {
        let commands = [("fix".to_owned(), "Fix the lint.\n".to_owned())];
        let cases = [
            ("/fix", Some("Fix the lint.")),
            ("/fix in src  ", Some("Fix the lint. in src")),
            ("/fixed", None),
            ("fix", None),
            ("/", None),
        ];
        for (line, wanted) in cases {
            assert_eq!(named(&commands, line).as_deref(), wanted, "{line}");
        }
    }
}
