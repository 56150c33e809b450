//! Tables of the keys of a mapping: what a file may contain, how it is read, and what the reference pages say of it.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;

use super::FieldReader;

/// One key of a mapping that is read into a `T`. [`key!`](crate::document::key) makes rows.
#[derive(Debug)]
pub(crate) struct KeyDef<T> {
    pub(crate) name: &'static str,
    /// The values that it may have, for readers.
    pub(crate) values: fn() -> String,
    /// The value that applies without the key, for readers.
    pub(crate) default: fn(&T) -> String,
    /// What the key does: a sentence of the reference.
    pub(crate) meaning: &'static str,
    /// Reads the value, if there is one, into its place.
    pub(crate) read: fn(&mut FieldReader<'_>, &mut T),
}

/// The keys of one kind of file, or of one mapping in it.
#[derive(Debug)]
pub(crate) struct KeyTable<T: 'static> {
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    /// What applies without any key.
    pub(crate) start: fn() -> T,
    pub(crate) unknown: UnknownKeys,
    pub(crate) keys: &'static [KeyDef<T>],
}

/// What an unknown key is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UnknownKeys {
    /// A warning.
    Warned,
    /// A warning, and an error if it is probably a misspelling of one of these.
    Guarding(&'static [&'static str]),
    /// A warning, and an error if it is probably a misspelling of any key.
    GuardingAll,
    /// An error.
    Refused,
}

impl<T> KeyTable<T> {
    /// Reads every key of the table into `value`. A value that is not allowed is reported, and changes nothing.
    pub(crate) fn read_into(&self, fields: &mut FieldReader<'_>, value: &mut T) {
        for key in self.keys {
            (key.read)(fields, value);
        }
    }

    /// Reads every key of the table.
    pub(crate) fn read(&self, fields: &mut FieldReader<'_>) -> T {
        let mut value = (self.start)();
        self.read_into(fields, &mut value);
        value
    }

    /// Reads a whole mapping, and reports its unknown keys.
    pub(crate) fn read_whole(&self, mut fields: FieldReader<'_>) -> T {
        let value = self.read(&mut fields);
        self.finish(fields);
        value
    }

    /// Reads the mapping of a key; what applies without any key if it is absent.
    pub(crate) fn read_at(&self, fields: &mut FieldReader<'_>, key: &'static str) -> T {
        fields.fields(key).map_or_else(self.start, |own| self.read_whole(own))
    }

    /// Reports every unknown key. A key that was read beside the table must have a row.
    pub(crate) fn finish(&self, fields: FieldReader<'_>) {
        debug_assert!(fields.known_keys().all(|known| self.keys.iter().any(|key| key.name == known)), "{}", self.title);
        match self.unknown {
            UnknownKeys::Warned => fields.finish(),
            UnknownKeys::Guarding(keys) => fields.finish_guarding(keys),
            UnknownKeys::GuardingAll => fields.finish_guarding_all(),
            UnknownKeys::Refused => fields.finish_strictly(),
        }
    }
}

/// Reads keys that are not read into anything, such as keys without an effect.
pub(crate) fn read_keys(fields: &mut FieldReader<'_>, keys: &[KeyDef<()>]) {
    for key in keys {
        (key.read)(fields, &mut ());
    }
}

/// A table as the reference shows it, whatever its keys are read into.
pub trait KeySection: Sync {
    /// The heading: the kind of file, or the key that has the mapping.
    fn title(&self) -> &'static str;
    /// A sentence about it.
    fn description(&self) -> &'static str;
    /// The rows, in their order.
    fn rows(&self) -> Vec<KeyRow>;
}

/// One key as the reference shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The key.
    pub name: &'static str,
    /// The values that it may have.
    pub values: String,
    /// The value that applies without it.
    pub default: String,
    /// What it does.
    pub meaning: &'static str,
}

impl<T> KeySection for KeyTable<T> {
    fn title(&self) -> &'static str {
        self.title
    }

    fn description(&self) -> &'static str {
        self.about
    }

    fn rows(&self) -> Vec<KeyRow> {
        let start = (self.start)();
        let row = |key: &KeyDef<T>| KeyRow {
            name: key.name,
            values: (key.values)(),
            default: (key.default)(&start),
            meaning: key.meaning,
        };
        self.keys.iter().map(row).collect()
    }
}

/// A row of a [`KeyTable`].
///
/// - `key!(field: kind, "meaning")`: the key `field` is read into the field of that name.
/// - `key!("name" => field: kind, "meaning")`: the key has another name than the field.
/// - `key!(field?: kind, "default", "meaning")`: the field is an `Option`; `default`, any value that can be shown, says what applies without it.
/// - `key!("name": with(read, "values", "default"), "meaning")`: `read(fields, value)` reads it.
/// - `key!("name": ignored("values", "default"), "meaning")`: it is known and has no effect.
/// - `key!("name": listed("values", "default"), "meaning")`: code beside the table reads it. The row alone does not make
///   the key known, so one that nothing reads is reported and not passed over.
/// - `key!("name": reserved)`, `key!("name": unsupported("help"))`: it has no effect, which is said.
/// - `key!("name": refused("help"))`: ignoring it would restrict less than its author intended, so it is an error.
///
/// The kinds are the getters of [`FieldReader`]: `text`, `script`, `boolean`, `integer(range)`, `number(range)`,
/// `choice(words)`, `texts`, `pairs`, and `mapping(TABLE)`.
macro_rules! key {
    ($name:literal : reserved) => {
        key!(@row $name, || String::from("any"), |_| String::from("none"), "Reserved: read, but without effect.",
            |fields, _| fields.note_reserved($name))
    };
    ($name:literal : unsupported($help:literal)) => {
        key!(@row $name, || String::from("any"), |_| String::from("none"), concat!("Not supported: ", $help, "."),
            |fields, _| fields.warn_unsupported($name, $help))
    };
    ($name:literal : refused($help:literal)) => {
        key!(@row $name, || String::from("any"), |_| String::from("none"), concat!("An error: ", $help, "."),
            |fields, _| fields.refuse_unsupported($name, $help))
    };
    ($name:literal : ignored($values:literal, $default:literal), $meaning:literal) => {
        key!(@row $name, || String::from($values), |_| String::from($default), $meaning,
            |fields, _| { let _ = fields.node($name); })
    };
    ($name:literal : listed($values:literal, $default:literal), $meaning:literal) => {
        key!(@row $name, || String::from($values), |_| String::from($default), $meaning, |_, _| {})
    };
    ($name:literal : with($read:expr, $values:literal, $default:literal), $meaning:literal) => {
        key!(@row $name, || String::from($values), |_| String::from($default), $meaning,
            |fields, value| ($read)(fields, value))
    };
    ($field:ident : $($rest:tt)*) => { key!(@plain stringify!($field), $field, $($rest)*) };
    ($name:literal => $field:ident : $($rest:tt)*) => { key!(@plain $name, $field, $($rest)*) };
    ($field:ident ? : $($rest:tt)*) => { key!(@option stringify!($field), $field, $($rest)*) };
    ($name:literal => $field:ident ? : $($rest:tt)*) => { key!(@option $name, $field, $($rest)*) };
    (@plain $name:expr, $field:ident, texts, $meaning:literal) => {
        key!(@row $name, || String::from("list of texts"), |_| String::from("none"), $meaning,
            |fields, value| value.$field = fields.texts($name))
    };
    (@plain $name:expr, $field:ident, pairs, $meaning:literal) => {
        key!(@row $name, || String::from("mapping of texts"), |_| String::from("none"), $meaning,
            |fields, value| value.$field = fields.pairs($name))
    };
    (@plain $name:expr, $field:ident, mapping($table:expr), $meaning:literal) => {
        key!(@row $name, || String::from("mapping"), |_| String::from("as below"), $meaning,
            |fields, value| value.$field = $table.read_at(fields, $name))
    };
    (@plain $name:expr, $field:ident, choice($words:expr), $meaning:literal) => {
        key!(@row $name, || $crate::document::keys::list_words($words),
            |value| $crate::document::keys::word_of($words, &value.$field), $meaning,
            |fields, value| if let Some(read) = fields.choice($name, $words) { value.$field = read })
    };
    (@plain $name:expr, $field:ident, $kind:ident $(($range:expr))?, $meaning:literal) => {
        key!(@row $name, || $crate::document::keys::$kind($($crate::document::keys::range($range))?),
            |value| $crate::document::keys::show_default(&value.$field), $meaning,
            |fields, value| if let Some(read) = fields.$kind($name $(, $range)?) { value.$field = read })
    };
    (@option $name:expr, $field:ident, choice($words:expr), $default:expr, $meaning:literal) => {
        key!(@row $name, || $crate::document::keys::list_words($words), |_| $default.to_string(), $meaning,
            |fields, value| value.$field = fields.choice($name, $words))
    };
    (@option $name:expr, $field:ident, $kind:ident $(($range:expr))?, $default:expr, $meaning:literal) => {
        key!(@row $name, || $crate::document::keys::$kind($($crate::document::keys::range($range))?),
            |_| $default.to_string(), $meaning,
            |fields, value| value.$field = fields.$kind($name $(, $range)?))
    };
    (@row $name:expr, $values:expr, $default:expr, $meaning:expr, $read:expr) => {
        $crate::document::keys::KeyDef { name: $name, values: $values, default: $default, meaning: $meaning, read: $read }
    };
}
pub(crate) use key;

/// The bounds of a number as shown; a bound of the number's own type is left out.
pub(crate) fn range<T: Display + PartialOrd + NumberBounds>(range: RangeInclusive<T>) -> String {
    match (*range.start() > T::LEAST, *range.end() < T::MOST) {
        (_, true) => format!(", {} to {}", range.start(), range.end()),
        (true, false) => format!(", {} or more", range.start()),
        (false, false) => String::new(),
    }
}

/// The type of a number that has bounds of its own.
pub(crate) trait NumberBounds {
    /// The least value of the type.
    const LEAST: Self;
    /// The greatest value of the type.
    const MOST: Self;
}

macro_rules! bounds {
    ($($number:ty),*) => { $(impl NumberBounds for $number { const LEAST: Self = <$number>::MIN; const MOST: Self = <$number>::MAX; })* };
}
bounds!(i32, i64, u32, u64, usize, f64);

pub(crate) fn integer(range: String) -> String {
    format!("whole number{range}")
}

pub(crate) fn number(range: String) -> String {
    format!("number{range}")
}

pub(crate) fn text() -> String {
    String::from("text")
}

pub(crate) fn script() -> String {
    String::from("Starlark")
}

pub(crate) fn boolean() -> String {
    String::from("true or false")
}

/// Words as shown: each as code.
pub(crate) fn list_words<T>(words: &[(&str, T)]) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    words.join(", ")
}

/// The word of a value.
pub(crate) fn word_of<T: PartialEq>(words: &[(&str, T)], value: &T) -> String {
    words.iter().find(|(_, known)| known == value).map_or_else(String::new, |(word, _)| format!("`{word}`"))
}

/// A default as shown: a text as code, anything empty as `none`.
pub(crate) fn show_default(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) if !text.is_empty() => format!("`{text}`"),
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
        _ => String::from("none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ARTIFACT_KEYS, command_hooks, lifecycle_hooks};

    #[test]
    fn no_row_of_the_reference_stands_twice_or_says_nothing() {
        for section in [ARTIFACT_KEYS, command_hooks::KEY_SECTIONS, lifecycle_hooks::KEY_SECTIONS].into_iter().flatten()
        {
            let mut rows = section.rows();
            assert!(!rows.is_empty() && !section.description().is_empty(), "{}", section.title());
            rows.iter().for_each(|row| {
                assert!(![&*row.values, &*row.default, row.meaning].contains(&""), "{} {row:?}", section.title());
            });
            let count = rows.len();
            rows.sort_by_key(|row| row.name);
            rows.dedup_by_key(|row| row.name);
            assert_eq!(rows.len(), count, "{}", section.title());
        }
    }

    #[test]
    fn a_range_shows_what_bounds_it_sets() {
        assert_eq!(range(0..=100), ", 0 to 100");
        assert_eq!(range(1..=u32::MAX), ", 1 or more");
        assert_eq!(range(i64::MIN..=i64::MAX), "");
        assert_eq!(range(0.0..=2.0), ", 0 to 2");
    }
}
