//! A small random number generator: the same seed gives the same history for ever.

/// Xorshift (Marsaglia), 64 bits.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give similar histories, and the state must not be 0 (splitmix64).
        let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((mixed ^ (mixed >> 31)) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[usize::try_from(self.between(0, items.len() as u64 - 1)).unwrap_or_default()]
    }

    /// One of several, each as likely as its weight says.
    pub fn weighted<T: Copy>(&mut self, items: &[(u64, T)]) -> T {
        let mut ticket = self.between(1, items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            if ticket <= *weight {
                return *item;
            }
            ticket -= weight;
        }
        items[0].1
    }
}
