//! The trait that kernels are written against.

use panto_schedule::{Algorithm, Collective, HopShape, Problem, UnevenProblem};
use panto_units::Time;

use crate::collective::Extents;
use crate::error::{Error, Result};
use crate::handler::{Handler, Listening};
use crate::message::{Mode, Status, Tag, Want};
use crate::onesided::Window;
pub use crate::terms::{Buffers, Patience, StandardSend, Work};

/// One rank's end of a message layer (C15).
///
/// Blocking operations borrow their buffers for the call. Non-blocking ones go through
/// [`scope`](crate::scope()), which keeps the buffers borrowed until the requests are complete, so that
/// safe code cannot free or change a buffer that a request still uses. Persistent ones go through
/// [`PersistentSend`](crate::PersistentSend) and [`PersistentReceive`](crate::PersistentReceive), which own theirs;
/// non-blocking collectives through [`Prepared::run_beside`](crate::Prepared::run_beside). Backends implement the raw
/// operations below these.
///
/// # Safety
/// Safe code relies on the answers: when `wait`, `test`, `wait_any`, `finish` or `poll` say that an operation is complete,
/// when `finish` or `poll` fails, when `wait` or `test` fails for a collective of the message layer's own, and when `cancel` or
/// `retire` returns, the operation must not touch its memory any more.
pub unsafe trait Transport {
    /// A pending operation.
    type Handle;

    /// An operation that is started again and again.
    type Persistent;

    /// This rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends, and returns when `data` may be reused (and, in synchronous mode, was taken).
    fn send(&self, mode: Mode, data: &[u8], to: usize, tag: Tag) -> Result<()>;

    /// Receives the first message that matches.
    fn receive(&self, buffer: &mut [u8], want: Want) -> Result<Status>;

    /// Waits until a message that matches is there, and leaves it there.
    fn probe(&self, want: Want) -> Result<Status>;

    /// Is a message that matches there?
    fn try_probe(&self, want: Want) -> Result<Option<Status>>;

    /// Starts a send.
    ///
    /// # Safety
    /// `data[..len]` must stay readable and unchanged until the handle completes or was cancelled. Only this
    /// endpoint may be asked about the handle.
    unsafe fn start_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Handle>;

    /// Starts a receive.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable, and nobody else may touch it, until the handle completes or
    /// was cancelled. Only this endpoint may be asked about the handle.
    unsafe fn start_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Self::Handle>;

    /// Waits for one operation. Waiting again for a complete one answers the same.
    fn wait(&self, handle: &mut Self::Handle) -> Result<Status>;

    /// Is the operation complete?
    fn test(&self, handle: &mut Self::Handle) -> Result<Option<Status>>;

    /// Waits until one of `handles[which]` is complete; answers its place in `which`. Waiting for none of none is an
    /// error.
    fn wait_any(&self, handles: &mut [Self::Handle], which: &[usize]) -> Result<(usize, Status)>;

    /// Gives an operation up. When this returns, its memory is no longer touched. If it was complete already, the
    /// answer is what was sent or received.
    fn cancel(&self, handle: &mut Self::Handle) -> Option<Status>;

    /// Makes a send that can be started again and again. Rank and tag are checked now.
    ///
    /// # Safety
    /// `data[..len]` must stay readable at its place until `retire`, and unchanged while the operation is started. Only
    /// this endpoint may be asked about the operation.
    unsafe fn persistent_send(
        &self,
        mode: Mode,
        data: *const u8,
        len: usize,
        to: usize,
        tag: Tag,
    ) -> Result<Self::Persistent>;

    /// Makes a receive that can be started again and again. Rank and tag are checked now.
    ///
    /// # Safety
    /// `buffer[..len]` must stay writable at its place until `retire`, and nobody else may touch it while the operation is
    /// started. Only this endpoint may be asked about the operation.
    unsafe fn persistent_receive(&self, buffer: *mut u8, len: usize, want: Want) -> Result<Self::Persistent>;

    /// Starts a persistent operation. If this fails, it is not started.
    ///
    /// # Safety
    /// It is not started already, nor retired, and its memory is as it was promised when it was made.
    unsafe fn start(&self, operation: &mut Self::Persistent) -> Result<()>;

    /// Waits for a persistent operation. Whatever the answer, it is not started any more. Waiting for one that is not started
    /// is an error.
    fn finish(&self, operation: &mut Self::Persistent) -> Result<Status>;

    /// Is the persistent operation complete? If so, or if this fails, it is not started any more. Asking about one that is not
    /// started is an error.
    fn poll(&self, operation: &mut Self::Persistent) -> Result<Option<Status>>;

    /// Cancels a persistent operation if it is started, and frees it. When this returns, its memory is no longer touched.
    fn retire(&self, operation: &mut Self::Persistent);

    /// The time on this rank's clock.
    fn now(&self) -> Time;

    /// Do the clocks of all ranks show the same time?
    fn shares_clock(&self) -> bool;

    /// Compares the clocks of all hosts now, and answers by how much they may differ; `None` where all ranks read one
    /// clock. All ranks must call this together, and get the same answer.
    fn clock_error(&self) -> Result<Option<Time>> {
        Ok(None)
    }

    /// What a standard send guarantees: kernels that send first on both sides ask.
    fn standard_send(&self) -> StandardSend;

    /// The plainest mode whose sends of so many bytes to another rank behave exactly like those of `mode`; `mode` itself where they
    /// differ, or where nobody knows.
    fn alike(&self, mode: Mode, len: usize) -> Mode {
        let _ = len;
        mode
    }

    /// Has the message layer one call that sends and receives, and would it be used as it is?
    fn has_send_receive(&self) -> bool {
        false
    }

    /// The message layer's own call that sends `data` to one rank and receives from another, or from the same.
    fn send_receive(
        &self,
        outgoing: (&[u8], usize),
        incoming: (&mut [u8], usize),
        tag: Tag,
    ) -> Result<Status> {
        let _ = (outgoing, incoming, tag);
        Err(Error::Unsupported("call that sends and receives"))
    }

    /// Does a message that is longer than the buffer of its receive leave the memory behind the buffer alone, however long it is?
    /// Where not, it is for the program to receive no such messages.
    fn keeps_bounds(&self) -> bool {
        true
    }

    /// How far ranks are from each other, as far as the transport knows.
    fn shape(&self) -> HopShape;

    /// Do more ranks than cores take turns? Then nobody should wait by spinning.
    fn oversubscribed(&self) -> bool;

    /// Stops all ranks and names this one as the cause (C1). The error is for the caller to return.
    fn abort(&self, message: &str) -> Error;

    /// Has another rank aborted? For waits that are not waits for a message, such as for a moment.
    fn check(&self) -> Result<()>;

    /// Message-driven receive (C19): from now on messages with this tag go to `handler`, on arrival,
    /// whatever this rank is doing; until the returned value is dropped.
    fn on_message(&self, tag: Tag, handler: Handler) -> Result<Listening> {
        let _ = (tag, handler);
        Err(Error::Unsupported("message-driven receive"))
    }

    /// Is the clock virtual? Then time passes only as the modelled machine needs it, and nothing is gained by measuring
    /// for long.
    fn is_virtual(&self) -> bool {
        false
    }

    /// Waits for a moment on this rank's clock.
    fn wait_until(&self, moment: Time, patience: Patience) -> Result<()> {
        while self.now() < moment {
            self.check()?;
            match patience {
                Patience::Spin => std::hint::spin_loop(),
                Patience::Sleep => std::thread::sleep(moment.since(self.now()).into()),
            }
        }
        Ok(())
    }

    /// Keeps this rank's processor busy for a while, without calling the message layer.
    fn compute(&self, time: Time) {
        let end = self.now() + time;
        while self.now() < end {
            std::hint::spin_loop();
        }
    }

    /// Says that the caller has just done some local work. Where it was done for real it has taken its time already;
    /// a simulated machine charges what its processor would have needed.
    #[inline]
    fn charge(&self, work: Work) {
        let _ = work;
    }

    /// The algorithm that the message layer would choose for a collective over elements of `element` bytes, if it has
    /// an opinion.
    fn algorithm(&self, problem: &Problem, element: usize) -> Option<Algorithm> {
        let _ = (problem, element);
        None
    }

    /// What is sent from here on belongs to this collective, or to none: a machine may have a network of its own for it.
    #[inline]
    fn on_behalf_of(&self, collective: Option<Collective>) {
        let _ = collective;
    }

    /// What is sent and received from here on serves the measurement and is not measured. A simulated machine carries it beside
    /// its networks and at no cost, so that it is in nobody's way.
    #[inline]
    fn set_aside(&self, aside: bool) {
        let _ = aside;
    }

    /// Has the message layer a collective of its own for this problem?
    fn has_native(&self, problem: &Problem) -> bool {
        let _ = problem;
        false
    }

    /// Runs the message layer's own collective.
    fn run_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<()> {
        let _ = (problem, buffers);
        Err(Error::Unsupported("collective of its own"))
    }

    /// Starts the message layer's own collective. The handle is waited for or tested like that of a message; what the status
    /// says has no meaning.
    ///
    /// # Safety
    /// The memory of the buffers must stay valid until the handle is complete or a wait or test for it has failed, and nobody
    /// else may touch it: collectives cannot be cancelled. Only this endpoint may be asked about the handle.
    unsafe fn start_native(&self, problem: &Problem, buffers: &mut Buffers<'_>) -> Result<Self::Handle> {
        let _ = (problem, buffers);
        Err(Error::Unsupported("non-blocking collective of its own"))
    }

    /// Has the message layer collectives of its own for blocks of several lengths?
    fn has_native_uneven(&self) -> bool {
        false
    }

    /// Runs the message layer's own collective with blocks of several lengths, in bytes.
    fn run_native_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let _ = (problem, extents, buffers);
        Err(Error::Unsupported("collective of its own with uneven blocks"))
    }

    /// Starts it; see [`start_native`](Self::start_native).
    ///
    /// # Safety
    /// As for `start_native`, and the extents must stay unchanged at their place as long.
    unsafe fn start_native_uneven(
        &self,
        problem: &UnevenProblem,
        extents: &Extents,
        buffers: &mut Buffers<'_>,
    ) -> Result<Self::Handle> {
        let _ = (problem, extents, buffers);
        Err(Error::Unsupported("non-blocking collective of its own with uneven blocks"))
    }

    /// Opens so many bytes of this rank and of another to each other. All ranks must call this together, and both ranks of a
    /// window must name each other; those that name nobody get none.
    fn window(&self, with: Option<usize>, bytes: usize) -> Result<Option<Box<dyn Window>>> {
        let _ = (with, bytes);
        Err(Error::Unsupported(crate::onesided::NAME))
    }
}
