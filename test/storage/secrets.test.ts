import { crc32 } from 'node:zlib'
import t from 'tap'
import {
  generateTokenSecret,
  hashPassword,
  hashToken,
  isWellFormedToken,
  openVault,
  VaultError,
  verifyPassword,
} from '../../storage/mod.ts'
import { forged } from '../support/mod.ts'

t.test('a token has the published form and checks itself', async (t) => {
  const { token, prefix, hash } = generateTokenSecret()
  t.match(token, /^svc_pk_[0-9A-Za-z]{38}$/)
  t.equal(prefix, token.slice(0, 11))
  t.equal(hash, hashToken(token))
  t.ok(isWellFormedToken(token))
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const check = [...token.slice(-6)].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
  t.equal(check, crc32(token.slice(0, -6)))
})

t.test('a mangled token is recognised without a look-up', async (t) => {
  const { token } = generateTokenSecret()
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'a' ? 'b' : 'a'
    t.notOk(isWellFormedToken(token.slice(0, index) + other + token.slice(index + 1)), `character ${index}`)
  }
  for (const text of ['', 'svc_pk_', token.slice(1), token.slice(0, -1), `${token}a`, `${token}\n`, ` ${token}`]) {
    t.notOk(isWellFormedToken(text), JSON.stringify(text))
  }
})

t.test('a password is stored as a scrypt envelope alone', async (t) => {
  const envelope = await hashPassword('pässword ✓')
  t.match(envelope, /^scrypt:\d+:\d+:\d+:[\w-]+:[\w-]+$/)
  t.ok(await verifyPassword('pässword ✓', envelope))
  t.ok(await verifyPassword('pa\u0308ssword ✓', envelope), 'typed with a combining accent')
  t.notOk(await verifyPassword('password', envelope))
  t.notOk(await verifyPassword('password', null))
  t.notOk(await verifyPassword('password', 'plain'))
})

t.test('a sealed value opens only where it was sealed', async (t) => {
  const vault = openVault('a secret of some length')
  const envelope = vault.seal('wh_1', 'secret', 'whsec_ü')
  t.match(envelope, /^v1:[\w-]+$/)
  t.notMatch(envelope, 'whsec')
  t.not(vault.seal('wh_1', 'secret', 'whsec_ü'), envelope, 'never the same twice')
  t.equal(vault.open('wh_1', 'secret', envelope), 'whsec_ü')
  t.equal(openVault('a secret of some length').open('wh_1', 'secret', envelope), 'whsec_ü')
  t.throws(() => vault.open('wh_2', 'secret', envelope), VaultError)
  t.throws(() => vault.open('wh_1', 'headers', envelope), VaultError)
  t.throws(() => openVault('another secret of some length').open('wh_1', 'secret', envelope), VaultError)
  for (const broken of ['', 'v1:', 'v1:AAAA', `v2${envelope.slice(2)}`, forged(envelope)]) {
    t.throws(() => vault.open('wh_1', 'secret', broken), VaultError, broken)
  }
})

t.test('a vault without a proper secret says so', async (t) => {
  t.throws(() => openVault('short'), /at least 16/)
  t.throws(() => openVault(undefined).seal('a', 'b', 'c'), /PARLEY_SECRET is not set/)
})

t.test('each purpose has a key of its own, the same on all nodes', async (t) => {
  const [one, other] = [openVault('a secret of some length'), openVault('a secret of some length')]
  const key = one.keyFor('media links')
  t.equal(key.length, 32)
  t.ok(key.equals(other.keyFor('media links')))
  t.notOk(key.equals(one.keyFor('something else')))
  t.notOk(key.equals(openVault('another secret of that length').keyFor('media links')))
  t.throws(() => openVault(undefined).keyFor('media links'), VaultError)
})
