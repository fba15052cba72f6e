//! The module's commands as calls of the Function library.

/// The call of a function that does what a command of the module does; other commands as they are.
pub fn function_call<'a>(words: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let (function, keys): (&str, &[usize]) = match words[0].to_ascii_uppercase().as_slice() {
        b"EGG.ACKDEL" => ("egg_ackdel", &[1]),
        b"EGG.GROUPGUARD" => ("egg_groupguard", &[1]),
        b"EGG.DELEX" => ("egg_delex", &[1]),
        b"EGG.ACKMOVE" => ("egg_ackmove", &[1, 3]),
        _ => return words.to_vec(),
    };
    let is_key = |index: &usize| keys.contains(index);
    let word = |index: usize| words[index];
    let count = (1..words.len()).filter(is_key).count();
    let mut call: Vec<&[u8]> = vec![b"FCALL", function.as_bytes(), [&b"0"[..], b"1", b"2"][count]];
    call.extend((1..words.len()).filter(is_key).map(word));
    call.extend((1..words.len()).filter(|index| !is_key(index)).map(word));
    call
}
