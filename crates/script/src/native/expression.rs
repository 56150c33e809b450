//! Expressions that are evaluated without the interpreter.

use std::cell::Cell;
use std::sync::Arc;

use pintle_contract::get_field;
use serde_json::Value as Json;
use starlark::syntax::ast::BinOp;

use super::NativeRun;
use super::value::{NativeValue, contains, slice};

/// The names of a running function; a name without a value is not assigned yet.
pub(super) type NativeFrame<'a> = [Cell<Option<NativeValue<'a>>>];

#[derive(Debug, Clone)]
pub(super) enum NativeExpression {
    Local(usize),
    Int(i64),
    /// Any other literal.
    Literal(Arc<Json>),
    List(Vec<NativeExpression>),
    /// `name["key"]`, which almost every condition reads.
    Field(usize, Box<str>),
    /// `base[key]` of anything else.
    Index(Box<[NativeExpression; 2]>),
    /// `text[start:stop]`.
    Slice(Box<NativeExpression>, Option<i32>, Option<i32>),
    /// `base.get(key, default)`.
    Get(Box<[NativeExpression; 3]>),
    Not(Box<NativeExpression>),
    And(Box<[NativeExpression; 2]>),
    Or(Box<[NativeExpression; 2]>),
    /// `yes if condition else no`: the condition, yes and no.
    If(Box<[NativeExpression; 3]>),
    Compare(BinOp, Box<[NativeExpression; 2]>),
    In(Box<[NativeExpression; 2]>),
    Add(Box<[NativeExpression; 2]>),
    Subtract(Box<[NativeExpression; 2]>),
    /// A function or a method of one value.
    Unary(UnaryOperation, Box<NativeExpression>),
    /// A method of a text with one text.
    Search(TextSearch, Box<[NativeExpression; 2]>),
    /// `text.replace(old, new)`.
    Replace(Box<[NativeExpression; 3]>),
    /// The `str` of each part in a row.
    Format(Vec<NativeExpression>),
    Comprehension(Box<NativeComprehension>),
    /// A call of a function of the script.
    Call(usize, Vec<NativeExpression>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum UnaryOperation {
    Len,
    Any,
    All,
    Lower,
    Upper,
    Strip,
    LeftStrip,
    RightStrip,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum TextSearch {
    StartsWith,
    EndsWith,
    /// `startswith` and `endswith` with a tuple.
    StartsWithAny,
    EndsWithAny,
    Find,
    Split,
}

/// `[item for slot in over if condition]`.
#[derive(Debug, Clone)]
pub(super) struct NativeComprehension {
    pub(super) item: NativeExpression,
    pub(super) slot: usize,
    pub(super) over: NativeExpression,
    pub(super) conditions: Vec<NativeExpression>,
}

impl NativeExpression {
    /// A literal. A condition that compares with a number reads it for every event, so integers are converted here.
    pub(super) fn from_literal(literal: Arc<Json>) -> Self {
        match literal.as_i64() {
            Some(int) => Self::Int(int),
            None => Self::Literal(literal),
        }
    }

    /// `base[key]`.
    pub(super) fn from_index(base: Self, key: Self) -> Self {
        if let (Self::Local(slot), Self::Literal(literal)) = (&base, &key)
            && let Some(text) = literal.as_str()
        {
            return Self::Field(*slot, Box::from(text));
        }
        Self::Index(Box::new([base, key]))
    }

    /// The value; `None` if only the interpreter can tell.
    ///
    /// Half of all expressions are names, literals and fields, which need nothing of what the others do.
    pub(super) fn evaluate<'a>(&'a self, run: &NativeRun<'a>, frame: &NativeFrame<'a>) -> Option<NativeValue<'a>> {
        self.evaluate_here(run, frame)
    }

    /// The same as a part of its caller: for operands of what most conditions are.
    #[inline(always)]
    fn evaluate_here<'a>(&'a self, run: &NativeRun<'a>, frame: &NativeFrame<'a>) -> Option<NativeValue<'a>> {
        match self {
            Self::Local(slot) => frame.get(*slot)?.get(),
            Self::Int(int) => Some(NativeValue::Int(*int)),
            Self::Literal(literal) => NativeValue::from_json(literal),
            Self::Field(slot, key) => frame.get(*slot)?.get()?.find_entry(NativeValue::Text(key)),
            _ => {
                run.enter(1)?;
                let value = self.compute(run, frame);
                run.leave(1);
                value
            }
        }
    }

    #[inline(never)]
    fn compute<'a>(&'a self, run: &NativeRun<'a>, frame: &NativeFrame<'a>) -> Option<NativeValue<'a>> {
        let see = |expression: &'a Self| expression.evaluate(run, frame);
        Some(match self {
            Self::Local(_) | Self::Int(_) | Self::Literal(_) | Self::Field(..) => return self.evaluate(run, frame),
            Self::List(items) => {
                let items = items.iter().map(see).collect::<Option<Vec<_>>>()?;
                run.make_list(&items)?
            }
            Self::Index(parts) => {
                let [base, key] = &**parts;
                see(base)?.find_entry(see(key)?)?
            }
            Self::Slice(text, start, stop) => NativeValue::Text(slice(see(text)?.as_text()?, *start, *stop)?),
            Self::Get(parts) => {
                let [base, key, default] = &**parts;
                match (see(base)?, see(key)?, see(default)?) {
                    (NativeValue::Object(fields), NativeValue::Text(key), default) => match get_field(fields, key) {
                        Some(field) => NativeValue::from_json(field)?,
                        None => default,
                    },
                    _ => return None,
                }
            }
            Self::Not(inner) => NativeValue::Bool(!see(inner)?.is_truthy()),
            Self::And(parts) => {
                let [left, right] = &**parts;
                let left = see(left)?;
                if left.is_truthy() { see(right)? } else { left }
            }
            Self::Or(parts) => {
                let [left, right] = &**parts;
                let left = see(left)?;
                if left.is_truthy() { left } else { see(right)? }
            }
            Self::If(parts) => {
                let [condition, yes, no] = &**parts;
                if see(condition)?.is_truthy() { see(yes)? } else { see(no)? }
            }
            Self::Compare(comparison, parts) => {
                let [left, right] = &**parts;
                let left = left.evaluate_here(run, frame)?;
                NativeValue::Bool(left.compare(*comparison, right.evaluate_here(run, frame)?)?)
            }
            Self::In(parts) => {
                let [item, container] = &**parts;
                NativeValue::Bool(see(item)?.is_in(see(container)?)?)
            }
            Self::Add(parts) => {
                let [left, right] = &**parts;
                match (see(left)?, see(right)?) {
                    (NativeValue::Int(one), NativeValue::Int(other)) => NativeValue::Int(one.checked_add(other)?),
                    (NativeValue::Text(one), NativeValue::Text(other)) => run.make_text(&[one, other].concat())?,
                    _ => return None,
                }
            }
            Self::Subtract(parts) => {
                let [left, right] = &**parts;
                match (see(left)?, see(right)?) {
                    (NativeValue::Int(one), NativeValue::Int(other)) => NativeValue::Int(one.checked_sub(other)?),
                    _ => return None,
                }
            }
            Self::Unary(operation, value) => operation.apply(value.evaluate_here(run, frame)?, run)?,
            Self::Search(search, parts) => {
                let [text, needle] = &**parts;
                search.apply(see(text)?.as_text()?, see(needle)?, run)?
            }
            Self::Replace(parts) => {
                let [text, old, new] = &**parts;
                let (text, old, new) = (see(text)?.as_text()?, see(old)?.as_text()?, see(new)?.as_text()?);
                if old.is_empty() {
                    return None;
                }
                if contains(text, old) { run.make_text(&text.replace(old, new))? } else { NativeValue::Text(text) }
            }
            Self::Format(parts) => {
                let mut text = String::new();
                for part in parts {
                    see(part)?.write_str(&mut text)?;
                }
                run.make_text(&text)?
            }
            Self::Comprehension(comprehension) => comprehension.evaluate(run, frame)?,
            Self::Call(function, arguments) => run.call_function(*function, arguments.iter().map(see))?.into_value()?,
        })
    }
}

impl UnaryOperation {
    fn apply<'a>(self, value: NativeValue<'a>, run: &NativeRun<'a>) -> Option<NativeValue<'a>> {
        Some(match self {
            Self::Len => NativeValue::Int(value.value_length()?),
            Self::Any | Self::All => {
                let stops_at = matches!(self, Self::Any);
                let mut answer = !stops_at;
                for item in value.items()? {
                    if item?.is_truthy() == stops_at {
                        answer = stops_at;
                        break;
                    }
                }
                NativeValue::Bool(answer)
            }
            Self::Lower => run.make_text(&value.as_text()?.to_lowercase())?,
            Self::Upper => run.make_text(&value.as_text()?.to_uppercase())?,
            Self::Strip => NativeValue::Text(value.as_text()?.trim()),
            Self::LeftStrip => NativeValue::Text(value.as_text()?.trim_start()),
            Self::RightStrip => NativeValue::Text(value.as_text()?.trim_end()),
        })
    }
}

impl TextSearch {
    fn apply<'a>(self, text: &'a str, needle: NativeValue<'a>, run: &NativeRun<'a>) -> Option<NativeValue<'a>> {
        let any = |is_at_end: fn(&'a str, &'a str) -> bool| {
            let mut found = false;
            for needle in needle.items()? {
                found |= is_at_end(text, needle?.as_text()?);
            }
            Some(NativeValue::Bool(found))
        };
        match self {
            Self::StartsWith => Some(NativeValue::Bool(text.starts_with(needle.as_text()?))),
            Self::EndsWith => Some(NativeValue::Bool(text.ends_with(needle.as_text()?))),
            Self::StartsWithAny => any(|text, needle| text.starts_with(needle)),
            Self::EndsWithAny => any(|text, needle| text.ends_with(needle)),
            Self::Find => {
                let found = memchr::memmem::find(text.as_bytes(), needle.as_text()?.as_bytes());
                let index = match found {
                    Some(offset) => i64::from(i32::try_from(text.get(..offset)?.chars().count()).ok()?),
                    None => -1,
                };
                Some(NativeValue::Int(index))
            }
            Self::Split => {
                let separator = needle.as_text().filter(|separator| !separator.is_empty())?;
                run.make_list(&text.split(separator).map(NativeValue::Text).collect::<Vec<_>>())
            }
        }
    }
}

impl NativeComprehension {
    fn evaluate<'a>(&'a self, run: &NativeRun<'a>, frame: &NativeFrame<'a>) -> Option<NativeValue<'a>> {
        let mut made = Vec::new();
        for item in self.over.evaluate(run, frame)?.items()? {
            frame.get(self.slot)?.set(Some(item?));
            let mut is_wanted = true;
            for condition in &self.conditions {
                is_wanted = is_wanted && condition.evaluate(run, frame)?.is_truthy();
            }
            if is_wanted {
                made.push(self.item.evaluate(run, frame)?);
            }
        }
        run.make_list(&made)
    }
}
