//! A value while a template is filled in.

use std::rc::Rc;

use serde_json::{Number, Value};

/// A value: of the input or the template, made by a function, or a known field that the input leaves out.
///
/// What a function makes is a text, a number or a truth value, so that a clone is always cheap.
#[derive(Debug, Clone)]
pub(super) enum TemplateValue<'a> {
    /// A field that the dialect leaves out when it is empty.
    Absent,
    /// A value that is there already.
    Known(&'a Value),
    /// A value that was made.
    Computed(Rc<Value>),
}

static NOTHING: Value = Value::Null;

impl<'a> TemplateValue<'a> {
    pub(super) fn from_text(text: String) -> Self {
        Self::Computed(Rc::new(Value::String(text)))
    }

    pub(super) fn from_bool(truth: bool) -> Self {
        Self::Computed(Rc::new(Value::Bool(truth)))
    }

    pub(super) fn from_count(count: usize) -> Self {
        Self::Computed(Rc::new(Value::Number(Number::from(count))))
    }

    /// The value; null for what is absent.
    pub(super) fn value(&self) -> &Value {
        match self {
            Self::Absent => &NOTHING,
            Self::Known(value) => value,
            Self::Computed(value) => value,
        }
    }

    /// A part of the value. What was made has no parts.
    pub(super) fn borrow_part(&self, pick: impl FnOnce(&'a Value) -> Option<&'a Value>) -> Option<Self> {
        match self {
            Self::Known(value) => pick(value).map(Self::Known),
            Self::Absent | Self::Computed(_) => None,
        }
    }

    /// Whether a condition holds: not false, 0, empty or nothing.
    pub(super) fn is_truthy(&self) -> bool {
        match self.value() {
            Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        }
    }

    /// The value's kind, for messages.
    pub(super) fn kind_name(&self) -> &'static str {
        match self.value() {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// A whole number that is not negative.
    pub(super) fn as_count(&self) -> Option<usize> {
        self.value().as_u64().and_then(|count| usize::try_from(count).ok())
    }
}
