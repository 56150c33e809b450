//! The tool names that a hook's conditions use.

use std::sync::Arc;

use pintle_contract::{Matcher, NameTest, NameTestKind, ScriptTexts, SubjectFilter};
use regex::{Regex, RegexBuilder};

/// The size in bytes that a compiled pattern of a script may have.
const PATTERN_BYTES: usize = 1 << 20;

/// The tool names that a hook's conditions use.
#[derive(Debug, Clone, Default)]
pub struct WantedNames {
    /// The names that are written out.
    pub(crate) names: Vec<String>,
    /// Names in another case or as a part of another text, and names that may be meant.
    similar: Vec<SimilarNames>,
    /// A matcher with a pattern for names.
    matcher: Option<Arc<dyn Matcher>>,
}

/// A condition that several names may satisfy.
#[derive(Debug, Clone)]
enum SimilarNames {
    /// With the text in lower case, if the case is ignored.
    Tested(NameTest),
    Matching(Regex),
    /// One of the script's texts, which may be compared with the name.
    Mentioned(String),
}

/// How sure it is that a condition is about a name. The surer one is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameMatch {
    /// The name satisfies a condition that others may satisfy too.
    Similar,
    /// The name is written out.
    Exact,
}

impl NameMatch {
    pub(crate) const SUREST_FIRST: [Self; 2] = [Self::Exact, Self::Similar];
}

impl WantedNames {
    /// The names in a hook's matcher and in its script.
    #[must_use]
    pub fn of_hook(matcher: Option<&Arc<dyn Matcher>>, texts: &ScriptTexts) -> Self {
        let subjects = matcher.map(|matcher| matcher.written_subjects());
        let mut names: Vec<String> =
            subjects.as_ref().and_then(SubjectFilter::names).into_iter().flatten().map(str::to_owned).collect();
        let mut similar = Vec::new();
        for test in &texts.name_tests {
            match (test.kind, test.ignores_case) {
                (NameTestKind::Is, false) => names.push(test.text.clone()),
                (NameTestKind::Matches, ignores_case) => {
                    let mut pattern = RegexBuilder::new(&test.text);
                    let pattern = pattern.case_insensitive(ignores_case).size_limit(PATTERN_BYTES).build();
                    similar.extend(pattern.ok().map(SimilarNames::Matching));
                }
                (_, true) => {
                    similar.push(SimilarNames::Tested(NameTest { text: test.text.to_lowercase(), ..test.clone() }));
                }
                (_, false) => similar.push(SimilarNames::Tested(test.clone())),
            }
        }
        if texts.has_unknown_tests {
            similar.extend(texts.all.iter().cloned().map(SimilarNames::Mentioned));
        }
        Self { names, similar, matcher: matcher.cloned() }
    }

    /// Whether a condition may be about other names than those that are written out. A matcher has a pattern for all
    /// names or for none.
    pub(crate) fn may_be_similar(&self) -> bool {
        !self.similar.is_empty() || self.matcher.as_ref().is_some_and(|matcher| matcher.accepts_subject("").is_some())
    }

    /// Whether a condition is about this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        NameMatch::SUREST_FIRST.into_iter().any(|sureness| self.has_as(name, sureness))
    }

    /// Whether a condition is about this name, and it is so sure.
    pub(crate) fn has_as(&self, name: &str, sureness: NameMatch) -> bool {
        match sureness {
            NameMatch::Exact => {
                self.names.iter().any(|known| known == name)
                    || self.matcher.as_ref().is_some_and(|matcher| matcher.accepts_subject(name) == Some(true))
            }
            NameMatch::Similar => self.similar.iter().any(|similar| similar.accepts(name)),
        }
    }
}

impl SimilarNames {
    fn accepts(&self, name: &str) -> bool {
        match self {
            Self::Matching(pattern) => pattern.is_match(name),
            Self::Mentioned(text) => text == name,
            Self::Tested(test) if test.ignores_case => accepts(test.kind, &test.text, &name.to_lowercase()),
            Self::Tested(test) => accepts(test.kind, &test.text, name),
        }
    }
}

fn accepts(kind: NameTestKind, text: &str, name: &str) -> bool {
    match kind {
        NameTestKind::Is => name == text,
        NameTestKind::StartsWith => name.starts_with(text),
        NameTestKind::EndsWith => name.ends_with(text),
        NameTestKind::Contains => name.contains(text),
        NameTestKind::IsWithin => text.contains(name),
        NameTestKind::IsRelatedTo => name.contains(text) || text.contains(name),
        // Patterns are compiled.
        NameTestKind::Matches => false,
    }
}
