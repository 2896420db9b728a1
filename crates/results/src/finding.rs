//! The kinds of figures that are derived from records.

/// What a finding is, independent of how its label words it.
///
/// Reports look findings up by kernel, kind and the parameters of their point, never by label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// The time of an empty message.
    EmptyMessage,
    /// The start-up time of a segment: the intercept of its line.
    Startup,
    /// The time per byte of a segment: the slope of its line.
    PerByte,
    /// The largest bandwidth over the sizes of a curve.
    PeakBandwidth,
    /// The message size that reaches half of the peak bandwidth (n1/2).
    HalfPeakSize,
    /// The message size that reaches 90% of the peak bandwidth.
    NinetyPercentSize,
    /// The time that each hop beyond the first adds.
    PerHop,
    /// The median time at one point.
    Time,
    /// The minimum time at one point.
    MinimumTime,
    /// The time that each doubling of the number of ranks adds.
    PerDoubling,
    /// The exponent of growth with the matrix dimension.
    GrowthExponent,
    /// The slowdown under a background load, in per cent.
    Slowdown,
    /// The median latency from a send to the handler.
    HandlerLatency,
    /// The largest latency from a send to the handler.
    MaximumHandlerLatency,
    /// The best file transfer rate.
    FileRate,
    /// The best bandwidth over the sizes of a sweep.
    BestBandwidth,
    /// The best message rate over the sizes of a sweep.
    BestMessageRate,
    /// The largest gain by overlapping communication with computation, in per cent.
    BestOverlapGain,
    /// The smallest gain by overlapping communication with computation, in per cent.
    WorstOverlapGain,
    /// The time that concurrent messages, or a longer path, add to a message, in per cent.
    TimeAdded,
    /// The bandwidth that concurrent messages take from a message, in per cent.
    BandwidthLost,
    /// The modulus whose multiples have a line of their own.
    SizeModulus,
    /// The time that padding to the next multiple of the modulus saves.
    PaddingGain,
    /// The size or number of ranks from which another algorithm is faster.
    Crossover,
    /// The number of segments with which a divided broadcast is fastest.
    BestSegments,
    /// The share of a delay that does not add to the time of a collective, in per cent.
    AbsorbedDelay,
    /// The share of a computation or a collective that is hidden beside the other, in per cent.
    HiddenComputation,
    /// The time that each further swap of a volume adds (COMMTEST's `a`).
    PerSwap,
    /// What each message costs besides its bytes (COMMTEST).
    Latency,
    /// Bytes per second that move in both directions together (COMMTEST).
    SwapBandwidth,
    /// Bytes per second in one direction (COMMTEST).
    OneWayBandwidth,
    /// The rate of long vectors, in floating-point operations per second (Hockney's `r_infinity`).
    AsymptoticRate,
    /// The vector length of half that rate, in elements (Hockney's `n_half`).
    HalfLength,
    /// The mean relative error of COMMTEST's linear model, in per cent.
    LinearModelError,
}
