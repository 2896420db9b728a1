//! Tests of tables in their four notations.

use insta::assert_snapshot;
use panto_report::table::{Column, Table};

fn table() -> Table {
    let mut table = Table::new([
        Column::text("transport"),
        Column::right("size"),
        Column::number("time").unit("us"),
        Column::number("error").unit("%"),
    ])
    .caption("Ping-pong");
    table.row(["tcp", "64KiB", "12.25", "1"]).row(["shared memory", "1MiB", "0.5", "n/a"]).row([
        "a \"b\", c|d",
        "1000B",
        "-103",
        "12.125",
    ]);
    table
}

#[test]
fn text() {
    assert_snapshot!(table().to_string());
}

#[test]
fn csv() {
    assert_snapshot!(table().to_csv());
}

#[test]
fn markdown() {
    assert_snapshot!(table().to_markdown());
}

#[test]
fn html() {
    assert_snapshot!(table().to_html());
}

#[test]
fn csv_is_quoted_as_in_rfc_4180() {
    let mut table = Table::new([Column::text("a"), Column::text("b,c")]);
    table.row(["say \"hi\"", "two\nlines"]).row(["", " plain "]);
    assert_eq!(table.to_csv(), "a,\"b,c\"\n\"say \"\"hi\"\"\",\"two\nlines\"\n, plain \n");
}

#[test]
fn tables_without_rows_or_columns() {
    assert_eq!(Table::new([Column::text("a")]).to_string(), "a\n-\n");
    assert_eq!(Table::new([]).to_csv(), "\n");
}

#[test]
#[should_panic(expected = "one cell for each column")]
fn a_row_of_the_wrong_length_is_a_bug() {
    Table::new([Column::text("a")]).row(["1", "2"]);
}
