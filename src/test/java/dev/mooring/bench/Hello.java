package dev.mooring.bench;

/** The least a Java program can do: the yardstick of start-up. */
final class Hello {
    private Hello() {}

    public static void main(String[] args) {
        System.out.println("hello");
    }
}
