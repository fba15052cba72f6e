// ioredis's own method for XACKDEL, on Redis 8.2 or on EGG with egg.native-names. Run setup-native.redis first.
import { Redis } from "ioredis";

const OUTCOME = { 1: "deleted", 2: "kept", "-1": "not pending" };

const server = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");
try {
  // Without a policy it is KEEPREF, which deletes for every group. A group that does not exist is -1, no error.
  for (const [group, ids] of [["workers", ["1-0", "2-0", "9-0"]], ["wrokers", ["2-0"]]]) {
    const replies = await server.xackdel("jobs", group, "ACKED", "IDS", ids.length, ...ids);
    replies.forEach((reply, i) => console.log(ids[i], OUTCOME[reply]));
  }
} finally {
  server.disconnect();
}
