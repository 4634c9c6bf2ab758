package dev.mooring.bench;

/** A minimal Java program: the yardstick for start-up. */
final class EmptyProgram {
    private EmptyProgram() {}

    public static void main(String[] args) {
        System.out.println("hello");
    }
}
