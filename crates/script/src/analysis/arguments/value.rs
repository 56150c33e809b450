//! The abstract values of the analysis.

use std::collections::BTreeSet;

/// The possible values of an expression, and its possible contents if it is a list, a dict or a tuple.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AbstractValue {
    pub(super) values: PossibleValues,
    /// The possible contents, at any depth.
    pub(super) contents: PossibleValues,
}

/// The payload.
pub(super) const PAYLOAD: u8 = 1;
/// `payload["arguments"]`.
pub(super) const ARGUMENTS: u8 = 1 << 1;
/// The string `"arguments"`.
pub(super) const FIELD_NAME: u8 = 1 << 2;
/// A string of the script.
pub(super) const TEXT: u8 = 1 << 3;
/// The method `get` of the payload.
pub(super) const GETTER: u8 = 1 << 4;
/// Any other value.
pub(super) const OTHER: u8 = 1 << 5;

/// Possible values; empty means "never evaluated".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PossibleValues {
    /// Those of the kinds above.
    kinds: u8,
    /// Functions of the script, by index.
    pub(super) functions: BTreeSet<usize>,
}

impl PossibleValues {
    pub(super) fn may_be(&self, kind: u8) -> bool {
        self.kinds & kind != 0
    }

    /// Whether this is always of one kind.
    pub(super) fn is_only(&self, kind: u8) -> bool {
        self.kinds == kind && self.functions.is_empty()
    }

    /// Adds kinds if a condition holds.
    pub(super) fn add_if(&mut self, condition: bool, kinds: u8) {
        self.kinds |= if condition { kinds } else { 0 };
    }

    /// Adds the possible values of another one. Returns whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let before = (self.kinds, self.functions.len());
        self.kinds |= other.kinds;
        self.functions.extend(&other.functions);
        before != (self.kinds, self.functions.len())
    }
}

impl AbstractValue {
    /// A value that the analysis ignores.
    pub(super) fn uninteresting() -> Self {
        Self::from_kinds(OTHER)
    }

    pub(super) fn from_kinds(kinds: u8) -> Self {
        Self { values: PossibleValues { kinds, ..PossibleValues::default() }, ..Self::default() }
    }

    pub(super) fn from_function(number: usize) -> Self {
        Self { values: PossibleValues { kinds: 0, functions: BTreeSet::from([number]) }, ..Self::default() }
    }

    /// A string of the script.
    pub(super) fn from_text(text: &str) -> Self {
        Self::from_kinds(TEXT | OTHER | if text == super::FIELD { FIELD_NAME } else { 0 })
    }

    /// `payload["arguments"]`, or possibly another value if it is not `certain`.
    pub(super) fn from_arguments(certain: bool) -> Self {
        Self::from_kinds(if certain { ARGUMENTS } else { ARGUMENTS | OTHER })
    }

    /// A list or another value that contains these.
    pub(super) fn from_items<'v>(values: impl IntoIterator<Item = &'v Self>) -> Self {
        let mut made = Self::uninteresting();
        for value in values {
            made.insert(value);
        }
        made
    }

    /// Inserts a value into this one. Returns whether anything was new.
    pub(super) fn insert(&mut self, value: &Self) -> bool {
        let own = self.contents.join(&value.values);
        self.contents.join(&value.contents) || own
    }

    /// Any element of this value.
    pub(super) fn any_element(&self) -> Self {
        let mut own = self.contents.clone();
        // Iterating over a payload yields its keys.
        own.add_if(self.values.may_be(PAYLOAD), TEXT | FIELD_NAME);
        own.kinds |= OTHER;
        Self { values: own, contents: self.contents.clone() }
    }

    /// Adds the possible values of another one. Returns whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let own = self.values.join(&other.values);
        self.contents.join(&other.contents) || own
    }

    pub(super) fn joined_with(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}
