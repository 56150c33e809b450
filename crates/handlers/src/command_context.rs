//! The working directory and the environment of a hook's command.

use std::path::{Path, PathBuf};

/// A hook's declared working directory and variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandContext {
    /// Variables in addition to Pintle's own.
    pub(crate) variables: Vec<(String, String)>,
    /// The working directory; a relative path is resolved against the session's.
    pub(crate) directory: Option<String>,
    /// Whether references to variables are expanded in both.
    pub(crate) expands_variables: bool,
}

/// The working directory of one call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WorkingDir {
    /// The directory; `None` if the session has none either.
    pub(crate) directory: Option<PathBuf>,
    /// A warning for the hook's author.
    pub(crate) warning: Option<String>,
}

impl CommandContext {
    /// The variables, with `${env.NAME}` replaced by Pintle's own value, which may be empty. Any other `$` stays.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        self.environment_from(&crate::process::variable)
    }

    fn environment_from(&self, known: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
        let expanded = |value: &String| match self.expands_variables {
            true => replace_references(value, known, &|name| name.strip_prefix("env."), false),
            false => value.clone(),
        };
        self.variables.iter().map(|(name, value)| (name.clone(), expanded(value))).collect()
    }

    /// The working directory, resolved against that of the session; an empty session directory counts as none. It may
    /// be gone.
    pub(crate) fn resolve_working_dir(&self, session: &str) -> WorkingDir {
        self.resolve_working_dir_from(session, &crate::process::variable)
    }

    /// The working directory in which the hook's program is started: as [`resolve_working_dir`](Self::resolve_working_dir)
    /// has it, but one that is left if the session's is gone.
    pub(crate) fn resolve_program_dir(&self, session: &str) -> WorkingDir {
        let place = self.resolve_working_dir(session);
        match place.directory.as_deref() {
            // An agent may remove the directory that it works in; its guards are started all the same.
            Some(directory) if directory == Path::new(session) && !directory.is_dir() => nearest_working_dir(directory),
            _ => place,
        }
    }

    fn resolve_working_dir_from(&self, session: &str, known: &dyn Fn(&str) -> Option<String>) -> WorkingDir {
        let base = (!session.is_empty()).then(|| PathBuf::from(session));
        let Some(written) = self.directory.as_deref().filter(|written| !written.is_empty()) else {
            return WorkingDir { directory: base, warning: None };
        };
        let path = if self.expands_variables { expand_references(written, known) } else { written.to_owned() };
        if path.is_empty() {
            let doubt = format!("the working directory `{written}` expands to nothing; the session's own is used");
            return WorkingDir { directory: base, warning: Some(doubt) };
        }
        let directory = match base {
            Some(base) => Some(base.join(path)),
            None => Some(PathBuf::from(path)).filter(|path| path.is_absolute()),
        };
        WorkingDir { directory, warning: None }
    }
}

/// What stands for a session's directory that is gone: this process's own, which is the project's, else the nearest that
/// is left above it.
fn nearest_working_dir(gone: &Path) -> WorkingDir {
    let own = std::env::current_dir().ok().filter(|own| own.is_dir());
    let above = || gone.ancestors().find(|directory| directory.is_dir()).map(Path::to_owned);
    let directory = own.or_else(above);
    let shown = directory.as_deref().unwrap_or(gone).display();
    let warning = format!("the working directory `{}` is gone; the hook is started in `{shown}`", gone.display());
    WorkingDir { warning: Some(warning), directory }
}

/// Expands `~`, `$NAME`, `${NAME}` and `${env.NAME}`.
fn expand_references(written: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let text = replace_references(written, known, &|name| Some(name.strip_prefix("env.").unwrap_or(name)), true);
    let Some(below) = text.strip_prefix('~') else { return text };
    let home = known("HOME").or_else(|| Some(pintle_files::home_dir()?.to_string_lossy().into_owned()));
    match home {
        Some(home) if below.is_empty() || below.starts_with('/') => {
            Path::new(&home).join(below.trim_start_matches('/')).to_string_lossy().trim_end_matches('/').to_owned()
        }
        _ => text,
    }
}

/// Expands `${..}` if `names` accepts its content, and `$NAME` if `bare`. Other references stay as they are.
fn replace_references(
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

    fn known_variable(name: &str) -> Option<String> {
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
            let hook = CommandContext {
                directory: written.map(str::to_owned),
                expands_variables: true,
                ..CommandContext::default()
            };
            let place = hook.resolve_working_dir_from(session, &known_variable);
            let found = (place.directory, place.warning.is_some());
            assert_eq!(found, (expected.map(PathBuf::from), doubtful), "{written:?} {session}");
        }
        let plain = CommandContext { directory: Some(String::from("$A")), ..CommandContext::default() };
        assert_eq!(plain.resolve_working_dir_from("/s", &known_variable).directory, Some(PathBuf::from("/s/$A")));
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
            let hook = CommandContext { variables: variables.clone(), expands_variables: true, directory: None };
            assert_eq!(hook.environment_from(&known_variable), [(String::from("X"), expected.to_owned())]);
            let plain = CommandContext { expands_variables: false, ..hook };
            assert_eq!(plain.environment_from(&known_variable), variables);
        }
    }
}
