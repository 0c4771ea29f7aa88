import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { reasonOf } from '../client/errors.ts'
import { usage } from './exit.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Reads certificates in PEM format. Throws a usage error for a file without a valid one. */
export async function readCertificates(file: string): Promise<string> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw usage(`Cannot read the certificates in ${file}: ${reasonOf(error)}.`)
  }
  const certificates = text.match(CERTIFICATE) ?? []
  if (certificates.length === 0 || !certificates.every(isValid)) throw usage(`${file} has no valid certificate in PEM format.`)
  return certificates.join('\n')
}

function isValid(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false // The caller names the file.
  }
}
