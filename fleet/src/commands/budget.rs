//! `pintle-fleet budget`, which is a hook, and `pintle-fleet budgets`.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use pintle_fleet::{
    AwayPolicy, BudgetEntry, FleetBudget, FleetError, HookReply, MOST_AMOUNT, MachineToken, take_budget,
};
use pintle_log::{StartTime, parse_start};

use super::StoreOptions;
use super::approve::{HookConnectionArgs, print_reply, read_event};
use crate::output::{print_line, print_note};

/// The most bytes of an event, of which only the format is looked at.
const MOST_EVENT_BYTES: usize = 64 << 20;

#[derive(Debug, Args)]
pub(super) struct BudgetArgs {
    /// Name of the budget.
    name: String,
    #[command(flatten)]
    options: HookConnectionArgs,
    /// How much the call takes.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=MOST_AMOUNT))]
    amount: i64,
    /// What happens if the collector does not answer. `allow` lets any number of calls pass as long as it does not.
    #[arg(long, value_name = "POLICY", default_value = "deny")]
    when_away: AwayChoice,
    /// Milliseconds after which the collector counts as away.
    #[arg(long, value_name = "MS", default_value_t = 3_000, value_parser = clap::value_parser!(u64).range(1..))]
    timeout_ms: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AwayChoice {
    Deny,
    Allow,
}

impl BudgetArgs {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        let event = read_event(MOST_EVENT_BYTES).await;
        let away = match self.when_away {
            AwayChoice::Deny => AwayPolicy::Deny,
            AwayChoice::Allow => AwayPolicy::Pass,
        };
        let reply = match (&event, MachineToken::load(&self.options.token_file)) {
            (Err(reason), _) => HookReply::Deny(format!("this call cannot be counted: {reason}")),
            (_, Err(error)) => HookReply::Deny(format!("this call cannot be counted: {}", error.message)),
            (Ok(_), Ok(token)) => {
                let patience = Duration::from_millis(self.timeout_ms);
                take_budget(&self.options.to, &token, &self.name, self.amount, patience, away).await
            }
        };
        print_reply(event.ok().as_ref(), &reply)
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum BudgetsCommand {
    /// Add a budget, or change it. What was taken stays taken.
    Set(BudgetSetArgs),
    /// List the budgets, with what is taken.
    List(StoreOptions),
    /// Remove a budget. Calls that need it are denied from then on.
    Remove(BudgetNameArgs),
}

#[derive(Debug, Args)]
pub(super) struct BudgetNameArgs {
    /// Name of the budget.
    name: String,
    #[command(flatten)]
    store: StoreOptions,
}

#[derive(Debug, Args)]
pub(super) struct BudgetSetArgs {
    #[command(flatten)]
    budget: BudgetNameArgs,
    /// The most that is taken in the window.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(1..=MOST_AMOUNT))]
    most: i64,
    /// The window, which ends at each moment: `30s`, `10m`, `1h`, `1d` or `4w`.
    #[arg(long, value_name = "TIME")]
    window: String,
    /// Whose takes are counted together.
    #[arg(long, value_name = "WHO")]
    per: BudgetScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BudgetScope {
    /// Each machine may take as much.
    Machine,
    /// All machines share it.
    All,
}

impl BudgetsCommand {
    pub(super) async fn execute(self) -> Result<bool, FleetError> {
        match self {
            Self::Set(args) => args.execute().await,
            Self::Remove(BudgetNameArgs { name, store }) => {
                store.address()?.remove_budget(&name).await?;
                print_line(&format!("`{name}` is removed; calls that need it are denied"))?;
                Ok(true)
            }
            Self::List(store) => {
                let budgets = store.address()?.list_budgets().await?;
                if budgets.is_empty() {
                    print_note("there are no budgets; `pintle-fleet budgets set NAME --store URL` makes one");
                }
                budgets.iter().try_for_each(|entry| print_line(&render_budget(entry)))?;
                Ok(true)
            }
        }
    }
}

impl BudgetSetArgs {
    async fn execute(self) -> Result<bool, FleetError> {
        let window_ms = match parse_start(&self.window) {
            Ok(StartTime::Ago { ms: ms @ 1.. }) => i64::try_from(ms).ok(),
            _ => None,
        };
        // Longer than ten years, and times cannot be computed safely.
        let window_ms = window_ms.filter(|ms| *ms <= 315_360_000_000).ok_or_else(|| {
            FleetError::invalid_input(format!("`{}` is not a window", self.window))
                .help("write `30s`, `10m`, `1h`, `1d` or `4w`")
        })?;
        let BudgetNameArgs { name, store } = self.budget;
        let budget = FleetBudget { name, most: self.most, window_ms, is_per_machine: self.per == BudgetScope::Machine };
        store.address()?.set_budget(&budget).await?;
        print_line(&render_limits(&budget))?;
        Ok(true)
    }
}

fn render_limits(budget: &FleetBudget) -> String {
    let FleetBudget { name, most, window_ms, is_per_machine } = budget;
    let who = if *is_per_machine { "for each machine" } else { "for all machines together" };
    format!("{name}  {most} in {} s {who}", window_ms / 1_000)
}

fn render_budget(entry: &BudgetEntry) -> String {
    let by = if entry.budget.is_per_machine { " by the machine that took most" } else { "" };
    format!("{}  {} taken{by}", render_limits(&entry.budget), entry.used)
}
