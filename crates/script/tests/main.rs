//! Starlark, as hooks see it.

mod anything;
mod coverage;
mod limits;
mod memory;
mod mutants;
mod plugins;
mod projection;
mod script_agrees;
mod shell;
mod when_agrees;
