use super::{Reader, Token, bookkeeping, delivery, error, groups, integer, pending_ids, shortest_idle};
use crate::stream::{Delivery, Group};
use crate::values::entry_id::EntryId;

const fn id(ms: u64, seq: u64) -> EntryId {
    EntryId { ms, seq }
}

#[test]
fn reads_every_kind_of_token() {
    let mut reader = Reader::new(b"*6\r\n:-3\r\n+OK\r\n-ERR no\r\n$-1\r\n*-1\r\n$4\r\na\r\nb\r\n");
    let tokens: Vec<_> = std::iter::from_fn(|| reader.token()).collect();
    let expected = [
        Token::Array(6),
        Token::Integer(-3),
        Token::Text(b"OK"),
        Token::Error(b"ERR no"),
        Token::Nil,
        Token::Nil,
        Token::Text(b"a\r\nb"),
    ];
    assert_eq!(tokens, expected);
}

#[test]
fn ends_quietly_where_a_reply_is_cut_short() {
    let whole = b"*2\r\n$3\r\nabc\r\n:1\r\n";
    for end in 0..whole.len() {
        let mut reader = Reader::new(&whole[..end]);
        while reader.token().is_some() {}
        assert!(Reader::new(&whole[..end]).skip().is_none(), "{end}");
    }
}

#[test]
fn reads_deliveries_and_counters() {
    let reply = b"*2\r\n*4\r\n$3\r\n1-1\r\n$1\r\nc\r\n:10\r\n:1\r\n*4\r\n$3\r\n2-1\r\n$1\r\nc\r\n:10\r\n:1\r\n";
    let first = delivery(reply);
    assert_eq!(first, Some(Some(Delivery { consumer: b"c".to_vec(), count: 1 })));
    let many = delivery(b"*1\r\n*4\r\n$3\r\n1-1\r\n$1\r\nc\r\n:10\r\n:-9223372036854775808\r\n");
    assert_eq!(many, Some(Some(Delivery { consumer: b"c".to_vec(), count: 1 << 63 })));
    assert_eq!(delivery(b"*0\r\n"), Some(None));
    assert_eq!(delivery(b"-ERR no\r\n"), None);
    let reply = b"*8\r\n$17\r\nlast-generated-id\r\n$3\r\n9-1\r\n$20\r\nmax-deleted-entry-id\r\n$3\r\n3-1\r\n\
        $11\r\nfirst-entry\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n$13\r\nentries-added\r\n:9\r\n";
    let found = bookkeeping(reply).unwrap_or_default();
    assert_eq!((found.last_generated, found.max_deleted, found.entries_added), (id(9, 1), id(3, 1), 9));
}

#[test]
fn reads_the_shortest_idle_time() {
    let row = |idle: u32| format!("*4\r\n$4\r\nname\r\n$1\r\nc\r\n$4\r\nidle\r\n:{idle}\r\n");
    assert_eq!(shortest_idle(format!("*2\r\n{}{}", row(70), row(9)).as_bytes()), Some(Some(9)));
    assert_eq!(shortest_idle(b"*0\r\n"), Some(None));
    assert_eq!(shortest_idle(b"-ERR no\r\n"), None);
}

/// As Redis 7.4 answers; the second group's lag is unknown.
#[test]
fn reads_groups_whatever_fields_there_are() {
    let row = |name: &str, id: &str, lag: &str| {
        format!(
            "*12\r\n$4\r\nname\r\n$1\r\n{name}\r\n$9\r\nconsumers\r\n:1\r\n$7\r\npending\r\n:2\r\n$17\r\nlast-delivered-id\r\n\
             $3\r\n{id}\r\n$12\r\nentries-read\r\n$-1\r\n$3\r\nlag\r\n{lag}\r\n"
        )
    };
    let reply = format!("*2\r\n{}{}", row("g", "5-1", ":7"), row("h", "0-0", "$-1"));
    let group = |name, last_delivered, lag| Group { name, pending: 2, last_delivered, lag };
    let expected = vec![group(b"g", id(5, 1), Some(7)), group(b"h", id(0, 0), None)];
    assert_eq!(groups(reply.as_bytes()), Some(expected));
    assert_eq!(groups(b"*0\r\n"), Some(Vec::new()));
    assert_eq!(groups(b"*1\r\n*2\r\n$7\r\npending\r\n:-2\r\n"), None);
    assert_eq!(groups(b"-ERR no such key\r\n"), None);
}

#[test]
fn reads_the_ids_of_a_pending_entries_list() {
    let reply = b"*2\r\n*4\r\n$3\r\n1-1\r\n$1\r\nc\r\n:10\r\n:1\r\n*4\r\n$3\r\n2-1\r\n$1\r\nc\r\n:10\r\n:1\r\n";
    assert_eq!(pending_ids(reply), Some(vec![id(1, 1), id(2, 1)]));
    assert_eq!(pending_ids(b"*0\r\n"), Some(Vec::new()));
    assert_eq!(pending_ids(&reply[..reply.len() - 1]), None);
}

#[test]
fn believes_no_length_that_is_not_there() {
    let most = b"*9223372036854775807\r\n";
    assert_eq!((groups(most), pending_ids(most)), (None, None));
    assert_eq!(Reader::new(b"*9223372036854775808\r\n").token(), None);
    assert_eq!(
        (integer(b":-7\r\n"), integer(b"+OK\r\n"), error(b"-ERR no\r\n")),
        (Some(-7), None, Some(&b"ERR no"[..]))
    );
}
