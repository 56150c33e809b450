//! Budgets in a store.

use tokio_postgres::types::{ToSql, Type};

use super::ingest::KnownMachine;
use super::{StoreAddress, StorePool, query_rows};
use crate::FleetError;
use crate::hook_protocol::{TakeAnswer, is_budget_name};

/// How much machines may take of something in a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetBudget {
    /// Its name.
    pub name: String,
    /// The most that is taken in the window.
    pub most: i64,
    /// The window, which ends now, in milliseconds.
    pub window_ms: i64,
    /// Whether each machine may take as much.
    pub is_per_machine: bool,
}

/// A budget with what is taken of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetEntry {
    /// The budget.
    pub budget: FleetBudget,
    /// What is taken in the window; by the machine that took most, if each has its own.
    pub used: i64,
}

impl StorePool {
    /// Takes from a budget, if its limit allows it. `None` if no budget has this name.
    ///
    /// # Errors
    /// When the store fails. Then nothing is taken, or the answer is lost.
    pub(crate) async fn take_budget(
        &self,
        machine: KnownMachine,
        name: &str,
        amount: i64,
    ) -> Result<Option<TakeAnswer>, FleetError> {
        let client = self.take().await?;
        let values: [(&(dyn ToSql + Sync), Type); 3] =
            [(&name, Type::TEXT), (&machine.id, Type::INT8), (&amount, Type::INT8)];
        let rows = query_rows(&client, "SELECT * FROM take_budget($1, $2, $3)", &values).await?;
        client.give_back();
        Ok(rows.first().map(|row| {
            let (used, most) = (row.get(1), row.get(2));
            match row.get(0) {
                true => TakeAnswer::Taken { used, most },
                false => TakeAnswer::Over { used, most, free_ms: row.get(3) },
            }
        }))
    }
}

impl StoreAddress {
    /// Adds a budget, or changes its limits. What was taken stays taken.
    ///
    /// # Errors
    /// When its name or a limit is invalid, or the store fails.
    pub async fn set_budget(&self, budget: &FleetBudget) -> Result<(), FleetError> {
        if !is_budget_name(&budget.name) {
            return Err(FleetError::invalid_input(
                "the name of a budget has 1 to 100 letters, digits, `.`, `_` and `-`",
            ));
        }
        let set = "INSERT INTO budgets VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET most = EXCLUDED.most, \
                   window_ms = EXCLUDED.window_ms, is_per_machine = EXCLUDED.is_per_machine";
        let values: [(&(dyn ToSql + Sync), Type); 4] = [
            (&budget.name, Type::TEXT),
            (&budget.most, Type::INT8),
            (&budget.window_ms, Type::INT8),
            (&budget.is_per_machine, Type::BOOL),
        ];
        query_rows(&self.connect().await?, set, &values).await.map(drop)
    }

    /// Removes a budget. Calls that need it are denied from now on.
    ///
    /// # Errors
    /// When no budget has this name, or the store fails.
    pub async fn remove_budget(&self, name: &str) -> Result<(), FleetError> {
        let remove = "DELETE FROM budgets WHERE name = $1 RETURNING 1";
        if query_rows(&self.connect().await?, remove, &[(&name, Type::TEXT)]).await?.is_empty() {
            return Err(FleetError::invalid_input(format!("no budget is named `{name}`"))
                .help("`pintle-fleet budgets list --store URL` lists them"));
        }
        Ok(())
    }

    /// The budgets, by name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_budgets(&self) -> Result<Vec<BudgetEntry>, FleetError> {
        let rows = query_rows(&self.connect().await?, LIST, &[]).await?;
        let entry = |row: &tokio_postgres::Row| BudgetEntry {
            budget: FleetBudget {
                name: row.get(0),
                most: row.get(1),
                window_ms: row.get(2),
                is_per_machine: row.get(3),
            },
            used: row.get(4),
        };
        Ok(rows.iter().map(entry).collect())
    }
}

const LIST: &str = "
    SELECT name, most, window_ms, is_per_machine, coalesce((
        SELECT max(used) FROM (
            SELECT sum(amount)::bigint AS used FROM takes
            WHERE budget = name AND taken_at > clock_timestamp() - window_ms * interval '1 ms'
            GROUP BY CASE WHEN is_per_machine THEN machine END
        ) sums
    ), 0)
    FROM budgets ORDER BY name";
