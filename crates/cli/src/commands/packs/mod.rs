//! `pintle packs`: shows the packs and their rules, and checks their examples.

mod overview;
mod rules;

use clap::Args;
use pintle_host::packs::{PackDef, broken_examples, default_packs};
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::json;

use crate::error::{CliError, CliStatus};
use crate::options::{
    ActivePack, GlobalOptions, HookPaths, UserOptions, active_packs, current_dir, parse_pack, print_load_errors,
    start_builder, trust,
};
use crate::render::count_text;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct PacksArgs {
    /// Show every rule of this pack [default: list the packs].
    #[arg(value_parser = parse_pack)]
    name: Option<&'static PackDef>,
    /// Check that the examples of every rule hold, for the packs that are on.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    user: UserOptions,
}

impl PacksArgs {
    pub(crate) fn execute(self, terminal: &Terminal, global: &GlobalOptions) -> Result<CliStatus, CliError> {
        let places = HookPaths::from_search_dir(current_dir()).with_untrusted_listed();
        let built = start_builder(&places, &self.user)?.load();
        let has_errors = print_load_errors(&built, terminal);
        trust::print_untrusted(&built, terminal);
        let active = active_packs(&built);
        let status = match self.name {
            _ if self.check => self.check_examples(&active, terminal, global),
            Some(pack) => {
                if global.json {
                    terminal.print_json(&rules::pack_to_json(pack, &active));
                } else {
                    terminal.print_lines(&rules::render_pack(pack, &active));
                }
                CliStatus::Done
            }
            None if global.json => {
                terminal.print_json(&overview::packs_to_json(&active));
                CliStatus::Done
            }
            None => {
                terminal.print_lines(&overview::render_packs(&active));
                CliStatus::Done
            }
        };
        Ok(if has_errors && status == CliStatus::Done { CliStatus::Invalid } else { status })
    }

    fn check_examples(&self, active: &[ActivePack], terminal: &Terminal, global: &GlobalOptions) -> CliStatus {
        let mut checked: Vec<&'static PackDef> = match self.name {
            Some(pack) => vec![pack],
            None => active.iter().map(|active| active.pack).collect(),
        };
        if checked.is_empty() {
            terminal.print_note("no pack is on here; checking the default packs");
            checked.extend(default_packs());
        }
        checked.sort_by_key(|pack| pack.name);
        checked.dedup_by_key(|pack| pack.name);
        let broken: Vec<_> = checked.iter().copied().flat_map(broken_examples).collect();
        let rules = checked.iter().flat_map(|pack| pack.rules);
        let example_count: usize = rules.clone().map(|rule| rule.stops.len() + rule.passes.len()).sum();
        if global.json {
            let names: Vec<&str> = checked.iter().map(|pack| pack.name).collect();
            let messages: Vec<String> = broken.iter().map(|broken| broken.message()).collect();
            terminal.print_json(&json!({"packs": names, "examples": example_count, "broken": messages}));
        } else {
            let lines: Vec<StyledLine> =
                broken.iter().map(|broken| StyledLine::new(Tone::Bad, broken.message())).collect();
            terminal.print_lines(&lines);
            let of = format!("{} of {}", count_text(rules.count(), "rule"), count_text(checked.len(), "pack"));
            let what = count_text(example_count, "example");
            terminal.print_lines(&[match broken.len() {
                0 => StyledLine::new(Tone::Good, format!("{of}: {what} hold")),
                count => StyledLine::new(Tone::Bad, format!("{of}: {count} of {what} do not hold")),
            }]);
        }
        if broken.is_empty() { CliStatus::Done } else { CliStatus::Failed }
    }
}
