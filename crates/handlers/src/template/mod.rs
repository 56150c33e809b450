//! Templates: the part of Go's `text/template` that hooks need.
//!
//! Supported are fields (`.ToolName`, `.ToolInput.cmd`), `$` and variables, pipelines, parentheses, `if`, `else if`,
//! `else`, `range`, `with`, `break`, `continue`, comments, trim markers, string, number and boolean literals, and the
//! functions of [`functions`]. Not supported are `define`, `template`, `block` and methods. A template is checked when
//! it is parsed, so that an error is found when its hook is built.
//!
//! Parsing and rendering always end: the nesting, the steps, the work and the size of the result are limited.

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

/// The largest output of a template.
pub(crate) const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// A parsed template.
#[derive(Debug)]
pub(crate) struct Template {
    nodes: Vec<ast::TemplateNode>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// When it is not well-formed, or uses something that is not supported.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let parsed = lex::tokenize(text).and_then(parse::parse_nodes);
        parsed.map(|nodes| Self { nodes }).map_err(|error| error.with_position(text))
    }

    /// Renders the template with `input`. A top-level field is named as in Go (`.ToolName`) or as in the input
    /// (`.tool_name`).
    ///
    /// # Errors
    /// When a key is missing, a function gets invalid arguments, or the result is larger than [`MOST_OUTPUT_BYTES`]; in
    /// one line.
    pub(crate) fn render(&self, input: &Value) -> Result<String, String> {
        render::render_nodes(&self.nodes, input)
    }
}
