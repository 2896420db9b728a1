//! Identifying a communicator across the ranks that belong to it.

use panto_trace::{Comm, Trace, World};

use crate::support::{SELF, WORLD, Writer, folder};

fn world(writers: Vec<Writer>) -> Result<World, String> {
    let at = tempfile::tempdir().expect("a folder");
    let streams: Vec<_> = writers.into_iter().map(|writer| (writer.rank, writer.finish())).collect();
    let trace = Trace::open(&folder(&at.path().join("ranks"), &streams)).expect("a trace");
    World::new(&trace).map_err(|error| error.to_string())
}

/// Returns writers for four ranks after `define` has defined the communicators of each.
fn four(define: impl Fn(&mut Writer, u32)) -> Vec<Writer> {
    let writer = |rank: u32| {
        let mut writer = Writer::new(rank, 4);
        define(&mut writer, rank);
        writer
    };
    (0..4).map(writer).collect()
}

/// Returns the members of a rank's half of the world: the even or the odd ranks.
fn half(rank: u32) -> [u32; 2] {
    [rank % 2, rank % 2 + 2]
}

#[test]
fn world_is_one_and_self_is_each_ones_own() {
    let world = world(four(|_, _| ())).expect("sound definitions");
    assert_eq!(world.comms().len(), 5);
    for rank in 0..4 {
        assert_eq!(world.shared(rank, WORLD).map(|id| id.0), Some(0));
        let own = world.shared(rank, SELF).expect("its own");
        assert_eq!(world.comm(own).members.iter().collect::<Vec<_>>(), [rank]);
    }
    assert_eq!(world.shared(0, Comm(2)), None);
}

#[test]
fn one_rank_alone_has_two() {
    let world = world(vec![Writer::new(0, 1)]).expect("sound definitions");
    assert_ne!(world.shared(0, WORLD), world.shared(0, SELF));
}

#[test]
fn halves_copies_and_copies_of_halves_are_told_apart() {
    let world = world(four(|writer, rank| {
        let half_comm = writer.comm("MPI_Comm_split", Some(WORLD), 0, 0, &half(rank));
        writer.comm("MPI_Comm_dup", Some(half_comm), 0, 0, &half(rank));
        writer.comm("MPI_Comm_dup", Some(WORLD), 1, 0, &[0, 1, 2, 3]);
        writer.comm("MPI_Comm_dup", Some(WORLD), 2, 0, &[0, 1, 2, 3]);
    }))
    .expect("sound definitions");
    let of = |rank: u32, comm: u32| world.shared(rank, Comm(comm)).expect("it is there");
    for comm in 2..6 {
        assert_eq!(of(0, comm), of(2, comm));
        assert_eq!(of(1, comm), of(3, comm));
    }
    assert_ne!(of(0, 2), of(1, 2));
    assert_ne!(of(0, 3), of(0, 2));
    assert_eq!(of(0, 4), of(1, 4));
    assert_ne!(of(0, 4), of(0, 5));
    assert_eq!(world.comm(of(0, 3)).parent, Some(of(2, 2)));
    assert_eq!(world.comm(of(0, 3)).made_by, "MPI_Comm_dup");
}

#[test]
fn what_only_some_ranks_make_does_not_confuse_the_others() {
    let world = world(four(|writer, rank| {
        // Ranks 0 and 1 create two groups with the same tag; then all ranks duplicate the world.
        if rank < 2 {
            for _ in 0..2 {
                writer.comm("MPI_Comm_create_group", Some(WORLD), 0, 9, &[0, 1]);
            }
        }
        writer.comm("MPI_Comm_dup", Some(WORLD), 0, 0, &[0, 1, 2, 3]);
    }))
    .expect("sound definitions");
    let of = |rank: u32, comm: u32| world.shared(rank, Comm(comm)).expect("it is there");
    assert_eq!((of(0, 2), of(0, 3)), (of(1, 2), of(1, 3)));
    assert_ne!(of(0, 2), of(0, 3));
    assert_eq!([of(0, 4), of(1, 4)], [of(2, 2), of(3, 2)]);
}

#[test]
fn both_sides_of_an_intercommunicator_have_the_same() {
    let world = world(four(|writer, rank| {
        let members = half(rank);
        let others = half(rank + 1);
        // The odd side duplicates its communicator first, so that local numbers differ.
        let mut local = writer.comm("MPI_Comm_split", Some(WORLD), 0, 0, &members);
        if rank % 2 == 1 {
            local = writer.comm("MPI_Comm_dup", Some(local), 0, 0, &members);
        }
        let between = writer.intercomm("MPI_Intercomm_create", Some(local), 0, 5, &members, Some(&others));
        writer.comm("MPI_Intercomm_merge", Some(between), 0, 0, &[0, 2, 1, 3]);
    }))
    .expect("sound definitions");
    let of = |rank: u32, comm: u32| world.shared(rank, Comm(comm)).expect("it is there");
    assert_eq!([of(0, 3), of(2, 3)], [of(1, 4), of(3, 4)]);
    assert_eq!(of(0, 4), of(1, 5));
    let comm = world.comm(of(1, 4));
    assert_eq!(comm.members.iter().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(comm.others.as_ref().expect("two sides").iter().collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn a_member_without_it_is_named_with_the_function() {
    let error = world(four(|writer, rank| {
        if rank != 2 {
            writer.comm("MPI_Comm_dup", Some(WORLD), 0, 0, &[0, 1, 2, 3]);
        }
    }))
    .expect_err("one lacks it");
    assert!(
        error.contains("rank 2 has no counterpart of a communicator that MPI_Comm_dup made on rank 0"),
        "{error}"
    );
}

#[test]
fn impossible_members_are_refused() {
    let error = world(four(|writer, _| {
        writer.comm("MPI_Comm_dup", Some(WORLD), 0, 0, &[0, 1, 2, 9]);
    }))
    .expect_err("nine");
    assert!(error.contains("rank 0: a communicator from MPI_Comm_dup has impossible members"), "{error}");
    let error = world(four(|writer, _| {
        for _ in 0..2 {
            writer.comm("MPI_Comm_dup", Some(WORLD), 0, 0, &[0, 1, 2, 3]);
        }
    }))
    .expect_err("twice the same");
    assert!(error.contains("rank 0: two communicators from MPI_Comm_dup cannot be told apart"), "{error}");
}

#[test]
fn processes_outside_are_not_missed() {
    let world = world(four(|writer, _| {
        writer.intercomm("MPI_Comm_spawn", Some(WORLD), 0, 0, &[0, 1, 2, 3], Some(&[u32::MAX, u32::MAX]));
    }))
    .expect("others cannot be here");
    assert_eq!(world.comms().len(), 6);
}
