//! Why a payload is not valid for its event.

/// The reason why a payload, or a rewrite of it, is not valid for its event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventPayloadError {
    /// The whole payload has another type than the event's.
    #[error("the payload of `{event}` must stay {expected}")]
    PayloadType {
        /// The name of the event.
        event: &'static str,
        /// The type, such as `an object`.
        expected: &'static str,
    },
    /// A required field is missing or has another type.
    #[error("`{field}` must stay {expected}")]
    RequiredField {
        /// The name of the field.
        field: String,
        /// The type, such as `a string`.
        expected: &'static str,
    },
    /// The text `arguments` of a tool call is not JSON.
    #[error("`arguments` is not JSON: {reason}")]
    ArgumentsNotJson {
        /// The parser's error text.
        reason: String,
    },
    /// The arguments of a tool call are not an object.
    #[error("`args` must be an object")]
    ArgumentsNotAnObject,
    /// A field has another type than the payload type declares.
    #[error("`{field}` must be {expected}, not `{found}`")]
    FieldType {
        /// The name of the field.
        field: String,
        /// The type, such as `a number`.
        expected: &'static str,
        /// The start of the value, as JSON.
        found: String,
    },
    /// A value inside a field does not have the declared shape.
    #[error("`{field}` does not fit the event: {reason}")]
    FieldShape {
        /// The name of the field.
        field: String,
        /// The deserialiser's error text.
        reason: String,
    },
    /// A model's answer has an empty list of choices.
    #[error("`choices` must contain at least one choice")]
    NoChoices,
    /// A message has a role that models do not have.
    #[error("a message has the unknown role `{role}`; a role is {known}")]
    UnknownRole {
        /// The role that was given.
        role: String,
        /// The known roles, joined by commas.
        known: String,
    },
    /// The content of a message is neither a text nor a list.
    #[error("the `content` of a message must be a text or a list of parts")]
    MessageContent,
    /// A conversation consists of instructions only.
    #[error("`messages` must contain a message that is not a system message")]
    NoConversation,
}
