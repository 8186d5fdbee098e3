//! What the end of a Parquet file says of itself. It is looked for, not parsed: a reader of Parquet trusts what it
//! reads, and panics if it may not.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// Bytes of a footer at the most.
const MAX_FOOTER: u64 = 256 << 20;

/// How a text of fewer than 2^28 bytes begins in a footer: the field that follows another one, in Thrift's compact form.
const TEXT: u8 = 0x18;

/// The end of a Parquet file, where its metadata is; none if it doesn't end as one.
pub(crate) fn footer(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut end = [0; 8];
    if length < 8 {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if magic != *b"PAR1" || footer > (length - 8).min(MAX_FOOTER) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(length - 8 - footer))?;
    file.take(footer).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The text that a footer, or a file that ends with it, holds under a keyword.
pub(crate) fn text(footer: &[u8], keyword: &str) -> Option<String> {
    let mut key = vec![TEXT, u8::try_from(keyword.len()).ok()?];
    key.extend(keyword.as_bytes());
    key.push(TEXT);
    // The last one: what a JSON text holds can't be taken for it, since its control characters are escaped.
    let place = footer.windows(key.len()).rposition(|window| window == key)?;
    let (length, text) = number(footer.get(place + key.len()..)?)?;
    String::from_utf8(text.get(..length)?.to_vec()).ok()
}

/// A number of seven bits a byte, the lowest first, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(4).position(|byte| byte & 0x80 == 0)?;
    let (digits, rest) = bytes.split_at_checked(end + 1)?;
    let number = digits.iter().rev().fold(0, |number, digit| number << 7 | usize::from(digit & 0x7f));
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_under_a_keyword() {
        let mut footer = b"\x18\x01k\x18\x02no, \x18\x01k\x18\x81\x01".to_vec();
        footer.extend([b'x'; 129]);
        assert_eq!(text(&footer, "k"), Some("x".repeat(129)));
        assert_eq!(text(&footer[..footer.len() - 1], "k"), None, "cut");
        assert_eq!(text(&footer, "other"), None);
        assert_eq!(text(b"\x18\x01k\x18\xff\xff\xff\xff\xff", "k"), None, "a number without end");
    }
}
