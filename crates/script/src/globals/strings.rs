//! `string`, `template`, `validate` and `assert`.

use serde_json::Value as Json;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::list_or_tuple::UnpackListOrTuple;
use starlark::values::none::{NoneOr, NoneType};

use crate::call_state::{script_error, value_to_json};
use crate::payload::to_display;

/// The maximum size in bytes of a result of these functions.
const MADE_BYTES: usize = 8 << 20;
/// The overhead of a string in a list.
const ITEM_BYTES: usize = 32;

pub(super) fn register(builder: &mut GlobalsBuilder) {
    builder.namespace("string", string);
    builder.namespace("template", template);
    builder.namespace("validate", validate);
    assertion(builder);
}

#[starlark_module]
fn string(builder: &mut GlobalsBuilder) {
    fn upper(s: &str) -> starlark::Result<String> {
        Ok(s.to_uppercase())
    }

    fn lower(s: &str) -> starlark::Result<String> {
        Ok(s.to_lowercase())
    }

    fn trim(s: &str) -> starlark::Result<String> {
        Ok(s.trim().to_owned())
    }

    fn split(s: &str, sep: &str) -> starlark::Result<Vec<String>> {
        if sep.is_empty() {
            collect_pieces(s.chars().map(String::from))
        } else {
            collect_pieces(s.split(sep).map(str::to_owned))
        }
    }

    fn join<'v>(parts: UnpackListOrTuple<Value<'v>>, sep: &str) -> starlark::Result<String> {
        let mut out = String::new();
        for (index, part) in parts.items.into_iter().enumerate() {
            if index > 0 {
                out.push_str(sep);
            }
            out.push_str(&to_display(part));
            check_made_size("string.join", out.len())?;
        }
        Ok(out)
    }

    fn truncate(s: &str, n: i32, #[starlark(default = "")] ellipsis: &str) -> starlark::Result<String> {
        let most = usize::try_from(n).map_err(|_| script_error("string.truncate: n must not be negative"))?;
        Ok(match s.char_indices().nth(most) {
            Some((index, _)) => format!("{}{ellipsis}", s.get(..index).unwrap_or_default()),
            None => s.to_owned(),
        })
    }

    fn pad_left(s: &str, n: i32, #[starlark(default = " ")] char: &str) -> starlark::Result<String> {
        Ok(format!("{}{s}", make_padding("string.pad_left", s, n, char)?))
    }

    fn pad_right(s: &str, n: i32, #[starlark(default = " ")] char: &str) -> starlark::Result<String> {
        Ok(format!("{s}{}", make_padding("string.pad_right", s, n, char)?))
    }

    fn contains_any<'v>(s: &str, needles: UnpackListOrTuple<&'v str>) -> starlark::Result<NoneOr<&'v str>> {
        Ok(NoneOr::from_option(needles.items.into_iter().find(|needle| s.contains(needle))))
    }
}

/// Collects the parts of a string, unless there are too many.
fn collect_pieces(pieces: impl Iterator<Item = String>) -> starlark::Result<Vec<String>> {
    let (mut kept, mut made) = (Vec::new(), 0);
    for piece in pieces {
        made += piece.len() + ITEM_BYTES;
        check_made_size("string.split", made)?;
        kept.push(piece);
    }
    Ok(kept)
}

fn check_made_size(builtin: &str, size: usize) -> starlark::Result<()> {
    if size > MADE_BYTES {
        return Err(script_error(format_args!("{builtin}: the result is larger than {MADE_BYTES} bytes")));
    }
    Ok(())
}

fn make_padding(builtin: &str, text: &str, width: i32, char: &str) -> starlark::Result<String> {
    let mut chars = char.chars();
    let (Some(char), None) = (chars.next(), chars.next()) else {
        return Err(script_error(format_args!("{builtin}: char must be one character")));
    };
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    check_made_size(builtin, missing.saturating_mul(char.len_utf8()))?;
    Ok(std::iter::repeat_n(char, missing).collect())
}

#[starlark_module]
fn template(builder: &mut GlobalsBuilder) {
    fn render<'v>(tmpl: &str, vars: Value<'v>) -> starlark::Result<String> {
        let vars = value_to_json("template.render", vars)?;
        let mut out = String::new();
        let mut rest = tmpl;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((path, tail)) = after.split_once("}}") else { break };
            out.push_str(before);
            let value = lookup_path(&vars, path.trim())
                .ok_or_else(|| script_error(format_args!("template.render: `{}` is not in vars", path.trim())))?;
            match value {
                Json::String(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            }
            check_made_size("template.render", out.len())?;
            rest = tail;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// The value at a dotted path; numbers index lists.
fn lookup_path<'a>(vars: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(vars, |value, step| match value {
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => value.get(step),
    })
}

#[starlark_module]
fn validate(builder: &mut GlobalsBuilder) {
    fn email(s: &str) -> starlark::Result<bool> {
        let plain = |text: &str| !text.is_empty() && !text.contains(|char: char| char.is_whitespace() || char == '@');
        Ok(s.rsplit_once('@').is_some_and(|(user, host)| {
            plain(user) && plain(host) && host.split('.').all(|label| !label.is_empty()) && host.contains('.')
        }))
    }

    fn url(s: &str) -> starlark::Result<bool> {
        Ok(url::Url::parse(s).is_ok_and(|url| url.has_host()))
    }

    fn json(s: &str) -> starlark::Result<bool> {
        Ok(serde_json::from_str::<serde::de::IgnoredAny>(s).is_ok())
    }
}

#[starlark_module]
fn assertion(builder: &mut GlobalsBuilder) {
    // The name of `assert` for the parser; see the preparation of sources.
    fn _asrt_<'v>(
        condition: Value<'v>,
        #[starlark(default = "assertion failed")] msg: &str,
    ) -> starlark::Result<NoneType> {
        if condition.to_bool() { Ok(NoneType) } else { Err(script_error(format_args!("assert: {msg}"))) }
    }
}
