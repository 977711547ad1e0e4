/**
 * A body that arrives although its client was told to wait. uWebSockets.js delivers on for as long as the client fills
 * the kernel's buffer, which depends on the machine; here it always does.
 */

import type * as uWS from 'uWebSockets.js'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { IncomingBody } from '../../http/server/body/incoming_body.ts'
import { tempDir } from '../support/mod.ts'

const MIB = 1024 * 1024
const SIZE = 20 * MIB
const PIECE = 100_003
const FILE = Buffer.alloc(SIZE, createHash('sha512').update('seed').digest())
for (let at = 0; at < SIZE; at += PIECE) FILE.writeUInt32LE(at, at)

/** Makes a body. `push` delivers the bytes of the file between two places at once, whatever the connection was told. */
function pushed(t: Test, limit = SIZE, directory = `${tempDir(t)}/made when needed`) {
  let deliver!: (chunk: ArrayBuffer, is_last: boolean) => void
  const calls: string[] = []
  const response = {
    onData: (take: typeof deliver) => (deliver = take),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    close: () => calls.push('close'),
  }
  const body = new IncomingBody(response as unknown as uWS.HttpResponse, { limit, silence_ms: 60_000, directory })
  t.teardown(() => body.destroy())
  const push = (from: number, to: number) => {
    for (let at = from; at < to; at += PIECE) {
      const end = Math.min(at + PIECE, to)
      deliver(new Uint8Array(FILE.subarray(at, end)).buffer, end === SIZE)
    }
  }
  return { body, push, calls, directory }
}

const readAll = async (body: IncomingBody): Promise<Buffer> => Buffer.concat(await body.toArray())

t.test('memory holds a part of it, and its reader gets all of it in order', async (t) => {
  const { body, push, directory } = pushed(t)
  push(0, SIZE / 2)
  t.ok(body.readableLength < 8 * MIB, `${body.readableLength} bytes are held`)
  t.same(readdirSync(directory), [], 'the file has no name')
  const read = readAll(body)
  await turn()
  push(SIZE / 2, SIZE)
  t.ok(body.readableLength < 8 * MIB, `${body.readableLength} bytes are held`)
  t.ok((await read).equals(FILE))
})

t.test('the client goes on once memory and file are read', async (t) => {
  const { body, push, calls } = pushed(t)
  push(0, SIZE / 2)
  const pieces: Buffer[] = []
  body.on('data', (piece) => pieces.push(piece))
  t.notMatch(calls, ['resume'])
  while (calls.at(-1) !== 'resume') await turn()
  t.ok(Buffer.concat(pieces).equals(FILE.subarray(0, SIZE / 2)))
  push(SIZE / 2, SIZE)
  while (!body.readableEnded) await turn()
  t.ok(Buffer.concat(pieces).equals(FILE))
})

t.test('a body that is too large, and one whose file cannot be written, fail', async (t) => {
  const large = pushed(t, SIZE / 2)
  large.push(0, SIZE)
  await t.rejects(readAll(large.body), { message: /PAYLOAD_TOO_LARGE/ })
  const nowhere = pushed(t, SIZE, '/dev/null/nowhere')
  nowhere.push(0, SIZE)
  await t.rejects(readAll(nowhere.body), { code: 'ENOTDIR' })
})
