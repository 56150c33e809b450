//! JSON values of Python objects, and back, without JSON text in between. What JSON does not have is an error that says where
//! it is; nothing is left out or changed.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// How deep lists and dicts may be nested. A record of the tape, which contains the value, is read up to 128 levels.
const MAX_DEPTH: usize = 100;

/// What is wrong with an object, and where in the value it is.
struct JsonFault {
    /// The keys and indexes that lead to it, the innermost first.
    path: Vec<String>,
    is_type_error: bool,
    message: String,
}

impl JsonFault {
    fn of_type(message: impl Into<String>) -> Box<Self> {
        Box::new(Self { path: Vec::new(), is_type_error: true, message: message.into() })
    }

    fn of_value(message: impl Into<String>) -> Box<Self> {
        Box::new(Self { path: Vec::new(), is_type_error: false, message: message.into() })
    }

    fn within(mut self: Box<Self>, part: impl FnOnce() -> String) -> Box<Self> {
        // The path to a value that contains itself is not worth reading.
        if self.path.len() < 8 {
            self.path.push(part());
        }
        self
    }

    fn to_error(&self, name: &str) -> PyErr {
        let path: String = self.path.iter().rev().map(String::as_str).collect();
        let message = format!("{name}{path}: {}", self.message);
        if self.is_type_error { PyTypeError::new_err(message) } else { PyValueError::new_err(message) }
    }
}

/// The JSON value of an object. `name` is what the object is called in an error.
///
/// # Errors
/// When it has a part that JSON does not have.
pub(crate) fn from_python(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Value> {
    convert(object, 0).map_err(|fault| fault.to_error(name))
}

fn convert(object: &Bound<'_, PyAny>, depth: usize) -> Result<Value, Box<JsonFault>> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(convert_text(text)?.to_owned()));
    }
    if depth >= MAX_DEPTH && !object.is_none() {
        let message = format!("it is nested more than {MAX_DEPTH} levels deep, or contains itself");
        return Err(JsonFault::of_value(message));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let mut fields = Map::with_capacity(dict.len());
        for (key, field) in dict.iter() {
            let Ok(key) = key.cast::<PyString>() else {
                let kind = type_name(&key);
                return Err(JsonFault::of_type(format!(
                    "a key of JSON is a str, and this dict has a key of type {kind}"
                )));
            };
            let key = convert_text(key)?;
            let value = convert(&field, depth + 1).map_err(|fault| fault.within(|| format!("[{key:?}]")))?;
            fields.insert(key.to_owned(), value);
        }
        return Ok(Value::Object(fields));
    }
    if let Ok(list) = object.cast::<PyList>() {
        return convert_items(list.iter(), depth);
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    // A bool is an int, too.
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(number) = object.cast::<PyInt>() {
        let number = number.extract::<i64>().map(Number::from).or_else(|_| number.extract::<u64>().map(Number::from));
        return number.map(Value::Number).map_err(|_| JsonFault::of_value("the integer has more than 64 bits"));
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        let number = Number::from_f64(number.value());
        return number
            .map(Value::Number)
            .ok_or_else(|| JsonFault::of_value("NaN and infinity are not numbers of JSON"));
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return convert_items(tuple.iter(), depth);
    }
    Err(JsonFault::of_type(format!("JSON has no values of type {}", type_name(object))))
}

fn convert_items<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>, depth: usize) -> Result<Value, Box<JsonFault>> {
    let converted = items
        .enumerate()
        .map(|(index, item)| convert(&item, depth + 1).map_err(|fault| fault.within(|| format!("[{index}]"))));
    converted.collect::<Result<Vec<Value>, _>>().map(Value::Array)
}

fn convert_text<'a>(text: &'a Bound<'_, PyString>) -> Result<&'a str, Box<JsonFault>> {
    text.to_str().map_err(|_| JsonFault::of_value("the str has half of a surrogate pair, which UTF-8 does not have"))
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| String::from("unknown"), |name| name.to_string_lossy().into_owned())
}

/// The Python object of a JSON value: a new one each time, so that changing it changes nothing else.
///
/// # Errors
/// When Python has no memory for it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (key, field) in fields {
                dict.set_item(key, to_python(py, field)?)?;
            }
            dict.into_any()
        }
    })
}
