//! Standard output and standard error of the program.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use parking_lot::Mutex;
use pintle_host::tape::show::{StyledLine, Tone};
use serde::Serialize;
use terminal_size::{Height, Width};

use crate::error::CliError;
use crate::options::ColorMode;
use crate::pager::{OutputPiece, PagedOutput};
use crate::render::{style, wrap};

/// Erases the rest of a terminal's line, also where colours are off.
const ERASE_REST: &str = "\u{1b}[K";

/// Writes to standard output and standard error, and strips colours where they are off. Clones share the streams.
#[derive(Debug, Clone)]
pub(crate) struct Terminal(Arc<OutputStreams>);

#[derive(Debug)]
struct OutputStreams {
    out: Mutex<AutoStream<io::Stdout>>,
    err: Mutex<AutoStream<io::Stderr>>,
    /// Whether the last line of the screen is a status, which the next output replaces. Held while something is written.
    has_status: Mutex<bool>,
    /// Where the output goes instead, if it may be longer than the screen.
    paged: Mutex<Option<PagedOutput>>,
    /// Whether a write to standard output failed, so that nothing more is written. With `| head` this is not an error.
    is_closed: AtomicBool,
    /// The first write error of standard output, other than a broken pipe.
    write_error: Mutex<Option<io::Error>>,
}

impl Terminal {
    pub(crate) fn new(color: ColorMode) -> Self {
        let choice = match color {
            ColorMode::Auto => ColorChoice::Auto,
            ColorMode::Always => ColorChoice::Always,
            ColorMode::Never => ColorChoice::Never,
        };
        Self(Arc::new(OutputStreams {
            out: Mutex::new(AutoStream::new(io::stdout(), choice)),
            err: Mutex::new(AutoStream::new(io::stderr(), choice)),
            has_status: Mutex::new(false),
            paged: Mutex::new(None),
            is_closed: AtomicBool::new(false),
            write_error: Mutex::new(None),
        }))
    }

    /// Lets a pager show what is written from now on, if it is longer than the screen and the user has one.
    pub(crate) fn page(&self) {
        *self.0.paged.lock() = PagedOutput::from_environment();
    }

    /// Writes what is held, or waits until the user leaves the pager.
    pub(crate) fn finish_paging(&self) {
        let paged = self.0.paged.lock().take();
        self.write_pieces(paged.map(PagedOutput::finish).unwrap_or_default());
    }

    fn write_pieces(&self, pieces: Vec<OutputPiece>) {
        for OutputPiece { is_error, text } in pieces {
            if is_error { self.print_error_piece(text) } else { self.write(format_args!("{text}")) }
        }
    }

    /// Writes a line to standard output. What is wider than the screen breaks between words.
    pub(crate) fn print_line(&self, text: impl Display) {
        match screen_columns() {
            Some(columns) => self.print_exact_line(wrap::fit_lines(&text.to_string(), columns)),
            None => self.print_exact_line(text),
        }
    }

    /// Writes a line to standard output as it is: data and source text, which may be copied.
    pub(crate) fn print_exact_line(&self, text: impl Display) {
        self.write(format_args!("{text}\n"));
    }

    /// Writes to standard output without a line break, and flushes.
    pub(crate) fn print_piece(&self, text: impl Display) {
        self.finish_paging();
        self.write(format_args!("{text}"));
    }

    /// Writes lines with their tones to standard output.
    pub(crate) fn print_lines(&self, lines: &[StyledLine]) {
        for line in lines {
            self.print_line(style::paint_line(line));
        }
    }

    /// Writes a value as one line of JSON to standard output.
    pub(crate) fn print_json(&self, value: &impl Serialize) {
        // Values printed here have text keys, so serialization cannot fail.
        self.print_exact_line(serde_json::to_string(value).unwrap_or_default());
    }

    /// Writes a line to standard error. What is wider than the screen breaks between words.
    pub(crate) fn print_error_line(&self, text: impl Display) {
        let text =
            error_columns().map_or_else(|| text.to_string(), |columns| wrap::fit_lines(&text.to_string(), columns));
        if let Some(output) = self.0.paged.lock().as_mut() {
            return output.add_error(text + "\n");
        }
        let mut has_status = self.0.has_status.lock();
        self.erase_status(&mut has_status);
        let mut err = self.0.err.lock();
        // A failure of standard error cannot be reported anywhere.
        let _ = writeln!(err, "{text}");
    }

    /// Writes to standard error without a line break, and flushes.
    pub(crate) fn print_error_piece(&self, text: impl Display) {
        if matches!(*self.0.paged.lock(), Some(PagedOutput::Paged { .. })) {
            return;
        }
        let mut has_status = self.0.has_status.lock();
        self.erase_status(&mut has_status);
        let mut err = self.0.err.lock();
        // As in `print_error_line`.
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// Writes both texts byte for byte. Returns whether both were written.
    pub(crate) fn write_exact(&self, out: &str, err: &str) -> bool {
        let told = io::stderr().lock().write_all(err.as_bytes()).is_ok();
        let mut stdout = io::stdout().lock();
        stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush()).is_ok() && told
    }

    /// Writes `note: …` to standard error.
    pub(crate) fn print_note(&self, text: impl Display) {
        self.print_error_line(style::with_label(Tone::Quiet, "note", text));
    }

    /// Writes an error and its next step to standard error.
    pub(crate) fn print_cli_error(&self, error: &CliError) {
        self.print_error_line(style::with_label(Tone::Bad, "error", &error.message));
        if let Some(help) = &error.help {
            self.print_error_line(style::with_label(Tone::Good, "help", help));
        }
    }

    /// Returns the error that left standard output incomplete. A reader that stops early, as `head` does, is not an
    /// error.
    pub(crate) fn take_write_error(&self) -> Option<CliError> {
        let error = self.0.write_error.lock().take()?;
        Some(CliError::failure(format!("cannot write to standard output: {error}")).help("the output is incomplete"))
    }

    fn record_write_error(&self, error: io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.0.write_error.lock().get_or_insert(error);
        }
    }

    /// Whether nothing more is written, because the reader of standard output has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Relaxed)
    }

    /// Whether standard error is a terminal, so that progress can be shown.
    pub(crate) fn can_show_progress(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Shows what the program is busy with on the last line of the screen, until something is written there.
    pub(crate) fn show_status(&self, text: &str) {
        if self.0.paged.lock().is_some() {
            return;
        }
        let mut has_status = self.0.has_status.lock();
        let columns = error_columns().unwrap_or(usize::MAX);
        let shown: String = text.chars().take(columns.saturating_sub(1)).collect();
        let mut err = io::stderr().lock();
        *has_status = write!(err, "\r{shown}{ERASE_REST}").and_then(|()| err.flush()).is_ok();
    }

    /// Erases what `show_status` showed.
    pub(crate) fn clear_status(&self) {
        self.erase_status(&mut self.0.has_status.lock());
    }

    fn erase_status(&self, has_status: &mut bool) {
        if std::mem::take(has_status) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r{ERASE_REST}").and_then(|()| err.flush());
        }
    }

    fn write(&self, text: std::fmt::Arguments<'_>) {
        if self.is_closed() {
            return;
        }
        let mut paged = self.0.paged.lock();
        let written = match paged.take() {
            None => {
                let mut has_status = self.0.has_status.lock();
                self.erase_status(&mut has_status);
                let mut out = self.0.out.lock();
                out.write_fmt(text).and_then(|()| out.flush())
            }
            Some(output) => {
                let is_plain = self.0.out.lock().current_choice() == ColorChoice::Never;
                let text = text.to_string();
                let text = if is_plain { strip_str(&text).to_string() } else { text };
                match output.add(text) {
                    Ok(output) => {
                        self.0.is_closed.store(output.is_left(), Ordering::Relaxed);
                        *paged = Some(output);
                        Ok(())
                    }
                    Err(pieces) => {
                        drop(paged);
                        return self.write_pieces(pieces);
                    }
                }
            }
        };
        if let Err(error) = written {
            self.0.is_closed.store(true, Ordering::Relaxed);
            self.record_write_error(error);
        }
    }
}

/// The number of columns of standard output, if it is a terminal.
pub(crate) fn screen_columns() -> Option<usize> {
    columns_of(terminal_size::terminal_size_of(io::stdout()))
}

/// The number of columns and of rows of standard output, if it is a terminal.
pub(crate) fn screen_size() -> Option<(usize, usize)> {
    let (_, rows) = terminal_size::terminal_size_of(io::stdout())?;
    screen_columns().zip(Some(usize::from(rows.0)).filter(|rows| *rows > 0))
}

/// The number of columns of standard error, if it is a terminal.
fn error_columns() -> Option<usize> {
    columns_of(terminal_size::terminal_size_of(io::stderr()))
}

fn columns_of(size: Option<(Width, Height)>) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0)
}
