//! Telling that JSON text stands as the writer writes it, without making values of it.
//!
//! What is told here is enough and not needed: text that is not recognised may still be as it is written, such as a number
//! with an exponent. Whoever asks then reads it and writes it again.

use std::collections::HashMap;

use super::NAME;
use super::cut::{BRANCH_BYTES, STRING_BYTES};
use super::resolve::MOST_BYTES;
use crate::line::{DEEPEST, digest};

/// The names of one object are held against each other, so that there are not many of them.
const MOST_NAMES: usize = 40;
/// The beginning of names that stand for something else to who reads JSON here.
const PRIVATE: &str = "$serde_json";

/// The blobs of a tape, without what is in them.
#[derive(Debug, Default)]
pub(crate) struct Shapes<'t> {
    known: HashMap<&'t str, Shape>,
}

/// What matters of a blob where it is referred to.
#[derive(Debug, Clone, Copy)]
struct Shape {
    kind: Kind,
    /// Whether the writer keeps it elsewhere than in its record.
    is_large: bool,
    /// How much it is once everything is put back.
    size_bytes: usize,
    /// How deep its brackets nest then.
    depth: usize,
}

/// A kind of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// An array.
    List,
    /// Any other one.
    Other,
}

/// Goes through the fields of one record.
#[derive(Debug)]
pub(crate) struct Scan<'s, 't> {
    shapes: &'s Shapes<'t>,
    text: &'s str,
    at: usize,
    /// The names of the objects that are open, by their places.
    names: Vec<(usize, usize)>,
    /// How much is put back into the record.
    size_bytes: usize,
    deepest: usize,
}

impl<'t> Shapes<'t> {
    /// Keeps a blob, whose fields stand behind the kind in its line; `None` where it is not one as it is written.
    pub(crate) fn keep(&mut self, rest: &'t str) -> Option<()> {
        let (name, value) = rest.strip_prefix(",\"digest\":\"")?.split_at_checked(64)?;
        let value = value.strip_prefix("\",\"value\":")?.strip_suffix('}')?;
        if digest(value.as_bytes()) != name || self.known.contains_key(name) {
            return None;
        }
        let shape = {
            let mut scan = Scan::new(self, value);
            let kind = scan.any(0)?;
            let least = if kind == Kind::Text { STRING_BYTES } else { BRANCH_BYTES };
            let is_branch = value.starts_with(['{', '[']);
            let is_large = value.len() >= least && (is_branch || kind == Kind::Text);
            let (size_bytes, depth) = (scan.size_bytes.checked_add(value.len())?, scan.deepest);
            (scan.at == value.len()).then_some(Shape { kind, is_large, size_bytes, depth })?
        };
        self.known.insert(name, shape);
        Some(())
    }
}

impl<'s, 't> Scan<'s, 't> {
    pub(crate) fn new(shapes: &'s Shapes<'t>, text: &'s str) -> Self {
        Self { shapes, text, at: 0, names: Vec::new(), size_bytes: 0, deepest: 0 }
    }

    /// Where it is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Whether this byte comes next; it is then gone over.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// A name, without its quotes.
    pub(crate) fn name(&mut self) -> Option<&'s str> {
        let start = self.at;
        self.string()?;
        self.text.get(start + 1..self.at - 1)
    }

    /// Goes over the value of a field of the record.
    pub(crate) fn field(&mut self) -> Option<Kind> {
        self.value(1)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A value that stands in its place, and so is not large.
    fn value(&mut self, depth: usize) -> Option<Kind> {
        let start = self.at;
        let first = self.peek()?;
        let kind = self.any(depth)?;
        let most = match first {
            b'"' => STRING_BYTES,
            b'{' | b'[' => BRANCH_BYTES,
            _ => usize::MAX,
        };
        (self.at - start < most).then_some(kind)
    }

    fn any(&mut self, depth: usize) -> Option<Kind> {
        match self.peek()? {
            b'"' => self.string().map(|()| Kind::Text),
            b'{' => self.object(depth + 1),
            b'[' => self.list(depth + 1),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn deep(&mut self, depth: usize) -> Option<()> {
        self.deepest = self.deepest.max(depth);
        (depth <= DEEPEST).then_some(())
    }

    fn list(&mut self, depth: usize) -> Option<Kind> {
        self.deep(depth)?;
        self.at += 1;
        if self.eat(b']') {
            return Some(Kind::List);
        }
        loop {
            self.value(depth)?;
            if self.eat(b']') {
                return Some(Kind::List);
            }
            self.eat(b',').then_some(())?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Kind> {
        self.deep(depth)?;
        self.at += 1;
        if self.eat(b'}') {
            return Some(Kind::Other);
        }
        let first = self.names.len();
        let mut last = (0, 0);
        loop {
            self.named(first)?;
            self.eat(b':').then_some(())?;
            last.0 = self.at;
            self.value(depth)?;
            last.1 = self.at;
            if self.eat(b'}') {
                break;
            }
            self.eat(b',').then_some(())?;
        }
        let only = self.names.get(first..).and_then(|names| <&[_; 1]>::try_from(names).ok()).copied();
        self.names.truncate(first);
        match only {
            Some([(start, end)]) if self.text.get(start..end)? == NAME => self.refer(last, depth - 1),
            _ => Some(Kind::Other),
        }
    }

    /// A name that no other one of the object is, from `first` on.
    fn named(&mut self, first: usize) -> Option<()> {
        let start = self.at + 1;
        self.string()?;
        let place = (start, self.at - 1);
        let name = self.text.get(start..self.at - 1)?;
        let others = self.names.get(first..)?;
        let is_new = |other: &(usize, usize)| self.text.get(other.0..other.1) != Some(name);
        let is_plain = others.len() < MOST_NAMES && !name.starts_with(PRIVATE) && others.iter().all(is_new);
        is_plain.then(|| self.names.push(place))
    }

    /// A reference, whose digest stands here with its quotes. `depth` brackets stand around it.
    fn refer(&mut self, (start, end): (usize, usize), depth: usize) -> Option<Kind> {
        let name = self.text.get(start + 1..end.checked_sub(1)?)?;
        let shape = self.shapes.known.get(name).filter(|shape| shape.is_large).copied()?;
        self.deep(depth + shape.depth)?;
        self.size_bytes = self.size_bytes.checked_add(shape.size_bytes).filter(|size| *size <= MOST_BYTES)?;
        Some(shape.kind)
    }

    /// A text, with the escapes that the writer uses and no others.
    fn string(&mut self) -> Option<()> {
        self.eat(b'"').then_some(())?;
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            self.at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
            if self.eat(b'"') {
                return Some(());
            }
            self.eat(b'\\').then_some(())?;
            match self.peek()? {
                b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r' => self.at += 1,
                b'u' => {
                    let digits = self.text.as_bytes().get(self.at + 1..self.at + 5)?;
                    let [b'0', b'0', high @ (b'0' | b'1'), low @ (b'0'..=b'9' | b'a'..=b'f')] = digits else {
                        return None;
                    };
                    // These have a shorter escape.
                    if *high == b'0' && matches!(low, b'8' | b'9' | b'a' | b'c' | b'd') {
                        return None;
                    }
                    self.at += 5;
                }
                _ => return None,
            }
        }
    }

    fn word(&mut self, word: &str) -> Option<Kind> {
        self.text.get(self.at..)?.starts_with(word).then(|| self.at += word.len())?;
        Some(Kind::Other)
    }

    /// A number without an exponent.
    fn number(&mut self) -> Option<Kind> {
        let is_negative = self.eat(b'-');
        let start = self.at;
        let whole = self.digits()?;
        let is_zero = self.text.as_bytes().get(start) == Some(&b'0');
        if is_zero && (whole > 1 || is_negative) {
            return None;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        (!matches!(self.peek(), Some(b'e' | b'E'))).then_some(Kind::Other)
    }

    /// How many digits there are, at least one.
    fn digits(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Some(self.at - start).filter(|count| *count > 0)
    }
}

#[cfg(test)]
mod tests;
