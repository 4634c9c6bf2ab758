package dev.mooring.api.http;

import dev.mooring.api.resource.ContinueToken;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.resource.Page;
import dev.mooring.api.resource.Target;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.CompactedException;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.select.Selection;
import dev.mooring.world.History;
import dev.mooring.world.Ledger;
import dev.mooring.world.World;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Clock;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Requests that read objects: one or a list, now or as of an earlier revision, in the form the client asks for. */
final class ReadHandler {
    /** Looking at more objects than this takes milliseconds: not on an event loop. */
    private static final int MANY = 1000;

    private final Vertx vertx;
    private final Ledger ledger;
    private final History history;
    private final Heartbeats heartbeats;
    private final Clock clock;

    ReadHandler(Vertx vertx, Ledger ledger, History history, Heartbeats heartbeats, Clock clock) {
        this.vertx = vertx;
        this.ledger = ledger;
        this.history = history;
        this.heartbeats = heartbeats;
        this.clock = clock;
    }

    void get(Exchange exchange, Target target) {
        Form form = Form.of(exchange, target.kind());
        withWorld(exchange, Revisions.wanted(exchange.query()), world -> {
            StoredObject object = world.get(target.key())
                    .map(heartbeats::newest)
                    .orElseThrow(() -> new StatusException(target.notFound()));
            exchange.answer(200, form.contentType(), Buffer.buffer(form.one(object, clock.instant())));
        });
    }

    void list(Exchange exchange, Target target) {
        Query query = exchange.query();
        Form form = Form.of(exchange, target.kind());
        Selection selection = Selections.of(query, target);
        long limit = query.number("limit").orElse(0);
        Optional<ContinueToken> from = Optional.of(query.text("continue"))
                .filter(text -> !text.isEmpty())
                .map(ContinueToken::parse);
        OptionalLong asked = Revisions.wanted(query);
        OptionalLong revision = from.isPresent() ? OptionalLong.of(from.get().revision()) : asked;
        withWorld(exchange, revision, world -> {
            Callable<Iterator<byte[]>> pieces = () ->
                    form.list(page(world, target, selection, limit, from.map(ContinueToken::last)), clock.instant());
            if (isQuick(world, target, selection, limit, form)) {
                Pieces.send(exchange, form.contentType(), pieces.call());
            } else {
                aside(exchange, pieces, ready -> Pieces.send(exchange, form.contentType(), ready));
            }
        });
    }

    private static boolean isQuick(World world, Target target, Selection selection, long limit, Form form) {
        if (selection.isEverything() && (form.isPlain() || (limit > 0 && limit <= MANY))) {
            return true;
        }
        return Page.looksAt(world, target, selection) <= MANY;
    }

    private Page page(World world, Target target, Selection selection, long limit, Optional<ObjectKey> after) {
        Page page = Page.read(world, target, selection, limit, after);
        return new Page(heartbeats.newest(page.objects()), page.meta());
    }

    /** What may throw. */
    private interface Reading {
        void in(World world) throws Exception;
    }

    /** Reads in the newest World, or in an earlier one, which takes a disk to find. */
    private void withWorld(Exchange exchange, OptionalLong revision, Reading reading) {
        World newest = ledger.world();
        if (revision.isPresent() && revision.getAsLong() != newest.revision()) {
            if (revision.getAsLong() > newest.revision()) {
                exchange.answer(notYet(exchange.query(), revision.getAsLong(), newest.revision()));
                return;
            }
            aside(exchange, () -> history.at(revision.getAsLong()), world -> read(exchange, reading, world));
            return;
        }
        OptionalLong atLeast = Revisions.atLeast(exchange.query());
        if (atLeast.isPresent() && atLeast.getAsLong() > newest.revision()) {
            exchange.answer(Status.revisionTooLarge(atLeast.getAsLong(), newest.revision()));
            return;
        }
        read(exchange, reading, newest);
    }

    /** Who asks for a version that another server may have shown waits for it. What only this server can have told is wrong, or of another life. */
    private static Status notYet(Query query, long revision, long newest) {
        if (!query.text("continue").isEmpty()) {
            return Status.expired("The provided continue parameter is of revision " + revision
                    + ", which has not happened here; list again from the beginning");
        }
        if (!query.text(Revisions.AT).isEmpty()) {
            return Status.badRequest("at: revision " + revision + " has not happened yet, the newest is " + newest
                    + "; leave it out for now");
        }
        return Status.revisionTooLarge(revision, newest);
    }

    private static void read(Exchange exchange, Reading reading, World world) {
        try {
            reading.in(world);
        } catch (Exception e) {
            exchange.fail(e);
        }
    }

    /** Does something long on another thread, and goes on here. */
    private <T> void aside(Exchange exchange, Callable<T> work, Consumer<T> then) {
        vertx.executeBlocking(work, false).onComplete(done -> {
            if (done.succeeded()) {
                then.accept(done.result());
            } else if (done.cause() instanceof CompactedException gone) {
                exchange.answer(Status.expired("The provided resource version is too old: " + gone.getMessage()));
            } else {
                exchange.fail(done.cause());
            }
        });
    }
}
