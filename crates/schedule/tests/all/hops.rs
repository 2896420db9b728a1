//! Hop distances (requirement C3).

use panto_schedule::{Error, HopShape};

const SHAPES: [HopShape; 6] = [
    HopShape::Complete,
    HopShape::Hypercube,
    HopShape::Ring,
    HopShape::Linear,
    HopShape::Mesh { rows: 5, cols: 4 },
    HopShape::Torus { rows: 5, cols: 4 },
];

/// Returns the distances from a rank to all others by breadth-first search, for full machines.
fn searched(shape: HopShape, from: usize, ranks: usize) -> Vec<usize> {
    let mut far = vec![usize::MAX; ranks];
    far[from] = 0;
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(rank) = queue.pop_front() {
        for next in (0..ranks).filter(|&next| shape.distance(rank, next, ranks) == 1) {
            if far[next] == usize::MAX {
                far[next] = far[rank] + 1;
                queue.push_back(next);
            }
        }
    }
    far
}

#[test]
fn distances_are_shortest_paths() {
    for (shape, ranks) in SHAPES.into_iter().zip([20, 16, 20, 20, 20, 20]) {
        for from in 0..ranks {
            let distances: Vec<_> = (0..ranks).map(|to| shape.distance(from, to, ranks)).collect();
            assert_eq!(distances, searched(shape, from, ranks), "{shape}");
        }
    }
}

#[test]
fn diameters_are_the_largest_distances() {
    for shape in SHAPES {
        for ranks in 1..=20 {
            let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b)));
            let largest = pairs.map(|(a, b)| shape.distance(a, b, ranks)).max();
            assert_eq!(Some(shape.diameter(ranks)), largest, "{shape} of {ranks}");
        }
    }
}

#[test]
fn rank_at_hops_returns_a_rank_at_that_distance() {
    for shape in SHAPES {
        for ranks in 1..=20 {
            for from in 0..ranks {
                assert_eq!(shape.rank_at_hops(from, 0, ranks), Some(from));
                for hops in 0..ranks + 2 {
                    let found = shape.rank_at_hops(from, hops, ranks);
                    let exists = (0..ranks).any(|to| shape.distance(from, to, ranks) == hops);
                    assert_eq!(found.is_some(), exists, "{shape} of {ranks}: {hops} from {from}");
                    assert!(found.is_none_or(|to| to < ranks && shape.distance(from, to, ranks) == hops));
                }
            }
            assert_eq!(shape.rank_at_hops(ranks, 0, ranks), None);
        }
    }
}

/// COMET's figure 4.2.
#[test]
fn on_a_hypercube_the_lowest_bits_are_flipped() {
    let ranks =
        |from: usize| (0..=4).map(move |hops| HopShape::Hypercube.rank_at_hops(from, hops, 16).unwrap());
    assert!(ranks(0).eq([0, 1, 3, 7, 15]));
    assert!(ranks(5).eq([5, 4, 6, 2, 10]));
}

#[test]
fn huge_machines_do_not_overflow() {
    for shape in [HopShape::Complete, HopShape::Ring, HopShape::Linear] {
        let far = shape.rank_at_hops(usize::MAX - 1, 1, usize::MAX).unwrap();
        assert_eq!(shape.distance(usize::MAX - 1, far, usize::MAX), 1, "{shape}");
    }
    let torus = HopShape::Torus { rows: 0, cols: 0 };
    assert_eq!(torus.rank_at_hops(0, 0, 1), Some(0));
    assert_eq!(HopShape::Hypercube.rank_at_hops(1, 64, usize::MAX), Some(usize::MAX - 1));
}

#[test]
fn machines_that_are_too_small_are_errors() {
    let mesh = HopShape::Mesh { rows: 2, cols: 4 };
    assert_eq!(mesh.fits(8), Ok(()));
    assert_eq!(mesh.fits(9), Err(Error::MeshSize { rows: 2, cols: 4, ranks: 9 }));
    assert_eq!(HopShape::Ring.fits(9), Ok(()));
}

#[test]
fn text_round_trips() {
    for shape in SHAPES {
        assert_eq!(shape.to_string().parse(), Ok(shape));
    }
    assert_eq!("star".parse::<HopShape>(), Err(Error::UnknownShape("star".to_owned())));
    assert_eq!("mesh:4".parse::<HopShape>(), Err(Error::MeshText("4".to_owned())));
}

/// Only distances from rank 0 are known.
#[test]
fn a_table_of_distances_is_looked_up() {
    let shape = HopShape::FromFirst(&[0, 2, 4, 2]);
    assert_eq!((shape.diameter(4), shape.diameter(2)), (4, 2));
    assert_eq!([0, 1, 2, 4].map(|hops| shape.rank_at_hops(0, hops, 4)), [Some(0), None, Some(1), Some(2)]);
    assert_eq!((shape.distance(3, 0, 4), shape.distance(1, 2, 4)), (2, 1));
    assert!(shape.fits(5).is_err() && shape.fits(4).is_ok());
}
