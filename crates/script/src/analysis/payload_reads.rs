//! What a script reads of a payload, as data.

/// The payload reads of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PayloadReads {
    /// The fields that are read.
    pub(crate) keys: FieldSet,
    /// Whether the script may change a part of the payload in place.
    pub(crate) may_mutate: bool,
    /// The form in which it expects `payload["arguments"]`.
    pub(crate) arguments: ArgumentsForm,
}

/// The fields of a payload, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldSet {
    /// None: at most their existence is checked.
    None,
    /// Only these, if it has fields at all; each with the fields read of it.
    Some(Vec<(String, FieldSet)>),
    /// Any: it is passed on, iterated, printed, …
    All,
}

impl FieldSet {
    /// The fields that are read of one of them.
    pub(crate) fn field(&self, name: &str) -> &Self {
        match self {
            Self::Some(fields) => {
                fields.iter().find(|(field, _)| field == name).map_or(&Self::None, |(_, fields)| fields)
            }
            whole => whole,
        }
    }
}

/// The form in which a script expects `payload["arguments"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentsForm {
    /// JSON text, as the reference says.
    Text,
    /// Decoded, as scripts written for the first implementation expect.
    Dict,
}
