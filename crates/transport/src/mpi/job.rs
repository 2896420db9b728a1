//! What all runs of one MPI job share.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use panto_mpi::launch::Launch;
use panto_mpi::{Collective, Comm, Library, Memory, Request};
use panto_schedule::HopShape;

use super::Options;
use super::cadence::Cadence;
use super::clocks::{Clocks, Reading};
use super::watch::Watch;
use crate::error::{Error, Result};
use crate::place::{Place, assign_nodes, distances_from_first};

/// A job of MPI.
pub(super) struct Job {
    pub(super) mpi: panto_mpi::Mpi,
    pub(super) world: Comm,
    pub(super) places: Vec<Place>,
    pub(super) cadence: Cadence,
    pub(super) clocks: Clocks,
    pub(super) watch: Arc<Watch>,
    /// Messages that found no room in MPI's buffer, until they are sent.
    pub(super) copies: RefCell<Vec<(Request, Vec<u8>)>>,
    longest_wait: Duration,
    groups: RefCell<BTreeMap<usize, Option<Group>>>,
}

/// The communicators of the first ranks of the job.
#[derive(Clone)]
pub(super) struct Group {
    /// For messages between ranks.
    pub(super) messages: Comm,
    /// For collectives.
    pub(super) collectives: Comm,
    /// How far its ranks are from the first.
    pub(super) shape: HopShape,
}

impl Job {
    pub(super) fn start(library: Library, launch: Option<&Launch>, options: &Options) -> Result<Self> {
        let watch = Watch::start(options.stall_time).map_err(|error| {
            Error::Start(format!("cannot start the thread that watches over the job: {error}"))
        })?;
        let mpi = panto_mpi::Mpi::start(library)?;
        let world = mpi.world();
        if let Err(error) = check_launch(&mpi, &world, launch) {
            // Each process is alone in a job of its own, and ends that one properly.
            watch.end();
            mpi.finish()?;
            return Err(error);
        }
        // From here on there are others, who would wait for ever if this process just left.
        Self::meet(mpi.clone(), world, watch, options).or_else(|error| {
            eprintln!("panto: {error}");
            mpi.abort(1)
        })
    }

    /// Learns where all ranks run.
    fn meet(mpi: panto_mpi::Mpi, world: Comm, watch: Arc<Watch>, options: &Options) -> Result<Self> {
        let mut places = gather_places(&world)?;
        assign_nodes(&mut places);
        let clocks = gather_clocks(&world, &places)?;
        let cadence = if is_crowded(&places) { Cadence::Yielding } else { Cadence::Blocking };
        watch.take_post(world.rank(), &places);
        watch.beat();
        let (copies, groups, longest_wait) = (RefCell::default(), RefCell::default(), options.longest_wait);
        Ok(Self { mpi, world, places, cadence, clocks, watch, copies, longest_wait, groups })
    }

    /// The communicators of the first `ranks` ranks; none if this rank is not among them. All processes must ask together.
    pub(super) fn group(&self, ranks: usize) -> Result<Option<Group>> {
        if let Some(known) = self.groups.borrow().get(&ranks) {
            return Ok(known.clone());
        }
        let group = match self.world.split(self.world.rank() < ranks)? {
            None => None,
            Some(messages) => {
                let shape = distances_from_first(&self.places[..ranks]);
                Some(Group { collectives: messages.duplicate()?, messages, shape })
            }
        };
        self.groups.borrow_mut().insert(ranks, group.clone());
        Ok(group)
    }

    /// What the first process says, to all. Those that wait leave the core to those that measure.
    pub(super) fn announce(&self, mut words: Vec<u8>) -> Result<Vec<u8>> {
        let mut len = (words.len() as u64).to_ne_bytes();
        self.broadcast(&mut len)?;
        words.resize(u64::from_ne_bytes(len) as usize, 0);
        self.broadcast(&mut words)?;
        Ok(words)
    }

    fn broadcast(&self, bytes: &mut [u8]) -> Result<()> {
        let memory =
            Memory { input: std::ptr::null(), output: bytes.as_mut_ptr(), count: bytes.len(), element: 1 };
        // SAFETY: the bytes are borrowed until the request is complete, which is when `wait_asleep` returns.
        let request = unsafe { self.world.start_collective(Collective::Broadcast { root: 0 }, memory) }?;
        self.wait_asleep(request);
        Ok(())
    }

    /// Waits for all others, asleep. Whoever waits here is not stuck, because others may measure for a long time; but not for ever.
    fn wait_asleep(&self, mut request: Request) {
        let (start, mut pause) = (Instant::now(), SHORTEST_PAUSE);
        loop {
            match request.is_complete(&self.mpi) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => self.give_up(&error.into()),
            }
            if start.elapsed() < self.longest_wait {
                self.watch.beat();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Ends the job: an operation may be under way whose memory cannot be given back, and there is no other way out that is sound.
    pub(super) fn give_up(&self, error: &Error) -> ! {
        eprintln!("panto: rank {}: {error}", self.world.rank());
        self.mpi.abort(1)
    }

    /// Ends the job, when all ranks have come here; the process will end with this code.
    pub(super) fn finish(&self, code: u8) -> Result<()> {
        let mut copies = self.copies.borrow_mut();
        copies.iter_mut().try_for_each(|(request, _)| request.complete(&self.mpi))?;
        copies.clear();
        let nothing = Memory { input: std::ptr::null(), output: std::ptr::null_mut(), count: 0, element: 1 };
        // SAFETY: a barrier has no memory.
        self.wait_asleep(unsafe { self.world.start_collective(Collective::Barrier, nothing) }?);
        // From here on processes may end; nobody ends before all have heard of it, because another barrier comes after.
        self.watch.leave(code);
        // SAFETY: the same.
        unsafe { self.world.collective(Collective::Barrier, nothing) }?;
        Ok(self.mpi.finish()?)
    }
}

const SHORTEST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// The launcher and the library must speak of the same job.
fn check_launch(mpi: &panto_mpi::Mpi, world: &Comm, launch: Option<&Launch>) -> Result<()> {
    let Some(launch) = launch else { return Ok(()) };
    let wanted = launch.size.unwrap_or_else(|| launch.rank.map_or(1, |rank| rank + 1));
    if world.size() >= wanted {
        return Ok(());
    }
    let library = mpi.library();
    Err(Error::Start(format!(
        "the launcher, {}, started {wanted} processes or more, but {} at {} knows of {} only: each process thinks that it is \
         alone. Launcher and library do not belong together. Start panto with the launcher of that library, or name the \
         library of this launcher: PANTO_MPI=/path/to/libmpi.so",
        launch.launcher,
        library.name(),
        library.path().display(),
        world.size(),
    )))
}

fn gather_places(world: &Comm) -> Result<Vec<Place>> {
    let all = gather(world, &Place::here().encode())?;
    let decode = |(rank, bytes): (usize, &Vec<u8>)| {
        Place::decode(bytes).ok_or_else(|| Error::Start(format!("rank {rank} does not say where it runs")))
    };
    all.iter().enumerate().map(decode).collect()
}

/// The clocks of all hosts, each counted from the moment at which its first rank came here.
fn gather_clocks(world: &Comm, places: &[Place]) -> Result<Clocks> {
    let readings = gather(world, &Reading::now().encode())?;
    let readings: Vec<Reading> = readings.iter().map(|bytes| Reading::decode(bytes)).collect();
    Ok(Clocks::new(world.rank(), places, &readings))
}

/// What each rank says.
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
    // SAFETY: a block for each rank.
    unsafe { world.collective(Collective::Allgather, memory) }?;
    Ok(all)
}

/// Are there more ranks on a machine than cores on which they may run, or more on some cores than there are of these?
fn is_crowded(places: &[Place]) -> bool {
    let mut machines: BTreeMap<_, (usize, BTreeSet<usize>)> = BTreeMap::new();
    let mut bindings: BTreeMap<_, usize> = BTreeMap::new();
    for place in places {
        let (ranks, cores) = machines.entry(place.machine()).or_default();
        *ranks += 1;
        cores.extend(&place.cores);
        *bindings.entry((place.machine(), &place.cores)).or_default() += 1;
    }
    machines.values().any(|(ranks, cores)| *ranks > cores.len().max(1))
        || bindings.iter().any(|((_, cores), ranks)| *ranks > cores.len().max(1))
}
