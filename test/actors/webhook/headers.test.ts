import t from 'tap'
import { headerViolations } from '../../../actors/webhook/mod.ts'

t.test('headers that can be sent', async (t) => {
  t.strictSame(headerViolations({ Authorization: 'Bearer x y', 'X-Key': '', Accept: 'text/plain' }), [])
  t.strictSame(headerViolations(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`h${n}`, 'x']))), [])
  t.strictSame(headerViolations({ ['a'.repeat(128)]: 'x'.repeat(4096) }), [])
})

t.test('headers that cannot', async (t) => {
  const cases: [Record<string, string>, string][] = [
    [{ 'X-Svc-Signature': 'x' }, 'reserved'],
    [{ 'x-svc-event': 'x' }, 'reserved'],
    [{ 'Webhook-Id': 'x' }, 'reserved'],
    [{ 'USER-AGENT': 'x' }, 'reserved'],
    [{ Host: 'x' }, 'reserved'],
    [{ 'Content-Length': '1' }, 'reserved'],
    [{ 'transfer-encoding': 'chunked' }, 'reserved'],
    [{ connection: 'close' }, 'reserved'],
    [{ expect: '100-continue' }, 'reserved'],
    [{ 'Content-Type': 'text/plain' }, 'reserved'],
    [{ 'Accept-Encoding': 'gzip' }, 'reserved'],
    [{ 'X-Svc-Of-Tomorrow': 'x' }, 'reserved'],
    [{ 'Proxy-Authorization': 'x' }, 'reserved'],
    [{ ['a'.repeat(129)]: 'x' }, 'name'],
    [{ '': 'x' }, 'name'],
    [{ 'a b': 'x' }, 'name'],
    [{ 'a:b': 'x' }, 'name'],
    [{ 'a\r\nb': 'x' }, 'name'],
    [{ ä: 'x' }, 'name'],
    [{ a: 'x\r\ny: z' }, 'value'],
    [{ a: 'x\0' }, 'value'],
    [{ a: 'é' }, 'value'],
    [{ a: ' x' }, 'value'],
    [{ a: 'x'.repeat(4097) }, 'value'],
    [{ a: 'x', A: 'y' }, 'duplicate'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'x'])), 'count'],
  ]
  for (const [headers, code] of cases)
    t.strictSame(
      headerViolations(headers).map((violation) => violation.code),
      [code],
      JSON.stringify(headers).slice(0, 60),
    )
})
