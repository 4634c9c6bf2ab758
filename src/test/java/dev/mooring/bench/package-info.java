/**
 * Benchmarks of Mooring: {@code make bench}. Each figure is compared with a yardstick measured in the same run, because
 * a figure alone depends as much on the machine as on Mooring. See docs/benchmarks.md.
 *
 * <p>{@link dev.mooring.bench.Bench} is the program; it runs the classes named {@code …Benchmark}.
 */
package dev.mooring.bench;
