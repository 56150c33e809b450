//! Reads a command handler.

use pintle_contract::CommandSpec;

use super::fields::HandlerFields;

/// The key for this system's own command line, as in VS Code.
const OF_THIS_SYSTEM: &str = if cfg!(target_os = "macos") {
    "osx"
} else if cfg!(windows) {
    "windows"
} else {
    "linux"
};

/// Reads the handler; `None` if the command is missing, which is reported. `shared` are the variables of the file, which
/// its own override.
pub(super) fn read(handler_fields: &mut HandlerFields<'_>, shared: &[(String, String)]) -> Option<CommandSpec> {
    let environment = shared.iter().cloned().chain(handler_fields.pairs("env")).collect();
    let directory = handler_fields.text("cwd");
    let shell = handler_fields.text("shell").map(|word| match word.as_str() {
        "powershell" => String::from("pwsh"),
        _ => word,
    });
    let arguments = handler_fields.texts("args");
    let own = handler_fields.text(OF_THIS_SYSTEM);
    let lines = ["exec", "bash", "command", "powershell"].map(|key| (key, handler_fields.text(key)));
    let written = lines.into_iter().filter_map(|(key, text)| Some((key, text.filter(|text| !text.trim().is_empty())?)));
    let found = own.map(|text| ("command", text)).or_else(|| written.into_iter().next());
    let Some((key, command)) = found else {
        let fields = &handler_fields.fields;
        let message = format!("a command hook on `{}` needs a `command`", handler_fields.def().name);
        let help = "write `\"command\": \"..\"`";
        fields.report().value_error("missing_field", message, handler_fields.first_line(), help);
        return None;
    };
    let shell = match key {
        "bash" => Some(String::from("bash")),
        "powershell" => Some(String::from("pwsh")),
        _ => shell.or_else(|| handler_fields.client().settings.shell.map(str::to_owned)),
    };
    // With an argument list no shell is used; a program alone has an empty list.
    let arguments = if key == "exec" { Some(arguments.unwrap_or_default()) } else { arguments };
    let shell = shell.filter(|_| arguments.is_none());
    Some(CommandSpec { command, arguments, shell, environment, directory, ..CommandSpec::default() })
}

/// Whether a command line is Pintle's own, which would dispatch the hooks that are just being read.
pub(super) fn is_pintle_command(command: &str) -> bool {
    let mut rests = command.match_indices("pintle").filter_map(|(index, word)| command.get(index + word.len()..));
    rests.any(|rest| rest.trim_start_matches(['\'', '"']).starts_with(" hook "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_pintle_installs_are_known() {
        for (line, wanted) in [
            ("pintle hook claude PreToolUse", true),
            ("o=$('/opt/my tools/pintle' hook claude PreToolUse); s=$?", true),
            ("\"/usr/bin/pintle\" hook codex", true),
            ("pintle validate", false),
            ("./pintle-guard.sh hook x", false),
            ("echo hook", false),
        ] {
            assert_eq!(is_pintle_command(line), wanted, "{line}");
        }
    }
}
