//! What an expression may stand for, as far as it matters here.

use std::collections::BTreeSet;

/// What an expression may be, and what it may hold when it is a list, a dictionary or a tuple.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AbstractValue {
    pub(super) values: PossibleValues,
    /// What is in it, at any depth.
    pub(super) contents: PossibleValues,
}

/// What a value may be; nothing of it is "never evaluated".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PossibleValues {
    /// The payload.
    pub(super) payload: bool,
    /// `payload["arguments"]`.
    pub(super) arguments: bool,
    /// The text `"arguments"`.
    pub(super) field: bool,
    /// A text of the script.
    pub(super) text: bool,
    /// The method `get` of the payload.
    pub(super) getter: bool,
    /// Anything else.
    pub(super) other: bool,
    /// Functions of the script, by their number.
    pub(super) functions: BTreeSet<usize>,
}

impl PossibleValues {
    /// Adds what the other may be. Whether anything was new.
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

    /// Whether this is `payload["arguments"]` whenever it is evaluated.
    pub(super) fn is_only_arguments(&self) -> bool {
        *self == Self { arguments: true, ..Self::default() }
    }

    /// Whether this is the method `get` of the payload whenever it is evaluated.
    pub(super) fn is_only_getter(&self) -> bool {
        *self == Self { getter: true, ..Self::default() }
    }
}

impl AbstractValue {
    /// What is of no interest.
    pub(super) fn uninteresting() -> Self {
        Self::from_values(PossibleValues { other: true, ..PossibleValues::default() })
    }

    pub(super) fn from_payload() -> Self {
        Self::from_values(PossibleValues { payload: true, ..PossibleValues::default() })
    }

    pub(super) fn from_function(number: usize) -> Self {
        Self::from_values(PossibleValues { functions: BTreeSet::from([number]), ..PossibleValues::default() })
    }

    /// A text of the script.
    pub(super) fn from_text(text: &str) -> Self {
        Self::from_values(PossibleValues {
            text: true,
            field: text == super::FIELD,
            other: true,
            ..PossibleValues::default()
        })
    }

    /// `payload["arguments"]`, or something else where it is not `certain`.
    pub(super) fn from_arguments(certain: bool) -> Self {
        Self::from_values(PossibleValues { arguments: true, other: !certain, ..PossibleValues::default() })
    }

    pub(super) fn from_values(own: PossibleValues) -> Self {
        Self { values: own, contents: PossibleValues::default() }
    }

    /// A list or another value that holds these.
    pub(super) fn from_items<'v>(values: impl IntoIterator<Item = &'v Self>) -> Self {
        let mut made = Self::uninteresting();
        for value in values {
            made.insert(value);
        }
        made
    }

    /// Puts a value into this one. Whether anything was new.
    pub(super) fn insert(&mut self, value: &Self) -> bool {
        let own = self.contents.join(&value.values);
        self.contents.join(&value.contents) || own
    }

    /// One of the things that this holds.
    pub(super) fn any_element(&self) -> Self {
        let mut own = self.contents.clone();
        // A payload is gone through key by key.
        own.text |= self.values.payload;
        own.field |= self.values.payload;
        own.other = true;
        Self { values: own, contents: self.contents.clone() }
    }

    /// Adds what the other may be. Whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let own = self.values.join(&other.values);
        self.contents.join(&other.contents) || own
    }

    pub(super) fn joined_with(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}
