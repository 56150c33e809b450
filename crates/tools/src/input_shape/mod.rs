//! The shapes of a tool's native input.

mod addresses;
mod list;

use std::iter;
use std::path::Path;

use serde_json::{Map, Value};

use self::list::{element_call, read_elements};
use crate::vocabulary::{CanonicalCall, ToolMapping, UnmappableArguments};
use crate::{fields, patch};

pub use list::ListElement;

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
    if tool.canonical == SHELL { write_as_text(args) } else { args }
}

fn merge_plain(tool: &ToolMapping, input: &Value, after: &[CanonicalCall]) -> Result<Value, UnmappableArguments> {
    match (input, after) {
        (Value::Object(input), [CanonicalCall { args: Value::Object(args), .. }]) if tool.canonical == SHELL => {
            let args = restore_words(args, &fields::to_canonical(tool.fields, input));
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

/// The patch text of an input.
fn patch_text<'a>(input: &'a Value, keys: &[&str]) -> Option<&'a str> {
    match input {
        Value::String(text) => Some(text),
        _ => keys.iter().find_map(|key| input.get(*key)).and_then(Value::as_str),
    }
}

/// Replaces the patch text.
fn replace_text(input: &Value, keys: &[&str], text: Value) -> Value {
    let key = keys.iter().find(|key| input.get(**key).is_some());
    match (input, key) {
        (Value::Object(input), Some(key)) => {
            let mut merged = input.clone();
            merged.insert((*key).to_owned(), text);
            Value::Object(merged)
        }
        _ => text,
    }
}

/// Merges a changed patch text.
fn merge_text(input: &Value, keys: &[&str], call: &CanonicalCall) -> Result<Value, UnmappableArguments> {
    let text = call.args.get("patch").filter(|text| text.is_string());
    let text = text.ok_or_else(|| UnmappableArguments(String::from("a patch must remain a string")))?;
    Ok(replace_text(input, keys, text.clone()))
}

/// Merges a changed patch, or changed files of it.
fn merge_patch(
    input: &Value,
    keys: &[&str],
    before: &[CanonicalCall],
    after: &[CanonicalCall],
) -> Result<Value, UnmappableArguments> {
    let changed = |index: usize| before.get(index).map(|part| &part.args) != after.get(index).map(|part| &part.args);
    let files_changed = (1..before.len()).any(changed);
    match (after, changed(0), files_changed) {
        ([whole, ..], true, false) => merge_text(input, keys, whole),
        ([_, files @ ..], false, true) => {
            let text = patch_text(input, keys).unwrap_or_default();
            patch::rewrite_files(text, files).map(|text| replace_text(input, keys, Value::from(text)))
        }
        _ => Err(UnmappableArguments(String::from("a patch and one of its files cannot both be changed"))),
    }
}

/// The canonical argument with the command.
const COMMAND: &str = "command";

/// Shells that run a script given as their last word.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

/// Writes the command as text, which is what hooks look for words in: the script of `bash -lc SCRIPT`, otherwise the
/// words as a line for a POSIX shell. Text stays as it is.
fn write_as_text(mut args: Map<String, Value>) -> Map<String, Value> {
    if let Some(command) = args.get_mut(COMMAND)
        && let Some(text) = read_words(command).and_then(|words| words_to_text(&words))
    {
        *command = Value::from(text);
    }
    args
}

/// Makes a list of the command again, if it was one in the native arguments `before`; `None` if the new command needs a
/// shell and the list runs a program.
fn restore_words(args: &Map<String, Value>, before: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut restored = args.clone();
    if let (Some(native), Some(command)) = (before.get(COMMAND), restored.get_mut(COMMAND))
        && let (Some(words), Some(text)) = (read_words(native), command.as_str())
    {
        let is_same = words_to_text(&words).is_some_and(|known| known == text);
        *command = if is_same { native.clone() } else { text_to_words(&words, text)? };
    }
    Some(restored)
}

fn read_words(command: &Value) -> Option<Vec<&str>> {
    command.as_array().filter(|words| !words.is_empty())?.iter().map(Value::as_str).collect()
}

fn words_to_text(words: &[&str]) -> Option<String> {
    match script_of(words) {
        Some(script) => Some(script.to_owned()),
        None => shlex::try_join(words.iter().copied()).ok(),
    }
}

/// Another command instead of these words; `None` if it is more than words.
fn text_to_words(words: &[&str], text: &str) -> Option<Value> {
    if let ([shell, option, _], true) = (words, script_of(words).is_some()) {
        return Some(Value::from(vec![*shell, *option, text]));
    }
    let split = shlex::split(text)?;
    let joined = shlex::try_join(split.iter().map(String::as_str)).ok()?;
    (joined == text).then(|| Value::from(split))
}

/// The script in `bash -lc SCRIPT`.
fn script_of<'a>(words: &[&'a str]) -> Option<&'a str> {
    let [shell, option, script] = words else { return None };
    let is_shell = Path::new(shell).file_name().is_some_and(|name| SHELLS.iter().any(|known| name == *known));
    (is_shell && option.starts_with('-') && option.ends_with('c')).then_some(script)
}
