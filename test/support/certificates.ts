/** X.509 certificates that a test makes on the spot. The repository holds no keys, and a test can ask for any flaw. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type Issued = { cert: string; key: string }

type Options = {
  /** Common name. */
  name: string
  /** DNS names and IPv4 addresses that the certificate is for; none for an authority. */
  hosts?: string[]
  /** The authority that signs the certificate. Without one, the certificate signs itself. */
  by?: Authority
  is_authority?: boolean
  not_after?: Date
}

type Authority = Issued & { name: string; private_key: KeyObject }

const YEAR_MS = 31_536_000_000
const ECDSA_SHA256 = '2a8648ce3d040302'
const COMMON_NAME = '550403'
const BASIC_CONSTRAINTS = '551d13'
const ALTERNATIVE_NAMES = '551d11'

/** A key on P-256 and its certificate, PEM. */
export function issue({ name, hosts = [], by, is_authority = false, not_after }: Options): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const algorithm = sequence(oid(ECDSA_SHA256))
  const until = not_after ?? new Date(now + YEAR_MS)
  const validity = sequence(time(new Date(Math.min(now, until.getTime()) - YEAR_MS)), time(until))
  const extensions = [
    extension(BASIC_CONSTRAINTS, is_authority ? sequence(der(0x01, [0xff])) : sequence()),
    ...(hosts.length > 0 ? [extension(ALTERNATIVE_NAMES, sequence(...hosts.map(alternative)))] : []),
  ]
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1, ...Buffer.from(String(now))]),
    algorithm,
    distinguished(by?.name ?? name),
    validity,
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, by?.private_key ?? privateKey)
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').match(/.{1,64}/g)!
  return {
    name,
    private_key: privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, content: Uint8Array | number[]): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), Buffer.from(content)])
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts))
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))
const distinguished = (name: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(name)))))
/** GeneralizedTime. */
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`))

function alternative(host: string): Buffer {
  const is_address = /^[\d.]+$/.test(host)
  return is_address ? der(0x87, host.split('.').map(Number)) : der(0x82, Buffer.from(host))
}
