//! `pintle intercept`: the hooks as an interceptor of AGENT-HOOKS, a context and a verdict a line.

use std::io::{BufReader, stdin};

use clap::Args;

use super::serve::{SessionOptions, read_line};
use crate::error::{CliError, CliStatus};
use crate::options::GlobalOptions;
use crate::terminal::Terminal;

/// What `--help` says.
pub(crate) const LONG_ABOUT: &str = "Answer the contexts of a host that speaks AGENT-HOOKS 0.1.

A host starts this command once, writes each context to it as a line of JSON, and reads a verdict, which is one line, too, in \
the same order. What your hooks deny is a deny, what they change a transform, and what they ask a deny that an approval of the \
host can lift. Whatever cannot be decided is a deny, so a host that gets no verdict must not go on either.

The hooks are those that `pintle fire` would call. If one does not load, nothing is answered, and the exit status is 3";

#[derive(Debug, Args)]
pub(crate) struct InterceptArgs {
    #[command(flatten)]
    sessions: SessionOptions,
}

impl InterceptArgs {
    pub(crate) fn execute(self, terminal: &Terminal, _global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let mut interceptor = self.sessions.start_interceptor(terminal)?;
        let (mut input, mut line) = (BufReader::new(stdin()), Vec::new());
        // What cannot be read has ended. A line that is too long is empty, which is no context.
        while let Ok(Some(_)) = read_line(&mut input, &mut line) {
            let verdict = interceptor.intercept(&line);
            let written = serde_json::to_string(&verdict).map_err(CliError::failure)?;
            // A host that does not read has ended, and soon so does standard input.
            let _ = terminal.write_exact(&format!("{written}\n"), "");
        }
        interceptor.close();
        Ok(CliStatus::Done)
    }
}
