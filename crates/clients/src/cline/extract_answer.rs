//! Extracts the JSON answer from a program's output.

use std::borrow::Cow;

use pintle_contract::read_json;
use serde_json::{Map, Value};

use crate::refusal::refuses;

/// The prefix of the line with the answer.
const CONTROL: &str = "HOOK_CONTROL\t";

/// The last line with the prefix, otherwise the whole output. An earlier line that denies or is invalid is kept with
/// it: a hook that repeats what a model wrote must not give two answers.
pub(super) fn extract_control_line(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(CONTROL)).collect();
    let Some((last, earlier)) = lines.split_last() else {
        return Cow::Borrowed(text);
    };
    let is_harmless = |line: &&str| {
        let object: Option<Map<String, Value>> = read_json(line).ok();
        object.is_some_and(|object| !object.iter().any(|(name, value)| refuses(name, value)))
    };
    match earlier.iter().all(is_harmless) {
        true => Cow::Borrowed(last),
        false => Cow::Owned(lines.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_control_stands_among_other_output() {
        for (text, wanted) in [
            ("{\"cancel\": true}", "{\"cancel\": true}"),
            ("checking\nHOOK_CONTROL\t{\"cancel\": true}\ndone\n", "{\"cancel\": true}"),
            ("HOOK_CONTROL\t{}\nHOOK_CONTROL\t{\"cancel\": true}", "{\"cancel\": true}"),
            ("HOOK_CONTROL\t{\"cancel\": true}\nHOOK_CONTROL\t{}", "{\"cancel\": true}\n{}"),
            ("HOOK_CONTROL\t{\"why\": \"x\nHOOK_CONTROL\t{}", "{\"why\": \"x\n{}"),
            ("", ""),
        ] {
            assert_eq!(extract_control_line(text), wanted, "{text}");
        }
    }
}
