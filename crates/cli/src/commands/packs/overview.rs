//! The list of packs.

use std::collections::BTreeMap;

use pintle_host::packs::{PackDef, packs};
use pintle_host::tape::show::{StyledLine, Tone};
use serde_json::{Value, json};

use crate::options::ActivePack;
use crate::render::wrap::render_indented;
use crate::render::{path_text, table};

/// The places where a pack is on.
pub(super) fn places_of<'a>(pack: &PackDef, active: &'a [ActivePack]) -> impl Iterator<Item = &'a ActivePack> {
    active.iter().filter(move |active| active.pack.name == pack.name)
}

pub(super) fn render_packs(active: &[ActivePack]) -> Vec<StyledLine> {
    let mut rows: Vec<[String; 4]> = Vec::new();
    // The last row of each pack, below which its description is.
    let mut descriptions = BTreeMap::new();
    for pack in packs() {
        rows.extend(rows_of(pack, active));
        descriptions.insert(rows.len() - 1, pack.doc);
    }
    let describe =
        |index: usize| descriptions.get(&index).map(|text| render_indented(2, Tone::Quiet, text)).unwrap_or_default();
    table::render_detailed_table(["PACK", "RULES", "DEFAULT", "HERE"], &rows, describe)
}

/// The rows of a pack, one for each place where it is on.
fn rows_of(pack: &PackDef, active: &[ActivePack]) -> Vec<[String; 4]> {
    let default = if pack.is_default { "yes" } else { "no" };
    let mut places: Vec<String> = places_of(pack, active).map(ActivePack::layer_and_place).collect();
    if places.is_empty() {
        places.push(String::from("off"));
    }
    let mut head = [pack.name.to_owned(), pack.rules.len().to_string(), default.to_owned()];
    let row = |place| {
        let [name, rules, default] = std::mem::take(&mut head);
        [name, rules, default, place]
    };
    places.into_iter().map(row).collect()
}

pub(super) fn packs_to_json(active: &[ActivePack]) -> Value {
    let one = |pack: &PackDef| {
        json!({
            "name": pack.name,
            "description": pack.doc,
            "default": pack.is_default,
            "rules": pack.rules.len(),
            "on": places_of(pack, active).map(place_to_json).collect::<Vec<_>>(),
        })
    };
    packs().iter().map(one).collect()
}

/// Where a pack is on.
pub(super) fn place_to_json(active: &ActivePack) -> Value {
    json!({
        "layer": active.layer,
        "path": active.location.path().map(path_text),
        "line": active.location.line_column().map(|(line, _)| line),
    })
}
