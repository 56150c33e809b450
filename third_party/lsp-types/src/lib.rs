//! Stand-in for the types of the language server protocol: a position and a range.

/// A place in a text, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub character: u32,
}

impl Position {
    /// A place.
    pub const fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Its first place.
    pub start: Position,
    /// The place after it.
    pub end: Position,
}

impl Range {
    /// A part.
    pub const fn new(start: Position, end: Position) -> Self {
        Self { start, end }
    }
}
