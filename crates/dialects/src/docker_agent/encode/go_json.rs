//! JSON as Go escapes it, for hooks that search the raw text.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

/// Escapes `<`, `>`, `&` and the two line separators, as Go does.
///
/// Unlike Go it writes newlines, other control characters and backslashes as numeric escapes. Hooks run `echo "$INPUT"
/// | jq`, and the `echo` of some shells, such as Debian's `/bin/sh`, turns `\n` into a newline. The object would then
/// be invalid, `jq` would print nothing, and a guard would see an empty command.
struct GoJsonFormatter;

impl Formatter for GoJsonFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((index, letter)) = rest.char_indices().find(|(_, letter)| escape(*letter).is_some()) {
            let (before, after) = rest.split_at(index);
            writer.write_all(before.as_bytes())?;
            writer.write_all(escape(letter).unwrap_or_default().as_bytes())?;
            rest = after.get(letter.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let number = match escape {
            CharEscape::Quote => return writer.write_all(br#"\""#),
            CharEscape::Solidus => return writer.write_all(b"/"),
            CharEscape::ReverseSolidus => b'\\',
            CharEscape::Backspace => 0x08,
            CharEscape::FormFeed => 0x0c,
            CharEscape::LineFeed => b'\n',
            CharEscape::CarriageReturn => b'\r',
            CharEscape::Tab => b'\t',
            CharEscape::AsciiControl(byte) => byte,
        };
        write!(writer, r"\u{number:04x}")
    }
}

fn escape(letter: char) -> Option<&'static str> {
    Some(match letter {
        '<' => r"\u003c",
        '>' => r"\u003e",
        '&' => r"\u0026",
        '\u{2028}' => r"\u2028",
        '\u{2029}' => r"\u2029",
        _ => return None,
    })
}

/// Serializes compact JSON without a trailing newline.
pub(super) fn to_go_json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail, and neither can plain data with string keys.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, GoJsonFormatter));
    bytes
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_object_survives_an_echo_that_reads_backslashes() {
        let value = json!({"cmd": "rm -rf /x\n\t\"a\" \\n \u{8}\u{c}\r\u{0}\u{1b}/"});
        let written = String::from_utf8(to_go_json(&value)).unwrap();
        assert_eq!(written, r#"{"cmd":"rm -rf /x\u000a\u0009\"a\" \u005cn \u0008\u000c\u000d\u0000\u001b/"}"#);
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        // The escapes that such an `echo` interprets.
        for known in [r"\a", r"\b", r"\c", r"\e", r"\f", r"\n", r"\r", r"\t", r"\v", r"\0", r"\\"] {
            assert!(!written.contains(known), "{known}");
        }
    }
}
