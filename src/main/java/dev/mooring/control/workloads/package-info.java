/** Controllers of workloads, which create Pods from templates, and helpers for such controllers. Pure logic. */
package dev.mooring.control.workloads;
