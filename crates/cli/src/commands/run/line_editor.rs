//! The editor of the lines that a user types in a conversation, and what they typed before.

use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use pintle_host::Redactor;
use pintle_host::files;
use pintle_host::secrets::SecretScanner;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::input::InputLine;

/// The name of the file with earlier lines in the user's state directory: a JSON string for each, the newest last.
const FILE: &str = "run_history.jsonl";
/// Most lines that are kept, and most bytes of one.
const MOST_LINES: usize = 1_000;
const MOST_BYTES: usize = 4_096;
/// Ends the mode in which a terminal marks pasted text.
const NO_PASTE_MARKS: &str = "\u{1b}[?2004l";

/// Reads lines from a terminal, which can be edited, and keeps them.
#[derive(Debug)]
pub(super) struct LineEditor {
    editor: Mutex<Editor<(), MemHistory>>,
    /// The terminal as it was.
    terminal_mode: Termios,
    history_path: Option<PathBuf>,
}

impl LineEditor {
    /// Opens the editor, if standard input and output are terminals. Earlier lines are in the state directory, which no
    /// project has a say in.
    pub(super) fn open(state_dir: Option<&Path>) -> Option<Self> {
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return None;
        }
        let terminal_mode = tcgetattr(io::stdin()).ok()?;
        let config = Config::builder().history_ignore_space(true).max_history_size(MOST_LINES).ok()?.build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).ok()?;
        let history_path = state_dir.map(|dir| dir.join(FILE));
        for line in history_path.as_deref().map(read_history).unwrap_or_default() {
            let _ = editor.add_history_entry(line);
        }
        Some(Self { editor: Mutex::new(editor), terminal_mode, history_path })
    }

    /// Reads a line after a prompt. Ctrl-C and Ctrl-D are keys here, and no signals.
    pub(super) fn read_line(&self, prompt: &str) -> io::Result<InputLine> {
        let mut editor = self.editor.lock();
        match editor.readline(prompt) {
            Ok(line) => {
                self.remember_line(&mut editor, &line);
                Ok(InputLine::Line(line))
            }
            Err(ReadlineError::Eof) => Ok(InputLine::End),
            Err(ReadlineError::Interrupted) => Ok(InputLine::Interrupted),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Keeps a line without its secrets. A line that starts with a space is not kept, as in a shell.
    fn remember_line(&self, editor: &mut Editor<(), MemHistory>, line: &str) {
        let line = SecretScanner::process_wide().redact(line).unwrap_or_else(|| line.to_owned());
        if line.len() > MOST_BYTES || !editor.add_history_entry(&line).unwrap_or(false) {
            return;
        }
        let Some(path) = &self.history_path else { return };
        // Another session may have added lines.
        let mut lines = read_history(path);
        lines.push(line);
        let kept = lines.iter().skip(lines.len().saturating_sub(MOST_LINES));
        let text: String = kept.map(|line| format!("{}\n", serde_json::Value::from(line.as_str()))).collect();
        let made = path.parent().map_or(Ok(()), |dir| files::private_dir_builder().recursive(true).create(dir));
        // A line that cannot be kept is no reason to end the conversation.
        let _ = made.and_then(|()| files::replace_private_file(path, |file| file.write_all(text.as_bytes())));
    }

    /// Makes the terminal as it was while a line is still read, since the program is about to end.
    pub(super) fn release_terminal(&self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.terminal_mode);
        let mut out = io::stdout();
        let _ = out.write_all(NO_PASTE_MARKS.as_bytes()).and_then(|()| out.flush());
    }
}

/// Waits until a whole line was typed. Returns whether there is one; otherwise the other side of `stop` was closed.
pub(super) fn wait_for_typed_line(stop: &UnixStream) -> bool {
    let stdin = io::stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
    loop {
        match poll(&mut waited, None) {
            Err(rustix::io::Errno::INTR) => {}
            // Reading reports what is wrong.
            Err(_) => return true,
            Ok(_) => return waited.first().is_some_and(|stdin| !stdin.revents().is_empty()),
        }
    }
}

/// The lines of the file, oldest first. What is damaged is left out.
fn read_history(path: &Path) -> Vec<String> {
    let text = files::read_text(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
