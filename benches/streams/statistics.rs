//! Medians and spreads: what a noisy machine leaves of its measurements.

/// The median, and the quartiles around it.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Summary {
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { low: quantile(&sorted, 0.25), median: quantile(&sorted, 0.5), high: quantile(&sorted, 0.75) }
    }

    /// Of one measurement over another of the same round: what slows down both of them cancels out.
    pub fn of_ratios(values: &[f64], others: &[f64]) -> Self {
        Self::of(&values.iter().zip(others).map(|(value, other)| value / other).collect::<Vec<_>>())
    }
}

/// The value below which a share of sorted values lies.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}
