//! The commands that a user gives between prompts, such as `/compact`, with a terminal and without one.

use pintle_agent::Session;

use super::live_display::LiveDisplay;
use crate::terminal::Terminal;

/// A command that acts on the session.
enum SessionCommand<'a> {
    Agent,
    Clear,
    /// With what the summary is to keep.
    Compact(&'a str),
    Tools,
}

impl<'a> SessionCommand<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim();
        match line.split_once(char::is_whitespace).unwrap_or((line, "")) {
            ("/agent", "") => Some(Self::Agent),
            ("/clear", "") => Some(Self::Clear),
            ("/compact", wishes) if !wishes.contains('\n') => Some(Self::Compact(wishes.trim())),
            ("/tools", "") => Some(Self::Tools),
            _ => None,
        }
    }
}

/// Whether a line is a command to the session and not a prompt.
pub(super) fn is_command(line: &str) -> bool {
    SessionCommand::parse(line).is_some()
}

/// Runs a line if it is a command to the session. Returns whether it was one.
pub(super) fn run(session: &mut Session, line: &str, live: &LiveDisplay, terminal: &Terminal) -> bool {
    let Some(command) = SessionCommand::parse(line) else { return false };
    let ended = match command {
        SessionCommand::Agent => {
            terminal.print_line(session.agent());
            Ok(())
        }
        SessionCommand::Tools => {
            terminal.print_line(session.tools().join("\n"));
            Ok(())
        }
        SessionCommand::Clear => session.clear().inspect(|()| {
            live.finish_line();
            terminal.print_note("the conversation is cleared");
        }),
        // The result was shown as it happened.
        SessionCommand::Compact(wishes) => session.compact(Some(wishes).filter(|wishes| !wishes.is_empty())).map(drop),
    };
    if let Err(error) = ended {
        terminal.print_error_line(error.message);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_commands_are_commands() {
        for line in ["/compact", "/compact keep names", " /clear ", "/agent", "/tools"] {
            assert!(is_command(line), "{line}");
        }
        for line in ["compact", "/compacted", "/clear all", "/agents", "/etc/passwd", "/fix", "", "/compact a\nb"] {
            assert!(!is_command(line), "{line}");
        }
    }
}
