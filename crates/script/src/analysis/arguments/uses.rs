//! What a script does with `payload["arguments"]`, and what follows.

use std::collections::BTreeSet;

use starlark::syntax::ast::AstExpr;

use super::value::Things;
use crate::analysis::walk::{identifier, string};

/// A place in the text of a script.
type Place = (usize, usize);

/// What was seen of the value.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// What only a dictionary can do, and where; the sure ones first.
    sure: Vec<(String, Place)>,
    /// The same, of something that may be another value.
    possible: Vec<(String, Place)>,
    /// What only a text can do, or what means something else of a dictionary.
    texts: Vec<(String, Place)>,
    /// `x in arguments`: a part of the text, or a key of the dictionary.
    searches: Vec<(Option<String>, Place)>,
    /// The keys by which it is looked up, as they are written.
    keys: BTreeSet<String>,
    /// Whether the script asks for its type, and so is ready for either.
    is_type_checked: bool,
    /// Where it was handed to something unknown.
    unknown: Option<Place>,
}

/// What the uses come to.
#[derive(Debug)]
pub(super) enum Judgement {
    Text,
    /// A dictionary; where that shows.
    Dict(Place),
    /// Used as one and as the other, where the second is.
    Both {
        dict: String,
        text: String,
        at: Place,
    },
    /// It cannot be told, from this place on.
    Unknown(Place),
}

impl Uses {
    /// Something was done with what may be the arguments that only a dictionary can do.
    pub(super) fn dict(&mut self, things: &Things, what: impl Into<String>, at: Place) {
        if things.arguments {
            let list = if things.is_only_arguments() { &mut self.sure } else { &mut self.possible };
            list.push((what.into(), at));
        }
    }

    /// Something was done with what may be the arguments that only a text can do.
    pub(super) fn text(&mut self, things: &Things, what: impl Into<String>, at: Place) {
        if things.arguments {
            self.texts.push((what.into(), at));
        }
    }

    /// A key was looked up in it.
    pub(super) fn key(&mut self, key: &AstExpr) {
        self.keys.extend(written(key));
    }

    /// Something was looked for in it.
    pub(super) fn search(&mut self, things: &Things, sought: &AstExpr, at: Place) {
        if things.arguments {
            self.searches.push((written(sought), at));
        }
    }

    pub(super) fn type_check(&mut self, things: &Things) {
        self.is_type_checked |= things.arguments;
    }

    pub(super) fn unknown(&mut self, things: &Things, at: Place) {
        if things.arguments {
            self.unknown.get_or_insert(at);
        }
    }

    /// The whole script is beyond the analysis.
    pub(super) fn give_up(at: Place) -> Self {
        Self { unknown: Some(at), ..Self::default() }
    }

    pub(super) fn judge(self) -> Judgement {
        let Self { sure, possible, mut texts, searches, keys, is_type_checked, unknown } = self;
        // `"unit" not in args` beside `args["unit"]` asks for a key.
        let is_key = |sought: &Option<String>| sought.as_ref().is_some_and(|sought| keys.contains(sought));
        let parts = searches.into_iter().filter(|(sought, _)| !is_key(sought));
        texts.extend(parts.map(|(_, at)| (String::from("in"), at)));
        texts.sort_by_key(|(_, at)| *at);
        let first_dict = sure.first().or(possible.first()).map(|(_, at)| *at);
        match (first_dict, sure.into_iter().next(), texts.into_iter().next()) {
            (None, _, _) => match unknown {
                Some(at) => Judgement::Unknown(at),
                None => Judgement::Text,
            },
            (Some(at), _, None) => Judgement::Dict(at),
            (Some(_), Some((dict, _)), Some((text, at))) if !is_type_checked => Judgement::Both { dict, text, at },
            (Some(_), _, Some(_)) => Judgement::Text,
        }
    }
}

/// A key as it is written: a text in its quotation marks, or a name.
fn written(key: &AstExpr) -> Option<String> {
    string(key).map(|text| format!("{text:?}")).or_else(|| identifier(key).map(str::to_owned))
}
