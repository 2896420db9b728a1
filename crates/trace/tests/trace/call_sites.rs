//! Call sites: written and read, kept by combining and merging, and announced by the version.

use panto_trace::{Action, CallSite, Metadata, Places, Summary, Times, Trace, combine, merge};

use crate::support::{Writer, folder};

fn site(address: u64) -> CallSite {
    CallSite { object: "/home/me/app".to_owned(), address }
}

/// Returns a stream with two barriers of one call site and one of another, each after so much
/// computation.
fn stream(rank: u32, before: u64) -> Vec<u8> {
    let mut writer = Writer::with_sites(rank, 2);
    let name = writer.recorder.name("MPI_Pcontrol");
    let sites = [0x10, 0x20].map(|address| writer.recorder.call_site(&site(address)));
    for place in [0, 1, 0] {
        let times = Times { before, ..Times::default() };
        writer.recorder.record_at(name, Some(sites[place]), &Action::Control { level: 9 }, times);
        writer.seal();
    }
    writer.call("MPI_Finalize", &Action::Finalise {}, 5);
    writer.finish()
}

/// Returns the call sites of a rank's events.
fn seen(trace: &Trace, rank: usize) -> Vec<Option<u64>> {
    let mut events = trace.ranks()[rank].events();
    let mut sites = Vec::new();
    while let Some(event) = events.next().expect("sound") {
        sites.push(event.site().map(|site| site.address));
    }
    sites
}

const EXPECTED: [Option<u64>; 4] = [Some(0x10), Some(0x20), Some(0x10), None];

#[test]
fn call_sites_are_kept_by_combining_and_merging() {
    let at = tempfile::tempdir().expect("a folder");
    let combined = [7, 5].map(|before| {
        let ranks = folder(
            &at.path().join(format!("{before}.ranks")),
            &[(0, stream(0, before)), (1, stream(1, before))],
        );
        let trace = Trace::open(&ranks).expect("sound streams");
        assert_eq!(seen(&trace, 1), EXPECTED);
        let mut facts = Metadata::default();
        let mut places = Places::default();
        places.insert(site(0x10), "solve (app.c:3)".to_owned());
        places.add_to(&mut facts);
        let target = at.path().join(format!("{before}.panto"));
        combine(&trace, &target, &facts).expect("written");
        Trace::open(&target).expect("a whole trace")
    });
    let merged = at.path().join("m.panto");
    merge(&combined, &merged).expect("the same calls");
    let merged = Trace::open(&merged).expect("a whole trace");
    for trace in combined.iter().chain([&merged]) {
        assert!(trace.has_call_sites());
        assert_eq!(seen(trace, 0), EXPECTED);
        assert_eq!(trace.places().name(&site(0x10)), "solve (app.c:3)");
    }
    let summary = Summary::of(&merged).expect("sound");
    let rows: Vec<_> =
        summary.sites.iter().map(|site| (site.place.as_str(), site.calls, site.computation)).collect();
    assert_eq!(rows, [("solve (app.c:3)", 4, 20), ("app+0x20", 2, 10)]);
    // Functions are counted as without call sites.
    assert_eq!((summary.functions[0].name.as_str(), summary.functions[0].calls), ("MPI_Pcontrol", 6));
}

#[test]
fn a_file_without_call_sites_has_version_1() {
    let at = tempfile::tempdir().expect("a folder");
    let mut plain = Writer::new(0, 1);
    plain.call("MPI_Finalize", &Action::Finalise {}, 5);
    assert_eq!(plain.finish()[8], 1);
    assert_eq!(stream(0, 1)[8], 2);
    let mut newer = stream(0, 1);
    newer[8] = 3;
    let check = panto_container::checksum(&[&newer[..24]]).to_le_bytes();
    newer[24..28].copy_from_slice(&check);
    let ranks = folder(&at.path().join("newer.ranks"), &[(0, newer)]);
    let error = Trace::open(&ranks).expect_err("it is newer").to_string();
    assert!(error.contains("version 3 of the trace format"), "{error}");
}
