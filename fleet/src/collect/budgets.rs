//! Budgets that hooks take from.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::receive::{MachineRequest, RefusedRequest, RequestReceiver, respond};
use crate::hook_protocol::{BudgetTake, MOST_AMOUNT, is_budget_name};

/// The most bytes of what a hook sends.
const MOST_TAKE_BYTES: usize = 1_024;

/// Answers `POST /v1/budgets/NAME/take`.
pub(super) async fn take_budget(
    State(receiver): State<Arc<RequestReceiver>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let mut request = MachineRequest::from(request);
    let answer = receiver.take_budget(&mut request, &name).await;
    receiver.answer(request, answer).await
}

impl RequestReceiver {
    async fn take_budget(&self, request: &mut MachineRequest, name: &str) -> Result<Response, RefusedRequest> {
        let machine = self.identify(&request.headers).await?;
        let amount = self.read_message::<BudgetTake>(request, MOST_TAKE_BYTES).await?.message.amount;
        if !(1..=MOST_AMOUNT).contains(&amount) {
            let text = format!("a hook takes 1 to {MOST_AMOUNT} at once");
            return Err((StatusCode::UNPROCESSABLE_ENTITY, text));
        }
        let unknown = || {
            let text = "no budget has this name; `pintle-fleet budgets set` makes one";
            (StatusCode::NOT_FOUND, String::from(text))
        };
        if !is_budget_name(name) {
            return Err(unknown());
        }
        let taken = self.pool.take_budget(machine, name, amount).await.map_err(|error| self.unavailable(&error))?;
        self.note_success();
        taken.map(|answer| respond(StatusCode::OK, &answer)).ok_or_else(unknown)
    }
}
