//! A person is about to be asked: `permission.ask`, whose hooks may answer for the person.

use pintle::Decision;
use pintle::event::PermissionAsk;

use super::Hearing;
use super::tool::{Of, put_back, take};
use crate::Call;

/// Asks about every part of a call. An ask of a hook is no opinion: the person is asked anyway.
pub(super) fn hear(hearing: &mut Hearing<'_>, call: &Call) {
    let mut parts = hearing.tools().parts(&call.name, &call.input);
    let (mut all_approved, mut changed) = (true, false);
    let title = hearing.host.title;
    for part in &mut parts {
        let of = Of::new(hearing, call, part);
        let outcome = hearing.fire(&PermissionAsk {
            id: of.id,
            name: of.name,
            arguments: of.arguments,
            args: of.args,
            reason: format!("{title} asks"),
            category: of.category,
            permission_mode: of.permission_mode,
            host: of.host,
            ..PermissionAsk::default()
        });
        if outcome.decision == Decision::Deny {
            hearing.settle(&outcome);
            return;
        }
        all_approved &= outcome.approved && outcome.decision == Decision::Allow;
        changed |= take(part, &outcome);
    }
    hearing.ruling.approved = all_approved;
    if changed {
        put_back(hearing, call, &parts);
    }
}
