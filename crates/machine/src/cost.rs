//! What something costs by its size: start-up for each packet, time for each byte, in pieces.

use panto_units::Time;

/// Time for a byte: picoseconds in fixed point, because at 900 GB/s a byte takes 1.1 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct PerByte(u64);

/// Binary digits of the fraction: a byte may take from a millionth of a picosecond to 17 seconds.
const FRACTION: u32 = 20;

impl PerByte {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// From seconds a byte; `None` if that is negative, not a number or beyond 17 seconds.
    pub fn from_secs(seconds: f64) -> Option<Self> {
        let scaled = (seconds * 1e12 * f64::from(1_u32 << FRACTION)).round();
        (scaled >= 0.0 && scaled < u64::MAX as f64).then_some(Self(scaled as u64))
    }

    /// Seconds a byte.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << FRACTION) * 1e-12
    }

    /// The time of so many bytes, rounded once.
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

/// Sizes that leave a remainder: the CM-5 is fast for multiples of 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Residue {
    /// The size is divided by this, which is not 0.
    pub modulus: u64,
    /// What must remain.
    pub remainder: u64,
}

/// A line that holds for some sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Piece {
    /// Holds up to this size; for all if none.
    pub up_to: Option<u64>,
    /// Holds for these sizes only.
    pub residue: Option<Residue>,
    /// Time for each packet, however full.
    pub startup: Time,
    /// Bytes in a packet; all in one if none. Not 0.
    pub packet: Option<u64>,
    /// Time for each byte.
    pub per_byte: PerByte,
}

/// What a size costs: the first piece that holds decides (P7, M2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Cost {
    pieces: Vec<Piece>,
    last: Piece,
}

impl Cost {
    /// `pieces` in the order in which they are asked; `last` holds for what remains.
    pub fn new(pieces: Vec<Piece>, last: Piece) -> Self {
        Self { pieces, last: Piece { up_to: None, residue: None, ..last } }
    }

    /// One line for all sizes.
    pub fn line(startup: Time, per_byte: PerByte) -> Self {
        Self::new(Vec::new(), Piece { startup, per_byte, ..Piece::default() })
    }

    /// The same for all sizes.
    pub fn constant(startup: Time) -> Self {
        Self::line(startup, PerByte::ZERO)
    }

    /// The pieces, the last of which holds for all that the others leave.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().chain(std::iter::once(&self.last))
    }

    /// The piece that decides.
    #[inline]
    pub fn piece(&self, bytes: u64) -> &Piece {
        self.pieces.iter().find(|piece| piece.holds(bytes)).unwrap_or(&self.last)
    }

    /// The time of so many bytes. A message of nothing is still one packet.
    #[inline]
    pub fn of(&self, bytes: u64) -> Time {
        self.piece(bytes).of(bytes)
    }

    /// Is it nothing for every size?
    pub fn is_free(&self) -> bool {
        self.pieces().all(|piece| piece.startup == Time::ZERO && piece.per_byte == PerByte::ZERO)
    }
}

impl Piece {
    fn holds(&self, bytes: u64) -> bool {
        self.up_to.is_none_or(|most| bytes <= most)
            && self.residue.is_none_or(|residue| bytes % residue.modulus == residue.remainder)
    }

    /// Packets of so many bytes.
    #[inline]
    pub fn packets(&self, bytes: u64) -> u64 {
        self.packet.map_or(1, |packet| bytes.div_ceil(packet).max(1))
    }

    #[inline]
    fn of(&self, bytes: u64) -> Time {
        let startup = self.startup.as_picos().saturating_mul(self.packets(bytes));
        Time::from_picos(startup).saturating_add(self.per_byte.of(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Time {
        Time::from_nanos(micros * 1_000)
    }

    #[test]
    fn a_message_of_nothing_is_a_packet() {
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
    fn residues_have_lines_of_their_own() {
        let full = Piece {
            residue: Some(Residue { modulus: 16, remainder: 0 }),
            startup: us(88),
            ..Piece::default()
        };
        let cost = Cost::new(vec![full], Piece { startup: us(126), ..Piece::default() });
        assert_eq!([0, 16, 17].map(|bytes| cost.of(bytes)), [us(88), us(88), us(126)]);
    }
}
