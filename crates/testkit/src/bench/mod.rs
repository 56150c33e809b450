//! Compares the run times of two things.
//!
//! The measure is the processor time of the calling thread, so that other work on the machine does not count. It suits
//! code that runs on one thread and does not wait. Batches of both alternate, so that a change of the machine's speed
//! affects both; the ratio is the median of the ratios of neighbouring batches. This is for benches only: a missed
//! bound becomes the bench's exit status.
//!
//! Where a program reads what a bench prints, each figure is also a line of JSON.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// The minimum duration of one batch.
const BATCH: Duration = Duration::from_micros(200);
/// The number of batches of each side.
const BATCHES: usize = 400;

/// The bound that a row has to meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BenchBound {
    /// No bound; the row is for information.
    None,
    /// At most this many nanoseconds.
    AtMostNs(f64),
    /// At most this many times the floor.
    AtMostTimes(f64),
}

/// The measurement of a thing and its floor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BenchMeasurement {
    /// Nanoseconds of one run of the thing (median).
    pub thing_ns: f64,
    /// Nanoseconds of one run of the floor (median).
    pub floor_ns: f64,
    /// The time of the thing divided by that of the floor (median).
    pub ratio: f64,
}

/// A table of measurements, which prints each row when it is measured.
#[derive(Debug, Default)]
pub struct BenchReport {
    missed_count: usize,
}

impl BenchReport {
    /// Creates an empty table and prints its heading.
    #[must_use]
    pub fn new(title: &str) -> Self {
        print_line(&format!("{title}\n{:<52} {:>12} {:>12} {:>8}  bar", "", "ns", "floor ns", "ratio"));
        Self::default()
    }

    /// Measures a thing against a floor and checks the bound.
    pub fn compare<A, B>(
        &mut self,
        label: &str,
        bar: BenchBound,
        mut thing: impl FnMut() -> A,
        mut floor: impl FnMut() -> B,
    ) -> BenchMeasurement {
        let measured =
            measure_pair(&mut || drop(std::hint::black_box(thing())), &mut || drop(std::hint::black_box(floor())));
        self.print_row(label, bar, measured);
        measured
    }

    /// Checks a time computed from other rows against a bound.
    pub fn check(&mut self, label: &str, bar: BenchBound, thing_ns: f64) {
        self.print_row(label, bar, BenchMeasurement { thing_ns, floor_ns: f64::NAN, ratio: f64::NAN });
    }

    fn print_row(&mut self, label: &str, bar: BenchBound, measured: BenchMeasurement) {
        let BenchMeasurement { thing_ns, floor_ns, ratio } = measured;
        let (limit, held) = match bar {
            BenchBound::None => (String::new(), None),
            BenchBound::AtMostNs(most) => (format!("at most {most} ns"), Some(thing_ns <= most)),
            BenchBound::AtMostTimes(most) => (format!("at most {most} times"), Some(ratio <= most)),
        };
        let verdict = match held {
            None => "-",
            Some(true) => "held:",
            Some(false) => "MISSED:",
        };
        let cell = |value: f64, digits: usize| if value.is_nan() { String::new() } else { format!("{value:.digits$}") };
        let (floor, ratio) = (cell(floor_ns, 1), cell(ratio, 3));
        print_line(&format!("{label:<52} {thing_ns:>12.1} {floor:>12} {ratio:>8}  {verdict} {limit}"));
        print_figure(label, thing_ns, Some(floor_ns).filter(|floor| floor.is_finite()));
        self.missed_count += usize::from(held == Some(false));
    }

    /// Whether every bound was met.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.missed_count == 0
    }

    /// The exit status of the bench: 1 if a bound was missed.
    #[must_use]
    pub fn finish(self) -> ExitCode {
        if self.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Measures two things in alternating batches.
pub fn measure_pair(thing: &mut dyn FnMut(), floor: &mut dyn FnMut()) -> BenchMeasurement {
    let (thing_runs, floor_runs) = (runs_per_batch(thing), runs_per_batch(floor));
    let mut things = Vec::with_capacity(BATCHES);
    let mut floors = Vec::with_capacity(BATCHES);
    let mut ratios = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let thing_ns = time_batch_ns(thing, thing_runs);
        let floor_ns = time_batch_ns(floor, floor_runs);
        things.push(thing_ns);
        floors.push(floor_ns);
        ratios.push(thing_ns / floor_ns);
    }
    BenchMeasurement { thing_ns: median(things), floor_ns: median(floors), ratio: median(ratios) }
}

fn runs_per_batch(act: &mut dyn FnMut()) -> u32 {
    let mut runs = 1_u32;
    loop {
        let start = thread_time();
        for _ in 0..runs {
            act();
        }
        if thread_time().saturating_sub(start) >= BATCH || runs >= 1 << 24 {
            return runs;
        }
        runs *= 2;
    }
}

fn time_batch_ns(act: &mut dyn FnMut(), runs: u32) -> f64 {
    let start = thread_time();
    for _ in 0..runs {
        act();
    }
    thread_time().saturating_sub(start).as_secs_f64() * 1e9 / f64::from(runs)
}

/// The processor time of the calling thread since it began.
#[must_use]
#[cfg(unix)]
pub fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since the first call: the processor time of a thread is known on Unix only.
#[must_use]
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Prints a figure, and that of its peer in the same run, as a line of JSON if a program reads it.
#[expect(clippy::print_stdout, reason = "a bench prints what it measured")]
pub fn print_figure(figure: &str, value: f64, peer: Option<f64>) {
    if !std::io::stdout().is_terminal() {
        println!("{}", serde_json::json!({"figure": figure, "value": value, "peer": peer}));
    }
}

/// The middle one of some values.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::print_stdout, reason = "a bench is read in a terminal")]
fn print_line(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_bar_is_remembered() {
        let mut report = BenchReport::default();
        report.check("row", BenchBound::AtMostNs(10.0), 9.0);
        report.check("row", BenchBound::None, 1e9);
        assert!(report.is_met());
        report.check("row", BenchBound::AtMostNs(10.0), 11.0);
        report.check("row", BenchBound::AtMostNs(10.0), 9.0);
        assert!(!report.is_met());
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![9.0, 1.0, 5.0]), 5.0);
        assert!(median(Vec::new()).is_nan());
    }
}
