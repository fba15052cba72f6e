//! Hostile arguments. A word has one char per byte (U+0000 to U+00FF), so that any bytes can stand in the `Words` that the
//! other fuzzer shrinks.

use egg_testkit::random::Random;

/// Words that mean something to some command.
pub const OPTIONS: [&str; 30] = [
    "REJECT",
    "ACKONLY",
    "ACKED",
    "KEEPREF",
    "DELREF",
    "OWNER",
    "IDS",
    "MINDELIVERIES",
    "MAXLEN",
    "MINID",
    "=",
    "~",
    "LIMIT",
    "META",
    "SET",
    "NOMKSTREAM",
    "IGNOREIDLE",
    "IDLE",
    "MATCH",
    "EMPTY",
    "FORCE",
    "DRYRUN",
    "GROUPS",
    "DESTROY",
    "COUNT",
    "JUSTID",
    "STREAMS",
    "*",
    ">",
    "$",
];

const NUMBERS: [&str; 30] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999999",
    "00",
    "01",
    "+1",
    " 1",
    "1 ",
    "1.5",
    "1e3",
    "0x10",
    "-0",
    "",
    "NaN",
    "1\0",
];

const IDS: [&str; 26] = [
    "1-0",
    "1",
    "0-0",
    "0-1",
    "0",
    "18446744073709551615-18446744073709551615",
    "18446744073709551615-0",
    "18446744073709551616-0",
    "1-18446744073709551615",
    "1-18446744073709551616",
    "9223372036854775808-0",
    "-",
    "+",
    "*",
    "1-*",
    "(1-0",
    " 1-0",
    "+1-0",
    "01-00",
    "1--1",
    "-1",
    "1-1-1",
    "1-0\0x",
    "1- -1",
    "1-",
    "1-0 ",
];

const BYTES: [&str; 14] = [
    "\0",
    "\r\n",
    "\r\n-ERR forged\r\n+OK\r\n",
    "$-1\r\n",
    "\u{ff}",
    "\u{c4}\u{80}",
    "\u{e4}\u{b8}\u{80}",
    "%s%n%n",
    "\u{1b}[2J\u{7f}",
    "'\"\\",
    "",
    "{}",
    "s\0",
    "*[a-\\",
];

/// The bytes that a word stands for.
pub fn bytes(word: &str) -> Vec<u8> {
    word.chars().map(|byte| u8::try_from(u32::from(byte)).unwrap_or(b'?')).collect()
}

/// A word as `redis-cli` would print it, cut where it gets long.
pub fn shown(word: &str) -> String {
    let text = bytes(word);
    let dots = if text.len() > 80 { format!("...({} bytes)", text.len()) } else { String::new() };
    format!("\"{}\"{dots}", text[..text.len().min(80)].escape_ascii())
}

fn pick(random: &mut Random, words: &[&str]) -> String {
    words[random.below(words.len())].to_owned()
}

pub fn option(random: &mut Random) -> String {
    let word = pick(random, &OPTIONS);
    match random.below(4) {
        0 => word.to_lowercase(),
        1 => word.chars().enumerate().map(|(n, c)| if n % 2 == 0 { c.to_ascii_lowercase() } else { c }).collect(),
        _ => word,
    }
}

pub fn number(random: &mut Random) -> String {
    pick(random, &NUMBERS)
}

pub fn id(random: &mut Random) -> String {
    match random.below(20) {
        0 => "0".repeat(125 + random.below(4)) + "1-0",
        1 => format!("{}-{}", number(random), number(random)),
        _ => pick(random, &IDS),
    }
}

/// Bytes that mean nothing to anybody.
fn noise(random: &mut Random) -> String {
    let byte = |random: &mut Random| char::from(u8::try_from(random.below(256)).unwrap_or_default());
    match random.below(6000) {
        // Rarely: a call that holds some of these takes milliseconds.
        0 => byte(random).to_string().repeat(1 << 20),
        1..=20 => byte(random).to_string().repeat(10_240),
        21..=2500 => pick(random, &BYTES),
        2501..=4500 => byte(random).to_string(),
        _ => (0..1 + random.below(9)).map(|_| byte(random)).collect(),
    }
}

/// Anything at all.
pub fn any(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => noise(random),
        3 | 4 => option(random),
        5 | 6 => number(random),
        7 => id(random),
        8 => format!("{}-0", random.below(14)),
        _ => pick(random, &["s", "g", "c", "f"]),
    }
}
