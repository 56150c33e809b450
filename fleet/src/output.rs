//! What the program prints.

use std::io::{self, Write};

use pintle_fleet::FleetError;

/// Prints a line of a result.
pub(crate) fn print_line(text: &str) -> Result<(), FleetError> {
    let mut output = io::stdout().lock();
    let written = writeln!(output, "{text}").and_then(|()| output.flush());
    match written {
        // Who reads it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => written.map_err(|error| FleetError::failure(format!("the output cannot be written: {error}"))),
    }
}

/// Prints a line for the user, beside the result.
pub(crate) fn print_note(text: &str) {
    // Without a terminal there is nothing to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
