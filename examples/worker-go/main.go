// A worker that takes tasks from a stream, and a producer for it:
//
//	worker-go add < lines      one task per line
//	worker-go work NAME        until SIGTERM or Ctrl-C
//
// It ends on any error but a failed task; what starts it again is to be a supervisor. Its tasks stay pending until then.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// handle is the work itself: here it only tells what it would do. It must bear being done twice, after a crash. It may
// take as long as it likes; when ctx ends, another worker has the task, and the rest of the work is in vain.
func handle(ctx context.Context, task *Task) error {
	work := 5 * time.Millisecond
	switch kind := strings.Fields(task.Payload); {
	case len(kind) == 0 || kind[0] == "poison":
		return errors.New("nobody can do this")
	case kind[0] == "flaky" && task.Try == 1:
		return errors.New("not this time")
	case kind[0] == "crash":
		os.Exit(3)
	case kind[0] == "slow":
		work = 600 * time.Millisecond
	case kind[0] == "long":
		work = 2 * time.Second
	}
	select {
	case <-time.After(work):
		fmt.Println("done", task.Payload)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work ends when ctx does: what it has in hand is finished first.
func work(ctx context.Context, queue *Queue) error {
	for ctx.Err() == nil {
		task, err := queue.Take(200 * time.Millisecond) // bounds how long a stop takes
		if err == nil && task != nil {
			err = queue.Work(task, handle)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func add(queue *Queue) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := queue.Add(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	queue := &Queue{}
	url := os.Getenv("REDIS_URL")
	if url == "" {
		url = "redis://127.0.0.1:6379"
	}
	flag.StringVar(&queue.Stream, "stream", "tasks", "the stream")
	flag.StringVar(&queue.Group, "group", "workers", "its consumer group")
	flag.StringVar(&queue.Dead, "dead", "tasks:dead", "the stream of tasks that failed too often")
	flag.IntVar(&queue.Tries, "tries", 3, "how often a task is tried")
	flag.DurationVar(&queue.Idle, "idle", time.Minute, "after how long a silent worker loses its task")
	flag.Parse()
	queue.Worker = flag.Arg(1)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { <-ctx.Done(); stop() }() // a second signal ends it at once
	err := queue.Open(url)
	switch {
	case err != nil:
	case flag.Arg(0) == "add" && flag.NArg() == 1:
		err = add(queue)
	case flag.Arg(0) == "work" && flag.NArg() == 2:
		err = work(ctx, queue)
	default:
		err = errors.New("worker-go [flags] add | work NAME")
	}
	if err != nil {
		log.Fatal(err)
	}
}
