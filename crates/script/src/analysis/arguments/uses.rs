//! What a script does with `payload["arguments"]`, and what follows.

use std::collections::BTreeSet;

use starlark::syntax::ast::AstExpr;

use super::value::PossibleValues;
use crate::analysis::ast::{identifier_name, string_literal};

/// A place in the text of a script.
type ScriptSpan = (usize, usize);

/// What was seen of the value.
#[derive(Debug, Default)]
pub(super) struct ArgumentUses {
    /// What only a dictionary can do, and where; the sure ones first.
    certain_dict_uses: Vec<(String, ScriptSpan)>,
    /// The same, of something that may be another value.
    possible_dict_uses: Vec<(String, ScriptSpan)>,
    /// What only a text can do, or what means something else of a dictionary.
    text_uses: Vec<(String, ScriptSpan)>,
    /// `x in arguments`: a part of the text, or a key of the dictionary.
    searches: Vec<(Option<String>, ScriptSpan)>,
    /// The keys by which it is looked up, as they are written.
    keys: BTreeSet<String>,
    /// Whether the script asks for its type, and so is ready for either.
    is_type_checked: bool,
    /// Where it was handed to something unknown.
    unknown: Option<ScriptSpan>,
}

/// What the uses come to.
#[derive(Debug)]
pub(super) enum ArgumentsConclusion {
    Text,
    /// A dictionary; where that shows.
    Dict(ScriptSpan),
    /// Used as one and as the other, where the second is.
    Both {
        dict: String,
        text: String,
        span: ScriptSpan,
    },
    /// It cannot be told, from this place on.
    Unknown(ScriptSpan),
}

impl ArgumentUses {
    /// Something was done with what may be the arguments that only a dictionary can do.
    pub(super) fn record_dict_use(&mut self, things: &PossibleValues, what: impl Into<String>, at: ScriptSpan) {
        if things.arguments {
            let list =
                if things.is_only_arguments() { &mut self.certain_dict_uses } else { &mut self.possible_dict_uses };
            list.push((what.into(), at));
        }
    }

    /// Something was done with what may be the arguments that only a text can do.
    pub(super) fn record_text_use(&mut self, things: &PossibleValues, what: impl Into<String>, at: ScriptSpan) {
        if things.arguments {
            self.text_uses.push((what.into(), at));
        }
    }

    /// A key was looked up in it.
    pub(super) fn record_key(&mut self, key: &AstExpr) {
        self.keys.extend(key_text(key));
    }

    /// Something was looked for in it.
    pub(super) fn record_search(&mut self, things: &PossibleValues, sought: &AstExpr, at: ScriptSpan) {
        if things.arguments {
            self.searches.push((key_text(sought), at));
        }
    }

    pub(super) fn record_type_check(&mut self, things: &PossibleValues) {
        self.is_type_checked |= things.arguments;
    }

    pub(super) fn record_unknown(&mut self, things: &PossibleValues, at: ScriptSpan) {
        if things.arguments {
            self.unknown.get_or_insert(at);
        }
    }

    /// The whole script is beyond the analysis.
    pub(super) fn unanalysable(at: ScriptSpan) -> Self {
        Self { unknown: Some(at), ..Self::default() }
    }

    pub(super) fn conclude(self) -> ArgumentsConclusion {
        let Self {
            certain_dict_uses: sure,
            possible_dict_uses: possible,
            text_uses: mut texts,
            searches,
            keys,
            is_type_checked,
            unknown,
        } = self;
        // `"unit" not in args` beside `args["unit"]` asks for a key.
        let is_key = |sought: &Option<String>| sought.as_ref().is_some_and(|sought| keys.contains(sought));
        let parts = searches.into_iter().filter(|(sought, _)| !is_key(sought));
        texts.extend(parts.map(|(_, at)| (String::from("in"), at)));
        texts.sort_by_key(|(_, at)| *at);
        let first_dict = sure.first().or(possible.first()).map(|(_, at)| *at);
        match (first_dict, sure.into_iter().next(), texts.into_iter().next()) {
            (None, _, _) => match unknown {
                Some(at) => ArgumentsConclusion::Unknown(at),
                None => ArgumentsConclusion::Text,
            },
            (Some(at), _, None) => ArgumentsConclusion::Dict(at),
            (Some(_), Some((dict, _)), Some((text, at))) if !is_type_checked => {
                ArgumentsConclusion::Both { dict, text, span: at }
            }
            (Some(_), _, Some(_)) => ArgumentsConclusion::Text,
        }
    }
}

/// A key as it is written: a text in its quotation marks, or a name.
fn key_text(key: &AstExpr) -> Option<String> {
    string_literal(key).map(|text| format!("{text:?}")).or_else(|| identifier_name(key).map(str::to_owned))
}
