//! What all runs of one MPI job share.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use panto_mpi::launch::Launch;
use panto_mpi::{ByteTypes, Collective, CollectiveCall, Comm, Library, Memory, Request};
use panto_schedule::HopShape;
use panto_units::printable;

use super::Options;
use super::clocks::{Clocks, Reading};
use super::selection::Selections;
use super::wait_strategy::WaitStrategy;
use super::watchdog::Watchdog;
use crate::error::{Error, Result};
use crate::placement::{Placement, RankLayout, assign_nodes, distances_from_first};

/// An MPI job.
pub(super) struct Job {
    pub(super) mpi: panto_mpi::Mpi,
    pub(super) world: Comm,
    pub(super) placements: Vec<Placement>,
    pub(super) wait_strategy: WaitStrategy,
    pub(super) clocks: Clocks,
    pub(super) watchdog: Arc<Watchdog>,
    /// Buffered messages that did not fit into MPI's buffer, until they are sent.
    pub(super) copies: RefCell<Vec<(Request, Vec<u8>)>>,
    max_wait: Duration,
    groups: RefCell<BTreeMap<usize, Option<Group>>>,
    pub(super) selections: Selections,
}

/// The communicators of the first ranks of the job.
#[derive(Clone)]
pub(super) struct Group {
    /// For messages between ranks.
    pub(super) messages: Comm,
    /// For collectives.
    pub(super) collectives: Comm,
    /// For collectives among neighbours, from the first of them on.
    pub(super) neighbours: Rc<OnceCell<Comm>>,
    /// A datatype for each block of a collective, from the first that takes them on.
    pub(super) types: Rc<OnceCell<ByteTypes>>,
    /// The distances of its ranks from the first.
    pub(super) shape: HopShape,
}

impl Job {
    pub(super) fn start(library: Library, launch: Option<&Launch>, options: &Options) -> Result<Self> {
        if options.selects_algorithms {
            // SAFETY: a process joins its job before it starts threads; the watchdog is the first.
            unsafe { library.enable_selection() };
        }
        let watchdog = Watchdog::start(options.stall_time)
            .map_err(|error| Error::Start(format!("cannot start the watchdog thread: {error}")))?;
        let mpi = panto_mpi::Mpi::start(library, options.threads)?;
        let world = mpi.world();
        if let Err(error) = check_launch(&mpi, &world, launch) {
            // Each process is alone in a job of its own, which ends properly.
            watchdog.end();
            mpi.finish()?;
            return Err(error);
        }
        // From here on other processes would wait forever if this one just exited.
        Self::gather(mpi.clone(), world, Arc::clone(&watchdog), options).or_else(|error| {
            if let Error::Start(_) = &error {
                // All processes have found the same, and end properly.
                watchdog.end();
                mpi.finish()?;
                return Err(error);
            }
            eprintln!("panto: {}", printable(&error));
            mpi.abort(1)
        })
    }

    /// Exchanges placements and clock readings among all ranks.
    fn gather(mpi: panto_mpi::Mpi, world: Comm, watchdog: Arc<Watchdog>, options: &Options) -> Result<Self> {
        let mut placements = gather_placements(&world)?;
        assign_nodes(&mut placements);
        let (world, placements) = ordered(world, placements, &options.layout)?;
        let clocks = gather_clocks(&world, &placements)?;
        let wait_strategy =
            if is_oversubscribed(&placements) { WaitStrategy::Yielding } else { WaitStrategy::Blocking };
        watchdog.assign(world.rank(), &placements);
        watchdog.heartbeat();
        Ok(Self {
            mpi,
            world,
            placements,
            wait_strategy,
            clocks,
            watchdog,
            copies: RefCell::default(),
            max_wait: options.max_wait,
            groups: RefCell::default(),
            selections: Selections::default(),
        })
    }

    /// Returns the communicators of the first `ranks` ranks; `None` if this rank is not among them.
    /// All processes must call this together.
    pub(super) fn group(&self, ranks: usize) -> Result<Option<Group>> {
        if let Some(known) = self.groups.borrow().get(&ranks) {
            return Ok(known.clone());
        }
        let group = match self.world.split(self.world.rank() < ranks)? {
            None => None,
            Some(messages) => {
                let shape = distances_from_first(&self.placements[..ranks]);
                Some(Group {
                    collectives: messages.duplicate()?,
                    messages,
                    neighbours: Rc::default(),
                    types: Rc::default(),
                    shape,
                })
            }
        };
        self.groups.borrow_mut().insert(ranks, group.clone());
        Ok(group)
    }

    /// Broadcasts the first process's bytes. Waiting processes sleep, and leave their cores to
    /// those that measure.
    pub(super) fn broadcast(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let mut len = (bytes.len() as u64).to_ne_bytes();
        self.broadcast_bytes(&mut len)?;
        bytes.resize(u64::from_ne_bytes(len) as usize, 0);
        self.broadcast_bytes(&mut bytes)?;
        Ok(bytes)
    }

    fn broadcast_bytes(&self, bytes: &mut [u8]) -> Result<()> {
        let memory =
            Memory { input: std::ptr::null(), output: bytes.as_mut_ptr(), count: bytes.len(), element: 1 };
        // SAFETY: the bytes are borrowed until the request is complete, which is when
        // `wait_sleeping` returns.
        let request =
            unsafe { self.world.start_collective(CollectiveCall::bytes(Collective::Broadcast, 0), memory) }?;
        self.wait_sleeping(request);
        Ok(())
    }

    /// Waits for a collective of all processes, sleeping. Counts as progress for `max_wait`,
    /// because others may measure for a long time.
    fn wait_sleeping(&self, mut request: Request) {
        let (start, mut pause) = (Instant::now(), MIN_PAUSE);
        loop {
            match request.is_complete(&self.mpi) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => self.abort_job(&error.into()),
            }
            if start.elapsed() < self.max_wait {
                self.watchdog.heartbeat();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Aborts the job: MPI may still use memory that would be freed, and there is no other sound
    /// way out.
    pub(super) fn abort_job(&self, error: &Error) -> ! {
        eprintln!("panto: rank {}: {}", self.world.rank(), printable(error));
        self.mpi.abort(1)
    }

    /// Ends the job when all ranks have called this. The process will exit with this code.
    pub(super) fn finish(&self, code: u8) -> Result<()> {
        let mut copies = self.copies.borrow_mut();
        copies.iter_mut().try_for_each(|(request, _)| request.complete(&self.mpi))?;
        copies.clear();
        let nothing = Memory { input: std::ptr::null(), output: std::ptr::null_mut(), count: 0, element: 1 };
        // SAFETY: a barrier uses no memory.
        self.wait_sleeping(unsafe { self.world.start_collective(CollectiveCall::BARRIER, nothing) }?);
        // From here on processes may exit. None does before all have completed the barrier below.
        self.watchdog.leave(code);
        // SAFETY: a barrier uses no memory.
        unsafe { self.world.collective(CollectiveCall::BARRIER, nothing) }?;
        Ok(self.mpi.finish()?)
    }
}

/// Numbers the ranks anew. All processes must call this together.
fn ordered(world: Comm, placements: Vec<Placement>, layout: &RankLayout) -> Result<(Comm, Vec<Placement>)> {
    let order = layout.order(&placements).map_err(Error::Start)?;
    if order.is_sorted() {
        return Ok((world, placements));
    }
    let place = order.iter().position(|&rank| rank == world.rank()).unwrap_or_default();
    let mut placements = order.iter().map(|&rank| placements[rank].clone()).collect::<Vec<_>>();
    // Hosts are numbered in the order of their first ranks.
    assign_nodes(&mut placements);
    Ok((world.ordered(place)?, placements))
}

const MIN_PAUSE: Duration = Duration::from_micros(20);
const MAX_PAUSE: Duration = Duration::from_millis(2);

/// Returns an error if the library does not know the job that the launcher started.
fn check_launch(mpi: &panto_mpi::Mpi, world: &Comm, launch: Option<&Launch>) -> Result<()> {
    let Some(launch) = launch else { return Ok(()) };
    let wanted = launch.size.unwrap_or_else(|| launch.rank.map_or(1, |rank| rank + 1));
    if world.size() >= wanted {
        return Ok(());
    }
    let library = mpi.library();
    Err(Error::Start(format!(
        "the launcher ({}) started at least {wanted} processes, but {} at {} sees only {}: launcher and library do not \
         belong together. Start panto with the launcher of that library, or set PANTO_MPI=/path/to/libmpi.so to the \
         library of this launcher",
        launch.launcher,
        library.name(),
        library.path().display(),
        world.size(),
    )))
}

fn gather_placements(world: &Comm) -> Result<Vec<Placement>> {
    let all = gather(world, &Placement::current().encode())?;
    let decode = |(rank, bytes): (usize, &Vec<u8>)| {
        Placement::decode(bytes).ok_or_else(|| {
            Error::Start(format!(
                "rank {rank} sent a malformed placement: do all ranks run the same version of Panto?"
            ))
        })
    };
    all.iter().enumerate().map(decode).collect()
}

/// Returns the clocks of all hosts, which count from the time at which their first rank called
/// this.
fn gather_clocks(world: &Comm, placements: &[Placement]) -> Result<Clocks> {
    let readings = gather(world, &Reading::now().encode())?;
    let readings: Vec<Reading> = readings.iter().map(|bytes| Reading::decode(bytes)).collect();
    Ok(Clocks::new(world.rank(), placements, &readings))
}

/// Gathers the bytes of all ranks on all ranks.
fn gather(world: &Comm, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
    let len = (mine.len() as u64).to_ne_bytes();
    let lens = allgather(world, &len)?;
    let lens: Vec<usize> =
        lens.as_chunks::<8>().0.iter().map(|len| u64::from_ne_bytes(*len) as usize).collect();
    let longest = lens.iter().copied().max().unwrap_or(0);
    let mut padded = mine.to_vec();
    padded.resize(longest, 0);
    let all = allgather(world, &padded)?;
    Ok(lens.iter().enumerate().map(|(rank, &len)| all[rank * longest..][..len].to_vec()).collect())
}

fn allgather(world: &Comm, mine: &[u8]) -> Result<Vec<u8>> {
    let mut all = vec![0; mine.len() * world.size()];
    let memory = Memory { input: mine.as_ptr(), output: all.as_mut_ptr(), count: mine.len(), element: 1 };
    // SAFETY: `all` has a block of this length per rank, and both are borrowed until this returns.
    unsafe { world.collective(CollectiveCall::bytes(Collective::Allgather, 0), memory) }?;
    Ok(all)
}

/// Whether a machine has more ranks than cores on which they may run, or a set of cores more ranks
/// bound to it than cores.
fn is_oversubscribed(placements: &[Placement]) -> bool {
    let mut machines: BTreeMap<_, (usize, BTreeSet<usize>)> = BTreeMap::new();
    let mut bindings: BTreeMap<_, usize> = BTreeMap::new();
    for placement in placements {
        let (ranks, cores) = machines.entry(placement.machine()).or_default();
        *ranks += 1;
        cores.extend(&placement.cores);
        *bindings.entry((placement.machine(), &placement.cores)).or_default() += 1;
    }
    machines.values().any(|(ranks, cores)| *ranks > cores.len().max(1))
        || bindings.iter().any(|((_, cores), ranks)| *ranks > cores.len().max(1))
}
