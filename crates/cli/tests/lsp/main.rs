//! `pintle lsp` as an editor uses it: the real program over its standard input and output.
//!
//! A case is a section of a file in `cases`: files of a project, and the steps of an editor with what must come back. Files
//! are fenced with `~~~`: the first word after the fence is the language, the second the path below the project; a file whose
//! language is `unsaved` is known only to the editor. The steps are those of [`steps::run_step`].

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod client;
mod same_findings;
mod steps;
mod wire;
