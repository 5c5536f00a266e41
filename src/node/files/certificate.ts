import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { InvalidValue } from '../../text/advised-error.ts'
import { fileReason } from '../../text/error.ts'

/** A certificate (followed by its chain, if any) and its private key: their files, or the content of these. */
type Pair<T> = Readonly<Record<'cert' | 'key', T>>

/** A certificate and its private key in PEM. */
export type Certificate = Pair<Buffer>

/**
 * Reads the files of a certificate and its key, and checks that they belong together and are valid at `now`, in
 * milliseconds since the epoch. Throws an InvalidValue.
 */
export function readCertificate({ cert, key }: Pair<string>, now: number): Certificate {
  const pair = { cert: readPem(cert), key: readPem(key) }
  const certificate = parsed(cert, 'certificate', () => {
    // The class below also accepts DER, which a server does not, and reads only the first certificate of a chain.
    createSecureContext({ cert: pair.cert })
    return new X509Certificate(pair.cert)
  })
  const isPair = certificate.checkPrivateKey(parsed(key, 'private key', () => privateKeyOf(pair.key, key)))
  const fix = 'Name the two files of one pair'
  if (!isPair) throw new InvalidValue(`${key} is not the key of the certificate ${cert}`, fix)
  if (Date.parse(certificate.validTo) <= now)
    throw new InvalidValue(`${cert} expired on ${certificate.validTo}`, 'Make a new certificate')
  if (Date.parse(certificate.validFrom) > now)
    throw new InvalidValue(
      `${cert} is not valid before ${certificate.validFrom}`,
      'Use another certificate, or correct the time of this machine',
    )
  return pair
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new InvalidValue(`${file} cannot be read: ${fileReason(error)}`, 'Name a file in PEM')
  }
}

function privateKeyOf(text: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (error) {
    if (!/ENCRYPTED/.test(text.toString('latin1'))) throw error
    const fix = `Use one without: openssl pkey -in ${file} -out key.pem`
    throw new InvalidValue(`The private key ${file} needs a passphrase`, fix)
  }
}

function parsed<T>(file: string, kind: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof InvalidValue) throw error
    const fix = `Use a file in PEM, which begins with -----BEGIN ${kind.toUpperCase()}-----`
    throw new InvalidValue(`${file} contains no ${kind}`, fix)
  }
}
