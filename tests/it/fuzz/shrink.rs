//! Making a failing history small: first fewer commands, then fewer and plainer arguments.

use crate::vectors::Words;

/// The smallest history found that still fails.
pub fn shrink(history: &[Words], mut fails: impl FnMut(&[Words]) -> bool) -> Vec<Words> {
    let mut smallest = history.to_vec();
    loop {
        let size = size_of(&smallest);
        drop_commands(&mut smallest, &mut fails);
        shorten_arguments(&mut smallest, &mut fails);
        if size_of(&smallest) == size {
            return smallest;
        }
    }
}

fn size_of(history: &[Words]) -> usize {
    history.iter().flatten().map(|word| word.len() + 1).sum()
}

/// Leaves out runs of commands: long ones first, then each by itself, the last first.
fn drop_commands(history: &mut Vec<Words>, fails: &mut impl FnMut(&[Words]) -> bool) {
    let mut run = history.len().div_ceil(2);
    while run > 0 {
        let mut end = history.len();
        while end > 0 {
            let start = end.saturating_sub(run);
            let mut shorter = history.clone();
            shorter.drain(start..end);
            if fails(&shorter) {
                *history = shorter;
            }
            end = start.min(history.len());
        }
        run /= 2;
    }
}

/// Leaves out single arguments, and pairs (an option and its value); an id of an `IDS` block along with its count.
fn shorten_arguments(history: &mut Vec<Words>, fails: &mut impl FnMut(&[Words]) -> bool) {
    for command in 0..history.len() {
        let mut at = history[command].len();
        while at > 1 {
            at -= 1;
            let candidates = without(&history[command], at);
            for shorter in candidates {
                let mut smaller = history.clone();
                smaller[command] = shorter;
                if fails(&smaller) {
                    *history = smaller;
                    at = at.min(history[command].len());
                    break;
                }
            }
        }
    }
}

/// The command without what stands at a place, in the ways that may make sense.
fn without(command: &Words, at: usize) -> Vec<Words> {
    let mut candidates = Vec::new();
    let block = command.iter().position(|word| word.eq_ignore_ascii_case("IDS"));
    if let Some(block) = block
        && let Some(Ok(count)) = command.get(block + 1).map(|count| count.parse::<usize>())
        && count > 1
        && (block + 2..block + 2 + count).contains(&at)
        && at < command.len()
    {
        let mut shorter = command.clone();
        shorter.remove(at);
        shorter[block + 1] = (count - 1).to_string();
        candidates.push(shorter);
    }
    for width in [2, 1] {
        if at + width <= command.len() {
            let mut shorter = command.clone();
            shorter.drain(at..at + width);
            candidates.push(shorter);
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::vectors::Words;

    fn history(lines: &[&str]) -> Vec<Words> {
        lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn leaves_only_the_commands_and_arguments_that_fail_together() {
        let long = history(&[
            "XADD s MAXLEN ~ 5 1-0 f v",
            "XADD s 2-0 f v",
            "XGROUP CREATE s a 0",
            "XREADGROUP GROUP a x COUNT 2 STREAMS s >",
            "XACK s a 1-0",
            "XACKDEL s a ACKED IDS 3 1-0 2-0 3-0",
            "XDEL s 1-0",
            "RENAME s t",
        ]);
        let mut tries = 0;
        // Stands for a fault that shows if 2-0 is read and then deleted as one of a list.
        let small = shrink(&long, |history| {
            tries += 1;
            let read = history.iter().position(|words| words[0] == "XREADGROUP");
            let gone = history.iter().position(|words| {
                let Some(block) = words.iter().position(|word| word == "IDS") else { return false };
                let ids = words.get(block + 2..).unwrap_or_default();
                let counted = words.get(block + 1).is_some_and(|count| *count == ids.len().to_string());
                words[0] == "XACKDEL" && counted && ids.contains(&"2-0".to_owned())
            });
            read.zip(gone).is_some_and(|(read, gone)| read < gone)
        });
        assert_eq!(small, history(&["XREADGROUP", "XACKDEL IDS 1 2-0"]));
        assert!(tries < 200, "{tries} tries");
    }

    #[test]
    fn keeps_a_history_in_which_all_is_needed() {
        let whole = history(&["XADD s 1-0 f v", "XDEL s 1-0"]);
        assert_eq!(shrink(&whole, |history| history == whole), whole);
    }
}
