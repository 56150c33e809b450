//! `--step`: shows one dispatch at a time.

use std::io::{self, BufRead, IsTerminal};

use pintle_host::tape::replay::ReplayReport;
use pintle_host::tape::show::{RemovedTexts, ShowOptions, StyledLine, TapeRenderer, Tone, single_line};
use pintle_host::tape::{LoadedTape, Record, read_bytes};

use crate::error::CliError;
use crate::terminal::Terminal;

/// Most characters of a record that is shown as JSON.
const RECORD_CHARS: usize = 400;

/// Refuses standard input that is not a terminal.
pub(super) fn require_terminal() -> Result<(), CliError> {
    if io::stdin().is_terminal() {
        return Ok(());
    }
    Err(CliError::invalid_input("`--step` waits for Enter, but standard input is not a terminal")
        .help("run it in a terminal, or stop at a point with `--until`"))
}

/// Shows a new tape: the next dispatch for each Enter, the next record for each `r`.
pub(super) fn step_through(replayed: &ReplayReport, terminal: &Terminal) -> Result<(), CliError> {
    if replayed.tape.is_empty() {
        return Ok(());
    }
    let reading = read_bytes(&replayed.tape).map_err(CliError::failure)?;
    terminal.print_lines(&[StyledLine::new(Tone::Quiet, "Enter: next dispatch; r: next record; q: skip to the end")]);
    let mut steps = StepView {
        reading: &reading,
        index: 0,
        view: TapeRenderer::new(ShowOptions::default())
            .with_removed_texts(RemovedTexts::from_records(&reading.records)),
    };
    let mut input = io::stdin().lock();
    while steps.index < reading.records.len() {
        let mut typed = String::new();
        let read = input.read_line(&mut typed);
        if read.map_err(|error| CliError::failure(format!("cannot read from the terminal: {error}")))? == 0 {
            break;
        }
        match typed.trim() {
            "q" => break,
            "r" => steps.show_record(terminal),
            _ => steps.show_dispatch(terminal),
        }
    }
    Ok(())
}

struct StepView<'r> {
    reading: &'r LoadedTape,
    index: usize,
    view: TapeRenderer,
}

impl StepView<'_> {
    fn next_record(&mut self) -> Option<(&Record<'static>, Vec<StyledLine>)> {
        let record = self.reading.records.get(self.index)?;
        self.index += 1;
        Some((record, self.view.feed(record)))
    }

    /// Shows the next record as JSON.
    fn show_record(&mut self, terminal: &Terminal) {
        if let Some((record, _)) = self.next_record() {
            let line = record.to_line().unwrap_or_default();
            terminal.print_lines(&[StyledLine::new(Tone::Plain, single_line(&line, RECORD_CHARS))]);
        }
    }

    /// Shows records up to the next one with output.
    fn show_dispatch(&mut self, terminal: &Terminal) {
        while let Some((_, lines)) = self.next_record() {
            if !lines.is_empty() {
                terminal.print_lines(&lines);
                return;
            }
        }
    }
}
