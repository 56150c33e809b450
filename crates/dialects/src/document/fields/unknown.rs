//! Unknown keys of a mapping, such as a misspelt key in a hook file: a warning, or an error where one would open a gate.

use pintle_contract::{suggest_nearest, suggest_or_list};

use super::FieldReader;
use crate::document::MapEntry;

impl<'a> FieldReader<'a> {
    /// Warns, if the field is present, that it is unknown, with a specific help.
    pub fn misplaced(&mut self, key: &'static str, help: &str) {
        self.reported.push(key);
        if let Some(entry) = self.entries.iter().find(|entry| entry.key == key) {
            self.report.warning("unknown_key", self.describe_unknown(key), entry.key_span, help);
        }
    }

    /// Warns of every unknown field, such as a misspelt key in a hook file.
    pub fn finish(self) {
        self.warn_unread(&[]);
    }

    fn warn_unread(&self, reported: &[&str]) {
        for entry in self.entries {
            let key = entry.key.as_str();
            if self.known.contains(&key) || self.reported.contains(&key) || reported.contains(&key) {
                continue;
            }
            let help = suggest_or_list(key, self.usable(), "known keys:");
            self.report.warning("unknown_key", self.describe_unknown(key), entry.key_span, help);
        }
    }

    /// Like [`finish`](Self::finish), but a key that is probably a misspelling of one of `guarding` is an error,
    /// because the restriction it was meant to set would not apply.
    pub fn finish_guarding(self, guarding: &[&str]) {
        let mut refused: Vec<&str> = Vec::new();
        let usable: Vec<&'static str> = self.usable().collect();
        for entry in self.unread().filter(|entry| !self.reported.contains(&entry.key.as_str())) {
            if let Some(near) = suggest_key(&entry.key, &usable).filter(|near| guarding.contains(near)) {
                let message = format!("unknown key `{}` in {}", entry.key, self.owner);
                self.report.value_error("unknown_key", message, entry.key_span, format!("did you mean `{near}`?"));
                refused.push(&entry.key);
            }
        }
        self.warn_unread(&refused);
    }

    /// Like [`finish_guarding`](Self::finish_guarding), with every known key as a guarding one.
    pub fn finish_guarding_all(self) {
        let known = self.known.clone();
        self.finish_guarding(&known);
    }

    /// The keys that were read.
    pub(in crate::document) fn known_keys(&self) -> impl Iterator<Item = &'static str> {
        self.known.iter().copied()
    }

    /// The known keys, without those that belong elsewhere.
    fn usable(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.known.iter().copied().filter(|key| !self.reported.contains(key))
    }

    /// The fields that were not read yet.
    pub fn unread(&self) -> impl Iterator<Item = &'a MapEntry> + use<'a, '_> {
        self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str()))
    }

    /// The first field that was neither read nor reported.
    pub fn unknown_key(&self) -> Option<&'a MapEntry> {
        self.unread().find(|entry| !self.reported.contains(&entry.key.as_str()))
    }

    /// Reports every unknown field as an error, for formats that are read strictly.
    pub fn finish_strictly(self) {
        self.finish_advising(|_| None);
    }

    /// Like [`finish_strictly`](Self::finish_strictly); `advise` may know better help for a key than the nearest name.
    pub fn finish_advising(self, advise: impl Fn(&str) -> Option<String>) {
        for entry in self.unread() {
            let help = advise(&entry.key).unwrap_or_else(|| suggest_or_list(&entry.key, self.usable(), "known keys:"));
            match &self.path {
                Some(path) => {
                    let message = format!("{path}: unknown key `{}`", entry.key);
                    self.report.error("unknown_key", message, entry.key_span, help);
                }
                None => {
                    let message = format!("unknown key `{}` in {}", entry.key, self.owner);
                    self.report.value_error("unknown_key", message, entry.key_span, help);
                }
            }
        }
    }

    fn describe_unknown(&self, key: &str) -> String {
        format!("unknown key `{key}` in {}, which has no effect", self.owner)
    }
}

/// The maximum length of a key for which a similar one is searched; the search costs the square of the length.
const MAX_KEY: usize = 64;

/// The known key that was probably meant, in any spelling: `HookScript`, `toolsPolicy`, `tools-policy`.
fn suggest_key(written: &str, known: &[&'static str]) -> Option<&'static str> {
    if written.len() > MAX_KEY {
        return None;
    }
    let squeezed = |key: &str| -> String {
        key.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let plain = squeezed(written);
    let words: Vec<String> = known.iter().map(|key| squeezed(key)).collect();
    let near = suggest_nearest(&plain, words.iter().map(String::as_str))?;
    known.iter().zip(&words).find(|(_, word)| *word == near).map(|(key, _)| *key)
}
