//! `pintle tape show`.

use std::path::PathBuf;

use clap::Args;
use pintle::tape::show::{StyledLine, ShowOptions, RemovedTexts, Tone, TapeRenderer};
use pintle::tape::{TapeReader, read_file_bytes};

use super::fault_of;
use crate::fault::{Fault, Status};
use crate::options::Global;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The tape.
    tape: PathBuf,
    /// Leave out hooks that passed and did nothing.
    #[arg(long)]
    brief: bool,
    /// How much of one text is shown, in characters.
    #[arg(long, value_name = "CHARS", default_value_t = 200)]
    cut: usize,
}

impl Show {
    /// Shows a tape. With `--json` the lines pass through as they are, up to one that was not written whole.
    pub(crate) fn execute(self, terminal: &Terminal, global: &Global) -> Result<Status, Fault> {
        let fault = |fault| fault_of(&self.tape, fault);
        let bytes = read_file_bytes(&self.tape).map_err(fault)?;
        let mut reader = TapeReader::new(&bytes).map_err(fault)?;
        let options = ShowOptions { everything: !self.brief, text_chars: self.cut, ..ShowOptions::default() };
        let mut removed = RemovedTexts::default();
        if !global.json {
            let whole = TapeReader::new(&bytes).map_err(fault)?.map_while(Result::ok);
            whole.for_each(|line| removed.add(&line.record.body));
        }
        let mut view = TapeRenderer::new(options).with_removed_texts(removed);
        for line in &mut reader {
            let line = line.map_err(fault)?;
            if global.json {
                terminal.out(String::from_utf8_lossy(line.text));
            } else {
                terminal.lines(&view.feed(&line.record));
            }
        }
        if global.json {
            reader.torn().iter().for_each(|torn| terminal.note(torn));
        } else {
            terminal.lines(&view.finish());
            let torn = reader.torn().map(|torn| StyledLine::new(Tone::Warn, format!("note: {torn}")));
            terminal.lines(torn.as_slice());
        }
        Ok(Status::Done)
    }
}
