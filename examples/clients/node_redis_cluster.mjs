// EGG with node-redis in a cluster: to the node that has the key. Run setup-cluster.redis first, with redis-cli -c.
import { createCluster, ErrorReply } from "redis";

const OUTCOME = { 1: "deleted", 2: "kept", 0: "with another worker", "-1": "not pending" };

const cluster = createCluster({ rootNodes: [{ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379" }] });
cluster.on("error", (error) => console.error(error.message));
await cluster.connect();

// A cluster's sendCommand wants the key, and whether a replica may answer, before the command.
const send = (name, stream, ...args) => cluster.sendCommand(stream, false, [name, stream, ...args].map(String));

const codeOf = (error) => error.message.split(" ", 1)[0];

// The work is done when EGG refuses: acknowledge without deleting, and tell an operator. Options may come last.
async function egg(name, stream, ...args) {
  try {
    return await send(name, stream, ...args);
  } catch (error) {
    if (!(error instanceof ErrorReply && codeOf(error) === "FOREIGNGROUP")) throw error;
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
    if (!(error instanceof ErrorReply)) throw error;
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
  cluster.destroy();
}
