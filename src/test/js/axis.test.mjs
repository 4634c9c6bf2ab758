import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { test } from "node:test";
import { UI, actual, claim, item } from "./support.mjs";

const { Scale, markOf, operations, revisionAt, rowsByKind, ticks, timeAt } = await import(`${UI}timeaxis.js`);
const { clock, duration, normalKey, ordinal, quantity, shortKey, shorten } = await import(`${UI}names.js`);
const { normalize } = await import(`${UI}store.js`);
const { openBundle } = await import(`${UI}bundle.js`);
const { readZip } = await import(`${UI}zip.js`);
const { toYaml } = await import(`${UI}yaml.js`);

test("generated names are shortened in the middle, others keep more of their start", () => {
    assert.equal(shorten("pvc-f6a81234-0000-4000-8000-000000005534", 13), "pvc-f6a8…5534");
    assert.equal(shorten("data", 10), "data");
    assert.equal(shorten("a-rather-long-name-of-a-claim", 12).length, 12);
});

test("keys have a short and a normal form", () => {
    assert.equal(shortKey("persistentvolumeclaims/default/data"), "pvc/default/data");
    assert.equal(normalKey("pvc/default/data"), "persistentvolumeclaims/default/data");
    assert.equal(normalKey("storageclasses.storage.k8s.io/gold"), "storageclasses/gold");
});

test("quantities, durations and ordinals", () => {
    assert.equal(quantity("1Gi"), 2 ** 30);
    assert.equal(quantity("500m"), 0.5);
    assert.ok(Number.isNaN(quantity("much")));
    assert.deepEqual([3000, 150_000, 8 * 3_600_000, 72 * 3_600_000].map(duration), ["3 s", "2 min", "8 h", "3 d"]);
    assert.deepEqual([1, 2, 3, 4, 11, 22].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "22nd"]);
});

test("scale maps times to pixels and back, and zooms around a time", () => {
    const scale = new Scale(1000, 2000, 100);
    assert.equal(scale.x(1500), 50);
    assert.equal(scale.time(50), 1500);
    assert.deepEqual(scale.zoom(0.5, 1500, 0, 5000), { start: 1250, end: 1750 });
    assert.deepEqual(scale.zoom(100, 1500, 0, 5000), { start: 0, end: 5000 });
    assert.deepEqual(scale.pan(-9000, 0, 5000), { start: 0, end: 1000 });
});

test("ticks are at round times", () => {
    const start = new Date(2026, 0, 2, 6, 40, 3).getTime();
    const found = ticks(start, start + 10 * 60_000, 6);
    assert.ok(found.length > 1 && found.length <= 6);
    assert.equal(found[0].label, "06:42");
    assert.equal(clock(found[0].time), "06:42:00");
});

test("operations are bars with their result and attempt", () => {
    const mount = (state) => ["updated", actual("web", "v0", { state })];
    const bars = operations(
        [
            item(1, "VolumeMounting", mount("Mounting")),
            item(2, "VolumeMountFailed", mount("Failed")),
            item(3, "VolumeMounting", mount("Mounting")),
            item(5, "VolumeMounted", mount("Mounted")),
            item(6, "VolumeUnmounting", mount("Unmounting")),
        ].map(normalize),
    );
    assert.deepEqual(
        bars.map(({ name, from, to, result, attempt }) => [name, from, to, result, attempt]),
        [
            ["Mounting", 1, 2, "bad", 1],
            ["Mounting", 3, 5, "ok", 2],
            ["Unmounting", 6, undefined, "open", 1],
        ],
    );
});

test("rows by kind have one dot per event and no dots below bars", () => {
    const events = [
        item(1, "PersistentVolumeClaimCreated", ["created", claim("data", "Pending")]),
        item(2, "VolumeMounting", ["created", actual("web", "v0", { state: "Mounting" })]),
    ].map(normalize);
    const rows = Object.fromEntries(rowsByKind(events).map((row) => [row.id, row]));
    assert.equal(rows.Claims.dots.length, 1);
    assert.equal(rows.Mounts.dots.length, 0);
    assert.equal(rows.Mounts.bars.length, 1);
});

test("restarts of verticles are marks", () => {
    const note = {
        kind: "Event",
        metadata: { name: "e", namespace: "default" },
        reason: "VerticleDied",
        message: "verticle binder died",
    };
    assert.equal(markOf(normalize(item(1, "EventRecorded", ["created", note]))).label, "binder restarted");
    assert.equal(markOf(normalize(item(2, "PodCreated", ["created", claim("data", "Bound")]))), null);
});

test("revisions and times outside the loaded events come from the buckets", () => {
    const at = (revision, time, events = 1) => ({ revision, at: time, events });
    const timeline = { first: at(1, 0), last: at(101, 1000), buckets: [at(1, 0, 50), at(51, 500, 50)] };
    assert.equal(revisionAt(timeline, 250), 26);
    assert.equal(revisionAt(timeline, 5000), 101);
    assert.equal(timeAt(timeline, 76), 750);
});

test("YAML is quoted only where necessary", () => {
    const text = toYaml({ a: "plain", b: "yes", c: ["x", { d: 1 }], e: "two\nlines\n", f: {}, g: "1" });
    assert.equal(text, 'a: plain\nb: "yes"\nc:\n- x\n- d: 1\ne: |\n  two\n  lines\nf: {}\ng: "1"\n');
});

// --- ZIP files

function zip(files) {
    const parts = [];
    const directory = [];
    let offset = 0;
    for (const [name, text, deflate] of files) {
        const raw = Buffer.from(text);
        const data = deflate ? deflateRawSync(raw) : raw;
        const local = Buffer.alloc(30);
        local.writeUInt32LE(0x04034b50, 0);
        local.writeUInt16LE(name.length, 26);
        const entry = Buffer.alloc(46);
        entry.writeUInt32LE(0x02014b50, 0);
        entry.writeUInt16LE(deflate ? 8 : 0, 10);
        entry.writeUInt32LE(data.length, 20);
        entry.writeUInt32LE(raw.length, 24);
        entry.writeUInt16LE(name.length, 28);
        entry.writeUInt32LE(offset, 42);
        directory.push(entry, Buffer.from(name));
        parts.push(local, Buffer.from(name), data);
        offset += 30 + name.length + data.length;
    }
    const entries = Buffer.concat(directory);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(files.length, 10);
    end.writeUInt32LE(offset, 16);
    const all = Buffer.concat([...parts, entries, end]);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

test("ZIP files with stored and compressed entries are read", async () => {
    const files = readZip(
        zip([
            ["a.txt", "stored"],
            ["b.txt", "deflated ".repeat(500), true],
        ]),
    );
    assert.equal(await files.get("a.txt")(), "stored");
    assert.equal(await files.get("b.txt")(), "deflated ".repeat(500));
});

test("a file that is no ZIP file, and one that is cut off, are refused", async () => {
    assert.throws(() => readZip(new ArrayBuffer(100)), /not a ZIP file/);
    const damaged = zip([["a.txt", "text"]]);
    new DataView(damaged).setUint32(0, 0);
    await assert.rejects(readZip(damaged).get("a.txt")(), /damaged/);
});

test("a bundle opens with its events, objects and explanations", async () => {
    const bound = claim("data", "Bound");
    const event = {
        revision: 11,
        time: "2026-01-02T03:04:05Z",
        type: "VolumeBound",
        actor: "test",
        cause: { revision: 10 },
        changes: [{ change: "put", key: "persistentvolumeclaims/default/data", prior: 10, object: bound }],
    };
    const about = {
        format: 1,
        from: { revision: 10, time: "2026-01-02T03:04:00Z" },
        to: { revision: 11, time: event.time },
    };
    const line = { key: "persistentvolumeclaims/default/data", revision: 10, object: claim("data", "Pending") };
    const explanation = {
        object: { resource: "persistentvolumeclaims", namespace: "default", name: "data" },
        summary: "why",
    };
    const bundle = await openBundle(
        zip([
            ["bundle.json", JSON.stringify(about)],
            ["snapshot.jsonl", `${JSON.stringify(line)}\n`, true],
            ["events.jsonl", `${JSON.stringify(event)}\n`, true],
            ["explain.json", JSON.stringify([explanation])],
        ]),
    );
    const [first] = bundle.segment.events;
    assert.equal(first.changes[0].summary, "phase Pending → Bound");
    assert.equal(bundle.segment.base.get(line.key).status.phase, "Pending");
    assert.equal(bundle.segment.tip.get(line.key).status.phase, "Bound");
    assert.equal(bundle.explanations.get(line.key).summary, "why");
});

test("a ZIP file without bundle.json is refused with the command that creates a bundle", async () => {
    await assert.rejects(openBundle(zip([["x", "y"]])), /mooring debug bundle/);
});
