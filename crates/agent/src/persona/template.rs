//! Renders the declared prompt of a step.

use serde_json::{Map, Value};

/// Replaces placeholders between `{{` and `}}`: `args`, `args.0`, `args.0.path`, `args.path` (of the first argument)
/// and `steps.NAME` (the output of an earlier step). Strings are inserted verbatim, other values as JSON. Inserted text
/// is not searched for placeholders again.
///
/// # Errors
/// With one line for the user if a value does not exist or a placeholder is not closed.
pub(super) fn render(prompt: &str, args: &[Value], steps: &Map<String, Value>) -> Result<String, String> {
    let mut filled = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (path, after) = after.split_once("}}").ok_or_else(|| {
            format!("`{{{{` is not closed before `{}`; write `{{{{args.0}}}}`", truncate_start(after))
        })?;
        filled.push_str(&to_display(&look_up(path.trim(), args, steps)?));
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn look_up(path: &str, args: &[Value], steps: &Map<String, Value>) -> Result<Value, String> {
    let missing =
        || format!("`{path}` in the prompt does not exist; `args.0` is the first argument, `steps.NAME` a step");
    let mut parts = path.split('.');
    let found = match (parts.next(), parts.next()) {
        (Some("args"), None) => Some(Value::Array(args.to_vec())),
        (Some("args"), Some(first)) => {
            let value = match first.parse::<usize>() {
                Ok(index) => args.get(index),
                Err(_) => args.first().and_then(|value| value.get(first)),
            };
            walk_path(value, parts)
        }
        (Some("steps"), Some(name)) => walk_path(steps.get(name), parts),
        _ => None,
    };
    found.ok_or_else(missing)
}

fn walk_path<'p>(value: Option<&Value>, mut parts: impl Iterator<Item = &'p str>) -> Option<Value> {
    let step = |value: &Value, part: &str| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?).cloned(),
        value => value.get(part).cloned(),
    };
    parts.try_fold(value?.clone(), |value, part| step(&value, part))
}

fn to_display(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn truncate_start(text: &str) -> String {
    text.chars().take(20).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_filled_in_and_what_is_missing_is_told() {
        let args = [json!({"path": "a.rs", "lines": [3, 4]}), json!("second {{args.0}}")];
        let Value::Object(steps) = json!({"audit": "sound", "merge": {"id": 7}}) else { unreachable!() };
        let cases = [
            ("no braces { } at all", Ok("no braces { } at all")),
            ("{{args.0.path}} {{ args.path }} {{args.0.lines.1}}", Ok("a.rs a.rs 4")),
            ("{{args.1}}", Ok("second {{args.0}}")),
            ("{{args.lines}}", Ok("[3,4]")),
            ("{{steps.audit}} {{steps.merge.id}} {{steps.merge}}", Ok("sound 7 {\"id\":7}")),
            ("{{args.2}}", Err("`args.2` in the prompt does not exist")),
            ("{{steps.other}}", Err("`steps.other` in the prompt does not exist")),
            ("{{path}}", Err("`path` in the prompt does not exist")),
            ("{{}}", Err("`` in the prompt does not exist")),
            ("a {{args.0", Err("`{{` is not closed before `args.0`")),
        ];
        for (prompt, expected) in cases {
            match (render(prompt, &args, &steps), expected) {
                (Ok(filled), Ok(expected)) => assert_eq!(filled, expected, "{prompt}"),
                (Err(error), Err(expected)) => assert!(error.starts_with(expected), "{prompt}: {error}"),
                (filled, _) => panic!("{prompt}: {filled:?}"),
            }
        }
    }
}
