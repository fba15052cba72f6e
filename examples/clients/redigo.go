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

// hasCode tells an error reply by its code. All that the server sends as an error is a redis.Error.
func hasCode(err error, code string) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.HasPrefix(string(reply), code+" ")
}

// egg sends a command. The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options
// may come last.
func egg(conn redis.Conn, command, stream string, args redis.Args) (interface{}, error) {
	args = redis.Args{stream}.AddFlat(args)
	reply, err := conn.Do(command, args...)
	if hasCode(err, "FOREIGNGROUP") {
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

func run(url string) error {
	conn, err := redis.DialURL(url)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := acknowledge(conn, "jobs", "workers", "w1", "1-0", "3-0", "9-0"); err != nil {
		return err
	}
	if err := acknowledge(conn, "shared", "workers", "w1", "1-0"); err != nil {
		return err
	}
	if err := bury(conn, "jobs", "workers", "w1", "2-0", "9-0"); err != nil {
		return err
	}
	for _, wrong := range [][2]string{{"wrokers", "1-0"}, {"workers", "no-id"}} {
		err := acknowledge(conn, "jobs", wrong[0], "w1", wrong[1])
		var reply redis.Error
		switch {
		case hasCode(err, "NOGROUP"):
			fmt.Println("no such stream or group")
		case errors.As(err, &reply):
			fmt.Println("another error")
		default:
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
