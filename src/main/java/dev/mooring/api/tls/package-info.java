/**
 * The server's identity: certificate authority, server certificate, tokens and kubeconfig. Clock and randomness are
 * injected.
 */
package dev.mooring.api.tls;
