//! Places for what comes and goes, used again and again.

/// Where something is kept, and which of those that were ever kept there it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub slot: u32,
    pub stamp: u32,
}

/// What is kept. A key of something that has been removed finds nothing.
#[derive(Debug)]
pub(super) struct Slots<T> {
    places: Vec<(u32, T)>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// How many are kept.
    #[inline]
    pub const fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub fn clear(&mut self) {
        self.places.clear();
        self.free.clear();
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no more than the calls of a run, a few copies each")]
    pub fn insert(&mut self, item: T) -> Key {
        if let Some(slot) = self.free.pop() {
            let place = &mut self.places[slot as usize];
            place.1 = item;
            return Key { slot, stamp: place.0 };
        }
        self.places.push((0, item));
        Key { slot: self.places.len() as u32 - 1, stamp: 0 }
    }

    #[inline]
    pub fn get(&self, key: Key) -> Option<&T> {
        self.places.get(key.slot as usize).filter(|place| place.0 == key.stamp).map(|place| &place.1)
    }

    #[inline]
    pub fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.places.get_mut(key.slot as usize).filter(|place| place.0 == key.stamp).map(|place| &mut place.1)
    }

    #[inline]
    pub fn remove(&mut self, key: Key) {
        if let Some(place) = self.places.get_mut(key.slot as usize).filter(|place| place.0 == key.stamp) {
            place.0 = place.0.wrapping_add(1);
            self.free.push(key.slot);
        }
    }
}
