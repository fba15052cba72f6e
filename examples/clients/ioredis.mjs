// EGG with ioredis: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.
import { Redis, ReplyError } from "ioredis";

const OUTCOME = { 1: "deleted", 2: "kept", 0: "with another worker", "-1": "not pending" };

const server = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");

// The first word that the server sent, in a pipeline, too.
const codeOf = (error) => error.message.split(" ", 1)[0];

// The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last.
async function egg(command, stream, ...args) {
  try {
    return await server.call(command, stream, ...args);
  } catch (error) {
    if (!(error instanceof ReplyError && codeOf(error) === "FOREIGNGROUP")) throw error;
    console.log(`ALARM: ${stream} has other groups`);
    return await server.call(command, stream, ...args, "ACKONLY");
  }
}

async function acknowledge(stream, group, worker, ...ids) {
  const replies = await egg("EGG.ACKDEL", stream, group, "OWNER", worker, "IDS", ids.length, ...ids);
  replies.forEach((reply, i) => console.log(ids[i], OUTCOME[reply]));
}

async function bury(stream, group, worker, ...ids) {
  const options = ["OWNER", worker, "META", "SET", 1, "try", 2];
  const replies = await egg("EGG.ACKMOVE", stream, group, "dead", ...options, "IDS", ids.length, ...ids);
  replies.forEach((moved, i) => console.log(ids[i], moved === null ? "not moved" : `moved as ${moved}`));
}

// Entries of several streams, in one round trip: each has an error or a reply.
async function acknowledgeEach(group, worker, ...entries) {
  const pipeline = server.pipeline();
  for (const [stream, id] of entries) pipeline.call("EGG.ACKDEL", stream, group, "OWNER", worker, "IDS", 1, id);
  const replies = await pipeline.exec();
  for (const [i, [stream, id]] of entries.entries()) {
    const [error, reply] = replies[i];
    if (error === null) console.log(id, OUTCOME[reply[0]]);
    else if (!(error instanceof ReplyError)) throw error;
    else if (codeOf(error) === "FOREIGNGROUP") await attempt(acknowledge, stream, group, worker, id);
    else console.log("error", codeOf(error));
  }
}

// NOGROUP is a mistyped key or group, or the server has lost the stream; the others are an operator's.
async function attempt(step, ...args) {
  try {
    await step(...args);
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    console.log("error", codeOf(error));
  }
}

try {
  await attempt(acknowledge, "jobs", "workers", "w1", "1-0", "3-0", "9-0");
  await attempt(acknowledge, "shared", "workers", "w1", "1-0");
  await attempt(bury, "jobs", "workers", "w1", "2-0", "9-0");
  await attempt(acknowledgeEach, "workers", "w1", ["jobs", "4-0"], ["no-jobs", "1-0"], ["shared", "2-0"]);
  await attempt(acknowledge, "jobs", "wrokers", "w1", "1-0");
  await attempt(acknowledge, "jobs", "workers", "w1", "no-id");
} finally {
  server.disconnect();
}
