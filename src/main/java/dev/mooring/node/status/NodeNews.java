package dev.mooring.node.status;

/** What a node learns between two looks at its machine, and who is to be told at once. Thread-safe. */
public final class NodeNews {
    private volatile EngineSight engine;
    private volatile Runnable told = () -> {};

    public NodeNews(EngineSight engine) {
        this.engine = engine;
    }

    public EngineSight engine() {
        return engine;
    }

    public void engine(EngineSight now) {
        boolean news = !now.equals(engine);
        engine = now;
        if (news) {
            told.run();
        }
    }

    void lead(Runnable to) {
        told = to;
    }
}
