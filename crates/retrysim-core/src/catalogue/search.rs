//! Finding entries by words.

use super::{Catalogue, Entry};

impl Catalogue {
    /// Entries in which every word of `text` occurs, whatever its case: those with the words in their id before
    /// those with the words in their name, then in what is said about them, then in their sources.
    ///
    /// ```
    /// use retrysim_core::Catalogue;
    ///
    /// let found = Catalogue::bundled().search("kafka java");
    /// assert_eq!(found[0].id, "kafka-java");
    /// ```
    #[must_use]
    pub fn search(&self, text: &str) -> Vec<&Entry> {
        let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
        let mut found: Vec<_> =
            self.entries().filter_map(|entry| Some((rank(entry, &words)?, entry))).collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// The sum over all words of the first place that a word is found in; `None` if a word is not found.
fn rank(entry: &Entry, words: &[String]) -> Option<usize> {
    let variants = entry.variants.iter().map(|(name, variant)| format!("{name} {}", variant.about));
    let about = format!("{} {}", entry.about, variants.collect::<Vec<_>>().join(" "));
    let places = [&entry.id, &entry.name, &about, &entry.source.join(" ")].map(|text| text.to_lowercase());
    words.iter().map(|word| places.iter().position(|place| place.contains(word.as_str()))).sum()
}
