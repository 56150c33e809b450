//! Headers whose values contain variables.

/// A header as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeaderTemplate {
    name: String,
    value: Vec<HeaderSegment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HeaderSegment {
    Text(String),
    /// A variable that may be read.
    Variable(String),
}

impl HeaderTemplate {
    /// Parses a value: `$NAME` and `${NAME}` are expanded for names in `allowed`, and are empty for other names, so
    /// that a hook file cannot send a key that it was not given.
    pub(super) fn new(name: &str, value: &str, allowed: &[String]) -> Self {
        let mut pieces = Vec::new();
        let mut rest = value;
        while let Some((before, after)) = rest.split_once('$') {
            pieces.push(HeaderSegment::Text(before.to_owned()));
            let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let (variable, left) = braced.unwrap_or_else(|| {
                let letters = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                after.split_at(after.find(|letter| !letters(letter)).unwrap_or(after.len()))
            });
            rest = left;
            if variable.is_empty() {
                pieces.push(HeaderSegment::Text(String::from("$")));
            } else if allowed.iter().any(|allowed| allowed == variable) {
                pieces.push(HeaderSegment::Variable(variable.to_owned()));
            }
        }
        pieces.push(HeaderSegment::Text(rest.to_owned()));
        Self { name: name.to_owned(), value: pieces }
    }

    /// The header with the current values of the variables; one that is not set is empty.
    pub(super) fn expand(&self, known: &dyn Fn(&str) -> Option<String>) -> (String, String) {
        let piece = |piece: &HeaderSegment| match piece {
            HeaderSegment::Text(text) => text.clone(),
            HeaderSegment::Variable(name) => known(name).unwrap_or_default(),
        };
        (self.name.clone(), self.value.iter().map(piece).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_are_filled_in() {
        let allowed = [String::from("TOKEN"), String::from("UNSET")];
        let known = |name: &str| (name != "UNSET").then(|| format!("<{name}>"));
        let cases = [
            ("Bearer $TOKEN", "Bearer <TOKEN>"),
            ("${TOKEN}x$TOKEN", "<TOKEN>x<TOKEN>"),
            ("$TOKENS,${HOME},$HOME!", ",,!"),
            ("$UNSET|", "|"),
            ("costs 5 $ or $$", "costs 5 $ or $$"),
            ("${TOKEN", "${TOKEN"),
            ("plain", "plain"),
        ];
        for (written, expected) in cases {
            let header = HeaderTemplate::new("X", written, &allowed);
            assert_eq!(header.expand(&known), (String::from("X"), expected.to_owned()), "{written}");
        }
    }
}
