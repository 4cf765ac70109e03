//! A seeded generator of random numbers (xorshift64*), the same on every machine.

#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of one case: neighbours in seed or index share nothing visible.
    pub fn new(seed: u64, index: u64) -> Self {
        let mut mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03);
        mixed ^= mixed >> 31;
        mixed = mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 29;
        let mut rng = Self(mixed | 1);
        rng.draw();
        rng.draw();
        rng
    }

    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `bound`, which is positive.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.draw() >> 33) % bound as u64) as usize
    }

    /// Inclusive.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + ((self.draw() >> 33) % (high - low + 1) as u64) as i64
    }

    pub fn percent(&mut self, chance: u64) -> bool {
        (self.draw() >> 33) % 100 < chance
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}
