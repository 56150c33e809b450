//! The shapes of a tool's native input.

mod addresses;
mod command;
mod list;
mod patched;

pub use list::ListElement;

use std::iter;

use serde_json::{Map, Value};

use self::list::{element_call, read_elements};
use self::patched::{merge_patch, merge_text, patch_text};
use crate::vocabulary::{CanonicalCall, ToolMapping, UnmappableArguments};
use crate::{fields, patch};

/// The canonical name of the tool that runs commands.
const SHELL: &str = "shell";

/// The shape of a tool's native input.
#[derive(Debug, Clone, Copy)]
pub enum InputShape {
    /// The input is the arguments.
    Plain,
    /// The input contains a list, each element of which is a call.
    List {
        /// The field with the list, which may also be the list as JSON text.
        key: &'static str,
        /// The form of an element.
        element: ListElement,
        /// Arguments of every call next to the list: the native name and the canonical one.
        shared: &'static [(&'static str, &'static str)],
    },
    /// The input contains the text of a patch, under the first of these names that is present; or it is that text.
    Patch(&'static [&'static str]),
    /// The input is the arguments, and one field may contain a patch that the agent applies itself.
    MayPatch(&'static str),
    /// The input is the arguments, and every address in the text of this field is fetched.
    Addresses(&'static str),
}

impl InputShape {
    /// Whether a call also consists of the files of a patch.
    pub(super) fn is_patch(self) -> bool {
        matches!(self, Self::Patch(_) | Self::MayPatch(_))
    }

    /// Says what a call with several parts consists of, for documentation; `None` if it has one.
    #[must_use]
    pub fn describe(self) -> Option<String> {
        match self {
            Self::Plain => None,
            Self::List { key, .. } => Some(format!("one part for each element of `{key}`")),
            Self::Patch(_) => Some(String::from("one part for each file of the patch")),
            Self::MayPatch(key) => Some(format!("also one part for each file of a patch in `{key}`")),
            Self::Addresses(key) => Some(format!("one part for each address in `{key}`")),
        }
    }

    /// The tools that the further parts of a call may be.
    pub(super) fn further_tools(self) -> &'static [&'static str] {
        if self.is_patch() { &["write", "edit", "delete"] } else { &[] }
    }

    pub(super) fn to_calls(self, tool: &ToolMapping, input: &Value) -> Vec<CanonicalCall> {
        match self {
            Self::Plain => vec![plain_call(tool, input)],
            Self::List { key, element, shared } => match read_elements(input, key) {
                Some((items, _)) if !items.is_empty() => {
                    items.iter().map(|item| element_call(tool, element, shared, input, item)).collect()
                }
                _ => vec![plain_call(tool, input)],
            },
            Self::Patch(keys) => match patch_text(input, keys) {
                Some(text) => {
                    let whole = serde_json::json!({"patch": text});
                    let mut parts = vec![build_call(tool, whole)];
                    parts.extend(patch::to_calls(text));
                    parts
                }
                None => vec![plain_call(tool, input)],
            },
            Self::MayPatch(_) => {
                let call = plain_call(tool, input);
                let text = |name: &str| call.args.get(name).and_then(Value::as_str);
                let patched = text("command").filter(|command| patch::is_patch(command));
                let files = patched.map(|command| patch::calls_of_command(command, text("directory")));
                iter::once(call.clone()).chain(files.into_iter().flatten()).collect()
            }
            Self::Addresses(key) => addresses::to_calls(plain_call(tool, input), key),
        }
    }

    pub(super) fn merge(
        self,
        tool: &ToolMapping,
        input: &Value,
        before: &[CanonicalCall],
        after: &[CanonicalCall],
    ) -> Result<Value, UnmappableArguments> {
        match (self, after) {
            (Self::List { key, element, shared }, _) => match read_elements(input, key) {
                Some((items, is_text)) if !items.is_empty() => {
                    list::merge(tool, input, &list::ListInput { key, element, shared, items, is_text }, after)
                }
                _ => merge_plain(tool, input, after),
            },
            (Self::Patch(keys), [_, _, ..]) => merge_patch(input, keys, before, after),
            (Self::Patch(keys), [whole]) if patch_text(input, keys).is_some() => merge_text(input, keys, whole),
            (Self::MayPatch(_), [first, files @ ..]) => {
                let same = before.iter().skip(1).zip(files).all(|(was, now)| was == now);
                let no_place =
                    || UnmappableArguments(String::from("a single file of a patch inside a command cannot be changed"));
                same.then_some(()).ok_or_else(no_place)?;
                merge_plain(tool, input, std::slice::from_ref(first))
            }
            (Self::Addresses(key), _) => addresses::merge(tool, input, key, after),
            (Self::Plain | Self::Patch(_) | Self::MayPatch(_), _) => merge_plain(tool, input, after),
        }
    }

    pub(super) fn to_native(self, tool: &ToolMapping, args: &Value) -> Value {
        let Value::Object(given) = args else { return args.clone() };
        match self {
            Self::Plain | Self::MayPatch(_) | Self::Addresses(_) => {
                Value::Object(fields::to_native(tool.fields, given))
            }
            Self::List { key, element, shared } => list::wrap_arguments(tool, key, element, shared, given),
            Self::Patch(keys) => {
                let names = keys.first().map(|key| [(*key, "patch")]);
                Value::Object(names.map_or_else(|| given.clone(), |names| fields::to_native(&names, given)))
            }
        }
    }
}

fn build_call(tool: &ToolMapping, args: Value) -> CanonicalCall {
    CanonicalCall::new(tool.canonical, args)
}

fn plain_call(tool: &ToolMapping, input: &Value) -> CanonicalCall {
    let args = match input {
        Value::Object(input) => Value::Object(canonical_arguments(tool, input)),
        other => other.clone(),
    };
    build_call(tool, args)
}

fn canonical_arguments(tool: &ToolMapping, input: &Map<String, Value>) -> Map<String, Value> {
    let args = fields::to_canonical(tool.fields, input);
    if tool.canonical == SHELL { command::write_as_text(args) } else { args }
}

fn merge_plain(tool: &ToolMapping, input: &Value, after: &[CanonicalCall]) -> Result<Value, UnmappableArguments> {
    match (input, after) {
        (Value::Object(input), [CanonicalCall { args: Value::Object(args), .. }]) if tool.canonical == SHELL => {
            let args = command::restore_words(args, &fields::to_canonical(tool.fields, input));
            let args = args.ok_or_else(|| {
                UnmappableArguments(String::from("the changed command needs a shell, and the call runs a program"))
            })?;
            fields::merge_back(tool.fields, input, &args).map(Value::Object)
        }
        (Value::Object(input), [CanonicalCall { args: Value::Object(args), .. }]) => {
            fields::merge_back(tool.fields, input, args).map(Value::Object)
        }
        (_, [only]) => Ok(only.args.clone()),
        _ => Err(UnmappableArguments(format!("a call of `{}` cannot be split", tool.canonical))),
    }
}
