//! Records the uses of `payload["arguments"]`, and draws the conclusion.

use std::collections::BTreeSet;

use starlark::syntax::ast::AstExpr;

use super::value::{ARGUMENTS, PossibleValues};
use crate::analysis::ast::{identifier_name, string_literal};

/// A span in the script's text.
type ScriptSpan = (usize, usize);

/// The recorded uses of the value.
#[derive(Debug, Default)]
pub(super) struct ArgumentUses {
    /// Uses that only a dict supports, with their spans; the certain ones first.
    certain_dict_uses: Vec<(String, ScriptSpan)>,
    /// The same uses of a value that may be a different one.
    possible_dict_uses: Vec<(String, ScriptSpan)>,
    /// Uses that only a string supports, or that mean something else for a dict.
    text_uses: Vec<(String, ScriptSpan)>,
    /// `x in arguments`: a substring of the text, or a key of the dict.
    searches: Vec<(Option<String>, ScriptSpan)>,
    /// The keys with which it is indexed, as written.
    keys: BTreeSet<String>,
    /// Whether the script checks its type, and so supports both forms.
    is_type_checked: bool,
    /// Where it is passed to something unknown.
    unknown: Option<ScriptSpan>,
}

/// The conclusion from the uses.
#[derive(Debug)]
pub(super) enum ArgumentsConclusion {
    Text,
    /// A dict; the span is a use that shows it.
    Dict(ScriptSpan),
    /// Used in both ways; the span is the second use.
    Both {
        dict: String,
        text: String,
        span: ScriptSpan,
    },
    /// Unknown from this use on.
    Unknown(ScriptSpan),
}

impl ArgumentUses {
    /// Records a use that only a dict supports.
    pub(super) fn record_dict_use(&mut self, values: &PossibleValues, action: impl Into<String>, span: ScriptSpan) {
        if values.may_be(ARGUMENTS) {
            let list =
                if values.is_only(ARGUMENTS) { &mut self.certain_dict_uses } else { &mut self.possible_dict_uses };
            list.push((action.into(), span));
        }
    }

    /// Records a use that only a string supports.
    pub(super) fn record_text_use(&mut self, values: &PossibleValues, action: impl Into<String>, span: ScriptSpan) {
        if values.may_be(ARGUMENTS) {
            self.text_uses.push((action.into(), span));
        }
    }

    /// Records an index operation.
    pub(super) fn record_key(&mut self, key: &AstExpr) {
        self.keys.extend(key_text(key));
    }

    /// Records a search.
    pub(super) fn record_search(&mut self, values: &PossibleValues, sought: &AstExpr, span: ScriptSpan) {
        if values.may_be(ARGUMENTS) {
            self.searches.push((key_text(sought), span));
        }
    }

    pub(super) fn record_type_check(&mut self, values: &PossibleValues) {
        self.is_type_checked |= values.may_be(ARGUMENTS);
    }

    pub(super) fn record_unknown(&mut self, values: &PossibleValues, span: ScriptSpan) {
        if values.may_be(ARGUMENTS) {
            self.unknown.get_or_insert(span);
        }
    }

    /// The script cannot be analysed.
    pub(super) fn unanalysable(span: ScriptSpan) -> Self {
        Self { unknown: Some(span), ..Self::default() }
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
        // `"unit" not in args` together with `args["unit"]` looks for a key.
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

/// A key as written: a quoted string, or a name.
fn key_text(key: &AstExpr) -> Option<String> {
    string_literal(key).map(|text| format!("{text:?}")).or_else(|| identifier_name(key).map(str::to_owned))
}
