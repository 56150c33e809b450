//! Where a hook runs and what it sees: its working directory and its variables (docker-agent behaviour, section 3.2).

use std::path::{Path, PathBuf};

/// A hook's own working directory and variables, as declared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// Variables besides Pintle's own.
    pub(crate) variables: Vec<(String, String)>,
    /// The working directory; a relative one is below the session's.
    pub(crate) directory: Option<String>,
    /// Whether references to variables are expanded in both.
    pub(crate) expands: bool,
}

/// The working directory of one call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The directory; `None` when the session has none either.
    pub(crate) directory: Option<PathBuf>,
    /// What the hook's author should know.
    pub(crate) doubt: Option<String>,
}

impl Surroundings {
    /// The variables, with `${env.NAME}` replaced by Pintle's own value of it, which may be empty. Any other `$` stays.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        self.variables_from(&crate::process::variable)
    }

    fn variables_from(&self, known: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
        let expanded = |value: &String| match self.expands {
            true => references(value, known, &|name| name.strip_prefix("env."), false),
            false => value.clone(),
        };
        self.variables.iter().map(|(name, value)| (name.clone(), expanded(value))).collect()
    }

    /// The working directory below that of the session; an empty session directory is none.
    pub(crate) fn directory(&self, session: &str) -> Place {
        self.directory_from(session, &crate::process::variable)
    }

    fn directory_from(&self, session: &str, known: &dyn Fn(&str) -> Option<String>) -> Place {
        let base = (!session.is_empty()).then(|| PathBuf::from(session));
        let Some(written) = self.directory.as_deref().filter(|written| !written.is_empty()) else {
            return Place { directory: base, doubt: None };
        };
        let path = if self.expands { expanded(written, known) } else { written.to_owned() };
        if path.is_empty() {
            let doubt = format!("the working directory `{written}` is empty here; the session's own is used");
            return Place { directory: base, doubt: Some(doubt) };
        }
        let directory = match base {
            Some(base) => Some(base.join(path)),
            None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
        };
        Place { directory, doubt: None }
    }
}

/// `~`, `$NAME`, `${NAME}` and `${env.NAME}` replaced.
fn expanded(written: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let text = references(written, known, &|name| Some(name.strip_prefix("env.").unwrap_or(name)), true);
    match (text.strip_prefix('~'), known("HOME")) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            let rest = rest.trim_start_matches('/');
            Path::new(&home).join(rest).to_string_lossy().trim_end_matches('/').to_owned()
        }
        _ => text,
    }
}

/// Replaces `${..}` whose inside `names` accepts, and `$NAME` when `bare`. What is not accepted stays as it is.
fn references(
    text: &str,
    known: &dyn Fn(&str) -> Option<String>,
    names: &dyn for<'t> Fn(&'t str) -> Option<&'t str>,
    bare: bool,
) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        done.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let length =
            after.len() - after.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_').len();
        match (braced, after.split_at_checked(length)) {
            (Some((inner, left)), _) => {
                match names(inner) {
                    Some(name) => done.push_str(&known(name).unwrap_or_default()),
                    None => done.push_str(&format!("${{{inner}}}")),
                }
                rest = left;
            }
            (None, Some((name, left))) if bare && !name.is_empty() => {
                done.push_str(&known(name).unwrap_or_default());
                rest = left;
            }
            _ => {
                done.push('$');
                rest = after;
            }
        }
    }
    done.push_str(rest);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Option<String> {
        [("HOME", "/home/ada"), ("A", "one")].iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn directories_are_expanded_and_joined() {
        let cases = [
            (None, "/s", Some("/s"), false),
            (None, "", None, false),
            (Some("/x"), "/s", Some("/x"), false),
            (Some("/x"), "", Some("/x"), false),
            (Some("x"), "", None, false),
            (Some("x/$A"), "/s", Some("/s/x/one"), false),
            (Some("${A}/${env.A}"), "/s", Some("/s/one/one"), false),
            (Some("~"), "/s", Some("/home/ada"), false),
            (Some("~/x"), "/s", Some("/home/ada/x"), false),
            (Some("~x"), "/s", Some("/s/~x"), false),
            (Some("$NOPE"), "/s", Some("/s"), true),
        ];
        for (written, session, expected, doubtful) in cases {
            let hook = Surroundings { directory: written.map(str::to_owned), expands: true, ..Surroundings::default() };
            let place = hook.directory_from(session, &known);
            let found = (place.directory, place.doubt.is_some());
            assert_eq!(found, (expected.map(PathBuf::from), doubtful), "{written:?} {session}");
        }
        let plain = Surroundings { directory: Some(String::from("$A")), ..Surroundings::default() };
        assert_eq!(plain.directory_from("/s", &known).directory, Some(PathBuf::from("/s/$A")));
    }

    #[test]
    fn only_plain_references_to_the_environment_are_expanded_in_variables() {
        let cases = [
            ("${env.A}", "one"),
            ("x${env.A}y${env.NOPE}z", "xoneyz"),
            ("$A ${A} $$ ${env.A", "$A ${A} $$ ${env.A"),
            ("plain", "plain"),
        ];
        for (written, expected) in cases {
            let variables = vec![(String::from("X"), written.to_owned())];
            let hook = Surroundings { variables: variables.clone(), expands: true, directory: None };
            assert_eq!(hook.variables_from(&known), [(String::from("X"), expected.to_owned())]);
            let plain = Surroundings { expands: false, ..hook };
            assert_eq!(plain.variables_from(&known), variables);
        }
    }
}
