//! Records the calls of registration functions.

use pintle_contract::FunctionRef;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use starlark::environment::Module;
use starlark::eval::{Arguments, Evaluator};
use starlark::values::Value;
use starlark::values::dict::DictRef;

use crate::call_state::script_error;
use crate::payload::{non_json_type, sequence_items, to_json};
use crate::starlark_values::PluginLoadState;

/// The maximum number of registrations of one plugin.
const MAX_CALLS: usize = 10_000;
/// The maximum number of values in the arguments of all calls together.
const MAX_VALUES: usize = 200_000;
/// The maximum number of text bytes in them.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// The maximum nesting depth of an argument.
const MAX_DEPTH: usize = 64;

/// One call of a registration function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedRegistration {
    /// The function that was called.
    pub function: String,
    /// Its positional arguments.
    pub arguments: Vec<RecordedArgument>,
    /// Its named arguments.
    #[serde(rename = "named")]
    pub named_arguments: Vec<(String, RecordedArgument)>,
    /// The span of the call in the prepared text.
    pub span: Option<(usize, usize)>,
}

/// An argument of a registration function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedArgument {
    /// A value.
    Value(Json),
    /// The function with this index.
    Function(u32),
    /// A dict that contains a function.
    Table(Vec<(String, RecordedArgument)>),
    /// A list that contains a function.
    List(Vec<RecordedArgument>),
}

/// The registrations of a plugin so far.
#[derive(Debug, Default)]
pub(crate) struct RegistrationRecorder {
    pub(super) calls: Vec<RecordedRegistration>,
    /// The functions among their arguments.
    pub(super) function_count: u32,
    value_count: usize,
    text_bytes: usize,
}

/// The name under which a module stores a registered function. No script can write it.
pub(super) fn slot_name(function: &FunctionRef) -> String {
    match function {
        FunctionRef::Registered(number) => format!("<registered {number}>"),
        FunctionRef::Exported(name) => name.to_string(),
    }
}

/// Records a call.
pub(crate) fn record_call<'v>(
    function: &'static str,
    arguments: &Arguments<'v, '_>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<()> {
    let span = eval.call_stack_top_location().map(|at| (at.span.begin().get() as usize, at.span.end().get() as usize));
    let Some(loading) = eval.extra.and_then(|extra| extra.downcast_ref::<PluginLoadState>()) else {
        return Err(script_error(format_args!(
            "{function}: hooks can only be registered at the top level of a plugin, not by a running handler; \
             register it there, and let its handler decide when it applies"
        )));
    };
    let mut recording = loading.0.borrow_mut();
    let named = arguments.names_map()?;
    let positional: Vec<Value<'v>> = arguments.positions(eval.heap())?.collect();
    let mut call = PendingRegistration { recording: &mut recording, module: eval.module(), depth: 0 };
    let made = call.record_arguments(&positional, named.iter().map(|(name, value)| (name.as_str(), *value)));
    let (arguments, named) = made.map_err(|reason| script_error(format_args!("{function}: {reason}")))?;
    if recording.calls.len() >= MAX_CALLS {
        return Err(script_error(format_args!("{function}: a plugin can make at most {MAX_CALLS} registrations")));
    }
    recording.calls.push(RecordedRegistration {
        function: function.to_owned(),
        arguments,
        named_arguments: named,
        span,
    });
    Ok(())
}

/// A call that is being recorded.
struct PendingRegistration<'r, 'm, 'v> {
    recording: &'r mut RegistrationRecorder,
    module: &'m Module<'v>,
    depth: usize,
}

type RecordedArguments = (Vec<RecordedArgument>, Vec<(String, RecordedArgument)>);

impl<'v> PendingRegistration<'_, '_, 'v> {
    fn record_arguments<'n>(
        &mut self,
        positional: &[Value<'v>],
        named: impl Iterator<Item = (&'n str, Value<'v>)>,
    ) -> Result<RecordedArguments, String> {
        let arguments = self.record_items(positional)?;
        let named: Result<Vec<_>, String> =
            named.map(|(name, value)| Ok((name.to_owned(), self.record_item(value)?))).collect();
        Ok((arguments, named?))
    }

    fn record_items(&mut self, items: &[Value<'v>]) -> Result<Vec<RecordedArgument>, String> {
        items.iter().map(|item| self.record_item(*item)).collect()
    }

    fn record_item(&mut self, value: Value<'v>) -> Result<RecordedArgument, String> {
        self.depth += 1;
        let given = self.record_value(value);
        self.depth -= 1;
        given
    }

    fn record_value(&mut self, value: Value<'v>) -> Result<RecordedArgument, String> {
        self.check_budget(value)?;
        if value.parameters_spec().is_some() {
            return self.record_function(value);
        }
        if let Some(dict) = DictRef::from_value(value) {
            let mut entries = Vec::with_capacity(dict.len());
            for (key, item) in dict.iter() {
                let key = key
                    .unpack_str()
                    .ok_or_else(|| format!("the keys of a dict must be strings, not of type `{}`", key.get_type()))?;
                entries.push((key.to_owned(), self.record_item(item)?));
            }
            return Ok(table_argument(entries));
        }
        if let Some(items) = sequence_items(value) {
            return self.record_items(items).map(list_argument);
        }
        if let Some(kind) = non_json_type(value) {
            return Err(format!(
                "a value of type `{kind}` cannot be registered; pass strings, numbers, booleans, lists, dicts, or \
                 functions made with `def` or `lambda`"
            ));
        }
        to_json(value).map(RecordedArgument::Value)
    }

    fn record_function(&mut self, value: Value<'v>) -> Result<RecordedArgument, String> {
        let number = self.recording.function_count;
        self.recording.function_count += 1;
        self.module.set(&slot_name(&FunctionRef::Registered(number)), value);
        Ok(RecordedArgument::Function(number))
    }

    /// Counts a value, so that one plugin cannot fill the memory of its host.
    fn check_budget(&mut self, value: Value<'v>) -> Result<(), String> {
        self.recording.value_count += 1;
        self.recording.text_bytes += value.unpack_str().map_or(0, str::len);
        if self.depth > MAX_DEPTH {
            return Err(format!("the value is nested more than {MAX_DEPTH} levels deep"));
        }
        if self.recording.value_count > MAX_VALUES || self.recording.text_bytes > MAX_TEXT_BYTES {
            return Err(String::from("the plugin registers too much data; keep large values out of the registrations"));
        }
        Ok(())
    }
}

/// A dict; a plain value if it does not contain a function.
fn table_argument(entries: Vec<(String, RecordedArgument)>) -> RecordedArgument {
    if entries.iter().any(|(_, item)| !matches!(item, RecordedArgument::Value(_))) {
        return RecordedArgument::Table(entries);
    }
    let fields: Map<String, Json> = entries
        .into_iter()
        .filter_map(|(key, item)| match item {
            RecordedArgument::Value(value) => Some((key, value)),
            _ => None,
        })
        .collect();
    RecordedArgument::Value(Json::Object(fields))
}

/// A list; a plain value if it does not contain a function.
fn list_argument(items: Vec<RecordedArgument>) -> RecordedArgument {
    if items.iter().any(|item| !matches!(item, RecordedArgument::Value(_))) {
        return RecordedArgument::List(items);
    }
    let values = items.into_iter().filter_map(|item| match item {
        RecordedArgument::Value(value) => Some(value),
        _ => None,
    });
    RecordedArgument::Value(Json::Array(values.collect()))
}
