/** Pod policy: which host resources users may access through Pods, and which Pod fields are supported. */
package dev.mooring.api.policy;
