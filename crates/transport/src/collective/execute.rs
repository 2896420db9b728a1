//! Execution of a plan: a checked list of steps of one rank, with raw memory.
//!
//! [`Plan::new`] has checked that spans are in bounds, that the input is never written, that
//! nothing touches memory that a started operation uses, and that everything started is waited for.
//! That check is what makes the `unsafe` code here sound, given buffers of the plan's sizes.

use panto_schedule::{Buffer, Plan, Span, Step};
use smallvec::SmallVec;

use crate::error::Result;
use crate::message::{Selector, SendMode, Tag};
use crate::reduce_op::ReduceOp;
use crate::transport::{Buffers, Transport, Work};

/// The three buffers as raw memory: started operations use parts of them while later steps run.
/// That no two parts in use at once overlap is what [`Plan::new`] has checked.
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
        // SAFETY: the plan's spans lie within the buffers, whose sizes are the plan's
        // (`PlanRun::new`).
        (unsafe { base.add(span.start * self.element) }, span.len * self.element)
    }

    fn write(&self, span: &Span) -> (*mut u8, usize) {
        let (base, len) = self.read(span);
        // A plan never writes to the input, so this memory came from a mutable borrow.
        (base.cast_mut(), len)
    }
}

/// What must be complete before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependency {
    /// Nothing.
    None,
    /// The operation that was started last: the step blocks.
    Last,
    /// All started operations.
    All,
}

/// How to check a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitMode {
    /// Test once.
    Test,
    /// Block until it is satisfied.
    Wait,
}

/// A plan in execution. Its memory is used by nothing else until this is dropped.
pub(super) struct PlanRun<'t, T: Transport> {
    transport: &'t T,
    memory: Memory,
    combine: ReduceOp,
    tag: Tag,
    // On the stack: an allocation would be part of the measured time.
    started: SmallVec<[T::Handle; 8]>,
}

impl<'t, T: Transport> PlanRun<'t, T> {
    /// Prepares the execution of a plan on these buffers, with messages of this tag.
    ///
    /// # Safety
    /// The steps passed to `run` or `begin` must be those of one checked plan for this rank, in
    /// order. The buffers and `scratch` must have the plan's sizes, in elements. They must stay
    /// valid at their addresses, and be used by nothing else, until this is dropped; they need not
    /// stay borrowed.
    pub(super) unsafe fn new(
        transport: &'t T,
        buffers: &mut Buffers<'_>,
        scratch: *mut u8,
        tag: Tag,
    ) -> Self {
        let memory = Memory {
            input: buffers.input.as_ptr(),
            output: buffers.output.as_mut_ptr(),
            scratch,
            element: buffers.element,
        };
        Self { transport, memory, combine: buffers.combine, tag, started: SmallVec::new() }
    }

    pub(super) fn transport(&self) -> &'t T {
        self.transport
    }

    /// Executes all steps of the plan.
    pub(super) fn run(mut self, plan: &Plan) -> Result<()> {
        plan.steps().iter().try_for_each(|step| match step {
            Step::Send { to, span } => self.send(*to, span),
            Step::Receive { from, span } => self.receive(*from, span),
            Step::WaitAll => self.wait_all(),
            other => self.begin(other).map(drop),
        })
    }

    /// Begins a step, and returns what must be complete before the next one.
    pub(super) fn begin(&mut self, step: &Step) -> Result<Dependency> {
        match step {
            Step::Send { to, span } => self.start_send(*to, span).map(|()| Dependency::Last),
            Step::Receive { from, span } => self.start_receive(*from, span).map(|()| Dependency::Last),
            Step::StartSend { to, span } => self.start_send(*to, span).map(|()| Dependency::None),
            Step::StartReceive { from, span } => self.start_receive(*from, span).map(|()| Dependency::None),
            Step::WaitAll => Ok(Dependency::All),
            Step::Copy { from, to } => {
                self.copy(from, to);
                Ok(Dependency::None)
            }
            Step::Reduce { from, into, order } => {
                let ((from, len), (into, _)) = (self.memory.read(from), self.memory.write(into));
                // SAFETY: the plan's check ensures that the spans are in bounds, disjoint, of equal
                // length, and not in use by a started operation.
                let (from, into) = unsafe {
                    (std::slice::from_raw_parts(from, len), std::slice::from_raw_parts_mut(into, len))
                };
                (self.combine.apply)(from, into, *order);
                self.transport.charge(Work::Reduce(len));
                Ok(Dependency::None)
            }
        }
    }

    /// Whether the dependency is satisfied.
    pub(super) fn is_satisfied(&mut self, dependency: Dependency, mode: WaitMode) -> Result<bool> {
        match dependency {
            Dependency::None => Ok(true),
            Dependency::Last => self.settle_last(mode),
            Dependency::All => {
                while !self.started.is_empty() {
                    if !self.settle_last(mode)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Completes the operation that was started last, and removes it if it is complete.
    fn settle_last(&mut self, mode: WaitMode) -> Result<bool> {
        let Some(handle) = self.started.last_mut() else { return Ok(true) };
        let complete = match mode {
            WaitMode::Test => self.transport.test(handle)?.is_some(),
            WaitMode::Wait => self.transport.wait(handle).map(|_| true)?,
        };
        if complete {
            self.started.pop();
        }
        Ok(complete)
    }

    fn send(&self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: the plan's check ensures that the span is in bounds and not being received into.
        let data = unsafe { std::slice::from_raw_parts(data, len) };
        self.transport.send(SendMode::Standard, data, to, self.tag)
    }

    fn receive(&self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: the plan's check ensures that the span is in bounds and not in use by a started
        // operation.
        let buffer = unsafe { std::slice::from_raw_parts_mut(data, len) };
        self.transport.receive(buffer, Selector::new(from, self.tag)).map(drop)
    }

    fn start_send(&mut self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: the memory outlives `self` (`new`). By the plan's check nothing writes to it
        // before the next `WaitAll` or, if the step blocks, before the operation is complete;
        // `drop` cancels what is left.
        let handle = unsafe { self.transport.start_send(SendMode::Standard, data, len, to, self.tag) }?;
        self.started.push(handle);
        Ok(())
    }

    fn start_receive(&mut self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: as in `start_send`; nothing reads it either.
        let handle = unsafe { self.transport.start_receive(data, len, Selector::new(from, self.tag)) }?;
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
        // SAFETY: the plan's check ensures that the spans are in bounds, disjoint, of equal length,
        // and not in use by a started operation.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
        self.transport.charge(Work::Copy(len));
    }
}

impl<T: Transport> Drop for PlanRun<'_, T> {
    fn drop(&mut self) {
        for handle in &mut self.started {
            self.transport.cancel(handle);
        }
    }
}
