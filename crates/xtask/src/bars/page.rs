//! The page of the bars.

use std::fs;
use std::process::Command;

use xtask::SourceWorkspace;

use super::programs::{LONG_ROUNDS, ROUNDS};
use super::{BarFigure, BarLimit, SpeedBar};

/// A bar, and its figure or why it has none.
pub(super) type MeasuredRow<'a> = (&'a SpeedBar, Result<BarFigure, String>);

/// The page, by its path from the root.
pub(super) const PATH: &str = "docs/reference/performance.md";

/// A row of the table: the bar, its figure, that of its floor or peer, their ratio, and whether the bar is met.
pub(super) fn render_row(bar: &SpeedBar, figure: &Result<BarFigure, String>) -> String {
    let SpeedBar { name, about, peer, unit, limit, .. } = bar;
    let limit_text = render_limit(*limit, unit);
    let start = format!("| `{name}` | {about} |");
    match figure {
        Err(reason) => format!("{start} not measured: {reason} | {peer} | | {limit_text} |"),
        Ok(figure) => {
            let BarFigure { value, peer: other } = figure;
            let (beside, ratio) = match other {
                Some(other) if *peer != "none" => {
                    (format!("{peer}: {}", render(*other, unit)), format!("{:.2}", value / other))
                }
                _ => (peer.to_string(), String::new()),
            };
            let verdict = match limit.is_met(figure) {
                Some(true) => "met: ",
                Some(false) => "**missed**: ",
                None => "",
            };
            format!("{start} {} | {beside} | {ratio} | {verdict}{limit_text} |", render(*value, unit))
        }
    }
}

fn render(value: f64, unit: &str) -> String {
    match (unit, value) {
        ("ns", value) if value >= 1e6 => format!("{:.2} ms", value / 1e6),
        ("ns", value) if value >= 1e3 => format!("{:.2} µs", value / 1e3),
        (_, value) if value >= 1e3 => format!("{value:.0} {unit}"),
        (_, value) => format!("{value:.2} {unit}"),
    }
}

fn render_limit(limit: BarLimit, unit: &str) -> String {
    match limit {
        BarLimit::Times(most) => format!("at most {most} ×"),
        BarLimit::Added(most) => format!("at most {} more", render(most, unit)),
        BarLimit::AtMost(most) => format!("at most {}", render(most, unit)),
        BarLimit::AtLeast(least) => format!("at least {}", render(least, unit)),
        BarLimit::None => String::from("none"),
    }
}

/// A line for the bars that were missed, and one for those that were not measured.
pub(super) fn list_missed(rows: &[MeasuredRow<'_>]) -> Vec<String> {
    let is_missed = |(bar, figure): &MeasuredRow<'_>| match figure {
        Ok(figure) => bar.limit.is_met(figure) == Some(false),
        Err(_) => false,
    };
    let list = |title: &str, is_listed: &dyn Fn(&MeasuredRow<'_>) -> bool| {
        let names: Vec<String> =
            rows.iter().filter(|row| is_listed(row)).map(|(bar, _)| format!("`{}`", bar.name)).collect();
        (!names.is_empty()).then(|| format!("{title}: {}.", names.join(", ")))
    };
    let missed = list("Missed", &is_missed).unwrap_or_else(|| String::from("No bar is missed."));
    std::iter::once(missed).chain(list("Not measured", &|(_, figure)| figure.is_err())).collect()
}

/// Writes the page.
pub(super) fn write(workspace: &SourceWorkspace, rows: &[MeasuredRow<'_>]) -> Result<(), String> {
    let print = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&workspace.root).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or_default();
    let text = format!(
        "# What Pintle costs\n\n\
         *Written by `cargo xtask bars`. Do not edit.*\n\n\
         Each figure was measured beside its floor or peer in the same run: on {date}, {model}, {cores} cores, {kernel}, \
         commit {commit}. The load of the machine at the end was {load:.1}, and this command itself makes about 1: with \
         more, other work ran at the same time, and the ratios count more than the figures.\n\n\
         Programs were started in turn, {ROUNDS} times each, and {LONG_ROUNDS} times those that take long; the figure is \
         the median of the wall time, or of the processor time where the bar says so. What runs inside of a process is \
         timed by the processor time of its thread, also as a median. The sessions of an agent ran once.\n\n\
         {missed}\n\n\
         | bar | what | figure | floor or peer | ratio | bar met or missed |\n\
         | --- | --- | --- | --- | --- | --- |\n{rows}\n",
        date = print("date", &["-u", "+%Y-%m-%d"]),
        model = model.unwrap_or("an unknown processor"),
        // Behind a hyphen is what the builder of the kernel calls it.
        kernel = print("uname", &["-sr"]).split('-').next().unwrap_or_default(),
        commit = print("git", &["describe", "--always", "--dirty", "--exclude", "*"]),
        missed = list_missed(rows).join(" "),
        rows = rows.iter().map(|(bar, figure)| render_row(bar, figure)).collect::<Vec<_>>().join("\n"),
    );
    fs::write(workspace.root.join(PATH), text).map_err(|error| format!("cannot write `{PATH}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::BARS;
    use super::*;

    #[test]
    fn a_missed_bar_is_shown_and_so_is_one_that_was_not_measured() {
        let bar = BARS.iter().find(|bar| bar.name == "cold").unwrap();
        let figure = BarFigure { value: 9.0, peer: Some(1.0) };
        let row = render_row(bar, &Ok(figure));
        assert!(row.ends_with("| 9.00 ms | `/bin/true`: 1.00 ms | 9.00 | **missed**: at most 8 × |"), "{row}");
        assert!(render_row(bar, &Ok(BarFigure { value: 8.0, ..figure })).ends_with("met: at most 8 × |"));
        let row = render_row(bar, &Err(String::from("`x` is not installed")));
        assert!(row.ends_with("| not measured: `x` is not installed | `/bin/true` | | at most 8 × |"), "{row}");
        let rows = [(bar, Ok(figure)), (bar, Err(String::from("`x` is not installed")))];
        assert_eq!(list_missed(&rows), ["Missed: `cold`.", "Not measured: `cold`."]);
        assert_eq!(list_missed(&[(bar, Ok(BarFigure { value: 8.0, ..figure }))]), ["No bar is missed."]);
    }
}
