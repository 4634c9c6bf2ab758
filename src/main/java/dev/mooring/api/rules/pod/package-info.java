/**
 * What Kubernetes demands of Pods: how what was left out is filled in, what may be written, and what may be changed later. The words
 * of refusals are Kubernetes' own.
 */
package dev.mooring.api.rules.pod;
