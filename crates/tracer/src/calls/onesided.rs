//! One-sided communication: recorded as calls with their bytes and targets, but not as messages.

use panto_trace::{Action, Peer};

use crate::call_context::{CallContext, int_at};
use crate::interpose::{calls, prepared_calls};
use crate::rank;
use panto_recording::ObjectInfo;
use panto_recording::Request;

/// No request: the call returns when its buffer may be reused, or a later call waits for all.
const NONE: usize = 0;

impl CallContext<'_> {
    unsafe fn window_made(&mut self, comm: usize, address: usize) {
        let comm = self.comm(comm);
        let rank = &mut *self.rank;
        // SAFETY: MPI wrote a handle there.
        let handle = unsafe { rank.mpi.handle_at(address, 0) };
        let known = rank.windows.add(handle, comm.number, comm.rank, String::new(), &mut rank.recorder);
        self.record(&Action::OneSided {
            window: Some(known.number),
            target: Peer::Null,
            bytes: 0,
            request: None,
        });
    }

    fn window(&self, word: usize) -> Option<ObjectInfo> {
        self.rank.windows.get(self.rank.mpi.handle(word))
    }

    unsafe fn moved(&mut self, count: u64, datatype: usize, target: usize, window: usize, request: usize) {
        let (window, datatype) = (self.window(window), self.datatype(datatype));
        let is_active = Request { is_active: true, ..Request::default() };
        let request = if request == NONE { None } else { self.new_request(request, is_active) };
        self.record(&Action::OneSided {
            window: window.map(|window| window.number),
            target: self.peer(target, window.map_or(0, |window| window.rank)),
            bytes: count * datatype.size,
            request,
        });
    }

    fn synchronised(&mut self, target: Option<usize>, window: usize) {
        let window = self.window(window);
        let own = window.map_or(0, |window| window.rank);
        let target = target.map_or(Peer::Any, |target| self.peer(target, own));
        self.record(&Action::OneSided {
            window: window.map(|window| window.number),
            target,
            bytes: 0,
            request: None,
        });
    }

    /// Records a test that found that other ranks are not ready.
    fn not_synchronised(&mut self, window: usize) {
        let window = self.window(window).map(|window| window.number);
        self.record_failed_poll(&Action::OneSided { window, target: Peer::Any, bytes: 0, request: None });
    }

    fn window_freed(&mut self, window: Option<ObjectInfo>) {
        let window = window.map(|window| window.number);
        self.record(&Action::OneSided { window, target: Peer::Null, bytes: 0, request: None });
    }
}

unsafe fn window_freed(address: usize) -> Option<ObjectInfo> {
    // SAFETY: the program's window.
    rank::with(|rank| rank.windows.remove(unsafe { rank.mpi.handle_at(address, 0) })).flatten()
}

calls! {
    MPI_Win_create also MPI_Win_create_c (base, size, unit, info, comm, window) => |at| at.window_made(comm, window);
    MPI_Win_allocate also MPI_Win_allocate_c (size, unit, info, comm, base, window) => |at| at.window_made(comm, window);
    MPI_Win_allocate_shared also MPI_Win_allocate_shared_c (size, unit, info, comm, base, window) => |at| at.window_made(comm, window);
    MPI_Win_create_dynamic(info, comm, window) => |at| at.window_made(comm, window);

    MPI_Put also MPI_Put_c (origin, count, datatype, target, place, target_count, target_type, window) =>
        |at| at.moved(at.count(count), datatype, target, window, NONE);
    MPI_Get also MPI_Get_c (origin, count, datatype, target, place, target_count, target_type, window) =>
        |at| at.moved(at.count(count), datatype, target, window, NONE);
    MPI_Accumulate also MPI_Accumulate_c (origin, count, datatype, target, place, target_count, target_type, op, window) =>
        |at| at.moved(at.count(count), datatype, target, window, NONE);
    MPI_Get_accumulate also MPI_Get_accumulate_c (origin, count, datatype, result, result_count, result_type, target, place, target_count, target_type, op, window) =>
        |at| at.moved(at.count(result_count), result_type, target, window, NONE);
    MPI_Fetch_and_op(origin, result, datatype, target, place, op, window) => |at| at.moved(1, datatype, target, window, NONE);
    MPI_Compare_and_swap(origin, compare, result, datatype, target, place, window) => |at| at.moved(1, datatype, target, window, NONE);
    MPI_Rput also MPI_Rput_c (origin, count, datatype, target, place, target_count, target_type, window, request) =>
        |at| at.moved(at.count(count), datatype, target, window, request);
    MPI_Rget also MPI_Rget_c (origin, count, datatype, target, place, target_count, target_type, window, request) =>
        |at| at.moved(at.count(count), datatype, target, window, request);
    MPI_Raccumulate also MPI_Raccumulate_c (origin, count, datatype, target, place, target_count, target_type, op, window, request) =>
        |at| at.moved(at.count(count), datatype, target, window, request);
    MPI_Rget_accumulate also MPI_Rget_accumulate_c (origin, count, datatype, result, result_count, result_type, target, place, target_count, target_type, op, window, request) =>
        |at| at.moved(at.count(result_count), result_type, target, window, request);

    MPI_Win_fence(assert, window) => |at| at.synchronised(None, window);
    MPI_Win_start(group, assert, window) => |at| at.synchronised(None, window);
    MPI_Win_complete(window) => |at| at.synchronised(None, window);
    MPI_Win_post(group, assert, window) => |at| at.synchronised(None, window);
    MPI_Win_wait(window) => |at| at.synchronised(None, window);
    MPI_Win_test(window, flag) => |at| if int_at(flag) == 0 { at.not_synchronised(window) } else { at.synchronised(None, window) };
    MPI_Win_lock(kind, target, assert, window) => |at| at.synchronised(Some(target), window);
    MPI_Win_unlock(target, window) => |at| at.synchronised(Some(target), window);
    MPI_Win_lock_all(assert, window) => |at| at.synchronised(None, window);
    MPI_Win_unlock_all(window) => |at| at.synchronised(None, window);
    MPI_Win_flush(target, window) => |at| at.synchronised(Some(target), window);
    MPI_Win_flush_all(window) => |at| at.synchronised(None, window);
    MPI_Win_flush_local(target, window) => |at| at.synchronised(Some(target), window);
    MPI_Win_flush_local_all(window) => |at| at.synchronised(None, window);
}

prepared_calls! {
    MPI_Win_free(window) before window_freed(window), call |_known| (window), after |at, known| at.window_freed(*known);
}
