//! Stand-in for a line editor: every read says that the input has ended.

use std::marker::PhantomData;

/// Why no line was read.
pub mod error {
    /// The end of the input, or an error of a file.
    #[derive(Debug)]
    pub enum ReadlineError {
        /// A file of the history could not be used.
        Io(std::io::Error),
        /// The user interrupted the input.
        Interrupted,
        /// The input has ended.
        Eof,
    }

    impl std::fmt::Display for ReadlineError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("lines cannot be read in this build")
        }
    }

    impl std::error::Error for ReadlineError {}
}

/// What was typed before.
pub mod history {
    /// An empty history.
    #[derive(Debug, Default)]
    pub struct DefaultHistory;
}

/// An editor without a terminal.
#[derive(Debug)]
pub struct Editor<H, I>(PhantomData<(H, I)>);

impl<H, I> Editor<H, I> {
    /// Makes an editor.
    pub fn new() -> Result<Self, error::ReadlineError> {
        Ok(Self(PhantomData))
    }

    /// Reads no line.
    pub fn readline(&mut self, _prompt: &str) -> Result<String, error::ReadlineError> {
        Err(error::ReadlineError::Eof)
    }

    /// Reads no file.
    pub fn load_history(&mut self, _path: &str) -> Result<(), error::ReadlineError> {
        Ok(())
    }

    /// Writes no file.
    pub fn save_history(&mut self, _path: &str) -> Result<(), error::ReadlineError> {
        Ok(())
    }

    /// Keeps nothing.
    pub fn add_history_entry(&mut self, _line: &str) -> Result<bool, error::ReadlineError> {
        Ok(false)
    }
}
