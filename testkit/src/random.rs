//! Random numbers that are the same in every run (xorshift64*).

#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize) % limit
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high - low + 1) as usize) as u64
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// One of several, each as likely as its weight says.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let mut ticket = self.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            if ticket < *weight {
                return *item;
            }
            ticket -= weight;
        }
        panic!("no item has a weight");
    }

    /// True in so many cases of a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// Some of the items, at least one and at most `limit`, in any order.
    pub fn some_of<T: Clone>(&mut self, items: &[T], limit: usize) -> Vec<T> {
        let mut chosen = items.to_vec();
        self.shuffle(&mut chosen);
        chosen.truncate(1 + self.below(limit.min(items.len())));
        chosen
    }
}
