//! Minimal protocol-buffer encoder (<https://protobuf.dev/programming-guides/encoding/>).

/// Encoded bytes of a message.
#[derive(Debug, Default)]
pub struct Proto(Vec<u8>);

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

impl Proto {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Writes a varint field; signed values as two's complement.
    pub fn number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        self.varint(value);
    }

    pub fn fixed(&mut self, field: u32, value: u64) {
        self.tag(field, FIXED64);
        self.0.extend(value.to_le_bytes());
    }

    pub fn text(&mut self, field: u32, text: &str) {
        self.tag(field, LENGTH);
        self.varint(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// Writes a nested message.
    pub fn nested(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        self.tag(field, LENGTH);
        let at = self.0.len();
        // Most lengths take one byte; a longer one moves what follows.
        self.0.push(0);
        fill(self);
        let length = self.0.len() - at - 1;
        if length < 0x80 {
            self.0[at] = length as u8;
        } else {
            let mut prefix = Self::default();
            prefix.varint(length as u64);
            self.0.splice(at..=at, prefix.0);
        }
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_have_long_lengths() {
        let mut proto = Proto::default();
        proto.nested(1, |inner| inner.text(2, &"x".repeat(200)));
        assert_eq!(proto.bytes()[..6], [0x0a, 0xcb, 0x01, 0x12, 0xc8, 0x01]);
        assert_eq!(proto.bytes().len(), 3 + 3 + 200);
        proto.clear();
        proto.number(4, u64::MAX);
        assert_eq!(proto.bytes(), [0x20, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}
