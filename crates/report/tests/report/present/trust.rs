//! How it was measured, and whether to believe it.

use insta::assert_snapshot;
use panto_bench::measure::Stop;
use panto_bench::results::{Manifest, Record, Simulated};
use panto_report::present;

use super::records::{barrier, broadcast, echo, exchange, handler, io, manifest, reduction, transpose};

#[test]
fn description() {
    assert_snapshot!(present::describe(&manifest()));
}

#[test]
fn sound_measurements_raise_no_concern() {
    assert_eq!(present::concerns(&[echo(1, 8), barrier()].concat()), Vec::<String>::new());
}

fn make_bimodal(record: &mut Record) {
    let halves = record.samples_ns.iter().enumerate();
    // The two modes change places at random enough intervals to look like no drift.
    record.samples_ns =
        halves.map(|(i, nanos)| if (i * i / 3) % 2 == 0 { nanos * 2.0 } else { *nanos }).collect();
}

fn make_drift(record: &mut Record) {
    let place = record.samples_ns.iter().enumerate();
    record.samples_ns = place.map(|(i, nanos)| nanos * (1.0 + 0.01 * i as f64)).collect();
}

#[test]
fn what_to_beware_of() {
    let (mut echo, mut barrier) = (echo(1, 8), barrier());
    echo.iter_mut().take(5).for_each(make_bimodal);
    make_drift(&mut barrier[2]);
    echo[7].stop = Stop::Budget;
    echo[8].stop = Stop::Budget;
    echo[9].stop = Stop::Interrupted;
    echo[10].steal = Some(0.05);
    barrier[1].late = 12;
    barrier[0].late = 3;
    assert_snapshot!(present::concerns(&[barrier, echo].concat()).join("\n"));
}

#[test]
fn a_handful_of_sentences_at_most() {
    let mut all =
        [echo(1, 8), exchange(), broadcast(2), reduction(), barrier(), transpose(), handler(), io()].concat();
    all.iter_mut().for_each(make_bimodal);
    let concerns = present::concerns(&all);
    assert_eq!(concerns.len(), 5);
    assert!(concerns[4].contains("more kernels"), "{concerns:?}");
}

/// Whatever form somebody looks at, it says that nothing was measured.
#[test]
fn simulated_points_say_so_everywhere() {
    let simulated = |record: Record| Record { machine: Some("ipsc860".into()), steal: None, ..record };
    let records: Vec<Record> = echo(1, 8).into_iter().map(simulated).collect();
    let machine = Simulated {
        name: "ipsc860".into(),
        topology: "hypercube of 16".into(),
        network: "traffic".into(),
        overrides: vec!["link.latency=2us".into()],
    };
    let manifest = Manifest { machine: Some(machine), ..manifest() };
    let found = panto_bench::findings(&records);
    let (heading, table) = present::table(&records).remove(0);
    let forms = [
        format!("{heading}\n{table}"),
        present::findings(&found),
        present::describe(&manifest).to_string(),
        present::figure("comet/echo", &records, Some(&manifest)).to_svg(),
        present::report(&manifest, &records, &found).to_html(),
        present::osu(&records),
        present::imb(&records),
    ];
    for form in forms {
        assert!(form.to_lowercase().contains("simulated") && form.contains("ipsc860"), "{form}");
    }
    assert!(present::csv(&records).contains("ipsc860"));
    assert!(
        present::json(&manifest, &records, None, serde_json::json!(found))
            .contains("\"machine\": \"ipsc860\"")
    );
    assert_eq!(present::crowding(&records, &Manifest { cores: 1, ..manifest }), None);
}

/// Measured and simulated points of one file make different curves and different figures.
#[test]
fn measured_and_simulated_points_do_not_mix() {
    let simulated = |record: Record| Record { machine: Some("cm5".into()), ..record };
    let both: Vec<Record> = echo(1, 8).into_iter().chain(echo(1, 8).into_iter().map(simulated)).collect();
    let machines = |label: &str| {
        let of = |finding: &panto_bench::Finding| finding.label == label;
        panto_bench::findings(&both).into_iter().filter(of).map(|finding| finding.machine).collect::<Vec<_>>()
    };
    assert_eq!(machines("empty message, 1 hop, one way"), [None, Some("cm5".to_owned())]);
    let svg = present::figure("comet/echo", &both, None).to_svg();
    assert!(svg.contains("simulated cm5") && svg.contains("measured"), "{svg}");
}
