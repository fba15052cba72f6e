// node-redis's own method for XACKDEL, on Redis 8.2 or on EGG with egg.native-names. Run setup-native.redis first.
import { createClient } from "redis";

const OUTCOME = { 1: "deleted", 2: "kept", "-1": "not pending" };

const server = createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379" });
server.on("error", (error) => console.error(error.message));
await server.connect();
try {
  // Without a policy it is KEEPREF, which deletes for every group. A group that does not exist is -1, no error.
  for (const [group, ids] of [["workers", ["1-0", "2-0", "9-0"]], ["wrokers", ["2-0"]]]) {
    const replies = await server.xAckDel("jobs", group, ids, "ACKED");
    replies.forEach((reply, i) => console.log(ids[i], OUTCOME[reply]));
  }
} finally {
  server.destroy();
}
