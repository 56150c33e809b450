//! Exceptions from a check, which must be used.

/// A violation in one file. `subject` is the name or phrase that an exception refers to.
#[derive(Debug)]
pub(super) struct TidyViolation {
    pub(super) file: String,
    pub(super) subject: String,
    pub(super) message: String,
}

/// The file and the subject of an exception, and why the rule cannot hold there.
pub(super) type TidyException = (&'static str, &'static str, &'static str);

/// The messages of the violations that are not excepted, and one for each exception that excepts nothing.
pub(super) fn apply(exceptions: &[TidyException], violations: Vec<TidyViolation>) -> Vec<String> {
    let matches = |(file, subject, _): &TidyException, violation: &TidyViolation| {
        *file == violation.file && *subject == violation.subject
    };
    let unused =
        exceptions.iter().filter(|exception| !violations.iter().any(|violation| matches(exception, violation)));
    let unused: Vec<String> =
        unused.map(|(file, subject, _)| format!("{file}: the exception for `{subject}` excepts nothing")).collect();
    let is_excepted = |violation: &TidyViolation| exceptions.iter().any(|exception| matches(exception, violation));
    let found = violations.into_iter().filter(|violation| !is_excepted(violation)).map(|violation| violation.message);
    found.chain(unused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excepted_violations_are_left_out_and_unused_exceptions_are_found() {
        let violation = |file: &str, subject: &str| TidyViolation {
            file: file.to_owned(),
            subject: subject.to_owned(),
            message: format!("{file} {subject}"),
        };
        let exceptions = [("a.rs", "told", "a trait of others"), ("a.rs", "kept", "no longer there")];
        let found = apply(&exceptions, vec![violation("a.rs", "told"), violation("b.rs", "told")]);
        assert_eq!(found, ["b.rs told", "a.rs: the exception for `kept` excepts nothing"]);
    }
}
