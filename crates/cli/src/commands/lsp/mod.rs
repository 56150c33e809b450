//! `pintle lsp`: a language server, for editors.
//!
//! One thread reads what the editor writes and answers; another one checks. A check takes the newest texts when it begins,
//! so typing that is faster than checking costs no more than one check at a time.

mod check;
mod completion;
mod data_cursor;
mod definition;
mod documents;
mod framing;
mod hover;
mod place;
mod positions;
mod publish;
mod schema_walk;
mod script_cursor;
mod server;
mod vocabulary;

use std::io::{BufReader, stdin};

use clap::Args;

use crate::error::{CliError, CliStatus};
use crate::options::{GlobalOptions, UserOptions};
use crate::terminal::Terminal;
use server::LanguageServer;

pub(super) const LONG_ABOUT: &str = "Serve an editor by the Language Server Protocol on standard input and output. The \
    findings are those of `pintle validate`, for the texts as the editor shows them. Nothing that a project contains is \
    started, and nothing is trusted or stored.";

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Use standard input and output, as always; editors pass this flag.
    #[arg(long)]
    stdio: bool,
    #[command(flatten)]
    user: UserOptions,
}

impl LspArgs {
    pub(crate) fn execute(self, terminal: &Terminal, _: &GlobalOptions) -> Result<CliStatus, CliError> {
        let server = LanguageServer::start(terminal.clone(), self.user);
        Ok(server.serve(&mut BufReader::with_capacity(1 << 16, stdin().lock())))
    }
}
