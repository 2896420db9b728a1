//! Tests of descriptions of runs, and of warnings about their reliability.

use insta::assert_snapshot;
use panto_report::present;
use panto_results::{Manifest, Point, Record, SimulatedMachine, StopReason, SyncMethod};

use super::placed::{echo_by_distance, on_two_hosts};
use super::records::{
    barrier, broadcast, echo, exchange, handler, io, manifest, record, reduction, transpose,
};

#[test]
fn description() {
    assert_snapshot!(present::describe(&manifest()));
}

#[test]
fn description_of_ranks_on_two_hosts() {
    assert_snapshot!(present::describe(&on_two_hosts()));
}

fn reported(manifest: &Manifest, records: &[Record]) -> String {
    let manifests = std::slice::from_ref(manifest);
    present::report(&[present::ReportedRun { name: None, manifests, records }]).to_html()
}

/// Every format shows how far apart ranks were and on how many hosts they ran.
#[test]
fn every_format_has_distances_and_hosts() {
    let (records, manifest) = (echo_by_distance(16), on_two_hosts());
    let found = panto_findings::findings(&records);
    let words = present::summary_sentences(&manifest, &records, &found).join("\n");
    assert!(words.contains("4 ranks on 2 hosts") && words.contains("peak bandwidth"), "{words}");
    assert_eq!(present::key_figures(&records, &found).len(), 3);
    let svg = present::figure("comet/echo", &records, Some(&manifest)).to_svg();
    let names = ["to itself", "within a core complex", "within a node", "over the network"];
    let places: Vec<Option<usize>> = names.iter().map(|name| svg.find(name)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "curves from near to far: {places:?}");
    assert!(svg.contains("mpi, 4 ranks on 2 hosts"), "{svg}");
    let page = reported(&manifest, &records);
    assert!(page.contains("Message passing on 2 hosts") && page.contains("ranks 2-3, cores 0-3 shared"));
    for text in [present::osu(&records), present::imb(&records)] {
        assert!(text.contains("within a core complex (the nearest measured)"), "{text}");
        assert!(!text.contains("network"), "{text}");
    }
    assert!(
        present::json(&manifest, &records, None, serde_json::Value::Null)
            .contains("\"clock_error_ns\": 1201")
    );
    assert!(present::csv([(None, &records[..])]).contains(",clock_error_ns,label,launch,verdict\n"));
}

#[test]
fn clocks_that_differ_much_are_a_warning() {
    let mut records = barrier();
    records[1].clock_error_ns = Some(100.0);
    records[1].batch = 1;
    records[3].clock_error_ns = Some(4_000.0);
    let concerns = present::concerns(&records);
    assert_eq!(concerns.len(), 1, "{concerns:?}");
    assert!(concerns[0].starts_with("2 of 4 points depend on clocks"), "{concerns:?}");
    assert!(concerns[0].contains("comet/barrier, 4 ranks") && concerns[0].contains("4.00us"), "{concerns:?}");
    records[3].start = SyncMethod::Barrier;
    assert!(present::concerns(&records)[0].starts_with("1 of 4"));
}

/// Each host has its own cores: ranks 0 and 1 have one each, all four would not.
#[test]
fn oversubscription_is_per_host() {
    let mut manifest = on_two_hosts();
    let on = |ranks| [record("comet/guard", Point::new(ranks), 1e3)];
    assert_eq!(present::oversubscription(&on(4), &manifest), None);
    manifest.placement[2].cores = "5".into();
    manifest.placement[3].cores = "5".into();
    assert_eq!(present::oversubscription(&on(3), &manifest), None);
    let said = present::oversubscription(&on(4), &manifest).expect("two ranks on core 5");
    assert!(said.contains("cores on a host") && said.contains("comet/guard"), "{said}");
}

#[test]
fn reliable_measurements_have_no_warnings() {
    assert_eq!(present::concerns(&[echo(1, 8), barrier()].concat()), Vec::<String>::new());
}

fn make_bimodal(record: &mut Record) {
    let halves = record.samples_ns.iter().enumerate();
    // The modes alternate irregularly enough not to look like drift.
    record.samples_ns =
        halves.map(|(i, nanos)| if (i * i / 3) % 2 == 0 { nanos * 2.0 } else { *nanos }).collect();
}

fn make_drift(record: &mut Record) {
    let place = record.samples_ns.iter().enumerate();
    record.samples_ns = place.map(|(i, nanos)| nanos * (1.0 + 0.01 * i as f64)).collect();
}

#[test]
fn warnings() {
    let (mut echo, mut barrier) = (echo(1, 8), barrier());
    echo.iter_mut().take(5).for_each(make_bimodal);
    make_drift(&mut barrier[2]);
    echo[7].stop = StopReason::Budget;
    echo[8].stop = StopReason::Budget;
    echo[9].stop = StopReason::Interrupted;
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

/// Every format says that nothing was measured.
#[test]
fn every_format_marks_simulated_points() {
    let simulated = |record: Record| Record { machine: Some("ipsc860".into()), steal: None, ..record };
    let records: Vec<Record> = echo(1, 8).into_iter().map(simulated).collect();
    let machine = SimulatedMachine {
        name: "ipsc860".into(),
        topology: "hypercube of 16".into(),
        network: "traffic".into(),
        overrides: vec!["link.latency=2us".into()],
    };
    let manifest = Manifest { machine: Some(machine), ..manifest() };
    let found = panto_findings::findings(&records);
    let (heading, table) = present::table(&records).remove(0);
    let forms = [
        format!("{heading}\n{table}"),
        present::findings(&found),
        present::describe(&manifest).to_string(),
        present::figure("comet/echo", &records, Some(&manifest)).to_svg(),
        reported(&manifest, &records),
        present::osu(&records),
        present::imb(&records),
    ];
    for form in forms {
        assert!(form.to_lowercase().contains("simulated") && form.contains("ipsc860"), "{form}");
    }
    assert!(present::csv([(None, &records[..])]).contains("ipsc860"));
    assert!(
        present::json(&manifest, &records, None, serde_json::json!(found))
            .contains("\"machine\": \"ipsc860\"")
    );
    assert_eq!(present::oversubscription(&records, &Manifest { cores: 1, ..manifest }), None);
}

/// Measured and simulated points of one file are in different curves and findings.
#[test]
fn measured_and_simulated_points_do_not_mix() {
    let simulated = |record: Record| Record { machine: Some("cm5".into()), ..record };
    let both: Vec<Record> = echo(1, 8).into_iter().chain(echo(1, 8).into_iter().map(simulated)).collect();
    let machines = |label: &str| {
        let of = |finding: &panto_findings::Finding| finding.label == label;
        panto_findings::findings(&both)
            .into_iter()
            .filter(of)
            .map(|finding| finding.machine)
            .collect::<Vec<_>>()
    };
    assert_eq!(machines("empty message, 1 hop, one way"), [None, Some("cm5".to_owned())]);
    let svg = present::figure("comet/echo", &both, None).to_svg();
    assert!(svg.contains("simulated cm5") && svg.contains("measured"), "{svg}");
}
