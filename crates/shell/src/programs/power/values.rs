//! Values: variables, operators on texts, paths.

use super::params::{CmdletCall, literal_path};
use crate::paths::UNKNOWN;
use crate::secret_name::is_secret_name;
use crate::syntax::power::{BLOCK, ENTRY, LIST, power_variable};
use crate::walk::{CommandWalk, ShellArg, TextFlow, TextTaint, power_flow, power_items};

/// The longest value that is kept.
const MAX_BYTES: usize = 64 * 1024;

/// A text that depends on values, but is not worked out.
pub(super) fn changed(taint: TextTaint) -> TextFlow {
    TextFlow::from_taint(taint | TextTaint::DECODED)
}

/// `-f`, `-join`, `-split`, `-replace`, casts, and what only has a truth.
pub(super) fn run_operator(name: &str, args: &[ShellArg], left: &TextFlow) -> TextFlow {
    let right = args.iter().fold(TextTaint::NONE, |taint, arg| taint | arg.taint);
    let taint = left.taint | right;
    let first = args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    let text = left.text.as_deref();
    let known = |text: Option<String>| match text {
        Some(text) => TextFlow { taint, text: Some(text), ..TextFlow::default() },
        None => changed(taint),
    };
    match name {
        "f" => known(text.map(|text| format_text(text, args))),
        "join" => known(text.map(|text| text.replace('\n', first))),
        "split" | "csplit" | "isplit" => known(text.map(|text| match first {
            "" => text.split_whitespace().collect::<Vec<_>>().join("\n"),
            separator => text.split(plain_pattern(separator).unwrap_or(separator)).collect::<Vec<_>>().join("\n"),
        })),
        "replace" | "creplace" | "ireplace" => {
            let with = args.get(1).map(|arg| arg.text.as_str()).unwrap_or_default();
            known(text.and_then(|text| Some(text.replace(plain_pattern(first)?, with))))
        }
        "[char]" | "[char[]]" => known(text.map(char_text)),
        "[byte[]]" | "[type]" | "[wmiclass]" | "[wmi]" | "[adsi]" => left.clone(),
        "[scriptblock]" => known(text.map(|text| format!("{BLOCK}{text}"))),
        _ => TextFlow::known("1"),
    }
}

/// A pattern that stands for itself, such as `x` or `\.`.
fn plain_pattern(pattern: &str) -> Option<&str> {
    let plain = pattern.strip_prefix('\\').filter(|rest| rest.chars().count() == 1).unwrap_or(pattern);
    let is_plain =
        plain.len() < pattern.len() || !plain.contains(['\\', '.', '*', '+', '?', '[', '(', '|', '^', '$', '{']);
    (is_plain && !plain.is_empty()).then_some(plain)
}

/// `{0}` and `{1:x}` replaced by the arguments.
fn format_text(format: &str, args: &[ShellArg]) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (hole, after) = behind.split_once('}').unwrap_or((behind, ""));
        let index = hole.split([':', ',']).next().and_then(|index| index.trim().parse::<usize>().ok());
        match index.and_then(|index| args.get(index)) {
            Some(arg) if text.len() < MAX_BYTES => text.push_str(&arg.text),
            _ => text.push('{'),
        }
        rest = if index.is_some() { after } else { behind };
    }
    text + rest
}

/// Numbers as the letters that they stand for; letters stay.
fn char_text(text: &str) -> String {
    let letter = |line: &str| {
        let number = line.strip_prefix("0x").map_or_else(|| line.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
        number.and_then(char::from_u32).map(String::from)
    };
    let lines: Vec<String> =
        text.split('\n').map(|line| letter(line.trim()).unwrap_or_else(|| line.to_owned())).collect();
    match lines.as_slice() {
        // A text becomes its letters.
        [only] if only.chars().count() > 1 => only.chars().map(String::from).collect::<Vec<_>>().join("\n"),
        _ => lines.join("\n"),
    }
}

/// `[index]`.
pub(super) fn run_index(index: &[ShellArg], left: &TextFlow) -> TextFlow {
    let Some(text) = &left.text else { return left.clone() };
    let lines: Vec<&str> = text.split('\n').collect();
    let key = index.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    if let Some(value) = entry_of(&lines, key) {
        return TextFlow { taint: left.taint, text: Some(value.to_owned()), ..TextFlow::default() };
    }
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let items: Vec<&str> = if lines.len() > 1 { lines } else { letters.iter().map(String::as_str).collect() };
    let item = |arg: &ShellArg| -> Option<&str> {
        let number: i64 = arg.text.parse().ok()?;
        let count = i64::try_from(items.len()).ok()?;
        items.get(usize::try_from(if number < 0 { number + count } else { number }).ok()?).copied()
    };
    let chosen: Option<Vec<&str>> = index.iter().map(item).collect();
    match chosen {
        // A range has its ends only.
        Some(chosen) if index.len() != 2 || index.first().is_some_and(|arg| arg.text != "0") => {
            TextFlow { taint: left.taint, text: Some(chosen.join("\n")), ..TextFlow::default() }
        }
        _ if left.text.as_deref() == Some("") => left.clone(),
        _ => changed(left.taint),
    }
}

/// The value of a name in a table.
pub(super) fn entry_of<'t>(lines: &[&'t str], name: &str) -> Option<&'t str> {
    lines.iter().find_map(|line| {
        let (key, value) = line.strip_prefix(ENTRY)?.split_once(':')?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// `$name = value`, `$name += value`: the names, a mark, the values.
pub(super) fn run_assignment(walk: &mut CommandWalk<'_>, operator: &str, args: &[ShellArg]) -> TextFlow {
    let mark = args.iter().position(|arg| arg.text == LIST).unwrap_or(args.len());
    let (names, values) = args.split_at(mark);
    let values: Vec<ShellArg> = values.iter().filter(|arg| arg.text != LIST).cloned().collect();
    for (index, name) in names.iter().enumerate() {
        let old = walk.variable(&name.text);
        let new = match (operator, names.len(), old) {
            ("=", 1, _) => values.clone(),
            ("=", _, _) => values.get(index..).map(<[ShellArg]>::to_vec).unwrap_or_default(),
            ("+=", _, Some(old)) => joined(old, &values),
            ("??=", _, Some(old)) => old,
            (_, _, _) if operator.ends_with('=') && matches!(operator, "+=" | "??=") => {
                values.iter().cloned().chain([ShellArg::unknown(TextTaint::NONE)]).collect()
            }
            _ => vec![ShellArg::new("0")],
        };
        // A secret value stays one under any name.
        let taint = if is_secret_name(&name.text) && new.iter().any(|value| !value.is_known()) {
            TextTaint::SECRET
        } else {
            TextTaint::NONE
        };
        let new: Vec<ShellArg> =
            new.into_iter().map(|value| ShellArg { taint: value.taint | taint, ..value }).collect();
        walk.set_variable(&name.text, if new.is_empty() { vec![ShellArg::default()] } else { new });
    }
    TextFlow::known("")
}

/// Two texts become one, lists one list.
fn joined(mut old: Vec<ShellArg>, more: &[ShellArg]) -> Vec<ShellArg> {
    match (old.as_mut_slice(), more) {
        ([first], [second]) if !first.is_pattern && first.text.len() < MAX_BYTES => {
            first.text.push_str(&second.text);
            first.taint |= second.taint;
        }
        _ => old.extend(more.iter().cloned()),
    }
    let bytes: usize = old.iter().map(|value| value.text.len()).sum();
    if bytes > MAX_BYTES || old.len() > MAX_BYTES / 256 {
        let taint = old.iter().fold(TextTaint::NONE, |taint, value| taint | value.taint);
        return vec![ShellArg::unknown(taint)];
    }
    old
}

/// `@name`: the entries of a table as parameters.
pub(super) fn run_splat(args: &[ShellArg]) -> TextFlow {
    let plain = |arg: &ShellArg| match arg.text.strip_prefix(ENTRY) {
        Some(entry) => ShellArg { text: format!("-{entry}"), ..arg.clone() },
        None => arg.clone(),
    };
    power_flow(&args.iter().map(plain).collect::<Vec<_>>())
}

/// `param($name = value)`: from the arguments of the block, or the value.
pub(super) fn run_param(walk: &mut CommandWalk<'_>, words: &[ShellArg]) -> TextFlow {
    let mut given: Vec<ShellArg> = walk.variable("args").unwrap_or_default();
    given.retain(|arg| arg.text != LIST);
    let mut index = 0;
    while let Some(name) = words.get(index).and_then(|word| word.text.strip_prefix('$')) {
        let rest = words.get(index + 1..).unwrap_or_default();
        let count = rest.iter().take_while(|word| !word.text.starts_with('$')).count();
        // `-name value`, or the next one without a name.
        let option = |arg: &ShellArg| {
            arg.text
                .strip_prefix('-')
                .is_some_and(|text| !text.is_empty() && name.starts_with(&text.to_ascii_lowercase()))
        };
        let value = match given.iter().position(option) {
            Some(at) => given.drain(at..(at + 2).min(given.len())).nth(1),
            None if given.is_empty() => None,
            None => Some(given.remove(0)),
        };
        let default = || rest.get(..count).filter(|_| count > 0).map(<[ShellArg]>::to_vec);
        let value = value.map(|value| vec![value]).or_else(default);
        if let Some(value) = value {
            walk.set_variable(name, value);
        }
        index += 1 + count;
    }
    TextFlow::known("")
}

pub(super) fn run_set_variable(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    if let Some(name) = call.value("name", 0) {
        let name = power_variable(&name.text);
        let values: Vec<ShellArg> = match call.has("value") {
            true => call.values("value").cloned().collect(),
            false => call.operands.get(1).cloned().unwrap_or_else(|| power_items(call.stdin)),
        };
        walk.set_variable(&name, values);
    }
    TextFlow::known("")
}

pub(super) fn run_get_variable(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    match call.value("name", 0) {
        Some(name) if !name.text.contains(['*', '?']) => power_flow(
            &walk.variable(&power_variable(&name.text)).unwrap_or_else(|| vec![ShellArg::unknown(TextTaint::NONE)]),
        ),
        Some(_) => changed(TextTaint::NONE),
        None => TextFlow::from_taint(TextTaint::OUTPUT),
    }
}

pub(super) fn run_alias(walk: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    if let (Some(name), Some(value)) = (call.value("name", 0), call.value("value", 1)) {
        walk.set_variable(&format!("alias:{}", name.text.to_ascii_lowercase()), vec![value.clone()]);
    }
    TextFlow::known("")
}

pub(super) fn run_join_path(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let named = call.values("path").chain(call.all_operands()).chain(call.values("childpath"));
    let parts: Vec<ShellArg> = named.chain(call.values("additionalchildpath")).cloned().collect();
    join_parts(&parts)
}

/// A path of its parts.
pub(super) fn join_parts(parts: &[ShellArg]) -> TextFlow {
    let taint = parts.iter().fold(TextTaint::NONE, |taint, part| taint | part.taint);
    let mut path = String::new();
    for part in parts.iter().map(literal_path) {
        let inner = part.text.trim_start_matches('/');
        if path.is_empty() {
            path = part.text;
        } else {
            path = format!("{}/{inner}", path.trim_end_matches('/'));
        }
    }
    TextFlow { taint, text: Some(path), ..TextFlow::default() }
}

pub(super) fn run_split_path(_: &mut CommandWalk<'_>, call: &CmdletCall<'_>) -> TextFlow {
    let Some(path) = call.paths().into_iter().next() else { return TextFlow::known("") };
    let text = path.text.trim_end_matches('/');
    let (parent, leaf) = text.rsplit_once('/').unwrap_or(("", text));
    let part = if call.has("leaf") || call.has("leafbase") { leaf } else { parent };
    let part = if part.is_empty() && !path.is_known() { UNKNOWN.to_string() } else { part.to_owned() };
    TextFlow { taint: path.taint, text: Some(part), ..TextFlow::default() }
}

pub(super) fn run_location(walk: &mut CommandWalk<'_>, _: &CmdletCall<'_>) -> TextFlow {
    match walk.cwd() {
        Some(cwd) => TextFlow::known(cwd.to_string_lossy()),
        None => TextFlow::from_taint(TextTaint::NONE),
    }
}
