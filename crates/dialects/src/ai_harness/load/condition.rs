//! The `condition` of a bundle, as far as its text alone decides it.
//!
//! The reference evaluates it on every turn, with `ctx`; files are loaded before the first turn.

use std::iter::Peekable;
use std::vec::IntoIter;

/// The maximum nesting depth of parentheses and negations.
const MAX_DEPTH: usize = 50;

/// The value of an expression of `True`, `False`, `None`, `not`, `and` and `or`; `None` for any other expression.
pub(super) fn evaluate(text: &str) -> Option<bool> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut words = words.into_iter().peekable();
    let value = parse_or(&mut words, 0)?;
    words.next().is_none().then_some(value)
}

type ConditionWords<'a> = Peekable<IntoIter<&'a str>>;

fn parse_or(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    let mut value = parse_and(words, depth)?;
    while words.next_if_eq(&"or").is_some() {
        value |= parse_and(words, depth)?;
    }
    Some(value)
}

fn parse_and(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    let mut value = parse_operand(words, depth)?;
    while words.next_if_eq(&"and").is_some() {
        value &= parse_operand(words, depth)?;
    }
    Some(value)
}

fn parse_operand(words: &mut ConditionWords<'_>, depth: usize) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    match words.next()? {
        // YAML spells booleans in lower case.
        "True" | "true" => Some(true),
        "False" | "false" | "None" => Some(false),
        "not" => parse_operand(words, depth + 1).map(|value| !value),
        "(" => {
            let value = parse_or(words, depth + 1)?;
            words.next_if_eq(&")").map(|_| value)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_decided_and_nothing_else() {
        let deep = format!("{}True{}", "(".repeat(100_000), ")".repeat(100_000));
        let cases = [
            ("True", Some(true)),
            ("false", Some(false)),
            ("None", Some(false)),
            ("not False", Some(true)),
            ("not not (False)", Some(false)),
            ("True and False or True", Some(true)),
            ("True or True and False", Some(true)),
            ("not True or False", Some(false)),
            ("(True or False)and(not False)", Some(true)),
            ("", None),
            ("True False", None),
            ("not", None),
            ("(True", None),
            ("True)", None),
            ("ctx.x == 1", None),
            ("True or ctx.x", None),
            ("\"False\"", None),
            (deep.as_str(), None),
        ];
        for (text, wanted) in cases {
            assert_eq!(evaluate(text), wanted, "{}", &text[..text.len().min(40)]);
        }
    }
}
