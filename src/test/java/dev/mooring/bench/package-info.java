/**
 * What Mooring costs, measured on the machine at hand: {@code make bench}. Each figure stands beside a yardstick measured in the
 * same run, because a figure alone says as much about the machine as about Mooring. See docs/benchmarks.md.
 *
 * <p>{@link dev.mooring.bench.Bench} is the program, the classes named {@code …Benchmark} are what it runs.
 */
package dev.mooring.bench;
