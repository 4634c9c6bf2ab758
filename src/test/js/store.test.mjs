import assert from "node:assert/strict";
import { test } from "node:test";
import { UI, claim, item, volume } from "./support.mjs";

const { Segment, Store, normalize } = await import(`${UI}store.js`);
const { fields, summary, worldDiff } = await import(`${UI}diff.js`);

const DATA = "persistentvolumeclaims/default/data";

function events() {
    return [
        item(1, "PersistentVolumeClaimCreated", ["created", claim("data", "Pending")]),
        item(2, "VolumeProvisioned", ["created", volume("pv", "Bound", "data")], ["updated", claim("data", "Bound")]),
        item(4, "EventRecorded", ["created", { kind: "Event", metadata: { name: "e", namespace: "default" } }]),
        item(5, "PersistentVolumeClaimDeleted", ["deleted", claim("data", "Bound")]),
    ].map(normalize);
}

const phase = (store) => store.world.get(DATA)?.status.phase;

test("store moves forward and backward to the same World", () => {
    const store = new Store();
    store.setLive(new Segment(0, 5, new Map(), events()));
    const forward = [1, 2, 3, 4, 5].map((revision) => store.seek(revision) && JSON.stringify([...store.world]));
    const backward = [5, 4, 3, 2, 1].map((revision) => store.seek(revision) && JSON.stringify([...store.world]));
    assert.deepEqual(
        backward.reverse().map((each) => JSON.parse(each).sort()),
        forward.map((each) => JSON.parse(each).sort()),
    );
    store.seek(1);
    assert.equal(phase(store), "Pending");
    store.seek(3);
    assert.equal(phase(store), "Bound");
    store.seek(5);
    assert.equal(phase(store), undefined);
});

test("Kubernetes Events are visible but not part of the World", () => {
    const store = new Store();
    store.setLive(new Segment(0, 5, new Map(), events()));
    store.seek(4);
    assert.equal(
        [...store.world.keys()].some((key) => key.startsWith("events/")),
        false,
    );
    assert.equal(store.event(4).type, "EventRecorded");
});

test("store does not move to a revision that is not loaded", () => {
    const store = new Store();
    store.setLive(new Segment(10, 10, new Map([[DATA, claim("data", "Bound")]])));
    store.seek(10);
    assert.equal(store.seek(9), false);
    assert.equal(store.revision, 10);
    assert.equal(store.covers(3), false);
});

test("segments that meet are joined and keep the cursor", () => {
    const [first, second, ...rest] = events();
    const base = new Segment(0, 2, new Map(), [first, second]);
    const store = new Store();
    store.setLive(new Segment(2, 5, base.tip, rest));
    store.seek(5);
    store.add(new Segment(0, 2, new Map(), [first, second]));
    assert.equal(store.segments.length, 1);
    assert.equal(store.live.from, 0);
    assert.equal(phase(store), undefined);
    store.seek(1);
    assert.equal(phase(store), "Pending");
    store.seek(4);
    assert.equal(phase(store), "Bound");
});

test("live events are appended once and in order", () => {
    const store = new Store();
    store.setLive(new Segment(0, 0, new Map()));
    const [first, second] = events();
    assert.equal(store.append(first), true);
    assert.equal(store.append(first), false);
    assert.equal(store.append(second), true);
    assert.equal(store.live.to, 2);
});

test("the live segment forgets its oldest events, and the World stays the same", () => {
    const store = new Store();
    store.maxLiveEvents = 4;
    store.setLive(new Segment(0, 0, new Map()));
    const phases = ["Pending", "Bound", "Lost", "Bound", "Pending", "Bound"];
    phases.forEach((each, index) => {
        store.append(normalize(item(index + 1, "PersistentVolumeClaimChanged", ["updated", claim("data", each)])));
        store.seek(index + 1);
    });
    assert.equal(store.live.events.length, 4);
    assert.equal(store.live.from, 2);
    assert.equal(phase(store), "Bound");
    store.seek(3);
    assert.equal(phase(store), "Lost");
    store.seek(2);
    assert.equal(phase(store), "Bound");
    assert.equal(store.seek(1), false);
});

test("neighbour skips events that are not accepted", () => {
    const store = new Store();
    store.setLive(new Segment(0, 5, new Map(), events()));
    const visible = (event) => event.type !== "EventRecorded";
    assert.equal(store.neighbour(2, 1, visible), 5);
    assert.equal(store.neighbour(5, -1, visible), 2);
    assert.equal(store.neighbour(5, 1, visible), undefined);
});

test("worldAt does not move the cursor", () => {
    const store = new Store();
    store.setLive(new Segment(0, 5, new Map(), events()));
    store.seek(5);
    assert.equal(store.worldAt(2).get(DATA).status.phase, "Bound");
    assert.equal(store.revision, 5);
    assert.equal(phase(store), undefined);
});

test("between returns the events of a span of time", () => {
    const store = new Store();
    store.setLive(new Segment(0, 5, new Map(), events()));
    const found = store.between(1_700_000_002_000, 1_700_000_004_000).map((each) => each.revision);
    assert.deepEqual(found, [2, 4]);
});

test("field differences name the path, the old and the new value", () => {
    const list = fields(claim("data", "Pending"), claim("data", "Bound", { spec: { volumeName: "pv" } }));
    assert.deepEqual(list, [
        { path: "spec.volumeName", to: "pv" },
        { path: "status.phase", from: "Pending", to: "Bound" },
    ]);
    assert.equal(summary(list), "volumeName +pv, phase Pending → Bound");
});

test("a recreated object is deleted and created in the difference of two Worlds", () => {
    const from = new Map([[DATA, claim("data", "Bound")]]);
    const to = new Map([[DATA, claim("data", "Pending", { metadata: { uid: "other" } })]]);
    assert.deepEqual(
        worldDiff(from, to).map((each) => each.change),
        ["deleted", "created"],
    );
});
