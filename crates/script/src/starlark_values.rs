//! Script values of Pintle's own: decisions, matches of patterns, `log`, and the registration functions.
//!
//! The only module in which `unsafe_code` is allowed: the interpreter's derives write `unsafe impl ProvidesStaticType`.
//! Nothing here is hand-written unsafe code.
#![expect(unsafe_code, reason = "the derives of starlark write `unsafe impl`; no unsafe code by hand")]

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use allocative::Allocative;
use pintle_contract::{CancelToken, EffectCaller, EffectRequest, EffectRunner, LogLevel, ScriptOutput};
use serde_json::Value as Json;
use starlark::any::ProvidesStaticType;
use starlark::environment::{Methods, MethodsBuilder};
use starlark::eval::{Arguments, Evaluator};
use starlark::values::none::NoneType;
use starlark::values::{Heap, NoSerialize, StarlarkValue, Value, ValueError, starlark_value};
use starlark::{starlark_module, starlark_simple_value};

use crate::call_state::{SHOWN, display_truncated, perform_request};
use crate::coverage::PointHits;
use crate::plugin::{RegistrationRecorder, record_call};

/// The context of built-ins in one call; the evaluator carries it.
#[derive(ProvidesStaticType)]
pub(crate) struct CallState<'a> {
    /// Runs effect requests.
    pub(crate) effects: &'a dyn EffectRunner,
    /// The caller, for effect requests.
    pub(crate) caller: EffectCaller<'a>,
    /// The cancellation token of the call.
    pub(crate) cancel: &'a CancelToken,
    /// The deadline of the call.
    pub(crate) deadline: Instant,
    /// The memory limit of the call.
    pub(crate) memory_bytes: u64,
}

impl CallState<'_> {
    /// Whether the call timed out or was cancelled.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || self.cancel.is_cancelled()
    }
}

/// The context of registration functions while a plugin is loaded; the evaluator carries it.
#[derive(ProvidesStaticType)]
pub(crate) struct PluginLoadState(pub(crate) RefCell<RegistrationRecorder>);

/// A function with which a plugin registers hooks.
#[derive(Debug, Allocative, ProvidesStaticType, NoSerialize)]
pub(crate) struct RegisterFunction(pub(crate) &'static str);
starlark_simple_value!(RegisterFunction);

impl fmt::Display for RegisterFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[starlark_value(type = "function")]
impl<'v> StarlarkValue<'v> for RegisterFunction {
    fn invoke(
        &self,
        _me: Value<'v>,
        arguments: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        record_call(self.0, arguments, eval)?;
        Ok(Value::new_none())
    }
}

/// The function that a covered script calls where it reaches a point of its coverage. It returns its second argument,
/// and notes whether that is true.
#[derive(Debug, Allocative, ProvidesStaticType, NoSerialize)]
pub(crate) struct CoverageProbe(#[allocative(skip)] pub(crate) Arc<PointHits>);
starlark_simple_value!(CoverageProbe);

impl fmt::Display for CoverageProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("coverage probe")
    }
}

#[starlark_value(type = "function")]
impl<'v> StarlarkValue<'v> for CoverageProbe {
    fn invoke(
        &self,
        _me: Value<'v>,
        arguments: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        // A covered script may do as many steps as any other.
        eval.uncount_tick();
        let mut arguments = arguments.positions(eval.heap())?;
        let point = arguments.next().and_then(Value::unpack_i32).and_then(|point| usize::try_from(point).ok());
        let condition = arguments.next();
        // The point after that of a true condition is that of a false one.
        let is_false = condition.is_some_and(|value| !value.to_bool());
        point.into_iter().for_each(|point| self.0.note(point + usize::from(is_false)));
        Ok(condition.unwrap_or_else(Value::new_none))
    }
}

/// The return value of `allow()`, `block(..)`, `ask(..)`, `modify(..)` and `delegate(..)`.
#[derive(Debug, Allocative, ProvidesStaticType, NoSerialize)]
pub(crate) struct ScriptDecision(#[allocative(skip)] pub(crate) ScriptOutput);
starlark_simple_value!(ScriptDecision);

#[starlark_value(type = "decision")]
impl<'v> StarlarkValue<'v> for ScriptDecision {}

impl fmt::Display for ScriptDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ScriptOutput::Block(reason) => write!(f, "block({reason:?})"),
            ScriptOutput::Ask(reason) => write!(f, "ask({reason:?})"),
            ScriptOutput::Modify(_) => f.write_str("modify(..)"),
            ScriptOutput::Delegate(_) => f.write_str("delegate(..)"),
            _ => f.write_str("allow()"),
        }
    }
}

/// The return value of `re.match` and `re.search`: true if something matched, and readable like a dict either way.
#[derive(Debug, Allocative, ProvidesStaticType, NoSerialize)]
pub(crate) struct RegexMatch {
    /// The fields, in the order of the reference.
    #[allocative(skip)]
    pub(crate) fields: serde_json::Map<String, Json>,
    /// Whether something matched.
    pub(crate) has_matched: bool,
}
starlark_simple_value!(RegexMatch);

impl fmt::Display for RegexMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "match(matched = {})", if self.has_matched { "True" } else { "False" })
    }
}

starlark::methods_static!(FOUND = found_methods);

#[starlark_value(type = "match")]
impl<'v> StarlarkValue<'v> for RegexMatch {
    fn get_methods() -> Option<&'static Methods> {
        FOUND.methods().into()
    }

    fn to_bool(&self) -> bool {
        self.has_matched
    }

    fn length(&self) -> starlark::Result<i32> {
        Ok(i32::try_from(self.fields.len()).unwrap_or(i32::MAX))
    }

    fn is_in(&self, other: Value<'v>) -> starlark::Result<bool> {
        Ok(other.unpack_str().is_some_and(|key| self.fields.contains_key(key)))
    }

    fn at(&self, index: Value<'v>, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        let key = index.unpack_str().unwrap_or_default();
        match self.fields.get(key) {
            Some(value) => Ok(heap.alloc(value)),
            None => Err(ValueError::KeyNotFound(index.to_repr()).into()),
        }
    }
}

#[starlark_module]
fn found_methods(builder: &mut MethodsBuilder) {
    fn get<'v>(
        this: &RegexMatch,
        #[starlark(require = pos)] key: &str,
        #[starlark(require = pos)] default: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        Ok(match this.fields.get(key) {
            Some(value) => heap.alloc(value),
            None => default.unwrap_or_else(Value::new_none),
        })
    }

    fn keys(this: &RegexMatch) -> starlark::Result<Vec<String>> {
        Ok(this.fields.keys().cloned().collect())
    }
}

/// `log`: a function with members.
#[derive(Debug, Allocative, ProvidesStaticType, NoSerialize)]
pub(crate) struct LogNamespace;
starlark_simple_value!(LogNamespace);

impl fmt::Display for LogNamespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("log")
    }
}

starlark::methods_static!(LOG = log_methods);

#[starlark_value(type = "function")]
impl<'v> StarlarkValue<'v> for LogNamespace {
    fn get_methods() -> Option<&'static Methods> {
        LOG.methods().into()
    }

    fn invoke(
        &self,
        _me: Value<'v>,
        arguments: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let named = arguments.names_map()?;
        let message = match named.get("msg").or_else(|| named.get("message")) {
            Some(message) => {
                arguments.no_positional_args(eval.heap())?;
                *message
            }
            None => {
                arguments.no_named_args()?;
                arguments.positional1(eval.heap())?
            }
        };
        write_log(LogLevel::Info, message, eval)?;
        Ok(Value::new_none())
    }
}

#[starlark_module]
fn log_methods(builder: &mut MethodsBuilder) {
    fn info<'v>(
        #[starlark(this)] _this: &LogNamespace,
        msg: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        write_log(LogLevel::Info, msg, eval)
    }

    fn warn<'v>(
        #[starlark(this)] _this: &LogNamespace,
        msg: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        write_log(LogLevel::Warn, msg, eval)
    }
}

fn write_log<'v>(level: LogLevel, message: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<NoneType> {
    perform_request(eval, "log", EffectRequest::Log { level, message: display_truncated(message, SHOWN) })?;
    Ok(NoneType)
}
