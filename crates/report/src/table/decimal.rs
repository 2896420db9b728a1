//! Position of the decimal point of a cell, numeric or not.

/// Widths before and after the position where decimal points are aligned.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Widths {
    pub before: usize,
    pub after: usize,
}

/// Returns the widths that all cells of a column need together.
pub(super) fn widths<'a>(cells: impl Iterator<Item = &'a str>) -> Widths {
    cells.map(split).fold(Widths::default(), |widths, (before, after)| Widths {
        before: widths.before.max(before.chars().count()),
        after: widths.after.max(after.chars().count()),
    })
}

/// Splits a cell before its decimal point, or at the end of its integer. A cell that is not a
/// number (`n/a`) stays whole and is aligned with the ends of integers.
pub(super) fn split(cell: &str) -> (&str, &str) {
    let digits = |c: char| c.is_ascii_digit() || c == '+' || c == '-';
    match cell.find(|c| !digits(c)) {
        Some(end) if cell[..end].contains(|c: char| c.is_ascii_digit()) => cell.split_at(end),
        _ => (cell, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_cut_at_the_point() {
        assert_eq!(split("-12.5"), ("-12", ".5"));
        assert_eq!(split("12us"), ("12", "us"));
        assert_eq!(split("12"), ("12", ""));
        assert_eq!(split("n/a"), ("n/a", ""));
        assert_eq!(split(""), ("", ""));
    }

    #[test]
    fn widths_are_the_largest() {
        assert_eq!(widths(["1.25", "100", "-"].into_iter()), Widths { before: 3, after: 3 });
    }
}
