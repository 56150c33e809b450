//! Texts with places to be filled in: the part of Go's `text/template` that hooks need (docker-agent behaviour,
//! sections 3.7 and 4.1).
//!
//! What is there: fields (`.ToolName`, `.ToolInput.cmd`), `$` and variables, pipelines, parentheses, `if`, `else if`,
//! `else`, `range`, `with`, `break`, `continue`, comments, trim markers, text, number and truth literals, and the
//! functions of [`functions`]. What is not: `define`, `template`, `block` and methods. A template is checked when it is
//! parsed, so that a bad one is found when its hook is built.
//!
//! Whatever the template and the input are, parsing and rendering end: the nesting, the steps, the work and the size of
//! the result are bounded.

mod ast;
mod error;
mod field_lookup;
mod format;
mod functions;
mod input;
mod lex;
mod parse;
mod pipeline;
mod render;
#[cfg(test)]
mod tests;
mod value;

use serde_json::Value;

pub(crate) use error::TemplateError;
pub(crate) use input::encode_input;

/// The largest text that a template may make.
pub(crate) const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// A template that was parsed.
#[derive(Debug)]
pub(crate) struct Template {
    nodes: Vec<ast::TemplateNode>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// When it is not well-formed, or uses something that is not supported.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let parsed = lex::tokenize(text).and_then(parse::parse_nodes);
        parsed.map(|nodes| Self { nodes }).map_err(|fault| fault.with_position(text))
    }

    /// Fills the template in from `input`. A top-level field is named as in Go (`.ToolName`) or as in the input
    /// (`.tool_name`).
    ///
    /// # Errors
    /// When a key is missing, a function gets what it cannot use, or the result is larger than [`MOST_OUTPUT_BYTES`];
    /// in one line.
    pub(crate) fn render(&self, input: &Value) -> Result<String, String> {
        render::render_nodes(&self.nodes, input)
    }
}
