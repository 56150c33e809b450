//! The values of a template during rendering.

use std::rc::Rc;

use serde_json::{Number, Value};

/// A value: of the input or the template, computed by a function, or a known field that the input omits.
///
/// A function computes only strings, numbers and booleans, so that a clone is always cheap.
#[derive(Debug, Clone)]
pub(super) enum TemplateValue<'a> {
    /// A field that the dialect omits if it is empty.
    Absent,
    /// A borrowed value.
    Known(&'a Value),
    /// A computed value.
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

    /// The value; null if it is absent.
    pub(super) fn value(&self) -> &Value {
        match self {
            Self::Absent => &NOTHING,
            Self::Known(value) => value,
            Self::Computed(value) => value,
        }
    }

    /// A part of the value. A computed value has no parts.
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

    /// The kind of the value, for messages.
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

    /// A non-negative integer.
    pub(super) fn as_count(&self) -> Option<usize> {
        self.value().as_u64().and_then(|count| usize::try_from(count).ok())
    }
}
