//! Export of collectives.

use panto_trace::{Action, CallForm, Collective, CollectiveKind, Communicator, Peer, Tables};

use super::Export;
use crate::error::Result;

/// Returns counts for a rank that has no list: zero for every rank.
fn zeros(ranks: u32) -> Vec<i64> {
    vec![0; ranks as usize]
}

impl Export<'_> {
    pub(super) fn collective(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Collective {
            pattern,
            form,
            comm,
            root,
            in_place,
            bytes,
            receive_bytes: got,
            send_sizes,
            receive_sizes,
            ..
        } = *action
        else {
            return Ok(());
        };
        if form != CallForm::Blocking {
            return Err(self.unsupported("non-blocking collective"));
        }
        if !tables.comm(comm).is_some_and(|comm| self.is_world(comm)) {
            return Err(self.unsupported("collective on a communicator that differs from MPI_COMM_WORLD"));
        }
        let CollectiveKind::Group(collective) = pattern else {
            return Err(self.unsupported("neighbourhood collective"));
        };
        let root = match root {
            Peer::Relative(_) => root.rank(self.rank).unwrap_or(0),
            _ => 0,
        };
        // With `MPI_IN_PLACE`, as many bytes are contributed as received.
        let bytes = if in_place && bytes == 0 { got } else { bytes };
        let got = if got == 0 { bytes } else { got };
        // Where only the root has the counts, the name of the function tells the other ranks that
        // there are some.
        let by_list = self.call.contains("atherv") || self.call.contains("atterv");
        let line = match collective {
            Collective::Barrier => "barrier".into(),
            Collective::Broadcast => format!("bcast {bytes} {root}"),
            Collective::Reduce => format!("reduce {bytes} 0 {root}"),
            Collective::Allreduce => format!("allreduce {bytes} 0"),
            Collective::Scan => format!("scan {bytes} 0"),
            Collective::Exscan => format!("exscan {bytes} 0"),
            Collective::Gather if by_list => {
                // At the root `got` is the total; with `MPI_IN_PLACE` its own share is in the
                // counts.
                let own = if in_place {
                    receive_sizes.get(root as usize).map_or(0, |own| *own as u64)
                } else {
                    bytes
                };
                format!("gatherv {own} {} {root}", self.list(receive_sizes))
            }
            Collective::Gather => format!("gather {bytes} {got} {root}"),
            Collective::Scatter if by_list => {
                let own =
                    if in_place { send_sizes.get(root as usize).map_or(0, |own| *own as u64) } else { got };
                format!("scatterv {} {own} {root}", self.list(send_sizes))
            }
            Collective::Scatter => {
                let each = if bytes == 0 { got } else { bytes };
                format!("scatter {each} {got} {root}")
            }
            Collective::Allgather if receive_sizes.is_empty() => format!("allgather {bytes} {got}"),
            Collective::Allgather => {
                let own = if in_place {
                    receive_sizes.get(self.rank as usize).map_or(0, |own| *own as u64)
                } else {
                    bytes
                };
                format!("allgatherv {own} {}", self.list(receive_sizes))
            }
            Collective::Alltoall if send_sizes.is_empty() && receive_sizes.is_empty() => {
                format!("alltoall {bytes} {got}")
            }
            Collective::Alltoall => {
                let send_sizes = if in_place { receive_sizes } else { send_sizes };
                let sum = |list: &[i64]| list.iter().sum::<i64>();
                format!(
                    "alltoallv {} {} {} {}",
                    sum(send_sizes),
                    self.list(send_sizes),
                    sum(receive_sizes),
                    self.list(receive_sizes)
                )
            }
            Collective::ReduceScatter if send_sizes.is_empty() => {
                format!("reducescatter {} 0", join(&vec![bytes as i64; self.ranks as usize]))
            }
            Collective::ReduceScatter => format!("reducescatter {} 0", self.list(send_sizes)),
        };
        self.lines.push(line);
        Ok(())
    }

    /// Returns whether a communicator has all ranks in the order of `MPI_COMM_WORLD`.
    fn is_world(&self, comm: &Communicator) -> bool {
        let is_run = match comm.members.runs() {
            [run] => run.first == 0 && run.count == self.ranks && (run.step == 1 || run.count == 1),
            _ => false,
        };
        is_run && comm.others.is_none()
    }

    /// Returns one count per rank, as text.
    fn list(&self, list: &[i64]) -> String {
        if list.len() == self.ranks as usize { join(list) } else { join(&zeros(self.ranks)) }
    }
}

fn join(list: &[i64]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
