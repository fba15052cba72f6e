package main

import (
	"errors"
	"log"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Task is an entry of the stream in the hands of this worker.
type Task struct {
	ID      string
	Payload string
	Try     int // 1 at first
}

// Queue is one worker's side of a stream. Finished entries leave the stream as they are acknowledged, so no XTRIM is
// needed, on XADD or by cron, that could take work which nobody has done yet.
type Queue struct {
	Stream string
	Group  string
	Worker string        // the consumer: no two workers that run may share a name
	Dead   string        // the stream of tasks that failed too often
	Tries  int           // how often a task is tried
	Idle   time.Duration // after this long a task is taken from its worker: must exceed the longest task

	conn    redis.Conn
	cursor  string // where the next Claim looks
	alarmed time.Time
}

// Open connects, creates what is missing, and looks whether other groups read the stream.
func (q *Queue) Open(url string) error {
	conn, err := redis.DialURL(url)
	if err != nil {
		return err
	}
	q.conn, q.cursor = conn, "0-0"
	_, err = conn.Do("XGROUP", "CREATE", q.Stream, q.Group, "0", "MKSTREAM")
	if err != nil && !hasCode(err, "BUSYGROUP") {
		return err
	}
	_, err = conn.Do("EGG.GROUPGUARD", q.Stream, q.Group)
	if hasCode(err, "FOREIGNGROUP") {
		q.alarm(err)
		return nil
	}
	return err
}

// Add appends a task.
func (q *Queue) Add(payload string) error {
	_, err := q.conn.Do("XADD", q.Stream, "*", "payload", payload)
	return err
}

// Next waits up to block for tasks that no worker has seen.
func (q *Queue) Next(count int, block time.Duration) ([]Task, error) {
	streams, err := redis.Values(q.conn.Do("XREADGROUP", "GROUP", q.Group, q.Worker, "COUNT", count,
		"BLOCK", block.Milliseconds(), "STREAMS", q.Stream, ">"))
	if err == redis.ErrNil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stream, err := redis.Values(streams[0], nil)
	if err != nil {
		return nil, err
	}
	return tasks(stream[1])
}

// Claim takes over tasks of workers that are gone. One that has come to too many workers may be what ends them: it is
// buried unseen.
func (q *Queue) Claim(count int) ([]Task, error) {
	reply, err := redis.Values(q.conn.Do("XAUTOCLAIM", q.Stream, q.Group, q.Worker, q.Idle.Milliseconds(), q.cursor,
		"COUNT", count))
	if err != nil {
		return nil, err
	}
	if q.cursor, err = redis.String(reply[0], nil); err != nil {
		return nil, err
	}
	claimed, err := tasks(reply[1])
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	args := redis.Args{q.Group, q.Dead, "OWNER", q.Worker, "MINDELIVERIES", q.Tries + 1, "META", "IDS", len(claimed)}
	for _, task := range claimed {
		args = args.Add(task.ID)
	}
	moved, err := redis.Values(q.egg("EGG.ACKMOVE", args))
	if err != nil {
		return nil, err
	}
	var alive []Task
	for i, task := range claimed {
		if moved[i] == nil {
			alive = append(alive, task)
		}
	}
	return alive, nil
}

// Done acknowledges a task and takes it out of the stream. If the task was taken over in the meantime, because it took
// longer than Idle, it is left to the worker that has it now.
func (q *Queue) Done(task Task) error {
	replies, err := redis.Ints(q.egg("EGG.ACKDEL", redis.Args{q.Group, "OWNER", q.Worker, "IDS", 1, task.ID}))
	if err != nil {
		return err
	}
	switch replies[0] {
	case 0:
		log.Printf("%s took longer than %v: another worker has it", task.ID, q.Idle)
	case -1:
		log.Printf("%s took longer than %v: another worker has finished it", task.ID, q.Idle)
	}
	return nil // 1: gone; 2: it stays, for another group
}

// Failed puts a task back at the end of the stream, or buries it after the last try. Either is one step: no crash loses
// the task or leaves it in both places.
func (q *Queue) Failed(task Task) error {
	args := redis.Args{q.Group}
	if task.Try < q.Tries {
		args = args.Add(q.Stream, "SET", 1, "try", task.Try+1)
	} else {
		args = args.Add(q.Dead, "META")
	}
	_, err := q.egg("EGG.ACKMOVE", args.Add("OWNER", q.Worker, "IDS", 1, task.ID))
	return err
}

// egg sends a command about the stream. If another group has appeared, EGG refuses, but the work is done: acknowledge
// without deleting, and tell an operator. What stays behind is removed later by EGG.TRIM.
func (q *Queue) egg(command string, args redis.Args) (interface{}, error) {
	args = append(redis.Args{q.Stream}, args...)
	reply, err := q.conn.Do(command, args...)
	if hasCode(err, "FOREIGNGROUP") {
		q.alarm(err)
		return q.conn.Do(command, args.Add("ACKONLY")...)
	}
	return reply, err
}

func (q *Queue) alarm(err error) {
	if time.Since(q.alarmed) >= time.Minute {
		q.alarmed = time.Now()
		log.Printf("ALARM %s: %v", q.Stream, err)
	}
}

// hasCode tells an error reply by its code, the first word.
func hasCode(err error, code string) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.HasPrefix(string(reply), code+" ")
}

// tasks reads entries as XREADGROUP and XAUTOCLAIM reply them: pairs of an id and its fields.
func tasks(reply interface{}) ([]Task, error) {
	entries, err := redis.Values(reply, nil)
	if err != nil {
		return nil, err
	}
	found := make([]Task, 0, len(entries))
	for _, entry := range entries {
		pair, err := redis.Values(entry, nil)
		if err != nil {
			return nil, err
		}
		id, err := redis.String(pair[0], nil)
		if err != nil {
			return nil, err
		}
		fields, err := redis.StringMap(pair[1], nil)
		if err != nil {
			return nil, err
		}
		task := Task{ID: id, Payload: fields["payload"], Try: 1}
		if try, err := strconv.Atoi(fields["try"]); err == nil {
			task.Try = try
		}
		found = append(found, task)
	}
	return found, nil
}
