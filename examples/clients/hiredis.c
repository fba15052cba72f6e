/* EGG with hiredis: acknowledge and delete, move, and tell the errors apart. Run setup.redis first. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 32

typedef struct {
	int count;
	const char *args[MAX_ARGS];
} command;

static void add(command *cmd, const char *arg) {
	if (cmd->count == MAX_ARGS) {
		fprintf(stderr, "too many arguments\n");
		exit(1);
	}
	cmd->args[cmd->count++] = arg;
}

static const char *outcome(long long reply) {
	switch (reply) {
	case 1: return "deleted";
	case 2: return "kept";
	case 0: return "with another worker";
	default: return "not pending";
	}
}

/* An error reply is told by its first word, in a pipeline, too. */
static int has_code(const redisReply *reply, const char *code) {
	size_t len = strlen(code);
	return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, code, len) == 0 && reply->str[len] == ' ';
}

static void check(const redisContext *server, int ok) {
	if (!ok) {
		fprintf(stderr, "hiredis: %s\n", server->errstr);
		exit(1);
	}
}

/* NULL from hiredis is a lost connection, whatever was sent. Without lengths, arguments end at their NUL. */
static redisReply *ask(redisContext *server, command *cmd) {
	redisReply *reply = redisCommandArgv(server, cmd->count, cmd->args, NULL);
	check(server, reply != NULL);
	return reply;
}

/* The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last. */
static redisReply *egg(redisContext *server, command *cmd) {
	redisReply *reply = ask(server, cmd);
	if (!has_code(reply, "FOREIGNGROUP")) return reply;
	freeReplyObject(reply);
	printf("ALARM: %s has other groups\n", cmd->args[1]);
	add(cmd, "ACKONLY");
	return ask(server, cmd);
}

static void add_ids(command *cmd, int n, const char *const *ids, char *count, size_t size) {
	snprintf(count, size, "%d", n);
	add(cmd, "IDS");
	add(cmd, count);
	for (int i = 0; i < n; i++) add(cmd, ids[i]);
}

/* NOGROUP is a mistyped key or group, or the server has lost the stream; the others are an operator's. */
static void print_error(const redisReply *reply) {
	printf("error %.*s\n", (int)strcspn(reply->str, " "), reply->str);
}

static void acknowledge(redisContext *server, const char *stream, const char *group, const char *worker, int n,
                        const char *const *ids) {
	char count[12];
	command cmd = {5, {"EGG.ACKDEL", stream, group, "OWNER", worker}};
	add_ids(&cmd, n, ids, count, sizeof count);
	redisReply *reply = egg(server, &cmd);
	if (reply->type == REDIS_REPLY_ERROR) print_error(reply);
	for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
		printf("%s %s\n", ids[i], outcome(reply->element[i]->integer));
	freeReplyObject(reply);
}

static void bury(redisContext *server, const char *stream, const char *group, const char *worker, int n,
                 const char *const *ids) {
	char count[12];
	command cmd = {11, {"EGG.ACKMOVE", stream, group, "dead", "OWNER", worker, "META", "SET", "1", "try", "2"}};
	add_ids(&cmd, n, ids, count, sizeof count);
	redisReply *reply = egg(server, &cmd);
	if (reply->type == REDIS_REPLY_ERROR) print_error(reply);
	for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
		const redisReply *moved = reply->element[i];
		if (moved->type == REDIS_REPLY_NIL)
			printf("%s not moved\n", ids[i]);
		else
			printf("%s moved as %s\n", ids[i], moved->str);
	}
	freeReplyObject(reply);
}

typedef struct {
	const char *stream, *id;
} entry;

/* Entries of several streams, in one round trip: the commands first, then a reply for each. */
static void acknowledge_each(redisContext *server, const char *group, const char *worker, size_t n, const entry *entries) {
	for (size_t i = 0; i < n; i++) {
		const char *args[] = {"EGG.ACKDEL", entries[i].stream, group, "OWNER", worker, "IDS", "1", entries[i].id};
		check(server, redisAppendCommandArgv(server, 8, args, NULL) == REDIS_OK);
	}
	const entry *refused[n];
	size_t again = 0;
	for (size_t i = 0; i < n; i++) {
		redisReply *reply;
		check(server, redisGetReply(server, (void **)&reply) == REDIS_OK);
		if (has_code(reply, "FOREIGNGROUP"))
			refused[again++] = &entries[i]; /* not sent before all replies are read */
		else if (reply->type == REDIS_REPLY_ERROR)
			print_error(reply);
		else
			printf("%s %s\n", entries[i].id, outcome(reply->element[0]->integer));
		freeReplyObject(reply);
	}
	for (size_t i = 0; i < again; i++) acknowledge(server, refused[i]->stream, group, worker, 1, &refused[i]->id);
}

int main(void) {
	char host[256] = "127.0.0.1";
	int port = 6379;
	const char *url = getenv("REDIS_URL");
	if (url != NULL && sscanf(url, "redis://%255[^:/]:%d", host, &port) < 1) {
		fprintf(stderr, "REDIS_URL=%s is not redis://host:port\n", url);
		return 1;
	}
	redisContext *server = redisConnect(host, port);
	if (server == NULL || server->err) {
		fprintf(stderr, "hiredis: %s\n", server ? server->errstr : "out of memory");
		return 1;
	}
	acknowledge(server, "jobs", "workers", "w1", 3, (const char *[]){"1-0", "3-0", "9-0"});
	acknowledge(server, "shared", "workers", "w1", 1, (const char *[]){"1-0"});
	bury(server, "jobs", "workers", "w1", 2, (const char *[]){"2-0", "9-0"});
	const entry entries[] = {{"jobs", "4-0"}, {"no-jobs", "1-0"}, {"shared", "2-0"}};
	acknowledge_each(server, "workers", "w1", 3, entries);
	acknowledge(server, "jobs", "wrokers", "w1", 1, (const char *[]){"1-0"});
	acknowledge(server, "jobs", "workers", "w1", 1, (const char *[]){"no-id"});
	redisFree(server);
	return 0;
}
