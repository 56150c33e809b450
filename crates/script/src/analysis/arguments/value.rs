//! What an expression may stand for, as far as it matters here.

use std::collections::BTreeSet;

/// What an expression may be, and what it may hold when it is a list, a dictionary or a tuple.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Abstract {
    pub(super) own: Things,
    /// What is in it, at any depth.
    pub(super) inside: Things,
}

/// What a value may be; nothing of it is "never evaluated".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Things {
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

impl Things {
    /// Adds what the other may be. Whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let before = (self.flags(), self.functions.len());
        self.payload |= other.payload;
        self.arguments |= other.arguments;
        self.field |= other.field;
        self.text |= other.text;
        self.getter |= other.getter;
        self.other |= other.other;
        self.functions.extend(&other.functions);
        before != (self.flags(), self.functions.len())
    }

    fn flags(&self) -> [bool; 6] {
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

impl Abstract {
    /// What is of no interest.
    pub(super) fn plain() -> Self {
        Self::of(Things { other: true, ..Things::default() })
    }

    pub(super) fn payload() -> Self {
        Self::of(Things { payload: true, ..Things::default() })
    }

    pub(super) fn function(number: usize) -> Self {
        Self::of(Things { functions: BTreeSet::from([number]), ..Things::default() })
    }

    /// A text of the script.
    pub(super) fn text(text: &str) -> Self {
        Self::of(Things { text: true, field: text == super::FIELD, other: true, ..Things::default() })
    }

    /// `payload["arguments"]`, or something else where it is not `certain`.
    pub(super) fn arguments(certain: bool) -> Self {
        Self::of(Things { arguments: true, other: !certain, ..Things::default() })
    }

    pub(super) fn of(own: Things) -> Self {
        Self { own, inside: Things::default() }
    }

    /// A list or another value that holds these.
    pub(super) fn holding<'v>(values: impl IntoIterator<Item = &'v Self>) -> Self {
        let mut made = Self::plain();
        for value in values {
            made.hold(value);
        }
        made
    }

    /// Puts a value into this one. Whether anything was new.
    pub(super) fn hold(&mut self, value: &Self) -> bool {
        let own = self.inside.join(&value.own);
        self.inside.join(&value.inside) || own
    }

    /// One of the things that this holds.
    pub(super) fn element(&self) -> Self {
        let mut own = self.inside.clone();
        // A payload is gone through key by key.
        own.text |= self.own.payload;
        own.field |= self.own.payload;
        own.other = true;
        Self { own, inside: self.inside.clone() }
    }

    /// Adds what the other may be. Whether anything was new.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let own = self.own.join(&other.own);
        self.inside.join(&other.inside) || own
    }

    pub(super) fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}
