//! Distribution of the matrix over ranks.

use std::ops::Range;

use panto_implementation::matrix::Operation;
use panto_results::{Point, param};
use panto_schedule::{HopShape, Mesh, Neighbours};
use panto_transport::Transport;

use super::rect::Rect;
use super::user;
use crate::comet::Options;
use crate::error::{Error, Result};
use crate::measure::Lab;
use crate::scenario::operation::Implementation;
use crate::settings::Settings;

/// Default dimensions: they separate a linear from a quadratic growth (C20), from start-up to
/// beyond the caches.
const DIMS: [u64; 11] = [16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/// A global matrix over a mesh of ranks. Blocks are cut as evenly as the dimension allows: heights
/// differ by one row at most, widths by one column.
#[derive(Debug, Clone)]
pub(in crate::comet) struct Layout {
    pub(in crate::comet) mesh: Mesh,
    /// Rows and columns of the global matrix.
    pub(in crate::comet) dim: usize,
}

/// Returns the mesh that the user gave, else a square or nearly square one; Gray-coded on a
/// hypercube (C3).
pub(in crate::comet) fn mesh_of(settings: &Settings, shape: HopShape, ranks: usize) -> Result<Mesh> {
    match &settings.options.get::<Options>().mesh {
        Some(mesh) if mesh.ranks() == ranks => Ok(mesh.clone()),
        Some(mesh) => Err(Error::usage(format!(
            "the mesh {mesh} has {} cells, but there are {ranks} ranks; give a mesh of {ranks} cells or none",
            mesh.ranks()
        ))),
        None if shape == HopShape::Hypercube && ranks.is_power_of_two() => Ok(Mesh::gray(ranks)?),
        None => Ok(Mesh::near_square(ranks)?),
    }
}

/// Returns every variant by every dimension, with the mesh if the user gave one, and by every
/// implementation that the user named. Without variants the kernel has one form only.
pub(in crate::comet) fn points(
    settings: &Settings,
    operation: Operation,
    variants: &[&str],
) -> Result<Vec<Point>> {
    let own = own_points(settings, variants)?;
    let chosen = user::implementations(settings, operation)?;
    if chosen.is_empty() {
        return Ok(own);
    }
    let of_user = own_points(settings, if operation == Operation::Transpose { &[] } else { variants })?;
    let by = |who: &Implementation| {
        let points = if who.is_user_supplied() { &of_user } else { &own };
        let name = who.to_string();
        points.iter().map(|point| point.clone().with_text(param::IMPLEMENTATION, &name)).collect::<Vec<_>>()
    };
    Ok(chosen.iter().flat_map(by).collect())
}

/// Returns the points of one implementation.
fn own_points(settings: &Settings, variants: &[&str]) -> Result<Vec<Point>> {
    let ranks = settings.world();
    // The positions of ranks do not matter here, and the sides are the same for every shape.
    let mesh = mesh_of(settings, settings.shape_or(HopShape::Complete), ranks)?;
    let on_mesh = match settings.options.get::<Options>().mesh {
        Some(_) => Point::new(ranks).with_text(param::GRID, &mesh.to_string()),
        None => Point::new(ranks),
    };
    let with_dim = |dim| on_mesh.clone().with(param::DIM, dim);
    let plain: Vec<Point> = dims(settings, &mesh)?.into_iter().map(with_dim).collect();
    if variants.is_empty() {
        return Ok(plain);
    }
    let named = |variant| plain.iter().map(move |point| point.clone().with_text(param::VARIANT, variant));
    Ok(variants.iter().flat_map(|variant| named(variant)).collect())
}

fn dims(settings: &Settings, mesh: &Mesh) -> Result<Vec<u64>> {
    let least = mesh.rows().max(mesh.cols()) as u64;
    let Some(dims) = settings.dims.clone() else {
        let mut dims = DIMS.map(|dim| dim.max(least)).to_vec();
        dims.dedup();
        return Ok(dims);
    };
    match dims.iter().find(|&&dim| dim < least) {
        None => Ok(dims),
        Some(dim) => Err(Error::usage(format!(
            "a matrix of dimension {dim} cannot be spread over a mesh of {mesh} ranks: at least {least} is needed"
        ))),
    }
}

impl Layout {
    /// Returns the layout of a point.
    pub(in crate::comet) fn of<T: Transport>(lab: &Lab<'_, T>, point: &Point) -> Result<Self> {
        let shape = lab.settings.shape_or(lab.transport.shape());
        Ok(Self { mesh: mesh_of(lab.settings, shape, point.ranks)?, dim: point.get(param::DIM) })
    }

    /// Returns the neighbours of a rank.
    pub(in crate::comet) fn around(&self, rank: usize) -> Neighbours {
        self.mesh.neighbours(rank).expect("the mesh has a cell for every rank")
    }

    /// Returns the elements that a rank holds.
    pub(in crate::comet) fn rect(&self, rank: usize) -> Rect {
        let Neighbours { row, col, .. } = self.around(rank);
        Rect { rows: part(self.dim, self.mesh.rows(), row), cols: part(self.dim, self.mesh.cols(), col) }
    }

    /// Returns the row of the mesh that holds a global row.
    pub(in crate::comet) fn mesh_row(&self, row: usize) -> usize {
        part_of(self.dim, self.mesh.rows(), row)
    }

    /// Returns the column of the mesh that holds a global column.
    pub(in crate::comet) fn mesh_col(&self, col: usize) -> usize {
        part_of(self.dim, self.mesh.cols(), col)
    }

    /// Returns the indices at which a new block starts, by rows or by columns, ascending.
    pub(in crate::comet) fn cuts(&self) -> Vec<usize> {
        let starts = |parts| (0..parts).map(move |which| part(self.dim, parts, which).start);
        let mut cuts: Vec<usize> = starts(self.mesh.rows()).chain(starts(self.mesh.cols())).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }
}

/// Returns one of several parts that are as equal as possible.
fn part(dim: usize, parts: usize, which: usize) -> Range<usize> {
    which * dim / parts..(which + 1) * dim / parts
}

/// Returns the part of an index: the least whose end is beyond it.
fn part_of(dim: usize, parts: usize, index: usize) -> usize {
    ((index + 1) * parts - 1) / dim
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_even_and_each_index_is_in_its_own() {
        for (dim, parts) in [(8, 3), (40, 7), (7, 7), (1024, 12), (9, 1)] {
            let least = dim / parts;
            for which in 0..parts {
                let part = part(dim, parts, which);
                assert!(part.len() == least || part.len() == least + 1);
                assert!(part.clone().all(|index| part_of(dim, parts, index) == which));
            }
            assert_eq!(part(dim, parts, parts - 1).end, dim);
        }
    }

    fn settings(ranks: usize, mesh: Option<&str>, dims: Option<Vec<u64>>) -> Settings {
        let mesh = mesh.map(|mesh| mesh.parse().expect("a mesh"));
        let options = Options { mesh, ..Options::default() };
        Settings { ranks: vec![ranks], dims, ..Settings::default() }.with_options(options)
    }

    #[test]
    fn a_mesh_of_another_size_is_refused() {
        let error = own_points(&settings(4, Some("2x3"), None), &[]).unwrap_err().to_string();
        assert!(error.contains("2x3") && error.contains("6 cells") && error.contains("4 ranks"), "{error}");
    }

    #[test]
    fn a_matrix_smaller_than_the_mesh_is_refused_with_the_least() {
        let error = own_points(&settings(6, Some("1x6"), Some(vec![5])), &[]).unwrap_err().to_string();
        assert!(error.contains("dimension 5") && error.contains("at least 6"), "{error}");
    }

    #[test]
    fn default_dimensions_fit_the_mesh_and_come_for_each_variant() {
        let points = own_points(&settings(40, Some("1x40"), None), &["a", "b"]).expect("they fit");
        assert_eq!(points.len(), 2 * (DIMS.len() - 1));
        assert!(points.iter().all(|point| point.get(param::DIM) >= 40));
    }

    #[test]
    fn on_a_hypercube_neighbours_on_the_mesh_are_one_hop_apart() {
        let mesh = mesh_of(&Settings::default(), HopShape::Hypercube, 16).expect("sixteen ranks");
        let around = mesh.neighbours(5).expect("rank 5 is there");
        for other in [around.top, around.bottom, around.pred, around.succ] {
            assert_eq!(HopShape::Hypercube.distance(5, other, 16), 1);
        }
    }
}
