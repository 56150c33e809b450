//! PowerShell lines and what the default packs make of them: `powershell.txt`, each line with `stop` or `pass` in front.

use crate::fixture;

use pintle_packs::default_packs;
use pintle_shell::{ShellLanguage, operations_of_command};

#[test]
fn every_line_is_judged_as_it_says() {
    let wrong = fixture::find_misjudged(
        include_str!("powershell.txt"),
        &default_packs().collect::<Vec<_>>(),
        // A `¶` stands for the end of a line in a command.
        |line, site| operations_of_command(&line.replace('¶', "\n"), ShellLanguage::PowerShell, site),
    );
    assert!(wrong.is_empty(), "\n{wrong}");
}
