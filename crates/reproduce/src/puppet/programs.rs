//! The programs of the thesis: the computations and messages of each process.

use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_units::Time;

use super::fit::Parameters;

/// Bytes of an integer.
pub(super) const INTEGER: u64 = 4;
/// Bytes of an element of a matrix.
pub(super) const DOUBLE: u64 = 8;

const SEND: u32 = 0;
const RECEIVE: u32 = 1;

/// Builds a program.
pub(super) struct Builder {
    program: Program,
    /// Computation of each process since its last call, in seconds.
    before: Vec<f64>,
}

impl Builder {
    pub(super) fn new(processes: usize) -> Self {
        let program = Program {
            codes: vec![Code::default(); processes],
            ranks: processes as u32,
            calls: vec!["MPI_Send".into(), "MPI_Recv".into()],
            call_sites: Vec::new(),
            ..Program::default()
        };
        Self { program, before: vec![0.0; processes] }
    }

    pub(super) fn compute(&mut self, process: usize, seconds: f64) {
        self.before[process] += seconds;
    }

    fn time(&mut self, process: usize) -> Time {
        Time::from_picos((std::mem::take(&mut self.before[process]) * 1e12).round() as u64)
    }

    fn call(&mut self, process: usize, call: u32, op: Op) {
        let before = self.time(process);
        self.program.codes[process]
            .ops
            .extend([PackedOp::from(Op::Call { call, before }), PackedOp::from(op)]);
    }

    fn channel(&mut self, from: usize, to: usize) -> u32 {
        let channel =
            Channel { from: from as u32, to: to as u32, match_key: 0, kind: ChannelKind::PointToPoint };
        self.program.channels.push(channel);
        self.program.channels.len() as u32 - 1
    }

    /// Adds a channel between any two processes, by sender and receiver.
    pub(super) fn all_channels(&mut self) -> Vec<Vec<u32>> {
        let processes = self.before.len();
        let mut to_all = |from: usize| -> Vec<u32> {
            (0..processes).map(|to| if from == to { 0 } else { self.channel(from, to) }).collect()
        };
        (0..processes).map(&mut to_all).collect()
    }

    pub(super) fn send(&mut self, process: usize, channel: u32, bytes: u64) {
        self.call(process, SEND, Op::Send { mode: SendMode::Standard, channel, bytes });
    }

    pub(super) fn receive(&mut self, process: usize, channel: u32) {
        self.call(process, RECEIVE, Op::Receive { channel });
    }

    pub(super) fn finish(mut self) -> Program {
        for process in 0..self.program.codes.len() {
            let rest = self.time(process);
            self.program.codes[process]
                .ops
                .extend([PackedOp::from(Op::Compute(rest)), PackedOp::from(Op::End)]);
        }
        self.program
    }
}

/// Returns the index at which the piece of a process begins.
fn edge(integers: usize, processes: usize, process: usize) -> usize {
    integers * process / processes
}

/// Returns the parallel merge sort of section 5.1.1: pieces are sorted by bubble sort, then merged
/// in pairs until process 0 has all elements. `processes` is a power of two.
pub(super) fn merge_sort(integers: usize, processes: usize, parameters: &Parameters) -> Program {
    let mut builder = Builder::new(processes);
    let held = |process: usize, pieces: usize| {
        edge(integers, processes, process + pieces) - edge(integers, processes, process)
    };
    for process in 0..processes {
        builder.compute(process, parameters.sort * (held(process, 1) as f64).powi(2));
    }
    let mut pieces = 1;
    while pieces < processes {
        for to in (0..processes).step_by(2 * pieces) {
            let from = to + pieces;
            let channel = builder.channel(from, to);
            builder.send(from, channel, INTEGER * held(from, pieces) as u64);
            builder.receive(to, channel);
            builder.compute(to, parameters.merge * held(to, 2 * pieces) as f64);
        }
        pieces *= 2;
    }
    builder.finish()
}

/// Returns the fan-in Cholesky factorisation of figure 5.2, of a dense matrix of this order;
/// updating one element takes `update` seconds.
pub(super) fn fan_in(order: usize, processes: usize, update: f64) -> Program {
    let mut builder = Builder::new(processes);
    let channels = builder.all_channels();
    for column in 0..order {
        let (owner, below) = (column % processes, order - column);
        let update = update * below as f64;
        for (process, channels) in channels.iter().enumerate() {
            // The number of earlier columns that it owns.
            let earlier = (column + processes - 1 - process) / processes;
            builder.compute(process, update * earlier as f64);
            if process != owner && earlier > 0 {
                builder.send(process, channels[owner], DOUBLE * below as u64);
            }
        }
        // The owner of the previous column is the last to finish it.
        for from in (1..processes).map(|step| (owner + step) % processes).filter(|&from| from < column) {
            builder.receive(owner, channels[from][owner]);
            builder.compute(owner, update);
        }
        builder.compute(owner, update);
    }
    builder.finish()
}

/// Returns the fan-out Cholesky factorisation of figure 5.3, of a dense matrix of this order;
/// updating one element takes `update` seconds. A column is sent to all processes that own a later
/// one as soon as it is complete. Each process updates its columns with it in their order, so that
/// the next column is complete, and sent, before the others are updated.
pub(super) fn fan_out(order: usize, processes: usize, update: f64) -> Program {
    let mut builder = Builder::new(processes);
    let channels = builder.all_channels();
    // Dividing a column by its diagonal element takes as long as updating it.
    let complete = |builder: &mut Builder, column: usize| {
        let (owner, below) = (column % processes, order - column);
        builder.compute(owner, update * below as f64);
        for step in (1..processes).filter(|step| column + step < order) {
            builder.send(owner, channels[owner][(owner + step) % processes], DOUBLE * below as u64);
        }
    };
    if order > 0 {
        complete(&mut builder, 0);
    }
    for column in 0..order {
        for step in (1..=processes).filter(|step| column + step < order) {
            let (owner, process) = (column % processes, (column + step) % processes);
            if process != owner {
                builder.receive(process, channels[owner][process]);
            }
            // Its columns after this one: the first is the next of all, or further off.
            let below = |later: usize| (order - later) as f64;
            let mut columns = (column + step..order).step_by(processes);
            if step == 1 {
                builder.compute(process, update * columns.next().map_or(0.0, below));
                complete(&mut builder, column + 1);
            }
            builder.compute(process, update * columns.map(below).sum::<f64>());
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: Parameters = Parameters { sort: 1e-6, merge: 1e-5, update: 1e-6, update_sp2: 1e-7 };

    fn ops(program: &Program, process: usize) -> Vec<Op> {
        program.codes[process].ops.iter().map(|op| op.unpack()).collect()
    }

    fn us(micros: u64) -> Time {
        Time::from_nanos(1000 * micros)
    }

    #[test]
    fn the_merge_sort_of_four_processes() {
        let program = merge_sort(8, 4, &PARAMETERS);
        let send = |channel, bytes| Op::Send { mode: SendMode::Standard, channel, bytes };
        let compute = |micros| Op::Compute(us(micros));
        let call = |call, micros| Op::Call { call, before: us(micros) };
        let expected = [
            vec![
                call(1, 4),
                Op::Receive { channel: 0 },
                call(1, 40),
                Op::Receive { channel: 2 },
                compute(80),
                Op::End,
            ],
            vec![call(0, 4), send(0, 8), compute(0), Op::End],
            vec![call(1, 4), Op::Receive { channel: 1 }, call(0, 40), send(2, 16), compute(0), Op::End],
            vec![call(0, 4), send(1, 8), compute(0), Op::End],
        ];
        for (process, expected) in expected.into_iter().enumerate() {
            assert_eq!(ops(&program, process), expected, "process {process}");
        }
    }

    #[test]
    fn uneven_pieces_contain_all_elements() {
        let program = merge_sort(10_001, 8, &PARAMETERS);
        let Some(Op::Compute(last)) = ops(&program, 0).into_iter().rev().nth(1) else { panic!("no merging") };
        assert_eq!(last, us(100_010));
    }

    #[test]
    fn fan_in_on_one_process_only_computes() {
        // Updates 0 x 3 + 1 x 2 + 2 x 1, normalisation 3 + 2 + 1.
        assert_eq!(ops(&fan_in(3, 1, 1e-6), 0), [Op::Compute(us(10)), Op::End]);
        assert_eq!(ops(&fan_out(3, 1, 1e-6), 0), [Op::Compute(us(10)), Op::End]);
    }

    /// The last column has order - 1 updates, and no one to be sent to.
    #[test]
    fn fan_out_sends_a_column_to_all_that_own_a_later_one() {
        let program = fan_out(3, 2, 1e-6);
        let send = |channel, bytes| Op::Send { mode: SendMode::Standard, channel, bytes };
        let call = |call, micros| Op::Call { call, before: us(micros) };
        let first =
            [call(0, 3), send(0, 24), call(1, 1), Op::Receive { channel: 1 }, Op::Compute(us(2)), Op::End];
        let second =
            [call(1, 0), Op::Receive { channel: 0 }, call(0, 4), send(1, 16), Op::Compute(us(0)), Op::End];
        assert_eq!([ops(&program, 0), ops(&program, 1)], [first, second]);
    }

    #[test]
    fn every_message_is_received() {
        for program in [fan_in(50, 4, 1e-6), fan_out(50, 4, 1e-6), fan_out(3, 8, 1e-6)] {
            receives_every_message(&program);
        }
    }

    fn receives_every_message(program: &Program) {
        let mut balance = vec![0_i64; program.channels.len()];
        for op in (0..program.codes.len()).flat_map(|process| ops(program, process)) {
            match op {
                Op::Send { channel, .. } => balance[channel as usize] += 1,
                Op::Receive { channel } => balance[channel as usize] -= 1,
                _ => {}
            }
        }
        assert!(balance.iter().all(|&left| left == 0), "{balance:?}");
    }
}
