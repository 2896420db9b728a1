//! The engine does what the slow simulator does.

use panto_machine::Machine;
use panto_sim::Model;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::driver::drive;
use crate::machines::{Grain, Room, machines};
use crate::program::Program;
use crate::programs::{Words, broken_programs, programs, settings};
use crate::reference::{Report, simulate};

const NAMED: Words = Words { wild: false, any_tag: false, tests: false, overtaking: false };
const WILD: Words = Words { wild: true, ..NAMED };
const ALL: Words = Words { wild: true, any_tag: true, tests: true, overtaking: false };

fn check(machine: &Machine, model: Model, program: &Program) -> Result<Report, TestCaseError> {
    let report = simulate(machine, model, program);
    let run = drive(machine, model, program);
    // Where messages overtake each other, ranks with wild cards are another matter.
    prop_assume!(!report.overtaken);
    prop_assert_eq!(&run, &report.run);
    Ok(report)
}

/// Shares of a processor are rounded: each time by less than a picosecond.
fn check_sharing(machine: &Machine, program: &Program) -> Result<Report, TestCaseError> {
    let report = simulate(machine, Model::Fast, program);
    let run = drive(machine, Model::Fast, program);
    prop_assume!(!report.overtaken);
    let near = 50;
    if !run.is_near(&report.run, near) {
        prop_assume!(report.closest > near);
        prop_assert_eq!(&run, &report.run);
    }
    Ok(report)
}

proptest! {
    #![proptest_config(settings(2_000))]

    #[test]
    fn by_name(machine in machines(Grain::Coarse, Room::Enough), program in programs(Grain::Coarse, NAMED)) {
        let report = check(&machine, Model::Fast, &program)?;
        prop_assert!(report.run.exits.iter().all(Option::is_some));
    }

    /// Messages overtake each other; they are matched in the order of sending.
    #[test]
    fn by_name_with_overtaking(
        machine in machines(Grain::Coarse, Room::Enough),
        program in programs(Grain::Coarse, Words { overtaking: true, any_tag: true, tests: true, ..NAMED }),
    ) {
        let report = simulate(&machine, Model::Fast, &program);
        prop_assert_eq!(drive(&machine, Model::Fast, &program), report.run);
    }

    #[test]
    fn with_wild_cards(machine in machines(Grain::Coarse, Room::Enough), program in programs(Grain::Coarse, WILD)) {
        check(&machine, Model::Fast, &program)?;
    }

    #[test]
    fn with_all(machine in machines(Grain::Coarse, Room::Enough), program in programs(Grain::Coarse, ALL)) {
        check(&machine, Model::Fast, &program)?;
    }

    #[test]
    fn who_is_stuck(machine in machines(Grain::Coarse, Room::Enough), program in broken_programs(Grain::Coarse, ALL)) {
        check(&machine, Model::Fast, &program)?;
    }

    #[test]
    fn shared_processors(machine in machines(Grain::Fine, Room::Short), program in programs(Grain::Fine, NAMED)) {
        let report = check_sharing(&machine, &program)?;
        prop_assert!(report.run.exits.iter().all(Option::is_some));
    }

    #[test]
    fn shared_processors_with_all(
        machine in machines(Grain::Fine, Room::Short),
        program in broken_programs(Grain::Fine, ALL),
    ) {
        check_sharing(&machine, &program)?;
    }

    /// What happens on the links is the same code for both, and tested elsewhere; what the engine makes of it is tested here.
    #[test]
    fn on_shared_links(machine in machines(Grain::Coarse, Room::Enough), program in programs(Grain::Coarse, NAMED)) {
        let report = simulate(&machine, Model::Traffic, &program);
        prop_assert_eq!(drive(&machine, Model::Traffic, &program), report.run);
    }

    #[test]
    fn on_shared_links_with_all(
        machine in machines(Grain::Coarse, Room::Enough),
        program in broken_programs(Grain::Coarse, ALL),
    ) {
        check(&machine, Model::Traffic, &program)?;
    }
}
