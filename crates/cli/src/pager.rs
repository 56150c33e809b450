//! The pager: output that is longer than the screen is shown by another program, page by page.

use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use pintle_bridge::find_agent_behind;

use crate::render::wrap::text_width;
use crate::terminal::screen_size;

/// The variables that name a pager, the first one that is set counts.
const VARIABLES: [&str; 2] = ["PINTLE_PAGER", "PAGER"];
/// The options of `less`: leave if one screen is enough, show colours, and leave the text on the screen.
const LESS_OPTIONS: &str = "FRX";

/// Where the output of a command goes that may be longer than the screen.
#[derive(Debug)]
pub(crate) enum PagedOutput {
    /// It may still fit on the screen.
    Held(HeldOutput),
    /// A pager shows it.
    Paged {
        child: Child,
        /// What is for standard error, which the screen has no place for before the pager has ended.
        errors: Vec<OutputPiece>,
        /// Whether the user left the pager before the end of the output.
        is_left: bool,
    },
}

/// Output of at most one screen, not yet written.
#[derive(Debug)]
pub(crate) struct HeldOutput {
    pager: Vec<String>,
    columns: usize,
    /// The rows that are left on the screen.
    rows_left: usize,
    pieces: Vec<OutputPiece>,
}

/// A piece of output.
#[derive(Debug)]
pub(crate) struct OutputPiece {
    pub(crate) is_error: bool,
    pub(crate) text: String,
}

impl PagedOutput {
    /// Returns the output for a command whose output may be paged; `None` where that is not wanted.
    ///
    /// The environment of an agent may be a project's choice, and so the pager is started for a user on a terminal only.
    pub(crate) fn from_environment() -> Option<Self> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()) {
            return None;
        }
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        if is_set("CI") || is_dumb || find_agent_behind().is_some() {
            return None;
        }
        let pager = choose_pager(VARIABLES.iter().find_map(|name| std::env::var(name).ok()).as_deref())?;
        let (columns, rows) = screen_size()?;
        // The next prompt takes a row, too.
        Some(Self::Held(HeldOutput { pager, columns, rows_left: rows.saturating_sub(1), pieces: Vec::new() }))
    }
}

impl PagedOutput {
    /// Adds text for standard output, which starts the pager when the screen is full. If that does not start, returns all
    /// that was held.
    pub(crate) fn add(mut self, text: String) -> Result<Self, Vec<OutputPiece>> {
        match self {
            Self::Held(mut held) => match held.push(text) {
                true => Ok(Self::Held(held)),
                false => held.start(),
            },
            Self::Paged { .. } => {
                self.write(&text);
                Ok(self)
            }
        }
    }

    /// Adds text for standard error.
    pub(crate) fn add_error(&mut self, text: String) {
        let (Self::Held(HeldOutput { pieces, .. }) | Self::Paged { errors: pieces, .. }) = self;
        pieces.push(OutputPiece { is_error: true, text });
    }

    /// Whether the user left the pager, so that nothing more is shown.
    pub(crate) fn is_left(&self) -> bool {
        matches!(self, Self::Paged { is_left: true, .. })
    }

    /// Ends the output: waits until the user leaves the pager. Returns what is yet to be written.
    pub(crate) fn finish(self) -> Vec<OutputPiece> {
        match self {
            Self::Held(held) => held.pieces,
            Self::Paged { mut child, errors, .. } => {
                drop(child.stdin.take());
                let _ = child.wait();
                errors
            }
        }
    }

    fn write(&mut self, text: &str) {
        if let Self::Paged { child, is_left, .. } = self
            && let Some(stdin) = &mut child.stdin
        {
            *is_left |= stdin.write_all(text.as_bytes()).is_err();
        }
    }
}

impl HeldOutput {
    /// Holds a piece for standard output. Returns whether all of it still fits on the screen.
    fn push(&mut self, text: String) -> bool {
        let rows: usize = text.lines().map(|line| text_width(line).div_ceil(self.columns).max(1)).sum();
        self.pieces.push(OutputPiece { is_error: false, text });
        let fits = rows <= self.rows_left;
        self.rows_left = self.rows_left.saturating_sub(rows);
        fits
    }

    /// Starts the pager with what is held.
    fn start(self) -> Result<PagedOutput, Vec<OutputPiece>> {
        let Some((program, arguments)) = self.pager.split_first() else { return Err(self.pieces) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", LESS_OPTIONS);
        }
        let Ok(child) = command.spawn() else { return Err(self.pieces) };
        outlive_interrupts();
        let (errors, texts): (Vec<_>, Vec<_>) = self.pieces.into_iter().partition(|piece| piece.is_error);
        let mut output = PagedOutput::Paged { child, errors, is_left: false };
        texts.iter().for_each(|piece| output.write(&piece.text));
        Ok(output)
    }
}

/// The pager with its arguments; `None` if the user wants none.
fn choose_pager(variable: Option<&str>) -> Option<Vec<String>> {
    let words = match variable {
        Some(line) => shlex::split(line)?,
        None => vec![String::from("less"), format!("-{LESS_OPTIONS}")],
    };
    words.first().is_some_and(|program| program != "cat").then_some(words)
}

/// Lets Ctrl-C be for the pager, which shares the terminal: it must not be left alone there.
fn outlive_interrupts() {
    let watch = || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async { while tokio::signal::ctrl_c().await.is_ok() {} });
    };
    // Without the thread Ctrl-C ends the program as usual.
    let _ = thread::Builder::new().name(String::from("interrupt")).spawn(watch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_is_chosen_and_turned_off() {
        let cases: [(Option<&str>, &[&str]); 6] = [
            (None, &["less", "-FRX"]),
            (Some("more"), &["more"]),
            (Some("bat -p 'a b'"), &["bat", "-p", "a b"]),
            (Some(""), &[]),
            (Some("cat"), &[]),
            (Some("it's"), &[]),
        ];
        for (variable, words) in cases {
            assert_eq!(choose_pager(variable).unwrap_or_default(), words, "{variable:?}");
        }
    }

    #[test]
    fn long_lines_take_several_rows() {
        let mut held = HeldOutput { pager: Vec::new(), columns: 10, rows_left: 3, pieces: Vec::new() };
        assert!(held.push(String::from("\u{1b}[31m0123456789\u{1b}[0m\n")));
        assert!(held.push(String::from("01234567890\n")));
        assert!(!held.push(String::from("\n")));
    }
}
