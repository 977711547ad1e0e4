import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { signatureHeaders } from '../../actors/webhook/signature.ts'
import type { Shell } from './shell.ts'

type Delivery = { headers: Record<string, string>; body: string; secret: string }
type Case = { what: string; body: string; header: string; secret: string; genuine: boolean }
type Sources = Record<'ts' | 'python' | 'bash' | 'js', string>

/** Runs the receivers' code of a page over a real delivery and over forged ones. */
export async function checkVerifiers(
  t: Test,
  shell: Shell,
  { sources, delivery }: { sources: Sources; delivery: Delivery },
): Promise<void> {
  const { headers, body, secret } = delivery
  const write = (name: string, code: string) => {
    writeFileSync(join(shell.directory, name), code)
    return join(shell.directory, name)
  }
  const typescript = await import(write('verify.ts', sources.ts))
  write('verify.py', sources.python)
  const ask =
    'import os, verify; print(verify.is_from_parley(os.environb[b"BODY"], os.environ["HEADER"], os.environ["SECRET"]))'
  const has_python = (await shell.run('python3 --version')).code === 0
  const has_openssl = (await shell.run('openssl version')).code === 0

  for (const { what, body, header, secret, genuine } of casesOf(delivery)) {
    t.equal(typescript.isFromParley(Buffer.from(body), header, secret), genuine, `TypeScript: ${what}`)
    if (has_python) {
      const { stdout, stderr } = await shell.run(`python3 -c '${ask}'`, { BODY: body, HEADER: header, SECRET: secret })
      t.equal(stdout.trim() || stderr, genuine ? 'True' : 'False', `Python: ${what}`)
    } else t.pass(`Python: ${what}`, { skip: 'there is no python3' })
    if (has_openssl) {
      write('body.json', body)
      const { stdout } = await shell.run(`set +e\n${sources.bash}`, { SIGNATURE: header, SECRET: secret })
      t.equal(stdout.trim(), genuine ? 'verified' : '', `shell: ${what}`)
    } else t.pass(`shell: ${what}`, { skip: 'there is no openssl' })
  }

  const standard = await import(write('verify.mjs', sources.js))
  t.same(standard.event(body, headers, secret), JSON.parse(body), 'Standard Webhooks')
  t.throws(() => standard.event(`${body} `, headers, secret), 'Standard Webhooks: another body')
  const { code, stdout, stderr } = await shell.run(
    'tsc --ignoreConfig --noEmit --strict --target es2024 --module nodenext --types node verify.ts',
    { PATH: `${join(shell.directory, 'node_modules/.bin')}:${process.env.PATH}` },
  )
  t.equal(code, 0, `the TypeScript has no type errors ${stdout}${stderr}`)
}

function casesOf({ headers, body, secret }: Delivery): Case[] {
  const header = headers['x-svc-signature']!
  const id = headers['webhook-id']!
  const now = Math.floor(Date.now() / 1000) + 1
  const old = signatureHeaders(secret, id, now - 302, body)['X-Svc-Signature']
  const other = `whsec_${Buffer.alloc(32).toString('base64')}`
  return [
    { what: 'as it came', body, header, secret, genuine: true },
    {
      what: 'with that of another secret',
      body,
      header: header.replace(',', `,v1=${'0'.repeat(64)},`),
      secret,
      genuine: true,
    },
    { what: 'before that of another secret', body, header: `${header},v1=${'0'.repeat(64)}`, secret, genuine: true },
    { what: 'another body', body: `${body} `, header, secret, genuine: false },
    { what: 'a changed body', body: body.replace('"type"', '"tipe"'), header, secret, genuine: false },
    { what: 'another time', body, header: header.replace(/^t=\d+/, `t=${now}`), secret, genuine: false },
    { what: 'another secret', body, header, secret: other, genuine: false },
    { what: 'five minutes old', body, header: old, secret, genuine: false },
    { what: 'no signature', body, header: header.split(',')[0]!, secret, genuine: false },
    { what: 'a short signature', body, header: header.slice(0, -2), secret, genuine: false },
    { what: 'nonsense', body, header: 'nonsense', secret, genuine: false },
    { what: 'an empty header', body, header: '', secret, genuine: false },
  ]
}
