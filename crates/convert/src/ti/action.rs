//! Import of a rank's actions into its stream.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use panto_trace::{Builder, CallForm, Collective, Data, Slot};

use super::args::{Args, shown};
use crate::error::Result;

/// Names of the actions, for the error on an unknown one.
const ACTIONS: &str = "init, finalize, compute, sleep, send, isend, recv, irecv, wait, waitall, test, barrier, bcast, reduce, allreduce, \
                     alltoall, alltoallv, gather, gatherv, scatter, scatterv, allgather, allgatherv, reducescatter, scan, exscan, \
                     comm_size, comm_split, comm_dup, location";

/// Identifies a message as `wait` does: source, destination, tag.
type Key = (i64, i64, i64);

/// Import state of one rank.
pub struct Importer {
    stream: Builder,
    rank: u32,
    ranks: u32,
    /// Nanoseconds per floating-point operation.
    nanos_per_flop: f64,
    /// Computation not recorded yet because it is less than a nanosecond, in nanoseconds.
    remainder: f64,
    /// Bytes of an element where an action names no datatype.
    default_element: u64,
    /// Pending requests in the order they were started.
    started: BTreeMap<u64, (Key, Slot)>,
    /// Sequence numbers of pending requests by message, oldest first.
    named: FxHashMap<Key, VecDeque<u64>>,
    next: u64,
    /// Number of waits and tests without a matching request.
    pub unmatched_waits: u64,
    /// Number of receives with wildcards.
    pub wildcards: u64,
}

impl Importer {
    pub fn new(stream: Builder, rank: u32, ranks: u32, flops: f64) -> Self {
        Self {
            stream,
            rank,
            ranks,
            nanos_per_flop: 1e9 / flops,
            remainder: 0.0,
            default_element: 1,
            started: BTreeMap::new(),
            named: FxHashMap::default(),
            next: 0,
            unmatched_waits: 0,
            wildcards: 0,
        }
    }

    /// Ends the rank: waits for all pending requests.
    pub fn finish(mut self) -> Builder {
        self.wait_all();
        self.stream
    }

    pub fn action(&mut self, args: &Args<'_>) -> Result<()> {
        match args.action {
            // An argument of `init` means that elements are doubles by default.
            "init" => self.default_element = if args.len() > 0 { 8 } else { 1 },
            "compute" => self.compute(args.amount(0, "a number of operations")? * self.nanos_per_flop),
            "sleep" => self.compute(args.amount(0, "seconds")? * 1e9),
            "send" | "isend" => self.send(args)?,
            "recv" | "irecv" => self.receive(args)?,
            "wait" => self.wait(args)?,
            "waitall" => self.wait_all(),
            "test" => self.test(args)?,
            // These carry no messages: the end of the file ends a rank, and there is only one
            // communicator.
            "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" => {}
            _ => return self.collective(args),
        }
        Ok(())
    }

    fn compute(&mut self, nanos: f64) {
        let whole = (self.remainder + nanos).floor();
        self.remainder = self.remainder + nanos - whole;
        self.stream.compute(whole as u64);
    }

    fn send(&mut self, args: &Args<'_>) -> Result<()> {
        let to = args.rank(0, self.ranks)?;
        let tag = args.integer(1, "a tag")?;
        let bytes = args.bytes(2, args.element(3, self.default_element)?)?;
        let number = u32::try_from(tag)
            .map_err(|_| args.error(1, format!("found the tag {tag}, expected one from 0")))?;
        let form = if args.action == "isend" { CallForm::Immediate } else { CallForm::Blocking };
        let slot = self.stream.send(form, to, number, bytes);
        self.start((self.rank.into(), to.into(), tag), slot);
        Ok(())
    }

    fn receive(&mut self, args: &Args<'_>) -> Result<()> {
        let partner = args.integer(0, "a rank")?;
        let from = if partner < 0 { None } else { Some(args.rank(0, self.ranks)?) };
        let tag = args.integer(1, "a tag")?;
        let bytes = if args.len() > 2 { args.bytes(2, args.element(3, self.default_element)?)? } else { 0 };
        let wanted = u32::try_from(tag).ok();
        self.wildcards += u64::from(from.is_none() || wanted.is_none());
        let form = if args.action == "irecv" { CallForm::Immediate } else { CallForm::Blocking };
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

    /// Waits for the message that the arguments name, or for the request started last.
    fn wait(&mut self, args: &Args<'_>) -> Result<()> {
        let number = if args.len() == 0 {
            self.started.last_key_value().map(|(number, _)| *number)
        } else {
            self.named.get(&Self::key(args)?).and_then(|numbers| numbers.front().copied())
        };
        let Some((key, slot)) = number.and_then(|number| self.started.remove(&number)) else {
            self.unmatched_waits += 1;
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

    /// A test that fails: the format does not record its result, and a wait follows in any case.
    fn test(&mut self, args: &Args<'_>) -> Result<()> {
        let number = self.named.get(&Self::key(args)?).and_then(|numbers| numbers.front());
        match number.and_then(|number| self.started.get(number)) {
            Some((_, slot)) => self.stream.test_incomplete(*slot),
            None => self.unmatched_waits += 1,
        }
        Ok(())
    }

    fn collective(&mut self, args: &Args<'_>) -> Result<()> {
        match args.action {
            "barrier" => {
                self.put("MPI_Barrier", Collective::Barrier, None, 1, &Data::Nothing, &Data::Nothing);
            }
            "bcast" => {
                let (root, element) = (args.root(1, self.ranks)?, args.element(2, self.default_element)?);
                let data = Data::Same(args.bytes(0, element)?);
                self.put("MPI_Bcast", Collective::Broadcast, Some(root), element, &data, &Data::Nothing);
            }
            "reduce" => {
                let root = args.root(2, self.ranks)?;
                return self.reduce(args, ("MPI_Reduce", Collective::Reduce), Some(root), 3);
            }
            "allreduce" => return self.reduce(args, ("MPI_Allreduce", Collective::Allreduce), None, 2),
            "scan" => return self.reduce(args, ("MPI_Scan", Collective::Scan), None, 2),
            "exscan" => return self.reduce(args, ("MPI_Exscan", Collective::Exscan), None, 2),
            "reducescatter" => {
                let ranks = self.ranks as usize;
                let element = args.element(ranks + 1, self.default_element)?;
                let data = Data::Each(args.list(0, self.ranks, element)?);
                let name = "MPI_Reduce_scatter";
                self.put(name, Collective::ReduceScatter, None, element, &data, &Data::Nothing);
                self.compute(args.amount(ranks, "a number of operations")? * self.nanos_per_flop);
            }
            "gather" | "scatter" => return self.rooted(args),
            "gatherv" | "scatterv" => return self.rooted_list(args),
            "allgather" | "alltoall" => {
                let element = args.element(2, self.default_element)?;
                let send_sizes = Data::Same(args.bytes(0, element)?);
                let receive_sizes = Data::Same(args.bytes(1, args.element(3, element)?)?);
                let all = args.action == "alltoall";
                let (name, pattern) = if all {
                    ("MPI_Alltoall", Collective::Alltoall)
                } else {
                    ("MPI_Allgather", Collective::Allgather)
                };
                self.put(name, pattern, None, element, &send_sizes, &receive_sizes);
            }
            "allgatherv" => {
                let send_sizes = Data::Same(args.bytes(0, self.default_element)?);
                let receive_sizes = Data::Each(args.list(1, self.ranks, self.default_element)?);
                self.put(
                    "MPI_Allgatherv",
                    Collective::Allgather,
                    None,
                    self.default_element,
                    &send_sizes,
                    &receive_sizes,
                );
            }
            "alltoallv" => {
                let ranks = self.ranks as usize;
                let element = args.element(2 * ranks + 2, self.default_element)?;
                let got = args.element(2 * ranks + 3, element)?;
                let send_sizes = Data::Each(args.list(1, self.ranks, element)?);
                let receive_sizes = Data::Each(args.list(ranks + 2, self.ranks, got)?);
                self.put("MPI_Alltoallv", Collective::Alltoall, None, element, &send_sizes, &receive_sizes);
            }
            other => {
                let text = format!("unknown action `{}`; expected one of {ACTIONS}", shown(other));
                return Err(args.action_error(text));
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        name: &str,
        pattern: Collective,
        root: Option<u32>,
        element: u64,
        send_sizes: &Data,
        receive_sizes: &Data,
    ) {
        self.stream.collective(name, pattern, root, element, send_sizes, receive_sizes);
    }

    /// Imports a reduction; its arguments are bytes, operations, a root for some, and a datatype at
    /// index `of`.
    fn reduce(
        &mut self,
        args: &Args<'_>,
        what: (&str, Collective),
        root: Option<u32>,
        of: usize,
    ) -> Result<()> {
        let element = args.element(of, self.default_element)?;
        let data = Data::Same(args.bytes(0, element)?);
        self.put(what.0, what.1, root, element, &data, &Data::Nothing);
        let after = if args.len() > 1 { args.amount(1, "a number of operations")? } else { 0.0 };
        self.compute(after * self.nanos_per_flop);
        Ok(())
    }

    fn rooted(&mut self, args: &Args<'_>) -> Result<()> {
        let root = args.root(2, self.ranks)?;
        let element = args.element(3, self.default_element)?;
        let send_sizes = Data::Same(args.bytes(0, element)?);
        let receive_sizes = Data::Same(args.bytes(1, args.element(4, element)?)?);
        self.at_root(args.action == "gather", root, element, send_sizes, receive_sizes);
        Ok(())
    }

    fn rooted_list(&mut self, args: &Args<'_>) -> Result<()> {
        let ranks = self.ranks as usize;
        let root = args.root(ranks + 1, self.ranks)?;
        let element = args.element(ranks + 2, self.default_element)?;
        let is_gather = args.action == "gatherv";
        let (one, list) = if is_gather { (0, 1) } else { (ranks, 0) };
        let one = Data::Same(args.bytes(one, element)?);
        let list = Data::Each(args.list(list, self.ranks, element)?);
        let (send_sizes, receive_sizes) = if is_gather { (one, list) } else { (list, one) };
        self.at_root(is_gather, root, element, send_sizes, receive_sizes);
        Ok(())
    }

    /// Imports a gather or scatter; data that only the root has is ignored on the other ranks.
    fn at_root(&mut self, is_gather: bool, root: u32, element: u64, send_sizes: Data, receive_sizes: Data) {
        let is_root = root == self.rank;
        let of_list = matches!(send_sizes, Data::Each(_)) || matches!(receive_sizes, Data::Each(_));
        let (name, pattern) = match (is_gather, of_list) {
            (true, false) => ("MPI_Gather", Collective::Gather),
            (true, true) => ("MPI_Gatherv", Collective::Gather),
            (false, false) => ("MPI_Scatter", Collective::Scatter),
            (false, true) => ("MPI_Scatterv", Collective::Scatter),
        };
        let send_sizes = if is_gather || is_root { send_sizes } else { Data::Nothing };
        let receive_sizes = if is_gather && !is_root { Data::Nothing } else { receive_sizes };
        self.put(name, pattern, Some(root), element, &send_sizes, &receive_sizes);
    }
}
