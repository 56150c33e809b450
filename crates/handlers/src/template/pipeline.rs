//! Parses the content of an action: variables, commands and their operands.

use pintle_contract::suggest_nearest;
use serde_json::Value;

use super::ast::{OperandBase, PipelineCommand, PipelineNode, TemplateOperand};
use super::error::TemplateErrorAt;
use super::functions::{FUNCTIONS, find_function};
use super::lex::{TemplateToken, TokenKind};
use super::parse::TemplateParser;

/// Parses a pipeline up to `}}` or `)`, which is left to the caller. A `range` may set two variables.
pub(super) fn parse_pipeline(parser: &mut TemplateParser<'_>, ranges: bool) -> Result<PipelineNode, TemplateErrorAt> {
    let index = parser.tokens.peek().map_or(parser.end_offset, |token| token.offset);
    let (variables, assigns, mut first) = parse_variables(parser, ranges)?;
    let mut commands = Vec::new();
    loop {
        let piped = !commands.is_empty();
        commands.push(parse_command(parser, index, first.take(), piped)?);
        match parser.tokens.peek().map(|token| &token.kind) {
            Some(TokenKind::Pipe) => parser.tokens.next(),
            _ => break,
        };
    }
    // A declared variable is in scope from here on, but not in its own value.
    if !assigns {
        parser.variables.extend(variables.iter().cloned());
    }
    Ok(PipelineNode { variables, is_assignment: assigns, commands })
}

/// Parses `$x :=`, `$x =` or `$i, $x :=`. A variable that is not set is the first operand.
fn parse_variables(
    parser: &mut TemplateParser<'_>,
    ranges: bool,
) -> Result<(Vec<String>, bool, Option<TemplateOperand>), TemplateErrorAt> {
    let Some(TemplateToken { kind: TokenKind::Variable(name), offset: index, .. }) = parser.tokens.peek() else {
        return Ok((Vec::new(), false, None));
    };
    let (name, index) = ((*name).to_owned(), *index);
    parser.tokens.next();
    let mut names = vec![name.clone()];
    if ranges && matches!(parser.tokens.peek(), Some(TemplateToken { kind: TokenKind::Comma, .. })) {
        parser.tokens.next();
        match parser.tokens.next() {
            Some(TemplateToken { kind: TokenKind::Variable(second), .. }) => names.push(second.to_owned()),
            _ => return Err(TemplateErrorAt::new(index, "a variable is expected after `,`")),
        }
    }
    let assigns = match parser.tokens.peek().map(|token| &token.kind) {
        Some(TokenKind::Declare) => false,
        Some(TokenKind::Assign) => true,
        _ if names.len() == 2 => return Err(TemplateErrorAt::new(index, "`:=` is expected after two variables")),
        _ => return Ok((Vec::new(), false, Some(parse_variable(parser, name, index)?))),
    };
    parser.tokens.next();
    if names.iter().any(String::is_empty) {
        return Err(TemplateErrorAt::new(index, "`$` alone cannot be set; name the variable"));
    }
    let unknown = names.iter().find(|name| assigns && !parser.variables.contains(name));
    match unknown {
        Some(name) => Err(TemplateErrorAt::new(index, format!("unknown variable `${name}`; declare it with `:=`"))),
        None => Ok((names, assigns, None)),
    }
}

fn parse_variable(
    parser: &mut TemplateParser<'_>,
    name: String,
    index: usize,
) -> Result<TemplateOperand, TemplateErrorAt> {
    if !parser.variables.contains(&name) {
        return Err(TemplateErrorAt::new(index, format!("unknown variable `${name}`")));
    }
    Ok(TemplateOperand { base: OperandBase::Variable(name), fields: parse_fields(parser) })
}

/// Parses a function with its arguments, or one value.
fn parse_command(
    parser: &mut TemplateParser<'_>,
    index: usize,
    first: Option<TemplateOperand>,
    piped: bool,
) -> Result<PipelineCommand, TemplateErrorAt> {
    let index = parser.tokens.peek().map_or(index, |token| token.offset);
    if first.is_none()
        && let Some(TemplateToken { kind: TokenKind::Name(name), .. }) = parser.tokens.peek()
    {
        let name = *name;
        if name != "nil" {
            parser.tokens.next();
            let function = find_known_function(name, index)?;
            let mut arguments = Vec::new();
            while let Some(argument) = parse_operand(parser)? {
                arguments.push(argument);
            }
            let given = arguments.len() + usize::from(piped);
            return match function.check_argument_count(given) {
                Ok(()) => Ok(PipelineCommand::Call(function, arguments)),
                Err(reason) => Err(TemplateErrorAt::new(index, reason)),
            };
        }
    }
    let value = match first {
        Some(first) => Some(first),
        None => parse_operand(parser)?,
    };
    let Some(value) = value else { return Err(TemplateErrorAt::new(index, "a value or a function is expected")) };
    if piped {
        return Err(TemplateErrorAt::new(index, "only a function can follow `|`"));
    }
    if parse_operand(parser)?.is_some() {
        return Err(TemplateErrorAt::new(index, "only a function takes arguments"));
    }
    Ok(PipelineCommand::Value(value))
}

/// Parses one operand; `None` if something else follows.
fn parse_operand(parser: &mut TemplateParser<'_>) -> Result<Option<TemplateOperand>, TemplateErrorAt> {
    let Some(TemplateToken { offset: index, kind: word, .. }) = parser.tokens.peek() else { return Ok(None) };
    let (index, word) = (*index, word.clone());
    let base = match word {
        TokenKind::Dot => OperandBase::Dot,
        // The name is read together with the following fields.
        TokenKind::Field(_) => {
            return Ok(Some(TemplateOperand { base: OperandBase::Dot, fields: parse_dot_fields(parser) }));
        }
        TokenKind::Variable(name) => {
            parser.tokens.next();
            return parse_variable(parser, name.to_owned(), index).map(Some);
        }
        TokenKind::Literal(value) => OperandBase::Literal(value),
        TokenKind::Name("nil") => OperandBase::Literal(Value::Null),
        TokenKind::Name(name) => {
            let function = find_known_function(name, index)?;
            function
                .check_argument_count(0)
                .map_err(|reason| TemplateErrorAt::new(index, format!("{reason}; put it in parentheses")))?;
            let commands = vec![PipelineCommand::Call(function, Vec::new())];
            OperandBase::Pipeline(Box::new(PipelineNode { variables: Vec::new(), is_assignment: false, commands }))
        }
        TokenKind::Left => {
            parser.tokens.next();
            parser.enter_level(index)?;
            let inner = parse_pipeline(parser, false)?;
            parser.nesting_depth -= 1;
            match parser.tokens.peek().map(|token| &token.kind) {
                Some(TokenKind::Right) if inner.variables.is_empty() => OperandBase::Pipeline(Box::new(inner)),
                Some(TokenKind::Right) => {
                    return Err(TemplateErrorAt::new(index, "a variable cannot be set in parentheses"));
                }
                _ => return Err(TemplateErrorAt::new(index, "the parenthesis is not closed; add `)`")),
            }
        }
        _ => return Ok(None),
    };
    parser.tokens.next();
    Ok(Some(TemplateOperand { base, fields: parse_fields(parser) }))
}

/// The fields that follow without a space.
fn parse_fields(parser: &mut TemplateParser<'_>) -> Vec<String> {
    let mut fields = Vec::new();
    while let Some(TemplateToken { kind: TokenKind::Field(name), is_glued: true, .. }) = parser.tokens.peek() {
        fields.push((*name).to_owned());
        parser.tokens.next();
    }
    fields
}

/// The fields of the dot, the first of which starts an operand.
fn parse_dot_fields(parser: &mut TemplateParser<'_>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(TemplateToken { kind: TokenKind::Field(name), .. }) = parser.tokens.next() {
        names.push(name.to_owned());
    }
    names.extend(parse_fields(parser));
    names
}

fn find_known_function(
    name: &str,
    index: usize,
) -> Result<&'static super::functions::TemplateFunction, TemplateErrorAt> {
    find_function(name).ok_or_else(|| {
        let near = suggest_nearest(name, FUNCTIONS.iter().map(|function| function.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        TemplateErrorAt::new(index, format!("unknown function `{name}`{near}"))
    })
}
