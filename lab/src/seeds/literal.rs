//! Parses dictionaries as documents show them: Starlark literals with comments and `...` for omissions.

use serde_json::{Map, Value};

/// Parses a literal. `...` as an element is skipped, and as a value it is `null`.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let plain: Vec<&str> = text.lines().map(super::indent::strip_comment).collect();
    let mut reader = LiteralReader { rest: plain.join("\n") };
    let value = reader.read_value()?;
    reader.skip_blank();
    if reader.rest.is_empty() { Ok(value) } else { Err(format!("`{}` follows the literal", reader.rest)) }
}

struct LiteralReader {
    rest: String,
}

impl LiteralReader {
    fn skip_blank(&mut self) {
        self.rest = self.rest.trim_start().to_owned();
    }

    /// Takes a word if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        self.skip_blank();
        let rest = self.rest.strip_prefix(word).map(str::to_owned);
        rest.map(|rest| self.rest = rest).is_some()
    }

    fn read_value(&mut self) -> Result<Value, String> {
        for (word, value) in
            [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null), ("...", Value::Null)]
        {
            if self.take_word(word) {
                return Ok(value);
            }
        }
        if self.take_word("{") {
            return self.read_fields().map(Value::Object);
        }
        if self.take_word("[") {
            return self.read_elements().map(Value::Array);
        }
        // Strings and numbers are written as in JSON.
        let mut stream = serde_json::Deserializer::from_str(&self.rest).into_iter::<Value>();
        let value = stream.next().ok_or("the literal ends too early")?;
        let value = value.map_err(|error| format!("{error} in `{}`", self.rest))?;
        let read = stream.byte_offset();
        self.rest = self.rest.get(read..).unwrap_or_default().to_owned();
        Ok(value)
    }

    fn read_fields(&mut self) -> Result<Map<String, Value>, String> {
        let mut fields = Map::new();
        while !self.take_word("}") {
            if !self.take_word("...") {
                let Value::String(key) = self.read_value()? else { return Err(String::from("a key is not a string")) };
                if !self.take_word(":") {
                    return Err(format!("no `:` after `{key}`"));
                }
                fields.insert(key, self.read_value()?);
            }
            self.take_word(",");
        }
        Ok(fields)
    }

    fn read_elements(&mut self) -> Result<Vec<Value>, String> {
        let mut elements = Vec::new();
        while !self.take_word("]") {
            if !self.take_word("...") {
                elements.push(self.read_value()?);
            }
            self.take_word(",");
        }
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_of_documents_are_read() {
        let cases = [
            ("\"a text\"", json!("a text")),
            ("{\n\"a\": 1, # one\n\"b\": [True, ...],\n}", json!({"a": 1, "b": [true]})),
            (r#"{"a": "{\"b\": ...}", "c": {...}}"#, json!({"a": "{\"b\": ...}", "c": {}})),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
        for bad in ["", "{", "{1: 2}", "{\"a\" 1}", "1 2"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
