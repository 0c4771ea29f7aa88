import { ClientError } from './errors.ts'

/** What OpenSSL says about a server whose certificate no known authority has signed. */
const UNTRUSTED: readonly unknown[] = [
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

export function isUntrustedCode(code: string): boolean {
  return UNTRUSTED.includes(code)
}

export function isUntrusted(error: unknown): boolean {
  return error instanceof ClientError && UNTRUSTED.includes(error.details['reason'])
}

/**
 * Returns the certificates of the authorities that Node and the system trust, and these further ones, in PEM format. Node 20, which the client
 * library supports, can't list the system's certificates, so they are missing there.
 */
export function withSystem(further?: string): string[] {
  const tls: Partial<typeof import('node:tls')> = process.getBuiltinModule('node:tls')
  const own = tls.getCACertificates?.('default') ?? tls.rootCertificates ?? []
  return [...own, ...(tls.getCACertificates?.('system') ?? []), ...(further === undefined ? [] : [further])]
}
