//! The trait that kernels are written against.

use panto_schedule::{Algorithm, BlockProblem, Collective, HopShape, Problem};
use panto_units::Time;

pub use crate::arguments::{Buffers, StandardSend, WaitPolicy, Work};
use crate::collective::BufferLayouts;
use crate::error::{Error, Result};
use crate::handler::{Handler, HandlerGuard};
use crate::message::{Selector, SendMode, Status, Tag};
use crate::onesided::Window;

/// One rank's endpoint of a message layer (C15).
///
/// Blocking operations borrow their buffers for the call. Non-blocking ones go through
/// [`scope`](crate::scope()), which keeps the buffers borrowed until the requests are complete, so
/// safe code cannot free or change a buffer that a request still uses. Persistent ones go through
/// [`PersistentSend`](crate::PersistentSend) and [`PersistentReceive`](crate::PersistentReceive),
/// which own their buffers; non-blocking collectives through
/// [`PreparedCollective::run_overlapped`](crate::PreparedCollective::run_overlapped). Backends
/// implement the raw operations below these.
///
/// # Safety
/// Safe code relies on this: an operation does not access its memory any more in these cases:
///
/// - when `wait`, `test`, `wait_any`, `finish` or `poll` has reported it complete,
/// - when `finish` or `poll` has failed,
/// - when `wait` or `test` has failed for a native collective,
/// - when `cancel` or `retire` has returned.
pub unsafe trait Transport {
    /// A pending operation.
    type Handle;

    /// A persistent operation.
    type Persistent;

    /// Returns this rank's number, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends, and returns when `data` may be reused (and, in synchronous mode, was received).
    fn send(&self, mode: SendMode, data: &[u8], to: usize, tag: Tag) -> Result<()>;

    /// Receives the first message that the selector accepts.
    fn receive(&self, buffer: &mut [u8], selector: Selector) -> Result<Status>;

    /// Blocks until a message that the selector accepts has arrived, and leaves it to a later
    /// receive.
    fn probe(&self, selector: Selector) -> Result<Status>;

    /// Returns the envelope of a message that the selector accepts, if one has arrived.
    fn try_probe(&self, selector: Selector) -> Result<Option<Status>>;

    /// Starts a send.
    ///
    /// # Safety
    /// `data[..len]` must stay readable and unchanged until the handle completes or was cancelled.
    /// The handle may only be passed to this endpoint.
    unsafe fn start_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Handle>;

    /// Starts a receive.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable, and not be accessed otherwise, until the handle
    /// completes or was cancelled. The handle may only be passed to this endpoint.
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, selector: Selector) -> Result<Self::Handle>;

    /// Waits for one operation. Waiting for a complete operation returns the same result again.
    fn wait(&self, handle: &mut Self::Handle) -> Result<Status>;

    /// Returns the status of the operation if it is complete.
    fn test(&self, handle: &mut Self::Handle) -> Result<Option<Status>>;

    /// Waits until one of `handles[which]` is complete, and returns its index in `which`. It is an
    /// error if `which` is empty.
    fn wait_any(&self, handles: &mut [Self::Handle], which: &[usize]) -> Result<(usize, Status)>;

    /// Cancels an operation. When this returns, its memory is no longer accessed. Returns the
    /// status if it was complete already.
    fn cancel(&self, handle: &mut Self::Handle) -> Option<Status>;

    /// Makes a persistent send. Checks rank and tag.
    ///
    /// # Safety
    /// `data[..len]` must stay readable at this address until `retire`, and unchanged while the
    /// operation is started. The operation may only be passed to this endpoint.
    unsafe fn persistent_send(
        &self,
        mode: SendMode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Persistent>;

    /// Makes a persistent receive. Checks rank and tag.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable at this address until `retire`, and not be accessed
    /// otherwise while the operation is started. The operation may only be passed to this endpoint.
    unsafe fn persistent_receive(
        &self,
        buffer: *mut u8,
        len: usize,
        selector: Selector,
    ) -> Result<Self::Persistent>;

    /// Starts a persistent operation. If this fails, it is not started.
    ///
    /// # Safety
    /// The operation must be neither started nor retired, and its memory as promised when it was
    /// made.
    unsafe fn start(&self, operation: &mut Self::Persistent) -> Result<()>;

    /// Waits for a persistent operation. It is not started any more afterwards, whatever the
    /// result. It is an error if it was not started.
    fn finish(&self, operation: &mut Self::Persistent) -> Result<Status>;

    /// Returns the status of a persistent operation if it is complete. It is not started any more
    /// if it is complete or if this fails. It is an error if it was not started.
    fn poll(&self, operation: &mut Self::Persistent) -> Result<Option<Status>>;

    /// Cancels a persistent operation if it is started, and frees it. When this returns, its memory
    /// is no longer accessed.
    fn retire(&self, operation: &mut Self::Persistent);

    /// Returns the time on this rank's clock.
    fn now(&self) -> Time;

    /// Whether the clocks of all ranks show the same time.
    fn shares_clock(&self) -> bool;

    /// Compares the clocks of all hosts, and returns the maximum by which they may differ, or
    /// `None` where all ranks read one clock. All ranks must call this together; all get the same
    /// result.
    fn clock_error(&self) -> Result<Option<Time>> {
        Ok(None)
    }

    /// Returns what a standard send guarantees, for kernels in which both sides send first.
    fn standard_send(&self) -> StandardSend;

    /// Returns the simplest mode whose sends of `len` bytes to another rank behave exactly like
    /// those of `mode`; `mode` itself where they differ or where this is unknown.
    fn equivalent_mode(&self, mode: SendMode, len: usize) -> SendMode {
        let _ = len;
        mode
    }

    /// Whether the message layer has a combined send and receive that is used as it is.
    fn has_send_receive(&self) -> bool {
        false
    }

    /// Sends `outgoing.0` to rank `outgoing.1` and receives into `incoming.0` from rank
    /// `incoming.1` in one call of the message layer (`MPI_Sendrecv`).
    fn send_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        let _ = (outgoing, incoming, tag);
        Err(Error::Unsupported("combined send and receive"))
    }

    /// Whether a message that is longer than its receive's buffer never overwrites the memory
    /// behind the buffer. Where this is `false`, programs must not receive such messages.
    fn keeps_bounds(&self) -> bool {
        true
    }

    /// Returns the distances between ranks, as far as the transport knows them.
    fn shape(&self) -> HopShape;

    /// Whether ranks outnumber cores. If so, waiting ranks should not spin.
    fn oversubscribed(&self) -> bool;

    /// Aborts all ranks and names this one as the cause (C1). Returns the error for the caller to
    /// return.
    fn abort(&self, message: &str) -> Error;

    /// Returns an error if another rank has aborted. For waits that are not waits for a message,
    /// such as for a point in time.
    fn check(&self) -> Result<()>;

    /// Message-driven receive (C19): passes messages with this tag to `handler` on arrival,
    /// whatever this rank is doing, until the returned guard is dropped. A message that the handler
    /// returns is sent, also while the rank does something else.
    fn on_message(&self, tag: Tag, handler: Handler) -> Result<HandlerGuard> {
        let _ = (tag, handler);
        Err(Error::Unsupported("message-driven receive"))
    }

    /// Whether the clock is virtual. If so, time passes only as the modelled machine needs it, and
    /// longer measurements are not more precise.
    fn is_virtual(&self) -> bool {
        false
    }

    /// Waits for a point in time on this rank's clock.
    fn wait_until(&self, time: Time, policy: WaitPolicy) -> Result<()> {
        while self.now() < time {
            self.check()?;
            match policy {
                WaitPolicy::Spin => std::hint::spin_loop(),
                WaitPolicy::Sleep => std::thread::sleep(time.since(self.now()).into()),
            }
        }
        Ok(())
    }

    /// Keeps this rank's processor busy for this time, without calling the message layer.
    fn compute(&self, time: Time) {
        let end = self.now() + time;
        while self.now() < end {
            std::hint::spin_loop();
        }
    }

    /// Declares local work that the caller has just done. Real work has taken its time already; a
    /// simulated machine charges what its processor would have needed.
    #[inline]
    fn charge(&self, work: Work) {
        let _ = work;
    }

    /// Returns the algorithm that the message layer would choose for a collective over elements of
    /// `element` bytes, if it has a preference.
    fn algorithm(&self, problem: &Problem, element: usize) -> Option<Algorithm> {
        let _ = (problem, element);
        None
    }

    /// Attributes subsequent messages to this collective, or to none: a machine may have a separate
    /// network for a collective.
    #[inline]
    fn set_collective(&self, collective: Option<Collective>) {
        let _ = collective;
    }

    /// Marks subsequent messages as part of the measurement itself. A simulated machine transmits
    /// them out of band and at no cost, so that they do not disturb what is measured.
    #[inline]
    fn set_out_of_band(&self, aside: bool) {
        let _ = aside;
    }

    /// Whether the message layer has a native collective for this problem.
    fn has_native(&self, problem: &Problem) -> bool {
        let _ = problem;
        false
    }

    /// Runs the message layer's native collective.
    fn run_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let _ = (problem, buffers);
        Err(Error::Unsupported("native collective"))
    }

    /// Starts the message layer's native collective. The handle is waited for or tested like that
    /// of a message; its status has no meaning.
    ///
    /// # Safety
    /// The memory of the buffers must stay valid, and not be accessed otherwise, until the handle
    /// is complete or a wait or test for it has failed: collectives cannot be cancelled. The handle
    /// may only be passed to this endpoint.
    unsafe fn start_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<Self::Handle> {
        let _ = (problem, buffers);
        Err(Error::Unsupported("non-blocking native collective"))
    }

    /// Selects the algorithm of a native blocking collective by the name that the message layer has
    /// for it, or `default`; `None` ends the selection. All ranks must call this together.
    fn select_native(&self, collective: Collective, algorithm: Option<&str>) -> Result<()> {
        let _ = collective;
        if algorithm.is_none() {
            return Ok(());
        }
        Err(Error::Unsupported("selecting the algorithm of a native collective; it needs an MPI job"))
    }

    /// Whether the message layer has native collectives with blocks of different lengths.
    fn has_native_blocks(&self) -> bool {
        false
    }

    /// Prepares the message layer for native collectives with blocks of different lengths or
    /// destinations. All ranks must call this together, once before they run such a collective.
    fn prepare_native_blocks(&self, problem: &BlockProblem) -> Result<()> {
        let _ = problem;
        Ok(())
    }

    /// Runs the message layer's native collective with blocks of different lengths, in bytes.
    fn run_native_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let _ = (problem, layouts, buffers);
        Err(Error::Unsupported("native collective with blocks of different lengths"))
    }

    /// Starts a native collective with blocks of different lengths; see
    /// [`start_native`](Self::start_native).
    ///
    /// # Safety
    /// As for `start_native`; `layouts` must stay unchanged at its address for as long as the
    /// buffers.
    unsafe fn start_native_blocks(
        &self,
        problem: &BlockProblem,
        layouts: &BufferLayouts,
        buffers: &mut Buffers<'_>,
    ) -> Result<Self::Handle> {
        let _ = (problem, layouts, buffers);
        Err(Error::Unsupported("non-blocking native collective with blocks of different lengths"))
    }

    /// Creates a window of `bytes` bytes between this rank and rank `with`. All ranks must call
    /// this together, and both ranks of a window must name each other. Ranks that pass `None` get
    /// no window.
    fn window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        let _ = (with, bytes);
        Err(Error::Unsupported(crate::onesided::NAME))
    }
}
