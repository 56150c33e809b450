//! The inside of an action: variables, commands and their operands.

use pintle_contract::suggest_nearest;
use serde_json::Value;

use super::fault::Fault;
use super::functions::{FUNCTIONS, function};
use super::lex::{Token, Word};
use super::parse::Parser;
use super::tree::{Base, Command, Operand, Pipeline};

/// Reads a pipeline up to what ends it: `}}` or `)`, which is left to the caller. A `range` may set two variables.
pub(super) fn pipeline(parser: &mut Parser<'_>, ranges: bool) -> Result<Pipeline, Fault> {
    let at = parser.tokens.peek().map_or(parser.end, |token| token.at);
    let (variables, assigns, mut first) = variables(parser, ranges)?;
    let mut commands = Vec::new();
    loop {
        let piped = !commands.is_empty();
        commands.push(command(parser, at, first.take(), piped)?);
        match parser.tokens.peek().map(|token| &token.word) {
            Some(Word::Pipe) => parser.tokens.next(),
            _ => break,
        };
    }
    // What is declared is known from here on, not in its own value.
    if !assigns {
        parser.variables.extend(variables.iter().cloned());
    }
    Ok(Pipeline { variables, assigns, commands })
}

/// Reads `$x :=`, `$x =` or `$i, $x :=`. A variable that nothing is set to is the first operand.
fn variables(parser: &mut Parser<'_>, ranges: bool) -> Result<(Vec<String>, bool, Option<Operand>), Fault> {
    let Some(Token { word: Word::Variable(name), at, .. }) = parser.tokens.peek() else {
        return Ok((Vec::new(), false, None));
    };
    let (name, at) = ((*name).to_owned(), *at);
    parser.tokens.next();
    let mut names = vec![name.clone()];
    if ranges && matches!(parser.tokens.peek(), Some(Token { word: Word::Comma, .. })) {
        parser.tokens.next();
        match parser.tokens.next() {
            Some(Token { word: Word::Variable(second), .. }) => names.push(second.to_owned()),
            _ => return Err(Fault::new(at, "a variable is expected after `,`")),
        }
    }
    let assigns = match parser.tokens.peek().map(|token| &token.word) {
        Some(Word::Declare) => false,
        Some(Word::Assign) => true,
        _ if names.len() == 2 => return Err(Fault::new(at, "`:=` is expected after two variables")),
        _ => return Ok((Vec::new(), false, Some(variable(parser, name, at)?))),
    };
    parser.tokens.next();
    if names.iter().any(String::is_empty) {
        return Err(Fault::new(at, "`$` alone cannot be set; name the variable"));
    }
    let unknown = names.iter().find(|name| assigns && !parser.variables.contains(name));
    match unknown {
        Some(name) => Err(Fault::new(at, format!("there is no variable `${name}`; declare it with `:=`"))),
        None => Ok((names, assigns, None)),
    }
}

fn variable(parser: &mut Parser<'_>, name: String, at: usize) -> Result<Operand, Fault> {
    if !parser.variables.contains(&name) {
        return Err(Fault::new(at, format!("there is no variable `${name}`")));
    }
    Ok(Operand { base: Base::Variable(name), fields: fields(parser) })
}

/// Reads a function with its arguments, or one value.
fn command(parser: &mut Parser<'_>, at: usize, first: Option<Operand>, piped: bool) -> Result<Command, Fault> {
    let at = parser.tokens.peek().map_or(at, |token| token.at);
    if first.is_none()
        && let Some(Token { word: Word::Name(name), .. }) = parser.tokens.peek()
    {
        let name = *name;
        if name != "nil" {
            parser.tokens.next();
            let function = known(name, at)?;
            let mut arguments = Vec::new();
            while let Some(argument) = operand(parser)? {
                arguments.push(argument);
            }
            let given = arguments.len() + usize::from(piped);
            return match function.accepts(given) {
                Ok(()) => Ok(Command::Call(function, arguments)),
                Err(why) => Err(Fault::new(at, why)),
            };
        }
    }
    let value = match first {
        Some(first) => Some(first),
        None => operand(parser)?,
    };
    let Some(value) = value else { return Err(Fault::new(at, "a value or a function is expected")) };
    if piped {
        return Err(Fault::new(at, "only a function can follow `|`"));
    }
    if operand(parser)?.is_some() {
        return Err(Fault::new(at, "only a function takes arguments"));
    }
    Ok(Command::Value(value))
}

/// Reads one operand, or nothing when something else follows.
fn operand(parser: &mut Parser<'_>) -> Result<Option<Operand>, Fault> {
    let Some(Token { at, word, .. }) = parser.tokens.peek() else { return Ok(None) };
    let (at, word) = (*at, word.clone());
    let base = match word {
        Word::Dot => Base::Dot,
        // The name is read with the fields below.
        Word::Field(_) => return Ok(Some(Operand { base: Base::Dot, fields: dot_fields(parser) })),
        Word::Variable(name) => {
            parser.tokens.next();
            return variable(parser, name.to_owned(), at).map(Some);
        }
        Word::Literal(value) => Base::Literal(value),
        Word::Name("nil") => Base::Literal(Value::Null),
        Word::Name(name) => {
            let function = known(name, at)?;
            function.accepts(0).map_err(|why| Fault::new(at, format!("{why}; put it in parentheses")))?;
            let commands = vec![Command::Call(function, Vec::new())];
            Base::Pipeline(Box::new(Pipeline { variables: Vec::new(), assigns: false, commands }))
        }
        Word::Left => {
            parser.tokens.next();
            parser.deeper(at)?;
            let inner = pipeline(parser, false)?;
            parser.depth -= 1;
            match parser.tokens.peek().map(|token| &token.word) {
                Some(Word::Right) if inner.variables.is_empty() => Base::Pipeline(Box::new(inner)),
                Some(Word::Right) => return Err(Fault::new(at, "a variable cannot be set in parentheses")),
                _ => return Err(Fault::new(at, "the parenthesis is not closed; add `)`")),
            }
        }
        _ => return Ok(None),
    };
    parser.tokens.next();
    Ok(Some(Operand { base, fields: fields(parser) }))
}

/// The fields that follow without a space.
fn fields(parser: &mut Parser<'_>) -> Vec<String> {
    let mut fields = Vec::new();
    while let Some(Token { word: Word::Field(name), glued: true, .. }) = parser.tokens.peek() {
        fields.push((*name).to_owned());
        parser.tokens.next();
    }
    fields
}

/// The fields of the dot, of which the first begins an operand.
fn dot_fields(parser: &mut Parser<'_>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(Token { word: Word::Field(name), .. }) = parser.tokens.next() {
        names.push(name.to_owned());
    }
    names.extend(fields(parser));
    names
}

fn known(name: &str, at: usize) -> Result<&'static super::functions::Function, Fault> {
    function(name).ok_or_else(|| {
        let near = suggest_nearest(name, FUNCTIONS.iter().map(|function| function.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Fault::new(at, format!("there is no function `{name}`{near}"))
    })
}
