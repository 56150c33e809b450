//! Standard input of a conversation.

use std::io;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::OnceLock;
use std::thread;

use parking_lot::{Condvar, Mutex, MutexGuard};
use pintle_agent::Inbox;

#[cfg(unix)]
use super::line_editor::{LineEditor, wait_for_typed_line};
use super::live_display::LiveDisplay;
use crate::terminal::Terminal;

/// What the user types a prompt after.
const PROMPT: &str = "> ";

/// The result of waiting for a line.
#[derive(Debug)]
pub(super) enum InputLine {
    /// A line, with its line break.
    Line(String),
    /// The user closed the input.
    End,
    /// The user pressed Ctrl-C instead.
    Interrupted,
}

/// Standard input, read on a thread of its own, so that a Ctrl-C can end the wait for a line. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct StdinReader(Arc<StdinShared>);

#[derive(Debug, Default)]
struct StdinShared {
    state: Mutex<StdinState>,
    changed: Condvar,
    /// Reads the prompts of a conversation, if they can be edited.
    #[cfg(unix)]
    editor: OnceLock<LineEditor>,
}

#[derive(Debug, Default)]
struct StdinState {
    /// Whether a thread waits for a line. After an interruption it keeps waiting, and its line answers the next prompt.
    is_reading: bool,
    /// Whether that thread edits the line.
    #[cfg(unix)]
    is_editing: bool,
    /// Closed to end a thread that waits for a line which is not edited.
    #[cfg(unix)]
    stop: Option<UnixStream>,
    line: Option<io::Result<String>>,
    is_line_expected: bool,
    is_interrupted: bool,
    /// Receives lines that are not expected, while the agent is running.
    inbox: Option<(Inbox, Arc<LiveDisplay>)>,
}

impl StdinReader {
    /// Lets the user edit the prompts of a conversation, where that is possible, and go back to those of earlier ones.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "consoles of Windows edit lines themselves"))]
    pub(super) fn edit_prompts(&self, state_dir: Option<&Path>) {
        #[cfg(unix)]
        if let Some(editor) = LineEditor::open(state_dir) {
            // Called once a session.
            let _ = self.0.editor.set(editor);
        }
    }

    /// Shows the prompt and waits for the user's line.
    pub(super) fn read_prompt(&self, terminal: &Terminal) -> io::Result<InputLine> {
        #[cfg(unix)]
        if self.0.editor.get().is_some() {
            return self.edit_line();
        }
        self.expect_line();
        terminal.print_piece(PROMPT);
        let line = self.wait_for_line();
        if !matches!(line, Ok(InputLine::Line(_))) {
            terminal.print_line("");
        }
        line
    }

    #[cfg(unix)]
    fn edit_line(&self) -> io::Result<InputLine> {
        self.expect_line();
        let mut state = self.0.state.lock();
        state.stop = None;
        self.0.changed.wait_while(&mut state, |state| state.is_reading && !state.is_editing);
        // Otherwise it was typed before the agent was done.
        if state.line.is_none() && !state.is_reading {
            let shared = self.clone();
            thread::Builder::new().name(String::from("input")).spawn(move || shared.read_edited_line())?;
            (state.is_reading, state.is_editing) = (true, true);
        }
        self.take_line(&mut state)
    }

    #[cfg(unix)]
    fn read_edited_line(&self) {
        let Some(editor) = self.0.editor.get() else { return };
        let read = editor.read_line(PROMPT);
        let mut state = self.0.state.lock();
        (state.is_reading, state.is_editing) = (false, false);
        match read {
            Ok(InputLine::Line(line)) => state.line = Some(Ok(line + "\n")),
            Ok(InputLine::End) => state.line = Some(Ok(String::new())),
            Ok(InputLine::Interrupted) => state.is_interrupted = true,
            Err(error) => state.line = Some(Err(error)),
        }
        self.0.changed.notify_all();
    }

    /// Makes the terminal as it was, before the program ends while a line is edited.
    pub(super) fn release_terminal(&self) {
        #[cfg(unix)]
        if let Some(editor) = self.0.editor.get().filter(|_| self.0.state.lock().is_editing) {
            editor.release_terminal();
        }
    }

    /// Announces that the next line, or a Ctrl-C, answers the prompt that is about to be shown, however early it comes.
    pub(super) fn expect_line(&self) {
        let mut state = self.0.state.lock();
        state.is_line_expected = true;
        state.is_interrupted = false;
    }

    /// Waits for the line that `expect_line` announced.
    pub(super) fn wait_for_line(&self) -> io::Result<InputLine> {
        let mut state = self.0.state.lock();
        self.begin_reading(&mut state)?;
        self.take_line(&mut state)
    }

    fn take_line(&self, guard: &mut MutexGuard<'_, StdinState>) -> io::Result<InputLine> {
        let is_waiting = |state: &mut StdinState| state.line.is_none() && !state.is_interrupted;
        self.0.changed.wait_while(guard, is_waiting);
        guard.is_line_expected = false;
        let line = guard.line.take();
        if guard.inbox.is_some() && matches!(&line, Some(Ok(line)) if !line.is_empty()) {
            // The prompt is answered and the agent continues, so what is typed next is for the agent.
            self.begin_reading(guard)?;
        }
        match line {
            None => Ok(InputLine::Interrupted),
            Some(Err(error)) => Err(error),
            Some(Ok(line)) if line.is_empty() => Ok(InputLine::End),
            Some(Ok(line)) => Ok(InputLine::Line(line)),
        }
    }

    /// Sends lines that are not expected to the running agent, as long as the guard lives.
    pub(super) fn steer(&self, inbox: Inbox, live: Arc<LiveDisplay>) -> SteeringGuard<'_> {
        let mut state = self.0.state.lock();
        state.inbox = Some((inbox, live));
        // If the thread cannot start, lines are not read until the next wait, which reports the error.
        let _ = self.begin_reading(&mut state);
        SteeringGuard(self)
    }

    fn begin_reading(&self, state: &mut StdinState) -> io::Result<()> {
        if !state.is_reading && state.line.is_none() {
            let shared = self.clone();
            #[cfg(unix)]
            let stopped = {
                let (stop, stopped) = UnixStream::pair()?;
                state.stop = Some(stop);
                stopped
            };
            let read_lines = move || {
                #[cfg(unix)]
                return shared.read_lines(|| wait_for_typed_line(&stopped));
                #[cfg(not(unix))]
                shared.read_lines(|| true);
            };
            thread::Builder::new().name(String::from("input")).spawn(read_lines)?;
            state.is_reading = true;
        }
        Ok(())
    }

    /// Ends the wait for a line. Returns whether one was expected.
    pub(super) fn interrupt(&self) -> bool {
        let mut state = self.0.state.lock();
        state.is_interrupted = true;
        self.0.changed.notify_all();
        state.is_line_expected
    }

    /// Reads lines until there is one that is not sent to the running agent, or until `wait_for_line` finds that none is
    /// wanted any longer.
    fn read_lines(&self, wait_for_line: impl Fn() -> bool) {
        loop {
            if !wait_for_line() {
                self.0.state.lock().is_reading = false;
                self.0.changed.notify_all();
                return;
            }
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line).map(|_| line);
            let mut state = self.0.state.lock();
            let steered = read.as_ref().ok().map(|line| line.trim()).filter(|line| !line.is_empty());
            if let (false, Some((inbox, live)), Some(words)) = (state.is_line_expected, &state.inbox, steered) {
                inbox.steer(words);
                live.show_queued();
                continue;
            }
            state.is_reading = false;
            state.line = Some(read);
            self.0.changed.notify_all();
            return;
        }
    }
}

/// Stops sending lines to the running agent on drop.
pub(super) struct SteeringGuard<'a>(&'a StdinReader);

impl Drop for SteeringGuard<'_> {
    fn drop(&mut self) {
        self.0.0.state.lock().inbox = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The prompt is shown between the two, so the user may be as fast as this.
    #[test]
    fn a_ctrl_c_counts_from_the_moment_that_a_line_is_expected() {
        let input = StdinReader::default();
        assert!(!input.interrupt(), "no line is expected yet");
        input.expect_line();
        assert!(input.interrupt());
        assert!(matches!(input.wait_for_line().unwrap(), InputLine::Interrupted));
        assert!(!input.interrupt(), "it was answered");
    }
}
