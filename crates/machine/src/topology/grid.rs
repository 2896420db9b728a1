//! Meshes and tori of any number of dimensions.

use super::LinkId;
use super::divider::Divider;

/// A grid. Processors are numbered in row-major order, the last dimension fastest, as
/// `MPI_Cart_create` numbers them.
///
/// Routing is dimension-ordered, the last dimension first, which is e-cube order on a grid of
/// extents 2. From vertex v, with m dimensions of more than 1, link (v m + i) 2 leads upwards along
/// the i-th dimension from the last, and link (v m + i) 2 + 1 downwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    extents: Box<[u32]>,
    /// From the fastest dimension, without those of extent 1.
    axes: Box<[Axis]>,
    processors: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    extent: Divider,
    /// The difference between the numbers of neighbours.
    stride: u64,
}

impl Grid {
    /// Creates a grid; the product of the extents is at most
    /// [`MAX_PROCESSORS`](super::MAX_PROCESSORS), and none is 0.
    pub(super) fn new(extents: &[u32]) -> Self {
        let mut stride = 1;
        let mut axes = Vec::new();
        for &extent in extents.iter().rev().filter(|extent| **extent > 1) {
            axes.push(Axis { extent: Divider::new(extent), stride });
            stride *= u64::from(extent);
        }
        Self { extents: extents.into(), axes: axes.into(), processors: stride as u32 }
    }

    /// The extents of all dimensions.
    pub fn extents(&self) -> &[u32] {
        &self.extents
    }

    #[inline]
    pub(super) fn processors(&self) -> u32 {
        self.processors
    }

    pub(super) fn links(&self) -> u64 {
        2 * self.axes.len() as u64 * u64::from(self.processors)
    }

    /// The sum over dimensions of `measure(here, there, extent)`.
    #[inline]
    fn sum(&self, from: u32, to: u32, measure: impl Fn(u32, u32, u32) -> u32) -> u32 {
        let (mut from, mut to, mut sum) = (from, to, 0);
        for axis in &self.axes {
            let (outer_from, here) = axis.extent.split(from);
            let (outer_to, there) = axis.extent.split(to);
            sum += measure(here, there, axis.extent.divisor());
            (from, to) = (outer_from, outer_to);
        }
        sum
    }

    #[inline]
    pub(super) fn mesh_distance(&self, from: u32, to: u32) -> u32 {
        self.sum(from, to, |here, there, _| here.abs_diff(there))
    }

    #[inline]
    pub(super) fn torus_distance(&self, from: u32, to: u32) -> u32 {
        self.sum(from, to, super::line::around)
    }

    #[inline]
    pub(super) fn mesh_route(&self, from: u32, to: u32, visit: impl FnMut(LinkId)) {
        self.walk(from, to, |here, there, _| (there >= here, here.abs_diff(there)), visit);
    }

    /// Visits the shorter direction around each dimension; upwards if both are equal.
    #[inline]
    pub(super) fn torus_route(&self, from: u32, to: u32, visit: impl FnMut(LinkId)) {
        let direction = |here: u32, there: u32, extent: u32| {
            let up = if there >= here { there - here } else { there + extent - here };
            if up <= extent - up { (true, up) } else { (false, extent - up) }
        };
        self.walk(from, to, direction, visit);
    }

    /// Walks dimension by dimension; `direction(here, there, extent)` returns whether to go
    /// upwards, and how far.
    #[inline]
    fn walk(
        &self,
        from: u32,
        to: u32,
        direction: impl Fn(u32, u32, u32) -> (bool, u32),
        mut visit: impl FnMut(LinkId),
    ) {
        let (mut rest_from, mut rest_to, mut at) = (from, to, u64::from(from));
        let ports = 2 * self.axes.len() as u64;
        for (port, axis) in (0..).step_by(2).zip(&self.axes) {
            if rest_from == rest_to {
                break;
            }
            let extent = axis.extent.divisor();
            let (outer_from, here) = axis.extent.split(rest_from);
            let (outer_to, there) = axis.extent.split(rest_to);
            let (upwards, distance) = direction(here, there, extent);
            let port: u64 = if upwards { port } else { port + 1 };
            // Additions wrap, so that a step downwards is an addition too.
            let step = if upwards { ports * axis.stride } else { (ports * axis.stride).wrapping_neg() };
            let around = step.wrapping_mul(u64::from(extent));
            let mut before_end = if upwards { extent - 1 - here } else { here };
            let mut link = at * ports + port;
            for _ in 0..distance {
                visit(LinkId(link));
                let back = if before_end == 0 { around } else { 0 };
                link = link.wrapping_add(step).wrapping_sub(back);
                before_end = before_end.wrapping_sub(1);
            }
            at = at + u64::from(there) * axis.stride - u64::from(here) * axis.stride;
            (rest_from, rest_to) = (outer_from, outer_to);
        }
    }
}
