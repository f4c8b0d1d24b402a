// Package certs keeps the certificate that the webhook server answers with.
//
// There are three ways. Mounted: something else keeps tls.crt and tls.key in a
// folder, and this package reads them again when they change; whether anybody
// trusts them it does not know. Followed: something else (cert-manager) keeps a
// Secret and the caBundle of the webhook configurations, and this package watches
// both. Self-managed: Probity makes a certificate authority and a serving
// certificate of its own, keeps them in one Secret, and writes the authority
// into the caBundle of its webhook configurations.
//
// Followed, in short: the Secret and the caBundle change one after the other, and
// a volume with the Secret would change up to two minutes later still. So the
// Secret is watched, and a new certificate is served as soon as the configurations
// trust it, not before. cert-manager's cainjector keeps the authority of before
// since v1.19; where it does not, there are moments when it is not known here what
// the API server knows, and a handshake asks it; see followed.go.
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
