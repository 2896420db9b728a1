//! Collectives: the message layer's own, or any schedule.

use panto_schedule::{Algorithm, Buffer, Order, Plan, Problem, Span, Step, rules, schedule};

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::message::{MAX_TAG, Mode, Tag, Want};
use crate::transport::{Buffers, Transport, Work};

/// The tag of all messages of collectives. Messages between two ranks stay in order, and all ranks run
/// the same collectives in the same order, so one tag is enough. Only a [`Want`] that names it accepts it.
pub const COLLECTIVE_TAG: Tag = MAX_TAG;

/// Who carries a collective out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The message layer's own collective; where it has none, what Panto's rules choose.
    Library,
    /// This algorithm.
    Algorithm(Algorithm),
}

/// A collective that is ready to run, again and again: planning costs more than many collectives.
pub struct Prepared {
    problem: Problem,
    element: usize,
    way: Way,
}

enum Way {
    Native,
    Planned { plan: Plan, scratch: Vec<u8>, algorithm: Algorithm },
}

impl Prepared {
    /// Plans a collective over elements of `element` bytes for the calling rank.
    pub fn new<T: Transport>(
        transport: &T,
        problem: Problem,
        element: usize,
        choice: Choice,
    ) -> Result<Self> {
        let way = match choice {
            Choice::Library if transport.has_native(&problem) => Way::Native,
            Choice::Library => {
                let chosen = transport.algorithm(&problem, element);
                plan(
                    transport,
                    &problem,
                    element,
                    chosen.unwrap_or_else(|| rules::for_problem(&problem, element)),
                )?
            }
            Choice::Algorithm(algorithm) => plan(transport, &problem, element, algorithm)?,
        };
        Ok(Self { problem, element, way })
    }

    /// The algorithm that is used; `None` is the message layer's own.
    pub fn algorithm(&self) -> Option<Algorithm> {
        match &self.way {
            Way::Native => None,
            Way::Planned { algorithm, .. } => Some(*algorithm),
        }
    }

    /// Runs it. All ranks of the problem must.
    pub fn run<T: Transport>(&mut self, transport: &T, mut buffers: Buffers<'_>) -> Result<()> {
        self.check(transport.rank(), &buffers)?;
        match &mut self.way {
            Way::Native => transport.run_native(&self.problem, &mut buffers),
            Way::Planned { plan, scratch, .. } => {
                transport.on_behalf_of(Some(self.problem.collective));
                let outcome = execute(transport, plan, &mut buffers, scratch);
                transport.on_behalf_of(None);
                outcome
            }
        }
    }

    fn check(&self, rank: usize, buffers: &Buffers<'_>) -> Result<()> {
        // The sizes of one rank say nothing about the spans of another one's plan.
        if let Way::Planned { plan, .. } = &self.way
            && plan.rank() != rank
        {
            let planner = plan.rank();
            return Err(Error::Buffers(format!("rank {rank} ran a collective that rank {planner} prepared")));
        }
        let (input, output) = (self.problem.input_len(rank), self.problem.output_len(rank));
        let fits = buffers.element == self.element
            && buffers.input.len() == input * self.element
            && buffers.output.len() == output * self.element;
        if fits {
            return Ok(());
        }
        Err(Error::Buffers(format!(
            "rank {rank} gave {} bytes of input and {} of output in elements of {}; the collective takes {input} \
             and {output} elements of {}",
            buffers.input.len(),
            buffers.output.len(),
            buffers.element,
            self.element
        )))
    }
}

/// For collectives that do not reduce.
pub fn no_combine(_from: &[u8], _into: &mut [u8], _order: Order) {}

/// Adds doubles (C7).
pub fn sum_f64(from: &[u8], into: &mut [u8], _order: Order) {
    for (from, into) in from.as_chunks::<8>().0.iter().zip(into.as_chunks_mut::<8>().0) {
        *into = (f64::from_ne_bytes(*from) + f64::from_ne_bytes(*into)).to_ne_bytes();
    }
}

/// Keeps the larger of unsigned numbers.
pub fn max_u64(from: &[u8], into: &mut [u8], _order: Order) {
    for (from, into) in from.as_chunks::<8>().0.iter().zip(into.as_chunks_mut::<8>().0) {
        *into = u64::from_ne_bytes(*from).max(u64::from_ne_bytes(*into)).to_ne_bytes();
    }
}

fn plan<T: Transport>(transport: &T, problem: &Problem, element: usize, algorithm: Algorithm) -> Result<Way> {
    let plan = Plan::new(&*schedule(problem, algorithm)?, transport.rank(), problem.sizes(transport.rank()))?;
    let scratch = vec![0; plan.scratch() * element];
    Ok(Way::Planned { plan, scratch, algorithm })
}

fn execute<T: Transport>(
    transport: &T,
    plan: &Plan,
    buffers: &mut Buffers<'_>,
    scratch: &mut [u8],
) -> Result<()> {
    let memory = Memory {
        input: buffers.input.as_ptr(),
        output: buffers.output.as_mut_ptr(),
        scratch: scratch.as_mut_ptr(),
        element: buffers.element,
    };
    let mut run = Run { transport, memory, started: SmallVec::new() };
    plan.steps().iter().try_for_each(|step| run.step(step, buffers))
}

/// The three buffers as raw memory: started operations keep parts of them in use while others go on. That no
/// two parts in use at once overlap is what [`Plan::new`] has checked.
struct Memory {
    input: *const u8,
    output: *mut u8,
    scratch: *mut u8,
    element: usize,
}

impl Memory {
    fn read(&self, span: &Span) -> (*const u8, usize) {
        let base = match span.buffer {
            Buffer::Input => self.input,
            Buffer::Output => self.output.cast_const(),
            Buffer::Scratch => self.scratch.cast_const(),
        };
        // SAFETY: the plan's spans lie within buffers whose sizes were compared with the plan's.
        (unsafe { base.add(span.start * self.element) }, span.len * self.element)
    }

    fn write(&self, span: &Span) -> (*mut u8, usize) {
        let (base, len) = self.read(span);
        // A plan never writes to the input, so this memory came from a mutable borrow.
        (base.cast_mut(), len)
    }
}

struct Run<'a, T: Transport> {
    transport: &'a T,
    memory: Memory,
    // On the stack: an allocation would be timed.
    started: SmallVec<[T::Handle; 8]>,
}

impl<T: Transport> Run<'_, T> {
    fn step(&mut self, step: &Step, buffers: &Buffers<'_>) -> Result<()> {
        match step {
            Step::Send { to, span } => self.send(*to, span),
            Step::Receive { from, span } => self.receive(*from, span),
            Step::StartSend { to, span } => self.start_send(*to, span),
            Step::StartReceive { from, span } => self.start_receive(*from, span),
            Step::WaitAll => self.wait_all(),
            Step::Copy { from, to } => {
                self.copy(from, to);
                Ok(())
            }
            Step::Reduce { from, into, order } => {
                let ((from, len), (into, _)) = (self.memory.read(from), self.memory.write(into));
                // SAFETY: in bounds, disjoint, of one length and not in use by a started operation.
                let (from, into) = unsafe {
                    (std::slice::from_raw_parts(from, len), std::slice::from_raw_parts_mut(into, len))
                };
                (buffers.combine)(from, into, *order);
                self.transport.charge(Work::Reduce(len));
                Ok(())
            }
        }
    }

    fn send(&self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: in bounds, and not being received into.
        let data = unsafe { std::slice::from_raw_parts(data, len) };
        self.transport.send(Mode::Standard, data, to, COLLECTIVE_TAG)
    }

    fn receive(&self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: in bounds, and not in use by a started operation.
        let buffer = unsafe { std::slice::from_raw_parts_mut(data, len) };
        self.transport.receive(buffer, Want::new(from, COLLECTIVE_TAG)).map(drop)
    }

    fn start_send(&mut self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: the memory is borrowed until `execute` returns, nothing writes to it before the plan's
        // next `WaitAll`, and `drop` cancels what an error left behind.
        let handle = unsafe { self.transport.start_send(Mode::Standard, data, len, to, COLLECTIVE_TAG) }?;
        self.started.push(handle);
        Ok(())
    }

    fn start_receive(&mut self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: as in `start_send`, and nothing reads it either.
        let handle = unsafe { self.transport.start_receive(data, len, Want::new(from, COLLECTIVE_TAG)) }?;
        self.started.push(handle);
        Ok(())
    }

    fn wait_all(&mut self) -> Result<()> {
        for handle in &mut self.started {
            self.transport.wait(handle)?;
        }
        self.started.clear();
        Ok(())
    }

    fn copy(&self, from: &Span, to: &Span) {
        let ((from, len), (to, _)) = (self.memory.read(from), self.memory.write(to));
        // SAFETY: in bounds, disjoint, of one length and not in use by a started operation.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
        self.transport.charge(Work::Copy(len));
    }
}

impl<T: Transport> Drop for Run<'_, T> {
    fn drop(&mut self) {
        for handle in &mut self.started {
            self.transport.cancel(handle);
        }
    }
}
