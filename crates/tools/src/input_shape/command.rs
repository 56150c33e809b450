//! Commands that an agent sends as a list of words.

use std::path::Path;

use serde_json::{Map, Value};

/// The canonical argument with the command.
const COMMAND: &str = "command";

/// Shells that run a script given as their last word.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

/// Writes the command as text, which is what hooks look for words in: the script of `bash -lc SCRIPT`, otherwise the
/// words as a line for a POSIX shell. Text stays as it is.
pub(super) fn write_as_text(mut args: Map<String, Value>) -> Map<String, Value> {
    if let Some(command) = args.get_mut(COMMAND)
        && let Some(text) = read_words(command).and_then(|words| words_to_text(&words))
    {
        *command = Value::from(text);
    }
    args
}

/// Makes a list of the command again, if it was one in the native arguments `before`; `None` if the new command needs a
/// shell and the list runs a program.
pub(super) fn restore_words(args: &Map<String, Value>, before: &Map<String, Value>) -> Option<Map<String, Value>> {
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
