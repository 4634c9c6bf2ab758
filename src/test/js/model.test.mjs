import assert from "node:assert/strict";
import { test } from "node:test";
import { UI, actual, claim, desired, pod, volume } from "./support.mjs";

const { accepts, build, heightOf, relatedKeys } = await import(`${UI}model.js`);
const { keyOfObject } = await import(`${UI}names.js`);
const { Layout } = await import(`${UI}layout.js`);

const world = (...objects) => new Map(objects.map((each) => [keyOfObject(each), each]));
const bound = claim("data", "Bound", { spec: { volumeName: "pv" } });

function mountOf(...objects) {
    const model = build(world(bound, volume("pv", "Bound", "data"), pod("web", ["data"]), ...objects));
    return [...model.byKey.values()].find((each) => each.column === 4);
}

test("a claim with its volume and Pod is one chain", () => {
    const model = build(world(bound, volume("pv", "Bound", "data"), pod("web", ["data"])));
    const chain = model.chains.get("persistentvolumeclaims/default/data");
    assert.equal(chain.volume.title, "pv");
    assert.equal(chain.pods[0].title, "web");
    assert.equal(model.chains.size, 1);
});

test("a mount that is desired but not actual is dashed", () => {
    const mount = mountOf(desired("web", "v0"));
    assert.deepEqual([mount.facts.word, mount.facts.line, mount.facts.tone], ["Desired", "dashed", "wait"]);
});

test("a mounted volume is solid, an uncertain one striped", () => {
    const mounted = mountOf(desired("web", "v0"), actual("web", "v0", { state: "Mounted" }));
    assert.deepEqual([mounted.facts.word, mounted.facts.line], ["Mounted", "solid"]);
    const unsure = mountOf(desired("web", "v0"), actual("web", "v0", { state: "Uncertain" }));
    assert.deepEqual([unsure.facts.tone, unsure.facts.line], ["unsure", "striped"]);
});

test("a failed mount has its attempts and the time of the next one", () => {
    const next = "2026-01-02T03:04:05Z";
    const mount = mountOf(desired("web", "v0"), actual("web", "v0", { state: "Failed", attempts: 4, nextTry: next }));
    assert.equal(mount.facts.attempts, 4);
    assert.equal(mount.facts.retryAt, Date.parse(next));
});

test("a mount without a Pod that needs it is due to be unmounted", () => {
    const model = build(world(bound, volume("pv", "Bound", "data"), actual("gone", "v0", { state: "Mounted" })));
    const mount = [...model.byKey.values()].find((each) => each.column === 4);
    assert.equal(mount.facts.word, "Unmount due");
});

test("a pending claim without a volume has a placeholder that says so", () => {
    const model = build(
        world(claim("data", "Pending", { spec: { storageClassName: "" } }), volume("pv", "Bound", "x")),
    );
    const { volume: placeholder } = model.chains.get("persistentvolumeclaims/default/data");
    assert.equal(placeholder.placeholder, true);
    assert.equal(placeholder.facts.word, "none fits · 1 looked at");
});

test("a claim that a Pod names but that does not exist is a problem", () => {
    const model = build(world(pod("web", ["missing"])));
    const node = model.byKey.get("persistentvolumeclaims/default/missing");
    assert.equal(node.facts.word, "does not exist");
    assert.equal(node.problem, true);
});

test("filters select chains by namespace, node, problem and text", () => {
    const model = build(world(bound, volume("pv", "Bound", "data"), pod("web", ["data"])));
    const chain = model.chains.get("persistentvolumeclaims/default/data");
    const none = { namespace: "", node: "", className: "", problems: false, text: "" };
    assert.equal(accepts(chain, none), true);
    assert.equal(accepts(chain, { ...none, namespace: "other" }), false);
    assert.equal(accepts(chain, { ...none, node: "n1" }), true);
    assert.equal(accepts(chain, { ...none, node: "n2" }), false);
    assert.equal(accepts(chain, { ...none, problems: true }), false);
    assert.equal(accepts(chain, { ...none, text: "WEB" }), true);
    assert.equal(accepts(chain, { ...none, text: "nothing" }), false);
});

test("related objects are those of the chain", () => {
    const model = build(world(bound, volume("pv", "Bound", "data"), pod("web", ["data"]), desired("web", "v0")));
    const keys = relatedKeys(model, "pods/default/web");
    assert.equal(keys[0], "pods/default/web");
    assert.ok(keys.includes("persistentvolumeclaims/default/data"));
    assert.ok(keys.includes("persistentvolumes/pv"));
    assert.ok(keys.includes("desiredvolumes/web.v0"));
});

test("a Pod needs a row for each of its mounts", () => {
    const objects = [desired("web", "v0"), desired("web", "v1"), pod("web", ["data", "other"])];
    const model = build(world(bound, claim("other", "Bound"), ...objects));
    assert.equal(heightOf(model.chains.get("persistentvolumeclaims/default/data")), 2);
});

test("layout keeps the row of a chain while others come and go", () => {
    const layout = new Layout();
    const chain = (id, height = 1) => ({ id, height });
    layout.update([chain("a"), chain("b"), chain("c")]);
    layout.update([chain("c"), chain("a"), chain("d")]);
    assert.deepEqual(
        ["a", "c", "d"].map((id) => layout.rowOf(id)),
        [0, 2, 3],
    );
    layout.update([chain("a"), chain("b"), chain("c"), chain("d")]);
    assert.equal(layout.rowOf("b"), 1);
    layout.update([chain("a", 2), chain("c"), chain("d")]);
    assert.deepEqual(
        ["a", "c", "d"].map((id) => layout.rowOf(id)),
        [0, 3, 4],
    );
    layout.compact();
    assert.deepEqual(
        ["a", "c", "d"].map((id) => layout.rowOf(id)),
        [0, 2, 3],
    );
    assert.equal(layout.rowOf("b"), undefined);
});
