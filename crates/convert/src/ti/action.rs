//! What actions mean.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use panto_trace::{Form, Pattern, Slot};

use super::args::{Args, shown};
use crate::error::Result;
use crate::stream::{Data, Stream};

/// Actions, for those who misspell one.
const KNOWN: &str = "init, finalize, compute, sleep, send, isend, recv, irecv, wait, waitall, test, barrier, bcast, reduce, allreduce, \
                     alltoall, alltoallv, gather, gatherv, scatter, scatterv, allgather, allgatherv, reducescatter, scan, exscan, \
                     comm_size, comm_split, comm_dup, location";

/// Whose message: source, destination, tag, as `wait` names it.
type Key = (i64, i64, i64);

/// A rank, action by action.
pub struct Walk {
    stream: Stream,
    rank: u32,
    ranks: u32,
    /// Nanoseconds for one operation.
    per_flop: f64,
    /// Computation that is less than a nanosecond.
    owed: f64,
    /// Bytes of an element where no type is named.
    usual: u64,
    /// What was started, in its order,
    started: BTreeMap<u64, (Key, Slot)>,
    /// and by what it is called.
    named: FxHashMap<Key, VecDeque<u64>>,
    next: u64,
    /// Waits for nothing.
    pub lost: u64,
    /// Receives with wild cards.
    pub wild: u64,
}

impl Walk {
    pub fn new(stream: Stream, rank: u32, ranks: u32, flops: f64) -> Self {
        Self {
            stream,
            rank,
            ranks,
            per_flop: 1e9 / flops,
            owed: 0.0,
            usual: 1,
            started: BTreeMap::new(),
            named: FxHashMap::default(),
            next: 0,
            lost: 0,
            wild: 0,
        }
    }

    /// Ends: what was started and not waited for is waited for.
    pub fn finish(mut self) -> Stream {
        self.wait_all();
        self.stream
    }

    pub fn action(&mut self, args: &Args<'_>) -> Result<()> {
        match args.action {
            // An argument says that elements are doubles where no type is named.
            "init" => self.usual = if args.len() > 0 { 8 } else { 1 },
            "compute" => self.compute(args.amount(0, "a number of operations")? * self.per_flop),
            "sleep" => self.compute(args.amount(0, "seconds")? * 1e9),
            "send" | "isend" => self.send(args)?,
            "recv" | "irecv" => self.receive(args)?,
            "wait" => self.wait(args)?,
            "waitall" => self.wait_all(),
            "test" => self.test(args)?,
            // They say nothing about messages: the end of the file ends a rank, and all is on one communicator.
            "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" => {}
            _ => return self.collective(args),
        }
        Ok(())
    }

    fn compute(&mut self, nanos: f64) {
        let whole = (self.owed + nanos).floor();
        self.owed = self.owed + nanos - whole;
        self.stream.compute(whole as u64);
    }

    fn send(&mut self, args: &Args<'_>) -> Result<()> {
        let to = args.rank(0, self.ranks)?;
        let tag = args.integer(1, "a tag")?;
        let bytes = args.bytes(2, args.element(3, self.usual)?)?;
        let number = u32::try_from(tag)
            .map_err(|_| args.error(1, format!("found the tag {tag}, expected one from 0")))?;
        let form = if args.action == "isend" { Form::Immediate } else { Form::Blocking };
        let slot = self.stream.send(form, to, number, bytes);
        self.start((self.rank.into(), to.into(), tag), slot);
        Ok(())
    }

    fn receive(&mut self, args: &Args<'_>) -> Result<()> {
        let partner = args.integer(0, "a rank")?;
        let from = if partner < 0 { None } else { Some(args.rank(0, self.ranks)?) };
        let tag = args.integer(1, "a tag")?;
        let bytes = if args.len() > 2 { args.bytes(2, args.element(3, self.usual)?)? } else { 0 };
        let wanted = u32::try_from(tag).ok();
        self.wild += u64::from(from.is_none() || wanted.is_none());
        let form = if args.action == "irecv" { Form::Immediate } else { Form::Blocking };
        let slot = self.stream.receive(form, from, wanted, bytes);
        self.start((partner, self.rank.into(), tag), slot);
        Ok(())
    }

    fn start(&mut self, key: Key, slot: Option<Slot>) {
        let Some(slot) = slot else { return };
        self.started.insert(self.next, (key, slot));
        self.named.entry(key).or_default().push_back(self.next);
        self.next += 1;
    }

    fn key(args: &Args<'_>) -> Result<Key> {
        Ok((args.integer(0, "the sender")?, args.integer(1, "the receiver")?, args.integer(2, "a tag")?))
    }

    /// Waits for what is named, or for what was started last.
    fn wait(&mut self, args: &Args<'_>) -> Result<()> {
        let number = if args.len() == 0 {
            self.started.last_key_value().map(|(number, _)| *number)
        } else {
            self.named.get(&Self::key(args)?).and_then(|numbers| numbers.front().copied())
        };
        let Some((key, slot)) = number.and_then(|number| self.started.remove(&number)) else {
            self.lost += 1;
            return Ok(());
        };
        if let Some(numbers) = self.named.get_mut(&key) {
            numbers.retain(|other| Some(*other) != number);
        }
        self.stream.wait(&[slot]);
        Ok(())
    }

    fn wait_all(&mut self) {
        let slots: Vec<Slot> =
            std::mem::take(&mut self.started).into_values().map(|(_, slot)| slot).collect();
        self.named.clear();
        self.stream.wait(&slots);
    }

    /// A look that finds nothing: the trace does not say what it found, and a wait follows in any case.
    fn test(&mut self, args: &Args<'_>) -> Result<()> {
        let number = self.named.get(&Self::key(args)?).and_then(|numbers| numbers.front());
        match number.and_then(|number| self.started.get(number)) {
            Some((_, slot)) => self.stream.look(*slot),
            None => self.lost += 1,
        }
        Ok(())
    }

    fn collective(&mut self, args: &Args<'_>) -> Result<()> {
        match args.action {
            "barrier" => self.put("MPI_Barrier", Pattern::Barrier, None, 1, &Data::Nothing, &Data::Nothing),
            "bcast" => {
                let (root, element) = (args.root(1, self.ranks)?, args.element(2, self.usual)?);
                let data = Data::Same(args.bytes(0, element)?);
                self.put("MPI_Bcast", Pattern::Broadcast, Some(root), element, &data, &Data::Nothing);
            }
            "reduce" => {
                let root = args.root(2, self.ranks)?;
                return self.reduce(args, ("MPI_Reduce", Pattern::Reduce), Some(root), 3);
            }
            "allreduce" => return self.reduce(args, ("MPI_Allreduce", Pattern::AllReduce), None, 2),
            "scan" => return self.reduce(args, ("MPI_Scan", Pattern::Scan), None, 2),
            "exscan" => return self.reduce(args, ("MPI_Exscan", Pattern::ExclusiveScan), None, 2),
            "reducescatter" => {
                let ranks = self.ranks as usize;
                let element = args.element(ranks + 1, self.usual)?;
                let data = Data::Each(args.list(0, self.ranks, element)?);
                let name = "MPI_Reduce_scatter";
                self.put(name, Pattern::ReduceScatter, None, element, &data, &Data::Nothing);
                self.compute(args.amount(ranks, "a number of operations")? * self.per_flop);
            }
            "gather" | "scatter" => return self.rooted(args),
            "gatherv" | "scatterv" => return self.rooted_list(args),
            "allgather" | "alltoall" => {
                let element = args.element(2, self.usual)?;
                let gives = Data::Same(args.bytes(0, element)?);
                let gets = Data::Same(args.bytes(1, args.element(3, element)?)?);
                let all = args.action == "alltoall";
                let (name, pattern) = if all {
                    ("MPI_Alltoall", Pattern::AllToAll)
                } else {
                    ("MPI_Allgather", Pattern::AllGather)
                };
                self.put(name, pattern, None, element, &gives, &gets);
            }
            "allgatherv" => {
                let gives = Data::Same(args.bytes(0, self.usual)?);
                let gets = Data::Each(args.list(1, self.ranks, self.usual)?);
                self.put("MPI_Allgatherv", Pattern::AllGather, None, self.usual, &gives, &gets);
            }
            "alltoallv" => {
                let ranks = self.ranks as usize;
                let element = args.element(2 * ranks + 2, self.usual)?;
                let got = args.element(2 * ranks + 3, element)?;
                let gives = Data::Each(args.list(1, self.ranks, element)?);
                let gets = Data::Each(args.list(ranks + 2, self.ranks, got)?);
                self.put("MPI_Alltoallv", Pattern::AllToAll, None, element, &gives, &gets);
            }
            other => {
                let text = format!("there is no action `{}`; known are {KNOWN}", shown(other));
                return Err(args.wrong(text));
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        name: &str,
        pattern: Pattern,
        root: Option<u32>,
        element: u64,
        gives: &Data,
        gets: &Data,
    ) {
        self.stream.collective(name, pattern, root, element, gives, gets);
    }

    /// Bytes, operations, perhaps a root, a type.
    fn reduce(&mut self, args: &Args<'_>, what: (&str, Pattern), root: Option<u32>, of: usize) -> Result<()> {
        let element = args.element(of, self.usual)?;
        let data = Data::Same(args.bytes(0, element)?);
        self.put(what.0, what.1, root, element, &data, &Data::Nothing);
        let after = if args.len() > 1 { args.amount(1, "a number of operations")? } else { 0.0 };
        self.compute(after * self.per_flop);
        Ok(())
    }

    fn rooted(&mut self, args: &Args<'_>) -> Result<()> {
        let root = args.root(2, self.ranks)?;
        let element = args.element(3, self.usual)?;
        let gives = Data::Same(args.bytes(0, element)?);
        let gets = Data::Same(args.bytes(1, args.element(4, element)?)?);
        self.at_root(args.action == "gather", root, element, gives, gets);
        Ok(())
    }

    fn rooted_list(&mut self, args: &Args<'_>) -> Result<()> {
        let ranks = self.ranks as usize;
        let root = args.root(ranks + 1, self.ranks)?;
        let element = args.element(ranks + 2, self.usual)?;
        let is_gather = args.action == "gatherv";
        let (one, list) = if is_gather { (0, 1) } else { (ranks, 0) };
        let one = Data::Same(args.bytes(one, element)?);
        let list = Data::Each(args.list(list, self.ranks, element)?);
        let (gives, gets) = if is_gather { (one, list) } else { (list, one) };
        self.at_root(is_gather, root, element, gives, gets);
        Ok(())
    }

    /// What the root alone gives or gets does not count elsewhere.
    fn at_root(&mut self, is_gather: bool, root: u32, element: u64, gives: Data, gets: Data) {
        let is_root = root == self.rank;
        let of_list = matches!(gives, Data::Each(_)) || matches!(gets, Data::Each(_));
        let (name, pattern) = match (is_gather, of_list) {
            (true, false) => ("MPI_Gather", Pattern::Gather),
            (true, true) => ("MPI_Gatherv", Pattern::Gather),
            (false, false) => ("MPI_Scatter", Pattern::Scatter),
            (false, true) => ("MPI_Scatterv", Pattern::Scatter),
        };
        let gives = if is_gather || is_root { gives } else { Data::Nothing };
        let gets = if is_gather && !is_root { Data::Nothing } else { gets };
        self.put(name, pattern, Some(root), element, &gives, &gets);
    }
}
