//! Logs that were written by hand, and what the judge says of them.

use super::judge::Judge;

/// What the judge objects to, without the command.
fn objections(log: &[&str]) -> Vec<String> {
    let log: Vec<Vec<String>> = log.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    let mut judge = Judge::default();
    judge.read(&log);
    let why = |text: &String| text.split("]: ").nth(1).unwrap_or_default().to_owned();
    judge.unlawful.iter().map(why).collect()
}

const READ: &str = "XCLAIM s g c 0 1-0 TIME 1 RETRYCOUNT 1 FORCE JUSTID LASTID 1-0";

#[test]
fn what_was_acknowledged_may_go() {
    let log = ["XADD s 1-0 f v", "XGROUP CREATE s g 0", READ, "MULTI", "XACK s g 1-0", "XDEL s 1-0", "EXEC"];
    assert_eq!(objections(&log), [""; 0]);
}

#[test]
fn what_is_pending_may_not_go() {
    let log = ["XADD s 1-0 f v", "XGROUP CREATE s g 0", READ, "XDEL s 1-0"];
    assert_eq!(objections(&log), ["1-0 of s: c of g has it pending"]);
    let log = ["XADD s 1-0 f v", "XGROUP CREATE s g 0", READ, "XTRIM s MAXLEN = 0"];
    assert_eq!(objections(&log), ["1-0 of s: c of g has it pending"]);
}

#[test]
fn what_another_group_was_not_delivered_may_not_go() {
    let start = ["XADD s 1-0 f v", "XGROUP CREATE s g 0", READ, "XACK s g 1-0"];
    for (then, expected) in [
        (&["XGROUP CREATE s h 0", "XDEL s 1-0"][..], &["1-0 of s: h has not been delivered it"][..]),
        (&["XGROUP CREATE s h $", "XDEL s 1-0"], &[]),
        (&["XGROUP CREATE s h 0", "XGROUP DESTROY s h", "XDEL s 1-0"], &[]),
        (&["XGROUP SETID s g 0", "XTRIM s MINID = 2-0"], &["1-0 of s: g has not been delivered it"]),
        (&["XGROUP CREATE s h 0", "RENAME s t", "XDEL t 1-0"], &["1-0 of t: h has not been delivered it"]),
        (&["SWAPDB 0 1", "XGROUP CREATE s h 0", "XDEL s 1-0"], &[]),
        (&["XGROUP CREATE s h 0", "SWAPDB 0 1", "SELECT 1", "XDEL s 1-0"], &["1-0 of s: h has not been delivered it"]),
        (&["XGROUP CREATE s h 0", "DEL s", "XADD s 1-0 f v", "XDEL s 1-0"], &[]),
    ] {
        assert_eq!(objections(&[&start[..], then].concat()), expected, "{then:?}");
    }
}

#[test]
fn what_a_dropped_consumer_had_may_go() {
    let start = ["XADD s 1-0 f v", "XGROUP CREATE s g 0", READ];
    assert_eq!(objections(&[&start[..], &["XGROUP DELCONSUMER s g c", "XDEL s 1-0"]].concat()), [""; 0]);
    let claimed = "XCLAIM s g d 0 1-0 TIME 1 RETRYCOUNT 2 FORCE JUSTID LASTID 1-0";
    let log = [&start[..], &[claimed, "XGROUP DELCONSUMER s g c", "XDEL s 1-0"]].concat();
    assert_eq!(objections(&log), ["1-0 of s: d of g has it pending"]);
}
