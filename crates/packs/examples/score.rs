//! Scores a file of the corpus: `cargo run -p pintle-packs --example score -- FILE [--show]`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]
use pintle_contract::ToolKind;
use pintle_shell::{CallSite, operations_of_call};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let show = args.iter().any(|arg| arg == "--show");
    let only = args.iter().position(|arg| arg == "--area").map(|index| args[index + 1].clone());
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let site = CallSite {
        cwd: Path::new("/home/dev/shop"),
        project: Path::new("/home/dev/shop"),
        home: Some(Path::new("/home/dev")),
        resolve: None,
    };
    let mut counts: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let get = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, name, call) = match get("tool") {
            "" => (
                ToolKind::Shell,
                if get("shell") == "powershell" { "powershell" } else { "shell" },
                json!({"command": row["command"]}),
            ),
            "read" => (ToolKind::Read, "read", json!({"path": row["path"]})),
            "write" => (ToolKind::Write, "write", json!({"path": row["path"]})),
            "edit" => (ToolKind::Edit, "edit", json!({"path": row["path"]})),
            "delete" => (ToolKind::Delete, "delete", json!({"path": row["path"]})),
            "move" => (ToolKind::Move, "move", json!({"path": row["path"], "to": row["to"]})),
            _ => (ToolKind::Fetch, "fetch", json!({"url": row["url"]})),
        };
        let operations = operations_of_call(kind, name, &call, &site);
        let none = Default::default();
        let findings: Vec<_> = pintle_packs::packs()
            .iter()
            .flat_map(|pack| pintle_packs::judge(pack, &none, &operations))
            .filter(|finding| finding.severity > pintle_packs::RuleSeverity::Warn)
            .collect();
        let stopped = !findings.is_empty();
        let must = get("label") == "stop";
        let row_count = counts.entry(get("area").to_owned()).or_default();
        row_count[usize::from(!must) * 2] += 1;
        row_count[usize::from(!must) * 2 + 1] += usize::from(stopped);
        if show && must != stopped && only.as_ref().is_none_or(|area| area == get("area")) {
            println!(
                "{} [{}] {}{}",
                if must { "MISSED" } else { "FALSE " },
                get("area"),
                row.get("command")
                    .map(|c| c.as_str().map_or(c.to_string(), str::to_owned))
                    .unwrap_or_else(|| line.to_owned()),
                if get("shell").is_empty() { String::new() } else { format!("   ({})", get("shell")) }
            );
            if !must {
                for finding in &findings {
                    println!("        {} {} {:?}", finding.rule_name(), finding.message(), finding.operation);
                }
            } else {
                println!("        # {}", get("why"));
                for operation in operations.iter().take(4) {
                    println!("        {}", serde_json::to_string(operation).unwrap());
                }
            }
        }
    }
    let mut total = [0; 4];
    for (area, count) in &counts {
        for i in 0..4 {
            total[i] += count[i];
        }
        println!("{area:18} stopped {}/{}   disturbed {}/{}", count[1], count[0], count[3], count[2]);
    }
    println!(
        "ALL stopped {}/{} ({:.1} %)   disturbed {}/{} ({:.1} %)",
        total[1],
        total[0],
        100.0 * total[1] as f64 / total[0] as f64,
        total[3],
        total[2],
        100.0 * total[3] as f64 / total[2] as f64
    );
}
