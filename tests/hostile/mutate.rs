//! Hostile inputs out of good ones: bytes that were damaged, and tables in which something was put in another's place.

use fastrand::Rng;
use toml::{Table, Value};

/// Good inputs, and what they are made of.
pub struct Seeds {
    texts: Vec<Vec<u8>>,
    tables: Vec<Table>,
    /// Every key with every value that stands under it somewhere.
    parts: Vec<(String, Value)>,
}

/// Words that mean something somewhere.
const WORDS: [&str; 34] = [
    "",
    "none",
    "0s",
    "1ns",
    "1ms",
    "-1s",
    "106751d 23h",
    "2562047h",
    "1000y",
    "0..19",
    "9..1",
    "0..9999999",
    "a/b",
    "../../x",
    "/etc/passwd",
    "burst",
    "open",
    "closed",
    "\u{0}",
    "ä🙂",
    "inf",
    "NaN",
    "1e400",
    "max",
    "clip",
    "stop",
    "call",
    "fleet",
    "every_send",
    "silent",
    "answer",
    "poisson",
    "herd",
    "stripe",
];

const WHOLE: [i64; 20] = [
    0,
    1,
    -1,
    2,
    3,
    10,
    100,
    101,
    1_000,
    65_536,
    1_000_000,
    10_000_000,
    10_000_001,
    100_000_000,
    4_294_967_295,
    4_294_967_296,
    9_007_199_254_740_993,
    i64::MAX,
    i64::MIN,
    7,
];

const REAL: [f64; 18] = [
    0.0,
    -0.0,
    1.0,
    0.5,
    -1.0,
    1e-9,
    1e-300,
    5e-324,
    1e9,
    1e18,
    1e300,
    f64::MAX,
    f64::MIN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.1,
    2.0,
];

impl Seeds {
    /// Good inputs; those that are TOML are changed as tables as well.
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let texts: Vec<String> = texts.into_iter().collect();
        let tables: Vec<Table> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        let mut parts = Vec::new();
        tables.iter().for_each(|table| collect(table, &mut parts));
        Self { texts: texts.into_iter().map(String::into_bytes).collect(), tables, parts }
    }

    /// An input: one of the good ones with a few things changed.
    pub fn hostile(&self, rng: &mut Rng) -> Vec<u8> {
        if self.tables.is_empty() || rng.u8(..) < 80 {
            return self.damaged(rng);
        }
        toml::to_string(&self.other_table(rng)).map_or_else(|_| self.damaged(rng), String::into_bytes)
    }

    /// A good table with a few values changed, put in or left out.
    pub fn other_table(&self, rng: &mut Rng) -> Table {
        let mut table = rng.choice(&self.tables).cloned().unwrap_or_default();
        for _ in 0..rng.usize(1..5) {
            self.change(&mut table, rng);
        }
        table
    }

    /// A good text with a few bytes changed.
    pub fn damaged(&self, rng: &mut Rng) -> Vec<u8> {
        let mut bytes = rng.choice(&self.texts).cloned().unwrap_or_default();
        for _ in 0..rng.usize(1..8) {
            let at = rng.usize(..=bytes.len());
            let until = (at + rng.usize(..=16)).min(bytes.len());
            match rng.u8(..8) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..until)),
                2 => bytes.insert(at, rng.u8(..)),
                3 => bytes.extend_from_within(at..until),
                4 => insert(&mut bytes, at, rng.choice(WORDS).unwrap_or_default().as_bytes()),
                5 => insert(&mut bytes, at, rng.choice(WHOLE).unwrap_or_default().to_string().as_bytes()),
                6 => {
                    let other = rng.choice(&self.texts).map_or(&[][..], Vec::as_slice);
                    let from = rng.usize(..=other.len());
                    let part = other[from..(from + 40).min(other.len())].to_vec();
                    insert(&mut bytes, at, &part);
                }
                _ => {
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << rng.u8(..8);
                    }
                }
            }
        }
        bytes
    }

    /// Changes something somewhere below `table`.
    fn change(&self, table: &mut Table, rng: &mut Rng) {
        let keys: Vec<String> = table.keys().cloned().collect();
        let Some(key) = rng.choice(&keys) else { return self.put_in(table, rng) };
        match rng.u8(..10) {
            0 => self.put_in(table, rng),
            1 => drop(table.remove(key)),
            _ => {
                if let Some(value) = table.get_mut(key) {
                    self.change_value(key, value, rng);
                }
            }
        }
    }

    fn change_value(&self, key: &str, value: &mut Value, rng: &mut Rng) {
        match value {
            Value::Table(below) if rng.u8(..) < 230 => self.change(below, rng),
            Value::Array(list) if !list.is_empty() && rng.u8(..) < 230 => {
                let at = rng.usize(..list.len());
                match rng.u8(..8) {
                    0 => drop(list.remove(at)),
                    1 => list.extend(vec![list[at].clone(); rng.usize(1..40)]),
                    2 => rng.shuffle(list),
                    3 => list.push(self.known(key, rng)),
                    _ => self.change_value(key, &mut list[at], rng),
                }
            }
            Value::Integer(n) if rng.bool() => {
                *n = match rng.u8(..4) {
                    0 => n.wrapping_mul(10),
                    1 => n.wrapping_neg(),
                    2 => n.wrapping_add(1),
                    _ => n.wrapping_sub(1),
                }
            }
            _ => *value = if rng.bool() { self.known(key, rng) } else { odd(rng) },
        }
    }

    fn put_in(&self, table: &mut Table, rng: &mut Rng) {
        if let Some((key, value)) = rng.choice(&self.parts) {
            let value = if rng.u8(..4) == 0 { odd(rng) } else { value.clone() };
            table.insert(key.clone(), value);
        }
    }

    /// A value that stands under this key somewhere, or an odd one.
    fn known(&self, key: &str, rng: &mut Rng) -> Value {
        let known: Vec<&Value> =
            self.parts.iter().filter(|(other, _)| other == key).map(|(_, value)| value).collect();
        rng.choice(known).cloned().unwrap_or_else(|| odd(rng))
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

fn collect(table: &Table, parts: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        parts.push((key.clone(), value.clone()));
        collect_value(key, value, parts);
    }
}

fn collect_value(key: &str, value: &Value, parts: &mut Vec<(String, Value)>) {
    match value {
        Value::Table(below) => collect(below, parts),
        Value::Array(list) => list.iter().for_each(|value| {
            parts.push((key.to_owned(), value.clone()));
            collect_value(key, value, parts);
        }),
        _ => {}
    }
}

/// A value that is allowed in few places.
fn odd(rng: &mut Rng) -> Value {
    match rng.u8(..12) {
        0..3 => Value::Integer(rng.choice(WHOLE).unwrap_or_default()),
        3..6 => Value::Float(rng.choice(REAL).unwrap_or_default()),
        6..9 => Value::String(rng.choice(WORDS).unwrap_or_default().into()),
        9 => Value::Boolean(rng.bool()),
        10 => Value::Array((0..rng.usize(..4)).map(|_| odd(rng)).collect()),
        _ => Value::Table(Table::new()),
    }
}
