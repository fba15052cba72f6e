"""Calls redis-py's own methods for Redis 8.2 and checks what they return. Takes the path of a server's unix socket."""

import sys

import redis

for protocol in (2, 3):
    server = redis.Redis(unix_socket_path=sys.argv[1], protocol=protocol)
    server.flushall()
    for number in range(1, 7):
        server.xadd("s", {"f": "v"}, id=f"{number}-0")
    server.xgroup_create("s", "g", id="0")
    server.xgroup_create("s", "h", id="0")
    server.xreadgroup("g", "c", {"s": ">"}, count=5)
    server.xreadgroup("h", "c", {"s": ">"}, count=5)
    server.xack("s", "h", "1-0", "4-0")

    assert server.xackdel("s", "g", "1-0", "2-0", "9-0", ref_policy="ACKED") == [1, 2, -1]
    assert server.xackdel("s", "g", "3-0") == [1]
    assert server.xackdel("s", "g", "3-0", ref_policy="KEEPREF") == [-1]
    assert server.xdelex("s", "2-0", "4-0", "6-0", ref_policy="ACKED") == [2, 2, 2]
    assert server.xdelex("s", "2-0", "2-0", ref_policy="DELREF") == [1, -1]
    assert server.xdelex("none", "2-0") == [-1]
    assert [entry[0] for entry in server.xrange("s")] == [b"4-0", b"5-0", b"6-0"]
    assert [row["message_id"] for row in server.xpending_range("s", "h", "-", "+", 9)] == [b"3-0", b"5-0"]

    assert server.xadd("s", {"f": "v"}, id="7-0", maxlen=2, approximate=False, ref_policy="ACKED") == b"7-0"
    assert server.xlen("s") == 4
    assert server.xtrim("s", maxlen=2, approximate=False, ref_policy="DELREF") == 2
    assert [entry[0] for entry in server.xrange("s")] == [b"6-0", b"7-0"]

    try:
        server.xackdel("s", "g", "no id")
    except redis.ResponseError as error:
        assert str(error) == "Invalid stream ID specified as stream command argument", error
    else:
        raise AssertionError("a bad id was accepted")
    assert server.ping()

print("redis-py", redis.__version__, "ok")
