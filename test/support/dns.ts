/** A small DNS server on loopback, for answers that public resolvers do not give on demand. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Owner } from './owner.ts'

export type DnsRecord = { name?: string; type: 'A' | 'AAAA' | 'CNAME'; data: string; ttl?: number }
export type DnsAnswer =
  | DnsRecord[]
  | { rcode: number }
  /** The answer is cut off over UDP. A client that asks again over TCP gets the records, if there are any. */
  | { truncated: DnsRecord[] }
  | { raw: Buffer }
  | 'silence'
export type DnsServer = { address: string; asked: string[] }

/** Returns the answer to a question for `type` of `name`. `count` is the number of times it was asked before. */
type Zone = (name: string, type: 'A' | 'AAAA', count: number) => DnsAnswer

const TYPES = { A: 1, CNAME: 5, AAAA: 28 }
const TRUNCATED = 0x0200

/** Starts a DNS server that ends with the test. */
export async function dnsServer(t: Owner, zone: Zone): Promise<DnsServer> {
  const asked: string[] = []
  const counts = new Map<string, number>()
  const answerTo = (query: Buffer, is_udp: boolean): Buffer | undefined => {
    const { name, type, end } = questionOf(query)
    const question = `${type} ${name}`
    const count = counts.get(question) ?? 0
    counts.set(question, count + 1)
    asked.push(question)
    const answer = zone(name, type, count)
    const reply = (records: DnsRecord[], flags = 0) => encode(query, end, name, records, flags)
    if (answer === 'silence') return undefined
    if ('raw' in answer) return answer.raw
    if ('rcode' in answer) return reply([], answer.rcode)
    if ('truncated' in answer) return is_udp ? reply([], TRUNCATED) : reply(answer.truncated)
    return reply(answer)
  }

  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const answer = answerTo(chunk.subarray(2), false)
      if (answer) socket.end(Buffer.concat([uint16(answer.length), answer]))
    })
  })
  const [udp, port] = await bindBoth(tcp)
  udp.on('message', (query, { port, address }) => {
    const answer = answerTo(query, true)
    if (answer) udp.send(answer, port, address)
  })

  t.teardown(async () => {
    udp.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => tcp.close(resolve))
  })
  return { address: `127.0.0.1:${port}`, asked }
}

/** Binds one port for both protocols: a port that is free for TCP may be taken for UDP. */
async function bindBoth(tcp: Server): Promise<[UdpSocket, number]> {
  for (;;) {
    tcp.listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const { port } = tcp.address() as AddressInfo
    const udp = createSocket('udp4')
    udp.bind(port, '127.0.0.1')
    try {
      await once(udp, 'listening')
      return [udp, port]
    } catch {
      udp.close()
      await new Promise((resolve) => tcp.close(resolve))
    }
  }
}

function questionOf(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = []
  let at = 12
  while (query[at]) {
    const length = query[at]!
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA', end: at + 5 }
}

function encode(query: Buffer, question_end: number, asked: string, records: DnsRecord[], flags: number): Buffer {
  const counts = [1, records.length, 0, 0].map(uint16)
  const parts = records.map(({ name = asked, type, data, ttl = 0 }) => {
    const value = type === 'CNAME' ? encodeName(data) : Buffer.from(ipaddr.parse(data).toByteArray())
    const seconds = Buffer.alloc(4)
    seconds.writeUInt32BE(ttl)
    return [encodeName(name), uint16(TYPES[type]), uint16(1), seconds, uint16(value.length), value]
  })
  // The flags of a response to a recursive query, from a server that recurses.
  return Buffer.concat([
    query.subarray(0, 2),
    uint16(0x8180 | flags),
    ...counts,
    query.subarray(12, question_end),
    ...parts.flat(),
  ])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  return Buffer.concat([...labels, Buffer.from([0])])
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}
