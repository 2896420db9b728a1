//! Trees and fat trees, level by level.

use super::{label, shown};
use crate::topology::{FatTree, Tree};

/// A line for each level from the root; siblings are grouped.
pub(super) fn tree(tree: &Tree) -> Vec<String> {
    let levels = tree.levels();
    let mut lines = Vec::new();
    for level in shown(levels + 1, 9) {
        let Some(level) = level else {
            lines.push("...".to_owned());
            continue;
        };
        let dummies = tree.leaves_only() && level < levels;
        let first = if tree.leaves_only() { 0 } else { before(tree.arity(), level) };
        let width = tree.arity().pow(level);
        let vertices =
            siblings(
                tree.arity(),
                width,
                |at| {
                    if dummies { "o".to_owned() } else { (first + at).to_string() }
                },
            );
        lines.push(format!("level {level}: {vertices}"));
    }
    if tree.leaves_only() {
        lines.push("o runs no rank".to_owned());
    }
    lines
}

/// The number of vertices above a level.
fn before(arity: u32, level: u32) -> u32 {
    (0..level).map(|above| arity.pow(above)).sum()
}

/// The vertices of a level, as in `0 1 | 2 3 | ... | 6 7`.
fn siblings(arity: u32, width: u32, name: impl Fn(u32) -> String) -> String {
    let group = |group: u32| {
        let members = shown(arity.min(width), 4).into_iter();
        let members = members.map(|member| member.map_or(label(None), |member| name(group * arity + member)));
        members.collect::<Vec<_>>().join(" ")
    };
    let most = match name(width - 1).len() {
        0..=2 => 5,
        3..=4 => 4,
        _ => 3,
    };
    let groups = shown((width / arity).max(1), most).into_iter().map(|at| at.map_or(label(None), group));
    groups.collect::<Vec<_>>().join(" │ ")
}

/// The pools from the top down, each with its width.
pub(super) fn fat_tree(tree: &FatTree) -> Vec<String> {
    let (arity, widths) = (tree.arity(), tree.widths());
    let levels = widths.len() as u32;
    let mut lines = vec!["●".to_owned()];
    for from_top in shown(levels, 9) {
        let Some(from_top) = from_top else {
            lines.push("...".to_owned());
            continue;
        };
        let level = levels - 1 - from_top;
        let (width, subtrees) = (widths[level as usize], arity.pow(from_top + 1));
        let what = match level {
            0 => "processors".to_owned(),
            _ => format!("subtrees of {}", arity.pow(level)),
        };
        let bar = if width > 1 { "║" } else { "│" };
        let channels = if width == 1 { "channel" } else { "channels" };
        lines.push(format!("{bar} {width} {channels} each way to each of {subtrees} {what}"));
    }
    lines.push(siblings(arity, arity.pow(levels), |at| at.to_string()));
    lines
}
