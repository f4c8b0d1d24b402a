// Package certs keeps the certificate that the webhook server answers with.
//
// There are two ways. Mounted: something else (cert-manager, a person) keeps
// tls.crt and tls.key in a folder, and this package reads them again when they
// change. Self-managed: Probity makes a certificate authority and a serving
// certificate of its own, keeps them in one Secret, and writes the authority
// into the caBundle of its webhook configurations.
//
// Self-managed, in short:
//
//   - The Secret is the only truth. Any replica makes or renews its content;
//     the API server's resourceVersion decides who was first, the others take
//     what is there. No leader, because every replica needs a certificate
//     before the first one is elected.
//   - The certificate is served from memory, off a watch on that Secret. A
//     mounted Secret would come through the kubelet, up to minutes later.
//   - A new authority never breaks a call. The bundle holds the new authority
//     and the one before it, and a replica answers with its old certificate
//     until it has seen the new authority in every configuration for a while.
//   - Deleting the Secret is how a person replaces everything at once.
package certs
