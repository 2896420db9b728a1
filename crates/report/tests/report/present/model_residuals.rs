//! Tests of models beside measured times.

use panto_report::present::{csv, model_residuals, table};
use panto_results::{Expected, Point, Record, param};

use super::records::record;

/// Returns an echo whose model predicts `times` times its median, if given.
fn echo(bytes: u64, nanos: f64, times: Option<f64>) -> Record {
    let plain = record("comet/echo", Point::new(2).with(param::BYTES, bytes), nanos);
    let median = plain.summary().expect("samples").median;
    let expected = times.map(|times| Expected { machine: "cluster".into(), time_ns: times * median });
    Record { expected, ..plain }
}

#[test]
fn columns_appear_where_there_is_a_model() {
    let records = [echo(0, 1000.0, Some(1.1)), echo(8, 1100.0, Some(0.8)), echo(64, 1500.0, None)];
    let text = table(&records)[0].1.to_string();
    let head = text.lines().find(|line| line.contains("median")).expect("a head");
    assert!(head.contains("model") && head.contains("residual"), "{text}");
    assert!(text.contains("+10.0%") && text.contains("-20.0%"), "{text}");
    let rows: Vec<String> = csv([(None, &records[..])]).lines().map(str::to_owned).collect();
    assert!(rows[0].ends_with(",model,model_ns,residual,label,launch,verdict"), "{}", rows[0]);
    assert!(
        rows[1].contains(",0.1,,1,") && rows[2].contains(",-0.2,,1,") && rows[3].contains(",,,,1,"),
        "{rows:#?}"
    );
    let plain = [echo(0, 1000.0, None)];
    assert!(
        !table(&plain)[0].1.to_string().contains("residual")
            && !csv([(None, &plain[..])]).contains("residual")
    );
}

#[test]
fn residuals_are_a_sentence_with_the_worst_point() {
    let records = [echo(0, 1000.0, Some(1.1)), echo(8, 1100.0, Some(0.8)), echo(64, 1500.0, Some(1.0))];
    let found = model_residuals(&records);
    assert_eq!((found.len(), found[0].points), (1, 3));
    assert!((found[0].median - 0.1).abs() < 1e-9 && (found[0].worst + 0.2).abs() < 1e-9, "{found:?}");
    assert_eq!(
        found[0].to_string(),
        "comet/echo against cluster: median residual 10.0% over 3 points, worst -20.0% (ranks=2 bytes=8)"
    );
    assert!(model_residuals(&[echo(0, 1000.0, None)]).is_empty());
}
