package main

import (
	"context"
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

// Queue is one worker's side of a stream, for one goroutine. Finished entries leave the stream as they are
// acknowledged, so no XTRIM is needed, on XADD or by cron, that could take work which nobody has done yet.
type Queue struct {
	Stream string
	Group  string
	Worker string        // the consumer: no two workers that run may share a name
	Dead   string        // the stream of tasks that failed too often
	Tries  int           // how often a task is tried
	Idle   time.Duration // a worker that has not been heard of for so long loses its task to another

	conn    redis.Conn
	alarmed map[string]time.Time
}

var errLost = errors.New("taken over by another worker, or gone with the stream")

// Open connects, creates what is missing, and looks whether other groups read the stream.
func (q *Queue) Open(url string) error {
	const timeout = 10 * time.Second // longer than any block
	conn, err := redis.DialURL(url, redis.DialConnectTimeout(timeout), redis.DialReadTimeout(timeout),
		redis.DialWriteTimeout(timeout))
	if err != nil {
		return err
	}
	q.conn, q.alarmed = conn, map[string]time.Time{}
	_, err = conn.Do("EGG.GROUPGUARD", q.Stream, q.Group)
	switch {
	case hasCode(err, "NOGROUP"):
		return q.create()
	case hasCode(err, "FOREIGNGROUP"):
		q.alarm(err)
		return nil
	}
	return err
}

// create makes the group, at 0: what is done has left the stream, so all that is there is to be done.
func (q *Queue) create() error {
	_, err := q.conn.Do("XGROUP", "CREATE", q.Stream, q.Group, "0", "MKSTREAM")
	if hasCode(err, "BUSYGROUP") {
		return nil
	}
	return err
}

// Add appends a task.
func (q *Queue) Add(payload string) error {
	_, err := q.conn.Do("XADD", q.Stream, "*", "payload", payload)
	return err
}

// Take takes one task: of a worker that is gone, or else one that no worker has seen, for which it waits up to block.
// It is nil if there is none. One and not ten: each that is taken counts as delivered, and only one is worked on.
func (q *Queue) Take(block time.Duration) (*Task, error) {
	task, err := q.claim()
	if task == nil && err == nil {
		task, err = q.next(block)
	}
	return task, q.heal(err)
}

func (q *Queue) next(block time.Duration) (*Task, error) {
	streams, err := redis.Values(q.conn.Do("XREADGROUP", "GROUP", q.Group, q.Worker, "COUNT", 1,
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
	return first(stream[1])
}

// claim takes over a task of a worker that is gone. One that has come to too many workers may be what ends them: it is
// buried unseen.
func (q *Queue) claim() (*Task, error) {
	idle := q.Idle.Milliseconds()
	pending, err := redis.Values(q.conn.Do("XPENDING", q.Stream, q.Group, "IDLE", idle, "-", "+", 1))
	if err != nil || len(pending) == 0 {
		return nil, err
	}
	entry, err := redis.Values(pending[0], nil)
	if err != nil {
		return nil, err
	}
	var deliveries int
	if _, err := redis.Scan(entry[3:], &deliveries); err != nil {
		return nil, err
	}
	claimed, err := q.conn.Do("XCLAIM", q.Stream, q.Group, q.Worker, idle, entry[0])
	if err != nil {
		return nil, err
	}
	task, err := first(claimed) // nil: another worker was faster
	if err != nil || task == nil || deliveries < q.Tries {
		return task, err
	}
	_, err = q.egg("EGG.ACKMOVE", q.Group, q.Dead, "OWNER", q.Worker, "MINDELIVERIES", q.Tries+1, "META",
		"IDS", 1, task.ID)
	return nil, err
}

// Work runs handle on a task and, while that lasts, tells the server that this worker is alive. Then the task leaves
// the stream; if handle failed, it goes back to the end of it, or is buried after the last try. If another worker has
// taken the task over, because nothing was heard of this one for Idle, handle's context ends, and the task is left to
// the other.
func (q *Queue) Work(task *Task, handle func(context.Context, *Task) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	handled := make(chan error, 1)
	go func() { handled <- handle(ctx, task) }()

	ticks := time.NewTicker(q.Idle / 3)
	defer ticks.Stop()
	var lost error
	for {
		select {
		case <-ticks.C:
			if lost == nil {
				if lost = q.renew(task); lost != nil {
					cancel()
				}
			}
		case err := <-handled:
			switch {
			case lost != nil:
				err = lost
			case err != nil:
				log.Printf("%q, try %d: %v", task.Payload, task.Try, err)
				err = q.failed(task)
			default:
				err = q.done(task)
			}
			if err == errLost {
				log.Printf("%q: %v", task.Payload, err)
				return nil
			}
			return q.heal(err)
		}
	}
}

// XCLAIM with JUSTID sets the idle time to 0 and counts no delivery. It would also take the task back from a worker
// that has taken it over, so the owner is looked up in the same step.
var renew = redis.NewScript(1, `
local task = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)[1]
if task and task[2] == ARGV[3] then
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[2], 'JUSTID')
end
return task and task[2]`)

// renew is called while the task is worked on. A task that is nobody's is worked on to its end: the stream was lost.
func (q *Queue) renew(task *Task) error {
	owner, err := redis.String(renew.Do(q.conn, q.Stream, q.Group, task.ID, q.Worker))
	if err == redis.ErrNil || hasCode(err, "NOGROUP") {
		return nil
	}
	if err == nil && owner != q.Worker {
		return errLost
	}
	return err
}

// done acknowledges a task and takes it out of the stream, in one step. OWNER leaves alone what is another's by now.
func (q *Queue) done(task *Task) error {
	replies, err := redis.Ints(q.egg("EGG.ACKDEL", q.Group, "OWNER", q.Worker, "IDS", 1, task.ID))
	if err != nil {
		return err
	}
	if replies[0] < 1 { // 0: another worker has it; -1: another has finished it
		return errLost
	}
	return nil // 1: gone; 2: it stays, for another group
}

// failed puts a task back at the end of the stream, or buries it after the last try. Either is one step: no crash loses
// the task or leaves it in both places.
func (q *Queue) failed(task *Task) error {
	args := redis.Args{q.Group, q.Dead, "META"}
	if task.Try < q.Tries {
		args = redis.Args{q.Group, q.Stream, "SET", 1, "try", task.Try + 1}
	}
	moved, err := redis.Values(q.egg("EGG.ACKMOVE", args.Add("OWNER", q.Worker, "IDS", 1, task.ID)...))
	if err == nil && moved[0] == nil {
		return errLost
	}
	return err
}

// egg sends a command about the stream. If another group has appeared, EGG refuses, but the work is done: acknowledge
// without deleting, and tell an operator. What stays behind is removed later by EGG.TRIM.
func (q *Queue) egg(command string, args ...interface{}) (interface{}, error) {
	args = append([]interface{}{q.Stream}, args...)
	reply, err := q.conn.Do(command, args...)
	if hasCode(err, "FOREIGNGROUP") {
		q.alarm(err)
		return q.conn.Do(command, append(args, "ACKONLY")...)
	}
	return reply, err
}

// heal is for errors that a worker can go on after.
func (q *Queue) heal(err error) error {
	switch {
	case hasCode(err, "NOGROUP"):
		// The key was evicted or flushed, or the server restarted without its data. What was in the stream is lost, unless
		// producers add it again.
		q.alarm(err)
		return q.create()
	case hasCode(err, "OOM"):
		// The server refuses ACKMOVE, which adds. The task stays pending, and is looked at again after Idle.
		q.alarm(err)
		return nil
	}
	return err
}

// alarm is to reach an operator: once a minute for each code.
func (q *Queue) alarm(err error) {
	code, _, _ := strings.Cut(err.Error(), " ")
	if time.Since(q.alarmed[code]) >= time.Minute {
		q.alarmed[code] = time.Now()
		log.Printf("ALARM %s: %v", q.Stream, err)
	}
}

// hasCode tells an error reply by its code, the first word.
func hasCode(err error, code string) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.HasPrefix(string(reply), code+" ")
}

// first reads the first of the entries that XREADGROUP and XAUTOCLAIM reply, pairs of an id and its fields; nil if there
// is none.
func first(reply interface{}) (*Task, error) {
	entries, err := redis.Values(reply, nil)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	pair, err := redis.Values(entries[0], nil)
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
	task := &Task{ID: id, Payload: fields["payload"], Try: 1}
	if try, err := strconv.Atoi(fields["try"]); err == nil {
		task.Try = try
	}
	return task, nil
}
