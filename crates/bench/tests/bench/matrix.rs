//! Every matrix kernel on worlds and matrices of many shapes. Each run is checked element by
//! element by the kernels themselves (C16), so these tests only require that all points are
//! measured.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::comet::Options;
use panto_bench::{Effort, Kernel, Settings, run, runnable};
use panto_results::{Record, param};
use panto_schedule::{HopShape, Mesh};
use panto_transport::threads::Threads;

use crate::support::{Collect, small_files};

const MATRIX: [Kernel; 5] =
    [Kernel::Guard, Kernel::Shift, Kernel::Transpose, Kernel::RowBroadcast, Kernel::ColumnBroadcast];

fn settings(ranks: usize, dims: &[u64]) -> Settings {
    let effort =
        Effort { min_samples: 3, max_samples: 3, budget: Duration::from_secs(600), ..Effort::default() };
    Settings {
        ranks: vec![ranks],
        ranks_given: true,
        dims: Some(dims.to_vec()),
        effort,
        ..Settings::default()
    }
}

fn measured(world: &Threads, settings: &Settings) -> Vec<Record> {
    let mut collect = Collect::default();
    let kernels: Vec<Kernel> =
        MATRIX.into_iter().filter(|&kernel| runnable(kernel, settings).is_ok()).collect();
    let end =
        run(world, &kernels, settings, &AtomicBool::new(false), &mut collect).expect("all data is right");
    assert_eq!((end.planned, end.complete), (end.measured, true));
    collect.records
}

/// Returns the number of points: broadcasts need a destination and a mesh of four.
fn expected(mesh: &Mesh, dims: usize) -> usize {
    let broadcasts = |wide: usize| usize::from(mesh.ranks() >= 4 && wide > 1);
    dims * (5 + broadcasts(mesh.rows()) + broadcasts(mesh.cols()))
}

#[test]
fn every_number_of_ranks_on_its_own_mesh() {
    for ranks in [1, 2, 3, 4, 6, 8] {
        let dims = [8, 9, 13, 16, 27, 40];
        let records = measured(&Threads::default(), &settings(ranks, &dims));
        assert_eq!(records.len(), expected(&Mesh::near_square(ranks).expect("a mesh"), dims.len()));
        assert!(records.iter().all(|record| record.verified && record.batch == 1));
    }
}

#[test]
fn every_mesh_that_the_user_gives() {
    for mesh in ["1x4", "4x1", "2x3", "3x2", "1x3", "5x1", "3x3", "2x4", "4x2"] {
        let mesh: Mesh = mesh.parse().expect("a mesh");
        let dims = [8, 11, 17];
        let settings =
            settings(mesh.ranks(), &dims).with_options(Options { mesh: Some(mesh.clone()), ..small_files() });
        assert_eq!(measured(&Threads::default(), &settings).len(), expected(&mesh, dims.len()));
    }
}

#[test]
fn square_meshes_of_several_stages() {
    let records = measured(&Threads::default(), &settings(16, &[16, 19]));
    let moved = |variant| {
        let of = |record: &&Record| {
            record.point.text(param::VARIANT) == variant && record.point.get(param::DIM) == 16
        };
        records.iter().find(of).and_then(|record| record.moved).expect("the point was measured")
    };
    // A block of four by four moves directly, or in two stages.
    assert_eq!((moved("exchange"), moved("recursive")), (128, 256));
}

#[test]
fn a_gray_coded_mesh_and_one_in_a_given_order() {
    let hypercube = Settings { shape: Some(HopShape::Hypercube), ..settings(8, &[8, 21]) };
    measured(&Threads::default(), &hypercube);
    let mesh = Mesh::with_order(2, 3, vec![5, 0, 3, 1, 4, 2]).expect("each rank once");
    measured(
        &Threads::default(),
        &settings(6, &[8, 21]).with_options(Options { mesh: Some(mesh), ..small_files() }),
    );
}

#[test]
fn any_line_can_be_broadcast() {
    for index in [0, 5, 12] {
        let settings = settings(6, &[13]).with_options(Options { index: Some(index), ..small_files() });
        assert_eq!(measured(&Threads::default(), &settings).len(), 7);
    }
    let beyond = settings(6, &[13]).with_options(Options { index: Some(13), ..small_files() });
    assert!(runnable(Kernel::RowBroadcast, &beyond).is_err());
}

#[test]
fn no_kernel_depends_on_buffering() {
    let unbuffered = Threads { eager_limit: 0, ..Threads::default() };
    for ranks in [1, 2, 4, 6] {
        measured(&unbuffered, &settings(ranks, &[9]));
    }
}

#[test]
fn a_column_is_as_long_as_a_row_and_the_owner_sends_it_to_all_others() {
    let settings = settings(9, &[12])
        .with_options(Options { mesh: Some("3x3".parse().expect("a mesh")), ..small_files() });
    let records = measured(&Threads::default(), &settings);
    let moved = |name: &str| {
        records.iter().find(|record| record.kernel == name).and_then(|record| record.moved).expect("measured")
    };
    assert_eq!(moved("comet/row-broadcast"), 2 * 4 * 8);
    assert_eq!(moved("comet/column-broadcast"), 2 * 4 * 8);
    assert_eq!(moved("comet/guard"), 4 * 4 * 8);
}
