package dev.mooring.sim;

import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.resource.Writer;
import dev.mooring.world.Spine;

/**
 * What users and watchers of one incarnation of the server can reach. When the process dies its answers never come, and a new one has a new {@code SimApi}.
 *
 * @param life of the process; clients run on strands of their own lives and hand {@code strand}s of the process to the writer as its event loop
 * @param loop the API's event loop: the executor for {@link Writer}'s {@code back}
 */
public record SimApi(Living life, Spine spine, Writer writer, Heartbeats heartbeats, Catalog catalog, Strand loop) {}
