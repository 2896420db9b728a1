//! Meshes (requirement C3).

use panto_schedule::mesh::{gray, gray_position};
use panto_schedule::{Error, HopShape, Mesh};

fn size(mesh: &Mesh) -> (usize, usize) {
    (mesh.rows(), mesh.cols())
}

#[test]
fn near_square_sizes() {
    let expected = [
        (1, (1, 1)),
        (2, (1, 2)),
        (4, (2, 2)),
        (6, (2, 3)),
        (7, (1, 7)),
        (8, (2, 4)),
        (12, (3, 4)),
        (16, (4, 4)),
        (18, (3, 6)),
        (32, (4, 8)),
        (72, (6, 12)),
        (128, (8, 16)),
        (1_000_000, (1000, 1000)),
    ];
    for (ranks, rows_cols) in expected {
        assert_eq!(size(&Mesh::near_square(ranks).unwrap()), rows_cols, "{ranks}");
    }
    assert_eq!(Mesh::near_square(0), Err(Error::NoRanks));
}

#[test]
fn neighbours_agree_and_wrap() {
    let user = Mesh::with_order(2, 3, vec![5, 3, 1, 0, 2, 4]).unwrap();
    for mesh in [Mesh::near_square(30).unwrap(), Mesh::gray(32).unwrap(), user, "1x1".parse().unwrap()] {
        for rank in 0..mesh.ranks() {
            let around = mesh.neighbours(rank).unwrap();
            assert_eq!(mesh.rank_at(around.row, around.col), rank);
            assert_eq!(mesh.neighbours(around.top).unwrap().bottom, rank);
            assert_eq!(mesh.neighbours(around.bottom).unwrap().top, rank);
            assert_eq!(mesh.neighbours(around.pred).unwrap().succ, rank);
            assert_eq!(mesh.neighbours(around.succ).unwrap().pred, rank);
        }
        assert_eq!(mesh.neighbours(mesh.ranks()), None);
    }
}

#[test]
fn gray_neighbours_are_hypercube_neighbours_also_around_the_ends() {
    for dimension in 0..11 {
        let ranks = 1 << dimension;
        let mesh = Mesh::gray(ranks).unwrap();
        for rank in 0..ranks {
            let around = mesh.neighbours(rank).unwrap();
            for (other, extent) in [
                (around.top, mesh.rows()),
                (around.bottom, mesh.rows()),
                (around.pred, mesh.cols()),
                (around.succ, mesh.cols()),
            ] {
                assert_eq!(HopShape::Hypercube.distance(rank, other, ranks), usize::from(extent > 1));
            }
        }
    }
}

/// COMET's figure 4.1: one Gray code over all cells, every other row from right to left.
#[test]
fn the_published_snake_is_the_product_of_two_gray_codes() {
    for ranks in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
        let mesh = Mesh::gray(ranks).unwrap();
        for cell in 0..ranks {
            let (row, along) = (cell / mesh.cols(), cell % mesh.cols());
            let col = if row % 2 == 0 { along } else { mesh.cols() - 1 - along };
            assert_eq!(mesh.rank_at(row, col), gray(cell), "cell {cell} of {ranks}");
        }
    }
}

#[test]
fn gray_codes_are_inverted() {
    for position in (0..1000).chain([usize::MAX, usize::MAX / 3]) {
        assert_eq!(gray_position(gray(position)), position);
    }
}

#[test]
fn text_round_trips() {
    for text in ["4x2", "1x1", "3x7", "2x2:0,1,3,2"] {
        assert_eq!(text.parse::<Mesh>().unwrap().to_string(), text);
    }
    for text in ["", "4", "x", "4x", "0x4", "4x-1", "99999999999x99999999999", "4X2", "2x2:", "2x2:0,1,3,x"] {
        assert_eq!(text.parse::<Mesh>(), Err(Error::MeshText(text.to_owned())));
    }
}

#[test]
fn invalid_meshes_are_errors() {
    assert_eq!(Mesh::new(2, 3, 7), Err(Error::MeshSize { rows: 2, cols: 3, ranks: 7 }));
    assert_eq!(Mesh::new(usize::MAX, 3, 7), Err(Error::MeshSize { rows: usize::MAX, cols: 3, ranks: 7 }));
    assert_eq!(Mesh::new(0, 0, 0), Err(Error::NoRanks));
    assert_eq!(Mesh::gray(12), Err(Error::NotPowerOfTwo { ranks: 12 }));
    assert_eq!(Mesh::gray(0), Err(Error::NotPowerOfTwo { ranks: 0 }));
    assert_eq!("1x3:0,2,2".parse::<Mesh>(), Err(Error::Placement { rank: 2, ranks: 3 }));
    assert_eq!(Mesh::with_order(1, 3, vec![0, 2, 2]), Err(Error::Placement { rank: 2, ranks: 3 }));
    assert_eq!(Mesh::with_order(1, 3, vec![0, 1, 3]), Err(Error::Placement { rank: 3, ranks: 3 }));
    assert_eq!(Mesh::with_order(2, 2, vec![0, 1, 2]), Err(Error::MeshSize { rows: 2, cols: 2, ranks: 3 }));
}
