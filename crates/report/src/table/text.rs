//! Tables for terminals: ASCII rules, columns two spaces apart.

use panto_units::one_line;

use super::decimal::{self, Widths};
use super::{Align, Column, Table};

const GAP: &str = "  ";

pub(super) fn render(table: &Table) -> String {
    let layouts: Vec<Layout> = (0..table.columns.len()).map(|i| Layout::of(table, i)).collect();
    let mut lines = Vec::new();
    lines.extend(table.caption.as_deref().map(one_line));
    lines.extend(head(table, &layouts));
    lines.push(join(layouts.iter().map(|layout| "-".repeat(layout.width))));
    lines.extend(table.rows.iter().map(|row| join(layouts.iter().zip(row).map(|(l, cell)| l.cell(cell)))));
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

fn head(table: &Table, layouts: &[Layout]) -> Vec<String> {
    let line =
        |text: fn(&Column) -> &str| join(layouts.iter().zip(&table.columns).map(|(l, c)| l.head(text(c))));
    let mut lines = vec![line(|column| &column.header)];
    if table.columns.iter().any(|column| column.unit.is_some()) {
        lines.push(line(|column| column.unit.as_deref().unwrap_or_default()));
    }
    lines
}

fn join(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(GAP).trim_end().to_string()
}

struct Layout {
    align: Align,
    decimal: Widths,
    width: usize,
}

impl Layout {
    fn of(table: &Table, index: usize) -> Self {
        let column = &table.columns[index];
        let heads = [Some(column.header.as_str()), column.unit.as_deref()].into_iter().flatten();
        let decimal = decimal::widths(table.column_cells(index));
        let widest =
            heads.chain(table.column_cells(index)).map(|text| text.chars().count()).max().unwrap_or(0);
        let width =
            if column.align == Align::Decimal { widest.max(decimal.before + decimal.after) } else { widest };
        Self { align: column.align, decimal, width }
    }

    fn head(&self, text: &str) -> String {
        self.place(&one_line(text))
    }

    fn cell(&self, text: &str) -> String {
        let text = one_line(text);
        if self.align != Align::Decimal {
            return self.place(&text);
        }
        let (before, after) = decimal::split(&text);
        let Widths { before: left, after: right } = self.decimal;
        self.place(&format!("{before:>left$}{after:<right$}"))
    }

    fn place(&self, text: &str) -> String {
        let width = self.width;
        if self.align == Align::Left { format!("{text:<width$}") } else { format!("{text:>width$}") }
    }
}
