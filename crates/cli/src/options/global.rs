//! Options of every command.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct GlobalOptions {
    /// Write JSON instead of text.
    #[arg(long, global = true, display_order = 900)]
    pub(crate) json: bool,
    /// When to use colours; `auto` uses them on a terminal unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 901)]
    pub(crate) color: ColorMode,
    /// Do not start a pager for output that is longer than the screen.
    #[arg(long, global = true, display_order = 902)]
    pub(crate) no_pager: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMode {
    #[default]
    Auto,
    Always,
    Never,
}
