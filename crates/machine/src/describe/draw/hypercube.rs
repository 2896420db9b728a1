//! Hypercubes, drawn up to four dimensions and described beyond.

const THREE: [&str; 6] =
    ["    6 ─── 7", "   ╱│    ╱│", "  4 ─── 5 │", "  │ 2 ──│ 3", "  │╱    │╱", "  0 ─── 1"];

const FOUR: [&str; 7] = [
    "    6 ─── 7              14 ─── 15",
    "   ╱│    ╱│              ╱│     ╱│",
    "  4 ─── 5 │    ═══     12 ─── 13 │",
    "  │ 2 ──│ 3             │ 10 ──│ 11",
    "  │╱    │╱              │╱     │╱",
    "  0 ─── 1               8 ──── 9",
    "links join the two cubes: processors 8 apart",
];

pub(super) fn hypercube(dimensions: u32) -> Vec<String> {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    match dimensions {
        0 => owned(&["0"]),
        1 => owned(&["0 ─ 1"]),
        2 => owned(&["2 ─── 3", "│     │", "0 ─── 1"]),
        3 => owned(&THREE),
        4 => owned(&FOUR),
        _ => {
            let half = 1_u64 << (dimensions - 1);
            let mut lines: Vec<String> = owned(&FOUR[..6]);
            lines.push("...".to_owned());
            lines.push(format!("[ 0 to {} ] ═══ [ {half} to {} ]", half - 1, 2 * half - 1));
            lines.push(format!(
                "each half is a hypercube of {} dimensions; processors {half} apart are linked across",
                dimensions - 1
            ));
            lines
        }
    }
}
