/** The link treats answers as a fault asks, and requests arrive whatever becomes of their answers. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { eventually, sleep } from '../e2e/client.ts'
import { type Link, Links } from './link.ts'

const links = new Links(t)

/** Starts a server that answers each line with its name and the line. */
async function echo(t: Test, name: string) {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      heard.push(String(piece))
      socket.write(`${name}: ${piece}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, heard }
}

async function client(t: Test, link: Link) {
  const socket = connect(link.port, '127.0.0.1')
  let text = ''
  let ended = false
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    ended = true
  })
  t.teardown(() => socket.destroy())
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  return { say: (words: string) => void socket.write(words), heard: () => text, ended: () => ended }
}

t.test('held answers come at the end, in order', async (t) => {
  const server = await echo(t, 'one')
  const link = await links.to(server.port)
  const { say, heard } = await client(t, link)
  say('a')
  await eventually('an answer', () => heard() === 'one: a')
  await link.answer('hold')
  say('b')
  await eventually('the request is there', () => server.heard.at(-1) === 'b')
  await sleep(50)
  t.equal(heard(), 'one: a')
  await link.answer('pass')
  await eventually('the answer is there', () => heard() === 'one: aone: b')
})

t.test('a line that lost an answer is reset, and others go on', async (t) => {
  const server = await echo(t, 'one')
  const link = await links.to(server.port)
  const [unlucky, idle] = [await client(t, link), await client(t, link)]
  await link.answer('lose')
  unlucky.say('a')
  await eventually('the request is there', () => server.heard.length === 1)
  await sleep(50)
  await link.answer('pass')
  await eventually('it is reset', unlucky.ended)
  t.equal(unlucky.heard(), '')
  idle.say('b')
  await eventually('an answer', () => idle.heard() === 'one: b')
})

t.test('answers are held from the awaited words on, or from the end of the wait', async (t) => {
  const server = await echo(t, 'one')
  const link = await links.to(server.port)
  const { say, heard } = await client(t, link)
  const seen = link.answerFrom('commit', 'hold', 30_000)
  say('select')
  await eventually('an answer', () => heard() === 'one: select')
  say('commit')
  t.equal(await seen, true)
  await eventually('the request is there', () => server.heard.at(-1) === 'commit')
  await sleep(50)
  t.equal(heard(), 'one: select')
  await link.answer('pass')
  await eventually('the answer is there', () => heard() === 'one: selectone: commit')
  t.equal(await link.answerFrom('never', 'hold', 50), false)
  say('a')
  await eventually('the request is there', () => server.heard.at(-1) === 'a')
  await sleep(50)
  t.equal(heard(), 'one: selectone: commit')
})

t.test('requests that hold the given words are carried out, and answered by a reset', async (t) => {
  const server = await echo(t, 'one')
  const link = await links.to(server.port)
  const { say, heard, ended } = await client(t, link)
  await link.resetEach('commit')
  say('select')
  await eventually('an answer', () => heard() === 'one: select')
  say('commit')
  await eventually('it is reset', ended)
  t.same([server.heard.at(-1), heard()], ['commit', 'one: select'])
  t.equal(await link.resetEach(null), 1)
  const later = await client(t, link)
  later.say('commit')
  await eventually('an answer', () => later.heard() === 'one: commit')
})

t.test('a link leads elsewhere, with or without its open connections', async (t) => {
  const [first, second] = [await echo(t, 'one'), await echo(t, 'two')]
  const link = await links.to(first.port)
  const old = await client(t, link)
  // The kernel connects before the link knows of the connection.
  old.say('a')
  await eventually('the old one is through', () => old.heard() === 'one: a')
  await link.leadOnTo(second.port)
  old.say('c')
  await eventually('the old one goes on', () => old.heard() === 'one: aone: c')
  const fresh = await client(t, link)
  fresh.say('b')
  await eventually('the new one is elsewhere', () => fresh.heard() === 'two: b')
  await link.leadTo(first.port)
  await eventually('both are reset', () => old.ended() && fresh.ended())
})

t.test('nothing gets through a cut link until it is joined', async (t) => {
  const server = await echo(t, 'one')
  const link = await links.to(server.port)
  await link.cut()
  const refused = await client(t, link)
  await eventually('it is reset', refused.ended)
  await link.join()
  const { say, heard } = await client(t, link)
  say('a')
  await eventually('an answer', () => heard() === 'one: a')
})
