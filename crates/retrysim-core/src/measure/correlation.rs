//! Correlation of two columns that are read side by side, without holding them.

/// Sums of squares and products about the running means (Welford's recurrence).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Correlation {
    count: f64,
    mean: [f64; 2],
    squares: [f64; 2],
    product: f64,
}

impl Correlation {
    /// Adds a pair.
    pub fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let from_old = [x - self.mean[0], y - self.mean[1]];
        self.mean = [0, 1].map(|i| self.mean[i] + from_old[i] / self.count);
        let from_new = [x - self.mean[0], y - self.mean[1]];
        self.squares = [0, 1].map(|i| self.squares[i] + from_old[i] * from_new[i]);
        self.product += from_old[0] * from_new[1];
    }

    /// Pearson's coefficient: covariance over the product of the standard deviations. NaN where a column
    /// doesn't vary.
    pub fn pearson(&self) -> f64 {
        self.product / (self.squares[0].sqrt() * self.squares[1].sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_four_pairs() {
        let mut correlation = Correlation::default();
        for (x, y) in [(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0)] {
            correlation.add(x, y);
        }
        assert!((correlation.pearson() - 0.6).abs() < 1e-12);
    }

    #[test]
    fn of_a_column_that_does_not_vary() {
        let mut correlation = Correlation::default();
        for x in [1.0, 2.0, 3.0] {
            correlation.add(x, 0.1);
        }
        assert!(correlation.pearson().is_nan());
    }
}
