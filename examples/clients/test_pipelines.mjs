// What node-redis and ioredis make of errors in a pipeline, as the README says. Run setup.redis first.
import assert from "node:assert/strict";
import { Redis } from "ioredis";
import { createClient, ErrorReply, MultiErrorReply } from "redis";

const ack = (stream, id) => ["EGG.ACKDEL", stream, "workers", "OWNER", "w1", "IDS", "1", id];
const calls = [ack("no-jobs", "1-0"), ack("shared", "2-0"), ack("jobs", "4-0")];
const codeOf = (error) => error.message.split(" ", 1)[0];
const thrown = (promise) => promise.then(() => assert.fail("no error"), (error) => error);

const nodeRedis = await createClient({ url: process.env.REDIS_URL }).connect();
const ioredis = new Redis(process.env.REDIS_URL);
try {
  const multi = () => calls.reduce((queued, call) => queued.addCommand(call), nodeRedis.multi());
  const many = await thrown(multi().exec());
  assert.ok(many instanceof MultiErrorReply && many instanceof ErrorReply);
  assert.equal(codeOf(many), "2");
  assert.deepEqual(many.replies.slice(0, 2).map(codeOf), ["NOGROUP", "FOREIGNGROUP"]);
  assert.deepEqual(many.replies[2], [1]);
  assert.equal(codeOf(await thrown(multi().execAsPipeline())), "NOGROUP");

  await ioredis.acl("SETUSER", "default", "-egg.ackdel");
  const aborted = await thrown(calls.reduce((queued, call) => queued.call(...call), ioredis.multi()).exec());
  assert.equal(codeOf(aborted), "EXECABORT");
  assert.deepEqual(aborted.previousErrors.map(codeOf), ["NOPERM", "NOPERM", "NOPERM"]);
  console.log("ok");
} finally {
  nodeRedis.destroy();
  ioredis.disconnect();
}
