//! Resolves blob references.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{NAME, is_reference_name};
use crate::line::digest_hex;

/// The maximum size of a resolved record, far more than any session needs. It stops tapes made to exhaust memory.
pub(super) const MOST_BYTES: usize = 256 << 20;
/// The maximum nesting depth of a record, as for JSON readers.
const DEEPEST: usize = 128;

/// The blobs of a tape up to a line.
#[derive(Debug, Default)]
pub(crate) struct BlobStore {
    by_digest: HashMap<String, StoredBlob>,
}

#[derive(Debug)]
struct StoredBlob {
    /// The value, with its own large values replaced by references.
    value: Value,
    extent: ResolvedSize,
}

/// The size of a value after resolving.
#[derive(Debug, Clone, Copy, Default)]
struct ResolvedSize {
    size_bytes: usize,
    depth: usize,
}

impl BlobStore {
    /// Adds a blob.
    ///
    /// # Errors
    /// When the digest is not that of the value, or a blob that it refers to is missing.
    pub(crate) fn insert(&mut self, name: &str, value: Value) -> Result<(), String> {
        let text = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
        let actual = digest_hex(&text);
        if actual != name {
            return Err(format!("the blob's `digest` is `{name}`, but the digest of its value is `{actual}`"));
        }
        let mut extent = ResolvedSize { size_bytes: text.len(), depth: 0 };
        self.measure(&value, 0, &mut extent)?;
        self.by_digest.insert(actual, StoredBlob { value, extent });
        Ok(())
    }

    /// The digests of all blobs.
    pub(crate) fn into_digests(self) -> impl Iterator<Item = String> {
        self.by_digest.into_keys()
    }

    /// Resolves the references in the fields of a record.
    ///
    /// # Errors
    /// When a blob is missing, or the resolved record would be too large.
    pub(crate) fn resolve_fields(&self, fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
        // Packed fields contain no references.
        if fields.len() == 1 && fields.contains_key("packed") {
            return Ok(fields);
        }
        let mut extent = ResolvedSize::default();
        fields.values().try_for_each(|value| self.measure(value, 1, &mut extent))?;
        Ok(fields.into_iter().map(|(name, value)| (name, self.resolve(value))).collect())
    }

    /// Adds the resolved size of a value. A reference is at `depth`.
    fn measure(&self, value: &Value, depth: usize, extent: &mut ResolvedSize) -> Result<(), String> {
        extent.depth = extent.depth.max(depth);
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.measure(item, depth + 1, extent))?,
            Value::Object(fields) => match reference_digest(fields) {
                Some(name) => {
                    let known = self.by_digest.get(name);
                    let known =
                        known.ok_or_else(|| format!("it refers to blob `{name}`, which no line before it contains"))?;
                    extent.size_bytes = extent.size_bytes.saturating_add(known.extent.size_bytes);
                    extent.depth = extent.depth.max(depth + known.extent.depth);
                }
                None => fields.values().try_for_each(|inner| self.measure(inner, depth + 1, extent))?,
            },
            _ => {}
        }
        if extent.size_bytes > MOST_BYTES || extent.depth > DEEPEST {
            return Err(format!("with its blobs it is larger than {} MiB or nested too deep", MOST_BYTES >> 20));
        }
        Ok(())
    }

    /// The resolved value. It was measured before, so this terminates.
    fn resolve(&self, value: Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.resolve(item)).collect()),
            Value::Object(fields) => {
                if let Some(known) = reference_digest(&fields).and_then(|name| self.by_digest.get(name)) {
                    return self.resolve(known.value.clone());
                }
                let escaped = fields.len() == 1 && fields.keys().all(|name| is_reference_name(name));
                let plain = |name: String| if escaped { name.chars().skip(1).collect() } else { name };
                Value::Object(fields.into_iter().map(|(name, value)| (plain(name), self.resolve(value))).collect())
            }
            other => other,
        }
    }
}

/// The digest that an object refers to.
fn reference_digest(fields: &Map<String, Value>) -> Option<&str> {
    match fields.get(NAME) {
        Some(Value::String(digest)) if fields.len() == 1 => Some(digest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn insert_value(blobs: &mut BlobStore, value: &Value) -> Result<String, String> {
        let name = digest_hex(&serde_json::to_vec(value).unwrap());
        blobs.insert(&name, value.clone()).map(|()| name)
    }

    fn resolve_value(blobs: &BlobStore, value: Value) -> Result<Value, String> {
        let fields = json!({"value": value}).as_object().cloned().unwrap();
        blobs.resolve_fields(fields).map(|mut fields| fields.shift_remove("value").unwrap())
    }

    #[test]
    fn blobs_may_refer_to_those_before_them() {
        let mut blobs = BlobStore::default();
        let inner = insert_value(&mut blobs, &json!(["a"])).unwrap();
        let outer = insert_value(&mut blobs, &json!({"x": {"$blob": inner}, "y": {"$$blob": 1}})).unwrap();
        let whole = resolve_value(&blobs, json!([{"$blob": outer}, {"$$$blob": 2}]));
        assert_eq!(whole, Ok(json!([{"x": ["a"], "y": {"$blob": 1}}, {"$$blob": 2}])));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told() {
        let mut blobs = BlobStore::default();
        let missing = "it refers to blob `ab`, which no line before it contains";
        assert_eq!(resolve_value(&blobs, json!([{"$blob": "ab"}])).unwrap_err(), missing);
        assert_eq!(insert_value(&mut blobs, &json!({"$blob": "ab"})).unwrap_err(), missing);
        let wrong = blobs.insert("ab", json!(1)).unwrap_err();
        assert!(wrong.starts_with("the blob's `digest` is `ab`, but the digest of its value is `6b86b2"), "{wrong}");
    }

    #[test]
    fn a_tape_that_was_made_to_fill_the_memory_is_refused() {
        let mut blobs = BlobStore::default();
        let mut name = insert_value(&mut blobs, &json!("x".repeat(1 << 20))).unwrap();
        let doubled = (0..10).find_map(|_| {
            let next = insert_value(&mut blobs, &json!([{"$blob": name}, {"$blob": name}]));
            next.map(|next| name = next).err()
        });
        assert_eq!(doubled.unwrap(), "with its blobs it is larger than 256 MiB or nested too deep");

        let mut name = insert_value(&mut blobs, &json!([])).unwrap();
        let deeper =
            (0..200).find_map(|_| insert_value(&mut blobs, &json!([{"$blob": name}])).map(|next| name = next).err());
        assert!(deeper.is_some());
    }
}
