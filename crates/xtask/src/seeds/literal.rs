//! Dictionaries as documents show them: Starlark literals with comments and `...` for what is left out.

use serde_json::{Map, Value};

/// Reads a literal. `...` as an element is left out, and as a value it is `null`.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let plain: Vec<&str> = text.lines().map(super::indent::uncommented).collect();
    let mut reader = Reader { rest: plain.join("\n") };
    let value = reader.value()?;
    reader.blank();
    if reader.rest.is_empty() { Ok(value) } else { Err(format!("`{}` follows the literal", reader.rest)) }
}

struct Reader {
    rest: String,
}

impl Reader {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start().to_owned();
    }

    /// Takes a word when it comes next.
    fn take(&mut self, word: &str) -> bool {
        self.blank();
        let rest = self.rest.strip_prefix(word).map(str::to_owned);
        rest.map(|rest| self.rest = rest).is_some()
    }

    fn value(&mut self) -> Result<Value, String> {
        for (word, value) in
            [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null), ("...", Value::Null)]
        {
            if self.take(word) {
                return Ok(value);
            }
        }
        if self.take("{") {
            return self.fields().map(Value::Object);
        }
        if self.take("[") {
            return self.elements().map(Value::Array);
        }
        // Texts and numbers are spelled as in JSON.
        let mut stream = serde_json::Deserializer::from_str(&self.rest).into_iter::<Value>();
        let value = stream.next().ok_or("the literal ends too early")?;
        let value = value.map_err(|fault| format!("{fault} in `{}`", self.rest))?;
        let read = stream.byte_offset();
        self.rest = self.rest.get(read..).unwrap_or_default().to_owned();
        Ok(value)
    }

    fn fields(&mut self) -> Result<Map<String, Value>, String> {
        let mut fields = Map::new();
        while !self.take("}") {
            if !self.take("...") {
                let Value::String(key) = self.value()? else { return Err(String::from("a key is no text")) };
                if !self.take(":") {
                    return Err(format!("no `:` after `{key}`"));
                }
                fields.insert(key, self.value()?);
            }
            self.take(",");
        }
        Ok(fields)
    }

    fn elements(&mut self) -> Result<Vec<Value>, String> {
        let mut elements = Vec::new();
        while !self.take("]") {
            if !self.take("...") {
                elements.push(self.value()?);
            }
            self.take(",");
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
