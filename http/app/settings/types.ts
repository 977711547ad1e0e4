import { createPublicKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { MIN_SECRET } from '../../../storage/mod.ts'

/**
 * Parses the text of an environment variable into a value. `parse` throws an Error whose text ends a sentence that
 * begins with the variable.
 */
export type SettingType<Value> = { describe: string; parse(text: string, env?: NodeJS.ProcessEnv): Value }

const refuse = (expected: string): never => {
  throw new Error(`must be ${expected}`)
}

export const text: SettingType<string> = { describe: 'text', parse: (value) => value }

export const path: SettingType<string> = { describe: 'path', parse: (value) => resolve(value) }

export function integer(least: number, most: number): SettingType<number> {
  const describe = `${least}–${most}`
  const parse = (value: string) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most ? number : refuse(`a whole number from ${least} to ${most}`)
  }
  return { describe, parse }
}

/** A share, such as `0.01` for one in a hundred. */
export const share: SettingType<number> = {
  describe: '0–1',
  parse: (value) => {
    const number = /^\d(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
    return number <= 1 ? number : refuse('a number from 0 to 1, such as 0.01')
  },
}

export function oneOf<const Value extends string>(...values: Value[]): SettingType<Value> {
  const parse = (value: string) => values.find((known) => known === value) ?? refuse(`one of ${values.join(', ')}`)
  return { describe: values.map((value) => `\`${value}\``).join(', '), parse }
}

export function atLeast(characters: number): SettingType<string> {
  const parse = (value: string) =>
    value.length >= characters ? value : refuse(`at least ${characters} characters long`)
  return { describe: `text, at least ${characters} characters`, parse }
}

/** One secret, or several separated by commas (`storage/vault/credentials.ts`). */
export const secrets: SettingType<string> = {
  describe: `texts of at least ${MIN_SECRET} characters, separated by commas`,
  parse: atLeast(MIN_SECRET).parse,
}

/** A URL, or several separated by commas where the client library takes several. */
export function url(...schemes: string[]): SettingType<string> {
  const describe = `URL (${schemes.map((scheme) => `\`${scheme}://\``).join(', ')})`
  const ok = (part: string) => URL.canParse(part) && schemes.includes(new URL(part).protocol.slice(0, -1))
  const expected = `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`
  return { describe, parse: (value) => (value.split(',').every((part) => ok(part.trim())) ? value : refuse(expected)) }
}

/** An HTTP proxy, `http://[user:password@]host[:port]`. */
export const proxy: SettingType<string> = {
  describe: 'URL (`http://`)',
  parse: (value) => {
    const { protocol, pathname, search, hash, username, password } = URL.parse(value) ?? {}
    const ok = protocol === 'http:' && pathname === '/' && !search && !hash && isEncoded(`${username}${password}`)
    return ok ? value : refuse('a URL such as http://user:password@proxy:3128')
  },
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const MAILBOX = /^(?:[^<>@,"\p{Cc}]*<[^<>@,\s]+@[^<>@,\s]+>|[^<>@,\s]+@[^<>@,\s]+)$/u

const BUCKET = /^s3:\/\/(?:[^/@:]+:[^/@]+@)?[^/@:]+(?::\d+)?\/[^/?#]+/

/** Location of the stored files: a directory, or a bucket. */
export const blobStore: SettingType<string> = {
  describe: 'URL (`file://`, `s3://`)',
  parse: (value) => {
    const { protocol, host, pathname, username, password, searchParams } = URL.parse(value) ?? {}
    if (protocol === 'file:' && host === '' && pathname !== '/') return value
    const endpoint = searchParams?.get('endpoint')
    const ok =
      BUCKET.test(value) &&
      isEncoded(`${username}${password}`) &&
      (!endpoint || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    return ok
      ? value
      : refuse(
          'a URL such as file:///var/lib/parley/blobs or s3://key:secret@s3.eu-west-1.amazonaws.com/bucket?region=eu-west-1',
        )
  },
}

/** One mail address, with or without a name. */
export const mailbox: SettingType<string> = {
  describe: 'mail address',
  parse: (value) => (MAILBOX.test(value) ? value : refuse('a mail address such as Parley <parley@example.com>')),
}

/** A file of concatenated certificates. The value is the certificates themselves. */
export const certificates: SettingType<string[]> = {
  describe: 'path of a PEM file',
  parse: (value) => {
    const file = resolve(value)
    let blocks: string[]
    try {
      blocks = readFileSync(file, 'utf8').match(CERTIFICATE) ?? []
    } catch (error) {
      return refuse(`the path of a file that can be read (${(error as NodeJS.ErrnoException).code} at ${file})`)
    }
    if (blocks.length === 0) return refuse(`the path of a PEM file with certificates (there are none in ${file})`)
    const broken = blocks.findIndex((block) => !isCertificate(block))
    return broken < 0 ? blocks : refuse(`the path of a PEM file (certificate ${broken + 1} in ${file} is damaged)`)
  },
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block) !== undefined
  } catch {
    return false
  }
}

/**
 * A file of public keys in the form of `https://api.github.com/meta/public_keys/secret_scanning`. The value has the keys
 * in PEM by their identifiers.
 */
export const publicKeys: SettingType<Record<string, string>> = {
  describe: 'path of a JSON file',
  parse: (value) => {
    const file = resolve(value)
    const expected = 'the path of a JSON file {"public_keys":[{"key_identifier":"…","key":"…"}]}'
    let listed: unknown
    try {
      listed = JSON.parse(readFileSync(file, 'utf8')).public_keys
    } catch (error) {
      return refuse(`${expected} (${(error as NodeJS.ErrnoException).code ?? 'no JSON'} at ${file})`)
    }
    if (!Array.isArray(listed) || listed.length === 0) return refuse(`${expected} (there are no keys in ${file})`)
    const broken = listed.findIndex((one) => typeof one?.key_identifier !== 'string' || !isP256(one.key))
    if (broken >= 0) return refuse(`${expected} (key ${broken + 1} in ${file} is no public key of the curve P-256)`)
    return Object.fromEntries(listed.map(({ key_identifier, key }) => [key_identifier, key]))
  },
}

function isP256(key: unknown): boolean {
  try {
    const { asymmetricKeyDetails: details } = createPublicKey(key as string)
    return typeof key === 'string' && key.includes('PUBLIC KEY') && details?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

/** Mail addresses separated by commas, among which `owner` may be. */
export const recipients: SettingType<string[]> = {
  describe: 'list of mail addresses',
  parse: (value) => {
    const list = [...new Set(split(value))]
    const ok = list.length > 0 && list.every((one) => one === 'owner' || ADDRESS.test(one))
    return ok ? list : refuse('`owner`, mail addresses, or both, separated by commas')
  },
}

const ADDRESS = /^[^<>@,\s]+@[^<>@,\s]+$/

/** Networks in CIDR notation; a bare address means that address alone. */
export const networks: SettingType<string[]> = {
  describe: 'list of networks',
  parse: (value) =>
    split(value).map((network) => {
      if (ipaddr.isValid(network)) return `${network}/${ipaddr.parse(network).kind() === 'ipv6' ? 128 : 32}`
      return ipaddr.isValidCIDR(network)
        ? network
        : refuse(`a list of networks such as 10.0.0.0/8,::1 (not ${network})`)
    }),
}

/** The address of one service; paths are appended to it. */
export const service: SettingType<string> = {
  describe: 'URL (`http://`, `https://`)',
  parse: (value) => {
    const { protocol, search, hash, username, password } = URL.parse(value) ?? {}
    const ok = /^https?:$/.test(protocol ?? '') && !value.includes(',') && !search && !hash && !username && !password
    return ok ? value : refuse('one URL such as https://assistants.internal:8443/api, without a query and a password')
  },
}

/** Names separated by commas. */
export const names: SettingType<string[]> = {
  describe: 'list of names',
  parse: (value) => {
    const list = [...new Set(split(value))]
    return list.length > 0 ? list : refuse('a list of names separated by commas')
  },
}

/** Whole days, each once; `none` for an empty list. */
export const daysBefore: SettingType<number[]> = {
  describe: 'list of days, or `none`',
  parse: (value) => {
    const days = value === 'none' ? [] : [...new Set(split(value).map(Number))]
    const ok = (value === 'none' || days.length > 0) && days.every((n) => Number.isInteger(n) && n >= 1 && n <= 365)
    return ok ? days : refuse('a list of days from 1 to 365, such as 14,3,1, or none')
  },
}

/** Seconds, fractions allowed. Each is the pause before one more attempt. */
export const schedule: SettingType<number[]> = {
  describe: 'list of seconds',
  parse: (value) => {
    const seconds = split(value).map(Number)
    const ok = seconds.length > 0 && seconds.every((pause) => Number.isFinite(pause) && pause >= 0 && pause <= 86_400)
    return ok ? seconds : refuse('a list of seconds from 0 to 86400, such as 0,5,300,1800,7200')
  },
}

function split(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
