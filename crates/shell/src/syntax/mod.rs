//! The syntax of command lines: from text to commands, before anything is expanded.
//!
//! The parser reads what bash reads. It has a fixed nesting limit, never recurses deeper, and keeps the commands that it
//! understood before a fault: a command line that is only half understood has the commands of that half and a fault.

mod ast;
mod compound;
mod parser;
#[cfg(feature = "powershell")]
pub(crate) mod power;
mod quotes;
mod redirects;
mod word;
mod zsh;

pub(crate) use ast::{
    BashAssignment, BashBranch, BashCommand, BashPipeline, BashRedirect, BashWord, GrammarKind, PipelineLink,
    RedirectKind, ShellScript, SimpleCommand, VariableExpansion, WordPiece,
};
use parser::parse_counted;
pub(crate) use parser::{parse_expression, parse_script, parse_text};
pub(crate) use zsh::is_zsh_table;
