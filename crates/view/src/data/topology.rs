//! The machine's topology, for drawing messages on it.

use panto_machine::{Model, builtin};
use panto_timeline::TimelineInfo;
use serde_json::{Value, json};

/// Returns the topology of a timeline: from its fact `topology`, or of the built-in machine that it
/// names. A circle if neither is known.
pub fn of(about: &TimelineInfo) -> Value {
    let found = about.fact("topology").map(str::to_owned);
    let text = found.or_else(|| about.fact("machine").and_then(of_machine));
    let Some(text) = text else { return json!({"shape": "circle", "text": "unknown, drawn as a circle"}) };
    let (shape, extents) = parse(&text).unwrap_or(("circle", Vec::new()));
    json!({"shape": shape, "extents": extents, "text": text})
}

fn of_machine(name: &str) -> Option<String> {
    // Built-in names only: a timeline must not cause files to be read.
    let builtin = builtin::find(name)?;
    let model = Model::load(builtin.name, &[]).ok()?;
    Some(model.machine().network.topology.to_string())
}

/// Parses the text that `panto_machine::Topology` writes.
fn parse(text: &str) -> Option<(&'static str, Vec<u32>)> {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
    };
    let what = text.split(',').next()?.trim();
    let (first, rest) = what.split_once(' ').unwrap_or((what, ""));
    let extents = numbers(rest);
    match first {
        "ring" => Some(("ring", extents)),
        "linear" => Some(("mesh", extents)),
        "mesh" if !extents.is_empty() => Some(("mesh", extents)),
        "torus" if !extents.is_empty() => Some(("torus", extents)),
        "hypercube" => Some(("hypercube", extents)),
        // In a tree with processors at the leaves only, inner vertices are switches.
        "tree" | "fat" if !extents.is_empty() => {
            let leaves = first == "fat" || text.contains("leaves only");
            Some((if leaves { "leaves" } else { "tree" }, extents))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_are_parsed_as_machines_print_them() {
        assert_eq!(parse("torus 4x8, 32 processors"), Some(("torus", vec![4, 8])));
        assert_eq!(parse("hypercube of 4 dimensions, 16 processors"), Some(("hypercube", vec![4])));
        assert_eq!(parse("ring, 8 processors"), Some(("ring", vec![])));
        assert_eq!(
            parse("tree of arity 2 and 3 levels, leaves only, 4 processors"),
            Some(("leaves", vec![2, 3]))
        );
        assert_eq!(parse("dragonfly of 2 groups"), None);
    }

    #[test]
    fn a_builtin_machine_has_a_topology() {
        let about =
            TimelineInfo { facts: vec![("machine".into(), "ipsc860".into())], ..TimelineInfo::default() };
        assert_eq!(of(&about)["shape"], "hypercube");
        assert_eq!(of(&TimelineInfo::default())["shape"], "circle");
    }
}
