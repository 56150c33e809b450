//! `add_date`: today's date (docker-agent behaviour, section 4.1).

use pintle_contract::Verdict;

use super::zone::Zone;
use super::{Asked, Builtin, Made, no_arguments, tells};

/// Tells the model the date where the user is.
#[derive(Debug)]
struct AddDate;

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    no_arguments(arguments, doubts);
    Ok(Box::new(AddDate))
}

impl Builtin for AddDate {
    fn call(&self, asked: &Asked<'_>) -> Verdict {
        let now_ms = match asked.now_ms() {
            Ok(now_ms) => now_ms,
            Err(failure) => return Verdict::failed(failure),
        };
        let own = asked.environment().into_iter().find(|(name, _)| name == "TZ").map(|(_, zone)| zone);
        let zone = Zone::of_host(own.or_else(|| std::env::var("TZ").ok()).as_deref());
        let (year, month, day) = zone.date(now_ms.div_euclid(1_000));
        tells(Some(format!("Today's date: {year:04}-{month:02}-{day:02}")))
    }
}
