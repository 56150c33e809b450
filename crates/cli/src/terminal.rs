//! The one place that writes.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use pintle::tape::show::{StyledLine, Tone};
use serde::Serialize;

use crate::error::CliError;
use crate::options::ColorMode;
use crate::render::style;

/// Standard output and standard error. Colours are dropped where nobody sees them. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Terminal(Arc<OutputStreams>);

#[derive(Debug)]
struct OutputStreams {
    out: Mutex<AutoStream<io::Stdout>>,
    err: Mutex<AutoStream<io::Stderr>>,
    /// Nobody reads standard output any more, as with `| head`. That is no error.
    is_closed: AtomicBool,
    /// Why something could not be written to standard output.
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
            is_closed: AtomicBool::new(false),
            write_error: Mutex::new(None),
        }))
    }

    /// Writes a line to standard output.
    pub(crate) fn print_line(&self, text: impl Display) {
        self.write(format_args!("{text}\n"));
    }

    /// Writes to standard output without a line's end, at once.
    pub(crate) fn print_piece(&self, text: impl Display) {
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
        // What is written here has text keys, so it always has a JSON form.
        self.print_line(serde_json::to_string(value).unwrap_or_default());
    }

    /// Writes a line to standard error.
    pub(crate) fn print_error_line(&self, text: impl Display) {
        let mut err = self.0.err.lock().unwrap_or_else(PoisonError::into_inner);
        // There is nowhere left to say that standard error is gone.
        let _ = writeln!(err, "{text}");
    }

    /// Writes to standard error without a line's end, at once.
    pub(crate) fn print_error_piece(&self, text: impl Display) {
        let mut err = self.0.err.lock().unwrap_or_else(PoisonError::into_inner);
        // As for a line.
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// Writes texts to standard output and standard error byte for byte. Gives whether both are out.
    pub(crate) fn write_exact(&self, out: &str, err: &str) -> bool {
        let told = io::stderr().lock().write_all(err.as_bytes()).is_ok();
        let mut stdout = io::stdout().lock();
        stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush()).is_ok() && told
    }

    /// Writes something worth knowing to standard error.
    pub(crate) fn print_note(&self, text: impl Display) {
        self.print_error_line(style::with_label(Tone::Quiet, "note", text));
    }

    /// Writes why a command stopped to standard error.
    pub(crate) fn print_cli_error(&self, fault: &CliError) {
        self.print_error_line(style::with_label(Tone::Bad, "error", &fault.message));
        if let Some(help) = &fault.help {
            self.print_error_line(style::with_label(Tone::Good, "help", help));
        }
    }

    /// Why not everything is on standard output, when that is somebody's mistake. Whoever stops reading, as `head` does, makes
    /// none.
    pub(crate) fn take_write_error(&self) -> Option<CliError> {
        let fault = self.0.write_error.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(
            CliError::failure(format!("cannot write to standard output: {fault}"))
                .help("what is there is not all of it"),
        )
    }

    fn record_write_error(&self, fault: io::Error) {
        if fault.kind() != io::ErrorKind::BrokenPipe {
            self.0.write_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        }
    }

    /// Whether a person may read standard error as it is written.
    pub(crate) fn can_show_progress(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn write(&self, text: std::fmt::Arguments<'_>) {
        if self.0.is_closed.load(Ordering::Relaxed) {
            return;
        }
        let mut out = self.0.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(fault) = out.write_fmt(text).and_then(|()| out.flush()) {
            self.0.is_closed.store(true, Ordering::Relaxed);
            self.record_write_error(fault);
        }
    }
}
