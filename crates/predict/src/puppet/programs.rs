//! The programs of the thesis, as what each process computes and sends.

use panto_sim::program::{Act, Channel, Code, Lane, Op, Program, Sending};
use panto_units::Time;

use super::fit::Parameters;

/// Bytes of an integer,
pub(super) const INTEGER: u64 = 4;
/// and of an element of a matrix.
const DOUBLE: u64 = 8;

const SEND: u32 = 0;
const RECEIVE: u32 = 1;

/// A program that is being written.
struct Writer {
    program: Program,
    /// Computation of each process that no call follows yet.
    before: Vec<f64>,
}

impl Writer {
    fn new(processes: usize) -> Self {
        let program = Program {
            codes: vec![Code::default(); processes],
            ranks: processes as u32,
            calls: vec!["MPI_Send".into(), "MPI_Recv".into()],
            ..Program::default()
        };
        Self { program, before: vec![0.0; processes] }
    }

    fn compute(&mut self, process: usize, seconds: f64) {
        self.before[process] += seconds;
    }

    fn time(&mut self, process: usize) -> Time {
        Time::from_picos((std::mem::take(&mut self.before[process]) * 1e12).round() as u64)
    }

    fn call(&mut self, process: usize, call: u32, act: Act) {
        let before = self.time(process);
        self.program.codes[process].ops.extend([Op::from(Act::Call { call, before }), Op::from(act)]);
    }

    fn channel(&mut self, from: usize, to: usize) -> u32 {
        let channel = Channel { from: from as u32, to: to as u32, class: 0, lane: Lane::Message };
        self.program.channels.push(channel);
        self.program.channels.len() as u32 - 1
    }

    fn send(&mut self, process: usize, channel: u32, bytes: u64) {
        self.call(process, SEND, Act::Send { sending: Sending::Standard, channel, bytes });
    }

    fn receive(&mut self, process: usize, channel: u32) {
        self.call(process, RECEIVE, Act::Receive { channel });
    }

    fn finish(mut self) -> Program {
        for process in 0..self.program.codes.len() {
            let rest = self.time(process);
            self.program.codes[process].ops.extend([Op::from(Act::Compute(rest)), Op::from(Act::End)]);
        }
        self.program
    }
}

/// Where the piece of a process begins, when so many integers are cut for so many processes.
fn edge(integers: usize, processes: usize, process: usize) -> usize {
    integers * process / processes
}

/// The parallel merge sort of section 5.1.1: pieces are sorted by bubble sort, then merged in pairs, until all is on process 0.
/// `processes` is a power of two.
pub(super) fn merge_sort(integers: usize, processes: usize, parameters: &Parameters) -> Program {
    let mut writer = Writer::new(processes);
    let held = |process: usize, pieces: usize| {
        edge(integers, processes, process + pieces) - edge(integers, processes, process)
    };
    for process in 0..processes {
        writer.compute(process, parameters.sort * (held(process, 1) as f64).powi(2));
    }
    let mut pieces = 1;
    while pieces < processes {
        for to in (0..processes).step_by(2 * pieces) {
            let from = to + pieces;
            let channel = writer.channel(from, to);
            writer.send(from, channel, INTEGER * held(from, pieces) as u64);
            writer.receive(to, channel);
            writer.compute(to, parameters.merge * held(to, 2 * pieces) as f64);
        }
        pieces *= 2;
    }
    writer.finish()
}

/// The fan-in Cholesky factorisation of figure 5.2, of a dense matrix of this order.
pub(super) fn fan_in(order: usize, processes: usize, parameters: &Parameters) -> Program {
    let mut writer = Writer::new(processes);
    let mut channels = vec![vec![0; processes]; processes];
    for (from, to) in (0..processes).flat_map(|from| (0..processes).map(move |to| (from, to))) {
        if from != to {
            channels[from][to] = writer.channel(from, to);
        }
    }
    for column in 0..order {
        let (owner, below) = (column % processes, order - column);
        let update = parameters.update * below as f64;
        for (process, channels) in channels.iter().enumerate() {
            // So many of the columns before are its own.
            let earlier = (column + processes - 1 - process) / processes;
            writer.compute(process, update * earlier as f64);
            if process != owner && earlier > 0 {
                writer.send(process, channels[owner], DOUBLE * below as u64);
            }
        }
        // The one that had the column before is the last to know it.
        for from in (1..processes).map(|step| (owner + step) % processes).filter(|&from| from < column) {
            writer.receive(owner, channels[from][owner]);
            writer.compute(owner, update);
        }
        writer.compute(owner, update);
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: Parameters = Parameters { sort: 1e-6, merge: 1e-5, update: 1e-6 };

    fn acts(program: &Program, process: usize) -> Vec<Act> {
        program.codes[process].ops.iter().map(|op| op.act()).collect()
    }

    fn us(micros: u64) -> Time {
        Time::from_nanos(1000 * micros)
    }

    #[test]
    fn the_merge_sort_of_four_processes() {
        let program = merge_sort(8, 4, &PARAMETERS);
        let send = |channel, bytes| Act::Send { sending: Sending::Standard, channel, bytes };
        let compute = |micros| Act::Compute(us(micros));
        let call = |call, micros| Act::Call { call, before: us(micros) };
        let expected = [
            vec![
                call(1, 4),
                Act::Receive { channel: 0 },
                call(1, 40),
                Act::Receive { channel: 2 },
                compute(80),
                Act::End,
            ],
            vec![call(0, 4), send(0, 8), compute(0), Act::End],
            vec![call(1, 4), Act::Receive { channel: 1 }, call(0, 40), send(2, 16), compute(0), Act::End],
            vec![call(0, 4), send(1, 8), compute(0), Act::End],
        ];
        for (process, expected) in expected.into_iter().enumerate() {
            assert_eq!(acts(&program, process), expected, "process {process}");
        }
    }

    #[test]
    fn uneven_pieces_hold_all() {
        let program = merge_sort(10_001, 8, &PARAMETERS);
        let Some(Act::Compute(last)) = acts(&program, 0).into_iter().rev().nth(1) else {
            panic!("no merging")
        };
        assert_eq!(last, us(100_010));
    }

    #[test]
    fn fan_in_on_one_process_computes_all() {
        let program = fan_in(3, 1, &PARAMETERS);
        // Updates 0 x 3 + 1 x 2 + 2 x 1, normalisation 3 + 2 + 1.
        assert_eq!(acts(&program, 0), [Act::Compute(us(10)), Act::End]);
    }

    #[test]
    fn fan_in_sends_what_is_received() {
        let program = fan_in(50, 4, &PARAMETERS);
        let mut balance = vec![0_i64; program.channels.len()];
        for act in (0..4).flat_map(|process| acts(&program, process)) {
            match act {
                Act::Send { channel, .. } => balance[channel as usize] += 1,
                Act::Receive { channel } => balance[channel as usize] -= 1,
                _ => {}
            }
        }
        assert!(balance.iter().all(|&left| left == 0), "{balance:?}");
    }
}
