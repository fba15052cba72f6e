// EGG with redigo: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/gomodule/redigo/redis"
)

var outcome = map[int]string{1: "deleted", 2: "kept", 0: "with another worker", -1: "not pending"}

// code is the first word of an error reply, in a pipeline, too. All that the server sends as an error is a redis.Error;
// any other error has no code.
func code(err error) string {
	var reply redis.Error
	if !errors.As(err, &reply) {
		return ""
	}
	word, _, _ := strings.Cut(string(reply), " ")
	return word
}

// egg sends a command. The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options
// may come last.
func egg(conn redis.Conn, command, stream string, args redis.Args) (interface{}, error) {
	args = redis.Args{stream}.AddFlat(args)
	reply, err := conn.Do(command, args...)
	if code(err) == "FOREIGNGROUP" {
		fmt.Printf("ALARM: %s has other groups\n", stream)
		return conn.Do(command, args.Add("ACKONLY")...)
	}
	return reply, err
}

func acknowledge(conn redis.Conn, stream, group, worker string, ids ...string) error {
	args := redis.Args{group, "OWNER", worker, "IDS", len(ids)}.AddFlat(ids)
	replies, err := redis.Ints(egg(conn, "EGG.ACKDEL", stream, args))
	if err != nil {
		return err
	}
	for i, reply := range replies {
		fmt.Println(ids[i], outcome[reply])
	}
	return nil
}

func bury(conn redis.Conn, stream, group, worker string, ids ...string) error {
	args := redis.Args{group, "dead", "OWNER", worker, "META", "SET", 1, "try", 2, "IDS", len(ids)}.AddFlat(ids)
	replies, err := redis.Values(egg(conn, "EGG.ACKMOVE", stream, args))
	if err != nil {
		return err
	}
	for i, reply := range replies {
		// redis.Strings would turn nil into an empty string.
		switch moved, err := redis.String(reply, nil); err {
		case nil:
			fmt.Println(ids[i], "moved as", moved)
		case redis.ErrNil:
			fmt.Println(ids[i], "not moved")
		default:
			return err
		}
	}
	return nil
}

type entry struct{ stream, id string }

// acknowledgeEach takes entries of several streams, in one round trip.
func acknowledgeEach(conn redis.Conn, group, worker string, entries ...entry) error {
	for _, entry := range entries {
		if err := conn.Send("EGG.ACKDEL", entry.stream, group, "OWNER", worker, "IDS", 1, entry.id); err != nil {
			return err
		}
	}
	if err := conn.Flush(); err != nil {
		return err
	}
	var refused []entry
	for _, entry := range entries {
		replies, err := redis.Ints(conn.Receive())
		switch {
		case err == nil:
			fmt.Println(entry.id, outcome[replies[0]])
		case code(err) == "FOREIGNGROUP":
			refused = append(refused, entry) // not sent before all replies are read
		case code(err) != "":
			fmt.Println("error", code(err))
		default:
			return err
		}
	}
	for _, entry := range refused {
		if err := attempt(acknowledge(conn, entry.stream, group, worker, entry.id)); err != nil {
			return err
		}
	}
	return nil
}

// attempt tells of an error reply: NOGROUP is a mistyped key or group, or the server has lost the stream; the others
// are an operator's. What is left is that of the connection.
func attempt(err error) error {
	if code(err) == "" {
		return err
	}
	fmt.Println("error", code(err))
	return nil
}

func run(url string) error {
	conn, err := redis.DialURL(url)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, step := range []func() error{
		func() error { return acknowledge(conn, "jobs", "workers", "w1", "1-0", "3-0", "9-0") },
		func() error { return acknowledge(conn, "shared", "workers", "w1", "1-0") },
		func() error { return bury(conn, "jobs", "workers", "w1", "2-0", "9-0") },
		func() error {
			return acknowledgeEach(conn, "workers", "w1", entry{"jobs", "4-0"}, entry{"no-jobs", "1-0"}, entry{"shared", "2-0"})
		},
		func() error { return acknowledge(conn, "jobs", "wrokers", "w1", "1-0") },
		func() error { return acknowledge(conn, "jobs", "workers", "w1", "no-id") },
	} {
		if err := attempt(step()); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	url := os.Getenv("REDIS_URL")
	if url == "" {
		url = "redis://127.0.0.1:6379"
	}
	if err := run(url); err != nil {
		log.Fatal(err)
	}
}
