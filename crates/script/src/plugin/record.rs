//! The registration functions at work: each call is written down as it was made.

use pintle_contract::FunctionRef;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use starlark::environment::Module;
use starlark::eval::{Arguments, Evaluator};
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;

use crate::analysis::Step;
use crate::payload::{from_script, without_form};
use crate::state::refusal;
use crate::values::Loading;

/// Calls of registration functions that one plugin may make.
const MAX_CALLS: usize = 10_000;
/// Values that the arguments of all calls may hold together.
const MAX_VALUES: usize = 200_000;
/// Bytes of text that they may hold together.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// How deep an argument may be nested.
const MAX_DEPTH: usize = 64;

/// One call of a registration function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// The function that was called.
    pub function: String,
    /// Its arguments without a name.
    pub arguments: Vec<Given>,
    /// Its arguments with a name.
    pub named: Vec<(String, Given)>,
    /// The call, as a range of the prepared text.
    pub span: Option<(usize, usize)>,
}

/// An argument of a registration function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// A value.
    Value(Json),
    /// The function of this number.
    Function(u32),
    /// A dictionary with a function in it.
    Table(Vec<(String, Given)>),
    /// A list with a function in it.
    List(Vec<Given>),
}

/// What a plugin registered so far.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(super) calls: Vec<Recorded>,
    /// For each function: the call it was handed to, and the way into the arguments.
    pub(super) ways: Vec<(usize, Vec<Step>)>,
    values: usize,
    text_bytes: usize,
}

/// The name under which a module keeps a function that was registered. No script can write it.
pub(super) fn slot(function: &FunctionRef) -> String {
    match function {
        FunctionRef::Registered(number) => format!("<registered {number}>"),
        FunctionRef::Exported(name) => name.to_string(),
    }
}

/// Writes a call down.
pub(crate) fn record<'v>(
    function: &'static str,
    arguments: &Arguments<'v, '_>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<()> {
    let span = eval.call_stack_top_location().map(|at| (at.span.begin().get() as usize, at.span.end().get() as usize));
    let Some(loading) = eval.extra.and_then(|extra| extra.downcast_ref::<Loading>()) else {
        return Err(refusal(format_args!(
            "{function}: only the top level of a plugin registers, not a handler that runs; register it there, and let its \
             handler decide when it applies"
        )));
    };
    let mut recording = loading.0.borrow_mut();
    let named = arguments.names_map()?;
    let positional: Vec<Value<'v>> = arguments.positions(eval.heap())?.collect();
    let mut call = Noted { recording: &mut recording, module: eval.module(), way: Vec::new() };
    let made = call.all(&positional, named.iter().map(|(name, value)| (name.as_str(), *value)));
    let (arguments, named) = made.map_err(|why| refusal(format_args!("{function}: {why}")))?;
    if recording.calls.len() >= MAX_CALLS {
        return Err(refusal(format_args!("{function}: a plugin may register {MAX_CALLS} times at most")));
    }
    recording.calls.push(Recorded { function: function.to_owned(), arguments, named, span });
    Ok(())
}

/// A call that is being written down.
struct Noted<'r, 'm, 'v> {
    recording: &'r mut Recording,
    module: &'m Module<'v>,
    way: Vec<Step>,
}

type Made = (Vec<Given>, Vec<(String, Given)>);

impl<'v> Noted<'_, '_, 'v> {
    fn all<'n>(
        &mut self,
        positional: &[Value<'v>],
        named: impl Iterator<Item = (&'n str, Value<'v>)>,
    ) -> Result<Made, String> {
        let arguments = self.items(positional.iter().copied())?;
        let named: Result<Vec<_>, String> =
            named.map(|(name, value)| Ok((name.to_owned(), self.below(Step::Key(name.to_owned()), value)?))).collect();
        Ok((arguments, named?))
    }

    fn items(&mut self, items: impl Iterator<Item = Value<'v>>) -> Result<Vec<Given>, String> {
        items.enumerate().map(|(position, item)| self.below(Step::At(position), item)).collect()
    }

    fn below(&mut self, step: Step, value: Value<'v>) -> Result<Given, String> {
        self.way.push(step);
        let given = self.given(value);
        self.way.pop();
        given
    }

    fn given(&mut self, value: Value<'v>) -> Result<Given, String> {
        self.spend(value)?;
        if value.parameters_spec().is_some() {
            return self.function(value);
        }
        if let Some(dict) = DictRef::from_value(value) {
            let mut entries = Vec::with_capacity(dict.len());
            for (key, item) in dict.iter() {
                let key = key.unpack_str().ok_or_else(|| {
                    format!("the keys of a table are texts, not a value of type `{}`", key.get_type())
                })?;
                entries.push((key.to_owned(), self.below(Step::Key(key.to_owned()), item)?));
            }
            return Ok(table(entries));
        }
        if let Some(items) = ListRef::from_value(value) {
            return self.items(items.iter()).map(list);
        }
        if let Some(items) = TupleRef::from_value(value) {
            return self.items(items.iter()).map(list);
        }
        if let Some(kind) = without_form(value) {
            return Err(format!(
                "a value of type `{kind}` cannot be registered; give texts, numbers, truth values, lists, tables, or \
                 functions made with `def` or `lambda`"
            ));
        }
        from_script(value).map(Given::Value)
    }

    fn function(&mut self, value: Value<'v>) -> Result<Given, String> {
        let number = u32::try_from(self.recording.ways.len()).map_err(|_| String::from("too many functions"))?;
        self.module.set(&slot(&FunctionRef::Registered(number)), value);
        self.recording.ways.push((self.recording.calls.len(), self.way.clone()));
        Ok(Given::Function(number))
    }

    /// Counts a value, so that one plugin does not fill the memory of its host.
    fn spend(&mut self, value: Value<'v>) -> Result<(), String> {
        self.recording.values += 1;
        self.recording.text_bytes += value.unpack_str().map_or(0, str::len);
        if self.way.len() > MAX_DEPTH {
            return Err(format!("the value is nested more than {MAX_DEPTH} levels deep"));
        }
        if self.recording.values > MAX_VALUES || self.recording.text_bytes > MAX_TEXT_BYTES {
            return Err(String::from("this plugin registers too much; keep large data out of the tables"));
        }
        Ok(())
    }
}

/// A dictionary; a plain value when no function is in it.
fn table(entries: Vec<(String, Given)>) -> Given {
    if entries.iter().any(|(_, item)| !matches!(item, Given::Value(_))) {
        return Given::Table(entries);
    }
    let fields: Map<String, Json> = entries
        .into_iter()
        .filter_map(|(key, item)| match item {
            Given::Value(value) => Some((key, value)),
            _ => None,
        })
        .collect();
    Given::Value(Json::Object(fields))
}

/// A list; a plain value when no function is in it.
fn list(items: Vec<Given>) -> Given {
    if items.iter().any(|item| !matches!(item, Given::Value(_))) {
        return Given::List(items);
    }
    let values = items.into_iter().filter_map(|item| match item {
        Given::Value(value) => Some(value),
        _ => None,
    });
    Given::Value(Json::Array(values.collect()))
}
