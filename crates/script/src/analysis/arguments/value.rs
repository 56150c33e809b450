//! The abstract values of the analysis.

use std::collections::BTreeSet;

/// The possible values of an expression, and its possible contents if it is a list, a dict or a tuple.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AbstractValue {
    pub(super) values: PossibleValues,
    /// The possible contents, at any depth.
    pub(super) contents: PossibleValues,
}

/// Possible values; empty means "never evaluated".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PossibleValues {
    pub(super) payload: bool,
    /// `payload["arguments"]`.
    pub(super) arguments: bool,
    /// The string `"arguments"`.
    pub(super) field: bool,
    /// A string of the script.
    pub(super) text: bool,
    /// The method `get` of the payload.
    pub(super) getter: bool,
    /// Any other value.
    pub(super) other: bool,
    /// Functions of the script, by index.
    pub(super) functions: BTreeSet<usize>,
}

impl PossibleValues {
    /// Adds the possible values of another one. Returns whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let before = (self.as_flags(), self.functions.len());
        self.payload |= other.payload;
        self.arguments |= other.arguments;
        self.field |= other.field;
        self.text |= other.text;
        self.getter |= other.getter;
        self.other |= other.other;
        self.functions.extend(&other.functions);
        before != (self.as_flags(), self.functions.len())
    }

    fn as_flags(&self) -> [bool; 6] {
        [self.payload, self.arguments, self.field, self.text, self.getter, self.other]
    }

    /// Whether this is always `payload["arguments"]`.
    pub(super) fn is_only_arguments(&self) -> bool {
        *self == Self { arguments: true, ..Self::default() }
    }

    /// Whether this is always the method `get` of the payload.
    pub(super) fn is_only_getter(&self) -> bool {
        *self == Self { getter: true, ..Self::default() }
    }
}

impl AbstractValue {
    /// A value that the analysis ignores.
    pub(super) fn uninteresting() -> Self {
        Self::from_values(PossibleValues { other: true, ..PossibleValues::default() })
    }

    pub(super) fn from_payload() -> Self {
        Self::from_values(PossibleValues { payload: true, ..PossibleValues::default() })
    }

    pub(super) fn from_function(number: usize) -> Self {
        Self::from_values(PossibleValues { functions: BTreeSet::from([number]), ..PossibleValues::default() })
    }

    /// A string of the script.
    pub(super) fn from_text(text: &str) -> Self {
        Self::from_values(PossibleValues {
            text: true,
            field: text == super::FIELD,
            other: true,
            ..PossibleValues::default()
        })
    }

    /// `payload["arguments"]`, or possibly another value if it is not `certain`.
    pub(super) fn from_arguments(certain: bool) -> Self {
        Self::from_values(PossibleValues { arguments: true, other: !certain, ..PossibleValues::default() })
    }

    pub(super) fn from_values(values: PossibleValues) -> Self {
        Self { values, contents: PossibleValues::default() }
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
        own.text |= self.values.payload;
        own.field |= self.values.payload;
        own.other = true;
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
