//! A batch gives what the run-ahead engine gives, in every lane.

use panto_machine::Machine;
use panto_sim::batch::{LANES, LaneResult, ProtocolRules, Recording};
use panto_sim::observe::{Activity, Cause, Observer};
use panto_sim::program::Program;
use panto_sim::{ComputeScale, RunConfig, RunError, ahead};
use panto_units::Time;
use proptest::prelude::*;

use super::{config, costly, plain};
use crate::random::{all_machines, programs};
use panto_testkit::patterns::{Form, Pattern, program};

/// Adds up what ranks do, as a batch does.
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

fn ran_ahead(program: &Program, config: &RunConfig<'_>) -> Result<LaneResult, RunError> {
    let mut sums = Sums { ranks: program.ranks, computed: 0, waited: 0 };
    let ends = ahead::run(program, config, &mut sums)?;
    Ok(LaneResult { ends, computed: sums.computed, waited: sums.waited })
}

fn assert_same(program: &Program, configs: &[RunConfig<'_>]) {
    let recording = Recording::record(program, configs[0].machine).expect("the program ends");
    let results = recording.run(configs);
    assert_eq!(results.len(), configs.len());
    for (lane, (config, result)) in configs.iter().zip(results).enumerate() {
        assert_eq!(result, ran_ahead(program, config), "config {lane}");
    }
}

#[test]
fn patterns_give_the_same_in_every_lane() {
    let machines = [costly(64), plain(64), costly(64)];
    for pattern in
        [Pattern::Ring, Pattern::Halo3, Pattern::Wavefront, Pattern::Doubling, Pattern::Application]
    {
        let program = program(pattern, 64, 20, 100, Form::Looped).0;
        assert_same(&program, &machines.each_ref().map(config));
    }
}

#[test]
fn other_protocol_rules_need_another_recording() {
    let machine = plain(4);
    let mut synchronous = plain(4);
    synchronous.protocol = panto_machine::Protocol::Synchronous;
    let program = program(Pattern::Ring, 4, 3, 100, Form::Flat).0;
    let recording = Recording::record(&program, &machine).unwrap();
    assert!(recording.supports(&config(&machine)) && !recording.supports(&config(&synchronous)));
    // All ranks send first: with synchronous sends the ring is in a deadlock, and cannot be
    // recorded.
    assert!(
        Recording::record(&program, &synchronous).is_none()
            == ran_ahead(&program, &config(&synchronous)).is_err()
    );
}

#[test]
fn time_overflows_in_its_lane_only() {
    let (machine, mut slow) = (plain(2), plain(2));
    slow.network.link =
        panto_machine::Cost::line(Time::from_picos(u64::MAX / 2), crate::machines::per_byte(0));
    let program = program(Pattern::Ring, 2, 5, 100, Form::Flat).0;
    let recording = Recording::record(&program, &machine).unwrap();
    let results = recording.run(&[config(&machine), config(&slow)]);
    assert!(results[0].is_ok());
    assert_eq!(results[1], Err(RunError::TimeOverflow));
}

/// Makes machines on which the same messages wait for their receives.
fn with_equal_protocols(mut machines: Vec<Machine>) -> Vec<Machine> {
    let first = machines[0].clone();
    for machine in &mut machines {
        machine.protocol = first.protocol;
        machine.collectives.send = first.collectives.send;
        machine.collectives.rules = first.collectives.rules.clone();
        assert_eq!(ProtocolRules::of(machine), ProtocolRules::of(&first));
    }
    machines
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn random_programs_give_the_same_in_every_lane(
        program in programs(),
        machines in prop::collection::vec(all_machines(), 1..LANES + 4),
        speeds in prop::collection::vec(prop::sample::select(vec![0.3, 1.0, 2.5]), 3),
    ) {
        let machines = with_equal_protocols(machines);
        let scale = |rank: usize| ComputeScale::from_speed(speeds[rank % 3]).unwrap();
        let scales: Vec<ComputeScale> = (0..program.ranks as usize).map(scale).collect();
        let configs: Vec<RunConfig<'_>> = machines
            .iter()
            .enumerate()
            .map(|(lane, machine)| RunConfig { compute_scales: if lane % 2 == 0 { &scales } else { &[] }, ..config(machine) })
            .collect();
        prop_assume!(configs.iter().all(|config| panto_sim::choose_engine(&program, config) == panto_sim::EngineChoice::RunAhead));
        assert_same(&program, &configs);
    }
}
