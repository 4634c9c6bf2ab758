/** Rules of each kind: defaults, writable fields, immutability and validation, with Kubernetes' messages. */
package dev.mooring.api.rules;
