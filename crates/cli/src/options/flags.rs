//! `--hook-EVENT COMMAND`, one flag for each event of docker-agent.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use pintle_host::dialects::command_hooks::ROWS;

struct HookFlag {
    name: String,
    event: &'static str,
}

static FLAGS: LazyLock<Vec<HookFlag>> = LazyLock::new(|| {
    let flag = |event: &'static str| HookFlag { name: format!("hook-{}", event.replace('_', "-")), event };
    ROWS.iter().map(|row| flag(row.name)).collect()
});

/// Hooks from the command line as events and commands, in the order of the events and then as typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookFlags(pub(crate) Vec<(&'static str, String)>);

impl FromArgMatches for HookFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let typed = |flag: &'static HookFlag| {
            let commands = matches.get_many::<String>(flag.name.as_str()).unwrap_or_default();
            commands.map(|command| (flag.event, command.clone()))
        };
        Ok(Self(FLAGS.iter().flat_map(typed).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for HookFlags {
    fn augment_args(command: Command) -> Command {
        let flag = |flag: &'static HookFlag| {
            let name = flag.name.as_str();
            Arg::new(name).long(name).value_name("COMMAND").action(ArgAction::Append).hide(true)
        };
        command.args(FLAGS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_event_has_a_flag_exactly_once() {
        let command = HookFlags::augment_args(Command::new("pintle"));
        let flags: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
        let distinct: HashSet<&str> = flags.iter().copied().collect();
        assert_eq!(flags.len(), distinct.len());
        assert_eq!(flags.len(), ROWS.len());
        for def in ROWS {
            assert!(distinct.contains(format!("hook-{}", def.name.replace('_', "-")).as_str()), "{}", def.name);
        }
    }

    #[test]
    fn flags_of_one_event_stay_in_the_order_typed() {
        let command = HookFlags::augment_args(Command::new("pintle"));
        let line = ["pintle", "--hook-stop", "one", "--hook-pre-tool-use", "guard", "--hook-stop", "two"];
        let flags = HookFlags::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let wanted = [("pre_tool_use", "guard"), ("stop", "one"), ("stop", "two")];
        assert_eq!(flags.0, wanted.map(|(event, command)| (event, String::from(command))));
    }
}
