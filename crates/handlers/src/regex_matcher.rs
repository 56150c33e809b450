//! The matching of tool names and other subjects by regular expressions.

use std::sync::Arc;

use pintle_contract::{BuiltMatcher, Diagnostic, Event, Location, MatchResult, Matcher, SubjectFilter};
use regex::{Regex, RegexBuilder};

/// The most memory of one compiled expression.
const SIZE_LIMIT_BYTES: usize = 1 << 20;

/// A pattern that the whole subject must match.
#[derive(Debug)]
struct RegexMatcher {
    text: Arc<str>,
    regex: Regex,
    /// The subjects, if the pattern consists only of names.
    names: Option<Vec<String>>,
}

/// Compiles a pattern. An empty pattern and `*` always match.
pub(crate) fn compile_pattern(text: &Arc<str>, location: &Location) -> BuiltMatcher {
    if text.is_empty() || &**text == "*" {
        return BuiltMatcher::default();
    }
    let compile = |pattern: &str| RegexBuilder::new(pattern).size_limit(SIZE_LIMIT_BYTES).build();
    // Compiled without anchors first: `a)|(b` is not valid, but would become so between the anchors and their
    // parentheses.
    match compile(text).and_then(|_| compile(&format!("^(?:{text})$"))) {
        Ok(regex) => {
            let matcher = RegexMatcher { text: Arc::clone(text), regex, names: plain_alternatives(text) };
            BuiltMatcher { matcher: Some(Arc::new(matcher)), ..BuiltMatcher::default() }
        }
        Err(error) => {
            // The parser's last line is the error; those before draw the pattern.
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("invalid matcher `{text}`: {reason}");
            let help = "a matcher is a regular expression that the whole name has to match, such as `shell|edit_.*`";
            let diagnostic = Diagnostic::error("bad_matcher", message, location.clone()).help(help);
            BuiltMatcher { diagnostics: vec![diagnostic], ..BuiltMatcher::default() }
        }
    }
}

/// The alternatives of a pattern that has no other syntax.
fn plain_alternatives(text: &str) -> Option<Vec<String>> {
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    text.split('|').map(|name| plain(name).then(|| name.to_owned())).collect()
}

impl Matcher for RegexMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        if event.subject().is_some_and(|subject| self.regex.is_match(subject)) {
            MatchResult::Yes
        } else {
            MatchResult::No
        }
    }

    fn subjects(&self) -> SubjectFilter {
        match &self.names {
            Some(names) => SubjectFilter::certain(names.clone()),
            None => SubjectFilter::Any,
        }
    }

    fn describe(&self) -> String {
        format!("/{}/", self.text)
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::{EventName, Origin};
    use serde_json::json;

    use super::*;

    fn compile_text(text: &str) -> BuiltMatcher {
        compile_pattern(&Arc::from(text), &Location::default())
    }

    fn pattern_matches(text: &str, name: &str) -> bool {
        let matcher = compile_text(text).matcher.unwrap();
        let payload = json!({"name": name, "args": {}, "arguments": "{}"});
        let event = Event::new(EventName::parse("tool.pre").unwrap(), payload, Arc::new(Origin::default()));
        let wanted = matcher.matches(&event) == MatchResult::Yes;
        // The index uses only the subjects, so both must agree.
        if let SubjectFilter::Only { certain, possible } = matcher.subjects() {
            assert!(possible.is_empty() && certain.iter().any(|known| known == name) == wanted, "{text} {name}");
        }
        wanted
    }

    #[test]
    fn the_whole_name_has_to_match_in_its_letter_case() {
        for (text, name, wanted) in [
            ("shell", "shell", true),
            ("shell", "shell2", false),
            ("shell", "a_shell", false),
            ("shell", "Shell", false),
            ("shell", "shell\n", false),
            ("a|bc", "bc", true),
            ("a|bc", "abc", false),
            ("edit_.*", "edit_file", true),
            ("edit_.*", "xedit_file", false),
            ("^shell$", "shell", true),
            ("(?i)shell", "SHELL", true),
            ("a||b", "", true),
            ("[[:alpha:]]+", "shell", true),
            (r"mcp__\w+", "mcp__x", true),
        ] {
            assert_eq!(pattern_matches(text, name), wanted, "`{text}` `{name}`");
        }
    }

    #[test]
    fn an_event_without_a_subject_matches_no_pattern() {
        let matcher = compile_text(".*").matcher.unwrap();
        let event = Event::new(EventName::parse("tool.pre").unwrap(), json!({"args": {}}), Arc::new(Origin::default()));
        assert_eq!(matcher.matches(&event), MatchResult::No);
    }

    #[test]
    fn nothing_and_a_star_match_always() {
        for text in ["", "*"] {
            let built = compile_text(text);
            assert!(built.matcher.is_none() && built.diagnostics.is_empty(), "{text}");
        }
    }

    #[test]
    fn names_alone_can_be_looked_up_and_patterns_cannot() {
        for (text, names) in [
            ("shell", Some(vec!["shell"])),
            ("shell|edit-file|x_1", Some(vec!["shell", "edit-file", "x_1"])),
            ("edit_.*", None),
            ("a||b", None),
            ("(?i)a", None),
        ] {
            let wanted = names.map(|names| names.into_iter().map(str::to_owned).collect());
            let found = match compile_text(text).matcher.unwrap().subjects() {
                SubjectFilter::Only { certain, .. } => Some(certain),
                SubjectFilter::Any => None,
            };
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_pattern_here_says_why_and_what_to_write() {
        for (text, reason) in [
            ("shell(", "unclosed group"),
            ("a)|(b", "unopened group"),
            ("[a", "unclosed character class"),
            (r"\Qshell\E", "unrecognized escape sequence"),
            (r"a\C", "unrecognized escape sequence"),
            ("(?=a)", "look-around, including look-ahead and look-behind, is not supported"),
            (r"(a)\1", "backreferences are not supported"),
            ("a{99999999}", "exceeds size limit"),
        ] {
            let built = compile_text(text);
            let [diagnostic] = built.diagnostics.as_slice() else { panic!("{text}: {:?}", built.diagnostics) };
            assert!(built.matcher.is_none());
            let head = format!("invalid matcher `{text}`: ");
            assert!(
                diagnostic.message.starts_with(&head) && diagnostic.message.contains(reason),
                "{}",
                diagnostic.message
            );
            assert!(!diagnostic.message.contains('\n') && diagnostic.help.is_some(), "{}", diagnostic.message);
        }
    }
}
