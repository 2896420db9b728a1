//! A tape gives what running ahead gives, in every lane.

use panto_machine::Machine;
use panto_sim::observe::{Activity, Cause, Observer};
use panto_sim::program::Program;
use panto_sim::tape::{LANES, Manners, Played, Tape};
use panto_sim::{Halted, Pace, Setting, ahead};
use panto_units::Time;
use proptest::prelude::*;

use crate::patterns::{Form, Pattern, program};
use crate::random::{all_machines, programs};
use crate::{costly, plain, setting};

/// Adds up what ranks do, as a tape does.
struct Sums {
    ranks: u32,
    computed: u128,
    waited: u128,
}

impl Observer for Sums {
    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        if rank < self.ranks && activity == Activity::Compute {
            self.computed += u128::from(to.since(from).as_picos());
        }
    }

    fn waited(&mut self, rank: u32, from: Time, to: Time, _: Cause) {
        if rank < self.ranks {
            self.waited += u128::from(to.since(from).as_picos());
        }
    }
}

fn ran_ahead(program: &Program, setting: &Setting<'_>) -> Result<Played, Halted> {
    let mut sums = Sums { ranks: program.ranks, computed: 0, waited: 0 };
    let ends = ahead::run(program, setting, &mut sums)?;
    Ok(Played { ends, computed: sums.computed, waited: sums.waited })
}

fn assert_same(program: &Program, settings: &[Setting<'_>]) {
    let tape = Tape::record(program, settings[0].machine).expect("it comes to its end");
    let played = tape.play(settings);
    assert_eq!(played.len(), settings.len());
    for (lane, (setting, played)) in settings.iter().zip(played).enumerate() {
        assert_eq!(played, ran_ahead(program, setting), "setting {lane}");
    }
}

#[test]
fn of_patterns() {
    let machines = [costly(64), plain(64), costly(64)];
    for pattern in
        [Pattern::Ring, Pattern::Halo3, Pattern::Wavefront, Pattern::Doubling, Pattern::Application]
    {
        let program = program(pattern, 64, 20, 100, Form::Looped).0;
        assert_same(&program, &machines.each_ref().map(setting));
    }
}

#[test]
fn other_manners_need_another_tape() {
    let machine = plain(4);
    let mut synchronous = plain(4);
    synchronous.protocol = panto_machine::Protocol::Synchronous;
    let program = program(Pattern::Ring, 4, 3, 100, Form::Flat).0;
    let tape = Tape::record(&program, &machine).unwrap();
    assert!(tape.suits(&setting(&machine)) && !tape.suits(&setting(&synchronous)));
    // All send first: with sends that wait for their receive the ring is stuck, and there is no tape.
    assert!(
        Tape::record(&program, &synchronous).is_none()
            == ran_ahead(&program, &setting(&synchronous)).is_err()
    );
}

#[test]
fn the_end_of_time_is_that_of_its_lane() {
    let (machine, mut slow) = (plain(2), plain(2));
    slow.network.link = panto_machine::Cost::line(Time::from_picos(u64::MAX / 2), crate::per_byte(0));
    let program = program(Pattern::Ring, 2, 5, 100, Form::Flat).0;
    let tape = Tape::record(&program, &machine).unwrap();
    let played = tape.play(&[setting(&machine), setting(&slow)]);
    assert!(played[0].is_ok());
    assert_eq!(played[1], Err(Halted::EndOfTime));
}

/// Machines on which the same messages wait for their receives.
fn alike(mut machines: Vec<Machine>) -> Vec<Machine> {
    let first = machines[0].clone();
    for machine in &mut machines {
        machine.protocol = first.protocol;
        machine.collectives.send = first.collectives.send;
        machine.collectives.rules = first.collectives.rules.clone();
        assert_eq!(Manners::of(machine), Manners::of(&first));
    }
    machines
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn of_random_programs(
        program in programs(),
        machines in prop::collection::vec(all_machines(), 1..LANES + 4),
        speeds in prop::collection::vec(prop::sample::select(vec![0.3, 1.0, 2.5]), 3),
    ) {
        let machines = alike(machines);
        let pace = |rank: usize| Pace::faster(speeds[rank % 3]).unwrap();
        let paces: Vec<Pace> = (0..program.ranks as usize).map(pace).collect();
        let settings: Vec<Setting<'_>> = machines
            .iter()
            .enumerate()
            .map(|(lane, machine)| Setting { paces: if lane % 2 == 0 { &paces } else { &[] }, ..setting(machine) })
            .collect();
        prop_assume!(settings.iter().all(|setting| panto_sim::chooses(&program, setting) == panto_sim::Means::Ahead));
        assert_same(&program, &settings);
    }
}
