//! Counts and durations, since this machine began to send them.
//!
//! They are cumulative and kept together with the offsets of the tapes. So a record is counted once, also if the program is
//! killed after it was sent.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Histogram, HistogramDataPoint, Metric, NumberDataPoint, Sum,
};
use serde::{Deserialize, Serialize};

use super::attributes::{flag, nanos, text};

/// The most combinations of attributes that are counted on their own; those after them are counted together.
const MOST_SERIES: usize = 2_000;
/// The attribute of those that are counted together.
const OVERFLOW: &str = "otel.metric.overflow";

/// The bounds of durations of hooks, in seconds: from a built-in one to a program that waits for something.
const HOOK_BOUNDS: &[f64] =
    &[0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// The bounds that the conventions name for durations, in seconds, and for tokens.
const DURATION_BOUNDS: &[f64] =
    &[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKEN_BOUNDS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// A metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MetricKind {
    /// The calls of hooks, by hook, event and verdict.
    HookCalls,
    /// How long they took.
    HookDuration,
    /// How long calls of models took.
    ChatDuration,
    /// The tokens of calls of models.
    TokenUsage,
    /// How long tool calls took.
    ToolDuration,
    /// How long turns took.
    AgentDuration,
    /// What could not be sent.
    Dropped,
}

/// How a metric is described.
struct MetricDef {
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    /// The bounds of a histogram; `None` for a count.
    bounds: Option<&'static [f64]>,
}

impl MetricKind {
    const ALL: [Self; 7] = [
        Self::HookCalls,
        Self::HookDuration,
        Self::ChatDuration,
        Self::TokenUsage,
        Self::ToolDuration,
        Self::AgentDuration,
        Self::Dropped,
    ];

    fn def(self) -> MetricDef {
        let def = |name, unit, description, bounds| MetricDef { name, unit, description, bounds };
        match self {
            Self::HookCalls => def("pintle.hook.calls", "{call}", "Calls of hooks, by verdict.", None),
            Self::HookDuration => def("pintle.hook.duration", "s", "Duration of calls of hooks.", Some(HOOK_BOUNDS)),
            Self::ChatDuration => {
                def("gen_ai.client.operation.duration", "s", "GenAI operation duration.", Some(DURATION_BOUNDS))
            }
            Self::TokenUsage => def(
                "gen_ai.client.token.usage",
                "{token}",
                "Number of input and output tokens used.",
                Some(TOKEN_BOUNDS),
            ),
            Self::ToolDuration => {
                def("gen_ai.execute_tool.duration", "s", "Duration of tool calls.", Some(DURATION_BOUNDS))
            }
            Self::AgentDuration => {
                def("gen_ai.invoke_agent.duration", "s", "Duration of turns of agents.", Some(DURATION_BOUNDS))
            }
            Self::Dropped => def("pintle.telemetry.dropped", "{item}", "What could not be sent.", None),
        }
    }
}

/// Something that is counted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MetricMeasurement {
    pub(super) kind: MetricKind,
    pub(super) attributes: Vec<(String, String)>,
    /// A duration in seconds, or a number.
    pub(super) value: f64,
}

/// What was counted since `started_ms`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct MetricTotals {
    /// What tells these totals from those of other machines and earlier ones; empty before the first use.
    pub(super) instance: String,
    /// When counting began, in milliseconds since the Unix epoch.
    pub(super) started_ms: u64,
    /// By metric and attributes.
    series: BTreeMap<String, MetricSeries>,
}

#[derive(Debug, Serialize, Deserialize)]
struct MetricSeries {
    kind: MetricKind,
    attributes: Vec<(String, String)>,
    count: u64,
    sum: f64,
    buckets: Vec<u64>,
}

impl MetricMeasurement {
    pub(super) fn new(kind: MetricKind, attributes: &[(&str, &str)], value: f64) -> Self {
        let attributes = attributes.iter().filter(|(_, value)| !value.is_empty());
        let attributes = attributes.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Self { kind, attributes, value }
    }
}

impl MetricTotals {
    /// Adds something that is counted.
    pub(super) fn add(&mut self, measurement: MetricMeasurement) {
        let MetricMeasurement { kind, mut attributes, value } = measurement;
        let key_of = |attributes: &[(String, String)]| format!("{} {attributes:?}", kind.def().name);
        let mut key = key_of(&attributes);
        if self.series.len() >= MOST_SERIES && !self.series.contains_key(&key) {
            attributes = vec![(OVERFLOW.to_owned(), String::from("true"))];
            key = key_of(&attributes);
        }
        let bounds = kind.def().bounds.unwrap_or_default();
        let series = self.series.entry(key).or_insert_with(|| MetricSeries {
            kind,
            attributes,
            count: 0,
            sum: 0.0,
            buckets: vec![0; bounds.len() + 1],
        });
        series.count += 1;
        series.sum += value;
        // A bucket has what is at most its bound.
        let bucket = bounds.iter().take_while(|bound| value > **bound).count();
        if let Some(count) = series.buckets.get_mut(bucket) {
            *count += 1;
        }
    }

    /// The metrics as they are at a time.
    pub(super) fn to_metrics(&self, now_ms: u64) -> Vec<Metric> {
        let metrics = MetricKind::ALL.into_iter().map(|kind| {
            let series = self.series.values().filter(move |series| series.kind == kind);
            let MetricDef { name, unit, description, bounds } = kind.def();
            let temporality = i32::from(AggregationTemporality::Cumulative as u8);
            let data = match bounds {
                None => Data::Sum(Sum {
                    data_points: series.map(|series| self.count_point(series, now_ms)).collect(),
                    aggregation_temporality: temporality,
                    is_monotonic: true,
                }),
                Some(bounds) => Data::Histogram(Histogram {
                    data_points: series.map(|series| self.histogram_point(series, bounds, now_ms)).collect(),
                    aggregation_temporality: temporality,
                }),
            };
            let (name, unit, description) = (name.to_owned(), unit.to_owned(), description.to_owned());
            Metric { name, unit, description, data: Some(data), ..Metric::default() }
        });
        metrics.filter(has_points).collect()
    }

    fn count_point(&self, series: &MetricSeries, now_ms: u64) -> NumberDataPoint {
        NumberDataPoint {
            attributes: series.to_attributes(),
            start_time_unix_nano: nanos(self.started_ms),
            time_unix_nano: nanos(now_ms),
            #[expect(clippy::cast_possible_truncation, reason = "what is counted is a whole number")]
            value: Some(Value::AsInt(series.sum as i64)),
            ..NumberDataPoint::default()
        }
    }

    fn histogram_point(&self, series: &MetricSeries, bounds: &[f64], now_ms: u64) -> HistogramDataPoint {
        HistogramDataPoint {
            attributes: series.to_attributes(),
            start_time_unix_nano: nanos(self.started_ms),
            time_unix_nano: nanos(now_ms),
            count: series.count,
            sum: Some(series.sum),
            bucket_counts: series.buckets.clone(),
            explicit_bounds: bounds.to_vec(),
            ..HistogramDataPoint::default()
        }
    }
}

impl MetricSeries {
    fn to_attributes(&self) -> Vec<KeyValue> {
        let one = |(key, value): &(String, String)| match key.as_str() {
            OVERFLOW => flag(OVERFLOW),
            key => text(key, value),
        };
        self.attributes.iter().map(one).collect()
    }
}

fn has_points(metric: &Metric) -> bool {
    match &metric.data {
        Some(Data::Sum(sum)) => !sum.data_points.is_empty(),
        Some(Data::Histogram(histogram)) => !histogram.data_points.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_combinations_are_counted_together_and_survive_the_disk() {
        let mut totals = MetricTotals::default();
        for index in 0..MOST_SERIES + 5 {
            let name = index.to_string();
            totals.add(MetricMeasurement::new(MetricKind::HookCalls, &[("hook", &name), ("empty", "")], 1.0));
        }
        totals.add(MetricMeasurement::new(MetricKind::HookCalls, &[("hook", "7")], 1.0));
        let kept = serde_json::to_string(&totals).unwrap();
        let totals: MetricTotals = serde_json::from_str(&kept).unwrap();
        let metrics = totals.to_metrics(9);
        let [Metric { data: Some(Data::Sum(sum)), .. }] = &metrics[..] else { panic!("{metrics:?}") };
        assert_eq!(sum.data_points.len(), MOST_SERIES + 1);
        let value = |attribute: KeyValue| {
            let point = sum.data_points.iter().find(|point| point.attributes == [attribute.clone()]);
            point.and_then(|point| point.value)
        };
        assert_eq!(value(flag(OVERFLOW)), Some(Value::AsInt(5)));
        assert_eq!(value(text("hook", "7")), Some(Value::AsInt(2)));
    }

    #[test]
    fn a_duration_is_in_the_bucket_of_the_next_bound() {
        let mut totals = MetricTotals::default();
        for seconds in [0.0, 0.001, 0.001_1, 99.0] {
            totals.add(MetricMeasurement::new(MetricKind::HookDuration, &[], seconds));
        }
        let metrics = totals.to_metrics(9);
        let [Metric { data: Some(Data::Histogram(histogram)), .. }] = &metrics[..] else { panic!("{metrics:?}") };
        let point = &histogram.data_points[0];
        assert_eq!((point.count, point.bucket_counts.iter().sum::<u64>()), (4, 4));
        assert_eq!((point.bucket_counts[0], point.bucket_counts[3], point.bucket_counts[4]), (1, 1, 1));
        assert_eq!(point.bucket_counts.last(), Some(&1));
    }
}
