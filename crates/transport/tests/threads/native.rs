//! A message layer with a native collective: overlapped with work, also if the work fails. Threads
//! have none, so the broadcast from one rank to one other is made native here: it is a single
//! message.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use panto_schedule::{Collective, HopShape, Problem};
use panto_transport::threads::{Endpoint, Handle, Threads};
use panto_transport::{
    AlgorithmChoice, Buffers, CollectiveTag, EmulatedPersistent, Error, NO_REDUCTION, PreparedCollective,
    Progress, Result, Selector, SendMode, StandardSend, Status, Tag, Time, Transport, World,
};

const LEN: usize = 10_000;
const OWN_TAG: Tag = 99;
const GO: Tag = 1;

struct Native<'a>(&'a Endpoint);

// SAFETY: all operations are those of the inner transport.
unsafe impl Transport for Native<'_> {
    type Handle = Handle;
    type Persistent = EmulatedPersistent<Handle>;

    fn has_native(&self, problem: &Problem) -> bool {
        problem.collective == Collective::Broadcast && problem.ranks == 2
    }
    unsafe fn start_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<Handle> {
        let (data, len) = (buffers.output.as_mut_ptr(), buffers.output.len());
        // SAFETY: the caller keeps the contract of `start_native`, which includes those of both
        // functions.
        unsafe {
            if self.rank() == problem.root {
                return self.0.start_send(SendMode::Synchronous, data, len, 1 - problem.root, OWN_TAG);
            }
            self.0.start_receive(data, len, Selector::new(problem.root, OWN_TAG))
        }
    }
    fn rank(&self) -> usize {
        self.0.rank()
    }
    fn size(&self) -> usize {
        self.0.size()
    }
    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()> {
        self.0.send(mode, data, to, tag)
    }
    fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status> {
        self.0.receive(buffer, selector)
    }
    fn probe(&self, selector: Selector) -> Result<Status> {
        self.0.probe(selector)
    }
    fn try_probe(&self, selector: Selector) -> Result<Option<Status>> {
        self.0.try_probe(selector)
    }
    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Handle> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.0.start_send(mode, data, len, to, tag) }
    }
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Handle> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.0.start_receive(buffer, len, selector) }
    }
    fn wait(&self, handle: &mut Handle) -> Result<Status> {
        self.0.wait(handle)
    }
    fn test(&self, handle: &mut Handle) -> Result<Option<Status>> {
        self.0.test(handle)
    }
    fn wait_any(&self, handles: &mut [Handle], which: &[usize]) -> Result<(usize, Status)> {
        self.0.wait_any(handles, which)
    }
    /// A native collective cannot be cancelled, and these tests start nothing else.
    fn cancel(&self, _: &mut Handle) -> Option<Status> {
        panic!("a collective of the message layer was cancelled")
    }
    unsafe fn persistent_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Persistent> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.0.persistent_send(mode, data, len, to, tag) }
    }
    unsafe fn persistent_receive(
        &self,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Self::Persistent> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.0.persistent_receive(buffer, len, selector) }
    }
    unsafe fn start(&self, operation: &mut Self::Persistent) -> Result<()> {
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        unsafe { self.0.start(operation) }
    }
    fn finish(&self, operation: &mut Self::Persistent) -> Result<Status> {
        self.0.finish(operation)
    }
    fn poll(&self, operation: &mut Self::Persistent) -> Result<Option<Status>> {
        self.0.poll(operation)
    }
    fn retire(&self, operation: &mut Self::Persistent) {
        self.0.retire(operation);
    }
    fn now(&self) -> Time {
        self.0.now()
    }
    fn shares_clock(&self) -> bool {
        self.0.shares_clock()
    }
    fn standard_send(&self) -> StandardSend {
        self.0.standard_send()
    }
    fn shape(&self) -> HopShape {
        self.0.shape()
    }
    fn oversubscribed(&self) -> bool {
        self.0.oversubscribed()
    }
    fn abort(&self, message: &str) -> Error {
        self.0.abort(message)
    }
    fn check(&self) -> Result<()> {
        self.0.check()
    }
}

/// Returns what rank 1 received during its work. Rank 0 takes part only when rank 1's work has
/// begun.
fn broadcast<R: Send>(
    work: impl Fn(&mut Progress<'_, Native<'_>>) -> Result<R> + Sync,
    ends: impl Fn(std::thread::Result<Result<R>>) + Sync,
) -> Vec<u8> {
    let problem = Problem { collective: Collective::Broadcast, ranks: 2, root: 0, count: LEN };
    let outputs = Threads::default().run(2, |endpoint| {
        let t = &Native(endpoint);
        let mut output = vec![7 * (1 - t.rank() as u8); LEN];
        let mut prepared = PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?;
        assert_eq!(prepared.algorithm(), None);
        let buffers = Buffers { input: &[], output: &mut output, element: 1, combine: NO_REDUCTION };
        if t.rank() == 0 {
            t.receive(&mut [], Selector::new(1, GO))?;
            prepared.run_overlapped(t, buffers, CollectiveTag::ALL[0], |_| Ok::<_, Error>(()))?;
            return Ok(output);
        }
        ends(catch_unwind(AssertUnwindSafe(|| {
            prepared.run_overlapped(t, buffers, CollectiveTag::ALL[0], |progress| {
                assert!(!progress.poll()?);
                t.send(SendMode::Buffered, &[], 0, GO)?;
                work(progress)
            })
        })));
        Ok::<_, Error>(output)
    });
    outputs.unwrap().swap_remove(1)
}

#[test]
fn a_native_collective_is_polled_and_waited_for() {
    let asked = |progress: &mut Progress<'_, Native<'_>>| {
        while !progress.poll()? {}
        assert!(progress.poll()?);
        Ok(5)
    };
    assert_eq!(broadcast(asked, |end| assert_eq!(end.unwrap(), Ok(5))), [7; LEN]);
    assert_eq!(broadcast(|_| Ok(6), |end| assert_eq!(end.unwrap(), Ok(6))), [7; LEN]);
}

/// The memory is free only when the collective is complete, however the work has ended.
#[test]
fn a_native_collective_is_complete_when_the_work_has_failed() {
    let fails = |_: &mut Progress<'_, Native<'_>>| Err::<(), _>(Error::Unsupported("patience"));
    let error = Err(Error::Unsupported("patience"));
    assert_eq!(broadcast(fails, |end| assert_eq!(end.unwrap(), error)), [7; LEN]);
    let panics = |_: &mut Progress<'_, Native<'_>>| -> Result<()> { resume_unwind(Box::new(())) };
    assert_eq!(broadcast(panics, |end| assert!(end.is_err())), [7; LEN]);
}
