//! What stands for the parts that this build does without: it reads nothing, and says so.

use crate::Operation;
use crate::walk::NOT_BUILT_IN;

/// The operation of a text whose reader is not built in. It has no program, so that a caller that watches files looks at
/// the text as a whole.
fn unread(language: &str) -> Operation {
    Operation::unknown("", format!("the reader of {language} {NOT_BUILT_IN}"))
}

/// The reader of code, without the feature `code`: what code does is not known.
#[cfg(not(feature = "code"))]
pub(crate) mod code {
    use super::unread;
    use crate::walk::{CommandWalk, TextFlow};

    pub(crate) fn read_code(walk: &mut CommandWalk<'_>, language: &str, text: &str, _: &TextFlow) {
        walk.run_code(language, text);
    }

    impl CommandWalk<'_> {
        pub(crate) fn run_code(&mut self, language: &str, text: &str) {
            self.note_text(text);
            self.push(unread(&format!("code of `{language}`")));
        }
    }
}

/// PowerShell, without the feature `powershell`: what a line of it does is not known.
#[cfg(not(feature = "powershell"))]
pub(crate) mod power {
    use super::unread;
    use crate::walk::{CommandWalk, ParsedOptions, ProgramCall, TextFlow, TextTaint};

    /// An inner program of the parser of PowerShell.
    pub(crate) fn run_power(walk: &mut CommandWalk<'_>, call: &ProgramCall<'_>, _: &ParsedOptions<'_>) -> TextFlow {
        walk.run_powershell_line(call.name, call.stdin)
    }

    impl CommandWalk<'_> {
        pub(crate) fn run_powershell_line(&mut self, text: &str, _: &TextFlow) -> TextFlow {
            self.note_text(text);
            self.push(unread("PowerShell"));
            TextFlow::from_taint(TextTaint::OUTPUT)
        }
    }
}

/// SQL, without the feature `sql`: what statements do is not known.
#[cfg(not(feature = "sql"))]
pub(crate) mod sql {
    use super::unread;
    use crate::Operation;

    pub(crate) fn sql_operations(_: &str, _: &str) -> Vec<Operation> {
        vec![unread("SQL")]
    }
}
