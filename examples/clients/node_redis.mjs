// EGG with node-redis: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.
import { createClient, ErrorReply } from "redis";

const OUTCOME = { 1: "deleted", 2: "kept", 0: "with another worker", "-1": "not pending" };

const server = createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379" });
server.on("error", (error) => console.error(error.message));
await server.connect();

const hasCode = (error, code) => error instanceof ErrorReply && error.message.startsWith(`${code} `);

// The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last.
async function egg(command, stream, ...args) {
  const call = [command, stream, ...args].map(String); // sendCommand takes strings and Buffers only
  try {
    return await server.sendCommand(call);
  } catch (error) {
    if (!hasCode(error, "FOREIGNGROUP")) throw error;
    console.log(`ALARM: ${stream} has other groups`);
    return await server.sendCommand([...call, "ACKONLY"]);
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

try {
  await acknowledge("jobs", "workers", "w1", "1-0", "3-0", "9-0");
  await acknowledge("shared", "workers", "w1", "1-0");
  await bury("jobs", "workers", "w1", "2-0", "9-0");

  for (const [group, id] of [["wrokers", "1-0"], ["workers", "no-id"]]) {
    try {
      await acknowledge("jobs", group, "w1", id);
    } catch (error) {
      if (!(error instanceof ErrorReply)) throw error;
      console.log(hasCode(error, "NOGROUP") ? "no such stream or group" : "another error");
    }
  }
} finally {
  server.destroy();
}
