//! Decisions by day, by rule and by agent, with what the hooks took.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use pintle_host::{Clock, SystemClock};
use pintle_log::{EntryCounts, EntryFacts};
use serde_json::{Value, json};

use super::answers::{describe_counts, set_field, title_of};
use super::parameters::OWN_HOST;

/// The days of a chart: as many as asked for, most and if none are asked for.
const MOST_DAYS: u32 = 366;
const USUAL_DAYS: u32 = 30;
/// Most rules and agents of an answer.
const MOST_GROUPS: usize = 40;
/// Durations are counted in classes, this many for each doubling.
const CLASSES: f64 = 8.0;

/// Counts of entries with the durations of their hooks.
#[derive(Debug, Default)]
struct ChartCounts {
    entries: EntryCounts,
    /// How many took about as long, by class.
    durations: BTreeMap<u32, u64>,
}

impl ChartCounts {
    fn add(&mut self, facts: &EntryFacts<'_>) {
        self.entries.add(facts);
        if facts.duration_us > 0 {
            *self.durations.entry(class_of(facts.duration_us)).or_default() += 1;
        }
    }

    /// The duration that a share of them stays below, in microseconds; `None` if no hook was called.
    fn duration_us(&self, share: f64) -> Option<u64> {
        let all: u64 = self.durations.values().sum();
        let wanted = (all as f64 * share).ceil().max(1.0);
        let mut below = 0;
        self.durations.iter().find_map(|(class, count)| {
            below += count;
            (below as f64 >= wanted).then(|| end_of_class_us(*class))
        })
    }

    fn to_json(&self, name: &str) -> Value {
        let mut json = describe_counts(&self.entries);
        set_field(&mut json, "name", Value::from(name));
        set_field(&mut json, "p50_us", Value::from(self.duration_us(0.5)));
        set_field(&mut json, "p95_us", Value::from(self.duration_us(0.95)));
        json
    }
}

fn class_of(duration_us: u64) -> u32 {
    ((duration_us as f64).log2() * CLASSES).floor() as u32
}

fn end_of_class_us(class: u32) -> u64 {
    (f64::from(class + 1) / CLASSES).exp2().round() as u64
}

/// What the charts are drawn from.
#[derive(Debug)]
pub(super) struct ChartData {
    zone: TimeZone,
    first_day: Date,
    last_day: Date,
    /// The day of the last entry, from and before these times in milliseconds.
    day: (Date, u64, u64),
    days: BTreeMap<Date, ChartCounts>,
    rules: HashMap<String, ChartCounts>,
    agents: HashMap<String, ChartCounts>,
}

impl ChartData {
    pub(super) fn new(days: Option<u32>, zone: TimeZone) -> Self {
        let now_ms = SystemClock::default().unix_ms();
        let last_day = day_of(now_ms, &zone);
        let days = days.unwrap_or(USUAL_DAYS).clamp(1, MOST_DAYS);
        let first_day = last_day.saturating_sub((i64::from(days) - 1).days());
        let day = (last_day, u64::MAX, 0);
        Self { zone, first_day, last_day, day, days: BTreeMap::new(), rules: HashMap::new(), agents: HashMap::new() }
    }

    /// When the first day begins, in milliseconds since the Unix epoch.
    pub(super) fn since_ms(&self) -> u64 {
        start_of(self.first_day, &self.zone)
    }

    /// Adds an entry; they come in the order of their times.
    pub(super) fn add(&mut self, facts: &EntryFacts<'_>) {
        let (_, start, end) = self.day;
        if !(start..end).contains(&facts.at_ms) {
            let day = day_of(facts.at_ms, &self.zone);
            self.day = (day, start_of(day, &self.zone), start_of(day.saturating_add(1.day()), &self.zone));
        }
        self.days.entry(self.day.0).or_default().add(facts);
        group_of(&mut self.agents, facts.host.unwrap_or(OWN_HOST)).add(facts);
        if let Some(rule) = facts.rule.or(facts.hook) {
            group_of(&mut self.rules, rule).add(facts);
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let none = ChartCounts::default();
        let all = self.first_day.series(1.day()).take_while(|day| *day <= self.last_day);
        let days = all.map(|day| self.days.get(&day).unwrap_or(&none).to_json(&day.to_string()));
        let agents = sorted_groups(&self.agents).into_iter();
        let agents = agents.map(|(name, counts)| {
            let host = Some(name).filter(|name| *name != OWN_HOST);
            let mut agent = counts.to_json(&title_of(host, OWN_HOST));
            if let Some(fields) = agent.as_object_mut() {
                fields.insert(String::from("agent"), Value::from(name));
            }
            agent
        });
        let rules = sorted_groups(&self.rules).into_iter().map(|(name, counts)| counts.to_json(name));
        json!({
            "days": days.collect::<Vec<_>>(),
            "agents": agents.collect::<Vec<_>>(),
            "rules": rules.collect::<Vec<_>>(),
            "left_out": self.rules.len().saturating_sub(MOST_GROUPS),
        })
    }
}

fn group_of<'g>(groups: &'g mut HashMap<String, ChartCounts>, name: &str) -> &'g mut ChartCounts {
    if !groups.contains_key(name) {
        groups.insert(name.to_owned(), ChartCounts::default());
    }
    groups.entry(name.to_owned()).or_default()
}

/// Groups with those first in which most was refused.
fn sorted_groups(groups: &HashMap<String, ChartCounts>) -> Vec<(&str, &ChartCounts)> {
    let mut sorted: Vec<(&str, &ChartCounts)> = groups.iter().map(|(name, counts)| (name.as_str(), counts)).collect();
    sorted.sort_by_key(|(name, counts)| {
        (std::cmp::Reverse((counts.entries.denied, counts.entries.asked, counts.entries.total)), *name)
    });
    sorted.truncate(MOST_GROUPS);
    sorted
}

fn day_of(unix_ms: u64, zone: &TimeZone) -> Date {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone()).date()
}

fn start_of(day: Date, zone: &TimeZone) -> u64 {
    let start = day.to_zoned(zone.clone()).map(|start| start.timestamp().as_millisecond());
    start.ok().and_then(|ms| u64::try_from(ms).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_told_to_within_a_tenth() {
        for duration_us in [1, 2, 3, 7, 100, 999, 12_345, 10_000_000, 3_600_000_000] {
            let end = end_of_class_us(class_of(duration_us));
            assert!(end >= duration_us && end as f64 <= (duration_us as f64).mul_add(1.1, 1.0), "{duration_us}: {end}");
        }
        let mut counts = ChartCounts::default();
        assert_eq!(counts.duration_us(0.5), None);
        for duration_us in [0, 10, 10, 10, 5_000] {
            let (word, host, hook, rule) = ("allowed", None, None, None);
            counts.add(&EntryFacts { at_ms: 0, host, word, is_failed: false, hook, rule, duration_us });
        }
        assert!(counts.duration_us(0.5).unwrap() < 12 && counts.duration_us(0.95).unwrap() >= 5_000);
    }
}
