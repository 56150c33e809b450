//! The prompts of a run.

use std::io::{self, IsTerminal, Read};

use pintle_agent::Session;

use super::commands;
use super::input::{InputLine, StdinReader};
use super::live_display::LiveDisplay;
use super::resume::ResumedFrom;
use super::target::STDIN;
use crate::error::CliError;
use crate::terminal::Terminal;

/// Where the prompts come from.
#[derive(Debug)]
pub(super) struct PromptSource {
    supply: PromptSupply,
    /// Whether an interrupted turn is continued first.
    continues_turn: bool,
}

#[derive(Debug)]
enum PromptSupply {
    /// A fixed list.
    Known(std::vec::IntoIter<String>),
    /// The user types them, or the names of prompts that the agent's file declares.
    Conversation { input: StdinReader, named: Vec<(String, String)> },
}

impl PromptSource {
    /// Returns the prompts on the command line, otherwise those of the script, otherwise a conversation if there is a
    /// terminal, otherwise all of standard input.
    ///
    /// `commands` are named prompts, typed as `/name`. A resumed session, `before`, has received some of its script's
    /// prompts already; its interrupted turn is continued first, unless a prompt was typed. The steps of a persona
    /// cannot be continued, and its script has no prompts.
    pub(super) fn find(
        typed: Vec<String>,
        scripted: Vec<String>,
        commands: Vec<(String, String)>,
        input: &StdinReader,
        before: Option<&ResumedFrom>,
    ) -> Result<Self, CliError> {
        let given = |prompts: Vec<String>| PromptSupply::Known(prompts.into_iter());
        if !typed.is_empty() {
            let prompt = |typed: String| match typed == STDIN {
                true => read_all_stdin().map(|text| text.unwrap_or_default()),
                false => Ok(find_named_prompt(&commands, &typed).unwrap_or(typed)),
            };
            if typed.iter().filter(|typed| *typed == STDIN).count() > 1 {
                return Err(CliError::invalid_input("`-` is given more than once")
                    .help("remove one; standard input can be read once"));
            }
            let prompts = typed.into_iter().map(prompt).collect::<Result<Vec<_>, _>>()?;
            if prompts.iter().any(|prompt| prompt.trim().is_empty()) {
                return Err(
                    CliError::invalid_input("a prompt is empty").help("remove it, or write what the agent is to do")
                );
            }
            return Ok(Self { supply: given(prompts), continues_turn: false });
        }
        let goes_on = has_interrupted_turn(before);
        let left = remaining_prompts(&scripted, before);
        if !left.is_empty() {
            return Ok(Self { supply: given(left), continues_turn: goes_on });
        }
        if io::stdin().is_terminal() && io::stdout().is_terminal() && scripted.is_empty() {
            return Ok(Self {
                supply: PromptSupply::Conversation { input: input.clone(), named: commands },
                continues_turn: goes_on,
            });
        }
        if goes_on {
            return Ok(Self { supply: given(Vec::new()), continues_turn: goes_on });
        }
        let nothing = || match before {
            None => CliError::invalid_input("no prompt given").help("write the prompt after the agent's directory"),
            Some(ResumedFrom { resume_key: named, persona: Some(persona), .. }) => {
                let error =
                    format!("session `{named}` ran the steps of persona `{persona}`, which cannot be continued");
                let anew = format!("run them again with `pintle run --resume {named} --persona {persona}`");
                CliError::invalid_input(error).help(format!("{anew}, or add a prompt"))
            }
            Some(ResumedFrom { resume_key: named, .. }) => {
                CliError::invalid_input(format!("session `{named}` has nothing left to do"))
                    .help(format!("add a prompt: `pintle run --resume {named} \"...\"`"))
            }
        };
        if io::stdin().is_terminal() {
            return Err(nothing());
        }
        match read_all_stdin()? {
            Some(text) => Ok(Self { supply: given(vec![text]), continues_turn: goes_on }),
            None => Err(nothing()),
        }
    }

    /// Returns the prompts of an agent that waits for more afterwards: those on the command line, otherwise those of
    /// the script.
    pub(super) fn for_daemon(
        typed: Vec<String>,
        scripted: Vec<String>,
        commands: &[(String, String)],
        before: Option<&ResumedFrom>,
    ) -> Self {
        let goes_on = typed.is_empty() && has_interrupted_turn(before);
        let prompts = match typed.is_empty() {
            true => remaining_prompts(&scripted, before),
            false => typed.into_iter().map(|prompt| find_named_prompt(commands, &prompt).unwrap_or(prompt)).collect(),
        };
        Self { supply: PromptSupply::Known(prompts.into_iter()), continues_turn: goes_on }
    }

    pub(super) fn is_conversation(&self) -> bool {
        matches!(self.supply, PromptSupply::Conversation { .. })
    }

    /// Whether an interrupted turn is continued first.
    pub(super) fn continues_turn(&self) -> bool {
        self.continues_turn
    }

    /// Returns the next prompt; `None` ends the session.
    pub(super) fn next_prompt(
        &mut self,
        session: &mut Session,
        live: &LiveDisplay,
        terminal: &Terminal,
    ) -> Result<Option<String>, CliError> {
        match &mut self.supply {
            PromptSupply::Known(prompts) => Ok(prompts.find(|prompt| !commands::run(session, prompt, live, terminal))),
            PromptSupply::Conversation { input, named } => read_conversation(session, input, named, (live, terminal)),
        }
    }
}

/// Reads a prompt that the user types, and handles commands to the program itself.
fn read_conversation(
    session: &mut Session,
    input: &StdinReader,
    named: &[(String, String)],
    (live, terminal): (&LiveDisplay, &Terminal),
) -> Result<Option<String>, CliError> {
    let mut interruptions = 0;
    loop {
        live.finish_line();
        let typed = input
            .read_prompt(terminal)
            .map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))?;
        let line = match typed {
            InputLine::Line(line) => line,
            InputLine::Interrupted if interruptions == 0 && !session.cancel().is_cancelled() => {
                interruptions += 1;
                terminal.print_note("Ctrl-C again or Ctrl-D ends the session");
                continue;
            }
            InputLine::End | InputLine::Interrupted => {
                input.release_terminal();
                return Ok(None);
            }
        };
        interruptions = 0;
        let words = line.trim();
        if let Some(prompt) = find_named_prompt(named, words) {
            return Ok(Some(prompt));
        }
        match words.split_once(char::is_whitespace).unwrap_or((words, "")) {
            ("", _) => {}
            ("/quit" | "/exit", "") => return Ok(None),
            _ if commands::run(session, words, live, terminal) => {}
            ("/help", "") => print_help(named, terminal),
            (other, "") if other.starts_with('/') && !other.get(1..).is_some_and(|rest| rest.contains('/')) => {
                terminal.print_line(format!("unknown command `{other}`; /help lists them"));
            }
            _ => return Ok(Some(words.to_owned())),
        }
    }
}

/// Reads all of standard input; `None` if it is blank.
fn read_all_stdin() -> Result<Option<String>, CliError> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::failure(format!("cannot read the prompt from standard input: {error}")))?;
    let text =
        String::from_utf8(bytes).map_err(|_| CliError::invalid_input("the prompt on standard input is not UTF-8"))?;
    Ok(Some(text.trim_end().to_owned()).filter(|text| !text.trim().is_empty()))
}

fn has_interrupted_turn(before: Option<&ResumedFrom>) -> bool {
    before.is_some_and(|before| before.history.interrupted_turn.is_some())
}

/// Returns the prompts of a script that the session has not received yet.
fn remaining_prompts(scripted: &[String], before: Option<&ResumedFrom>) -> Vec<String> {
    match before {
        Some(ResumedFrom { persona: Some(_), .. }) => Vec::new(),
        Some(ResumedFrom { history: past, .. }) => scripted.iter().skip(past.prompts).cloned().collect(),
        None => scripted.to_vec(),
    }
}

/// Returns the prompt that a line names, followed by the rest of the line.
fn find_named_prompt(commands: &[(String, String)], line: &str) -> Option<String> {
    let line = line.strip_prefix('/')?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let (_, prompt) = commands.iter().find(|(known, _)| known == name)?;
    Some(format!("{} {}", prompt.trim_end(), rest.trim()).trim_end().to_owned())
}

fn print_help(commands: &[(String, String)], terminal: &Terminal) {
    terminal
        .print_line("/tools lists the tools, /agent shows the agent, /compact [WORDS] summarizes the conversation,");
    terminal.print_line("/clear clears it, /quit ends the session; lines typed while the agent works are sent to it");
    if !commands.is_empty() {
        let names: Vec<String> = commands.iter().map(|(name, _)| format!("/{name}")).collect();
        terminal.print_line(format!("prompts of this agent: {}", names.join(", ")));
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
            assert_eq!(find_named_prompt(&commands, line).as_deref(), wanted, "{line}");
        }
    }
}
