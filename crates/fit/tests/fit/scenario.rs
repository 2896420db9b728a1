//! The rules of all collectives are found from `scenario/only` with the library's collectives.

use std::sync::Arc;

use panto_bench::scenario;
use panto_bench::scenario::operation::Implementation;
use panto_machine::Machine;
use panto_results::Record;
use panto_results::scenario::CollectiveCall;
use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::World;
use panto_transport::simulated::{Sharing, Simulated};

use crate::rules::hidden;
use crate::support::{CALIBRATION, fitted, measure, quick};

/// Rules that differ from those of MPICH and Open MPI for every collective; some change with the
/// size, some with the number of ranks.
const HIDDEN: &str = "
broadcast      linear              ranks<=4
broadcast      binary              bytes<=2048
broadcast      chain:8
reduce         linear              bytes<=1024
reduce         knomial:4
allreduce      ring                bytes<=64
allreduce      linear
allgather      linear              block<=512
allgather      neighbour
gather         linear-sync
scatter        linear              bytes<=100
scatter        binomial
alltoall       rex
reduce-scatter linear              block<=512
reduce-scatter ring
scan           linear
exscan         linear
barrier        central             ranks<=4
barrier        linear
";

const RANKS: [usize; 3] = [2, 4, 8];
const SIZES: [u64; 6] = [8, 60, 512, 4_096, 30_000, 100_000];

/// Returns records of `scenario/only`: the library's collectives, and a given algorithm, which the
/// fit must ignore.
fn collectives(machine: &Machine) -> Vec<Record> {
    measure(machine, &["scenario/only"], 8, |settings| {
        settings.ranks = RANKS.to_vec();
        settings.sizes = Some(SIZES.to_vec());
        settings.options.get_mut::<scenario::Options>().implementations =
            Some(vec![Implementation::Algorithm(Algorithm::Linear), Implementation::Library]);
    })
}

/// Returns the seconds of an algorithm on a machine.
fn seconds(machine: &Machine, problem: &Problem, element: usize, algorithm: Algorithm) -> f64 {
    let world = Simulated::new(Arc::new(machine.clone()), Sharing::Links);
    world.expand(problem, element, Some(algorithm)).unwrap().1.as_secs()
}

#[test]
fn hidden_rules_of_all_collectives_are_recovered() {
    for base in ["ethernet10g", "infiniband"] {
        let (_folder, model) = hidden(base, HIDDEN);
        let machine = model.machine();
        let mut records = measure(machine, &CALIBRATION, 8, quick);
        records.extend(collectives(machine));
        let (fit, found) = fitted(&model, &records, 8);
        let text = &fit.rules.as_ref().unwrap_or_else(|| panic!("{base}: no rules, {:?}", fit.notes)).text;
        let mut same = 0;
        for (collective, ranks, bytes) in Collective::ALL
            .into_iter()
            .flat_map(|collective| RANKS.map(|ranks| (collective, ranks)))
            .flat_map(|(collective, ranks)| SIZES.map(|bytes| (collective, ranks, bytes)))
        {
            let element = if CollectiveCall::Plain(collective).reduces() && bytes % 8 == 0 { 8 } else { 1 };
            let count = if collective == Collective::Barrier { 0 } else { bytes as usize / element };
            let problem = Problem { collective, ranks, root: 0, count };
            let (real, own) = (machine.algorithm(&problem, element), found.algorithm(&problem, element));
            let takes = |algorithm| seconds(machine, &problem, element, algorithm);
            // Smaller differences do not justify another rule.
            let alike = (takes(own) / takes(real) - 1.0).abs() < 0.01;
            same += usize::from(own == real);
            assert!(
                alike,
                "{base}: {collective} of {bytes} B on {ranks} ranks is {own}, not {real}\n{text}\n{:?}",
                fit.notes
            );
        }
        // With two ranks several algorithms are equal.
        let all = Collective::ALL.len() * RANKS.len() * SIZES.len();
        assert!(10 * same > 9 * all, "{base}: only {same} of {all} are the very same\n{text}");
    }
}

/// Two kernels measure the same point; each is compared with its own simulation.
#[test]
fn kernels_that_measure_the_same_collective_agree() {
    let (_folder, model) = hidden("infiniband", HIDDEN);
    let machine = model.machine();
    let mut records = measure(machine, &CALIBRATION, 8, quick);
    records.extend(collectives(machine));
    records.extend(measure(
        machine,
        &["comet/broadcast", "comet/reduction", "comet/barrier"],
        8,
        |settings| {
            settings.ranks = RANKS.to_vec();
            settings.sizes = Some(vec![60, 900, 2_048, 2_500, 4_096, 50_000]);
            settings.lengths = Some(vec![1, 8, 12, 512, 8_000]);
        },
    ));
    let (fit, found) = fitted(&model, &records, 8);
    let choose = |machine: &Machine, collective, bytes| {
        machine.algorithm(&Problem { collective, ranks: 8, root: 0, count: bytes }, 1)
    };
    for (collective, sizes) in
        [(Collective::Broadcast, vec![60, 2_048, 2_500, 60_000]), (Collective::Allreduce, vec![8, 64, 4_096])]
    {
        for bytes in sizes {
            let (real, own) = (choose(machine, collective, bytes), choose(&found, collective, bytes));
            assert_eq!(own, real, "{collective} of {bytes} B\n{:?}", fit.notes);
        }
    }
}
