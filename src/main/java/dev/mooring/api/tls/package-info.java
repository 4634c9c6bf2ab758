/**
 * The server's identity: certificate authority, server certificate, tokens and the kubeconfig that carries them to
 * {@code kubectl}. Plain library code: time and randomness are handed in.
 */
package dev.mooring.api.tls;
