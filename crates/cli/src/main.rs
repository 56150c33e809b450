//! The `pintle` program: run agents under hooks, and check, fire and explain the hooks themselves.
//!
//! Commands are in `commands`, their shared options in `options`, formatting in `render`. All output goes through one
//! [`Terminal`](terminal::Terminal).

mod command_help;
mod commands;
mod error;
mod loopback;
mod options;
mod pager;
mod render;
mod temporary_dir;
mod terminal;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{FromArgMatches as _, Parser};

use crate::command_help::{FIRST_STEPS, command_tree, with_meaning};
use crate::commands::CliCommand;
use crate::error::{CliError, CliStatus};
use crate::options::{ColorMode, GlobalOptions};
use crate::terminal::Terminal;

/// The allocator of musl has one lock for all threads: deciding a million calls again took three times as long with it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Lifecycle hooks for AI agents: policy that an agent cannot route around.
///
/// Exit status: 0 done, 1 failed, 2 denied, 3 invalid input or configuration.
#[derive(Debug, Parser)]
#[command(name = "pintle", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: CliCommand,
}

/// Whether nothing was typed after the program's name. It fails, since a hook that runs it so decides nothing.
fn is_alone(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && std::env::args_os().count() < 2
}

fn main() -> ExitCode {
    let at_once = CliCommand::parse_hook_command().map(|command| Cli { global: GlobalOptions::default(), command });
    let parse = || command_tree().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let line = match at_once.map_or_else(parse, Ok) {
        Ok(line) => line,
        Err(asked) if is_alone(&asked) => {
            Terminal::new(ColorMode::Auto).print_line(FIRST_STEPS.trim_end());
            return CliStatus::Invalid.into();
        }
        Err(asked) => {
            let asked = with_meaning(asked, std::env::args_os().skip(1));
            // clap reports help and version as errors, too, although they are not mistakes.
            if asked.use_stderr() {
                Terminal::new(ColorMode::Auto).print_error_line(asked.render().ansi().to_string().trim_end());
                return CliStatus::Invalid.into();
            }
            let terminal = Terminal::new(ColorMode::Auto);
            if !std::env::args_os().any(|word| word == "--no-pager") {
                terminal.page();
            }
            // clap has wrapped it.
            terminal.print_exact_line(asked.render().ansi().to_string().trim_end());
            return end(&terminal, Ok(CliStatus::Done));
        }
    };
    let terminal = Terminal::new(line.global.color);
    if line.command.is_paged() && !line.global.json && !line.global.no_pager {
        terminal.page();
    }
    let result = line.command.execute(&terminal, &line.global);
    end(&terminal, result)
}

/// Ends the output, and reports what failed.
fn end(terminal: &Terminal, result: Result<CliStatus, CliError>) -> ExitCode {
    terminal.finish_paging();
    let status = result.unwrap_or_else(|error| {
        terminal.print_cli_error(&error);
        error.status
    });
    match terminal.take_write_error() {
        Some(error) => {
            terminal.print_cli_error(&error);
            if status == CliStatus::Done { error.status } else { status }.into()
        }
        None => status.into(),
    }
}
