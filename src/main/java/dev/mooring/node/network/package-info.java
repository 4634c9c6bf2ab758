/**
 * The Services of this node's Pods: a TCP proxy on the addresses of Services and on node ports ({@link TcpProxy}), a
 * DNS server for their names ({@link DnsServer}), and the controller that decides which listeners there must be
 * ({@link ServiceProxyController}). Uses Netty directly, because half-closed connections need it.
 */
package dev.mooring.node.network;
