//! The rules of one pack.

use pintle_host::packs::{PackDef, RuleDef, RuleSeverity};
use pintle_host::tape::show::{StyledLine, Tone, single_line};
use serde_json::{Value, json};

use super::overview::{place_to_json, places_of};
use crate::options::ActivePack;
use crate::render::wrap::{render_indented, render_labelled};

/// Most characters of an entry of an allow-list.
const ENTRY: usize = 400;

pub(super) fn render_pack(pack: &PackDef, active: &[ActivePack]) -> Vec<StyledLine> {
    let default = if pack.is_default { "a default pack" } else { "not a default pack" };
    let mut lines = vec![StyledLine::new(Tone::Plain, pack.name)];
    lines.extend(render_indented(2, Tone::Plain, pack.doc));
    let places: Vec<String> = places_of(pack, active).map(ActivePack::layer_and_place).collect();
    let places = if places.is_empty() { String::from("off here") } else { format!("on here: {}", places.join("; ")) };
    lines.extend(render_indented(2, Tone::Quiet, &format!("{default}, {places}")));
    for rule in pack.rules {
        lines.push(StyledLine::new(Tone::Plain, ""));
        lines.extend(render_rule(pack, rule, active));
    }
    lines
}

fn render_rule(pack: &PackDef, rule: &RuleDef, active: &[ActivePack]) -> Vec<StyledLine> {
    let mut head = StyledLine::new(Tone::Plain, format!("{}.{}  ", pack.name, rule.id));
    head.push(severity_tone(Some(rule.severity)), rule.severity.as_str());
    let mut lines = vec![head];
    for active in places_of(pack, active) {
        let Some(setting) = active.settings.rules.get(rule.id) else { continue };
        let severity = rule.severity_under(Some(setting));
        let word = severity.map_or("off", RuleSeverity::as_str);
        let mut text = format!("{word} ({})", active.layer_and_place());
        if !setting.allowed.is_empty() {
            let allowed: Vec<String> =
                setting.allowed.iter().map(|entry| single_line(entry.written(), ENTRY)).collect();
            text = format!("{text}, except {}", allowed.join(", "));
        }
        lines.extend(render_labelled("here", severity_tone(severity), &text));
    }
    let first = |examples: &[&str]| examples.first().copied().unwrap_or_default().to_owned();
    let fields = [
        ("reason", rule.reason.to_owned()),
        ("instead", rule.instead.to_owned()),
        ("stops", first(rule.stops)),
        ("passes", first(rule.passes)),
    ];
    lines.extend(fields.iter().flat_map(|(label, text)| render_labelled(label, Tone::Plain, text)));
    lines
}

fn severity_tone(severity: Option<RuleSeverity>) -> Tone {
    match severity {
        Some(RuleSeverity::Deny) => Tone::Bad,
        Some(RuleSeverity::Ask | RuleSeverity::Warn) => Tone::Warn,
        None => Tone::Quiet,
    }
}

pub(super) fn pack_to_json(pack: &PackDef, active: &[ActivePack]) -> Value {
    let here = |rule: &RuleDef, active: &ActivePack| {
        let setting = active.settings.rules.get(rule.id);
        let allowed = setting.into_iter().flat_map(|setting| &setting.allowed);
        json!({
            "place": place_to_json(active),
            "severity": rule.severity_under(setting).map_or("off", RuleSeverity::as_str),
            "allow": allowed.map(|entry| entry.written()).collect::<Vec<_>>(),
        })
    };
    let one = |rule: &RuleDef| {
        json!({
            "id": format!("{}.{}", pack.name, rule.id),
            "severity": rule.severity,
            "here": places_of(pack, active).map(|active| here(rule, active)).collect::<Vec<_>>(),
            "reason": rule.reason,
            "instead": rule.instead,
            "stops": rule.stops,
            "passes": rule.passes,
        })
    };
    json!({
        "name": pack.name,
        "description": pack.doc,
        "default": pack.is_default,
        "on": places_of(pack, active).map(place_to_json).collect::<Vec<_>>(),
        "rules": pack.rules.iter().map(one).collect::<Vec<_>>(),
    })
}
