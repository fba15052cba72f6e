// EGG with ioredis in a cluster: to the node that has the key. Run setup-cluster.redis first, with redis-cli -c.
import { Cluster, Command, ReplyError } from "ioredis";

const OUTCOME = { 1: "deleted", 2: "kept", 0: "with another worker", "-1": "not pending" };

const cluster = new Cluster([process.env.REDIS_URL ?? "redis://127.0.0.1:6379"]);

// cluster.call() sends a command that ioredis does not know to any node, and most calls are redirected. Of EGG's commands
// the first argument is the key; EGG.ACKMOVE's second one has to be in the same slot.
class EggCommand extends Command {
  getKeys() {
    return [this.args[0]];
  }
}

const send = (name, ...args) => cluster.sendCommand(new EggCommand(name, args, { replyEncoding: "utf8" }));

const codeOf = (error) => error.message.split(" ", 1)[0];

// The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last.
async function egg(name, stream, ...args) {
  try {
    return await send(name, stream, ...args);
  } catch (error) {
    if (!(error instanceof ReplyError && codeOf(error) === "FOREIGNGROUP")) throw error;
    console.log(`ALARM: ${stream} has other groups`);
    return await send(name, stream, ...args, "ACKONLY");
  }
}

const acknowledge = async (stream, group, id) =>
  console.log(stream, OUTCOME[await egg("EGG.ACKDEL", stream, group, "OWNER", "w1", "IDS", 1, id)]);

const bury = async (stream, dead, id) =>
  console.log(stream, "moved as", ...(await egg("EGG.ACKMOVE", stream, "workers", dead, "OWNER", "w1", "IDS", 1, id)));

async function attempt(step, ...args) {
  try {
    await step(...args);
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    console.log("error", codeOf(error));
  }
}

try {
  for (const stream of ["jobs:1", "jobs:2", "jobs:3", "jobs:4", "jobs:5", "jobs:6", "jobs:7", "jobs:8", "shared"]) {
    await attempt(acknowledge, stream, "workers", "1-0");
  }
  await attempt(bury, "{jobs:1}", "{jobs:1}:dead", "1-0"); // the part in braces decides on the slot
  await attempt(bury, "{jobs:1}", "dead", "1-0");
  await attempt(acknowledge, "jobs:1", "wrokers", "1-0");
} finally {
  cluster.disconnect();
}
