/** How commands talk to a running server: the kubeconfig they find it by, HTTPS, and what its errors mean to whoever typed the command. */
package dev.mooring.cli.client;
