//! Collective operations.

use panto_trace::{Action, Communicator, Form, Pattern, Peer, Tables};

use super::Export;
use crate::error::Result;

/// Bytes of a list of all ranks, where this rank knows none.
fn nothing(ranks: u32) -> Vec<i64> {
    vec![0; ranks as usize]
}

impl Export<'_> {
    pub(super) fn collective(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Collective { pattern, form, comm, root, in_place, bytes, room: got, gives, gets, .. } =
            *action
        else {
            return Ok(());
        };
        if form != Form::Blocking {
            return Err(self.beyond("this is a collective that is started and waited for"));
        }
        if !tables.comm(comm).is_some_and(|comm| self.is_everybody(comm)) {
            return Err(self
                .beyond("this is a collective of other ranks than those of MPI_COMM_WORLD in their order"));
        }
        let root = match root {
            Peer::Relative(_) => root.rank(self.rank).unwrap_or(0),
            _ => 0,
        };
        // Data that are where the result will be are as many as the result.
        let bytes = if in_place && bytes == 0 { got } else { bytes };
        let got = if got == 0 { bytes } else { got };
        // Where only the root has the list, the function's name tells the others that there is one.
        let by_list = self.call.contains("atherv") || self.call.contains("atterv");
        let line = match pattern {
            Pattern::Barrier => "barrier".into(),
            Pattern::Broadcast => format!("bcast {bytes} {root}"),
            Pattern::Reduce => format!("reduce {bytes} 0 {root}"),
            Pattern::AllReduce => format!("allreduce {bytes} 0"),
            Pattern::Scan => format!("scan {bytes} 0"),
            Pattern::ExclusiveScan => format!("exscan {bytes} 0"),
            Pattern::Gather if by_list => {
                // At the root, `got` counts all; where its data are in place, its part is in the list.
                let own = if in_place { gets.get(root as usize).map_or(0, |own| *own as u64) } else { bytes };
                format!("gatherv {own} {} {root}", self.list(gets))
            }
            Pattern::Gather => format!("gather {bytes} {got} {root}"),
            Pattern::Scatter if by_list => {
                let own = if in_place { gives.get(root as usize).map_or(0, |own| *own as u64) } else { got };
                format!("scatterv {} {own} {root}", self.list(gives))
            }
            Pattern::Scatter => {
                let each = if bytes == 0 { got } else { bytes };
                format!("scatter {each} {got} {root}")
            }
            Pattern::AllGather if gets.is_empty() => format!("allgather {bytes} {got}"),
            Pattern::AllGather => {
                let own =
                    if in_place { gets.get(self.rank as usize).map_or(0, |own| *own as u64) } else { bytes };
                format!("allgatherv {own} {}", self.list(gets))
            }
            Pattern::AllToAll if gives.is_empty() && gets.is_empty() => format!("alltoall {bytes} {got}"),
            Pattern::AllToAll => {
                let gives = if in_place { gets } else { gives };
                let sum = |list: &[i64]| list.iter().sum::<i64>();
                format!("alltoallv {} {} {} {}", sum(gives), self.list(gives), sum(gets), self.list(gets))
            }
            Pattern::ReduceScatter if gives.is_empty() => {
                format!("reducescatter {} 0", join(&vec![bytes as i64; self.ranks as usize]))
            }
            Pattern::ReduceScatter => format!("reducescatter {} 0", self.list(gives)),
            Pattern::NeighbourAllGather | Pattern::NeighbourAllToAll => {
                return Err(self.beyond("this is a collective of neighbours"));
            }
        };
        self.lines.push(line);
        Ok(())
    }

    /// All ranks, in their order?
    fn is_everybody(&self, comm: &Communicator) -> bool {
        let is_run = match comm.members.runs() {
            [run] => run.first == 0 && run.count == self.ranks && (run.step == 1 || run.count == 1),
            _ => false,
        };
        is_run && comm.others.is_none()
    }

    /// A list with a part for each rank.
    fn list(&self, list: &[i64]) -> String {
        if list.len() == self.ranks as usize { join(list) } else { join(&nothing(self.ranks)) }
    }
}

fn join(list: &[i64]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
