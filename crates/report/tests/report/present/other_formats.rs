//! Tests of the formats of OSU's and Intel's benchmarks.

use insta::assert_snapshot;
use panto_report::present;
use panto_results::Record;

use super::records::{barrier, broadcast, echo, exchange, reduction, transpose};

fn all() -> Vec<Record> {
    [barrier(), broadcast(1), echo(3, 4), exchange(), reduction(), transpose()].concat()
}

#[test]
fn osu() {
    assert_snapshot!(present::osu(&all()));
}

#[test]
fn imb() {
    assert_snapshot!(present::imb(&all()));
}

#[test]
fn an_echo_of_a_rank_with_itself_is_named() {
    assert!(present::osu(&echo(0, 1)).contains("0 hops (a rank with itself)"));
}

#[test]
fn names_from_a_file_cannot_add_lines() {
    let mut records = broadcast(0);
    records[0].point = records[0].point.clone().with_text("variant", "x\n1 2 3");
    records[1].kernel = "x\n4 5 6".into();
    for text in [present::osu(&records), present::imb(&records)] {
        assert!(!text.contains("\n1 2 3") && !text.contains("\n4 5 6"), "{text}");
    }
    assert!(present::table(&records).iter().all(|(heading, _)| !heading.contains('\n')));
}

#[test]
fn scripts_find_numbers_where_they_expect_them() {
    for text in [present::osu(&all()), present::imb(&all())] {
        for line in text.lines().filter(|line| !line.is_empty() && !line.trim_start().starts_with('#')) {
            assert!(line.split_whitespace().all(|word| word.parse::<f64>().is_ok()), "{line}");
        }
    }
}
