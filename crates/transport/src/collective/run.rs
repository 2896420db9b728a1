//! How a plan is carried out: with raw memory, because it was checked.

use panto_schedule::{Buffer, Plan, Span, Step};
use smallvec::SmallVec;

use crate::combine::Combine;
use crate::error::Result;
use crate::message::{Mode, Tag, Want};
use crate::transport::{Buffers, Transport, Work};

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

/// What must be complete before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// What was started last: a step that blocks.
    Last,
    /// All that was started.
    All,
}

/// How to ask for what must be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Is it?
    Test,
    /// Wait until it is.
    Wait,
}

/// A plan that is being carried out, on memory that nobody else touches until this is dropped.
pub(super) struct Run<'t, T: Transport> {
    transport: &'t T,
    memory: Memory,
    combine: Combine,
    tag: Tag,
    // On the stack: an allocation would be timed.
    started: SmallVec<[T::Handle; 8]>,
}

impl<'t, T: Transport> Run<'t, T> {
    /// # Safety
    /// The steps that this is given must be those of one checked plan, in order. The buffers and the scratch space must have the
    /// plan's sizes, in elements. They must stay valid at their places until this is dropped, and nobody else may touch them;
    /// that they are borrowed until then is not needed.
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

    /// Carries all steps out, one after the other.
    pub(super) fn all(mut self, plan: &Plan) -> Result<()> {
        plan.steps().iter().try_for_each(|step| match step {
            Step::Send { to, span } => self.send(*to, span),
            Step::Receive { from, span } => self.receive(*from, span),
            Step::WaitAll => self.wait_all(),
            other => self.begin(other).map(drop),
        })
    }

    /// Begins a step, and answers what must be complete before the next.
    pub(super) fn begin(&mut self, step: &Step) -> Result<Gate> {
        match step {
            Step::Send { to, span } => self.start_send(*to, span).map(|()| Gate::Last),
            Step::Receive { from, span } => self.start_receive(*from, span).map(|()| Gate::Last),
            Step::StartSend { to, span } => self.start_send(*to, span).map(|()| Gate::Open),
            Step::StartReceive { from, span } => self.start_receive(*from, span).map(|()| Gate::Open),
            Step::WaitAll => Ok(Gate::All),
            Step::Copy { from, to } => {
                self.copy(from, to);
                Ok(Gate::Open)
            }
            Step::Reduce { from, into, order } => {
                let ((from, len), (into, _)) = (self.memory.read(from), self.memory.write(into));
                // SAFETY: in bounds, disjoint, of one length and not in use by a started operation.
                let (from, into) = unsafe {
                    (std::slice::from_raw_parts(from, len), std::slice::from_raw_parts_mut(into, len))
                };
                (self.combine.apply)(from, into, *order);
                self.transport.charge(Work::Reduce(len));
                Ok(Gate::Open)
            }
        }
    }

    /// Is what the gate waits for complete?
    pub(super) fn passes(&mut self, gate: Gate, patience: Patience) -> Result<bool> {
        match gate {
            Gate::Open => Ok(true),
            Gate::Last => self.settle_last(patience),
            Gate::All => {
                while !self.started.is_empty() {
                    if !self.settle_last(patience)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Lets go of what was started last, if it is complete.
    fn settle_last(&mut self, patience: Patience) -> Result<bool> {
        let Some(handle) = self.started.last_mut() else { return Ok(true) };
        let complete = match patience {
            Patience::Test => self.transport.test(handle)?.is_some(),
            Patience::Wait => self.transport.wait(handle).map(|_| true)?,
        };
        if complete {
            self.started.pop();
        }
        Ok(complete)
    }

    fn send(&self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: in bounds, and not being received into.
        let data = unsafe { std::slice::from_raw_parts(data, len) };
        self.transport.send(Mode::Standard, data, to, self.tag)
    }

    fn receive(&self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: in bounds, and not in use by a started operation.
        let buffer = unsafe { std::slice::from_raw_parts_mut(data, len) };
        self.transport.receive(buffer, Want::new(from, self.tag)).map(drop)
    }

    fn start_send(&mut self, to: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.read(span);
        // SAFETY: the memory is borrowed for longer than `self`, nothing writes to it before the plan's next `WaitAll`
        // or, if the step blocks, before its gate is passed, and `drop` cancels what is left.
        let handle = unsafe { self.transport.start_send(Mode::Standard, data, len, to, self.tag) }?;
        self.started.push(handle);
        Ok(())
    }

    fn start_receive(&mut self, from: usize, span: &Span) -> Result<()> {
        let (data, len) = self.memory.write(span);
        // SAFETY: as in `start_send`, and nothing reads it either.
        let handle = unsafe { self.transport.start_receive(data, len, Want::new(from, self.tag)) }?;
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
