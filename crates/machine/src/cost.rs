//! Costs by size: a start-up for each packet and a time for each byte, piecewise linear.
//!
//! The linear model t(s) = l + s b is Hockney's; real systems change protocols, fill packets and
//! favour aligned sizes, so a [`Cost`] is a list of such lines, of which the first that applies to
//! a size decides (P7, M2).

use panto_units::Time;

/// The time of a byte, in fixed point with a unit of 2^-20 ps: at 900 GB/s a byte takes 1.1 ps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct PerByte(u64);

/// Fractional bits: a byte may take from a millionth of a picosecond to 17 seconds.
const FRACTION: u32 = 20;

impl PerByte {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Converts from seconds per byte; `None` if that is negative, not a number or above 17
    /// seconds.
    pub fn from_secs(seconds: f64) -> Option<Self> {
        let scaled = (seconds * 1e12 * f64::from(1_u32 << FRACTION)).round();
        (scaled >= 0.0 && scaled < u64::MAX as f64).then_some(Self(scaled as u64))
    }

    /// Seconds per byte.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << FRACTION) * 1e-12
    }

    /// The time of `bytes` bytes, rounded once.
    #[inline]
    pub fn of(self, bytes: u64) -> Time {
        if let Some(product) = self.0.checked_mul(bytes)
            && let Some(sum) = product.checked_add(1 << (FRACTION - 1))
        {
            return Time::from_picos(sum >> FRACTION);
        }
        let exact = (u128::from(self.0) * u128::from(bytes) + (1 << (FRACTION - 1))) >> FRACTION;
        Time::from_picos(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

/// Factors for times: what would a better network change?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// For what each message or packet takes, whatever its size.
    pub startup: f64,
    /// For what each byte takes.
    pub per_byte: f64,
}

impl Scale {
    /// Returns a start-up time, multiplied.
    pub fn startup(self, time: Time) -> Time {
        Time::from_picos((time.as_picos() as f64 * self.startup).round() as u64)
    }

    /// Returns the time of a byte, multiplied.
    pub fn per_byte(self, time: PerByte) -> PerByte {
        PerByte((time.0 as f64 * self.per_byte).round() as u64)
    }
}

/// A residue class of sizes: the CM-5 is fast for multiples of 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Residue {
    /// The modulus, not 0.
    pub modulus: u64,
    /// The remainder of the size.
    pub remainder: u64,
}

/// A linear cost that applies to some sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Piece {
    /// The largest size it applies to; `None` for all sizes.
    pub up_to: Option<u64>,
    /// The only sizes it applies to; `None` for all sizes.
    pub residue: Option<Residue>,
    /// The time of each packet, however full.
    pub startup: Time,
    /// Bytes in a packet, not 0; `None` for one packet of any size.
    pub packet: Option<u64>,
    /// The time of each byte.
    pub per_byte: PerByte,
}

/// A cost by size: the first piece that applies decides (P7, M2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Cost {
    pieces: Vec<Piece>,
    last: Piece,
}

impl Cost {
    /// Creates a cost from `pieces` in the order of precedence; `last` applies to all other sizes.
    pub fn new(pieces: Vec<Piece>, last: Piece) -> Self {
        Self { pieces, last: Piece { up_to: None, residue: None, ..last } }
    }

    /// One line for all sizes.
    pub fn line(startup: Time, per_byte: PerByte) -> Self {
        Self::new(Vec::new(), Piece { startup, per_byte, ..Piece::default() })
    }

    /// The same time for all sizes.
    pub fn constant(startup: Time) -> Self {
        Self::line(startup, PerByte::ZERO)
    }

    /// The pieces in the order of precedence; the last applies to all sizes that the others leave.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().chain(std::iter::once(&self.last))
    }

    /// The piece that applies to a size.
    #[inline]
    pub fn piece(&self, bytes: u64) -> &Piece {
        self.pieces.iter().find(|piece| piece.applies(bytes)).unwrap_or(&self.last)
    }

    /// The time of `bytes` bytes. An empty message is one packet.
    #[inline]
    pub fn of(&self, bytes: u64) -> Time {
        self.piece(bytes).of(bytes)
    }

    /// The part of the time of `bytes` bytes that is spent for each packet.
    #[inline]
    pub fn startup(&self, bytes: u64) -> Time {
        self.piece(bytes).startup(bytes)
    }

    /// The part of the time of `bytes` bytes that is spent for each byte.
    #[inline]
    pub fn data(&self, bytes: u64) -> Time {
        self.piece(bytes).per_byte.of(bytes)
    }

    /// Returns the cost with the time of each packet and that of each byte multiplied.
    #[must_use]
    pub fn scaled(&self, by: Scale) -> Self {
        let scaled = |piece: &Piece| Piece {
            startup: by.startup(piece.startup),
            per_byte: by.per_byte(piece.per_byte),
            ..*piece
        };
        Self { pieces: self.pieces.iter().map(scaled).collect(), last: scaled(&self.last) }
    }

    /// Returns whether it is zero for every size.
    pub fn is_free(&self) -> bool {
        self.pieces().all(|piece| piece.startup == Time::ZERO && piece.per_byte == PerByte::ZERO)
    }
}

impl Piece {
    fn applies(&self, bytes: u64) -> bool {
        self.up_to.is_none_or(|most| bytes <= most)
            && self.residue.is_none_or(|residue| bytes % residue.modulus == residue.remainder)
    }

    /// The number of packets of a message.
    #[inline]
    pub fn packets(&self, bytes: u64) -> u64 {
        self.packet.map_or(1, |packet| bytes.div_ceil(packet).max(1))
    }

    #[inline]
    fn startup(&self, bytes: u64) -> Time {
        Time::from_picos(self.startup.as_picos().saturating_mul(self.packets(bytes)))
    }

    #[inline]
    fn of(&self, bytes: u64) -> Time {
        self.startup(bytes).saturating_add(self.per_byte.of(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Time {
        Time::from_nanos(micros * 1_000)
    }

    #[test]
    fn an_empty_message_is_one_packet() {
        let last = Piece {
            startup: us(3),
            packet: Some(100),
            per_byte: PerByte::from_secs(1e-6).unwrap(),
            ..Piece::default()
        };
        let cost = Cost::new(vec![], last);
        let times: Vec<Time> = [0, 1, 100, 101].map(|bytes| cost.of(bytes)).into();
        assert_eq!(times, [us(3), us(4), us(103), us(107)]);
    }

    #[test]
    fn rates_are_rounded_once() {
        let rate = PerByte::from_secs(1.0 / 900e9).unwrap();
        assert!((rate.of(900_000_000_000).as_secs() - 1.0).abs() < 1e-6);
        assert_eq!(rate.of(9).as_picos(), 10);
        assert_eq!(PerByte::from_secs(10.0).unwrap().of(u64::MAX).as_picos(), u64::MAX);
        assert_eq!(PerByte::from_secs(-1.0), None);
        assert_eq!(PerByte::from_secs(f64::NAN), None);
    }

    #[test]
    fn residue_classes_have_their_own_costs() {
        let full = Piece {
            residue: Some(Residue { modulus: 16, remainder: 0 }),
            startup: us(88),
            ..Piece::default()
        };
        let cost = Cost::new(vec![full], Piece { startup: us(126), ..Piece::default() });
        assert_eq!([0, 16, 17].map(|bytes| cost.of(bytes)), [us(88), us(88), us(126)]);
    }
}
