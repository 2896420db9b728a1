//! The collective rules of a machine are found from the times of its collectives.

use panto_bench::comet;
use panto_machine::{Machine, Model};
use panto_results::Record;
use panto_schedule::Collective;

use crate::support::{CALIBRATION, fitted, measure, quick};

/// Rules that no library has.
const HIDDEN: &str = "
broadcast      linear              ranks<=4 bytes<=256
broadcast      binomial            ranks<=4
broadcast      binomial            bytes<=2048
broadcast      scatter-allgather
allreduce      recursive-doubling  bytes<=1024
allreduce      ring
barrier        central
reduce         binomial
allgather      ring
gather         binomial
scatter        binomial
alltoall       pairwise
reduce-scatter pairwise
scan           linear
exscan         linear
";

/// Returns a built-in machine with these rules.
pub fn hidden(base: &str, rules: &str) -> (tempfile::TempDir, Model) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hidden.rules"), rules).unwrap();
    let text = format!("base = \"{base}\"\n[collectives]\nrules = \"hidden.rules\"\n");
    let path = folder.path().join("machine.toml");
    std::fs::write(&path, text).unwrap();
    let model = Model::load(path.to_str().unwrap(), &[]).unwrap();
    (folder, model)
}

/// Returns records of collectives whose algorithm the library chose.
fn collectives(machine: &Machine, ranks: usize, closed: bool) -> Vec<Record> {
    let kernels = ["comet/broadcast", "comet/reduction", "comet/barrier"];
    let mut records = measure(machine, &kernels, ranks, |settings| {
        settings.ranks = vec![4, 8];
        settings.sizes = Some(vec![1, 64, 256, 300, 1_024, 2_048, 3_000, 10_000, 50_000]);
        settings.lengths = Some(vec![1, 16, 64, 128, 150, 500, 2_000, 10_000]);
        settings.options.get_mut::<comet::Options>().closing_barrier = closed;
    });
    for record in &mut records {
        record.algorithm = Some("library".into());
    }
    records
}

#[test]
fn hidden_rules_are_recovered() {
    for (base, closed) in [("ethernet10g", false), ("infiniband", true)] {
        let (_folder, model) = hidden(base, HIDDEN);
        let machine = model.machine();
        let mut records = measure(machine, &CALIBRATION, 8, quick);
        records.extend(collectives(machine, 8, closed));
        let (fit, found) = fitted(&model, &records, 8);
        assert!(fit.rules.is_some(), "{:?}", fit.notes);
        let cases = [
            (Collective::Broadcast, vec![64, 256, 300, 2_048, 3_000, 50_000]),
            (Collective::Allreduce, vec![8, 1_024, 1_200, 80_000]),
            (Collective::Barrier, vec![0]),
        ];
        for (collective, sizes) in cases {
            for (ranks, bytes) in
                [4, 8].into_iter().flat_map(|ranks| sizes.iter().map(move |bytes| (ranks, *bytes)))
            {
                let choose =
                    |machine: &Machine| machine.collectives.rules.table().choose(collective, ranks, bytes);
                let (real, own) = (choose(machine), choose(&found));
                let text = &fit.rules.as_ref().unwrap().text;
                assert_eq!(
                    own, real,
                    "{base}: {collective} of {bytes} B on {ranks} ranks\n{text}\n{:?}",
                    fit.notes
                );
            }
        }
    }
}

#[test]
fn one_rule_for_everything_needs_no_file() {
    let model = Model::load("ethernet10g", &["collectives.algorithm.barrier=central".into()]).unwrap();
    let machine = model.machine();
    let mut records = measure(machine, &CALIBRATION, 8, quick);
    let mut barriers = measure(machine, &["comet/barrier"], 8, |settings| settings.ranks = vec![4, 8]);
    for record in &mut barriers {
        record.algorithm = Some("library".into());
    }
    records.extend(barriers);
    let (fit, found) = fitted(&model, &records, 8);
    assert_eq!(fit.rules, None);
    assert_eq!(found.collectives.algorithms, machine.collectives.algorithms);
}
